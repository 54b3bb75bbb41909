//! Marching squares on the visible pixels.

use geom::Point;
use raster::Alpha;

use crate::bitmap::{Bitmap, mixed_words};

/// How far the contour lies from the centre of the last visible pixel: half a pixel (its edge) and up to this more for
/// an opaque one, so that an antialiased edge gives a smooth line.
const SOFT: f64 = 0.45;

/// Farthest a point of a visible pixel can lie outside the contour: the corner of a lone, nearly transparent pixel,
/// in cells.
pub(crate) const CORNER: f64 = std::f64::consts::FRAC_1_SQRT_2 / 2.0;

/// The closed lines around the visible cells, in pixels: the first point is not repeated, islands have positive signed
/// area (y down), holes negative; cells that touch at a corner are joined. `alpha` gives the sub-pixel position and is
/// used at scale 1 only.
pub(crate) fn contours(map: &Bitmap, alpha: &Alpha) -> Vec<Vec<Point>> {
    let mut tracer = Tracer::new(map, alpha);
    for y in -1..map.height as isize {
        tracer.row(y);
    }
    tracer.loops()
}

/// One crossing of a grid line is one node, which has exactly one successor.
struct Tracer<'a> {
    map: &'a Bitmap,
    alpha: &'a Alpha,
    points: Vec<Point>,
    next: Vec<u32>,
    /// Node between cells `i - 1` and `i` of the upper row.
    upper: Vec<u32>,
    /// The same of the lower row.
    lower: Vec<u32>,
}

impl<'a> Tracer<'a> {
    fn new(map: &'a Bitmap, alpha: &'a Alpha) -> Self {
        let row = vec![0; map.width + 2];
        Self { map, alpha, points: Vec::new(), next: Vec::new(), upper: row.clone(), lower: row }
    }

    /// Links the squares between cell rows `y` and `y + 1`.
    fn row(&mut self, y: isize) {
        let (top, bottom) = (self.map.row(y), self.map.row(y + 1));
        let mut west = 0;
        for (w, mut mixed) in mixed_words(top, bottom).enumerate() {
            while mixed != 0 {
                let i = w * 64 + mixed.trailing_zeros() as usize;
                mixed &= mixed - 1;
                west = self.square(i, y, west, top, bottom);
            }
        }
        std::mem::swap(&mut self.upper, &mut self.lower);
    }

    /// Links one square whose left corners are bits `i` of the rows; gives the node on its right side.
    fn square(&mut self, i: usize, y: isize, west: u32, top: &[u64], bottom: &[u64]) -> u32 {
        let bit = |row: &[u64], i: usize| row[i / 64] >> (i % 64) & 1 == 1;
        let (a, b) = (bit(top, i), bit(top, i + 1));
        let (d, c) = (bit(bottom, i), bit(bottom, i + 1));
        let x = i as isize - 1;
        let north = self.upper[i];
        let mut east = 0;
        let mut south = 0;
        if b != c {
            east = self.node((x + 1, y), (x + 1, y + 1), b);
        }
        if d != c {
            south = self.node((x, y + 1), (x + 1, y + 1), d);
            self.lower[i] = south;
        }
        // Clockwise on screen: a segment starts where the walk leaves the visible part and ends at the next entry.
        match (a, b, c, d) {
            (true, false, true, false) => {
                self.link(north, east);
                self.link(south, west);
            }
            (false, true, false, true) => {
                self.link(east, south);
                self.link(west, north);
            }
            _ => {
                let leave = [(a && !b, north), (b && !c, east), (c && !d, south), (d && !a, west)];
                let enter = [(!a && b, north), (!b && c, east), (!c && d, south), (!d && a, west)];
                let pick = |sides: [(bool, u32); 4]| sides.iter().find(|s| s.0).map_or(0, |s| s.1);
                self.link(pick(leave), pick(enter));
            }
        }
        east
    }

    fn link(&mut self, from: u32, to: u32) {
        self.next[from as usize] = to;
    }

    /// A node between two neighbouring cells; `first` tells which one is visible.
    fn node(&mut self, p: (isize, isize), q: (isize, isize), first: bool) -> u32 {
        let (inside, outside) = if first { (p, q) } else { (q, p) };
        let soft = if self.map.scale == 1 {
            f64::from(self.alpha.get(inside.0 as i64, inside.1 as i64)) / 255.0 * SOFT
        } else {
            0.0
        };
        let t = 0.5 + soft;
        let along = |a: isize, b: isize| (a as f64 + (b - a) as f64 * t + 0.5) * self.map.scale as f64;
        self.points.push(Point::new(along(inside.0, outside.0), along(inside.1, outside.1)));
        self.next.push(0);
        (self.points.len() - 1) as u32
    }

    fn loops(self) -> Vec<Vec<Point>> {
        let mut seen = vec![false; self.points.len()];
        let mut loops = Vec::new();
        for start in 0..self.points.len() {
            if seen[start] {
                continue;
            }
            let mut line = Vec::new();
            let mut at = start;
            while !seen[at] {
                seen[at] = true;
                line.push(self.points[at]);
                at = self.next[at] as usize;
            }
            loops.push(line);
        }
        loops
    }
}

/// Signed area of a closed line: positive when it runs clockwise on screen (y down).
pub(crate) fn signed_area(line: &[Point]) -> f64 {
    let Some(&origin) = line.first() else { return 0.0 };
    let fan = line.windows(2).map(|w| (w[0] - origin).cross(w[1] - origin));
    fan.sum::<f64>() / 2.0
}
