//! The characters of the shared data, and the official Core's opinion of what is made of them.

#[allow(dead_code, reason = "each suite uses some of it")]
mod sandbox;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use moc3::evaluate::{Evaluator, Pose};
use moc3::model::Model;
use sandbox::{Sandbox, shared_data};

/// Builds all shared characters into `dist`; `None` without the data.
fn built() -> Option<Sandbox> {
    let Some(data) = shared_data() else {
        println!("skipped: there is no shared data; RIGFARM_DATA names its folder");
        return None;
    };
    let sandbox = Sandbox::new();
    let art = data.join("characters");
    sandbox.expect(0, &["build", art.to_str().unwrap(), "--out", "dist"]);
    Some(sandbox)
}

#[test]
fn all_are_built_and_accepted() {
    let Some(sandbox) = built() else { return };
    let batch = sandbox.json("dist/batch.report.json");
    let rows = batch["characters"].as_array().unwrap();
    assert!(!rows.is_empty());
    for row in rows {
        assert_eq!(row["state"], "built", "{row}");
        let name = row["name"].as_str().unwrap();
        sandbox.expect(0, &["check", &format!("dist/{name}")]);
        let report = sandbox.json(&format!("dist/{name}/{name}.report.json"));
        let tags: Vec<&str> =
            report["layers"].as_array().unwrap().iter().filter_map(|layer| layer["tag"].as_str()).collect();
        if !tags.contains(&"face") {
            assert_eq!(row["warnings"]["no-face"], 1, "{name} says that it has no face: {row}");
        }
    }
    the_core_accepts(&sandbox);
}

fn the_core_accepts(sandbox: &Sandbox) {
    let Some((python, oracle)) = oracle() else {
        println!("skipped: the official Core's tools are not set up");
        return;
    };
    for entry in fs::read_dir(sandbox.path("dist")).unwrap() {
        let folder = entry.unwrap().path();
        if !folder.is_dir() {
            continue;
        }
        let model = folder.join(folder.file_name().unwrap()).with_extension("model3.json");
        let output =
            Command::new(&python).arg(&oracle).args(["check", "--brief"]).arg(&model).output().unwrap();
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(
            output.status.success(),
            "{}: {said}{}",
            model.display(),
            String::from_utf8_lossy(&output.stderr)
        );
    }
}

/// Our evaluator against the Core, in canvas units, at random poses: 5 a character, or `RIGFARM_POSES`.
#[test]
fn the_core_evaluates_alike() {
    let (Some(sandbox), Some((python, oracle))) = (built(), oracle()) else {
        println!("skipped: the official Core's tools or the shared data are not there");
        return;
    };
    let count: usize = std::env::var("RIGFARM_POSES").ok().and_then(|n| n.parse().ok()).unwrap_or(5);
    let mut state = 7u64;
    let mut random = move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f32 / (1u64 << 24) as f32
    };
    let mut worst = (0.0f64, String::new());
    for (model3, model) in models(&sandbox) {
        let evaluator = Evaluator::new(&model).unwrap();
        let poses: Vec<Pose> = (0..count)
            .map(|_| {
                let mut pose = Pose::rest(&model);
                for (value, p) in pose.parameters.iter_mut().zip(&model.parameters) {
                    *value = p.minimum + (p.maximum - p.minimum) * random();
                }
                pose
            })
            .collect();
        let of_core = core_poses(&sandbox, &python, &oracle, &model3, &model, &poses);
        for (index, pose) in poses.iter().enumerate() {
            let frame = evaluator.evaluate(pose);
            for (drawable, posed) in model.drawables.iter().zip(&frame.drawables) {
                let theirs = &of_core[format!("p{index}")]["drawables"][&drawable.id];
                if !posed.visible {
                    continue;
                }
                let theirs: Vec<f64> = numbers(&theirs["vertices"]);
                let ours = posed.positions.iter().flatten().map(|v| f64::from(*v));
                let error = ours.zip(&theirs).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
                assert_eq!(theirs.len(), posed.positions.len() * 2, "{}", drawable.id);
                if error > worst.0 {
                    worst = (error, format!("{} in {}", drawable.id, model3.display()));
                }
            }
        }
    }
    println!("worst difference {:.2e} units: {}", worst.0, worst.1);
    assert!(worst.0 <= 2e-5, "{worst:?}");
}

/// Every number of a nested list.
fn numbers(value: &serde_json::Value) -> Vec<f64> {
    match value {
        serde_json::Value::Array(items) => items.iter().flat_map(numbers).collect(),
        other => other.as_f64().into_iter().collect(),
    }
}

/// Every delivered model, sorted.
fn models(sandbox: &Sandbox) -> Vec<(PathBuf, Model)> {
    let mut folders: Vec<PathBuf> = fs::read_dir(sandbox.path("dist"))
        .unwrap()
        .map(|e| e.unwrap().path())
        .filter(|p| p.is_dir())
        .collect();
    folders.sort();
    let open = |folder: PathBuf| {
        let stem = folder.join(folder.file_name().unwrap());
        let model = Model::from_bytes(&fs::read(stem.with_extension("moc3")).unwrap()).unwrap();
        (stem.with_extension("model3.json"), model)
    };
    folders.into_iter().map(open).collect()
}

fn core_poses(
    sandbox: &Sandbox,
    python: &Path,
    oracle: &Path,
    model3: &Path,
    model: &Model,
    poses: &[Pose],
) -> serde_json::Value {
    let set = |pose: &Pose| {
        let pairs = model.parameters.iter().zip(&pose.parameters);
        pairs.map(|(p, v)| (p.id.clone(), f64::from(*v).into())).collect::<serde_json::Map<_, _>>()
    };
    let batch: serde_json::Map<String, serde_json::Value> =
        poses.iter().enumerate().map(|(i, pose)| (format!("p{i}"), set(pose).into())).collect();
    fs::write(sandbox.path("poses.json"), serde_json::to_vec(&batch).unwrap()).unwrap();
    let mut command = Command::new(python);
    command.arg(oracle).args(["eval", "--no-pose", "--batch"]).arg(sandbox.path("poses.json")).arg(model3);
    let output = command.output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    let json = &text[text.find('{').expect("an answer")..];
    let answer: serde_json::Value = serde_json::from_str(json.trim()).unwrap();
    answer["poses"].clone()
}

/// The interpreter and the script, when both are installed.
fn oracle() -> Option<(PathBuf, PathBuf)> {
    let script = shared_data()?.join("../tools/oracle/oracle.py");
    let home = PathBuf::from(std::env::var_os("HOME")?);
    let python = home.join(".cache/live2d-oracle/venv/bin/python");
    (Path::new(&script).is_file() && python.is_file()).then_some((python, script))
}
