//! Closed lines around set cells: marching squares.

use geom::Point;

use crate::bitmap::{Bitmap, squares};
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

/// From one side of a square to another.
type Segment = (usize, usize);

/// The sides, north 0 and clockwise on screen, where the segments of a mixed square start and end, by its corners as
/// in [`Tracer::square`]: a segment starts where the walk around the square leaves the set part and ends where it
/// enters the next.
const SEGMENTS: [(Segment, Option<Segment>); 16] = {
    let mut segments = [((0, 0), None); 16];
    let mut corners = 1;
    while corners < 15 {
        segments[corners] = match corners {
            0b0101 => ((0, 1), Some((2, 3))),
            0b1010 => ((1, 2), Some((3, 0))),
            _ => ((side(corners, true), side(corners, false)), None),
        };
        corners += 1;
    }
    segments
};

/// The first side at which a walk around the square leaves the set part, or enters it.
const fn side(corners: usize, leaves: bool) -> usize {
    let mut k = 0;
    while k < 3 {
        let (here, there) = (corners >> k & 1 == 1, corners >> ((k + 1) % 4) & 1 == 1);
        if here != there && here == leaves {
            return k;
        }
        k += 1;
    }
    3
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
        for (w, squares) in squares(top, bottom).enumerate() {
            let mut mixed = squares.mixed();
            while mixed != 0 {
                let i = mixed.trailing_zeros();
                mixed &= mixed - 1;
                west = self.square(w * 64 + i as usize, y, west, squares.corners(i));
            }
        }
        std::mem::swap(&mut self.upper, &mut self.lower);
    }

    /// Links one square whose left corners are bits `i` of rows `y` and `y + 1`, given the node on its left side;
    /// gives the node on its right side. Bits of `corners` from the lowest: upper left, upper right, lower right,
    /// lower left.
    fn square(&mut self, i: usize, y: usize, west: u32, corners: usize) -> u32 {
        let north = self.upper[i];
        let (mut east, mut south) = (0, 0);
        if (corners ^ (corners >> 1)) & 2 != 0 {
            east = self.node(2 * i + 2, 2 * y + 1);
        }
        if (corners ^ (corners >> 1)) & 4 != 0 {
            south = self.node(2 * i + 1, 2 * y + 2);
            self.lower[i] = south;
        }
        let nodes = [north, east, south, west];
        let mut link = |(from, to): Segment| self.link(nodes[from], nodes[to]);
        let (first, second) = SEGMENTS[corners];
        link(first);
        if let Some(second) = second {
            link(second);
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
        let half = self.map.scale as f64 / 2.0;
        let pixel = |bit: i32| (f64::from(bit) + 2.0 * self.map.origin as f64 + 1.0) * half;
        let step = |p: (i32, i32), q: (i32, i32)| (q.0 - p.0, q.1 - p.1);
        let (first, last) = (ring[0], ring[ring.len() - 1]);
        let mut corners = Vec::new();
        let mut before = step(last, first);
        let followers = ring[1..].iter().copied().chain([first]);
        for (&node, next) in ring.iter().zip(followers) {
            let after = step(node, next);
            if after != before {
                corners.push(Point::new(pixel(node.0), pixel(node.1)));
            }
            before = after;
        }
        corners
    }
}

/// Signed area of a closed line: positive when it runs clockwise on screen (y down).
pub(crate) fn signed_area(line: &[Point]) -> f64 {
    let Some(&origin) = line.first() else { return 0.0 };
    sides(line).map(|(a, b)| (a - origin).cross(b - origin)).sum::<f64>() / 2.0
}
