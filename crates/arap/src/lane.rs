//! Numbers of several poses side by side.

use std::ops::{Add, Mul, Sub};

/// One number for each of `COUNT` poses; operations are those of `f64`, lane by lane.
pub(crate) trait Lane:
    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Mul<f64, Output = Self>
{
    /// The same numbers in single precision, for what need not be exact.
    type Short: Copy;
    /// How many.
    const COUNT: usize;
    /// All lanes zero, short.
    const NONE: Self::Short;
    /// All lanes zero.
    const ZERO: Self;
    /// All lanes 1e-300: what may be divided by.
    const TINY: Self;
    /// The number in one lane.
    fn get(&self, lane: usize) -> f64;
    /// Sets the number in one lane.
    fn set(&mut self, lane: usize, value: f64);
    /// The reciprocal of the square root.
    fn inverse_root(self) -> Self;
    /// The larger one, lane by lane.
    fn larger(self, other: Self) -> Self;
    /// Rounded to single precision.
    fn short(self) -> Self::Short;
    /// In double precision again.
    fn long(short: Self::Short) -> Self;
}

impl Lane for f64 {
    type Short = f32;
    const COUNT: usize = 1;
    const NONE: f32 = 0.0;
    const ZERO: Self = 0.0;
    const TINY: Self = 1e-300;
    #[inline(always)]
    fn get(&self, _: usize) -> f64 {
        *self
    }
    #[inline(always)]
    fn set(&mut self, _: usize, value: f64) {
        *self = value;
    }
    #[inline(always)]
    fn inverse_root(self) -> Self {
        1.0 / self.sqrt()
    }
    #[inline(always)]
    fn larger(self, other: Self) -> Self {
        if other > self { other } else { self }
    }
    #[inline(always)]
    fn short(self) -> f32 {
        self as f32
    }
    #[inline(always)]
    fn long(short: f32) -> Self {
        f64::from(short)
    }
}

/// Four numbers: one register of 256 bits, or two of 128.
#[derive(Clone, Copy)]
#[repr(C, align(32))]
pub(crate) struct Four([f64; 4]);

/// Four numbers in single precision.
#[derive(Clone, Copy)]
#[repr(C, align(16))]
pub(crate) struct FourShort([f32; 4]);

/// `N` times four numbers.
#[derive(Clone, Copy)]
pub(crate) struct Wide<const N: usize>([Four; N]);

impl Four {
    #[inline(always)]
    fn zip(self, other: Self, f: impl Fn(f64, f64) -> f64) -> Self {
        let ([a, b, c, d], [p, q, r, s]) = (self.0, other.0);
        Self([f(a, p), f(b, q), f(c, r), f(d, s)])
    }
}

impl<const N: usize> Wide<N> {
    #[inline(always)]
    fn zip(mut self, other: Self, f: impl Fn(f64, f64) -> f64) -> Self {
        for i in 0..N {
            self.0[i] = self.0[i].zip(other.0[i], &f);
        }
        self
    }
}

impl<const N: usize> Add for Wide<N> {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        self.zip(other, |a, b| a + b)
    }
}

impl<const N: usize> Sub for Wide<N> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        self.zip(other, |a, b| a - b)
    }
}

impl<const N: usize> Mul for Wide<N> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        self.zip(other, |a, b| a * b)
    }
}

impl<const N: usize> Mul<f64> for Wide<N> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, factor: f64) -> Self {
        self.zip(self, |a, _| a * factor)
    }
}

impl<const N: usize> Lane for Wide<N> {
    type Short = [FourShort; N];
    const COUNT: usize = 4 * N;
    const NONE: Self::Short = [FourShort([0.0; 4]); N];
    const ZERO: Self = Self([Four([0.0; 4]); N]);
    const TINY: Self = Self([Four([1e-300; 4]); N]);
    #[inline(always)]
    fn get(&self, lane: usize) -> f64 {
        self.0[lane / 4].0[lane % 4]
    }
    #[inline(always)]
    fn set(&mut self, lane: usize, value: f64) {
        self.0[lane / 4].0[lane % 4] = value;
    }
    #[inline(always)]
    fn inverse_root(self) -> Self {
        self.zip(self, |a, _| 1.0 / a.sqrt())
    }
    #[inline(always)]
    fn larger(self, other: Self) -> Self {
        self.zip(other, |a, b| if b > a { b } else { a })
    }
    #[inline(always)]
    fn short(self) -> Self::Short {
        let mut short = Self::NONE;
        for (short, four) in short.iter_mut().zip(self.0) {
            *short = FourShort(four.0.map(|a| a as f32));
        }
        short
    }
    #[inline(always)]
    fn long(short: Self::Short) -> Self {
        let mut long = Self::ZERO;
        for (long, short) in long.0.iter_mut().zip(short) {
            *long = Four(short.0.map(f64::from));
        }
        long
    }
}
