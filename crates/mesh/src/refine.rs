//! Delaunay refinement: new vertices until no triangle is thin (Ruppert).

use std::collections::VecDeque;

use crate::exact::{Site, cross, distance2, dot, in_circle};
use crate::triangulation::{Edge, NONE, Place, Triangulation, before, next};

/// Border edges shorter than this many steps are not split.
const SHORTEST: f64 = 64.0;

/// Splits border edges and adds sites inside until every triangle has a ratio of circumradius to shortest edge of at
/// most `ratio`, save where the border itself has a sharp corner. False when that takes more than `most` sites.
pub(crate) fn refine(triangulation: &mut Triangulation, ratio: f64, most: usize) -> bool {
    let fixed = triangulation.sites.len();
    let mut refinement = Refinement {
        sides: vec![[NONE; 2]; fixed],
        border: VecDeque::new(),
        thin: VecDeque::new(),
        limit: 4.0 * ratio * ratio,
        all: triangulation,
    };
    refinement.start();
    refinement.run(most)
}

struct Refinement<'a> {
    all: &'a mut Triangulation,
    /// The ends of the original border edge that a site splits.
    sides: Vec<[u32; 2]>,
    /// Border edges to check for a site in the circle around them, with the sites at both ends.
    border: VecDeque<(u32, [u32; 2])>,
    /// Triangles to check, by an edge, with its corners in turn.
    thin: VecDeque<(u32, [u32; 3])>,
    /// Of (circumradius / shortest edge)², four times.
    limit: f64,
}

