//! Files that the Core evaluated: re-emission byte by byte, evaluation within 2e-6.

mod shared;

use moc3::evaluate::{Evaluator, Frame, Pose};
use moc3::model::Model;
use moc3::validate::Severity;
use moc3::{Error, File};
use serde_json::Value;

const TOLERANCE: f64 = 2e-6;

#[test]
fn files_are_reproduced() {
    for (name, bytes) in shared::files() {
        let file = File::read(&bytes).unwrap();
        assert_same(&name, "tables", &bytes, &file.write().unwrap());
        let model = Model::from_file(&file).unwrap();
        assert_same(&name, "model", &bytes, &model.to_bytes().unwrap());
    }
}

#[test]
fn vectors_are_valid() {
    for (name, bytes) in shared::files() {
        let model = Model::from_bytes(&bytes).unwrap();
        let mut faults = model.validate();
        faults.retain(|fault| fault.severity == Severity::Error);
        assert!(faults.is_empty(), "{name}: {faults:#?}");
    }
}

#[test]
fn poses_match_the_core() {
    for (name, bytes) in shared::files() {
        let folder = shared::vectors().unwrap();
        let text = std::fs::read_to_string(folder.join(format!("{name}.json"))).unwrap();
        let vector: Value = serde_json::from_str(&text).unwrap();
        let model = Model::from_bytes(&bytes).unwrap();
        let evaluator = Evaluator::new(&model).unwrap();
        let mut frame = Frame::default();
        let mut worst = 0.0;
        for (nth, case) in vector["cases"].as_array().unwrap().iter().enumerate() {
            evaluator.evaluate_into(&pose(&model, case), &mut frame);
            let error = compare(&format!("{name} case {nth}"), case, &frame);
            worst = f64::max(worst, error);
        }
        println!("{name}: worst difference {worst:.1e}");
    }
}

#[test]
fn every_cut_is_refused() {
    for (name, bytes) in shared::files() {
        for size in (0..bytes.len()).step_by(64) {
            let result: Result<File, Error> = File::read(&bytes[..size]);
            // The last block may be padding behind the last section only where sections are empty.
            assert!(result.is_err() || size + 64 >= bytes.len(), "{name} cut to {size}");
        }
    }
}

fn pose(model: &Model, case: &Value) -> Pose {
    let mut pose = Pose::rest(model);
    for (parameter, value) in model.parameters.iter().zip(&mut pose.parameters) {
        if let Some(given) = case["params"][&parameter.id].as_f64() {
            *value = given as f32;
        }
    }
    for (part, value) in model.parts.iter().zip(&mut pose.part_opacities) {
        if let Some(given) = case["part_opacities"][&part.id].as_f64() {
            *value = given as f32;
        }
    }
    pose
}

#[track_caller]
fn compare(what: &str, case: &Value, frame: &Frame) -> f64 {
    let mut worst = 0.0;
    let mut near = |what: String, ours: f64, theirs: f64| {
        worst = f64::max(worst, (ours - theirs).abs());
        assert!((ours - theirs).abs() <= TOLERANCE, "{what}: {ours}, the Core says {theirs}");
    };
    let expected = case["drawables"].as_array().unwrap();
    assert_eq!(expected.len(), frame.drawables.len());
    for (ours, theirs) in frame.drawables.iter().zip(expected) {
        let what = format!("{what} {}", theirs["id"].as_str().unwrap());
        assert_eq!(ours.visible, theirs["visible"].as_bool().unwrap(), "{what}: visible");
        assert_eq!(
            i64::from(ours.render_order),
            theirs["render_order"].as_i64().unwrap(),
            "{what}: render order"
        );
        if !ours.visible {
            continue;
        }
        assert_eq!(i64::from(ours.draw_order), theirs["draw_order"].as_i64().unwrap(), "{what}: draw order");
        near(format!("{what} opacity"), ours.opacity.into(), theirs["opacity"].as_f64().unwrap());
        let lists = [
            ("positions", ours.positions.as_flattened()),
            ("multiply", &ours.multiply[..]),
            ("screen", &ours.screen[..]),
        ];
        for (key, ours) in lists {
            let theirs = theirs[key].as_array().unwrap();
            assert_eq!(ours.len(), theirs.len(), "{what} {key}");
            for (place, (ours, theirs)) in ours.iter().zip(theirs).enumerate() {
                near(format!("{what} {key}[{place}]"), (*ours).into(), theirs.as_f64().unwrap());
            }
        }
    }
    for (ours, theirs) in frame.offscreens.iter().zip(case["offscreens"].as_array().into_iter().flatten()) {
        near(format!("{what} offscreen opacity"), ours.opacity.into(), theirs["opacity"].as_f64().unwrap());
        assert_eq!(
            i64::from(ours.render_order),
            theirs["render_order"].as_i64().unwrap(),
            "{what}: offscreen order"
        );
    }
    worst
}

#[track_caller]
fn assert_same(name: &str, what: &str, expected: &[u8], ours: &[u8]) {
    if expected == ours {
        return;
    }
    let first = expected.iter().zip(ours).position(|(a, b)| a != b).unwrap_or(expected.len().min(ours.len()));
    let around =
        |bytes: &[u8]| format!("{:02x?}", &bytes[first.min(bytes.len())..(first + 16).min(bytes.len())]);
    panic!(
        "{name} through {what}: {} bytes, expected {}; they differ from {first:#x} on: {}, expected {}",
        ours.len(),
        expected.len(),
        around(ours),
        around(expected)
    );
}
