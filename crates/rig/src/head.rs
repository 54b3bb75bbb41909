//! The turning frame of the head and its container (RIG 2 item 5, RIG 8, RIG_PRACTICE 6), and the neck that follows.

use std::f64::consts::PI;

use geom::{Point, Rect, maths};
use parts::Cast;

use crate::face_surface::{ANGLE_X, Surface};

/// Keys of `ParamAngleZ`.
pub(crate) const ANGLE_Z: [f64; 3] = [-30.0, 0.0, 30.0];
/// Share of the head's tilt that the top of the neck follows.
const NECK_SHARE: f64 = 0.8;

/// Pivot of the head's rotation, head-aligned pixels.
pub(crate) fn pivot(cast: &Cast, natural: bool) -> Point {
    let face = &cast.face;
    let mouth = face.mouth_line;
    if !natural {
        return Point::new(face.center.x, mouth);
    }
    let chin = cast.tilt.align(cast.anchors.chin).y.max(mouth);
    let y = match cast.anchors.neck {
        Some(neck) => {
            let top = cast.tilt.align(Point::new(neck.center().x, neck.top)).y;
            ((top + chin) / 2.0).clamp(mouth, chin)
        }
        None => mouth + 0.3 * (chin - mouth),
    };
    Point::new(face.center.x, y)
}

/// Position of a lattice point of `DeformHeadContainer`, as an offset from the pivot.
pub(crate) fn contained(
    head: Rect,
    pivot: Point,
    strength: f64,
    (u, v): (f64, f64),
    angle_x: f64,
    angle_y: f64,
) -> Point {
    head.at(u, v) - pivot + container_shift(head, strength, u, angle_x, angle_y)
}

/// How far the container carries what is at `u` of the head frame.
pub(crate) fn container_shift(head: Rect, strength: f64, u: f64, angle_x: f64, angle_y: f64) -> Point {
    let s = strength.clamp(0.0, 2.0);
    Point::new(
        angle_x / 45.0 * s * head.width() * (0.009 + 0.004 * maths::sin(PI * u.clamp(0.0, 1.0))),
        -angle_y / 30.0 * s * head.height() * 0.008,
    )
}

/// How far the chin moves sideways at each key of `ParamAngleX`.
pub(crate) fn chin_moves(cast: &Cast, surface: &Surface, strength: f64) -> [f64; 3] {
    let chin = cast.tilt.align(cast.anchors.chin);
    ANGLE_X.map(|angle| {
        let carried = container_shift(cast.frames.head, strength, 0.5, angle, 0.0);
        surface.shift(chin, surface.turn(angle, 0.0)).x + carried.x
    })
}

/// How a neck, or the collar of a garment that holds the neck, follows the head's tilt.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NeckFollow {
    /// The head's pivot, canvas pixels.
    pub(crate) pivot: Point,
    /// y where the follow is full.
    pub(crate) top: f64,
    /// y where it has faded out.
    pub(crate) bottom: f64,
    /// Middle and half width of what follows fully; infinite for a neck.
    pub(crate) middle: f64,
    pub(crate) half_width: f64,
    /// How far the chin moves sideways at each key of `ParamAngleX`, canvas pixels.
    pub(crate) aside: [f64; 3],
}

impl NeckFollow {
    /// How much of the head's move the height of `p` follows, 0..=1.
    pub(crate) fn share(&self, p: Point) -> f64 {
        1.0 - maths::smoothstep((p.y - self.top) / (self.bottom - self.top).max(1.0))
    }

    /// Where the canvas point `p` goes at a key of `ParamAngleX` and `tilt` degrees.
    pub(crate) fn apply(&self, p: Point, angle_x: f64, tilt: f64) -> Point {
        let down = self.share(p);
        let away = (p.x - self.middle).abs() / self.half_width.max(1.0);
        let aside = 1.0 - maths::smoothstep((away - 1.0) / 0.8);
        let key = ANGLE_X.iter().position(|&k| k == angle_x).unwrap_or(1);
        let sideways = Point::new(NECK_SHARE * self.aside[key] * down * aside, 0.0);
        p.rotated(self.pivot, (NECK_SHARE * tilt * down * aside).to_radians()) + sideways
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neck_bottom_stays() {
        let follow = NeckFollow {
            pivot: Point::new(50.0, 10.0),
            top: 0.0,
            bottom: 100.0,
            middle: 50.0,
            half_width: f64::INFINITY,
            aside: [-5.0, 0.0, 5.0],
        };
        let p = Point::new(40.0, 100.0);
        assert!(follow.apply(p, 45.0, 30.0).distance(p) < 1e-12);
        let top = Point::new(50.0, 0.0);
        let want = top.rotated(follow.pivot, 24f64.to_radians());
        assert!(follow.apply(top, 0.0, 30.0).distance(want) < 1e-9);
    }
}
