//! Vectors of the framework, y down.

use std::f32::consts::{PI, TAU};
use std::ops::{Add, Div, Mul, Sub};

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Vector {
    pub(super) x: f32,
    pub(super) y: f32,
}

impl Vector {
    /// Straight down.
    pub(super) const DOWN: Self = Self { x: 0.0, y: 1.0 };

    /// Down, turned by an angle in radians.
    pub(super) fn towards(angle: f32) -> Self {
        Self { x: libm::sinf(angle), y: libm::cosf(angle) }
    }
    /// Turned as the framework does it: the new y uses the new x.
    pub(super) fn rotated_with_new_x(self, angle: f32) -> Self {
        let (sin, cos) = (libm::sinf(angle), libm::cosf(angle));
        let x = cos * self.x - self.y * sin;
        Self { x, y: sin * x + self.y * cos }
    }
    /// The same direction with length 1; zero stays zero.
    pub(super) fn normalised(self) -> Self {
        let length = (self.x * self.x + self.y * self.y).sqrt();
        if length > 0.0 { self / length } else { self }
    }
    /// The angle to `other` in radians, within -pi to pi.
    pub(super) fn angle_to(self, other: Self) -> f32 {
        let angle = libm::atan2f(other.y, other.x) - libm::atan2f(self.y, self.x);
        if angle < -PI {
            angle + TAU
        } else if angle > PI {
            angle - TAU
        } else {
            angle
        }
    }
}

impl Add for Vector {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self { x: self.x + other.x, y: self.y + other.y }
    }
}

impl Sub for Vector {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self { x: self.x - other.x, y: self.y - other.y }
    }
}

impl Mul<f32> for Vector {
    type Output = Self;
    fn mul(self, factor: f32) -> Self {
        Self { x: self.x * factor, y: self.y * factor }
    }
}

impl Div<f32> for Vector {
    type Output = Self;
    fn div(self, divisor: f32) -> Self {
        Self { x: self.x / divisor, y: self.y / divisor }
    }
}
