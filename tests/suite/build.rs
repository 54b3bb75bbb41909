//! `rigfarm build`: what is delivered, what runs, and that bytes depend on nothing but the input.

#[allow(dead_code, reason = "each suite uses some of it")]
mod sandbox;

use std::collections::BTreeMap;
use std::fs;

use sandbox::{Sandbox, altered, contents, sample};

#[test]
fn the_bundle_is_complete_and_every_framework_reads_it() {
    let sandbox = Sandbox::new();
    sandbox.art("mika.psd", 1);
    sandbox.expect(0, &["build", "mika.psd", "--out", "dist"]);
    let model = sandbox.json("dist/mika/mika.model3.json");
    let files = &model["FileReferences"];
    let named = [&files["Moc"], &files["Physics"], &files["DisplayInfo"], &files["Textures"][0]];
    for file in named {
        let file = file.as_str().unwrap();
        assert!(sandbox.path(&format!("dist/mika/{file}")).is_file(), "{file}");
    }
    for motion in ["idle", "blink", "nod", "shake"] {
        assert!(sandbox.path(&format!("dist/mika/motions/{motion}.motion3.json")).is_file(), "{motion}");
    }
    let groups: Vec<&str> =
        model["Groups"].as_array().unwrap().iter().filter_map(|g| g["Name"].as_str()).collect();
    assert_eq!(groups, ["EyeBlink", "LipSync"]);
    let report = sandbox.json("dist/mika/mika.report.json");
    for key in ["layers", "warnings", "counts", "atlas", "audits", "digests", "run"] {
        assert!(!report[key].is_null(), "{key}");
    }
    assert!(
        report["audits"].as_array().unwrap().iter().all(|audit| audit["ok"] == true),
        "{}",
        report["audits"]
    );
    let delivered = contents(&sandbox.path("dist/mika"));
    let listed = report["digests"].as_object().unwrap();
    for (path, bytes) in delivered.iter().filter(|(path, _)| *path != "mika.report.json") {
        assert_eq!(listed[path], canonical::Digest::of(bytes).to_hex(), "{path}");
    }
    assert_eq!(listed.len() + 1, delivered.len());
    for (path, bytes) in delivered.iter().filter(|(path, _)| path.ends_with("3.json")) {
        check_dialect(path, std::str::from_utf8(bytes).unwrap());
    }
}

/// JSON for parsers that are less than one: a value a line, the comma right behind it, no exponents, no `\u`.
fn check_dialect(path: &str, text: &str) {
    for line in text.lines().map(str::trim) {
        let plain = line.trim_end_matches(',');
        let value = plain.rsplit("\": ").next().unwrap();
        let is_number = value.starts_with(|c: char| c == '-' || c.is_ascii_digit());
        assert!(
            !is_number || value.chars().all(|c| c == '-' || c == '.' || c.is_ascii_digit()),
            "{path}: {line}"
        );
        assert!(!line.contains("\\u"), "{path}: {line}");
        assert!(is_number || !plain.contains(','), "{path}: two values in a line: {line}");
    }
    assert!(text.ends_with("}\n"), "{path}");
}

#[test]
fn a_second_build_runs_nothing_and_touches_nothing() {
    let sandbox = Sandbox::new();
    sandbox.art("mika.psd", 1);
    sandbox.expect(0, &["build", "mika.psd", "--out", "dist"]);
    let moc = sandbox.path("dist/mika/mika.moc3");
    let before = (fs::metadata(&moc).unwrap().modified().unwrap(), contents(&sandbox.path("dist/mika")));
    let said = sandbox.expect(0, &["build", "mika.psd", "--out", "dist", "--json"]);
    assert!(said.nodes().values().all(|state| state == "hit"), "{:?}", said.nodes());
    let summary = said.events().pop().unwrap();
    assert_eq!((&summary["event"], &summary["jobs"]["run"]), (&"summary".into(), &0.into()));
    let report = sandbox.json("dist/mika/mika.report.json");
    assert_eq!(report["run"]["jobs"]["run"], 0);
    assert_eq!(report["run"]["jobs"]["cached"], said.nodes().len());
    let after = (fs::metadata(&moc).unwrap().modified().unwrap(), contents(&sandbox.path("dist/mika")));
    assert!(before == after);
}

