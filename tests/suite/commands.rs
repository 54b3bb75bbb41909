//! The other commands: plan, inspect, check, diff, sample, demo, completions, render.

#[allow(dead_code, reason = "each suite uses some of it")]
mod sandbox;

use std::fs;

use sandbox::{Said, Sandbox, altered};

#[test]
fn plan_runs_nothing_and_tells_what_would() {
    let sandbox = Sandbox::new();
    sandbox.art("mika.psd", 1);
    let states = |flags: &[&str]| {
        let said = sandbox.expect(0, &[&["plan", "mika.psd", "--json"], flags].concat());
        let events = said.events();
        let nodes = events.iter().filter(|event| event["event"] == "node");
        let of = |state: &str| nodes.clone().filter(|event| event["state"] == state).count();
        (of("hit"), of("run"), of("unknown"))
    };
    assert_eq!(states(&[]), (0, 1, 7));
    sandbox.expect(0, &["build", "mika.psd", "--out", "dist"]);
    assert_eq!(states(&[]), (15, 0, 0));
    assert_eq!(states(&["--set", "rig.head_strength=1.5"]), (1, 1, 6));
    let said = sandbox.expect(0, &["plan", "mika.psd"]);
    assert!(said.out.contains("from cache") && said.out.contains("ingest"), "{}", said.out);
    fs::write(sandbox.path("bad.psd"), b"").unwrap();
    fs::write(sandbox.path("bad.toml"), b"x").unwrap();
    let said = sandbox.expect(1, &["plan", "bad.psd"]);
    assert!(said.err.contains("bad.toml"), "{}", said.err);
}

#[test]
fn inspect_tells_files_apart_by_content() {
    let sandbox = Sandbox::new();
    sandbox.art("mika.psd", 1);
    sandbox.expect(0, &["build", "mika.psd", "--out", "dist"]);
    let kind = |file: &str| {
        let said = sandbox.expect(0, &["inspect", file, "--layers", "--json"]);
        said.events()[0]["kind"].as_str().unwrap().to_owned()
    };
    assert_eq!(kind("mika.psd"), "psd");
    assert_eq!(kind("dist/mika"), "bundle");
    assert_eq!(kind("dist/mika/mika.model3.json"), "bundle");
    assert_eq!(kind("dist/mika/mika.moc3"), "moc3");
    assert_eq!(kind("dist/mika/mika.report.json"), "report");
    let said = sandbox.expect(0, &["inspect", "mika.psd", "--layers", "--json"]);
    let art = &said.events()[0];
    let layers = art["layers"].as_array().unwrap();
    assert!(layers.len() > 25, "{}", layers.len());
    for layer in layers {
        let keys = ["name", "rect", "path", "opacity", "blend", "sha256"];
        assert!(keys.iter().all(|key| layer.get(key).is_some()), "{layer}");
    }
    assert!(sandbox.expect(0, &["inspect", "mika.psd"]).out.contains("layer_count"));
    assert_eq!(kind("dist/batch.report.json"), "batch report");
    for text in ["nothing known", "{}", "[]", "8", "{\"counts\": {}}"] {
        sandbox.write("notes.txt", text);
        let said = sandbox.expect(1, &["inspect", "notes.txt"]);
        assert!(said.out.is_empty() && said.err.contains("neither a PSD"), "{text}: {}", said.err);
    }
    sandbox.expect(2, &["inspect", "absent"]);
    sandbox.pipe("pipe");
    for command in ["inspect", "check"] {
        for file in ["pipe", "/dev/zero"] {
            let said = sandbox.expect(2, &[command, file]);
            assert!(said.err.contains("is not a file"), "{}", said.err);
        }
    }
}

#[test]
fn output_that_cannot_be_written_is_a_failure() {
    let sandbox = Sandbox::new();
    sandbox.art("mika.psd", 1);
    for args in [
        &["inspect", "mika.psd", "--layers", "--json"][..],
        &["inspect", "mika.psd"],
        &["plan", "mika.psd"],
        &["build", "mika.psd", "--out", "dist", "--json"],
        &["completions", "bash"],
    ] {
        let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let said = Said::of(sandbox.command(args).stdout(full).output().unwrap());
        assert_eq!(said.status, 1, "{args:?}: {}", said.err);
        assert!(said.err.contains("standard output: "), "{args:?}: {}", said.err);
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let said = Said::of(sandbox.command(args).stdout(writer).output().unwrap());
        assert_eq!(said.status, 0, "{args:?}: {}", said.err);
        assert!(!said.err.contains("standard output"), "{args:?}: {}", said.err);
    }
}

