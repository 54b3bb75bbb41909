use super::*;

fn source(text: &str) -> Source {
    Source { origin: "studio.toml".to_owned(), text: text.to_owned() }
}

#[track_caller]
fn check_refused(text: &str, sets: &[&str], expected: &str) {
    let sets: Vec<String> = sets.iter().map(|s| (*s).to_owned()).collect();
    let error = load(&[source(text)], &sets).expect_err("must be refused").to_string();
    assert!(error.contains(expected), "{error}");
}

#[test]
fn nothing_is_the_defaults() {
    assert_eq!(load(&[], &[]).unwrap(), Settings::default());
}

#[test]
fn later_sources_win_key_by_key() {
    let low = source("[rig]\nhead_strength = 1.2\n[atlas]\npage_size = 2048\npadding = 4\n");
    let high = source("[atlas]\npage_size = 1024\n");
    let sets = ["rig.profile=classic".to_owned(), "layers.\"front hair\".density=2".to_owned()];
    let settings = load(&[low, high], &sets).unwrap();
    assert_eq!(settings.atlas.page_size, 1024);
    assert_eq!(settings.atlas.padding, 4);
    assert_eq!(settings.rig.head_strength, 1.2);
    assert_eq!(settings.rig.profile, rig::Profile::Classic);
    assert_eq!(settings.layers["front hair"].density, Some(2.0));
}

#[test]
fn unknown_keys_name_the_nearest() {
    check_refused("[rig]\nhead_strenght = 1\n", &[], "did you mean `rig.head_strength`?");
    check_refused("[atlsa]\n", &[], "did you mean `atlas`?");
    check_refused("zzzzzz = 1\n", &[], "unknown setting `zzzzzz`");
    check_refused("[layers.\"a b\"]\nsied = \"l\"\n", &[], "did you mean `layers.\"a b\".side`?");
    check_refused("", &["atlas.pading=2"], "did you mean `atlas.padding`?");
}

#[test]
fn wrong_kinds_and_syntax_are_told() {
    check_refused("[rig\n", &[], "studio.toml");
    check_refused("[rig]\nhead_strength = \"big\"\n", &[], "head_strength");
    check_refused("[rig]\nhead_strength = nan\n", &[], "head_strength");
    check_refused("", &["rig"], "key=value");
}

#[test]
fn the_source_at_fault_is_named() {
    check_refused("[rig]\nhead_strength = 9\n", &[], "studio.toml: rig.head_strength is 9.0");
    check_refused("[rig]\nhead_strength = 1e300\n", &[], "is 1e300, it must be within");
    check_refused("", &["rig.head_strength=9"], "--set rig.head_strength=9: rig.head_strength is 9.0");
    check_refused("", &["rig.head_strength=1e999"], "rig.head_strength must be a number, not \"1e999\"");
    check_refused("", &["rig.head_strength="], "rig.head_strength must be a number, not \"\"");
    check_refused(
        "[motions]\nenabled = 1\n",
        &[],
        "studio.toml: motions.enabled must be true or false, not 1",
    );
    check_refused("[atlas]\npadding = 2.5\n", &[], "atlas.padding must be a whole number");
    check_refused("[rig\n", &[], "studio.toml: line 1, column 5: ");
    check_refused("[export]\nruntime = 9.9\n", &[], "export.runtime");
}

#[test]
fn warning_codes_are_known_ones() {
    let codes = |text: &str| load(&[source(text)], &[]).unwrap().checks.fail_on;
    assert_eq!(codes("[checks]\nfail_on = [\"no-mouth\", \" No-Eyes \"]\n"), ["no-mouth", "no-eyes"]);
    check_refused("[checks]\nfail_on = [\"no-muoth\"]\n", &[], "did you mean `no-mouth`?");
    check_refused("", &["checks.fail_on=[\"audit-triangle\"]"], "no warning code \"audit-triangle\"");
    for (given, expected) in [("", ""), ("*", ""), ("no-muoth", "no-mouth"), ("audit-flips", "")] {
        let error = warning_code("--fail-on", given).unwrap_err().to_string();
        assert!(error.starts_with("--fail-on: ") && error.contains(expected), "{error}");
        assert_eq!(error.contains("did you mean"), !expected.is_empty(), "{error}");
    }
}

#[test]
fn bones_are_read() {
    let text = "[skeleton]\nranges = { ParamArmLA = [-20, 90] }\n[[skeleton.bones]]\nname = \"Cape\"\nhead = [1, 2]\n";
    let skeleton = load(&[source(text)], &[]).unwrap().skeleton;
    assert_eq!(skeleton.ranges["ParamArmLA"], (-20.0, 90.0));
    assert_eq!((skeleton.bones[0].name.as_str(), skeleton.bones[0].head), ("Cape", (1.0, 2.0)));
    check_refused(
        "[skeleton]\nranges = { ParamArmLA = [20, 90] }\n",
        &[],
        "skeleton.ranges.ParamArmLA[0] is 20.0",
    );
    check_refused("[skeleton]\ntolerance = 0.0\n", &[], "skeleton.tolerance is 0.0");
}

#[test]
fn extends_is_read() {
    assert_eq!(extends(&source("extends = \"a.toml\"")).unwrap().as_deref(), Some("a.toml"));
    assert_eq!(extends(&source("[rig]\n")).unwrap(), None);
}

#[test]
fn the_example_names_every_setting_with_its_default() {
    let text = include_str!("../../../deploy/studio.toml");
    assert_eq!(load(&[source(text)], &[]).unwrap(), Settings::default());
    let example: Table = text.parse().unwrap();
    for (group, known) in Settings::schema().iter().filter(|(group, _)| *group != "layers") {
        let written = example[group].as_table().unwrap();
        for key in known.as_table().unwrap().keys().filter(|key| *key != "head_tilt") {
            assert!(written.contains_key(key), "{group}.{key} is not in the example");
        }
    }
}

#[test]
fn a_runtime_may_be_written_as_a_number() {
    let check = |written: &str, meant: &str| {
        let settings = load(&[source(&format!("[export]\nruntime = {written}\n"))], &[]).unwrap();
        assert_eq!(settings, load(&[], &[format!("export.runtime=\"{meant}\"")]).unwrap());
        assert_eq!(settings, load(&[], &[format!("export.runtime={written}")]).unwrap());
        assert_ne!(settings, Settings::default());
    };
    check("4.2", "4.2");
    check("5.0", "5.0");
    check("5", "5.0");
    check("5.3", "5.3");
}
