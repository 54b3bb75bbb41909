//! The outline: contour, simplified and offset outwards.

use geom::Point;
use i_overlay::mesh::float::outline::offset::OutlineOffset;
use i_overlay::mesh::float::style::{LineJoin, OutlineStyle};
use raster::Alpha;

use crate::bitmap::Bitmap;
use crate::contour::{CORNER, contours, signed_area};
use crate::simplify::simplify;
use crate::{Error, Settings};

/// Contours longer than this many cells (noise, halftone) are traced on a coarser grid.
const MAX_BOUNDARY_CELLS: u64 = 120_000;
/// Tolerance of the first simplification in cells: below half the width of the thinnest line.
const TRACE_TOLERANCE: f64 = 0.3;
/// Step of round joins in radians; a chord leaves the arc by less than 1 % of the radius.
const ROUND_STEP: f64 = 0.25;

/// Closed lines around everything visible.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outline {
    /// Raster-local pixels, the first point is not repeated. Islands have positive signed area with y down (clockwise
    /// on screen), holes negative. They neither cross nor touch each other, save for pathological art.
    pub loops: Vec<Vec<Point>>,
}

/// The outline of the pixels with alpha > 0, moved outwards so that it encloses everything within `settings.margin` of
/// them and the square ring of one pixel around them. Islands closer than about twice that become one; holes that get
/// smaller than `settings.min_hole_area` are filled.
///
/// Errors: [`Error::Empty`], [`Error::Setting`].
pub fn outline(alpha: &Alpha, settings: &Settings) -> Result<Outline, Error> {
    settings.validate()?;
    Ok(Trace::new(alpha)?.outline(settings, 1.0))
}

/// A contour ready to be offset by different amounts.
pub(crate) struct Trace {
    loops: Vec<Vec<Point>>,
    /// Farthest a visible pixel's square may lie outside the loops, in pixels.
    slack: f64,
}

impl Trace {
    /// Errors: [`Error::Empty`].
    pub(crate) fn new(alpha: &Alpha) -> Result<Self, Error> {
        let mut map = Bitmap::from_alpha(alpha);
        if map.is_empty() {
            return Err(Error::Empty);
        }
        while map.boundary_cells() > MAX_BOUNDARY_CELLS {
            map = map.halved();
        }
        let scale = map.scale as f64;
        let loops = contours(&map, alpha).iter().map(|l| simplify(l, TRACE_TOLERANCE * scale)).collect();
        Ok(Self { loops, slack: (CORNER + TRACE_TOLERANCE) * scale })
    }

    /// The outline with all tolerances `coarse` times as large as the settings say.
    pub(crate) fn outline(&self, settings: &Settings, coarse: f64) -> Outline {
        let tolerance = settings.simplify * coarse;
        // Any pixel's ring of one pixel has its corner at sqrt 2 from the pixel.
        let wanted = settings.margin.max(std::f64::consts::SQRT_2);
        // The joins' chords and the integer grid of the offset cost 1 %.
        let grow = (wanted + self.slack + tolerance) * 1.01;
        // Closing: fills gaps and rounds notches that are too narrow for good triangles.
        let close = 2.0 * tolerance;
        let loops = offset(&offset(&self.loops, grow + close), -close);
        let least = if settings.fill_holes { f64::INFINITY } else { settings.min_hole_area };
        let kept = |l: &Vec<Point>| {
            let area = signed_area(l);
            area > 0.0 || area < -least.max(1.0)
        };
        let loops = loops.into_iter().filter(kept);
        Outline { loops: loops.map(|l| simplify(&l, tolerance)).collect() }
    }
}

/// All points within `distance` of the area (outwards), or farther than that inside it (negative).
fn offset(loops: &[Vec<Point>], distance: f64) -> Vec<Vec<Point>> {
    let paths: Vec<Vec<[f64; 2]>> = loops.iter().map(|l| l.iter().map(|p| [p.x, p.y]).collect()).collect();
    let style = OutlineStyle::new(distance).line_join(LineJoin::Round(ROUND_STEP));
    let shapes = paths.outline(&style);
    shapes.into_iter().flatten().map(|path| path.iter().map(|p| Point::new(p[0], p[1])).collect()).collect()
}
