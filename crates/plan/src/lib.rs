//! Job kinds, versions, keys and graph templates. No pixels.
