//! How shared values are written: a result that many nodes hold is written once in a snapshot and shared again when
//! read. Graphs and results are checked when read.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;

use plan::ActionResult;

thread_local! {
    /// Results written so far, by address, while a snapshot is being written.
    static WRITTEN: RefCell<Option<BTreeMap<usize, u32>>> = const { RefCell::new(None) };
    /// Results read so far, while a snapshot is being read.
    static READ: RefCell<Option<Vec<Arc<ActionResult>>>> = const { RefCell::new(None) };
}

/// Runs `write`, within which each result is written once. The results must outlive it.
pub(crate) fn writing<T>(write: impl FnOnce() -> T) -> T {
    WRITTEN.set(Some(BTreeMap::new()));
    let written = write();
    WRITTEN.set(None);
    written
}

/// Runs `read` on what was written within [`writing`].
pub(crate) fn reading<T>(read: impl FnOnce() -> T) -> T {
    READ.set(Some(Vec::new()));
    let value = read();
    READ.set(None);
    value
}

/// For fields that hold a result.
pub(crate) mod result {
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use super::{ActionResult, Arc, READ, WRITTEN};

    #[derive(Serialize, Deserialize)]
    enum Written {
        New(Vec<u8>),
        Seen(u32),
    }

    pub(crate) fn serialize<S: Serializer>(value: &Arc<ActionResult>, out: S) -> Result<S::Ok, S::Error> {
        let address = Arc::as_ptr(value) as usize;
        let seen = WRITTEN.with_borrow_mut(|written| {
            let written = written.as_mut()?;
            let next = written.len() as u32;
            let place = *written.entry(address).or_insert(next);
            (place != next).then_some(place)
        });
        seen.map_or_else(|| Written::New(value.encode()), Written::Seen).serialize(out)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(input: D) -> Result<Arc<ActionResult>, D::Error> {
        let value = match Written::deserialize(input)? {
            Written::Seen(place) => {
                let seen = READ.with_borrow(|read| read.as_ref()?.get(place as usize).cloned());
                return seen.ok_or_else(|| D::Error::custom("a result that was not written"));
            }
            Written::New(bytes) => Arc::new(ActionResult::decode(&bytes).map_err(D::Error::custom)?),
        };
        READ.with_borrow_mut(|read| read.iter_mut().for_each(|read| read.push(Arc::clone(&value))));
        Ok(value)
    }
}

/// For fields that may hold a result.
pub(crate) mod maybe_result {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use super::{ActionResult, Arc};

    #[derive(Serialize, Deserialize)]
    struct Wrapped(#[serde(with = "super::result")] Arc<ActionResult>);

    pub(crate) fn serialize<S: Serializer>(
        value: &Option<Arc<ActionResult>>,
        out: S,
    ) -> Result<S::Ok, S::Error> {
        value.clone().map(Wrapped).serialize(out)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        input: D,
    ) -> Result<Option<Arc<ActionResult>>, D::Error> {
        Ok(Option::<Wrapped>::deserialize(input)?.map(|wrapped| wrapped.0))
    }
}

/// For fields that hold graphs by name.
pub(crate) mod graphs {
    use plan::{Graph, NodeTemplate};
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serializer};

    use super::Arc;

    pub(crate) fn serialize<S: Serializer>(value: &[(Arc<str>, Graph)], out: S) -> Result<S::Ok, S::Error> {
        out.collect_seq(value.iter().map(|(name, graph)| (name, graph.nodes(), graph.wanted())))
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        input: D,
    ) -> Result<Vec<(Arc<str>, Graph)>, D::Error> {
        let list = Vec::<(Arc<str>, Vec<NodeTemplate>, Vec<String>)>::deserialize(input)?;
        let graph = |(name, nodes, wanted)| Ok((name, Graph::new(nodes, wanted).map_err(D::Error::custom)?));
        list.into_iter().map(graph).collect()
    }
}
