//! How fast the farm of one process is when its jobs do nothing: `cargo run --release --example embedded [JOBS]`.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

use canonical::BlobRef;
use coordinator::embedded::{BuildRequest, Farm, FarmConfig};
use plan::{Executor, Graph, Job, JobFailure, JobKind, Memo, NoMemo, NodeTemplate, Outcome};
use worker::memory::MemoryCache;

/// Gives back its parameters.
struct Trivial;

impl Executor for Trivial {
    fn run(&self, job: &Job, _: &BTreeMap<String, Arc<[u8]>>, _: &dyn Memo) -> Result<Outcome, JobFailure> {
        Ok(Outcome { outputs: BTreeMap::from([("out".into(), job.params.clone())]), subgraph: None })
    }
    fn supports(&self, _: JobKind, _: &str) -> bool {
        true
    }
}

/// Characters of 20 jobs: a root, 18 that read it, one that reads those.
fn request(characters: usize) -> BuildRequest {
    let character = |number: usize| {
        let params = |node: usize| format!("{number}:{node}").into_bytes();
        let root = NodeTemplate::new("0", JobKind::Ingest, params(0)).blob("psd", BlobRef::of(b""));
        let mut nodes = vec![root];
        let mut last = NodeTemplate::new("19", JobKind::Bundle, params(19));
        for n in 1..19 {
            nodes
                .push(NodeTemplate::new(n.to_string(), JobKind::Skeleton, params(n)).output("0", "0", "out"));
            last = last.output(n.to_string(), n.to_string(), "out");
        }
        nodes.push(last);
        (format!("c{number}"), Graph::new(nodes, vec!["19".into()]).expect("a valid graph"))
    };
    let sources: BTreeMap<BlobRef, Arc<[u8]>> = BTreeMap::from([(BlobRef::of(b""), Arc::from(*b""))]);
    let characters = (0..characters).map(character).collect();
    BuildRequest { characters, sources: Arc::new(sources), read_cache: true }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let jobs: usize = std::env::args().nth(1).map_or(Ok(20_000), |jobs| jobs.parse())?;
    let cache = Arc::new(MemoryCache::default());
    for (pass, characters) in [("cold", jobs / 20), ("warm", jobs / 20), ("warm, one character", 1)] {
        let request = request(characters);
        let started = Instant::now();
        let config = FarmConfig::for_cores(std::thread::available_parallelism()?.get());
        let farm = Farm::new(config, cache.clone(), Arc::new(Trivial), Arc::new(NoMemo))?;
        let summary = farm.build(request).wait();
        drop(farm);
        let seconds = started.elapsed().as_secs_f64();
        let count = summary.run + summary.hits;
        println!(
            "{pass}: {} run, {} hits in {:.1} ms, {:.0} jobs/s",
            summary.run,
            summary.hits,
            seconds * 1e3,
            count as f64 / seconds
        );
    }
    Ok(())
}
