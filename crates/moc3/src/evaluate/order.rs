//! Render order (MOC3_FORMAT 7.10).

use super::{DrawableFrame, Evaluator, OffscreenFrame};
use crate::model::DrawOrderObject;

/// Working memory.
#[derive(Clone, Debug, Default)]
pub(super) struct Scratch {
    /// First slot of each group.
    cursors: Vec<usize>,
    /// Draw order and place of the objects of one group.
    objects: Vec<(i32, usize)>,
}

impl Evaluator<'_> {
    /// Sorts each group and deals out the slots.
    pub(super) fn render_order(
        &self,
        scratch: &mut super::Scratch,
        drawables: &mut [DrawableFrame],
        offscreens: &mut [OffscreenFrame],
    ) {
        let mut memory = std::mem::take(&mut scratch.order);
        drawables.iter_mut().for_each(|drawable| drawable.render_order = 0);
        memory.cursors.clear();
        memory.cursors.resize(self.model.groups.len(), 0);
        for (index, group) in self.model.groups.iter().enumerate() {
            let minimum = self.group_minima[index];
            let draw_order = |object: &DrawOrderObject| match *object {
                DrawOrderObject::Drawable(drawable) if self.is_hidden(drawable, scratch) => minimum,
                DrawOrderObject::Drawable(drawable) => drawables[drawable].draw_order,
                DrawOrderObject::Part { part, .. } if !scratch.parts[part].on => minimum,
                DrawOrderObject::Part { part, .. } => scratch.parts[part].draw_order,
            };
            memory.objects.clear();
            memory
                .objects
                .extend(group.objects.iter().enumerate().map(|(place, object)| (draw_order(object), place)));
            memory.objects.sort_unstable();
            let mut cursor = memory.cursors[index];
            for (_, place) in &memory.objects {
                match group.objects[*place] {
                    DrawOrderObject::Drawable(drawable) => {
                        drawables[drawable].render_order = slot(cursor);
                        cursor += 1;
                    }
                    DrawOrderObject::Part { part, group } => {
                        if let Some(offscreen) = self.part_offscreens[part] {
                            offscreens[offscreen].render_order = slot(cursor);
                            cursor += 1;
                        }
                        if let Some(group) = group {
                            memory.cursors[group] = cursor;
                            cursor = cursor.saturating_add(self.group_totals[group]);
                        }
                    }
                }
            }
        }
        scratch.order = memory;
    }
}

fn slot(cursor: usize) -> i32 {
    i32::try_from(cursor).unwrap_or(i32::MAX)
}
