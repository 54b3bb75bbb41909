//! Settings from flags and files, and what is wrong with them.

#[allow(dead_code, reason = "each suite uses some of it")]
mod sandbox;

use sandbox::Sandbox;

/// Page size of a build with some settings files and flags.
#[track_caller]
fn check(files: &[(&str, &str)], flags: &[&str], expected: u32) {
    let sandbox = Sandbox::new();
    sandbox.art("mika.psd", 1);
    for (name, text) in files {
        sandbox.write(name, text);
    }
    sandbox.expect(0, &[&["build", "mika.psd", "--out", "dist"], flags].concat());
    assert_eq!(sandbox.json("dist/mika/mika.report.json")["atlas"]["page_size"], expected);
    assert!(sandbox.path(&format!("dist/mika/mika.{expected}/texture_00.png")).is_file());
}

#[test]
fn flags_win_over_files_beside_the_art_over_shared_files_over_defaults() {
    let studio = ("studio.toml", "[atlas]\npage_size = 1024\npadding = 3\n");
    let shared = ("shared.toml", "extends = \"studio.toml\"\n");
    let own = ("mika.toml", "[atlas]\npage_size = 512\n");
    check(&[], &[], 4096);
    check(&[studio, shared], &["--settings", "shared.toml"], 1024);
    check(&[studio, shared, own], &["--settings", "shared.toml"], 512);
    check(&[studio, shared, own], &["--settings", "shared.toml", "--set", "atlas.page_size=2048"], 2048);
    check(&[], &["--set", "atlas.page_size=512", "--set", "atlas.page_size=1024"], 1024);
}

#[test]
fn mistakes_in_flags_are_usage_errors() {
    let sandbox = Sandbox::new();
    sandbox.art("mika.psd", 1);
    sandbox.write("bad.toml", "[rig]\nhed_strength = 1.0\n");
    sandbox.write("worse.toml", "[rig\n");
    sandbox.write("loop.toml", "extends = \"loop.toml\"\n");
    let check = |flags: &[&str], hint: &str| {
        let said = sandbox.expect(2, &[&["build", "mika.psd", "--out", "dist"], flags].concat());
        assert!(said.err.contains(hint), "{flags:?}: {}", said.err);
        assert!(!sandbox.path("dist/mika").exists());
    };
    check(&["--set", "rig.hed_strength=1"], "rig.head_strength");
    check(&["--set", "rig.head_strength=9"], "rig.head_strength");
    check(&["--set", "nothing"], "key=value");
    check(&["--settings", "bad.toml"], "rig.head_strength");
    check(&["--settings", "worse.toml"], "worse.toml");
    check(&["--settings", "loop.toml"], "without end");
    check(&["--settings", "absent.toml"], "absent.toml");
    check(&["--targets", "cmo3"], "moc3");
    check(&["--targets", "moc3,nonsense"], "nonsense");
    check(&["--coordinator", "ftp://farm"], "write http://HOST:PORT");
    check(&["--slots", "0"], "--slots");
    check(&["--store", "ftp://x"], "known are file:///");
    check(&["--store", "file:"], "three slashes");
    check(&["--store", "file:///"], "the root of the file system");
    check(&["--store", "memory:cache"], "behind `memory:`");
    check(&["--fail-on", "no-eyes,no-muoth"], "did you mean `no-mouth`?");
    check(&["--fail-on", ""], "--fail-on");
    check(&["--set", "checks.fail_on=[\"no-muoth\"]"], "did you mean `no-mouth`?");
    check(&["--flag"], "--flag");
}

#[test]
fn a_mistake_beside_the_art_fails_that_character_alone() {
    let sandbox = Sandbox::new();
    sandbox.art("chars/mika.psd", 1);
    sandbox.art("chars/nora.psd", 2);
    sandbox.write("chars/mika.toml", "[atlas]\npage_sise = 512\n");
    let said = sandbox.expect(1, &["build", "chars", "--out", "dist"]);
    assert!(said.err.contains("mika.toml") && said.err.contains("atlas.page_size"), "{}", said.err);
    assert!(!sandbox.path("dist/mika").exists());
    assert!(sandbox.path("dist/nora/nora.moc3").is_file());
}

#[test]
fn what_stands_in_the_place_of_settings_is_told_of() {
    let sandbox = Sandbox::new();
    sandbox.art("mika.psd", 1);
    let check = |extended: &str, hint: &str| {
        let said = sandbox.expect(1, &["build", "mika.psd", "--out", "dist"]);
        assert!(said.err.contains(hint), "{extended}: {}", said.err);
    };
    let beside = sandbox.path("mika.toml");
    std::fs::create_dir(&beside).unwrap();
    check("a folder", "mika.toml: is not a file");
    std::fs::remove_dir(&beside).unwrap();
    std::os::unix::fs::symlink("/nowhere.toml", &beside).unwrap();
    check("a dangling link", "mika.toml: No such file");
    std::fs::remove_file(&beside).unwrap();
    sandbox.pipe("mika.toml");
    check("a pipe", "mika.toml: is not a file");
    std::fs::remove_file(&beside).unwrap();
    for device in ["/dev/zero", "pipe.toml"] {
        sandbox.pipe("pipe.toml");
        sandbox.write("mika.toml", format!("extends = \"{device}\"\n"));
        check(device, "is not a file");
        std::fs::remove_file(sandbox.path("pipe.toml")).unwrap();
    }
}

#[test]
fn codes_are_taken_as_people_type_them() {
    let sandbox = Sandbox::new();
    sandbox.art("mika.psd", 1);
    sandbox.expect(0, &["build", "mika.psd", "--out", "dist", "--fail-on", "no-mouth, NO-EYES"]);
}

#[test]
fn inputs_that_cannot_be_are_usage_errors() {
    let sandbox = Sandbox::new();
    sandbox.art("a/mika.psd", 1);
    sandbox.art("b/mika.psd", 1);
    sandbox.write("notes.txt", "no art");
    std::fs::create_dir(sandbox.path("empty")).unwrap();
    let check = |inputs: &[&str], hints: &[&str]| {
        let said = sandbox.expect(2, &[&["build"], inputs, &["--out", "dist"]].concat());
        assert!(hints.iter().all(|hint| said.err.contains(hint)), "{}", said.err);
    };
    check(&["a/mika.psd", "b/mika.psd"], &["a/mika.psd", "b/mika.psd"]);
    check(&["absent.psd"], &["absent.psd"]);
    check(&["notes.txt"], &["notes.txt"]);
    check(&["empty"], &["empty"]);
    let said = sandbox.expect(2, &["build", "a/mika.psd"]);
    assert!(said.err.contains("--out"), "{}", said.err);
    let said = sandbox.expect(2, &["build", "a/mika.psd", "--out", "notes.txt"]);
    assert!(said.err.contains("notes.txt"), "{}", said.err);
}
