//! The files in `deploy` say nothing that the program does not understand.

#[allow(dead_code, reason = "each suite uses some of it")]
mod sandbox;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use coordinator::config::File;
use coordinator::metrics::Metrics;
use sandbox::Sandbox;
use serde::Deserialize;
use serde_yaml_ng::{Deserializer, Value};

fn deploy(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../deploy").join(name)
}

fn text(name: &str) -> String {
    fs::read_to_string(deploy(name)).unwrap()
}

fn documents(name: &str) -> Vec<Value> {
    let text = text(name);
    let documents = Deserializer::from_str(&text).map(Value::deserialize);
    let mut documents: Vec<Value> = documents.map(|document| document.expect(name)).collect();
    documents.iter_mut().for_each(|document| document.apply_merge().expect(name));
    documents
}

fn kubernetes() -> Vec<Value> {
    let files = ["base", "coordinator", "worker", "autoscale"];
    files.iter().flat_map(|file| documents(&format!("kubernetes/{file}.yaml"))).collect()
}

fn strings(value: &Value) -> Vec<String> {
    let list = value.as_sequence().map(Vec::as_slice).unwrap_or_default();
    list.iter().map(|item| item.as_str().expect("a string").to_owned()).collect()
}

/// Every list of arguments below a value under one of these keys.
fn arguments(value: &Value, keys: &[&str], found: &mut Vec<Vec<String>>) {
    match value {
        Value::Mapping(pairs) => {
            for (key, value) in pairs {
                match key.as_str().is_some_and(|key| keys.contains(&key)) {
                    true => found.push(strings(value)),
                    false => arguments(value, keys, found),
                }
            }
        }
        Value::Sequence(items) => items.iter().for_each(|item| arguments(item, keys, found)),
        _ => {}
    }
}

/// A command line that starts with `coordinator` or `worker` uses flags that there are.
fn check_flags(sandbox: &Sandbox, args: &[String]) {
    let help = sandbox.expect(0, &[&args[0], "--help"]).out;
    for flag in args.iter().filter(|arg| arg.starts_with("--")) {
        let flag = flag.split('=').next().unwrap();
        assert!(help.contains(&format!("{flag} ")) || help.contains(&format!("{flag}\n")), "{flag}: {help}");
    }
}

#[test]
fn command_lines_are_understood() {
    let sandbox = Sandbox::new();
    let mut lines = Vec::new();
    documents("compose/compose.yaml").iter().for_each(|value| arguments(value, &["command"], &mut lines));
    kubernetes().iter().for_each(|value| arguments(value, &["args"], &mut lines));
    for unit in ["rigfarm-coordinator.service", "rigfarm-worker.service"] {
        let text = text(&format!("systemd/{unit}"));
        let line = text.lines().find_map(|line| line.strip_prefix("ExecStart=")).unwrap();
        lines.push(line.split(' ').skip(1).map(str::to_owned).collect());
    }
    lines.retain(|line| ["coordinator", "worker"].contains(&line[0].as_str()));
    assert_eq!(lines.len(), 7, "{lines:?}");
    lines.iter().for_each(|line| check_flags(&sandbox, line));
}

/// The files of all config maps, and those of the compose file, by kind.
fn configs(kind: &str) -> Vec<String> {
    let maps = kubernetes()
        .into_iter()
        .filter_map(|value| value.get("data")?.get(format!("{kind}.toml"))?.as_str().map(str::to_owned));
    let mut configs: Vec<String> = maps.collect();
    configs.push(text(&format!("compose/{kind}.toml")));
    assert_eq!(configs.len(), 2);
    configs
}

#[test]
fn configurations_are_understood() {
    let tokens = ["worker", "submit", "read"].map(|name| format!("change-me-{name}"));
    let hashes: BTreeSet<_> = tokens.iter().map(|token| canonical::Digest::of(token.as_bytes())).collect();
    for config in configs("coordinator") {
        let settings = File::parse(&config).expect(&config).settings().expect(&config);
        let known: BTreeSet<_> = settings.tokens.iter().map(|token| token.hash).collect();
        assert_eq!(known, hashes, "the tokens that the comments name");
    }
    assert_eq!(text("compose/worker.token").trim(), tokens[0]);
    let sandbox = Sandbox::new();
    for config in configs("worker") {
        sandbox.write("worker.toml", config.replace("token_file", "# token_file"));
        // All of it was read when the address is what is wrong.
        let said = sandbox.expect(2, &["worker", "--config", "worker.toml", "--coordinator", "ftp://x"]);
        assert!(said.err.contains("neither http nor https"), "{}", said.err);
    }
}

