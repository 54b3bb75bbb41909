//! Every pendulum of the rig comes to rest, at any frame rate, in the integrator that agrees with the official one.

use moc3::physics::{Input, Kind, Normalization, Output, Particle, Physics, Range, Setting, Simulator};
use puppet::{Parameter, ParameterKind, PhysicsGroup, PhysicsRange, PhysicsSource, Puppet};

/// (id, min, max, default) of what drives.
const DRIVERS: [(&str, f64, f64, f64); 9] = [
    ("ParamAngleX", -45.0, 45.0, 0.0),
    ("ParamAngleY", -30.0, 30.0, 0.0),
    ("ParamAngleZ", -30.0, 30.0, 0.0),
    ("ParamBodyAngleX", -10.0, 10.0, 0.0),
    ("ParamBodyAngleY", -10.0, 10.0, 0.0),
    ("ParamBodyAngleZ", -10.0, 10.0, 0.0),
    ("ParamBreath", 0.0, 1.0, 0.0),
    ("ParamEyeLOpen", 0.0, 1.0, 1.0),
    ("ParamEyeROpen", 0.0, 1.0, 1.0),
];

/// What is driven, all within -1..1.
const DRIVEN: [&str; 28] = [
    "ParamEyeBallForm",
    "ParamHairFront",
    "ParamHairBack",
    "ParamHairBackTip",
    "ParamHairSideL",
    "ParamHairSideR",
    "ParamHairTail",
    "ParamHairTailTip",
    "ParamHairTailL",
    "ParamHairTailTipL",
    "ParamHairTailR",
    "ParamHairTailTipR",
    "ParamHairAhoge",
    "ParamRibbon",
    "ParamRibbonL",
    "ParamRibbonR",
    "ParamEarringL",
    "ParamEarringR",
    "ParamEarL",
    "ParamEarR",
    "ParamNeckwear",
    "ParamArmSwayL",
    "ParamArmSwayR",
    "ParamSkirt",
    "ParamTail1",
    "ParamTail2",
    "ParamWingL",
    "ParamWingR",
];

fn puppet(settings: &rig::Settings) -> Puppet {
    let driven = DRIVEN.iter().map(|&id| (id, -1.0, 1.0, 0.0));
    let parameter = |(id, min, max, default): (&str, f64, f64, f64)| Parameter {
        id: id.into(),
        name: id.to_owned(),
        min,
        max,
        default,
        kind: ParameterKind::Normal,
        repeat: false,
        group: String::new(),
    };
    let parameters = DRIVERS.iter().copied().chain(driven).map(parameter).collect();
    rig::finish(Puppet { parameters, ..Puppet::default() }, settings).expect("finish")
}

fn setting(puppet: &Puppet, group: &PhysicsGroup) -> Setting {
    let index = |id: &puppet::ParameterId| {
        puppet.parameters.iter().position(|p| p.id == *id).expect("parameter is there")
    };
    let kind = |source: PhysicsSource| match source {
        PhysicsSource::X => Kind::X,
        PhysicsSource::Y => Kind::Y,
        PhysicsSource::Angle => Kind::Angle,
    };
    let range = |r: PhysicsRange| Normalization {
        minimum: r.min as f32,
        default: r.default as f32,
        maximum: r.max as f32,
    };
    Setting {
        inputs: (group.inputs.iter())
            .map(|i| Input {
                parameter: index(&i.parameter),
                weight: i.weight as f32,
                kind: kind(i.source),
                reflect: i.reflect,
            })
            .collect(),
        outputs: (group.outputs.iter())
            .map(|o| Output {
                parameter: index(&o.parameter),
                particle: o.vertex,
                scale: o.scale as f32,
                weight: o.weight as f32,
                kind: Kind::Angle,
                reflect: o.reflect,
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
    }
}

/// Steps some drivers at once and looks at every output: within its range, the peak seen, and after two seconds less
/// than 2 % of the peak from where it comes to rest. With `fps` steps a second in the file, as the bundle has it.
fn check(puppet: &Puppet, fps: f32, rate: u32, steps: &[(&str, f32)]) -> Vec<f32> {
    let physics = Physics {
        fps: (fps > 0.0).then_some(fps),
        settings: puppet.physics.iter().map(|g| setting(puppet, g)).collect(),
    };
    let ranges: Vec<Range> =
        (puppet.parameters.iter()).map(|p| Range { minimum: p.min as f32, maximum: p.max as f32 }).collect();
    let mut inputs: Vec<f32> = puppet.parameters.iter().map(|p| p.default as f32).collect();
    let mut simulator = Simulator::new(&physics, &ranges);
    simulator.stabilise(&mut inputs.clone());
    for &(id, value) in steps {
        let at = puppet.parameters.iter().position(|p| p.id.as_str() == id).expect("driver");
        inputs[at] = value;
    }
    let frames: Vec<Vec<f32>> = (0..8 * rate)
        .map(|_| {
            let mut values = inputs.clone();
            simulator.evaluate(&mut values, 1.0 / rate as f32);
            values
        })
        .collect();
    let driven = DRIVERS.len()..puppet.parameters.len();
    driven
        .map(|i| {
            let id = &puppet.parameters[i].id;
            let rest = frames[frames.len() - 1][i];
            let peak = frames.iter().map(|f| f[i].abs()).fold(0.0, f32::max);
            assert!(peak <= 1.0, "{id} leaves its range");
            let late = frames[2 * rate as usize..].iter().map(|f| (f[i] - rest).abs()).fold(0.0, f32::max);
            assert!(
                late <= 0.02 * peak.max(0.01),
                "{id} at {rate} fps, {steps:?}: {late} of {peak} after 2 s"
            );
            peak
        })
        .collect()
}

#[test]
fn pendulums_settle_within_two_seconds_at_any_frame_rate() {
    let puppet = puppet(&rig::Settings::default());
    assert_eq!(puppet.physics.len(), 23);
    let outputs: usize = puppet.physics.iter().map(|g| g.outputs.len()).sum();
    assert_eq!(outputs, DRIVEN.len(), "every driven parameter has one pendulum");
    let turns: [&[(&str, f32)]; 4] = [
        &[("ParamAngleX", 30.0), ("ParamBodyAngleX", 6.0)],
        &[("ParamAngleZ", 30.0), ("ParamBodyAngleZ", 10.0)],
        &[("ParamAngleX", -30.0), ("ParamAngleZ", 30.0), ("ParamBodyAngleX", -10.0), ("ParamBreath", 1.0)],
        &[("ParamEyeLOpen", 0.0), ("ParamEyeROpen", 0.0)],
    ];
    for steps in turns {
        let peaks: Vec<Vec<f32>> = [30, 60, 120].map(|rate| check(&puppet, 60.0, rate, steps)).into();
        // The file names its step, so the frame rate decides nothing but where a peak is sampled.
        for (i, id) in DRIVEN.iter().enumerate() {
            let (low, high) = (peaks[0][i].min(peaks[2][i]), peaks[0][i].max(peaks[2][i]));
            assert!(high - low <= 0.4 * high.max(0.05), "{id}: {low} {high}");
        }
    }
    // A turn is seen: everything that hangs moves by a good part of its range.
    let seen = check(&puppet, 60.0, 60, turns[0]);
    for (id, peak) in DRIVEN.iter().zip(seen).skip(1) {
        assert!(peak > 0.15, "{id} hardly moves: {peak}");
    }
}
