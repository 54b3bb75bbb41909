//! Ctrl-C and `--watch`.

#[allow(dead_code, reason = "each suite uses some of it")]
mod sandbox;

use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use sandbox::{Said, Sandbox};
use serde_json::Value;

fn interrupt(child: &Child) {
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
}

#[test]
fn ctrl_c_keeps_what_is_finished_and_leaves_nothing_half_done() {
    let sandbox = Sandbox::new();
    for seed in 0..24 {
        sandbox.art(&format!("chars/c{seed:02}.psd"), seed % 3);
        // Other settings make another character of the same art.
        sandbox.write(&format!("chars/c{seed:02}.toml"), format!("[rig]\nhead_strength = 1.{seed:02}\n"));
    }
    let mut command = sandbox.command(&["build", "chars", "--out", "dist", "--json", "--slots", "1"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let is_character = |line: &String| line.contains("\"event\":\"character\"");
    lines.by_ref().map(Result::unwrap).find(is_character).expect("a character ends");
    interrupt(&child);
    let rest: Vec<String> = lines.map(Result::unwrap).collect();
    let said = Said::of(child.wait_with_output().unwrap());
    assert_eq!(said.status, 130, "{}", said.err);
    let summary: Value = serde_json::from_str(rest.last().expect("a summary")).unwrap();
    assert_eq!((&summary["event"], &summary["interrupted"]), (&"summary".into(), &true.into()));

    let batch = sandbox.json("dist/batch.report.json");
    let mut delivered = vec!["batch.report.json".to_owned()];
    for row in batch["characters"].as_array().unwrap() {
        let name = row["name"].as_str().unwrap();
        if row["state"] == "built" {
            sandbox.expect(0, &["check", &format!("dist/{name}")]);
            delivered.push(name.to_owned());
        } else {
            assert_eq!(row["state"], "cancelled", "{row}");
        }
    }
    assert!((2..25).contains(&delivered.len()), "some are done, some are not: {delivered:?}");
    let mut there: Vec<String> = fs::read_dir(sandbox.path("dist"))
        .unwrap()
        .map(|e| e.unwrap().file_name().into_string().unwrap())
        .collect();
    there.sort();
    delivered.sort();
    assert_eq!(there, delivered, "nothing else is there");
    sandbox.expect(0, &["build", "chars", "--out", "dist"]);
}

#[test]
fn watching_builds_what_changed_until_ctrl_c() {
    let sandbox = Sandbox::new();
    sandbox.art("chars/mika.psd", 1);
    sandbox.art("chars/nora.psd", 2);
    let mut command = sandbox.command(&["build", "chars", "--out", "dist", "--json", "--watch"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut next_build = || {
        let mut characters = Value::Null;
        for line in lines.by_ref() {
            let event: Value = serde_json::from_str(&line.unwrap()).unwrap();
            match event["event"].as_str() {
                Some("started") => characters = event["characters"].clone(),
                Some("summary") => return (characters, event["failed"].clone()),
                _ => {}
            }
        }
        panic!("the program ended");
    };
    assert_eq!(next_build(), (serde_json::json!(["mika", "nora"]), 0.into()));
    sandbox.art("chars/nora.psd", 3);
    assert_eq!(next_build(), (serde_json::json!(["nora"]), 0.into()));
    sandbox.write("chars/mika.toml", "[atlas]\npage_size = 512\n");
    assert_eq!(next_build(), (serde_json::json!(["mika"]), 0.into()));
    assert!(sandbox.path("dist/mika/mika.512/texture_00.png").is_file());
    sandbox.write("chars/mika.toml", "[atlas]\npage_sise = 512\n");
    assert_eq!(next_build(), (serde_json::json!(["mika"]), 1.into()));
    interrupt(&child);
    let said = Said::of(child.wait_with_output().unwrap());
    assert_eq!(said.status, 130, "{}", said.err);
    assert!(said.err.contains("changed: chars/mika.toml"), "{}", said.err);
}
