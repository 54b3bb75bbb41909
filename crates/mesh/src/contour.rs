//! Closed lines around set cells: marching squares.

use geom::Point;

use crate::bitmap::{Bitmap, mixed_words};
use crate::outline::sides;

/// Farthest a point of the contour can lie from the centre of the nearest clear cell, in cells.
pub(crate) const LAG: f64 = std::f64::consts::FRAC_1_SQRT_2;

/// The closed lines half way between set and clear cells, in pixels: the first point is not repeated, islands have
/// positive signed area (y down), holes negative, cells that touch at a corner are joined. Only corners are kept. The
/// outermost cells of the map must be clear.
pub(crate) fn contours(map: &Bitmap) -> Vec<Vec<Point>> {
    let mut tracer = Tracer::new(map);
    for y in 1..map.height {
        tracer.row(y - 1);
    }
    tracer.loops()
}

/// One crossing of a grid line is one node, which has exactly one successor. Positions are doubled cell indices, so
/// that half way is a whole number.
struct Tracer<'a> {
    map: &'a Bitmap,
    nodes: Vec<Node>,
    /// Node between bits `i` and `i + 1` of the upper row.
    upper: Vec<u32>,
    /// The same of the lower row.
    lower: Vec<u32>,
}

#[derive(Clone, Copy)]
struct Node {
    x: i32,
    y: i32,
    next: u32,
}

/// Marks a node that is already in a loop.
const DONE: u32 = u32::MAX;

impl<'a> Tracer<'a> {
    fn new(map: &'a Bitmap) -> Self {
        let row = vec![0; map.width];
        Self { map, nodes: Vec::new(), upper: row.clone(), lower: row }
    }

    /// Links the squares between rows `y` and `y + 1`.
    fn row(&mut self, y: usize) {
        let (top, bottom) = (self.map.row(y), self.map.row(y + 1));
        let mut west = 0;
        for (w, mut mixed) in mixed_words(top, bottom).enumerate() {
            while mixed != 0 {
                let i = w * 64 + mixed.trailing_zeros() as usize;
                mixed &= mixed - 1;
                let bit = |row: &[u64], i: usize| row[i / 64] >> (i % 64) & 1 == 1;
                let corners = [bit(top, i), bit(top, i + 1), bit(bottom, i + 1), bit(bottom, i)];
                west = self.square(i, y, west, corners);
            }
        }
        std::mem::swap(&mut self.upper, &mut self.lower);
    }

    /// Links one square whose left corners are bits `i` of rows `y` and `y + 1`, given the node on its left side;
    /// gives the node on its right side.
    fn square(&mut self, i: usize, y: usize, west: u32, [a, b, c, d]: [bool; 4]) -> u32 {
        let north = self.upper[i];
        let (mut east, mut south) = (0, 0);
        if b != c {
            east = self.node(2 * i + 2, 2 * y + 1);
        }
        if d != c {
            south = self.node(2 * i + 1, 2 * y + 2);
            self.lower[i] = south;
        }
        // Clockwise on screen: a segment starts where the walk leaves the set part and ends at the next entry.
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
                let pick = |sides: [bool; 4]| {
                    let nodes = [north, east, south, west];
                    sides.iter().position(|&s| s).map_or(0, |k| nodes[k])
                };
                let from = pick([a && !b, b && !c, c && !d, d && !a]);
                self.link(from, pick([!a && b, !b && c, !c && d, !d && a]));
            }
        }
        east
    }

    fn link(&mut self, from: u32, to: u32) {
        self.nodes[from as usize].next = to;
    }

    fn node(&mut self, x: usize, y: usize) -> u32 {
        self.nodes.push(Node { x: x as i32, y: y as i32, next: DONE });
        (self.nodes.len() - 1) as u32
    }

    fn loops(mut self) -> Vec<Vec<Point>> {
        let mut loops = Vec::new();
        let mut ring = Vec::new();
        for start in 0..self.nodes.len() {
            let mut at = start;
            ring.clear();
            while self.nodes[at].next != DONE {
                let node = &mut self.nodes[at];
                ring.push((node.x, node.y));
                at = std::mem::replace(&mut node.next, DONE) as usize;
            }
            if !ring.is_empty() {
                loops.push(self.corners(&ring));
            }
        }
        loops
    }

    /// The nodes where the direction changes, in pixels.
    fn corners(&self, ring: &[(i32, i32)]) -> Vec<Point> {
        let n = ring.len();
        let step = |k: usize| {
            let (p, q) = (ring[k % n], ring[(k + 1) % n]);
            (q.0 - p.0, q.1 - p.1)
        };
        let half = self.map.scale as f64 / 2.0;
        let pixel = |bit: i32| (f64::from(bit) + 2.0 * self.map.origin as f64 + 1.0) * half;
        let turns = (0..n).filter(|&k| step(k) != step(k + n - 1));
        turns.map(|k| Point::new(pixel(ring[k].0), pixel(ring[k].1))).collect()
    }
}

/// Signed area of a closed line: positive when it runs clockwise on screen (y down).
pub(crate) fn signed_area(line: &[Point]) -> f64 {
    let Some(&origin) = line.first() else { return 0.0 };
    sides(line).map(|(a, b)| (a - origin).cross(b - origin)).sum::<f64>() / 2.0
}
