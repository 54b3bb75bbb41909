//! Pendulums of a puppet as the physics integrator takes them.

use moc3::physics::{Input, Kind, Normalization, Output, Particle, Physics, Setting};
use puppet::{PhysicsGroup, PhysicsRange, PhysicsSource};

/// The groups in their order, for a physics document that asks for `fps` steps a second.
///
/// `index` tells where a parameter stands in the values that are simulated; inputs and outputs of a parameter that
/// stands nowhere are left out (MOC3_FORMAT 8.2).
pub fn pendulums(
    groups: &[PhysicsGroup],
    fps: Option<f32>,
    index: impl Fn(&str) -> Option<usize>,
) -> Physics {
    Physics { fps, settings: groups.iter().map(|group| setting(group, &index)).collect() }
}

fn setting(group: &PhysicsGroup, index: &impl Fn(&str) -> Option<usize>) -> Setting {
    let inputs = group.inputs.iter().filter_map(|input| {
        Some(Input {
            parameter: index(input.parameter.as_str())?,
            weight: input.weight as f32,
            kind: kind(input.source),
            reflect: input.reflect,
        })
    });
    let outputs = group.outputs.iter().filter_map(|output| {
        Some(Output {
            parameter: index(output.parameter.as_str())?,
            particle: output.vertex,
            scale: output.scale as f32,
            weight: output.weight as f32,
            kind: Kind::Angle,
            reflect: output.reflect,
        })
    });
    let particles = group.pendulums.iter().map(|pendulum| Particle {
        mobility: pendulum.mobility as f32,
        delay: pendulum.delay as f32,
        acceleration: pendulum.acceleration as f32,
        radius: pendulum.radius as f32,
    });
    Setting {
        inputs: inputs.collect(),
        outputs: outputs.collect(),
        particles: particles.collect(),
        position: normalization(group.position),
        angle: normalization(group.angle),
    }
}

fn normalization(range: PhysicsRange) -> Normalization {
    Normalization { minimum: range.min as f32, default: range.default as f32, maximum: range.max as f32 }
}

fn kind(source: PhysicsSource) -> Kind {
    match source {
        PhysicsSource::X => Kind::X,
        PhysicsSource::Y => Kind::Y,
        PhysicsSource::Angle => Kind::Angle,
    }
}
