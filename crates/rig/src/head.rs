//! The turning frame of the head and its container (RIG 2 item 5, RIG 8, RIG_PRACTICE 6), and the neck that follows.

use std::f64::consts::PI;

use geom::{Point, Rect, maths};
use parts::Cast;

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
    let s = strength.clamp(0.0, 2.0);
    head.at(u, v) - pivot
        + Point::new(
            angle_x / 45.0 * s * head.width() * (0.009 + 0.004 * maths::sin(PI * u)),
            -angle_y / 30.0 * s * head.height() * 0.008,
        )
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
}

impl NeckFollow {
    /// Where the canvas point `p` goes at `tilt` degrees.
    pub(crate) fn apply(&self, p: Point, tilt: f64) -> Point {
        let down = 1.0 - maths::smoothstep((p.y - self.top) / (self.bottom - self.top).max(1.0));
        let away = (p.x - self.middle).abs() / self.half_width.max(1.0);
        let aside = 1.0 - maths::smoothstep((away - 1.0) / 0.8);
        p.rotated(self.pivot, (NECK_SHARE * tilt * down * aside).to_radians())
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
        };
        let p = Point::new(40.0, 100.0);
        assert!(follow.apply(p, 30.0).distance(p) < 1e-12);
        let top = Point::new(50.0, 0.0);
        let want = top.rotated(follow.pivot, 24f64.to_radians());
        assert!(follow.apply(top, 30.0).distance(want) < 1e-9);
    }
}
