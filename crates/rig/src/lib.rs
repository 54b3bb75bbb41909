//! Named parts and meshes to a puppet: deformers, keyforms, physics, motions.
