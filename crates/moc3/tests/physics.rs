//! Physics against the official framework.

mod shared;

use moc3::physics::*;
use serde_json::Value;

#[test]
fn chains_match_the_framework() {
    let Some(folder) = shared::vectors() else { return };
    for name in ["physics_nofps", "physics_fps60"] {
        let text = std::fs::read_to_string(folder.join(format!("{name}.json"))).unwrap();
        let worst = check(name, &serde_json::from_str(&text).unwrap());
        println!("{name}: worst difference {worst:.1e}");
    }
}

#[test]
fn rest_is_quiet() {
    let (physics, ranges) = pendulum();
    let mut simulator = Simulator::new(&physics, &ranges);
    let mut values = [15.0, 0.7];
    simulator.stabilise(&mut values);
    let settled = values[1];
    assert!(settled != 0.7 && settled != 0.0);
    for _ in 0..100 {
        simulator.evaluate(&mut values, 1.0 / 30.0);
        assert!((values[1] - settled).abs() < 1e-3, "{} after {settled}", values[1]);
    }
}

#[test]
fn odd_time_does_nothing() {
    let (physics, ranges) = pendulum();
    let mut simulator = Simulator::new(&physics, &ranges);
    for seconds in [0.0, -1.0, f32::NAN] {
        let mut values = [30.0, 0.7];
        simulator.evaluate(&mut values, seconds);
        assert_eq!(values, [30.0, 0.7]);
    }
    let endless = Physics { fps: Some(1e30), ..physics.clone() };
    Simulator::new(&endless, &ranges).evaluate(&mut [30.0, 0.7], 5.0);
    Simulator::new(&physics, &ranges).evaluate(&mut [30.0], 1.0);
}

/// One pendulum turned by parameter 0 and driving parameter 1.
fn pendulum() -> (Physics, [Range; 2]) {
    let link = |radius| Particle { mobility: 0.9, delay: 0.8, acceleration: 1.5, radius };
    let normal = Normalization { minimum: -10.0, default: 0.0, maximum: 10.0 };
    let setting = Setting {
        inputs: vec![Input { parameter: 0, weight: 100.0, kind: Kind::Angle, reflect: true }],
        outputs: vec![Output {
            parameter: 1,
            particle: 1,
            scale: 1.0,
            weight: 100.0,
            kind: Kind::Angle,
            reflect: false,
        }],
        particles: vec![link(0.0), link(10.0)],
        position: normal,
        angle: normal,
    };
    let ranges = [Range { minimum: -30.0, maximum: 30.0 }, Range { minimum: -1.0, maximum: 1.0 }];
    (Physics { fps: Some(30.0), settings: vec![setting] }, ranges)
}

fn check(name: &str, vector: &Value) -> f64 {
    let parameters = vector["params"].as_array().unwrap();
    let ids: Vec<&str> = parameters.iter().map(|parameter| parameter["id"].as_str().unwrap()).collect();
    let index = |id: &Value| ids.iter().position(|known| *known == id.as_str().unwrap()).unwrap();
    let ranges: Vec<Range> =
        parameters.iter().map(|p| Range { minimum: number(&p["min"]), maximum: number(&p["max"]) }).collect();
    let settings = vector["physics"]["PhysicsSettings"].as_array().unwrap();
    let physics = Physics {
        fps: vector["fps"].as_f64().map(|fps| fps as f32),
        settings: settings.iter().map(|setting| read_setting(setting, &index)).collect(),
    };
    let mut simulator = Simulator::new(&physics, &ranges);
    let mut values: Vec<f32> = parameters.iter().map(|parameter| number(&parameter["def"])).collect();
    let mut checkpoints = vector["checkpoints"].as_array().unwrap().iter().peekable();
    let mut worst = 0.0;
    for (step, seconds) in vector["sequence"].as_array().unwrap().iter().enumerate() {
        for (place, value) in values.iter_mut().take(3).enumerate() {
            let phase = step as f64 * 0.07 * (place + 1) as f64 + place as f64;
            *value = (30.0 * libm::sin(phase)) as f32;
        }
        simulator.evaluate(&mut values, number(seconds));
        let Some(checkpoint) = checkpoints.next_if(|checkpoint| checkpoint["step"] == step as u64) else {
            continue;
        };
        for (id, expected) in checkpoint["outputs"].as_object().unwrap() {
            let ours = f64::from(values[index(&Value::from(id.as_str()))]);
            let difference = (ours - expected.as_f64().unwrap()).abs();
            let tolerance = vector["tolerance"].as_f64().unwrap();
            assert!(
                difference <= tolerance,
                "{name} step {step} {id}: {ours}, the framework says {expected}"
            );
            worst = f64::max(worst, difference);
        }
    }
    assert!(checkpoints.next().is_none());
    worst
}

fn read_setting(setting: &Value, index: &impl Fn(&Value) -> usize) -> Setting {
    let list = |key: &str| setting[key].as_array().unwrap().iter();
    let input = |input: &Value| Input {
        parameter: index(&input["Source"]["Id"]),
        weight: number(&input["Weight"]),
        kind: kind(&input["Type"]),
        reflect: input["Reflect"].as_bool().unwrap(),
    };
    let output = |output: &Value| Output {
        parameter: index(&output["Destination"]["Id"]),
        particle: output["VertexIndex"].as_u64().unwrap() as usize,
        scale: number(&output["Scale"]),
        weight: number(&output["Weight"]),
        kind: kind(&output["Type"]),
        reflect: output["Reflect"].as_bool().unwrap(),
    };
    let particle = |particle: &Value| Particle {
        mobility: number(&particle["Mobility"]),
        delay: number(&particle["Delay"]),
        acceleration: number(&particle["Acceleration"]),
        radius: number(&particle["Radius"]),
    };
    let normalization = |key: &str| {
        let range = &setting["Normalization"][key];
        Normalization {
            minimum: number(&range["Minimum"]),
            default: number(&range["Default"]),
            maximum: number(&range["Maximum"]),
        }
    };
    Setting {
        inputs: list("Input").map(input).collect(),
        outputs: list("Output").map(output).collect(),
        particles: list("Vertices").map(particle).collect(),
        position: normalization("Position"),
        angle: normalization("Angle"),
    }
}

fn number(value: &Value) -> f32 {
    value.as_f64().unwrap() as f32
}

fn kind(value: &Value) -> Kind {
    match value.as_str().unwrap() {
        "X" => Kind::X,
        "Y" => Kind::Y,
        _ => Kind::Angle,
    }
}
