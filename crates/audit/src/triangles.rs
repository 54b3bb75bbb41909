//! Triangles that turn over.

use moc3::evaluate::{Evaluator, Frame, Pose};

use crate::poses::posed;
use crate::{Audit, Worst};

/// Signed areas below this many square px are no sign.
const SMALLEST: f64 = 1e-2;

/// Number of triangles that turn over in the 27 combinations of the head angles and in closed, open and gazing poses.
/// Passes at 0; `where` names the drawable and pose with the most.
pub(crate) fn flips(evaluator: &Evaluator) -> Audit {
    let model = evaluator.model();
    let rest = areas(evaluator, &evaluator.evaluate(&Pose::rest(model)));
    let mut frame = Frame::default();
    let mut worst = Worst::default();
    let mut total = 0usize;
    for (name, changes) in poses() {
        evaluator.evaluate_into(&posed(model, &changes), &mut frame);
        for ((drawable, before), after) in model.drawables.iter().zip(&rest).zip(areas(evaluator, &frame)) {
            let turned =
                |(a, b): &(&f64, &f64)| a.abs() > 1e-3 && b.abs() > SMALLEST && (**a > 0.0) != (**b > 0.0);
            let count = before.iter().zip(&after).filter(turned).count();
            total += count;
            worst.see(count as f64, || format!("{} at {name}", drawable.id));
        }
    }
    let verdict = worst.verdict("triangle-flips", 0.0);
    Audit { worst: total as f64, ..verdict }
}

fn poses() -> Vec<(String, Vec<(&'static str, f32)>)> {
    let far = |sign: i32| f32::MAX * sign as f32;
    let mut poses = Vec::new();
    for x in -1..=1 {
        for y in -1..=1 {
            for z in -1..=1 {
                let name = format!("AngleX {x:+} AngleY {y:+} AngleZ {z:+}");
                let changes = [("ParamAngleX", x), ("ParamAngleY", y), ("ParamAngleZ", z)];
                let changes = changes.iter().filter(|c| c.1 != 0).map(|c| (c.0, far(c.1))).collect();
                poses.push((name, changes));
            }
        }
    }
    let named = |name: &str, changes: &[(&'static str, f32)]| (name.to_owned(), changes.to_vec());
    poses.push(named("blink", &[("ParamEyeLOpen", 0.0), ("ParamEyeROpen", 0.0)]));
    poses.push(named("half blink", &[("ParamEyeLOpen", 0.5), ("ParamEyeROpen", 0.5)]));
    for (name, open) in [("smiling eyes closed", 0.0), ("smiling eyes half open", 0.5), ("smiling eyes", 1.0)]
    {
        let smile = [("ParamEyeLSmile", 1.0), ("ParamEyeRSmile", 1.0)];
        poses.push(named(name, &[&[("ParamEyeLOpen", open), ("ParamEyeROpen", open)][..], &smile].concat()));
    }
    poses.push(named("mouth open", &[("ParamMouthOpenY", 1.0)]));
    poses.push(named("smile", &[("ParamMouthForm", 1.0), ("ParamMouthOpenY", 0.5)]));
    poses.push(named("frown", &[("ParamMouthForm", -1.0)]));
    poses.push(named("gaze", &[("ParamEyeBallX", 1.0), ("ParamEyeBallY", -1.0)]));
    poses.push(named("hair", &[("ParamHairFront", 1.0), ("ParamHairBack", -1.0)]));
    poses.push(named("body", &[("ParamBodyAngleX", 10.0), ("ParamBodyAngleZ", -10.0), ("ParamBreath", 1.0)]));
    poses
}

/// Signed area of every triangle in square canvas px, per drawable; hidden drawables give none.
fn areas(evaluator: &Evaluator, frame: &Frame) -> Vec<Vec<f64>> {
    let model = evaluator.model();
    let unit = f64::from(model.canvas.pixels_per_unit);
    let scale = unit * unit;
    let drawable_areas = |(drawable, posed): (&moc3::model::Drawable, &moc3::evaluate::DrawableFrame)| {
        let at = |i: u16| posed.positions.get(usize::from(i)).copied().unwrap_or_default().map(f64::from);
        drawable
            .indices
            .chunks_exact(3)
            .map(|t| {
                let [a, b, c] = [at(t[0]), at(t[1]), at(t[2])];
                0.5 * scale * ((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]))
            })
            .collect()
    };
    model.drawables.iter().zip(&frame.drawables).map(drawable_areas).collect()
}
