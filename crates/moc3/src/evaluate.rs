//! What the Core computes for a pose (MOC3_FORMAT 7).
//!
//! An [`Evaluator`] is made once per model and shared between threads; a [`Frame`] holds the results and all working
//! memory and is used again from pose to pose. Evaluation has no history: what the Core would leave from an earlier
//! pose (positions of hidden drawables) is zero here.

mod blends;
mod deformers;
mod drawables;
mod glues;
mod grids;
mod order;
mod parts;
mod rotation;
mod warp;

use crate::Error;
use crate::model::Model;
use crate::validate;

use deformers::DeformerState;
use grids::{GridStates, Grids};
use parts::PartState;

/// Values that pose a model.
#[derive(Clone, Debug, PartialEq)]
pub struct Pose {
    /// One per parameter; clamped or wrapped into its range. Missing and NaN ones take the default.
    pub parameters: Vec<f32>,
    /// One per part, clamped to 0..=1. Missing and NaN ones are 1.
    pub part_opacities: Vec<f32>,
}

impl Pose {
    /// Every parameter at its default, every part as visible as it starts.
    pub fn rest(model: &Model) -> Self {
        Self {
            parameters: model.parameters.iter().map(|parameter| parameter.default).collect(),
            part_opacities: model.parts.iter().map(|part| if part.visible { 1.0 } else { 0.0 }).collect(),
        }
    }
}

/// A posed model.
#[derive(Clone, Debug, Default)]
pub struct Frame {
    /// In the order of [`Model::drawables`].
    pub drawables: Vec<DrawableFrame>,
    /// In the order of [`Model::offscreens`].
    pub offscreens: Vec<OffscreenFrame>,
    scratch: Scratch,
}

/// A posed drawable.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DrawableFrame {
    /// Shown: everything it depends on is enabled and in range, and its opacity is above 0.
    pub visible: bool,
    /// Vertex positions in model units, y up like the Core's; zero when it depends on something hidden.
    ///
    /// [`crate::canvas::Canvas::to_pixels`] gives canvas pixels.
    pub positions: Vec<[f32; 2]>,
    /// Opacity with that of its deformers and parts.
    pub opacity: f32,
    /// Draw order inside its group.
    pub draw_order: i32,
    /// Place in the drawing order, 0 backmost.
    pub render_order: i32,
    /// Multiply colour with that of its deformers.
    pub multiply: [f32; 3],
    /// Screen colour with that of its deformers.
    pub screen: [f32; 3],
}

/// A posed offscreen.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct OffscreenFrame {
    /// Opacity with that of the parts around its owner; 0 when the owner is hidden.
    pub opacity: f32,
    /// Place in the drawing order.
    pub render_order: i32,
    /// Multiply colour.
    pub multiply: [f32; 3],
    /// Screen colour.
    pub screen: [f32; 3],
}

/// Working memory of an evaluation.
#[derive(Clone, Debug, Default)]
struct Scratch {
    values: Vec<f64>,
    grids: GridStates,
    parts: Vec<PartState>,
    deformers: Vec<DeformerState>,
    points: Vec<[f64; 2]>,
    order: order::Scratch,
}

/// Evaluates one model.
#[derive(Clone, Debug)]
pub struct Evaluator<'m> {
    model: &'m Model,
    grids: Grids,
    /// Parts and deformers, parents first.
    part_order: Vec<usize>,
    deformer_order: Vec<usize>,
    group_totals: Vec<usize>,
    /// Bounds of each group's draw orders.
    group_minima: Vec<i32>,
    /// Offscreen of each part.
    part_offscreens: Vec<Option<usize>>,
    /// Intensity at rest, which a glue out of its range keeps.
    glue_intensities: Vec<f64>,
}

impl<'m> Evaluator<'m> {
    /// Prepares a model.
    ///
    /// # Errors
    /// [`Error::Invalid`] when links or sizes are broken; other faults only show in the results.
    pub fn new(model: &'m Model) -> Result<Self, Error> {
        let faults = validate::structure(model);
        if !faults.is_empty() {
            return Err(Error::Invalid(faults));
        }
        let part_parents: Vec<_> = model.parts.iter().map(|part| part.parent).collect();
        let deformer_parents: Vec<_> = model.deformers.iter().map(|deformer| deformer.parent).collect();
        let mut part_offscreens = vec![None; model.parts.len()];
        for (index, offscreen) in model.offscreens.iter().enumerate() {
            part_offscreens[offscreen.owner] = Some(index);
        }
        let mut evaluator = Self {
            model,
            grids: Grids::new(model),
            part_order: crate::tree::parents_first(&part_parents),
            deformer_order: crate::tree::parents_first(&deformer_parents),
            group_totals: crate::model::order::group_totals(model),
            group_minima: model.groups.iter().map(|group| model.draw_order_range(group).min).collect(),
            part_offscreens,
            glue_intensities: Vec::new(),
        };
        evaluator.glue_intensities = evaluator.glue_intensities_at_rest();
        Ok(evaluator)
    }

    /// The model.
    pub fn model(&self) -> &'m Model {
        self.model
    }

    /// Evaluates a pose into fresh memory.
    pub fn evaluate(&self, pose: &Pose) -> Frame {
        let mut frame = Frame::default();
        self.evaluate_into(pose, &mut frame);
        frame
    }

    /// Evaluates a pose, using the memory of `frame` again; what it held does not matter.
    pub fn evaluate_into(&self, pose: &Pose, frame: &mut Frame) {
        let Frame { drawables, offscreens, scratch } = frame;
        grids::effective_values(self.model, &pose.parameters, &mut scratch.values);
        self.grids.evaluate(&scratch.values, &mut scratch.grids);
        self.parts(pose, scratch);
        self.offscreens(scratch, offscreens);
        self.deformers(scratch);
        self.drawables(scratch, drawables);
        self.glues(scratch, drawables);
        self.render_order(scratch, drawables, offscreens);
    }
}
