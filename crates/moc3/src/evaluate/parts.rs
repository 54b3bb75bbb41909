//! Parts and offscreens (MOC3_FORMAT 7.4, 7.8).

use super::blends::{each_delta, moves_all};
use super::grids::{ColorSum, scalar};
use super::{Evaluator, OffscreenFrame, Pose, Scratch};
use crate::model::order::truncate;

/// A posed part.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct PartState {
    /// Enabled and in range, as are its parents.
    pub(super) on: bool,
    /// Product of the opacities up to the root, or to the offscreen that the part draws into.
    pub(super) opacity: f64,
    /// Opacity of its offscreen before its keyforms.
    own_offscreen: f64,
    /// Draw order when on.
    pub(super) draw_order: i32,
}

impl Evaluator<'_> {
    pub(super) fn parts(&self, pose: &Pose, scratch: &mut Scratch) {
        scratch.parts.clear();
        scratch.parts.resize(self.model.parts.len(), PartState::default());
        for &index in &self.part_order {
            let part = &self.model.parts[index];
            let parent = part.parent.map(|parent| scratch.parts[parent]);
            let corners = scratch.grids.corners(self.grids.parts[index]);
            let given = pose.part_opacities.get(index).copied().filter(|opacity| !opacity.is_nan());
            let own = f64::from(given.unwrap_or(1.0)).clamp(0.0, 1.0);
            let opacity = own * parent.map_or(1.0, |parent| parent.opacity);
            let blended = |corners| scalar(corners, &part.keyforms, |form| form.draw_order);
            let mut draw_order = f64::from(truncate(corners.map_or(0.0, blended)));
            if moves_all(self.model.version) && !part.blends.is_empty() {
                each_delta(&part.blends, &scratch.values, |delta, weight| {
                    draw_order += weight * f64::from(delta.draw_order);
                });
                draw_order = draw_order.clamp(0.0, 1000.0);
            }
            scratch.parts[index] = PartState {
                on: part.enabled && corners.is_some() && parent.is_none_or(|parent| parent.on),
                opacity: if self.part_offscreens[index].is_some() { 1.0 } else { opacity },
                own_offscreen: opacity,
                draw_order: truncate(draw_order),
            };
        }
    }

    pub(super) fn offscreens(&self, scratch: &Scratch, frames: &mut Vec<OffscreenFrame>) {
        frames.clear();
        for offscreen in &self.model.offscreens {
            let part = scratch.parts[offscreen.owner];
            let corners = scratch.grids.corners(self.grids.parts[offscreen.owner]);
            let (opacity, colors) = match corners.filter(|_| part.on) {
                None => (0.0, ColorSum::default()),
                Some(corners) => {
                    let forms = &offscreen.keyforms;
                    let opacity = scalar(corners, forms, |form| form.map_or(0.0, |form| form.opacity));
                    let colors = |form: &Option<_>| form.map_or_else(Default::default, colors_of);
                    (opacity * part.own_offscreen, ColorSum::interpolate(corners, forms, colors).clamped())
                }
            };
            frames.push(OffscreenFrame {
                opacity: opacity as f32,
                render_order: 0,
                multiply: colors.multiply.map(|value| value as f32),
                screen: colors.screen.map(|value| value as f32),
            });
        }
    }
}

fn colors_of(form: crate::model::OffscreenKeyform) -> crate::model::Colors {
    form.colors
}
