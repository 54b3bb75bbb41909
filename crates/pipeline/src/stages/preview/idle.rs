//! The idle motion with physics, as an animated PNG.

use std::collections::BTreeMap;

use moc3::evaluate::Pose;
use moc3::model::Model;
use moc3::physics::{self, Kind, Normalization, Particle, Physics, Range, Setting, Simulator};
use plan::JobFailure;
use preview::{Scene, View};
use puppet::{Curve, CurveTarget, Key, Motion, PhysicsGroup, PhysicsSource, Puppet, Segment};
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
    let physics = physics(model, &puppet.physics);
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

/// The puppet's pendulums on the model's parameters; what refers to none is left out.
fn physics(model: &Model, groups: &[PhysicsGroup]) -> Physics {
    let index: BTreeMap<&str, usize> =
        model.parameters.iter().enumerate().map(|(i, p)| (p.id.as_str(), i)).collect();
    let range = |r: puppet::PhysicsRange| Normalization {
        minimum: r.min as f32,
        default: r.default as f32,
        maximum: r.max as f32,
    };
    let setting = |group: &PhysicsGroup| Setting {
        inputs: (group.inputs.iter())
            .filter_map(|i| {
                Some(physics::Input {
                    parameter: *index.get(i.parameter.as_str())?,
                    weight: i.weight as f32,
                    kind: kind(i.source),
                    reflect: i.reflect,
                })
            })
            .collect(),
        outputs: (group.outputs.iter())
            .filter_map(|o| {
                Some(physics::Output {
                    parameter: *index.get(o.parameter.as_str())?,
                    particle: o.vertex,
                    scale: o.scale as f32,
                    weight: o.weight as f32,
                    kind: Kind::Angle,
                    reflect: o.reflect,
                })
            })
            .collect(),
        particles: (group.pendulums.iter())
            .map(|p| Particle {
                mobility: p.mobility as f32,
                delay: p.delay as f32,
                acceleration: p.acceleration as f32,
                radius: p.radius as f32,
            })
            .collect(),
        position: range(group.position),
        angle: range(group.angle),
    };
    Physics { fps: Some(STEPS as f32), settings: groups.iter().map(setting).collect() }
}

fn kind(source: PhysicsSource) -> Kind {
    match source {
        PhysicsSource::X => Kind::X,
        PhysicsSource::Y => Kind::Y,
        PhysicsSource::Angle => Kind::Angle,
    }
}
