//! Every pendulum of the rig comes to rest, at any frame rate, in the integrator that agrees with the official one.

use moc3::physics::{Range, Simulator};
use puppet::{Parameter, ParameterKind, Puppet};

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
    rig::finish(Puppet { parameters, ..Puppet::default() }, &settings.finish()).expect("finish")
}

/// Steps some drivers at once and looks at every output: within its range, the peak seen, and after two seconds less
/// than 2 % of the peak from where it comes to rest. With `fps` steps a second in the file, as the bundle has it.
fn check(puppet: &Puppet, fps: f32, rate: u32, steps: &[(&str, f32)]) -> Vec<f32> {
    let index = |id: &str| puppet.parameters.iter().position(|p| p.id.as_str() == id);
    let physics = pack::pendulums(&puppet.physics, (fps > 0.0).then_some(fps), index);
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
