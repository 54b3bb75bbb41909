//! Draw orders and the groups that sort by them (MOC3_FORMAT 6.9, 7.10).

use super::{DrawOrderGroup, DrawOrderObject, DrawOrderRange, Model};
use crate::Version;

/// Bounds of a group without objects, as the editor stores them.
const EMPTY_RANGE: DrawOrderRange = DrawOrderRange { min: i32::MAX, max: -i32::MAX };
/// Draw orders of objects with blend shapes are clamped to this.
const BLENDED_RANGE: DrawOrderRange = DrawOrderRange { min: 0, max: 1000 };

/// The bounds of the draw orders that the keyforms of a group's children reach (MOC3_FORMAT 6.9).
pub(super) fn derive_range(model: &Model, group: &DrawOrderGroup) -> DrawOrderRange {
    let mut range = EMPTY_RANGE;
    let mut reach = |order: i32| {
        range = DrawOrderRange { min: range.min.min(order), max: range.max.max(order) };
    };
    for object in &group.objects {
        let blended = match *object {
            DrawOrderObject::Drawable(index) => model.drawables.get(index).is_some_and(|drawable| {
                drawable.keyforms.iter().for_each(|form| reach(truncate(form.draw_order.into())));
                drawable.blends.iter().flat_map(|blend| &blend.deltas).any(|delta| delta.draw_order != 0.0)
            }),
            DrawOrderObject::Part { part, .. } => model.parts.get(part).is_some_and(|part| {
                part.keyforms.iter().for_each(|form| reach(truncate(form.draw_order.into())));
                part.blends.iter().flat_map(|blend| &blend.deltas).any(|delta| delta.draw_order != 0.0)
            }),
        };
        if blended && model.version >= Version::V50 {
            reach(BLENDED_RANGE.min);
            reach(BLENDED_RANGE.max);
        }
    }
    range
}

/// The whole draw order of an interpolated one (MOC3_FORMAT 7.10).
pub(crate) fn truncate(draw_order: f64) -> i32 {
    (draw_order + 0.001) as i32
}

/// Number of slots that each group takes in the render order: drawables and offscreens of its subtree.
pub(crate) fn group_totals(model: &Model) -> Vec<usize> {
    let mut totals = vec![0usize; model.groups.len()];
    let mut owns_offscreen = vec![false; model.parts.len()];
    for offscreen in &model.offscreens {
        if let Some(owns) = owns_offscreen.get_mut(offscreen.owner) {
            *owns = true;
        }
    }
    for (index, group) in model.groups.iter().enumerate().rev() {
        let slots = |object: &DrawOrderObject| match *object {
            DrawOrderObject::Drawable(_) => 1,
            DrawOrderObject::Part { part, group } => {
                let offscreen = owns_offscreen.get(part).copied();
                usize::from(offscreen.unwrap_or(false))
                    + group.and_then(|group| totals.get(group)).copied().unwrap_or(0)
            }
        };
        totals[index] = group.objects.iter().map(slots).fold(0, usize::saturating_add);
    }
    totals
}
