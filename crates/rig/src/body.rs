//! Body warps: turn, pitch, lean and breath (RIG 8 as mended by RIG_PRACTICE 11).

use std::f64::consts::PI;

use geom::{Point, Rect, maths};
use parts::Anchors;

/// Keys of the body angles.
pub(crate) const BODY_ANGLE: [f64; 3] = [-10.0, 0.0, 10.0];
/// Keys of `ParamBreath`.
pub(crate) const BREATH: [f64; 3] = [0.0, 0.5, 1.0];
/// Lean of the upper body at full `ParamBodyAngleZ`, degrees.
const LEAN: f64 = 3.5;

/// What the body warps are made of.
#[derive(Clone, Debug)]
pub(crate) struct Body {
    pub(crate) frame: Rect,
    natural: bool,
    strength: f64,
    shoulder: f64,
    hip: f64,
    axis_x: f64,
}

impl Body {
    pub(crate) fn new(frame: Rect, anchors: &Anchors, strength: f64, natural: bool) -> Self {
        let height = frame.height().max(1.0);
        let shoulder = anchors.shoulder_y.clamp(frame.top, frame.bottom - 0.05 * height);
        let hip = anchors.hip_y.clamp(shoulder + 0.05 * height, frame.bottom.max(shoulder + 0.05 * height));
        let axis_x = if anchors.has_face { anchors.chin.x } else { anchors.body.center().x };
        Self { frame, natural, strength: strength.clamp(0.0, 4.0), shoulder, hip, axis_x }
    }

    /// Cells of the warps: columns, rows.
    pub(crate) fn cells(&self) -> (usize, usize) {
        if self.natural { (6, 12) } else { (4, 6) }
    }

    /// Canvas position of a lattice point of `DeformBodyXY`.
    pub(crate) fn turned(&self, (u, v): (f64, f64), angle_x: f64, angle_y: f64) -> Point {
        let (w, h) = (self.frame.width(), self.frame.height());
        let roll = 4.0 * u * (1.0 - u);
        let (sway, bulge) = if self.natural {
            let vs = (self.shoulder - self.frame.top) / h.max(1e-4);
            let t = ((v - vs) / (1.0 - vs).max(1e-4)).clamp(0.0, 1.0);
            (1.0 - maths::smoothstep(t), maths::sin(PI * t))
        } else {
            (maths::sin(PI * v), maths::sin(PI * v))
        };
        let dx = angle_x / 10.0 * self.strength * w * (0.035 * sway + 0.015 * bulge * roll);
        let dy = angle_y / 10.0 * self.strength * h * 0.007 * maths::sin(2.0 * PI * v);
        self.frame.at(u, v) + Point::new(dx, dy)
    }

    /// Local position of a lattice point of `DeformBodyZBreath`, in the character frame.
    pub(crate) fn leaned(&self, (u, v): (f64, f64), angle_z: f64, breath: f64) -> Point {
        let strength = self.strength.min(2.0);
        if self.natural {
            return self.frame.norm(self.leaned_natural(self.frame.at(u, v), angle_z, breath, strength));
        }
        let chest = maths::exp(-(v - 0.42) * (v - 0.42) / 0.035);
        Point::new(
            u + angle_z / 10.0 * strength * 0.018 * maths::sin(PI * v)
                + (u - 0.5) * breath * strength * chest * 0.025,
            v - breath * strength * chest * 0.012,
        )
    }

    fn leaned_natural(&self, p: Point, angle_z: f64, breath: f64, strength: f64) -> Point {
        let torso = (self.hip - self.shoulder).max(1.0);
        let share = 1.0 - maths::smoothstep((p.y - self.shoulder) / torso);
        let s = maths::sin((angle_z / 10.0 * strength * LEAN * share).to_radians());
        let lean = Point::new((self.hip - p.y).max(0.0) * s, (p.x - self.axis_x) * s);
        let centre = self.shoulder + 0.30 * torso;
        let bell = |sigma: f64| {
            let t = (p.y - centre) / (sigma * torso);
            maths::exp(-t * t / 2.0)
        };
        let lift = if p.y <= centre { 1.0 } else { bell(0.55) };
        let widen = (p.x - self.axis_x) * 0.018 * bell(0.30);
        p + lean + Point::new(widen, -0.016 * torso * lift) * (breath * strength)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn body(natural: bool) -> Body {
        Body {
            frame: Rect::new(100.0, 0.0, 500.0, 1000.0),
            natural,
            strength: 1.0,
            shoulder: 220.0,
            hip: 560.0,
            axis_x: 305.0,
        }
    }

    /// RIG 8 and 11.3: row widths and column heights do not change, opposite angles mirror.
    #[test]
    fn widths_are_constant() {
        for natural in [false, true] {
            let b = body(natural);
            for v in [0.0, 0.2, 0.37, 0.5, 0.9, 1.0] {
                for a in [-10.0, 10.0] {
                    let (l, r) = (b.turned((0.0, v), a, 0.0), b.turned((1.0, v), a, 0.0));
                    assert!((r.x - l.x - 400.0).abs() < 1e-9);
                    let (l, r) = (b.leaned((0.0, v), a, 0.0), b.leaned((1.0, v), a, 0.0));
                    assert!((r.x - l.x - 1.0).abs() < 1e-9);
                }
            }
            for u in [0.0, 0.5, 1.0] {
                let (t, m) = (b.turned((u, 0.0), 0.0, 10.0), b.turned((u, 1.0), 0.0, 10.0));
                assert!((m.y - t.y - 1000.0).abs() < 1e-9);
            }
        }
    }

    #[test]
    fn rest_is_the_frame() {
        for natural in [false, true] {
            let b = body(natural);
            for (u, v) in [(0.0, 0.0), (0.25, 0.5), (1.0, 1.0)] {
                assert!(b.turned((u, v), 0.0, 0.0).distance(b.frame.at(u, v)) < 1e-9);
                assert!(b.leaned((u, v), 0.0, 0.0).distance(Point::new(u, v)) < 1e-12);
            }
        }
    }
}
