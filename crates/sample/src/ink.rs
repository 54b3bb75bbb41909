//! A small vector painter: outlines to exact area coverage, coverage and paint to pixels.
//!
//! Everything is sequential arithmetic on `f32` and `f64`, so the pixels do not depend on the machine.

pub(crate) mod color;
pub(crate) mod curve;
pub(crate) mod mask;
pub(crate) mod paint;
pub(crate) mod sheet;
pub(crate) mod stroke;
