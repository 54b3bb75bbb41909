//! Blobs and action results in an object store, verified on read and write.
