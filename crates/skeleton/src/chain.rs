//! A chain of bones along a limb and where it takes a point.

use geom::Point;
use serde::{Deserialize, Serialize};

use crate::line::{Bent, Line};

/// Share of a joint's band in which its turn eases in and out.
const EASE: f64 = 0.25;

/// Bones of one limb, root first. The first turns the whole limb; every later one turns what lies beyond its joint.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Chain {
    /// The middle line, canvas pixels.
    pub line: Line,
    /// The bones, root first; never empty.
    pub bones: Vec<Bone>,
    /// The root is held where the body ends: the limb bends there instead of turning as a whole.
    pub held: bool,
    /// +1 or -1: the sense (clockwise on screen) in which positive values turn, away from the body.
    pub sense: f64,
    /// Swings by itself as a whole, if it does.
    pub sway: Option<Sway>,
}

/// One bone: from its joint to the next one's, or to the tip.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Bone {
    /// Id words, e.g. `ArmUpperL`.
    pub name: String,
    /// Shown name of its parameter.
    pub title: String,
    /// Driving parameter; its unit is degrees.
    pub parameter: String,
    /// Smallest and largest angle in degrees; 0 lies between.
    pub range: (f64, f64),
    /// Arc length of its joint.
    pub joint: f64,
    /// Half length of the band in which the limb bends; 0 for a root that turns freely.
    pub half: f64,
}

/// What a pendulum adds to the root's angle.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sway {
    /// Driving parameter, -1..=1.
    pub parameter: String,
    /// Shown name of the parameter.
    pub title: String,
    /// Degrees at 1, clockwise on screen.
    pub degrees: f64,
}

impl Chain {
    /// Where the whole limb turns: the joint of the root bone, canvas pixels.
    pub fn root(&self) -> Point {
        self.line.at(self.bones[0].joint)
    }

    /// A point that moves with bone `index` alone: its joint, or for bending joints the end of the band.
    pub(crate) fn origin(&self, index: usize) -> Point {
        let bone = &self.bones[index];
        if index == 0 { self.root() } else { self.line.at(bone.joint + bone.half) }
    }

    /// Arc length beyond which a point moves with bone `index` as a whole.
    pub(crate) fn rigid_from(&self, index: usize) -> f64 {
        let bone = &self.bones[index];
        if index == 0 && !self.held { f64::NEG_INFINITY } else { bone.joint + bone.half }
    }

    /// The angle of bone `index` against rest, radians clockwise on screen, at the bones' angles in degrees.
    pub(crate) fn turn_of(&self, index: usize, degrees: &[f64]) -> f64 {
        let sum: f64 = degrees.iter().take(index + 1).sum();
        (self.sense * sum).to_radians()
    }

    /// The limb bent by the bones' angles in degrees, in the space of bone `home`: pixels from its origin, not turned.
    pub(crate) fn posed<'a>(&'a self, home: usize, degrees: &'a [f64]) -> Posed<'a> {
        // A root that turns freely carries everything with it: it does not bend.
        let first = usize::from(!self.held);
        let bent = self.line.bent(|s| {
            let bones = self.bones.iter().zip(degrees).skip(first);
            let sum: f64 = bones.map(|(b, d)| d * ramp((s - b.joint) / b.half.max(1e-6))).sum();
            (self.sense * sum).to_radians()
        });
        let free = if self.held { 0.0 } else { degrees.first().copied().unwrap_or(0.0) };
        let turn = self.turn_of(home, degrees) - (self.sense * free).to_radians();
        let rest = self.origin(home);
        let origin = if home == 0 { rest } else { bent.map(self.line.place(rest), rest) };
        Posed { bent, origin, turn }
    }
}

/// A limb in some pose, seen from one bone.
pub(crate) struct Posed<'a> {
    bent: Bent<'a>,
    origin: Point,
    turn: f64,
}

impl Posed<'_> {
    /// Position of a canvas point at arc length `s`, in the space of the bone.
    pub(crate) fn local(&self, s: f64, p: Point) -> Point {
        (self.bent.map(s, p) - self.origin).rotated(Point::default(), -self.turn)
    }
}

/// Share of a joint's angle at `t` half widths from it: 0 before -1, 1 beyond 1, straight with eased ends.
pub(crate) fn ramp(t: f64) -> f64 {
    let u = ((t + 1.0) / 2.0).clamp(0.0, 1.0);
    let peak = 1.0 / (1.0 - EASE);
    let rise = |u: f64| 0.5 * peak / EASE * u * u;
    if u < EASE {
        rise(u)
    } else if u > 1.0 - EASE {
        1.0 - rise(1.0 - u)
    } else {
        peak * (u - 0.5 * EASE)
    }
}

/// Smallest half length of a band in which a limb of half width `half` may turn by `degrees` without folding.
pub(crate) fn least_half(half: f64, degrees: f64) -> f64 {
    0.5 / (1.0 - EASE) * MARGIN * half * degrees.abs().to_radians()
}

/// Largest angle in degrees at which a band of half length `band` does not fold.
pub(crate) fn most_degrees(half: f64, band: f64) -> f64 {
    (band / (0.5 / (1.0 - EASE) * MARGIN * half.max(1e-6))).to_degrees()
}

/// What is kept of the width on the inner side of a bend.
const MARGIN: f64 = 1.15;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ramps_rise_from_end_to_end() {
        for (t, want) in [(-2.0, 0.0), (-1.0, 0.0), (0.0, 0.5), (1.0, 1.0), (3.0, 1.0)] {
            assert!((ramp(t) - want).abs() < 1e-12, "{t}");
        }
        let mut last = 0.0;
        for i in 0..=200 {
            let now = ramp(-1.0 + f64::from(i) / 100.0);
            let steepest = 0.01 * 0.5 / (1.0 - EASE) + 1e-9;
            assert!(now >= last && now - last <= steepest, "{i}");
            last = now;
        }
    }
}
