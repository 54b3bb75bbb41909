//! Drawables (MOC3_FORMAT 7.3-7.8).

use super::blends::{each_delta, moves_all};
use super::grids::{ColorSum, Corner, add_points, points, scalar};
use super::{DrawableFrame, Evaluator, Scratch};
use crate::model::Drawable;
use crate::model::order::truncate;

impl Evaluator<'_> {
    pub(super) fn drawables(&self, scratch: &mut Scratch, frames: &mut Vec<DrawableFrame>) {
        frames.resize_with(self.model.drawables.len(), DrawableFrame::default);
        let mut memory = std::mem::take(&mut scratch.points);
        for (index, (drawable, frame)) in self.model.drawables.iter().zip(frames).enumerate() {
            let part_on = drawable.parent_part.is_none_or(|part| scratch.parts[part].on);
            let deformer_on = drawable.parent_deformer.is_none_or(|deformer| scratch.deformers[deformer].on);
            let corners = scratch.grids.corners(self.grids.drawables[index]);
            match corners.filter(|_| drawable.enabled && part_on && deformer_on) {
                Some(corners) => self.drawable(drawable, corners, scratch, &mut memory, frame),
                None => hide(drawable, frame),
            }
        }
        scratch.points = memory;
    }

    fn drawable(
        &self,
        drawable: &Drawable,
        corners: &[Corner],
        scratch: &Scratch,
        vertices: &mut Vec<[f64; 2]>,
        frame: &mut DrawableFrame,
    ) {
        let forms = &drawable.keyforms;
        let all = moves_all(self.model.version);
        let mut opacity = scalar(corners, forms, |form| form.opacity);
        // Blend shapes add to the whole draw order, then the sum is made whole again.
        let mut draw_order = f64::from(truncate(scalar(corners, forms, |form| form.draw_order)));
        let mut colors = ColorSum::interpolate(corners, forms, |form| form.colors);
        points(corners, |row| &forms[row].positions, vertices);
        each_delta(&drawable.blends, &scratch.values, |delta, weight| {
            add_points(&delta.positions, weight, vertices);
            if all {
                opacity += weight * f64::from(delta.opacity);
                draw_order += weight * f64::from(delta.draw_order);
                colors.add(delta.colors, weight);
            }
        });
        if all && !drawable.blends.is_empty() {
            opacity = opacity.clamp(0.0, 1.0);
            draw_order = draw_order.clamp(0.0, 1000.0);
        }
        colors = colors.clamped();
        if let Some(deformer) = drawable.parent_deformer.map(|deformer| &scratch.deformers[deformer]) {
            deformer.map.apply(vertices);
            opacity *= deformer.opacity;
            colors = colors.under(deformer.colors);
        }
        opacity *= drawable.parent_part.map_or(1.0, |part| scratch.parts[part].opacity);
        let up = if self.model.canvas.y_up() { 1.0 } else { -1.0 };
        frame.positions.clear();
        frame.positions.extend(vertices.iter().map(|[x, y]| [*x as f32, (up * y) as f32]));
        frame.visible = opacity > 0.0;
        frame.opacity = opacity as f32;
        frame.draw_order = truncate(draw_order);
        frame.multiply = colors.multiply.map(|value| value as f32);
        frame.screen = colors.screen.map(|value| value as f32);
    }
}

fn hide(drawable: &Drawable, frame: &mut DrawableFrame) {
    frame.positions.clear();
    frame.positions.resize(drawable.uvs.len(), [0.0; 2]);
    frame.visible = false;
    frame.opacity = 0.0;
    frame.draw_order = 0;
    frame.multiply = [1.0; 3];
    frame.screen = [0.0; 3];
}
