//! Pendulums of hair and eyes (RIG 9).

use puppet::{
    ParameterId, Pendulum, PhysicsGroup, PhysicsInput, PhysicsOutput, PhysicsRange, PhysicsSource, Puppet,
};

/// The groups whose outputs the puppet has, in the order in which they run.
pub(crate) fn groups(puppet: &Puppet, natural: bool) -> Vec<PhysicsGroup> {
    let has = |id: &str| puppet.parameter(&id.into()).is_some();
    // With 0.95 long hair still swings after two seconds.
    let (front, back) = if natural { (0.92, 0.90) } else { (0.95, 0.95) };
    let mut groups = Vec::new();
    if has("ParamHairFront") {
        groups.push(hair("PhysicsHairFront", "Front hair", "ParamHairFront", (3.0, 0.9, front), 1.522, 10.0));
    }
    if has("ParamHairBack") {
        groups.push(hair("PhysicsHairBack", "Back hair", "ParamHairBack", (15.0, 0.8, back), 2.061, 30.0));
    }
    if has("ParamEyeBallForm") && has("ParamEyeLOpen") && has("ParamEyeROpen") {
        groups.push(jelly());
    }
    groups
}

/// A pendulum of `(length, delay, mobility)`; `angle` is the normalised range of its angle inputs.
fn hair(
    id: &str,
    name: &str,
    output: &str,
    (length, delay, mobility): (f64, f64, f64),
    scale: f64,
    angle: f64,
) -> PhysicsGroup {
    let input = |parameter: &str, weight: f64, source: PhysicsSource| PhysicsInput {
        parameter: parameter.into(),
        weight,
        source,
        reflect: false,
    };
    PhysicsGroup {
        id: id.to_owned(),
        name: name.to_owned(),
        inputs: vec![
            input("ParamAngleX", 60.0, PhysicsSource::X),
            input("ParamAngleZ", 60.0, PhysicsSource::Angle),
            input("ParamBodyAngleX", 40.0, PhysicsSource::X),
            input("ParamBodyAngleZ", 40.0, PhysicsSource::Angle),
        ],
        outputs: vec![PhysicsOutput {
            parameter: ParameterId::from(output),
            vertex: 1,
            scale,
            weight: 100.0,
            reflect: false,
        }],
        pendulums: vec![
            Pendulum { radius: 0.0, mobility: 1.0, delay: 1.0, acceleration: 1.0 },
            Pendulum { radius: length, mobility, delay, acceleration: 1.5 },
        ],
        position: PhysicsRange { min: -10.0, default: 0.0, max: 10.0 },
        angle: PhysicsRange { min: -angle, default: 0.0, max: angle },
    }
}

fn jelly() -> PhysicsGroup {
    let input = |parameter: &str| PhysicsInput {
        parameter: parameter.into(),
        weight: 50.0,
        source: PhysicsSource::X,
        reflect: false,
    };
    PhysicsGroup {
        id: "PhysicsEyeJelly".to_owned(),
        name: "Eye jelly".to_owned(),
        inputs: vec![input("ParamEyeLOpen"), input("ParamEyeROpen")],
        outputs: vec![PhysicsOutput {
            parameter: "ParamEyeBallForm".into(),
            vertex: 2,
            scale: 0.32,
            weight: 100.0,
            reflect: false,
        }],
        pendulums: vec![
            Pendulum { radius: 0.0, mobility: 1.0, delay: 1.0, acceleration: 1.0 },
            Pendulum { radius: 1.0, mobility: 0.88, delay: 0.18, acceleration: 1.9 },
            Pendulum { radius: 1.0, mobility: 0.80, delay: 0.32, acceleration: 2.2 },
        ],
        position: PhysicsRange { min: -1.0, default: 0.0, max: 1.0 },
        angle: PhysicsRange { min: -10.0, default: 0.0, max: 10.0 },
    }
}
