//! Transcendental functions with the same bits on every machine (the `libm` crate, pinned).
//!
//! `sqrt`, `abs`, `floor`, `ceil`, `round`, `trunc`, `min`, `max` and the four operations of std are exact and may be
//! used directly; everything else goes through here (`clippy.toml` bans the rest).

/// Sine of an angle in radians.
pub fn sin(x: f64) -> f64 {
    libm::sin(x)
}
/// Cosine of an angle in radians.
pub fn cos(x: f64) -> f64 {
    libm::cos(x)
}
/// Tangent of an angle in radians.
pub fn tan(x: f64) -> f64 {
    libm::tan(x)
}
/// Hyperbolic tangent.
pub fn tanh(x: f64) -> f64 {
    libm::tanh(x)
}
/// `e` to the power of `x`.
pub fn exp(x: f64) -> f64 {
    libm::exp(x)
}
/// Natural logarithm.
pub fn ln(x: f64) -> f64 {
    libm::log(x)
}
/// `x` to the power of `y`.
pub fn pow(x: f64, y: f64) -> f64 {
    libm::pow(x, y)
}
/// Angle of the vector `(x, y)` in radians, in `(-pi, pi]`.
pub fn atan2(y: f64, x: f64) -> f64 {
    libm::atan2(y, x)
}
/// Arc sine in radians.
pub fn asin(x: f64) -> f64 {
    libm::asin(x)
}
/// Arc cosine in radians.
pub fn acos(x: f64) -> f64 {
    libm::acos(x)
}
/// Length of the vector `(x, y)`; exact operations only, may overflow for lengths beyond 1e154.
pub fn hypot(x: f64, y: f64) -> f64 {
    (x * x + y * y).sqrt()
}
/// Smoothstep `t^2 (3 - 2t)` with `t` clamped to 0..=1: the `S(t)` of the rig formulas.
pub fn smoothstep(t: f64) -> f64 {
    let t = t.clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}
/// Linear blend from `a` (t = 0) to `b` (t = 1), not clamped.
pub fn lerp(a: f64, b: f64, t: f64) -> f64 {
    a + (b - a) * t
}
