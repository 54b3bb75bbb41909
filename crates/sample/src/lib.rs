//! Original layered characters drawn from a seed.
