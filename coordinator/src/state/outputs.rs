//! The outputs of a node.

use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::Arc;

use canonical::BlobRef;
use plan::{ActionResult, OutputRef, Subgraph};
use serde::{Deserialize, Serialize};

use super::share;

/// The outputs of a finished node: its job's own and, over them, those of the continuation of its subgraph.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Outputs {
    #[serde(with = "share::result")]
    own: Arc<ActionResult>,
    continuation: Option<Arc<Outputs>>,
}

impl Outputs {
    /// The outputs of a job without its subgraph.
    pub fn own(own: Arc<ActionResult>) -> Self {
        Self { own, continuation: None }
    }

    /// These outputs with those of the subgraph's continuation.
    pub(super) fn over(self, continuation: Self) -> Self {
        Self { own: self.own, continuation: Some(Arc::new(continuation)) }
    }

    /// The subgraph the job brought.
    pub(super) fn subgraph(&self) -> Option<&Subgraph> {
        self.own.subgraph.as_ref()
    }

    /// The log of the job, if it wrote one.
    pub fn log(&self) -> Option<BlobRef> {
        self.own.log
    }

    /// The blobs that are not inline, in order of output name.
    pub fn stored_blobs(&self) -> Vec<BlobRef> {
        let stored = |output: &&OutputRef| output.inline.is_none();
        self.all().into_values().filter(stored).map(|output| output.blob).collect()
    }

    /// One output; the continuation's when both have the name.
    pub fn get(&self, name: &str) -> Option<&OutputRef> {
        let deeper = self.continuation.as_ref().and_then(|more| more.get(name));
        deeper.or_else(|| self.own.outputs.get(name))
    }

    /// The outputs whose names start with `prefix`, in order of name.
    pub fn starting(&self, prefix: &str) -> BTreeMap<&str, &OutputRef> {
        let mut all = BTreeMap::new();
        let mut layer = Some(self);
        while let Some(outputs) = layer {
            let from = outputs.own.outputs.range::<str, _>((Bound::Included(prefix), Bound::Unbounded));
            for (name, output) in from.take_while(|(name, _)| name.starts_with(prefix)) {
                // Layers come outermost first; a deeper one counts.
                all.insert(name.as_str(), output);
            }
            layer = outputs.continuation.as_deref();
        }
        all
    }

    /// All outputs, in order of name.
    pub fn all(&self) -> BTreeMap<&str, &OutputRef> {
        self.starting("")
    }
}
