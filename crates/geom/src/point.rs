//! A point or vector.

use std::ops::{Add, Mul, Neg, Sub};

use serde::{Deserialize, Serialize};

/// A point or vector; its space (canvas, parent frame, page) is told where it is used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Point {
    /// To the right.
    pub x: f64,
    /// Downwards.
    pub y: f64,
}

/// Builds points tersely: `Point::new(1.0, 2.0)`.
impl Point {
    /// A point from its coordinates.
    pub const fn new(x: f64, y: f64) -> Self {
        Self { x, y }
    }
    /// Euclidean length as a vector.
    pub fn length(self) -> f64 {
        crate::maths::hypot(self.x, self.y)
    }
    /// Distance to another point.
    pub fn distance(self, other: Self) -> f64 {
        (self - other).length()
    }
    /// Dot product.
    pub fn dot(self, other: Self) -> f64 {
        self.x * other.x + self.y * other.y
    }
    /// z of the cross product: positive when `other` is clockwise of `self` on screen (y down).
    pub fn cross(self, other: Self) -> f64 {
        self.x * other.y - self.y * other.x
    }
    /// The blend `self + (other - self) * t`.
    pub fn lerp(self, other: Self, t: f64) -> Self {
        self + (other - self) * t
    }
    /// Turned by `radians` about `pivot`, clockwise on screen.
    pub fn rotated(self, pivot: Self, radians: f64) -> Self {
        let (s, c) = (crate::maths::sin(radians), crate::maths::cos(radians));
        let d = self - pivot;
        Self::new(pivot.x + c * d.x - s * d.y, pivot.y + s * d.x + c * d.y)
    }
    /// Both coordinates are finite.
    pub fn is_finite(self) -> bool {
        self.x.is_finite() && self.y.is_finite()
    }
}

impl Add for Point {
    type Output = Self;
    fn add(self, o: Self) -> Self {
        Self::new(self.x + o.x, self.y + o.y)
    }
}
impl Sub for Point {
    type Output = Self;
    fn sub(self, o: Self) -> Self {
        Self::new(self.x - o.x, self.y - o.y)
    }
}
impl Mul<f64> for Point {
    type Output = Self;
    fn mul(self, k: f64) -> Self {
        Self::new(self.x * k, self.y * k)
    }
}
impl Neg for Point {
    type Output = Self;
    fn neg(self) -> Self {
        Self::new(-self.x, -self.y)
    }
}