/// Which nodes are not hits after a change of the art, and how they ended.
#[track_caller]
fn check_stale(change: &[u8], expected: &[(&str, &str)]) {
    let sandbox = Sandbox::new();
    sandbox.art("mika.psd", 1);
    sandbox.expect(0, &["build", "mika.psd", "--out", "dist"]);
    sandbox.write("mika.psd", change);
    let plan = sandbox.expect(0, &["plan", "mika.psd", "--json"]);
    let first = &plan.events()[0];
    assert_eq!((&first["node"], &first["state"]), (&"ingest".into(), &"run".into()));
    let said = sandbox.expect(0, &["build", "mika.psd", "--out", "dist", "--json"]);
    let stale: BTreeMap<String, String> =
        said.nodes().into_iter().filter(|(_, state)| state != "hit").collect();
    let expected: BTreeMap<String, String> =
        expected.iter().map(|(node, state)| ((*node).to_owned(), (*state).to_owned())).collect();
    assert_eq!(stale, expected);
    for event in said.events().iter().filter(|event| event["event"] == "job") {
        let reason = match event["state"].as_str().unwrap() {
            "run" => "no cached result",
            _ => "result in the cache",
        };
        assert_eq!(event["reason"], reason, "{event}");
    }
}

#[test]
fn a_repainted_layer_runs_only_what_reads_its_pixels() {
    let repainted = altered(1, |layer| {
        if let psd::LayerKind::Pixels(pixels) = &mut layer.kind
            && layer.name == "topwear"
        {
            let recoloured: Vec<u8> =
                (pixels.image.pixels().chunks_exact(4)).flat_map(|p| [p[1], p[2], p[0], p[3]]).collect();
            let (width, height) = (pixels.image.width(), pixels.image.height());
            pixels.image = raster::Rgba::from_pixels(width, height, recoloured).unwrap();
        }
    });
    assert!(repainted != sample(1), "the layer is there");
    check_stale(
        &repainted,
        &[
            ("ingest", "run"),
            ("rig", "run"),
            ("rig/arm-l", "cut-off"),
            ("rig/arm-r", "cut-off"),
            ("rig/leg-l", "cut-off"),
            ("rig/leg-r", "cut-off"),
            ("rig/gather", "cut-off"),
            ("author", "cut-off"),
            ("finish", "cut-off"),
            ("atlas-layout", "cut-off"),
            ("pack-moc3", "cut-off"),
            ("pages", "run"),
            ("pages/page-00", "run"),
            ("pages/gather", "run"),
            ("bundle", "run"),
        ],
    );
}

#[test]
fn art_saved_in_another_way_is_read_and_nothing_else() {
    let document = psd::read(&sample(1), &psd::Limits::default()).unwrap();
    let options = psd::WriteOptions { compression: psd::Compression::Raw, ..psd::WriteOptions::default() };
    let saved = psd::write(&document, &options).unwrap();
    let rest = [
        "rig",
        "rig/arm-l",
        "rig/arm-r",
        "rig/leg-l",
        "rig/leg-r",
        "rig/gather",
        "author",
        "finish",
        "atlas-layout",
        "pack-moc3",
        "pages",
        "pages/page-00",
        "pages/gather",
        "bundle",
    ];
    let mut expected: Vec<(&str, &str)> = rest.map(|node| (node, "cut-off")).into();
    expected.push(("ingest", "run"));
    check_stale(&saved, &expected);
}

