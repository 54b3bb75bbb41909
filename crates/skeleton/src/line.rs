//! The middle line of a limb with arc lengths, and bending along it.
//!
//! Bending turns every slice of the limb about the line, whose length stays: widths and, between bends, areas do not
//! change, and nothing folds as long as the line's radius stays above half the width.

use geom::{Point, maths};
use rig::spine::evenly;
use serde::{Deserialize, Serialize};

/// Straight pieces of a line.
const PIECES: usize = 192;
/// Softness of places along the line, as a share of the mean width.
const SOFT: f64 = 0.2;

/// A middle line: points at equal distances, from before the root to beyond the tip of the art.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Line {
    points: Vec<Point>,
    /// Arc length of the first point; 0 is where the art begins.
    start: f64,
    /// Distance of neighbouring points.
    step: f64,
    /// Mean width of the limb.
    width: f64,
}

impl Line {
    /// The line through `way` (at least two points, root first), continued straight at both ends by `width`. Arc lengths
    /// count from the first point of `way` until [`Self::shifted`]. `None` when the way has no length.
    pub fn through(way: &[Point], width: f64) -> Option<Self> {
        let (first, last) = (*way.first()?, *way.last()?);
        let near = (way.len() / 6).max(1);
        let toward = |a: Point, b: Point| {
            let d = a - b;
            d * (1.0 / d.length().max(1e-9))
        };
        let head = first + toward(first, *way.get(near)?) * width;
        let tail = last + toward(last, *way.get(way.len() - 1 - near)?) * width;
        let way: Vec<Point> =
            std::iter::once(head).chain(way.iter().copied()).chain(std::iter::once(tail)).collect();
        let (points, length) = evenly(&way, PIECES)?;
        if !(width.is_finite() && width > 0.0 && length > 2.0 * width + 2.0) {
            return None;
        }
        Some(Self { points, start: -width, step: length / PIECES as f64, width })
    }

    /// The same line with arc lengths counted from `origin`.
    #[must_use]
    pub fn shifted(mut self, origin: f64) -> Self {
        self.start -= origin;
        self
    }

    /// Mean width of the limb in pixels.
    pub fn width(&self) -> f64 {
        self.width
    }

    /// The point at an arc length.
    pub fn at(&self, s: f64) -> Point {
        let (i, t) = self.piece(s);
        self.points[i].lerp(self.points[i + 1], t)
    }

    /// Direction at an arc length, of length 1.
    pub fn direction(&self, s: f64) -> Point {
        let d = self.at(s + 2.0 * self.step) - self.at(s - 2.0 * self.step);
        d * (1.0 / d.length().max(1e-9))
    }

    /// Arc length at which a point lies: a mean that changes smoothly from place to place.
    pub fn place(&self, p: Point) -> f64 {
        let soft = (SOFT * self.width).max(self.step).max(1e-3);
        let (mut sum, mut total) = (0.0, 0.0);
        for (i, c) in self.points.iter().enumerate() {
            let d = *c - p;
            let squared = d.dot(d) / (soft * soft) + 1.0;
            let weight = 1.0 / (squared * squared * squared);
            sum += weight * i as f64;
            total += weight;
        }
        self.start + sum / total * self.step
    }

    /// The line bent: `turn` gives the angle (radians, clockwise on screen) of the slice at an arc length. The first point
    /// stays.
    pub fn bent(&self, turn: impl Fn(f64) -> f64) -> Bent<'_> {
        let mut centers = Vec::with_capacity(PIECES + 1);
        let mut moved = self.points[0];
        centers.push(moved);
        for i in 0..PIECES {
            let middle = self.start + (i as f64 + 0.5) * self.step;
            let piece = self.points[i + 1] - self.points[i];
            moved = moved + piece.rotated(Point::default(), turn(middle));
            centers.push(moved);
        }
        let turns = (0..=PIECES).map(|i| turn(self.start + i as f64 * self.step)).collect();
        Bent { line: self, centers, turns }
    }

    fn piece(&self, s: f64) -> (usize, f64) {
        let at = ((s - self.start) / self.step).clamp(0.0, PIECES as f64);
        let i = (at as usize).min(PIECES - 1);
        (i, at - i as f64)
    }
}

/// A bent line.
pub struct Bent<'a> {
    line: &'a Line,
    centers: Vec<Point>,
    turns: Vec<f64>,
}

impl Bent<'_> {
    /// Where a point goes that lies at arc length `s` ([`Line::place`]).
    pub fn map(&self, s: f64, p: Point) -> Point {
        let (i, t) = self.line.piece(s);
        let center = self.line.points[i].lerp(self.line.points[i + 1], t);
        let moved = self.centers[i].lerp(self.centers[i + 1], t);
        let turn = maths::lerp(self.turns[i], self.turns[i + 1], t);
        moved + (p - center).rotated(Point::default(), turn)
    }
}
