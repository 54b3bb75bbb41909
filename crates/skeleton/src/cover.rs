//! Where some pictures cover the canvas.

use geom::{Point, Rect};
use raster::Rgba;

/// Alpha from which a pixel covers.
const OPAQUE: u8 = 64;

/// Pictures at places on the canvas.
pub(crate) struct Cover<'a> {
    pictures: Vec<((i32, i32), &'a Rgba)>,
}

impl<'a> Cover<'a> {
    pub(crate) fn of(pictures: impl Iterator<Item = ((i32, i32), &'a Rgba)>) -> Self {
        Self { pictures: pictures.collect() }
    }

    /// Whether something is drawn at a canvas point.
    pub(crate) fn covers(&self, p: Point) -> bool {
        self.pictures.iter().any(|&((left, top), image)| {
            let (x, y) = (p.x - f64::from(left), p.y - f64::from(top));
            let inside =
                x >= 0.0 && y >= 0.0 && x < f64::from(image.width()) && y < f64::from(image.height());
            inside && image.row(y as u32)[4 * x as usize + 3] >= OPAQUE
        })
    }

    /// Middles of covered squares on a grid of about `across` squares over the narrower side of each picture.
    pub(crate) fn pixels(&self, across: u32) -> impl Iterator<Item = Point> + '_ {
        self.pictures.iter().flat_map(move |&((left, top), image)| {
            let step = (image.width().min(image.height()) / across.max(1)).clamp(1, 64) as usize;
            (step as u32 / 2..image.height()).step_by(step).flat_map(move |y| {
                let row = image.row(y);
                (step / 2..image.width() as usize)
                    .step_by(step)
                    .filter(move |x| row[4 * x + 3] >= OPAQUE)
                    .map(move |x| {
                        Point::new(f64::from(left) + x as f64 + 0.5, f64::from(top) + f64::from(y) + 0.5)
                    })
            })
        })
    }

    /// Box of the pictures.
    pub(crate) fn bounds(&self) -> Rect {
        let rect = |&((left, top), image): &((i32, i32), &Rgba)| {
            let (left, top) = (f64::from(left), f64::from(top));
            Rect::new(left, top, left + f64::from(image.width()), top + f64::from(image.height()))
        };
        Rect::union_all(self.pictures.iter().map(rect)).unwrap_or(Rect::new(0.0, 0.0, 0.0, 0.0))
    }

    /// Covered pixels of the largest picture: an estimate of the limb's area.
    pub(crate) fn area(&self) -> f64 {
        let opaque = |image: &Rgba| {
            (0..image.height())
                .map(|y| image.row(y).chunks_exact(4).filter(|p| p[3] >= OPAQUE).count())
                .sum::<usize>()
        };
        self.pictures.iter().map(|p| opaque(p.1)).max().unwrap_or(0) as f64
    }

    /// Half of the drawn width across a line: the farther of its two sides.
    pub(crate) fn half_width(&self, p: Point, along: Point) -> f64 {
        let across = Point::new(-along.y, along.x);
        let b = self.bounds();
        let most = b.width().max(b.height()).ceil().max(1.0) as usize;
        let reach =
            |sign: f64| (1..most).take_while(|&i| self.covers(p + across * (sign * i as f64))).count() as f64;
        reach(1.0).max(reach(-1.0))
    }
}
