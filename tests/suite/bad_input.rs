//! Broken and hostile art: a typed failure or a bundle, never a panic, a hang or half a bundle.

#[allow(dead_code, reason = "each suite uses some of it")]
mod sandbox;

use geom::IntRect;
use psd::{Blend, Layer, LayerKind, Pixels};
use raster::Rgba;
use sandbox::{Sandbox, TinyDisk, file_of, sample};

fn layer(name: &str, alpha: u8) -> Layer {
    let image = Rgba::from_pixels(32, 32, [200, 120, 80, alpha].repeat(32 * 32)).unwrap();
    Layer {
        id: None,
        name: name.to_owned(),
        visible: true,
        opacity: 255,
        fill: 255,
        blend: Blend::Normal,
        clipping: false,
        mask: None,
        kind: LayerKind::Pixels(Pixels { rect: IntRect { left: 16, top: 16, right: 48, bottom: 48 }, image }),
    }
}

/// Builds one file beside a good one: the good one is delivered, the bad one fails and is named.
#[track_caller]
fn check_fails(art: &[u8], hint: &str) {
    let sandbox = Sandbox::new();
    sandbox.write("chars/bad.psd", art);
    sandbox.art("chars/good.psd", 1);
    let said = sandbox.expect(1, &["build", "chars", "--out", "dist"]);
    assert!(said.err.contains("chars/bad.psd") && said.err.contains(hint), "{}", said.err);
    assert!(!sandbox.path("dist/bad").exists());
    assert!(sandbox.path("dist/good/good.model3.json").is_file());
}

#[test]
fn files_that_are_no_art() {
    check_fails(b"", "");
    check_fails(b"no art at all", "not a PSD");
    check_fails(b"8BPS", "");
    check_fails(&sample(1)[..3000], "");
}

#[test]
fn truncated_anywhere() {
    let sandbox = Sandbox::new();
    let whole = sample(1);
    // Each length is a character of one batch: the process must survive all of them.
    for (number, length) in (0..whole.len()).step_by(whole.len() / 24).enumerate() {
        sandbox.write(&format!("chars/cut{number:02}.psd"), &whole[..length]);
    }
    let said = sandbox.expect(1, &["build", "chars", "--out", "dist"]);
    assert!(!said.err.contains("stopped on a bug"), "{}", said.err);
    let batch = sandbox.json("dist/batch.report.json");
    let rows = batch["characters"].as_array().unwrap();
    assert_eq!(rows.len(), std::fs::read_dir(sandbox.path("chars")).unwrap().count());
    for row in rows {
        let name = row["name"].as_str().unwrap();
        let delivered = row["state"] == "built" || row["state"] == "faulty";
        assert_eq!(sandbox.path("dist").join(name).exists(), delivered, "{row}");
    }
}

#[test]
fn a_canvas_of_300000_pixels() {
    let sandbox = Sandbox::new();
    let mut art = sample(1);
    art[14..22].copy_from_slice(&[0, 4, 0x93, 0xe0, 0, 4, 0x93, 0xe0]);
    // Layers are small, whatever the canvas says: nothing of its size is ever allocated.
    sandbox.write("wide.psd", &art);
    let said = sandbox.run(&["build", "wide.psd", "--out", "dist"]);
    assert!([0, 1].contains(&said.status) && !said.err.contains("stopped on a bug"), "{}", said.err);
    art[17] = 0xe1;
    check_fails(&art, "300001");
}

#[test]
fn ten_thousand_layers() {
    let sandbox = Sandbox::new();
    let layers: Vec<Layer> = (0..10_000)
        .map(|number| {
            let mut one = layer(&format!("layer {number}"), 255);
            let image = Rgba::from_pixels(1, 1, vec![9, 9, 9, 255]).unwrap();
            one.kind =
                LayerKind::Pixels(Pixels { rect: IntRect { left: 5, top: 5, right: 6, bottom: 6 }, image });
            one
        })
        .collect();
    sandbox.write("many.psd", file_of(layers));
    let said = sandbox.run(&["build", "many.psd", "--out", "dist"]);
    assert!([0, 1].contains(&said.status), "{}", said.err);
    assert!(!said.err.contains("panicked") && !said.err.contains("stopped on a bug"), "{}", said.err);
}

#[test]
fn a_channel_that_unzips_to_far_more_than_it_says() {
    let options = psd::WriteOptions { compression: psd::Compression::Zip, ..psd::WriteOptions::default() };
    let document = psd::read(&file_of(vec![layer("face", 255)]), &psd::Limits::default()).unwrap();
    let mut art = psd::write(&document, &options).unwrap();
    let stream = art.windows(2).position(|w| w == [0x78, 0x9c] || w == [0x78, 0x01] || w == [0x78, 0xda]);
    let stream = stream.expect("a ZIP stream");
    // A stored block that announces 65535 bytes where the rectangle has 1024.
    art[stream + 2..stream + 7].copy_from_slice(&[0, 0xff, 0xff, 0, 0]);
    check_fails(&art, "");
}

