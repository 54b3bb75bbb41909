//! Pictures: beside those of the official renderer, and of whole batches.

#[allow(dead_code, reason = "each suite uses some of it")]
mod sandbox;

use std::fs;
use std::path::Path;
use std::process::Command;

use moc3::model::Model;
use preview::Scene;
use raster::Rgba;
use sandbox::{Sandbox, contents, shared_data};
use serde_json::{Map, Value, json};

/// Largest mean difference over the silhouette, of 255. Other shares of the texture copies than theirs exceed it.
const CLOSE: f64 = 0.42;
/// Longer sides of the pictures compared; the last is about a canvas's own.
const SIZES: [u32; 2] = [512, 1280];
/// Poses beside that of rest.
const POSES: u64 = 2;

#[test]
fn pictures_are_those_of_the_official_renderer() {
    let Some(data) = shared_data() else {
        println!("skipped: there is no shared data; RIGFARM_DATA names its folder");
        return;
    };
    let tool = data.join("../tools/oracle/oracle.py");
    for name in ["puppetloom_semantic", "puppetloom_blue_whale_maid"] {
        let sandbox = Sandbox::new();
        let art = data.join("characters").join(format!("{name}.psd"));
        sandbox.expect(0, &["build", art.to_str().unwrap(), "--out", "dist"]);
        let folder = sandbox.path(&format!("dist/{name}"));
        let document = folder.join(format!("{name}.model3.json"));
        let model = Model::from_bytes(&fs::read(folder.join(format!("{name}.moc3"))).unwrap()).unwrap();
        let scene = Scene::new(&model, pages(&document)).unwrap();
        let poses = poses(&model);
        let batch = sandbox.write("poses.json", Value::Object(poses.clone()).to_string());
        for size in SIZES {
            let shown = sandbox.path(&format!("official-{size}"));
            let mut official = Command::new("python3");
            official.arg(&tool).arg("render").arg(&document).arg("--batch").arg(&batch);
            let said = official.arg("--out").arg(&shown).args(["--size", &size.to_string()]).output();
            if !said.as_ref().is_ok_and(|said| said.status.success()) {
                println!("skipped: the official renderer does not run here");
                return;
            }
            for (pose, values) in &poses {
                let theirs =
                    atlas::decode_png(&fs::read(shown.join(format!("{pose}.png"))).unwrap()).unwrap();
                let difference = difference(&ours(&scene, values, size), &theirs);
                assert!(difference <= CLOSE, "{name}, {pose}, {size} px: {difference:.3}");
            }
        }
    }
}

fn pages(document: &Path) -> Vec<Rgba> {
    let value: Value = serde_json::from_slice(&fs::read(document).unwrap()).unwrap();
    let names = value["FileReferences"]["Textures"].as_array().unwrap().clone();
    let page = |name: &Value| fs::read(document.with_file_name(name.as_str().unwrap())).unwrap();
    names.iter().map(|name| atlas::decode_png(&page(name)).unwrap()).collect()
}

/// The resting pose and some in which every parameter is anywhere in its range.
fn poses(model: &Model) -> Map<String, Value> {
    let mut state = 7u64;
    let mut share = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f32 / (1u32 << 24) as f32
    };
    let mut pose = |_| -> Value {
        let values = model.parameters.iter().map(|p| {
            let value = p.minimum + (p.maximum - p.minimum) * share();
            (p.id.clone(), json!(value))
        });
        Value::Object(values.collect())
    };
    let mut poses = Map::from_iter([("rest".to_owned(), json!({}))]);
    poses.extend((0..POSES).map(|k| (format!("pose-{k}"), pose(k))));
    poses
}

fn ours(scene: &Scene, values: &Value, size: u32) -> Rgba {
    let values = values.as_object().unwrap();
    let values = values.iter().map(|(id, value)| (id.as_str(), value.as_f64().unwrap() as f32));
    scene.render(&scene.pose(values).unwrap(), size).unwrap()
}

/// Mean over the channels of the pixels that either shows, premultiplied.
#[track_caller]
fn difference(a: &Rgba, b: &Rgba) -> f64 {
    assert_eq!((a.width(), a.height()), (b.width(), b.height()));
    let premultiplied = |p: &[u8; 4]| p.map(|v| f64::from(v) * f64::from(p[3]) / 255.0);
    let (mut sum, mut pixels) = (0.0, 0u32);
    for (p, q) in a.pixels().as_chunks::<4>().0.iter().zip(b.pixels().as_chunks::<4>().0) {
        if p[3] == 0 && q[3] == 0 {
            continue;
        }
        pixels += 1;
        let (x, y) = (premultiplied(p), premultiplied(q));
        sum += (0..3).map(|c| (x[c] - y[c]).abs()).sum::<f64>();
        sum += (f64::from(p[3]) - f64::from(q[3])).abs();
    }
    assert!(pixels > 1000, "nothing is shown");
    sum / f64::from(pixels * 4)
}

#[test]
fn a_batch_has_one_sheet_however_it_was_built() {
    let sandbox = Sandbox::new();
    sandbox.art("art/aki.psd", 1);
    sandbox.art("art/more/mika.psd", 2);
    sandbox.expect(0, &["build", "art", "--out", "one", "--targets", "moc3,preview", "--slots", "1"]);
    let again = ["build", "art/more/mika.psd", "art/aki.psd", "--out", "two", "--targets", "preview"];
    sandbox.expect(0, &again[..]);
    // Named as files, both lie at the top.
    let names = |folder: &str| -> Vec<String> { contents(&sandbox.path(folder)).into_keys().collect() };
    assert!(names("one").contains(&"more/mika/preview/index.html".to_owned()), "{:?}", names("one"));
    let page = fs::read_to_string(sandbox.path("one/index.html")).unwrap();
    let first = page.find("\"aki/preview/index.html\"").unwrap();
    assert!(first < page.find("\"more/mika/preview/index.html\"").unwrap());
    let picture = |folder: &str| fs::read(sandbox.path(folder).join("contact.png")).unwrap();
    let shown = atlas::decode_png(&picture("one")).unwrap();
    assert_eq!(shown.width(), 512);
    sandbox.expect(0, &["build", "art", "--out", "three", "--targets", "preview", "--no-cache"]);
    assert_eq!(picture("one"), picture("three"));
    assert_eq!(page, fs::read_to_string(sandbox.path("three/index.html")).unwrap());
    // The bundles' own pages are the same, too, and need no other file.
    let own = |folder: &str| fs::read_to_string(sandbox.path(folder)).unwrap();
    let page = own("one/aki/preview/index.html");
    assert_eq!(page, own("three/aki/preview/index.html"));
    assert!(page.matches("src=\"").count() == page.matches("src=\"data:image/png;base64,").count());
}
