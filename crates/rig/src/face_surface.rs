//! The face as a turning surface (RIG 4): how far a point of the head moves at a head angle.

use geom::{Point, Rect, maths};
use parts::FaceRig;
use puppet::Axis;

/// Keys of `ParamAngleX`.
pub(crate) const ANGLE_X: [f64; 3] = [-45.0, 0.0, 45.0];
/// Keys of `ParamAngleY`.
pub(crate) const ANGLE_Y: [f64; 3] = [-30.0, 0.0, 30.0];

/// The axes of the nine poses.
pub(crate) fn nine_poses() -> Vec<Axis> {
    vec![Axis::new("ParamAngleX", ANGLE_X), Axis::new("ParamAngleY", ANGLE_Y)]
}

/// How far the head is turned: the saturated angles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Turn {
    /// Positive towards larger x.
    pub(crate) yaw: f64,
    /// Positive upwards.
    pub(crate) pitch: f64,
}

impl Turn {
    /// Sign of the yaw; 0 at rest.
    pub(crate) fn direction(self) -> f64 {
        if self.yaw == 0.0 { 0.0 } else { self.yaw.signum() }
    }
}

/// The face surface of one character, in head-aligned pixels.
#[derive(Clone, Debug)]
pub(crate) struct Surface {
    pub(crate) face: Rect,
    pub(crate) center: Point,
    pub(crate) radius: Point,
    pub(crate) eye_line: f64,
    pub(crate) mouth_line: f64,
    strength: f64,
    natural: bool,
}

impl Surface {
    /// From the measures and an already clamped strength.
    pub(crate) fn new(face: &FaceRig, strength: f64, natural: bool) -> Self {
        Self {
            face: face.face,
            center: face.center,
            radius: Point::new(face.radius_x.max(1.0), face.radius_y.max(1.0)),
            eye_line: face.eye_line,
            mouth_line: face.mouth_line,
            strength,
            natural,
        }
    }

    /// The turn at head angles in degrees.
    pub(crate) fn turn(&self, angle_x: f64, angle_y: f64) -> Turn {
        let saturated = |angle: f64, over: f64, limit: f64| {
            (maths::tanh(angle / over) * self.strength).clamp(-limit, limit)
        };
        Turn { yaw: saturated(angle_x, 32.0, 4.6), pitch: saturated(angle_y, 22.0, 4.4) }
    }

    /// How far the surface point at `p` moves.
    pub(crate) fn shift(&self, p: Point, turn: Turn) -> Point {
        let Turn { yaw, pitch } = turn;
        let r = self.radius;
        let (x, y) = ((p.x - self.center.x) / r.x, (p.y - self.center.y) / r.y);
        let (xs, ys) = (x.clamp(-1.0, 1.0), y.clamp(-1.2, 1.2));
        let arch_x = maths::pow((1.0 - xs * xs).max(0.0), 1.30);
        let arch_y = (1.0 - (0.72 * ys) * (0.72 * ys)).max(0.0);
        let lower = ((y + 0.15) / 1.15).clamp(0.0, 1.0);
        let corner = yaw * pitch;
        let roll = roll(xs * turn.direction());
        let dx = yaw * r.x * (0.020 + 0.112 * roll) * (0.90 + 0.10 * arch_y)
            + corner * r.x * arch_x * (0.012 + 0.018 * lower);
        let dy = -pitch * r.y * 0.018 + pitch * ys * r.y * 0.062 * (0.78 + 0.22 * arch_x)
            - pitch * arch_x * r.y * 0.040
            + corner * r.y * xs * arch_x * 0.028
            - yaw.abs() * pitch * r.y * arch_x * (0.007 + 0.008 * lower);
        let (ox, oy) = ((x.abs() - 1.0).max(0.0), (y.abs() - 1.0).max(0.0));
        let k = (1.0 - 0.62 * ox - 0.38 * oy).clamp(0.24, 1.0);
        let d = Point::new(k * dx + (1.0 - k) * yaw * r.x * 0.018, k * dy - (1.0 - k) * pitch * r.y * 0.018);
        if self.natural { self.crowned(p, d) } else { d }
    }

    /// The top of the forehead stays with the skull, so that it does not slide out from under the hair.
    fn crowned(&self, p: Point, d: Point) -> Point {
        let height = self.face.height().max(1.0);
        let free = maths::smoothstep((p.y - self.face.top - 0.03 * height) / (0.22 * height));
        Point::new(d.x * (0.2 + 0.8 * free), d.y * (0.1 + 0.9 * free))
    }
}

/// Share of the full sideways move across the face, from the near contour (-1) to the far one (1); C1 (RIG 4).
pub(crate) fn roll(x: f64) -> f64 {
    if x < -0.72 {
        maths::smoothstep((x + 1.0) / 0.28)
    } else if x <= 0.08 {
        1.0
    } else {
        1.0 - maths::smoothstep((x - 0.08) / 0.92)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn surface() -> Surface {
        let face = Rect::new(100.0, 50.0, 300.0, 310.0);
        Surface {
            face,
            center: Point::new(200.0, 170.0),
            radius: Point::new(100.0, 140.0),
            eye_line: 160.0,
            mouth_line: 240.0,
            strength: 1.0,
            natural: false,
        }
    }

    #[test]
    fn roll_is_smooth() {
        let h = 1e-5;
        for edge in [-0.72, 0.08] {
            let (left, right) = ((roll(edge) - roll(edge - h)) / h, (roll(edge + h) - roll(edge)) / h);
            assert!((left - right).abs() < 1e-2, "kink at {edge}: {left} {right}");
        }
        assert_eq!((roll(-1.0), roll(-0.3), roll(1.0)), (0.0, 1.0, 0.0));
    }

    #[test]
    fn rest_is_exact() {
        let s = surface();
        for p in [Point::new(0.0, 0.0), Point::new(210.0, 99.0), Point::new(900.0, 900.0)] {
            assert_eq!(s.shift(p, s.turn(0.0, 0.0)), Point::default());
        }
    }

    /// Turning left mirrors turning right.
    #[test]
    fn mirrors() {
        let s = surface();
        for (dx, y) in [(0.0, 100.0), (40.0, 170.0), (-99.0, 260.0), (160.0, 20.0)] {
            for (ax, ay) in [(45.0, 0.0), (20.0, 30.0), (45.0, -30.0)] {
                let right = s.shift(Point::new(200.0 + dx, y), s.turn(ax, ay));
                let left = s.shift(Point::new(200.0 - dx, y), s.turn(-ax, ay));
                assert!((right.x + left.x).abs() < 1e-9 && (right.y - left.y).abs() < 1e-9);
            }
        }
    }

    /// The numbers of RIG 4 at one hand-computed point.
    #[test]
    fn known_value() {
        let s = surface();
        let t = s.turn(45.0, 0.0);
        assert!((t.yaw - 0.886_7).abs() < 1e-4);
        let d = s.shift(s.center, t);
        assert!((d.x - t.yaw * 100.0 * 0.132).abs() < 1e-9 && d.y == 0.0);
    }
}
