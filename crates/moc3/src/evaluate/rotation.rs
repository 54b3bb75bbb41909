//! Mapping through a turned frame (MOC3_FORMAT 7.7).

use std::f64::consts::{PI, TAU};

/// A posed rotation: a linear map and the pivot.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct RotationMap {
    x: [f64; 2],
    y: [f64; 2],
    origin: [f64; 2],
}

impl RotationMap {
    /// `angle` in radians; `scale` with that of the parents.
    pub(super) fn new(origin: [f64; 2], angle: f64, scale: f64, reflect_x: bool, reflect_y: bool) -> Self {
        let (sin, cos) = (libm::sin(angle) * scale, libm::cos(angle) * scale);
        let fx = if reflect_x { -1.0 } else { 1.0 };
        let fy = if reflect_y { -1.0 } else { 1.0 };
        Self { x: [fx * cos, fx * sin], y: [-fy * sin, fy * cos], origin }
    }
    /// Maps an offset from the pivot.
    pub(super) fn map(&self, [x, y]: [f64; 2]) -> [f64; 2] {
        [self.origin[0] + self.x[0] * x + self.y[0] * y, self.origin[1] + self.x[1] * x + self.y[1] * y]
    }
}

/// Steps of the probe until a parent counts as collapsed.
const TRIES: usize = 10;
/// Below this a probe has no direction.
const COLLAPSED: f64 = 1e-12;

/// The angle that a rotation at `pivot` takes over from its parent: where "up" goes, in radians.
///
/// `step` is the first length of the probe in the parent's space.
pub(super) fn inherited_angle(map: impl Fn([f64; 2]) -> [f64; 2], pivot: [f64; 2], mut step: f64) -> f64 {
    let [x, y] = map(pivot);
    for _ in 0..TRIES {
        let above = map([pivot[0], pivot[1] - step]);
        let below = map([pivot[0], pivot[1] + step]);
        for direction in [[above[0] - x, above[1] - y], [x - below[0], y - below[1]]] {
            if direction.iter().any(|length| length.abs() > COLLAPSED) {
                return wrap(libm::atan2(direction[1], direction[0]) + PI / 2.0);
            }
        }
        step *= 0.1;
    }
    0.0
}

/// Into `[-pi, pi]`.
fn wrap(angle: f64) -> f64 {
    if angle > PI {
        angle - TAU
    } else if angle < -PI {
        angle + TAU
    } else {
        angle
    }
}
