//! A lock of hair: two edges that meet in a tip, and how it is painted.

use geom::{Point, maths};

use crate::design::Ramp;
use crate::ink::curve::{even, join, normals, reversed, slice, smooth, smooth_points};
use crate::ink::paint::Paint;
use crate::ink::sheet::Sheet;
use crate::ink::stroke::Stroke;

/// Edges from root to tip; `left` is the viewer's left.
#[derive(Clone, Debug)]
pub(crate) struct Lock {
    left: Vec<Point>,
    right: Vec<Point>,
}

/// How a lock is painted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Look {
    /// Heights of the lightest and the darkest place.
    pub(crate) light: (f64, f64),
    /// Fractions of the length where the lines of the left and the right edge start; 1 draws none.
    pub(crate) lines: (f64, f64),
    /// Fractions of the length between which the shine lies; equal for none.
    pub(crate) shine: (f64, f64),
    /// Number of inner strands.
    pub(crate) strands: usize,
    /// Darkened as a whole: hair at the back.
    pub(crate) back: bool,
    /// Fraction of the length where the shaded side starts.
    pub(crate) shade: f64,
    /// Line width in units.
    pub(crate) width: f64,
}

impl Look {
    /// Hair in front.
    pub(crate) const FRONT: Self = Self {
        light: (0.0, 110.0),
        lines: (0.5, 0.5),
        shine: (0.34, 0.5),
        strands: 2,
        back: false,
        shade: 0.3,
        width: 1.1,
    };
    /// Hair behind.
    pub(crate) const BACK: Self = Self {
        light: (40.0, 230.0),
        lines: (0.35, 0.35),
        shine: (0.0, 0.0),
        strands: 3,
        back: true,
        shade: 0.3,
        width: 1.1,
    };
}

const N: usize = 64;

