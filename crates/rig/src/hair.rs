//! Hair: following the skull (RIG 7 as mended by RIG_PRACTICE 4 and 5) and swinging.

use geom::{Point, Rect, maths};

use crate::face_surface::{Surface, Turn};

/// Front or back hair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Layering {
    Front,
    Back,
}

/// Keys of `ParamAngleZ` on the follow warps.
pub(crate) const ANGLE_Z: [f64; 3] = [-30.0, 0.0, 30.0];
/// Share of the head's tilt that hanging hair undoes.
const HANG: f64 = 0.75;

/// Frame of a natural follow warp: the hair and what hangs with it, down to where the follow has faded out.
pub(crate) fn follow_frame(surface: &Surface, hung: Rect) -> Rect {
    Rect { bottom: hung.bottom.max(surface.center.y + 0.95 * surface.face.height()), ..hung }
}

/// Rows of a natural follow warp: fine enough for the bend of hanging hair.
pub(crate) fn follow_rows(surface: &Surface, frame: Rect) -> usize {
    ((frame.height() / (0.16 * surface.face.height()).max(1.0)).ceil() as usize).clamp(7, 16)
}

/// Sideways parallax of back hair in radii of the face.
const PARALLAX: f64 = 0.045;

/// Where the point `p` of the hair goes at a turn and a tilt of the head in degrees (natural). `hair` is the frame of
/// this hair, whose contour stays; `carried` is how far the head's container carries the point.
pub(crate) fn follow(
    kind: Kind,
    surface: &Surface,
    hair: Rect,
    p: Point,
    turn: Turn,
    tilt: f64,
    carried: Point,
) -> Point {
    let hung = match kind {
        Kind::Back(rest) => rest.apply(p, tilt, carried),
        Kind::Front => hang(surface, p, tilt),
    };
    hung + shift(kind, surface, hair, p, turn)
}

/// How hair follows.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Kind {
    /// Like front hair: also back hair that ends where the front hair does, since their outlines would part.
    Front,
    /// Lying on the back.
    Back(Rest),
}

/// Hair that lies on the back: the further down, the less it follows the head's tilt, until it stays. Hanging like a
/// strand it would lift off the shoulders and show what was never drawn.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rest {
    /// The head's pivot.
    pub(crate) pivot: Point,
    /// y where it begins.
    from: f64,
    range: f64,
}

impl Rest {
    /// For hair in a frame, head-aligned; `shoulder` is the y where the shoulders begin. Wide hair needs a longer way, else it
    /// would fold on the side to which the head tilts.
    pub(crate) fn new(surface: &Surface, hair: Rect, pivot: Point, shoulder: f64) -> Self {
        let from = surface.face.bottom - 0.55 * surface.face.height();
        let half = (pivot.x - hair.left).max(hair.right - pivot.x).max(1.0);
        Self { pivot, from, range: (shoulder - from).max(0.95 * half) }
    }

    fn apply(&self, p: Point, tilt: f64, carried: Point) -> Point {
        let share = maths::smoothstep((p.y - self.from) / self.range);
        p.rotated(self.pivot, (-tilt * share).to_radians()) - carried * share
    }
}

fn shift(kind: Kind, surface: &Surface, hair: Rect, p: Point, turn: Turn) -> Point {
    let height = surface.face.height().max(1.0);
    match kind {
        Kind::Back(_) => {
            let fade = maths::smoothstep((p.y - surface.eye_line) / height);
            Point::new(-turn.yaw * surface.radius.x * PARALLAX * fade, 0.0)
        }
        Kind::Front => {
            let top = hair.top.max(surface.face.top - 0.35 * height);
            // The crown's contour is round: its half width shrinks towards the top.
            let up = ((surface.eye_line - p.y) / (surface.eye_line - top).max(1.0)).clamp(0.0, 1.0);
            // (The frame is wider than the hair.)
            let half = (0.93 * hair.width() / 2.0).max(1.0) * (1.0 - up * up).sqrt().max(0.25);
            let xs = ((p.x - hair.center().x) / half).clamp(-1.0, 1.0);
            let grow = (1.0 - xs * xs) * maths::smoothstep((p.y - top) / (0.45 * height));
            let face = surface.shift(Point::new(p.x, p.y.min(surface.center.y)), turn);
            let below = 1.0 - maths::smoothstep((p.y - surface.center.y) / (0.9 * height));
            Point::new(face.x * grow, face.y * grow * below)
        }
    }
}