#[test]
fn nothing_to_see() {
    check_fails(&file_of(vec![layer("face", 0)]), "");
    check_fails(&file_of(vec![Layer { kind: LayerKind::Group(Vec::new()), ..layer("folder", 255) }]), "");
}

#[test]
fn odd_names_of_layers() {
    let sandbox = Sandbox::new();
    let long = "x".repeat(5000);
    let names = [
        "a/b",
        "..",
        "../../etc/passwd",
        "nul\0inside",
        "🦊 emoji 🦊",
        &long,
        "",
        " ",
        "face",
        "FACE",
        "face",
    ];
    let layers = names.iter().map(|name| layer(name, 255)).collect();
    sandbox.write("odd.psd", file_of(layers));
    let said = sandbox.run(&["build", "odd.psd", "--out", "deep/dist"]);
    assert!([0, 1].contains(&said.status), "{}", said.err);
    assert!(!said.err.contains("panicked") && !said.err.contains("stopped on a bug"), "{}", said.err);
    assert!(!sandbox.path("etc").exists());
    if said.status == 0 {
        sandbox.expect(0, &["check", "deep/dist/odd"]);
    }
}

#[test]
fn odd_names_of_files() {
    let sandbox = Sandbox::new();
    let long = "n".repeat(240);
    for name in ["🦊", "a b'c", "名前", "..hidden", "-dash", &long] {
        sandbox.art(&format!("chars/x{name}.psd"), 1);
    }
    sandbox.expect(0, &["build", "chars", "--out", "dist"]);
    let batch = sandbox.json("dist/batch.report.json");
    for row in batch["characters"].as_array().unwrap() {
        let folder = sandbox.path("dist").join(row["bundle"].as_str().unwrap());
        assert!(folder.is_dir(), "{row}");
    }
}

#[test]
fn an_out_folder_that_cannot_be_written() {
    let sandbox = Sandbox::new();
    sandbox.art("mika.psd", 1);
    sandbox.write("file", "in the way");
    let said = sandbox.expect(2, &["build", "mika.psd", "--out", "file/dist"]);
    assert!(said.err.contains("file/dist"), "{}", said.err);
    let said = sandbox.expect(2, &["build", "mika.psd", "--out", "/proc/rigfarm"]);
    assert!(said.err.contains("/proc/rigfarm"), "{}", said.err);
}

#[test]
fn a_character_in_whose_place_a_file_is() {
    let sandbox = Sandbox::new();
    sandbox.art("chars/mika.psd", 1);
    sandbox.art("chars/nora.psd", 2);
    sandbox.write("dist/mika", "in the way");
    let said = sandbox.expect(1, &["build", "chars", "--out", "dist"]);
    assert!(said.err.contains("dist/mika"), "{}", said.err);
    assert_eq!(std::fs::read(sandbox.path("dist/mika")).unwrap(), b"in the way");
    assert!(sandbox.path("dist/nora/nora.moc3").is_file());
}

#[test]
fn a_full_disk_under_the_out_folder() {
    let sandbox = Sandbox::new();
    sandbox.art("mika.psd", 1);
    let Some(tiny) = TinyDisk::mount(&sandbox) else {
        println!("skipped: a file system of its own cannot be mounted here");
        return;
    };
    let said = sandbox.expect(1, &["build", "mika.psd", "--out", "tiny/dist"]);
    assert!(said.err.contains("tiny/dist/mika") && said.err.contains("space"), "{}", said.err);
    assert!(!sandbox.path("tiny/dist/mika").exists());
    drop(tiny);
}

#[test]
fn characters_of_different_names_never_share_a_folder() {
    let sandbox = Sandbox::new();
    let names = ["mika", "mika★", "mika☆", &format!("{}1", "n".repeat(90)), &format!("{}2", "n".repeat(90))];
    for (seed, name) in names.iter().enumerate() {
        sandbox.art(&format!("{name}.psd"), seed as u64 + 1);
        sandbox.expect(0, &["build", &format!("{name}.psd"), "--out", "dist"]);
    }
    let folders =
        std::fs::read_dir(sandbox.path("dist")).unwrap().filter(|e| e.as_ref().unwrap().path().is_dir());
    assert_eq!(folders.count(), names.len());
    assert!(sandbox.path("dist/mika/mika.moc3").is_file());
    sandbox.art("chars/batch.report.json.psd", 1);
    sandbox.expect(0, &["build", "chars", "--out", "apart"]);
    assert!(sandbox.path("apart/batch.report.json").is_file());
}

#[test]
fn art_over_the_limit_names_the_setting() {
    let sandbox = Sandbox::new();
    let mut large = layer("face", 255);
    let rect = IntRect { left: 0, top: 0, right: 600, bottom: 600 };
    large.kind = LayerKind::Pixels(Pixels { rect, image: Rgba::new(600, 600) });
    sandbox.write("mika.psd", file_of(vec![large]));
    let said = sandbox.expect(1, &["build", "mika.psd", "--out", "dist", "--set", "import.max_pixels_mib=1"]);
    assert!(said.err.contains("import.max_pixels_mib"), "{}", said.err);
}