impl Lock {
    /// From two edges through points; both should end at the tip.
    pub(crate) fn between(left: &[(f64, f64)], right: &[(f64, f64)]) -> Self {
        Self { left: even(&smooth(left), N), right: even(&smooth(right), N) }
    }
    /// Along a spine, `width` wide at its widest place `belly` (fraction), `root` of it at the start, pointed at the end.
    pub(crate) fn along(spine: &[(f64, f64)], width: f64, root: f64, belly: f64) -> Self {
        let spine = even(&smooth(spine), N);
        let normals = normals(&spine);
        let half = |i: usize| {
            let t = i as f64 / N as f64;
            let grow = root + (1.0 - root) * maths::smoothstep(t / belly);
            let fall = 1.0 - maths::pow(((t - belly) / (1.0 - belly)).max(0.0), 1.9);
            0.5 * width * grow.min(fall.max(0.0))
        };
        // Normals point to the viewer's right for a spine that runs down.
        let side = |s: f64| (0..=N).map(|i| spine[i] + normals[i] * (s * half(i))).collect::<Vec<_>>();
        Self { left: side(-1.0), right: side(1.0) }
    }
    /// Reflected at the middle.
    pub(crate) fn mirrored(&self) -> Self {
        let flip = |run: &[Point]| run.iter().map(|p| Point::new(-p.x, p.y)).collect();
        Self { left: flip(&self.right), right: flip(&self.left) }
    }
    /// The closed outline.
    pub(crate) fn outline(&self) -> Vec<Point> {
        join(&[self.left.clone(), reversed(&self.right)])
    }
    /// The line at `f` from the left (0) to the right (1) edge, between two fractions of the length.
    fn inner(&self, f: f64, from: f64, to: f64) -> Vec<Point> {
        let whole: Vec<Point> = (0..=N).map(|i| self.left[i].lerp(self.right[i], f)).collect();
        slice(&whole, from, to)
    }
    fn at(&self, f: f64, t: f64) -> Point {
        let x = (t * N as f64).clamp(0.0, N as f64);
        let i = (x as usize).min(N - 1);
        let edge = |run: &[Point]| run[i].lerp(run[i + 1], x - i as f64);
        edge(&self.left).lerp(edge(&self.right), f)
    }
    /// Paints it.
    pub(crate) fn paint(&self, sheet: &mut Sheet, ramp: &Ramp, look: Look) {
        let mask = sheet.mask(&self.outline());
        let (base, light, shade, deep) = if look.back {
            (ramp.shade, ramp.base, ramp.deep, ramp.deep.mix(ramp.line, 0.35))
        } else {
            (ramp.base, ramp.light, ramp.shade, ramp.deep)
        };
        sheet.fill(
            &mask,
            Paint::vertical(
                look.light.0,
                look.light.1,
                &[(0.0, light), (0.45, base), (1.0, base.mix(shade, 0.7))],
            ),
        );
        // The side away from the light, a pointed band.
        let band: Vec<Point> = (0..=N)
            .map(|i| {
                let t = look.shade + (1.0 - look.shade) * i as f64 / N as f64;
                let u = i as f64 / N as f64;
                self.at(1.0 - 0.46 * maths::smoothstep(u * 1.6), t)
            })
            .collect();
        let edge: Vec<Point> =
            (0..=N).map(|i| self.at(1.0, look.shade + (1.0 - look.shade) * i as f64 / N as f64)).collect();
        let band = sheet.mask(&join(&[band, reversed(&edge)]));
        sheet.fill_in(&mask, &band, shade);
        if ramp.tip.a > 0.0 {
            let tip = if look.back { ramp.tip.mix(shade.alpha(ramp.tip.a), 0.4) } else { ramp.tip };
            let stops = vec![(0.0, tip.alpha(0.0)), (0.5, tip.alpha(tip.a * 0.55)), (1.0, tip)];
            let fade = Paint::Linear(self.at(0.5, 0.45), self.at(0.5, 1.0), stops);
            sheet.fill_in(&mask, &mask, fade);
        }
        for k in 0..look.strands {
            let f = (k as f64 + 1.0) / (look.strands as f64 + 1.0);
            let (from, to) =
                (0.22 + 0.18 * ((k * 7 % 5) as f64 / 5.0), 0.96 - 0.10 * ((k * 3 % 4) as f64 / 4.0));
            let strand = self.inner(f, from, to);
            let color = if k % 2 == 0 { deep.alpha(0.75) } else { shade };
            sheet.ink_in(&mask, &Stroke::tapered(&strand, look.width * 0.8, (0.02, 0.1)), color);
        }
        if look.shine.1 > look.shine.0 {
            self.shine(sheet, &mask, ramp, look.shine);
        }
        let line = |run: &[Point], from: f64| {
            Stroke::profiled(&slice(run, from, 1.0), |t| {
                look.width
                    * (0.12 + 0.88 * maths::smoothstep(t * 2.2))
                    * (0.55 + 0.45 * maths::smoothstep((1.0 - t) * 6.0))
            })
        };
        if look.lines.0 < 1.0 {
            sheet.ink(&line(&self.left, look.lines.0), ramp.line);
        }
        if look.lines.1 < 1.0 {
            sheet.ink(&line(&self.right, look.lines.1), ramp.line);
        }
    }
    /// A band of light with a toothed lower and upper edge.
    fn shine(&self, sheet: &mut Sheet, mask: &crate::ink::mask::Mask, ramp: &Ramp, (from, to): (f64, f64)) {
        let teeth = 4;
        let (mid, half) = ((from + to) * 0.5, (to - from) * 0.5);
        let edge = |sign: f64| -> Vec<Point> {
            (0..=teeth * 2)
                .map(|i| {
                    let f = 0.06 + 0.80 * i as f64 / (teeth * 2) as f64;
                    let bow = 1.0 - (2.0 * f - 1.0) * (2.0 * f - 1.0);
                    let reach = if i % 2 == 0 { 0.25 } else { 1.0 };
                    self.at(f, mid + sign * half * reach * (0.35 + 0.65 * bow))
                })
                .collect()
        };
        let band = join(&[smooth_points(&edge(-1.0)), reversed(&smooth_points(&edge(1.0)))]);
        let band = sheet.soft(&band, 0.15);
        sheet.fill_in(mask, &band, ramp.shine.alpha(0.85));
    }
}
