//! Affine maps of the plane.

use serde::{Deserialize, Serialize};

use crate::Point;

/// `x' = a x + b y + tx`, `y' = c x + d y + ty`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Affine {
    /// x from x.
    pub a: f64,
    /// x from y.
    pub b: f64,
    /// y from x.
    pub c: f64,
    /// y from y.
    pub d: f64,
    /// x offset.
    pub tx: f64,
    /// y offset.
    pub ty: f64,
}

impl Affine {
    /// The map that changes nothing.
    pub const IDENTITY: Self = Self { a: 1.0, b: 0.0, c: 0.0, d: 1.0, tx: 0.0, ty: 0.0 };

    /// Rotation by `radians` about `pivot`, clockwise on screen.
    pub fn rotation_about(pivot: Point, radians: f64) -> Self {
        let (s, c) = (crate::maths::sin(radians), crate::maths::cos(radians));
        Self {
            a: c,
            b: -s,
            c: s,
            d: c,
            tx: pivot.x - c * pivot.x + s * pivot.y,
            ty: pivot.y - s * pivot.x - c * pivot.y,
        }
    }
    /// The image of a point.
    pub fn apply(&self, p: Point) -> Point {
        Point::new(self.a * p.x + self.b * p.y + self.tx, self.c * p.x + self.d * p.y + self.ty)
    }
    /// The inverse map; `None` when the determinant is zero or not finite.
    pub fn inverse(&self) -> Option<Self> {
        let det = self.a * self.d - self.b * self.c;
        if det == 0.0 || !det.is_finite() {
            return None;
        }
        let (a, b, c, d) = (self.d / det, -self.b / det, -self.c / det, self.a / det);
        Some(Self { a, b, c, d, tx: -(a * self.tx + b * self.ty), ty: -(c * self.tx + d * self.ty) })
    }
}
