//! A layer's alpha to an outline and a triangle mesh.
