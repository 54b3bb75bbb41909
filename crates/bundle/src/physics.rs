//! physics3 (MOC3_FORMAT 8.2).

use puppet::{PhysicsGroup, PhysicsRange, PhysicsSource, Puppet};
use serde_json::{Value, json};

use crate::json::number;

/// Steps per second that the official framework takes: outputs then do not depend on the frame rate.
const STEPS_PER_SECOND: i64 = 60;

/// The physics document; counts are exact, since loaders allocate from them.
pub(crate) fn physics3(puppet: &Puppet) -> Value {
    let groups = &puppet.physics;
    let dictionary: Vec<Value> = groups.iter().map(|g| json!({"Id": g.id, "Name": g.name})).collect();
    json!({
        "Version": 3,
        "Meta": {
            "PhysicsSettingCount": groups.len(),
            "TotalInputCount": groups.iter().map(|g| g.inputs.len()).sum::<usize>(),
            "TotalOutputCount": groups.iter().map(|g| g.outputs.len()).sum::<usize>(),
            "VertexCount": groups.iter().map(|g| g.pendulums.len()).sum::<usize>(),
            "Fps": STEPS_PER_SECOND,
            "EffectiveForces": {
                "Gravity": {"X": 0, "Y": -1},
                "Wind": {"X": 0, "Y": 0},
            },
            "PhysicsDictionary": dictionary,
        },
        "PhysicsSettings": groups.iter().map(setting).collect::<Vec<_>>(),
    })
}

fn setting(group: &PhysicsGroup) -> Value {
    let mut depth = 0.0;
    let vertices: Vec<Value> = group
        .pendulums
        .iter()
        .map(|p| {
            depth += p.radius;
            json!({
                "Position": {"X": 0, "Y": number(depth)},
                "Mobility": number(p.mobility),
                "Delay": number(p.delay),
                "Acceleration": number(p.acceleration),
                "Radius": number(p.radius),
            })
        })
        .collect();
    json!({
        "Id": group.id,
        "Input": group
            .inputs
            .iter()
            .map(|i| json!({
                "Source": {"Target": "Parameter", "Id": i.parameter.as_str()},
                "Weight": number(i.weight),
                "Type": source(i.source),
                "Reflect": i.reflect,
            }))
            .collect::<Vec<_>>(),
        "Output": group
            .outputs
            .iter()
            .map(|o| json!({
                "Destination": {"Target": "Parameter", "Id": o.parameter.as_str()},
                "VertexIndex": o.vertex,
                "Scale": number(o.scale),
                "Weight": number(o.weight),
                "Type": "Angle",
                "Reflect": o.reflect,
            }))
            .collect::<Vec<_>>(),
        "Vertices": vertices,
        "Normalization": {"Position": range(group.position), "Angle": range(group.angle)},
    })
}

fn source(source: PhysicsSource) -> &'static str {
    match source {
        PhysicsSource::X => "X",
        PhysicsSource::Y => "Y",
        PhysicsSource::Angle => "Angle",
    }
}

fn range(r: PhysicsRange) -> Value {
    json!({"Minimum": number(r.min), "Default": number(r.default), "Maximum": number(r.max)})
}