/// Hair below the cheeks hangs on while the head tilts: every point turns back about the point above it.
fn hang(surface: &Surface, p: Point, tilt: f64) -> Point {
    let height = surface.face.height().max(1.0);
    let y0 = surface.face.bottom - 0.25 * height;
    let share = maths::smoothstep((p.y - y0) / (0.6 * height));
    p.rotated(Point::new(p.x, y0), (-HANG * tilt * share).to_radians())
}

/// The follow of the classic profile, as fractions of the head frame (RIG 7).
pub(crate) fn classic_follow(layering: Layering, v: f64, angle_x: f64, angle_y: f64) -> Point {
    let (yaw, pitch) = match layering {
        Layering::Front => (0.014, -0.006),
        Layering::Back => (-0.018, 0.004),
    };
    Point::new(
        angle_x / 45.0 * yaw * (0.62 + 0.38 * v),
        angle_y / 30.0 * pitch * (0.78 + 0.22 * maths::sin(std::f64::consts::PI * v)),
    )
}

/// Local position of the lattice point `(u, v)` of a physics warp at `swing` in -1..=1 (RIG 7): the root row is fixed.
pub(crate) fn swing(layering: Layering, frame: Rect, (u, v): (f64, f64), swing: f64) -> Point {
    let (sway, curl) = match layering {
        Layering::Front => (0.12, 0.030),
        Layering::Back => (0.10, 0.025),
    };
    let (w, h) = (frame.width().max(1e-4), frame.height().max(1e-4));
    let small = w.min(h);
    let cube = v * v * v;
    Point::new(u + swing * sway * small / w * cube, v - swing * swing * curl * small / h * cube)
}

/// Where a point of the bangs goes at `swing` (natural): the crown and the contour beside it stay, the tips at the eyes
/// move most, and longer hair below goes with them.
pub(crate) fn swing_bangs(surface: &Surface, frame: Rect, p: Point, swing: f64) -> Point {
    let reach = (surface.eye_line - frame.top).max(0.3 * frame.height()).max(1.0);
    let t = ((p.y - frame.top) / reach).clamp(0.0, 1.2);
    let xs = ((p.x - frame.center().x) / (0.5 * frame.width()).max(1.0)).clamp(-1.0, 1.0);
    let by = (0.045 * surface.face.width()).min(0.06 * frame.width());
    let share = t * t * (1.0 - xs * xs);
    Point::new(p.x + swing * by * share, p.y - swing * swing * 0.12 * by * share)
}

/// Where a point of the back hair goes (natural): as wide as RIG 7 has it, hair on the back bares what was never drawn
/// beside the neck. `tip` moves the lower half of long hair.
pub(crate) fn swing_back(frame: Rect, p: Point, swing: f64, tip: f64) -> Point {
    let v = ((p.y - frame.top) / frame.height().max(1e-4)).clamp(0.0, 1.0);
    let small = frame.width().min(frame.height());
    let low = maths::smoothstep((v - 0.45) / 0.55) * v;
    let dx = small * (0.07 * swing * v * v * v + 0.04 * tip * low);
    let dy = small * v * (0.006 * swing * swing * v * v * v + 0.006 * tip * tip * low);
    Point::new(p.x + dx, p.y - dy)
}

/// Back hair so long that its tips swing by themselves.
pub(crate) fn has_tip(surface: &Surface, frame: Rect) -> bool {
    frame.height() > 2.2 * surface.face.height()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roots_are_fixed() {
        let frame = Rect::new(0.0, 0.0, 80.0, 200.0);
        for s in [-1.0, 0.3, 1.0] {
            for layering in [Layering::Front, Layering::Back] {
                for u in [0.0, 0.4, 1.0] {
                    assert_eq!(swing(layering, frame, (u, 0.0), s), Point::new(u, 0.0));
                }
                let (a, b) = (swing(layering, frame, (0.0, 1.0), s), swing(layering, frame, (1.0, 1.0), s));
                assert!((b.x - a.x - 1.0).abs() < 1e-12, "row widths are constant");
                assert!(a.y <= 1.0, "tips lift");
            }
        }
        assert!((swing(Layering::Front, frame, (0.0, 1.0), 1.0).x - 0.12).abs() < 1e-12);
    }
}