#[test]
fn control_characters_of_names_are_shown_not_obeyed() {
    let sandbox = Sandbox::new();
    let name = "a\r\nb\u{1b}[31mc";
    let mut number = 0;
    sandbox.write(
        "odd\u{1b}[31m.psd",
        altered(1, |layer| {
            number += 1;
            layer.name = format!("{name}{number}");
        }),
    );
    let art = "odd\u{1b}[31m.psd";
    let said = sandbox.expect(0, &["inspect", art, "--layers"]);
    assert!(said.out.contains(r"a\r\nb\u{1b}[31mc1") && !said.out.contains(['\r', '\u{1b}']), "{}", said.out);
    let said = sandbox.expect(0, &["inspect", art, "--layers", "--json"]);
    assert!(said.events()[0]["layers"][0]["name"].as_str().unwrap().starts_with(name));
    let said = sandbox.run(&["build", art, "--out", "dist"]);
    assert!(!said.err.contains(['\r', '\u{1b}']), "{:?}", said.err);
    let said = sandbox.expect(2, &["inspect", "\u{1b}[31m"]);
    assert!(said.err.contains(r"\u{1b}[31m: no such"), "{:?}", said.err);
}

#[test]
fn check_and_diff_judge_bundles() {
    let sandbox = Sandbox::new();
    sandbox.art("mika.psd", 1);
    sandbox.expect(0, &["build", "mika.psd", "--out", "old"]);
    sandbox.expect(0, &["build", "mika.psd", "--out", "new", "--set", "motions.enabled=false"]);
    let said = sandbox.expect(0, &["check", "old/mika", "--json"]);
    assert_eq!(said.events()[0]["ok"], true);
    sandbox.expect(0, &["diff", "old/mika", "old/mika"]);
    sandbox.expect(0, &["diff", "new/mika", "old/mika"]);
    let said = sandbox.expect(1, &["diff", "old/mika", "new/mika", "--json"]);
    assert!(said.events()[0]["breaking"].as_u64().unwrap() > 0);
    fs::remove_file(sandbox.path("old/mika/mika.physics3.json")).unwrap();
    let said = sandbox.expect(1, &["check", "old/mika"]);
    assert!(said.out.contains("mika.physics3.json"), "{}", said.out);
    let mut moc = fs::read(sandbox.path("new/mika/mika.moc3")).unwrap();
    moc.truncate(1000);
    fs::write(sandbox.path("new/mika/mika.moc3"), moc).unwrap();
    let said = sandbox.expect(1, &["check", "new/mika"]);
    assert!(said.err.contains("mika.moc3"), "{}", said.err);
    sandbox.expect(2, &["check", "nowhere"]);
    fs::create_dir(sandbox.path("hollow")).unwrap();
    let said = sandbox.expect(1, &["check", "hollow"]);
    assert!(said.err.contains("holds no .model3.json"), "{}", said.err);
}

#[test]
fn sample_draws_the_same_from_the_same_seed() {
    let sandbox = Sandbox::new();
    let draw = |flags: &[&str]| sandbox.expect(0, &[&["sample", "--size", "256"], flags].concat());
    draw(&["--out", "a.psd", "--seed", "7"]);
    draw(&["--out", "b.psd", "--seed", "7"]);
    draw(&["--out", "c", "--count", "2", "--seed", "7"]);
    let read = |name: &str| fs::read(sandbox.path(name)).unwrap();
    assert!(read("a.psd") == read("b.psd"));
    assert!(read("a.psd") == read("c/sample_0007.psd"));
    assert!(read("a.psd") != read("c/sample_0008.psd"));
    sandbox.expect(2, &["sample", "--out", "d.psd", "--count", "2"]);
    sandbox.expect(2, &["sample", "--out", "d.psd", "--size", "1"]);
    let said = sandbox.expect(2, &["sample", "--out", "d.txt"]);
    assert!(said.err.contains("--count") && !sandbox.path("d.txt").exists(), "{}", said.err);
}

#[test]
fn demo_says_where_everything_is() {
    let sandbox = Sandbox::new();
    let said = sandbox.expect(0, &["demo", "--out", "demo"]);
    for word in ["art", "look", "picture", "texture", "bundle", "report"] {
        let line = said.out.lines().find(|line| line.starts_with(word)).expect(word);
        assert!(sandbox.path(line[word.len()..].trim()).is_file(), "{line}");
    }
}

#[test]
fn help_completions_and_what_is_not_there_yet() {
    let sandbox = Sandbox::new();
    let help = sandbox.expect(0, &["--help"]).out;
    assert!(help.contains("Examples:") && help.contains("Exit status"), "{help}");
    for command in ["build", "plan", "inspect", "check", "diff", "sample", "demo", "cache", "render"] {
        assert!(help.contains(command), "{command}");
        assert!(sandbox.expect(0, &[command, "--help"]).out.contains("Usage"), "{command}");
    }
    assert!(sandbox.expect(0, &["completions", "bash"]).out.contains("rigfarm"));
    sandbox.expect(2, &["nonsense"]);
    sandbox.expect(2, &[]);
}
