//! A job's inputs by name.

use std::collections::BTreeMap;
use std::sync::Arc;

use plan::JobFailure;
use raster::Rgba;
use rayon::iter::{IntoParallelIterator, ParallelIterator};
use serde::de::DeserializeOwned;

use crate::codec;

/// The bytes that a job declared.
pub(crate) struct Inputs<'a>(pub(crate) &'a BTreeMap<String, Arc<[u8]>>);

impl<'a> Inputs<'a> {
    /// The bytes of one input.
    pub(crate) fn bytes(&self, name: &str) -> Result<&'a [u8], JobFailure> {
        self.0.get(name).map(|b| &**b).ok_or_else(|| {
            JobFailure::deterministic("input-missing", format!("input {name} was not declared"))
        })
    }

    /// One input as a value.
    pub(crate) fn value<T: DeserializeOwned>(&self, name: &str) -> Result<T, JobFailure> {
        codec::decode(name, self.bytes(name)?)
    }

    /// All inputs `prefix/<rest>` as (rest, bytes), in order of name.
    pub(crate) fn all(&self, prefix: &str) -> impl Iterator<Item = (&'a str, &'a Arc<[u8]>)> {
        let prefix = format!("{prefix}/");
        self.0.iter().filter_map(move |(name, bytes)| Some((name.strip_prefix(&prefix)?, bytes)))
    }

    /// All inputs `prefix/<rest>` as values, in order of name.
    pub(crate) fn values<T: DeserializeOwned>(&self, prefix: &str) -> Result<Vec<T>, JobFailure> {
        self.all(prefix).map(|(name, bytes)| codec::decode(name, bytes)).collect()
    }

    /// All inputs `prefix/<rest>` as rasters by rest; decoded in parallel.
    pub(crate) fn rasters(&self, prefix: &str) -> Result<BTreeMap<&'a str, Arc<Rgba>>, JobFailure> {
        let list: Vec<(&str, &Arc<[u8]>)> = self.all(prefix).collect();
        let decoded: Vec<Result<Arc<Rgba>, JobFailure>> = list
            .clone()
            .into_par_iter()
            .map(|(name, bytes)| codec::decode_raster(name, bytes).map(Arc::new))
            .collect();
        list.into_iter().zip(decoded).map(|((name, _), image)| Ok((name, image?))).collect()
    }
}
