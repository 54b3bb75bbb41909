//! The outline: what is visible grown outwards, traced and simplified.

use geom::Point;
use raster::Alpha;

use crate::bitmap::Bitmap;
use crate::contour::{LAG, contours, signed_area};
use crate::simplify::simplify;
use crate::{Error, Settings};

/// Masks with more horizontal runs than this (noise, halftone) are worked on at half the resolution, repeatedly.
const MAX_RUNS: u64 = 100_000;
/// Half the diagonal of a cell: how far its corner lies from its centre.
const HALF_DIAGONAL: f64 = std::f64::consts::FRAC_1_SQRT_2;

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
    Ok(Silhouette::new(alpha)?.grown(settings, 1.0).outline(settings))
}

/// The visible pixels, ready to be outlined at different tolerances.
pub(crate) struct Silhouette {
    map: Bitmap,
}

impl Silhouette {
    /// Errors: [`Error::Empty`].
    pub(crate) fn new(alpha: &Alpha) -> Result<Self, Error> {
        let mut map = Bitmap::from_alpha(alpha);
        if map.is_empty() {
            return Err(Error::Empty);
        }
        while map.run_count() > MAX_RUNS {
            map = map.halved();
        }
        Ok(Self { map })
    }

    /// What the outline will surround, with a tolerance `coarse` times as large as the settings say. Later calls are no
    /// finer than this one.
    pub(crate) fn grown(&mut self, settings: &Settings, coarse: f64) -> Grown {
        let wanted = settings.simplify * coarse;
        while 2.0 * settings.simplify * self.map.scale as f64 <= wanted {
            self.map = self.map.halved();
        }
        let cell = self.map.scale as f64;
        // Stairs of one cell must vanish.
        let tolerance = wanted.max(cell);
        // The corner of a pixel's ring lies at sqrt 2 from the pixel's.
        let margin = settings.margin.max(std::f64::consts::SQRT_2);
        let radius = HALF_DIAGONAL + LAG + (margin + tolerance) / cell;
        // Closing: fills gaps and rounds notches that are too narrow for good triangles.
        let close = (2.0 * tolerance / cell).max(2.0);
        let map = self.map.dilated(radius + close, close as usize + 2).eroded(close);
        Grown { map, tolerance }
    }
}

/// The visible pixels grown by the margin.
pub(crate) struct Grown {
    map: Bitmap,
    tolerance: f64,
}

impl Grown {
    /// A number of islands that is not above that of the outline, quickly.
    pub(crate) fn islands_at_least(&self) -> usize {
        usize::try_from(self.map.islands_less_holes()).unwrap_or(0)
    }

    /// The simplified lines around it.
    pub(crate) fn outline(&self, settings: &Settings) -> Outline {
        let least = if settings.fill_holes { f64::INFINITY } else { settings.min_hole_area };
        let mut loops = contours(&self.map);
        loops.retain(|l| {
            let area = signed_area(l);
            area > 0.0 || area < -least
        });
        Outline { loops: loops.iter().map(|l| simplify(l, self.tolerance)).collect() }
    }
}

/// The sides of a closed line.
pub(crate) fn sides(line: &[Point]) -> impl Iterator<Item = (Point, Point)> + '_ {
    (0..line.len()).map(|i| (line[i], line[(i + 1) % line.len()]))
}
