//! The neutral pose and the extreme head poses (RIG 11, items 1 and 2).

use std::collections::BTreeMap;

use geom::{Point, Rect};
use moc3::evaluate::{DrawableFrame, Evaluator, Frame, Pose};
use moc3::model::Model;

use crate::{Audit, Expected, Worst};

/// Share of the larger side by which a neutral box may be off before it is a mismatch.
const NEUTRAL_LIMIT: f64 = 0.5;
/// Opacity above which a drawable is seen.
const SEEN: f32 = 1e-3;
/// What is below this many px is never a mismatch.
const NEUTRAL_FLOOR: f64 = 5.0;

/// Evaluated boxes against the art's, as a share of the larger side: passes up to 0.5 or 5 px. Mouths are compared in
/// the better of their closed and open pose: art drawn open rests closed.
pub(crate) fn neutral(evaluator: &Evaluator, expected: &[Expected]) -> Audit {
    let model = evaluator.model();
    let rest = evaluator.evaluate(&Pose::rest(model));
    let open = evaluator.evaluate(&posed(model, &[("ParamMouthOpenY", f32::MAX)]));
    let art: BTreeMap<&str, Rect> = expected.iter().map(|e| (e.drawable.as_str(), e.rect)).collect();
    let mut worst = Worst::default();
    for (index, drawable) in model.drawables.iter().enumerate() {
        if drawable.indices.is_empty() || rest.drawables[index].opacity <= SEEN {
            continue;
        }
        let Some(rect) = pixel_box(model, &rest.drawables[index]) else {
            worst.see(f64::NAN, || format!("{} is not finite at rest", drawable.id));
            continue;
        };
        if rect.width() <= 1e-3 || rect.height() <= 1e-3 {
            worst.see(1.0, || format!("{} has no extent at rest", drawable.id));
        }
        let Some(target) = art.get(drawable.id.as_str()) else { continue };
        let opened = pixel_box(model, &open.drawables[index]).unwrap_or(rect);
        let error = mismatch(rect, *target).min(mismatch(opened, *target));
        worst.see(error, || drawable.id.clone());
    }
    worst.verdict("neutral-pose", NEUTRAL_LIMIT)
}

/// Centre or size error as a share of the larger side of either box; 0 below the floor.
fn mismatch(found: Rect, target: Rect) -> f64 {
    let scale = target.width().max(target.height()).max(1.0);
    let center = found.center() - target.center();
    let sizes = Point::new(found.width() - target.width(), found.height() - target.height());
    let error = center.x.abs().max(center.y.abs()).max(sizes.x.abs()).max(sizes.y.abs());
    if error <= NEUTRAL_FLOOR { error.min(NEUTRAL_LIMIT * scale) / scale } else { error / scale }
}

/// Box sizes in the eight extreme head poses, as the worst ratio to what is allowed: at least 8 % of the neutral side,
/// at most 4 times it plus 4 px (more on canvases beyond 2048 px, in proportion), and what is seen at rest stays visible. Passes up to 1.
pub(crate) fn extreme(evaluator: &Evaluator) -> Audit {
    let model = evaluator.model();
    let rest = evaluator.evaluate(&Pose::rest(model));
    let mut frame = Frame::default();
    let mut worst = Worst::default();
    // The 4 px are meant for canvases up to 2048: the same figure drawn larger must get the same verdict.
    let side = f64::from(model.canvas.width.max(model.canvas.height));
    let slack = 4.0 * (side / 2048.0).max(1.0);
    for (x, y) in [(1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (1, -1), (-1, 1), (-1, -1)] {
        let far = |sign: i32| f32::MAX * sign as f32;
        evaluator
            .evaluate_into(&posed(model, &[("ParamAngleX", far(x)), ("ParamAngleY", far(y))]), &mut frame);
        for (index, drawable) in model.drawables.iter().enumerate() {
            let (before, after) = (&rest.drawables[index], &frame.drawables[index]);
            // What is not seen at rest (teeth of a closed mouth) may be squashed there to nothing.
            if drawable.indices.is_empty() || before.opacity <= SEEN {
                continue;
            }
            let place = || format!("{} at AngleX {x:+} AngleY {y:+}", drawable.id);
            if !after.opacity.is_finite() || after.opacity <= SEEN {
                worst.see(f64::INFINITY, place);
                continue;
            }
            let (Some(old), Some(new)) = (pixel_box(model, before), pixel_box(model, after)) else {
                worst.see(f64::NAN, place);
                continue;
            };
            for (old, new) in [(old.width(), new.width()), (old.height(), new.height())] {
                let floor = (0.08 * old).max(1e-3);
                worst.see((floor / new.max(1e-9)).max(new / (4.0 * old + slack)), place);
            }
        }
    }
    worst.verdict("extreme-poses", 1.0)
}

/// The rest pose with some parameters changed; values are clamped into their ranges, unknown ids ignored.
pub(crate) fn posed(model: &Model, changes: &[(&str, f32)]) -> Pose {
    let mut pose = Pose::rest(model);
    for (parameter, value) in model.parameters.iter().zip(&mut pose.parameters) {
        if let Some((_, wanted)) = changes.iter().find(|(id, _)| *id == parameter.id) {
            // Bounds of a foreign file may be NaN or swapped: `min` and `max` take them all.
            *value = wanted.min(parameter.maximum).max(parameter.minimum);
        }
    }
    pose
}

/// Box of the vertices in canvas px; `None` when one is not finite or there is none.
fn pixel_box(model: &Model, drawable: &DrawableFrame) -> Option<Rect> {
    let points: Vec<Point> = drawable
        .positions
        .iter()
        .map(|p| model.canvas.to_pixels(*p))
        .map(|[x, y]| Point::new(x, y))
        .collect();
    points.iter().all(|p| p.is_finite()).then(|| Rect::bounding(points)).flatten()
}

#[cfg(test)]
mod tests {
    use moc3::model::{Parameter, ParameterKind};
    use moc3::{Version, canvas::Canvas};

    use super::*;

    #[test]
    fn bounds_of_foreign_files_may_be_anything() {
        for (minimum, maximum) in [(f32::NAN, 1.0), (0.0, f32::NAN), (1.0, -1.0)] {
            let mut model = Model::new(Version::V40, Canvas::centred(10.0, 10.0));
            model.parameters.push(Parameter {
                id: "ParamAngleX".to_owned(),
                minimum,
                maximum,
                default: 0.0,
                repeat: false,
                decimals: 3,
                kind: ParameterKind::Normal,
            });
            assert_eq!(posed(&model, &[("ParamAngleX", 2.0)]).parameters.len(), 1);
            assert!(!crate::audit(&model, &[]).iter().all(|a| a.ok), "{minimum} {maximum}");
        }
    }
}
