//! A layer's alpha as seen in head-aligned space, and its vertical runs.

use geom::{IntRect, Point};
use parts::HeadTilt;
use raster::{Alpha, Rgba};

/// Pixels beyond which a tilt is ignored: no lash is that large.
const LARGEST: f64 = 64e6;

/// Alpha sampled on the whole pixels of head-aligned space.
pub(crate) struct AlignedAlpha {
    /// Aligned position of the top-left pixel.
    pub(crate) left: i64,
    pub(crate) top: i64,
    pub(crate) alpha: Alpha,
}

/// A vertical run of visible pixels in one column.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Run {
    /// First row, aligned pixels.
    pub(crate) top: f64,
    /// Past the last row.
    pub(crate) bottom: f64,
    /// Sum of alpha, 0..1 a pixel.
    pub(crate) weight: f64,
    /// Alpha-weighted middle.
    pub(crate) center: f64,
}

impl AlignedAlpha {
    /// Of an image lying at `rect` on the canvas.
    pub(crate) fn of(image: &Rgba, rect: IntRect, tilt: &HeadTilt) -> Self {
        let aligned = tilt.align_rect(rect.to_rect());
        if tilt.degrees == 0.0 || aligned.width() * aligned.height() > LARGEST {
            return Self { left: rect.left.into(), top: rect.top.into(), alpha: image.alpha() };
        }
        let (left, top) = (aligned.left.floor() as i64, aligned.top.floor() as i64);
        let (w, h) =
            ((aligned.right.ceil() as i64 - left).max(1), (aligned.bottom.ceil() as i64 - top).max(1));
        let mut alpha = Alpha::new(w.min(1 << 15) as u32, h.min(1 << 15) as u32);
        let width = alpha.width() as usize;
        for (i, value) in alpha.values_mut().iter_mut().enumerate() {
            let (x, y) = ((i % width) as i64, (i / width) as i64);
            let q = tilt.unalign(Point::new((left + x) as f64 + 0.5, (top + y) as f64 + 0.5));
            let (px, py) =
                (q.x.floor() as i64 - i64::from(rect.left), q.y.floor() as i64 - i64::from(rect.top));
            *value = image.get(px, py)[3];
        }
        Self { left, top, alpha }
    }

    /// Runs of the column at index `x`, pixels of alpha >= 24; gaps of one pixel are bridged.
    pub(crate) fn runs(&self, x: u32) -> Vec<Run> {
        let mut runs: Vec<Run> = Vec::new();
        let mut moment = 0.0;
        for y in 0..self.alpha.height() {
            let a = self.alpha.get(i64::from(x), i64::from(y));
            if a < 24 {
                continue;
            }
            let (row, a) = (self.top as f64 + f64::from(y), f64::from(a) / 255.0);
            match runs.last_mut() {
                Some(run) if row - run.bottom <= 1.0 => {
                    run.bottom = row + 1.0;
                    run.weight += a;
                    moment += a * (row + 0.5);
                    run.center = moment / run.weight;
                }
                _ => {
                    moment = a * (row + 0.5);
                    runs.push(Run { top: row, bottom: row + 1.0, weight: a, center: row + 0.5 });
                }
            }
        }
        runs
    }

    /// Middle of the column at index `x`, aligned pixels.
    pub(crate) fn column_x(&self, x: u32) -> f64 {
        self.left as f64 + f64::from(x) + 0.5
    }
}
