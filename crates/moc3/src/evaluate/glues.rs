//! Glue (MOC3_FORMAT 7.9).

use super::blends::{each_delta, moves_all};
use super::grids::{GridStates, effective_values, scalar};
use super::{DrawableFrame, Evaluator, Scratch};

impl Evaluator<'_> {
    /// Pulls welded vertices together, glue by glue and pair by pair. The y axis does not matter.
    pub(super) fn glues(&self, scratch: &Scratch, frames: &mut [DrawableFrame]) {
        for (index, glue) in self.model.glues.iter().enumerate() {
            let hidden = |drawable: usize| self.is_hidden(drawable, scratch);
            // The Core would use stale vertices of a hidden one; there are none here.
            if hidden(glue.drawable_a) || hidden(glue.drawable_b) {
                continue;
            }
            let intensity = self.intensity(index, &scratch.grids, &scratch.values);
            let intensity = intensity.unwrap_or(self.glue_intensities[index]);
            let Ok([a, b]) = frames.get_disjoint_mut([glue.drawable_a, glue.drawable_b]) else { continue };
            for pair in &glue.pairs {
                let vertex_a = &mut a.positions[usize::from(pair.vertex_a)];
                let vertex_b = &mut b.positions[usize::from(pair.vertex_b)];
                let (pull_a, pull_b) =
                    (f64::from(pair.weight_a) * intensity, f64::from(pair.weight_b) * intensity);
                for axis in 0..2 {
                    let (at_a, at_b) = (f64::from(vertex_a[axis]), f64::from(vertex_b[axis]));
                    vertex_a[axis] = (at_a + (at_b - at_a) * pull_a) as f32;
                    vertex_b[axis] = (at_b + (at_a - at_b) * pull_b) as f32;
                }
            }
        }
    }

    /// Intensities at the defaults; 0 where they are out of range.
    pub(super) fn glue_intensities_at_rest(&self) -> Vec<f64> {
        let (mut values, mut grids) = (Vec::new(), GridStates::default());
        effective_values(self.model, &[], &mut values);
        self.grids.evaluate(&values, &mut grids);
        let intensity = |index| self.intensity(index, &grids, &values).unwrap_or(0.0);
        (0..self.model.glues.len()).map(intensity).collect()
    }

    fn intensity(&self, index: usize, grids: &GridStates, values: &[f64]) -> Option<f64> {
        let glue = &self.model.glues[index];
        let mut intensity =
            scalar(grids.corners(self.grids.glues[index])?, &glue.keyforms, |form| form.intensity);
        if moves_all(self.model.version) && !glue.blends.is_empty() {
            each_delta(&glue.blends, values, |delta, weight| {
                intensity += weight * f64::from(delta.intensity)
            });
            intensity = intensity.clamp(0.0, 1.0);
        }
        Some(intensity)
    }

    /// It depends on something disabled or out of range.
    pub(super) fn is_hidden(&self, index: usize, scratch: &Scratch) -> bool {
        let drawable = &self.model.drawables[index];
        !(drawable.enabled
            && drawable.parent_part.is_none_or(|part| scratch.parts[part].on)
            && drawable.parent_deformer.is_none_or(|deformer| scratch.deformers[deformer].on)
            && scratch.grids.corners(self.grids.drawables[index]).is_some())
    }
}
