//! The idle motion with physics, as an animated PNG.

use std::collections::BTreeMap;

use moc3::evaluate::Pose;
use moc3::model::Model;
use moc3::physics::{Range, Simulator};
use plan::JobFailure;
use preview::{Scene, View};
use puppet::{Curve, CurveTarget, Key, Motion, Puppet, Segment};
use raster::Rgba;
use rayon::iter::{IntoParallelIterator, ParallelIterator};

use super::refuse;
use crate::params::PreviewParams;

/// Steps of physics in a second, as the physics document asks for.
const STEPS: u32 = 60;

/// One loop of the idle motion (rest when there is none), after one loop has been played for the pendulums.
pub(super) fn animate(scene: &Scene, puppet: &Puppet, params: &PreviewParams) -> Result<Vec<u8>, JobFailure> {
    let poses = poses(scene.model(), puppet, params.frames_per_second);
    let view = View::fit(scene.canvas(), params.idle_side);
    let frames: Vec<Rgba> = poses
        .into_par_iter()
        .map(|pose| scene.render_view(&pose, &view).map_err(|e| refuse(&e)))
        .collect::<Result<_, _>>()?;
    preview::encode_apng(&frames, params.frames_per_second).map_err(|e| refuse(&e))
}

fn poses(model: &Model, puppet: &Puppet, fps: u16) -> Vec<Pose> {
    let rest = Pose::rest(model);
    let Some(motion) = puppet.motions.iter().find(|m| m.looping) else { return vec![rest] };
    let index: BTreeMap<&str, usize> =
        model.parameters.iter().enumerate().map(|(i, p)| (p.id.as_str(), i)).collect();
    let physics = pack::pendulums(&puppet.physics, Some(STEPS as f32), |id| index.get(id).copied());
    let ranges: Vec<Range> =
        model.parameters.iter().map(|p| Range { minimum: p.minimum, maximum: p.maximum }).collect();
    let mut simulator = Simulator::new(&physics, &ranges);
    let steps = (motion.duration.clamp(0.1, 20.0) * f64::from(STEPS)).round() as u32;
    let every = (STEPS / u32::from(fps.clamp(1, 60))).max(1);
    let mut poses = Vec::new();
    for step in 0..steps * 2 {
        let time = f64::from(step % steps) / f64::from(STEPS);
        let mut pose = rest.clone();
        play(model, motion, time, &mut pose.parameters);
        simulator.evaluate(&mut pose.parameters, 1.0 / STEPS as f32);
        if step >= steps && step % every == 0 {
            poses.push(pose);
        }
    }
    poses
}

fn play(model: &Model, motion: &Motion, time: f64, values: &mut [f32]) {
    for curve in &motion.curves {
        let CurveTarget::Parameter(id) = &curve.target else { continue };
        if let Some(index) = model.parameters.iter().position(|p| p.id == id.as_str()) {
            values[index] = value(curve, time) as f32;
        }
    }
}

/// The curve's value; the last one holds (MOC3_FORMAT 8.3).
fn value(curve: &Curve, time: f64) -> f64 {
    let mut from = curve.start;
    for segment in &curve.segments {
        let to = match *segment {
            Segment::Linear(k)
            | Segment::Bezier(_, _, k)
            | Segment::Stepped(k)
            | Segment::InverseStepped(k) => k,
        };
        if time < to.time {
            return between(from, segment, to, time);
        }
        from = to;
    }
    from.value
}

fn between(from: Key, segment: &Segment, to: Key, time: f64) -> f64 {
    let u = ((time - from.time) / (to.time - from.time).max(1e-9)).clamp(0.0, 1.0);
    match *segment {
        Segment::Linear(_) => from.value + (to.value - from.value) * u,
        Segment::Stepped(_) => from.value,
        Segment::InverseStepped(_) => to.value,
        Segment::Bezier(a, b, _) => {
            let v = 1.0 - u;
            v * v * v * from.value
                + 3.0 * v * v * u * a.value
                + 3.0 * v * u * u * b.value
                + u * u * u * to.value
        }
    }
}