#[test]
fn bytes_depend_on_the_input_alone() {
    let sandbox = Sandbox::new();
    sandbox.art("a/mika.psd", 2);
    sandbox.art("other folder/mika.psd", 2);
    sandbox.expect(0, &["build", "a/mika.psd", "--out", "reference"]);
    let reference = contents(&sandbox.path("reference/mika"));
    let check = |name: &str, input: &str, flags: &[&str], env: &[(&str, &str)]| {
        let out = format!("out-{name}");
        let mut command = sandbox.command(&["build", input, "--out", &out]);
        let output = command.args(flags).envs(env.iter().copied()).output().unwrap();
        assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
        let found = contents(&sandbox.path(&out).join("mika"));
        let differing: Vec<&String> =
            reference.keys().filter(|key| found.get(*key) != reference.get(*key)).collect();
        assert!(differing.is_empty() && found.len() == reference.len(), "{name}: {differing:?}");
    };
    let cold = ["--store", "memory:"];
    check("warm", "a/mika.psd", &[], &[]);
    check("no-cache", "a/mika.psd", &["--no-cache"], &[]);
    check("cold", "a/mika.psd", &cold, &[]);
    check("one", "a/mika.psd", &["--store", "memory:", "--slots", "1", "--threads", "1"], &[]);
    check("two", "a/mika.psd", &["--store", "memory:", "--slots", "2", "--threads", "2"], &[]);
    check("many", "a/mika.psd", &["--store", "memory:", "--slots", "7", "--threads", "5"], &[]);
    check("folder", "other folder/mika.psd", &cold, &[]);
    let elsewhere = [("TZ", "Asia/Tokyo"), ("LANG", "de_DE.UTF-8"), ("LC_ALL", "tr_TR.UTF-8"), ("HOME", "/")];
    check("environment", "a/mika.psd", &cold, &elsewhere);
}

#[test]
fn no_cache_reads_nothing_and_writes_all() {
    let sandbox = Sandbox::new();
    sandbox.art("mika.psd", 1);
    let all = ["build", "mika.psd", "--out", "dist", "--json", "--no-cache"];
    for _ in 0..2 {
        let said = sandbox.expect(0, &all);
        assert!(said.nodes().values().all(|state| state == "run"), "{:?}", said.nodes());
    }
    let said = sandbox.expect(0, &all[..5]);
    assert!(said.nodes().values().all(|state| state == "hit"), "{:?}", said.nodes());
}

#[test]
fn a_users_files_stay_and_stale_ones_go() {
    let sandbox = Sandbox::new();
    sandbox.art("mika.psd", 1);
    sandbox.expect(0, &["build", "mika.psd", "--out", "dist"]);
    sandbox.write("dist/mika/mika.vtube.json", "mine");
    sandbox.write("dist/mika/motions/mine.motion3.json", "mine");
    sandbox.expect(0, &["build", "mika.psd", "--out", "dist", "--set", "motions.enabled=false"]);
    let names: Vec<String> = contents(&sandbox.path("dist/mika")).into_keys().collect();
    let motions: Vec<&String> = names.iter().filter(|name| name.starts_with("motions/")).collect();
    assert_eq!(motions, ["motions/mine.motion3.json"]);
    assert!(names.contains(&"mika.vtube.json".to_owned()));
    let beside: Vec<_> =
        fs::read_dir(sandbox.path("dist")).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(beside.len(), 2, "{beside:?}");
}

