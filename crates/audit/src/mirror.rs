//! Opposite keys give mirrored warps (RIG 11, item 3).

use moc3::model::{Deformer, DeformerKind, Model, Warp};

use crate::{Audit, Worst};

/// Which measure of a warp must be equal for opposite keys of a parameter.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Measure {
    /// |x last - x first| of every row of control points.
    RowWidth,
    /// |y bottom - y top| of every column.
    ColumnHeight,
}

/// (id, or start of it; parameter; measure; the neutral key must give it too).
const RULES: &[(&str, &str, Measure, bool)] = &[
    ("DeformBodyXY", "ParamBodyAngleX", Measure::RowWidth, true),
    ("DeformBodyXY", "ParamBodyAngleY", Measure::ColumnHeight, true),
    ("DeformBodyZBreath", "ParamBodyAngleZ", Measure::RowWidth, true),
    ("DeformHeadContainer", "ParamAngleX", Measure::RowWidth, true),
    ("DeformHeadContainer", "ParamAngleY", Measure::ColumnHeight, true),
    ("DeformEyeGaze", "ParamEyeBallX", Measure::RowWidth, true),
    ("DeformEyeGaze", "ParamEyeBallY", Measure::ColumnHeight, true),
    ("DeformHairFrontPhysics", "ParamHairFront", Measure::RowWidth, true),
    ("DeformHairFrontPhysics", "ParamHairFront", Measure::ColumnHeight, false),
    ("DeformHairBackPhysics", "ParamHairBack", Measure::RowWidth, true),
    ("DeformHairBackPhysics", "ParamHairBack", Measure::ColumnHeight, false),
];

/// Tolerance as a share of max(1, |a|, |b|).
const TOLERANCE: f64 = 2e-4;

/// Worst difference as a multiple of the tolerance; passes up to 1. The face surface, feature warps and hair that
/// follows the face are left out: their asymmetry is intended.
pub(crate) fn symmetry(model: &Model) -> Audit {
    let mut worst = Worst::default();
    for deformer in &model.deformers {
        let DeformerKind::Warp(warp) = &deformer.kind else { continue };
        for (_, parameter, measure, neutral) in RULES.iter().filter(|r| deformer.id.starts_with(r.0)) {
            check(&mut worst, model, deformer, warp, (parameter, *measure, *neutral));
        }
    }
    worst.verdict("mirror-symmetry", 1.0)
}

fn check(
    worst: &mut Worst,
    model: &Model,
    deformer: &Deformer,
    warp: &Warp,
    (parameter, measure, neutral): (&str, Measure, bool),
) {
    let mut stride = 1;
    for axis in &deformer.axes {
        let count = axis.keys.len();
        if model.parameters.get(axis.parameter).is_some_and(|p| p.id == parameter) {
            let of = |value: f32| axis.keys.iter().position(|k| *k == value);
            for (low, key) in axis.keys.iter().enumerate().filter(|(_, k)| **k < 0.0) {
                let Some(high) = of(-key) else { continue };
                let others = if neutral { of(0.0) } else { None };
                for cell in (0..warp.keyforms.len()).filter(|cell| cell / stride % count == low) {
                    for other in [Some(high), others].into_iter().flatten() {
                        let mirrored = cell - low * stride + other * stride;
                        let place = || format!("{} along {parameter} {key}", deformer.id);
                        compare(worst, warp, measure, [cell, mirrored], place);
                    }
                }
            }
        }
        stride *= count;
    }
}

fn compare(worst: &mut Worst, warp: &Warp, measure: Measure, cells: [usize; 2], place: impl Fn() -> String) {
    let [Some(a), Some(b)] = cells.map(|c| warp.keyforms.get(c)) else { return };
    let columns = warp.columns + 1;
    let lines = if measure == Measure::RowWidth { warp.rows + 1 } else { columns };
    for line in 0..lines {
        let of = |points: &[[f32; 2]]| match measure {
            Measure::RowWidth => {
                extent(points.get(line * columns), points.get(line * columns + columns - 1), 0)
            }
            Measure::ColumnHeight => extent(points.get(line), points.get(warp.rows * columns + line), 1),
        };
        let (a, b) = (of(&a.positions), of(&b.positions));
        worst.see((a - b).abs() / (TOLERANCE * a.abs().max(b.abs()).max(1.0)), &place);
    }
}

fn extent(first: Option<&[f32; 2]>, last: Option<&[f32; 2]>, axis: usize) -> f64 {
    match (first, last) {
        (Some(first), Some(last)) => (f64::from(last[axis]) - f64::from(first[axis])).abs(),
        _ => 0.0,
    }
}