#[test]
fn environment_variables_are_understood() {
    let sandbox = Sandbox::new();
    let known = ["coordinator", "worker"].map(|command| sandbox.expect(0, &[command, "--help"]).out).concat();
    let names = ["compose/compose.yaml", "kubernetes/base.yaml", "kubernetes/coordinator.yaml"];
    for name in names {
        let text: String = text(name).lines().filter(|line| !line.starts_with('#')).collect();
        let words = text.split(|c: char| !(c.is_ascii_uppercase() || c == '_'));
        for word in words.filter(|word| word.starts_with("RIGFARM_")) {
            assert!(known.contains(word), "{name}: {word}");
        }
    }
}

#[test]
fn what_is_named_is_there() {
    let compose = documents("compose/compose.yaml").remove(0);
    let names = |key: &str| -> BTreeSet<String> {
        let pairs = compose[key].as_mapping().unwrap();
        pairs.keys().map(|name| name.as_str().unwrap().to_owned()).collect()
    };
    let (services, volumes) = (names("services"), names("volumes"));
    for (name, service) in compose["services"].as_mapping().unwrap() {
        assert!(strings(&service["depends_on"]).iter().all(|other| services.contains(other)), "{name:?}");
        for mount in strings(&service["volumes"]) {
            let from = mount.split(':').next().unwrap();
            let is_there = match from.strip_prefix("./") {
                Some(file) => deploy(&format!("compose/{file}")).is_file(),
                None => volumes.contains(from),
            };
            assert!(is_there, "{mount}");
        }
    }
    // What a pod mounts or reads its environment from is declared somewhere.
    let objects = kubernetes();
    let declared: BTreeSet<(String, String)> = objects
        .iter()
        .map(|object| {
            let text = |value: &Value| value.as_str().unwrap().to_owned();
            assert!(object["apiVersion"].is_string());
            (text(&object["kind"]), text(&object["metadata"]["name"]))
        })
        .collect();
    assert_eq!(declared.len(), objects.len(), "no two of one name");
    let all = objects.iter().map(|object| serde_yaml_ng::to_string(object).unwrap()).collect::<String>();
    let references = [
        ("configMap:\n", "name: ", "ConfigMap"),
        ("secretRef:\n", "name: ", "Secret"),
        ("secret:\n", "secretName: ", "Secret"),
        ("scaleTargetRef:\n", "name: ", "Deployment"),
    ];
    let mut seen = 0;
    for (before, key, kind) in references {
        for rest in all.split(before).skip(1) {
            let name = rest.trim_start().strip_prefix(key).unwrap().lines().next().unwrap();
            assert!(declared.contains(&(kind.to_owned(), name.to_owned())), "{kind} {name}");
            seen += 1;
        }
    }
    assert!(seen >= 6);
    serde_json::from_str::<serde_json::Value>(&text("compose/s3.json")).unwrap();
}

#[test]
fn the_dashboard_shows_every_metric_and_no_other() {
    let text = text("grafana/rigfarm.json");
    let dashboard: serde_json::Value = serde_json::from_str(&text).unwrap();
    let mut shown = BTreeSet::new();
    for panel in dashboard["panels"].as_array().unwrap() {
        for target in panel["targets"].as_array().unwrap() {
            let query = target["expr"].as_str().unwrap();
            let words = query.split(|c: char| !(c.is_ascii_lowercase() || c == '_'));
            shown.extend(words.filter(|word| word.starts_with("rigfarm_")).map(str::to_owned));
        }
    }
    let rendered = Metrics::default().render();
    let lines = rendered.lines().filter(|line| !line.starts_with('#'));
    let mut known: BTreeSet<String> = lines.map(|line| line.split(' ').next().unwrap().to_owned()).collect();
    // What the other two add up to; it is what workers are scaled by.
    assert!(known.remove("rigfarm_jobs_wanted"));
    known.remove("rigfarm_builds_ended_total");
    assert_eq!(shown, known);
}

#[test]
fn units_have_what_systemd_wants() {
    for unit in ["rigfarm-coordinator.service", "rigfarm-worker.service"] {
        let mut sections: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        let mut section = String::new();
        for line in text(&format!("systemd/{unit}")).lines().filter(|line| !line.starts_with('#')) {
            match (line.strip_prefix('[').and_then(|line| line.strip_suffix(']')), line.split_once('=')) {
                (Some(name), _) => section = name.to_owned(),
                (None, Some((key, value))) => {
                    assert!(!value.is_empty());
                    sections.entry(section.clone()).or_default().insert(key.to_owned());
                }
                (None, None) => assert!(line.is_empty(), "{unit}: {line}"),
            }
        }
        assert_eq!(sections.keys().collect::<Vec<_>>(), ["Install", "Service", "Unit"]);
        for key in ["ExecStart", "User", "Restart", "TimeoutStopSec"] {
            assert!(sections["Service"].contains(key), "{unit}: {key}");
        }
    }
}