impl Refinement<'_> {
    fn start(&mut self) {
        for e in 0..self.all.edges.len() as u32 {
            self.watch_border(e);
        }
        for e in (0..self.all.edges.len() as u32).step_by(3) {
            if self.is_thin(e) {
                self.thin.push_back((e, self.names(e)));
            }
        }
    }

    fn run(&mut self, most: usize) -> bool {
        while self.all.sites.len() <= most {
            if let Some((e, ends)) = self.border.pop_front() {
                if [self.all.from(e), self.all.to(e)] == ends && self.is_encroached(e) {
                    self.split(e);
                }
            } else if let Some((e, names)) = self.thin.pop_front() {
                if self.names(e) == names && self.is_thin(e) && !self.is_as_good_as_it_gets(e) {
                    self.treat(e);
                }
            } else {
                return true;
            }
        }
        false
    }

    fn names(&self, e: u32) -> [u32; 3] {
        [self.all.from(e), self.all.to(e), self.all.apex(e)]
    }

    /// Looks at a border edge later when it may have to be split.
    fn watch_border(&mut self, e: u32) {
        if self.all.edges[e as usize].twin == NONE && self.is_encroached(e) {
            self.border.push_back((e, [self.all.from(e), self.all.to(e)]));
        }
    }

    fn is_encroached(&self, e: u32) -> bool {
        let [a, b, apex] = self.all.corners(e);
        dot(a, b, apex) < 0
    }

    fn is_thin(&self, e: u32) -> bool {
        let [a, b, c] = self.all.corners(e);
        let (u, v, w) = (distance2(a, b), distance2(b, c), distance2(c, a));
        let shortest = u.min(v).min(w);
        let doubled = cross(a, b, c) as f64;
        // R = u v w / (2 * doubled area), of the lengths.
        u * v * w > self.limit * doubled * doubled * shortest
    }

    /// The shortest edge joins two sides that meet in a sharp corner (Miller, Pav and Walkington): the corner would
    /// have to be wider.
    fn is_as_good_as_it_gets(&self, e: u32) -> bool {
        let length = |e: &u32| distance2(self.all.at(self.all.from(*e)), self.all.at(self.all.to(*e)));
        let around = [e, next(e), before(e)];
        let shortest = around.into_iter().min_by(|a, b| length(a).total_cmp(&length(b))).unwrap_or(e);
        if self.all.edges[shortest as usize].twin == NONE {
            return false;
        }
        let side = |index: u32| self.sides[index as usize];
        let (one, other) = (side(self.all.from(shortest)), side(self.all.to(shortest)));
        one.iter().any(|end| *end != NONE && other.contains(end))
    }

    /// Adds the circumcentre of a thin triangle, or splits the border edges it would crowd.
    fn treat(&mut self, e: u32) {
        let centre = circumcentre(self.all.corners(e));
        let place = self.all.locate(centre, e);
        let crowded = match place {
            Place::Inside(_) | Place::On(_) => self.crowded(centre, place),
            // Only by rounding: edges that have nothing in their circles keep circumcentres inside.
            Place::Site | Place::Behind(_) => return,
        };
        if crowded.is_empty() {
            self.all.insert(centre, place);
            self.sides.push([NONE; 2]);
            self.watch_fan();
            return;
        }
        let mut split = false;
        for (e, ends) in crowded {
            // Edges keep their names only until the first split.
            if [self.all.from(e), self.all.to(e)] == ends && self.all.edges[e as usize].twin == NONE {
                split |= self.split(e);
            }
        }
        if split {
            self.thin.push_back((e, self.names(e)));
        }
    }

    /// The border edges with `p` in the circle around them, among those its triangles would reach.
    fn crowded(&self, p: Site, place: Place) -> Vec<(u32, [u32; 2])> {
        let mut crowded = Vec::new();
        let mut open = match place {
            Place::Inside(e) => vec![e, next(e), before(e)],
            Place::On(e) => {
                let twin = self.all.edges[e as usize].twin;
                let beyond = if twin == NONE { vec![e] } else { vec![next(twin), before(twin)] };
                [vec![next(e), before(e)], beyond].concat()
            }
            Place::Site | Place::Behind(_) => Vec::new(),
        };
        while let Some(e) = open.pop() {
            let Edge { twin, .. } = self.all.edges[e as usize];
            let (a, b) = (self.all.at(self.all.from(e)), self.all.at(self.all.to(e)));
            if twin == NONE {
                if dot(a, b, p) <= 0 {
                    crowded.push((e, [self.all.from(e), self.all.to(e)]));
                }
            } else {
                let [b, a, apex] = self.all.corners(twin);
                if in_circle(b, a, apex, p) {
                    open.extend([next(twin), before(twin)]);
                }
            }
        }
        crowded
    }

    /// Splits a border edge: halves it when both ends are original or both are not, else cuts at a power of two from
    /// the original end, so that the sides of a sharp corner are cut at equal distances (Ruppert). False when it is
    /// too short.
    fn split(&mut self, e: u32) -> bool {
        let (from, to) = (self.all.from(e), self.all.to(e));
        let [a, b, c] = self.all.corners(e);
        let length = distance2(a, b).sqrt();
        if length < SHORTEST {
            return false;
        }
        let (one, other) = (self.sides[from as usize], self.sides[to as usize]);
        let share = match (one[0] == NONE, other[0] == NONE) {
            (true, false) => power_of_two(length / 2.0) / length,
            (false, true) => 1.0 - power_of_two(length / 2.0) / length,
            _ => 0.5,
        };
        let along = |a: i64, b: i64| a + ((b - a) as f64 * share).round() as i64;
        let p = Site { x: along(a.x, b.x), y: along(a.y, b.y) };
        // Rounding must not turn a triangle over.
        let (left, right) = (cross(c, a, p), cross(b, c, p));
        if left <= 0 || right <= 0 {
            return false;
        }
        self.all.insert(p, Place::On(e));
        self.sides.push(if one[0] != NONE {
            one
        } else if other[0] != NONE {
            other
        } else {
            [from, to]
        });
        self.watch_fan();
        true
    }

    /// Looks at all that is new around the last site later.
    fn watch_fan(&mut self) {
        let fan = std::mem::take(&mut self.all.fan);
        for &e in &fan {
            // All edges: the two parts of a split one are among them.
            for e in [e, next(e), before(e)] {
                self.watch_border(e);
            }
            if self.is_thin(e) {
                self.thin.push_back((e, self.names(e)));
            }
        }
        self.all.fan = fan;
    }
}

/// The power of two nearest to a length.
fn power_of_two(length: f64) -> f64 {
    let mut power = 1.0;
    while power * std::f64::consts::SQRT_2 < length {
        power *= 2.0;
    }
    power
}

/// Centre of the circle through three sites, rounded.
fn circumcentre([a, b, c]: [Site; 3]) -> Site {
    let (bx, by) = ((b.x - a.x) as f64, (b.y - a.y) as f64);
    let (cx, cy) = ((c.x - a.x) as f64, (c.y - a.y) as f64);
    let (b2, c2) = (bx * bx + by * by, cx * cx + cy * cy);
    let doubled = 2.0 * (bx * cy - by * cx);
    let offset = |v: f64| (v / doubled).round() as i64;
    Site { x: a.x + offset(cy * b2 - by * c2), y: a.y + offset(bx * c2 - cx * b2) }
}
