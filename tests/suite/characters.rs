//! The characters of the shared data, and the official Core's opinion of what is made of them.

#[allow(dead_code, reason = "each suite uses some of it")]
mod sandbox;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

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

/// The interpreter and the script, when both are installed.
fn oracle() -> Option<(PathBuf, PathBuf)> {
    let script = shared_data()?.join("../tools/oracle/oracle.py");
    let home = PathBuf::from(std::env::var_os("HOME")?);
    let python = home.join(".cache/live2d-oracle/venv/bin/python");
    (Path::new(&script).is_file() && python.is_file()).then_some((python, script))
}