#[test]
fn a_batch_is_told_row_by_row() {
    let sandbox = Sandbox::new();
    sandbox.art("chars/mika.psd", 1);
    sandbox.art("chars/sub/nora.psd", 2);
    sandbox.write("chars/broken.psd", "no art at all");
    let all = ["build", "chars", "--out", "dist", "--json", "--junit", "r.xml"];
    let said = sandbox.expect(1, &all);
    let batch = sandbox.json("dist/batch.report.json");
    let rows: Vec<(&str, &str)> = (batch["characters"].as_array().unwrap().iter())
        .map(|row| (row["name"].as_str().unwrap(), row["state"].as_str().unwrap()))
        .collect();
    assert_eq!(rows, [("broken", "failed"), ("mika", "built"), ("sub/nora", "built")]);
    for row in batch["characters"].as_array().unwrap() {
        let keys = ["seconds", "hits", "worst_audit", "warnings"];
        assert!(keys.iter().all(|key| row.get(key).is_some()), "{row}");
    }
    assert!(batch["characters"][0]["error"]["message"].as_str().unwrap().contains("broken.psd"));
    assert!(sandbox.path("dist/sub/nora/nora.model3.json").is_file());
    assert!(!sandbox.path("dist/broken").exists());
    let junit = fs::read_to_string(sandbox.path("r.xml")).unwrap();
    assert!(junit.contains("tests=\"3\" failures=\"0\" errors=\"1\""), "{junit}");
    let kinds: Vec<String> =
        said.events().iter().map(|event| event["event"].as_str().unwrap().to_owned()).collect();
    assert_eq!((kinds[0].as_str(), kinds[kinds.len() - 1].as_str()), ("started", "summary"));
    let known = ["started", "character", "job", "warning", "summary"];
    assert!(kinds.iter().all(|kind| known.contains(&kind.as_str())), "{kinds:?}");

    sandbox.art("chars/broken.psd", 3);
    let said = sandbox.expect(0, &[&all[..], &["--only-failed"]].concat());
    assert_eq!(said.events()[0]["characters"], serde_json::json!(["broken"]));
    let batch = sandbox.json("dist/batch.report.json");
    assert!(batch["characters"].as_array().unwrap().iter().all(|row| row["state"] == "built"), "{batch}");
}

#[test]
fn what_is_not_accepted_is_delivered_all_the_same() {
    let sandbox = Sandbox::new();
    let without_mouth = altered(1, |layer| {
        if layer.name.contains("mouth") || layer.name.contains("teeth") || layer.name.contains("tongue") {
            layer.name = "zzz".to_owned();
        }
    });
    sandbox.write("mika.psd", without_mouth);
    let codes = sandbox.expect(0, &["build", "mika.psd", "--out", "dist", "--json"]).warnings();
    let code = codes.first().expect("something to warn of").clone();
    let said = sandbox.expect(
        1,
        &["build", "mika.psd", "--out", "other", "--json", "--fail-on", &format!("no-eyes,{code}")],
    );
    let row = said.events().into_iter().find(|event| event["event"] == "character").unwrap();
    assert_eq!(row["state"], "faulty");
    assert!(row["faults"][0].as_str().unwrap().contains(&code));
    assert!(sandbox.path("other/mika/mika.model3.json").is_file());
    let checks = format!("checks.fail_on=[\"{code}\"]");
    sandbox.expect(1, &["build", "mika.psd", "--out", "third", "--set", &checks]);
}

#[test]
fn pictures_are_a_target_of_their_own() {
    let sandbox = Sandbox::new();
    sandbox.art("mika.psd", 1);
    let build = |targets: &str| {
        let said = sandbox.expect(0, &["build", "mika.psd", "--out", "dist", "--targets", targets, "--json"]);
        said.nodes().into_iter().filter(|(_, state)| state != "hit").count()
    };
    build("moc3");
    assert!(!sandbox.path("dist/mika/preview").exists());
    assert_eq!(build("moc3,preview"), 1, "the pictures alone are made");
    let pictures = contents(&sandbox.path("dist/mika/preview"));
    assert!(pictures.keys().any(|name| name.ends_with(".png")), "{:?}", pictures.keys());
    assert_eq!(build("moc3,preview"), 0);
    sandbox.expect(0, &["check", "dist/mika"]);
}

#[test]
fn the_summary_names_hits_and_time_saved() {
    let sandbox = Sandbox::new();
    sandbox.art("mika.psd", 1);
    sandbox.expect(0, &["build", "mika.psd", "--out", "dist"]);
    let said = sandbox.expect(0, &["build", "mika.psd", "--out", "dist"]);
    assert!(said.out.is_empty(), "{}", said.out);
    assert!(said.err.contains("15 of 15 from cache") && said.err.contains("s saved"), "{}", said.err);
    assert!(!said.err.contains('\x1b'), "no colours where no terminal is");
}
