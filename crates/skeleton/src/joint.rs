//! How much room a joint has to bend in.

use crate::chain::{Bone, least_half, most_degrees};
use crate::cover::Cover;
use crate::line::Line;

/// Pixels that a mesh reaches beyond its picture.
const MARGIN: f64 = 4.0;
/// Share of the shorter of two bones that a band may take on its side of the joint.
pub(crate) const SHARE: f64 = 0.45;

/// Gives a bone as long a band as its range needs, at most `room` on each side of the joint, and as large a part of the
/// range as that band allows without folding.
pub(crate) fn fit(bone: &mut Bone, line: &Line, cover: &Cover<'_>, room: f64) {
    // The widest place near the joint, with what meshes reach beyond the pixels.
    let across = |i: i32| {
        let s = bone.joint + 0.2 * f64::from(i) * line.width();
        cover.half_width(line.at(s), line.direction(s))
    };
    let width = (-2..=2).map(across).fold(1.0, f64::max) + MARGIN;
    let wanted = least_half(width, bone.range.0.abs().max(bone.range.1));
    bone.half = wanted.max(0.5 * width).min(room.max(0.0));
    let most = most_degrees(width, bone.half);
    if most < bone.range.1.max(-bone.range.0) {
        let most = most.floor();
        bone.range = (bone.range.0.max(-most), bone.range.1.min(most));
    }
}
