//! What a limb's bake reads, and what it does not (DOCUMENT_LAYER 7): changes of the art and the settings, and the
//! projection of each limb after them.

use std::collections::BTreeMap;
use std::sync::Arc;

use canonical::Digest;
use pipeline::Pipeline;
use pipeline::params::{self, IngestParams, RigParams};
use plan::{Executor, Job, JobKind, NoMemo, Outcome};
use psd::{Document, Layer, LayerKind};

type Blobs = BTreeMap<String, Arc<[u8]>>;

fn run(kind: JobKind, params: Vec<u8>, inputs: &Blobs) -> Outcome {
    let blobs = inputs.iter().map(|(n, b)| (n.clone(), canonical::BlobRef::of(b))).collect();
    let job = Job { kind, version: kind.version().to_owned(), params, inputs: blobs };
    Pipeline.run(&job, inputs, &NoMemo).unwrap_or_else(|e| panic!("{kind}: {e}"))
}

/// Digests of the limbs of a figure, by name.
fn limbs(art: &Document, rig: &RigParams) -> BTreeMap<String, Digest> {
    let art: Arc<[u8]> = psd::write(art, &psd::WriteOptions::default()).expect("it can be written").into();
    let ingest = params::encode(&IngestParams::default()).expect("parameters");
    let read = run(JobKind::Ingest, ingest, &Blobs::from([("art".to_owned(), art)]));
    let inputs = read.outputs.into_iter().map(|(n, b)| (n, Arc::from(b))).collect();
    let rigged = run(JobKind::Rig, params::encode(rig).expect("parameters"), &inputs);
    let limb = |(name, bytes): (&String, &Vec<u8>)| {
        name.strip_prefix("limb/").map(|name| (name.to_owned(), Digest::of(bytes)))
    };
    rigged.outputs.iter().filter_map(limb).collect()
}

fn art() -> Document {
    sample::draw(&sample::Request { seed: 1, size: 512 })
}

fn layer<'d>(art: &'d mut Document, name: &str) -> &'d mut Layer {
    art.layers.iter_mut().find(|l| l.name == name).unwrap_or_else(|| panic!("a layer {name}"))
}

fn pixels<'d>(art: &'d mut Document, name: &str) -> &'d mut raster::Rgba {
    match &mut layer(art, name).kind {
        LayerKind::Pixels(pixels) => &mut pixels.image,
        _ => panic!("{name} has no pixels"),
    }
}

/// Which limbs differ after a change.
#[track_caller]
fn check(change: impl Fn(&mut Document, &mut RigParams), want: &[&str]) {
    let (mut art, mut rig) = (art(), RigParams::default());
    let before = limbs(&art, &rig);
    assert_eq!(before.keys().collect::<Vec<_>>(), ["arm-l", "arm-r", "leg-l", "leg-r"]);
    change(&mut art, &mut rig);
    let after = limbs(&art, &rig);
    let differ: Vec<&String> = before.keys().filter(|name| after.get(*name) != before.get(*name)).collect();
    assert_eq!(differ, want);
}

#[test]
fn repainting_is_not_read() {
    check(
        |art, _| {
            let image = pixels(art, "handwear-l");
            image.pixels_mut().chunks_exact_mut(4).for_each(|p| p[0] = 255 - p[0]);
        },
        &[],
    );
}

#[test]
fn names_of_other_layers_are_not_read() {
    check(|art, _| layer(art, "neckwear").name = "scarf".to_owned(), &[]);
}

#[test]
fn places_in_the_atlas_are_not_read() {
    check(
        |_, rig| {
            let own = rig::LayerSettings { density: Some(0.5), lock: true, ..rig::LayerSettings::default() };
            rig.rig.layers.insert("handwear-l".to_owned(), own);
        },
        &[],
    );
}

#[test]
fn strengths_of_head_and_body_are_not_read() {
    check(|_, rig| (rig.rig.head_strength, rig.rig.body_strength) = (0.7, 1.3), &[]);
}

#[test]
fn another_limb_is_not_read() {
    check(
        |art, _| {
            let image = pixels(art, "handwear-r");
            let (width, height) = (image.width(), image.height());
            for y in height * 9 / 10..height {
                for x in 0..width {
                    image.set(x.into(), y.into(), [0; 4]);
                }
            }
        },
        &["arm-r"],
    );
}

#[test]
fn own_bones_and_sway_are_read() {
    check(
        |_, rig| {
            rig.skeleton.ranges.insert("ParamArmLB".to_owned(), (-5.0, 20.0));
        },
        &["arm-l"],
    );
    check(|_, rig| rig.rig.sway_strength = 0.5, &["arm-l", "arm-r"]);
}

#[test]
fn own_meshes_are_read() {
    check(
        |_, rig| {
            let own = rig::LayerSettings { spacing: Some(20.0), ..rig::LayerSettings::default() };
            rig.rig.layers.insert("legwear-r".to_owned(), own);
        },
        &["leg-r"],
    );
}

#[test]
fn without_bones_there_are_no_limbs() {
    let rig = RigParams {
        skeleton: skeleton::Settings { enabled: false, ..skeleton::Settings::default() },
        ..RigParams::default()
    };
    assert!(limbs(&art(), &rig).is_empty());
}
