//! The model IR between stages: parts, parameters, deformers, drawables, keyforms.
