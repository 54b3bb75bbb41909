//! Secondary correction of the features on the turning face (RIG 5).

use geom::{Point, Rect, maths};
use parts::SidedRegion;

use crate::face_surface::{Surface, Turn};

/// A feature with a warp of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Feature {
    Eye,
    Iris,
    Brow,
    Nose,
    Mouth,
    Ear,
}

/// Which half of the face a region lies on.
fn side_sign(surface: &Surface, region: Rect, px: f64) -> f64 {
    let margin = 0.025 * surface.radius.x;
    if px < surface.center.x - margin {
        -1.0
    } else if px > surface.center.x + margin || region.center().x >= surface.center.x {
        1.0
    } else {
        -1.0
    }
}

/// Offset in pixels of the lattice point `(u, v)` of a feature's warp, on top of the face surface.
pub(crate) fn offset(
    feature: Feature,
    surface: &Surface,
    region: Rect,
    (u, v): (f64, f64),
    turn: Turn,
) -> Point {
    let Turn { yaw, pitch } = turn;
    let d = turn.direction();
    let y = yaw.abs();
    let (w, h) = (region.width(), region.height());
    let px = region.left + u * w;
    let far = d != 0.0 && side_sign(surface, region, px) * d > 0.0;
    let cu = 2.0 * (u - 0.5);
    let a = (1.0 - cu * cu).max(0.0);
    let rx = surface.radius.x;
    let slope = yaw * pitch * 0.050;
    let tilt = |dx: f64| slope * ((px + dx) - surface.center.x);
    match feature {
        Feature::Eye => {
            let bend = maths::pow(y, 1.35);
            let ws = if far { 1.0 - 0.085 * bend } else { 1.0 + 0.012 * bend };
            let dx = d * y * rx * 0.020 + (u - 0.5) * w * (ws - 1.0);
            let dy = tilt(dx) - pitch * h * (0.080 + 0.030 * a) + pitch * (v - 0.5) * h * 0.070;
            Point::new(dx, dy)
        }
        Feature::Brow => {
            let bs = if far { 1.0 - 0.105 * y } else { 1.0 + 0.018 * y };
            let dx = d * y * rx * 0.018 + (u - 0.5) * w * (bs - 1.0);
            Point::new(dx, tilt(dx) - pitch * h * (0.105 - 0.025 * a))
        }
        Feature::Iris => {
            let widen = if far { 0.050 * y } else { 0.010 * y };
            Point::new((u - 0.5) * w * widen - d * w * y * 0.055, -pitch * h * 0.035)
        }
        Feature::Nose => {
            let dx = d * y * rx * 0.105 * (0.58 + 0.52 * v)
                + d * y * w * a * (v - 0.28) * 0.055
                + yaw * pitch * rx * (0.018 + 0.014 * v);
            let dy = -pitch * h * (0.10 + 0.19 * v) + y * y * h * a * 0.045 - y * pitch * h * v * 0.055;
            Point::new(dx, dy)
        }
        Feature::Mouth => {
            let edge = maths::pow(cu.abs(), 1.35);
            let dx = d * y * rx * 0.058
                - d * y * w * edge * (0.035 + 0.085 * ((cu * d + 1.0) / 2.0).clamp(0.0, 1.0))
                + yaw * pitch * w * (0.028 + 0.018 * cu);
            let dy = tilt(dx) + a * h * y * 0.060 - pitch * h * (0.13 + 0.12 * v) - y * pitch * a * h * 0.075;
            Point::new(dx, dy)
        }
        Feature::Ear => {
            let es = if far { 1.0 - 0.28 * y } else { 1.0 + 0.025 * y };
            let dx = -d * y * rx * 0.035 + (u - 0.5) * w * (es - 1.0);
            Point::new(dx, -pitch * h * 0.055 + yaw * pitch * cu * h * 0.022)
        }
    }
}

/// Straightens a row of paired features (eyes, brows): takes the shear of the surface out of each region and gives it
/// the slope of the line through both, so that each stays parallel to that line (RIG 5, mended).
#[derive(Clone, Copy, Debug)]
pub(crate) struct PairLine {
    left: Point,
    right: Point,
}

impl PairLine {
    /// Of the left and the right region's centres; `None` for a single region.
    pub(crate) fn of(regions: &[SidedRegion]) -> Option<Self> {
        let sided: Vec<Point> = regions.iter().filter(|r| r.side.is_some()).map(|r| r.raw.center()).collect();
        let [a, b] = sided[..] else { return None };
        let (right, left) = if a.x < b.x { (a, b) } else { (b, a) };
        (left.x - right.x > 1.0).then_some(Self { left, right })
    }

    /// What to add to the offset's y at `p` of the region centred at `center`.
    pub(crate) fn correction(&self, surface: &Surface, center: Point, p: Point, turn: Turn) -> f64 {
        let fy = |q: Point| surface.shift(q, turn).y;
        let slope = (fy(self.left) - fy(self.right)) / (self.left.x - self.right.x);
        fy(Point::new(center.x, p.y)) + slope * (p.x - center.x) - fy(p)
    }
}

/// Opacity of an ear at a yaw (RIG 5): the far one fades.
pub(crate) fn ear_opacity(surface: &Surface, region: Rect, turn: Turn) -> f64 {
    let x = region.center().x - surface.center.x;
    if x.abs() < 0.08 * surface.radius.x || x * turn.direction() <= 0.0 {
        return 1.0;
    }
    (1.0 - 0.48 * turn.yaw.abs()).clamp(0.0, 1.0)
}
