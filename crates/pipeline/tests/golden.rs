//! One small character through every kind of job: digests per node guard what each version gives.
//!
//! When bytes are meant to change, raise the kind's version in `crates/plan/src/job.rs` and bless:
//! `RIGFARM_BLESS=1 cargo test -p pipeline --test golden`.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;

use canonical::{BlobRef, Digest};
use pipeline::Pipeline;
use pipeline::params::{self, BundleParams, FinishParams, IngestParams, PackParams, RigParams};
use plan::character::Params;
use plan::{Executor, Input, Job, Memo, NoMemo, NodeTemplate};

type Blobs = BTreeMap<String, Arc<[u8]>>;

/// Runs nodes in order, expanding subgraphs, and notes each node's outputs.
struct Runner<'a> {
    memo: &'a dyn Memo,
    sources: BTreeMap<BlobRef, Arc<[u8]>>,
    told: String,
}

impl Runner<'_> {
    fn run(&mut self, nodes: &[NodeTemplate], own: &Blobs, path: &str) -> BTreeMap<String, Blobs> {
        let mut done: BTreeMap<String, Blobs> = BTreeMap::from([("self".to_owned(), own.clone())]);
        let mut waiting: Vec<&NodeTemplate> = nodes.iter().collect();
        while !waiting.is_empty() {
            let ready = waiting
                .iter()
                .position(|n| n.inputs.values().filter_map(Input::node).all(|name| done.contains_key(name)));
            let node = waiting.remove(ready.expect("no node waits for itself"));
            let outputs = self.node(node, &done, path);
            done.insert(node.name.clone(), outputs);
        }
        done
    }

    fn node(&mut self, node: &NodeTemplate, done: &BTreeMap<String, Blobs>, path: &str) -> Blobs {
        let mut inputs = Blobs::new();
        for (name, input) in &node.inputs {
            match input {
                Input::Blob(blob) => {
                    inputs.insert(name.clone(), Arc::clone(&self.sources[blob]));
                }
                Input::Output { node, output } => {
                    inputs.insert(name.clone(), Arc::clone(&done[node][output]));
                }
                Input::Outputs { node, prefix } => {
                    let matching = done[node].iter().filter_map(|(o, b)| Some((o.strip_prefix(prefix)?, b)));
                    inputs
                        .extend(matching.map(|(rest, bytes)| (format!("{name}/{rest}"), Arc::clone(bytes))));
                }
            }
        }
        let job = Job {
            kind: node.kind,
            version: node.version.clone(),
            params: node.params.clone(),
            inputs: inputs.iter().map(|(name, bytes)| (name.clone(), BlobRef::of(bytes))).collect(),
        };
        let outcome = Pipeline.run(&job, &inputs, self.memo).unwrap_or_else(|e| panic!("{}: {e}", node.name));
        let mut outputs: Blobs =
            outcome.outputs.into_iter().map(|(name, bytes)| (name, Arc::from(bytes))).collect();
        for bytes in outputs.values() {
            self.sources.insert(BlobRef::of(bytes), Arc::clone(bytes));
        }
        let name = format!("{path}{}", node.name);
        let all: String = outputs.iter().fold(String::new(), |mut text, (name, bytes)| {
            let _ = writeln!(text, "{name} {}", Digest::of(bytes));
            text
        });
        let digest = Digest::of(all.as_bytes()).to_hex();
        let _ = writeln!(self.told, "{name} {} {} {}", node.kind, outputs.len(), &digest[..16]);
        if let Some(graph) = outcome.subgraph {
            let mut inner = self.run(graph.nodes(), &outputs, &format!("{name}/"));
            outputs.extend(inner.remove(graph.continuation()).unwrap_or_default());
        }
        outputs
    }
}

fn build(memo: &dyn Memo) -> String {
    let request = sample::Request { seed: 1, size: 512 };
    let art: Arc<[u8]> =
        psd::write(&sample::draw(&request), &psd::WriteOptions::default()).expect("it can be written").into();
    let blob = BlobRef::of(&art);
    let params = Params {
        ingest: params::encode(&IngestParams::default()).unwrap(),
        rig: params::encode(&RigParams::default()).unwrap(),
        finish: params::encode(&FinishParams::default()).unwrap(),
        atlas_layout: params::encode(&atlas::Settings { page_size: 1024, ..atlas::Settings::default() })
            .unwrap(),
        pack_moc3: params::encode(&PackParams::default()).unwrap(),
        bundle: params::encode(&BundleParams { name: "golden".to_owned(), ..BundleParams::default() })
            .unwrap(),
        preview: None,
    };
    let graph = plan::character::graph(blob, params).expect("the template is sound");
    let mut runner = Runner { memo, sources: BTreeMap::from([(blob, art)]), told: String::new() };
    runner.run(graph.nodes(), &Blobs::new(), "");
    runner.told
}

/// Keeps everything.
#[derive(Default)]
struct Keep(std::sync::Mutex<BTreeMap<Digest, Arc<[u8]>>>);

impl Memo for Keep {
    fn get(&self, key: &Digest) -> Option<Arc<[u8]>> {
        self.0.lock().expect("no panic").get(key).cloned()
    }
    fn put(&self, key: &Digest, bytes: &[u8]) {
        self.0.lock().expect("no panic").insert(*key, bytes.into());
    }
}

#[test]
fn every_kind_gives_the_bytes_of_its_version() {
    let told = build(&NoMemo);
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden.txt");
    if std::env::var_os("RIGFARM_BLESS").is_some() {
        std::fs::write(&path, &told).expect("the golden can be written");
    }
    let golden = std::fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(
        told, golden,
        "bytes changed: raise the kind's version and bless, or find what is not deterministic"
    );
}

#[test]
fn memo_and_threads_never_change_bytes() {
    let keep = Keep::default();
    let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a pool");
    let two = rayon::ThreadPoolBuilder::new().num_threads(3).build().expect("a pool");
    let first = one.install(|| build(&keep));
    assert!(!keep.0.lock().expect("no panic").is_empty(), "meshes are remembered");
    assert_eq!(first, two.install(|| build(&keep)));
    assert_eq!(first, two.install(|| build(&NoMemo)));
}
