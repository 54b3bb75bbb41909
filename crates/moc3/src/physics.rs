//! Physics of the official framework, on plain values (MOC3_FORMAT 8.2).
//!
//! Numbers are single precision and quirks are kept: outputs of kinds X and Y always write 0, rotated vectors use
//! their new x for their new y, and without a frame rate the result depends on the steps.

mod particles;
mod vector;

use particles::{Chain, Pull};
use vector::Vector;

/// The content of a physics file; parameters are indices into the caller's values.
#[derive(Clone, Debug, PartialEq)]
pub struct Physics {
    /// Steps per second; `None` takes each frame as one step.
    pub fps: Option<f32>,
    /// In the order in which they act; later ones see what earlier ones wrote.
    pub settings: Vec<Setting>,
}

/// One pendulum chain and what drives it.
#[derive(Clone, Debug, PartialEq)]
pub struct Setting {
    /// What moves and turns the anchor.
    pub inputs: Vec<Input>,
    /// What the chain writes.
    pub outputs: Vec<Output>,
    /// From the anchor on; a chain without particles does nothing.
    pub particles: Vec<Particle>,
    /// Range of position inputs.
    pub position: Normalization,
    /// Range of angle inputs.
    pub angle: Normalization,
}

/// One input.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Input {
    /// Source parameter.
    pub parameter: usize,
    /// Percent, 0..=100.
    pub weight: f32,
    /// What it moves.
    pub kind: Kind,
    /// Keeps the sign; it is negated otherwise.
    pub reflect: bool,
}

/// One output.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Output {
    /// Driven parameter.
    pub parameter: usize,
    /// Index of the particle, 1 or more; others are skipped.
    pub particle: usize,
    /// Parameter units per radian.
    pub scale: f32,
    /// Percent, 0..=100: how much of the old value is replaced.
    pub weight: f32,
    /// What is read; only angles work.
    pub kind: Kind,
    /// Negates.
    pub reflect: bool,
}

/// What an input moves or an output reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Sideways.
    X,
    /// Downwards.
    Y,
    /// Turn.
    Angle,
}

/// One link of a chain.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Particle {
    /// Kept share of velocity, 0..=1.
    pub mobility: f32,
    /// Reaction speed.
    pub delay: f32,
    /// Pull of gravity.
    pub acceleration: f32,
    /// Distance from the previous one.
    pub radius: f32,
}

/// What inputs are normalised to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Normalization {
    /// At the parameter's minimum.
    pub minimum: f32,
    /// At the middle of the parameter's range.
    pub default: f32,
    /// At the parameter's maximum.
    pub maximum: f32,
}

/// The range of a parameter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Range {
    /// Smallest value.
    pub minimum: f32,
    /// Largest value.
    pub maximum: f32,
}

/// A running simulation.
#[derive(Clone, Debug)]
pub struct Simulator<'p> {
    physics: &'p Physics,
    ranges: Vec<Range>,
    chains: Vec<Chain>,
    /// Time that no step has used yet.
    remaining: f32,
    /// Parameter values at the last step; empty before the first.
    inputs: Vec<f32>,
    /// The same with outputs written.
    cache: Vec<f32>,
}

/// More time than this at once is dropped.
const LONGEST: f32 = 5.0;
/// Shorter steps are made this long, so that no file asks for endless work.
const SHORTEST_STEP: f32 = 1.0 / 1000.0;

impl<'p> Simulator<'p> {
    /// Chains hanging at rest; `ranges` has one entry per parameter.
    pub fn new(physics: &'p Physics, ranges: &[Range]) -> Self {
        Self {
            physics,
            ranges: ranges.to_vec(),
            chains: physics.settings.iter().map(Chain::new).collect(),
            remaining: 0.0,
            inputs: Vec::new(),
            cache: Vec::new(),
        }
    }

    /// Advances by `seconds` and writes the outputs into `values`, one per parameter.
    ///
    /// Nothing happens without time, or when there are less values than ranges.
    pub fn evaluate(&mut self, values: &mut [f32], seconds: f32) {
        if seconds.is_nan() || seconds <= 0.0 || values.len() < self.ranges.len() {
            return;
        }
        self.remaining += seconds;
        if self.remaining > LONGEST {
            self.remaining = 0.0;
        }
        if self.inputs.is_empty() {
            self.inputs = values[..self.ranges.len()].to_vec();
        }
        let step = match self.physics.fps.filter(|fps| *fps > 0.0) {
            Some(fps) => (1.0 / fps).max(SHORTEST_STEP),
            None => seconds,
        };
        while self.remaining >= step {
            self.step(values, step);
            self.remaining -= step;
        }
        let late = self.remaining / step;
        self.write(values, |previous, current| previous * (1.0 - late) + current * late);
    }

    /// Puts the chains where they come to rest and writes the outputs.
    pub fn stabilise(&mut self, values: &mut [f32]) {
        if values.len() < self.ranges.len() {
            return;
        }
        self.remaining = 0.0;
        self.inputs = values[..self.ranges.len()].to_vec();
        self.cache = self.inputs.clone();
        for (setting, chain) in self.physics.settings.iter().zip(&mut self.chains) {
            chain.settle(setting, pull(setting, &self.cache, &self.ranges));
            chain.read(setting);
            chain.previous.clone_from(&chain.current);
            write(setting, &self.ranges, &chain.current, &mut self.cache);
        }
        self.write(values, |_, current| current);
    }

    /// One step of all chains.
    fn step(&mut self, values: &[f32], step: f32) {
        let weight = step / self.remaining;
        for (input, value) in self.inputs.iter_mut().zip(values) {
            *input = *input * (1.0 - weight) + *value * weight;
        }
        self.cache.clone_from(&self.inputs);
        for (setting, chain) in self.physics.settings.iter().zip(&mut self.chains) {
            chain.previous.clone_from(&chain.current);
            chain.advance(setting, pull(setting, &self.cache, &self.ranges), step);
            chain.read(setting);
            write(setting, &self.ranges, &chain.current, &mut self.cache);
        }
    }

    /// Writes a mixture of the last two outputs of all chains.
    fn write(&self, values: &mut [f32], mix: impl Fn(f32, f32) -> f32) {
        for (setting, chain) in self.physics.settings.iter().zip(&self.chains) {
            let mixed: Vec<f32> = chain
                .previous
                .iter()
                .zip(&chain.current)
                .map(|(previous, current)| mix(*previous, *current))
                .collect();
            write(setting, &self.ranges, &mixed, values);
        }
    }
}

/// Where the inputs move and turn the anchor of a chain.
fn pull(setting: &Setting, values: &[f32], ranges: &[Range]) -> Pull {
    let (mut position, mut degrees) = (Vector::default(), 0.0);
    for input in &setting.inputs {
        let (Some(value), Some(range)) = (values.get(input.parameter), ranges.get(input.parameter)) else {
            continue;
        };
        let normalization = if input.kind == Kind::Angle { &setting.angle } else { &setting.position };
        let normal = normalise(*value, *range, normalization);
        let share = if input.reflect { normal } else { -normal } * (input.weight / 100.0);
        match input.kind {
            Kind::X => position.x += share,
            Kind::Y => position.y += share,
            Kind::Angle => degrees += share,
        }
    }
    Pull { position: position.rotated_with_new_x((-degrees).to_radians()), angle: degrees.to_radians() }
}

/// From the range of a parameter, around its middle, to that of the inputs.
fn normalise(value: f32, range: Range, to: &Normalization) -> f32 {
    let value = value.max(range.minimum).min(range.maximum);
    let middle = range.minimum + (range.maximum - range.minimum) / 2.0;
    let offset = value - middle;
    if offset > 0.0 {
        offset * (to.maximum - to.default) / (range.maximum - middle) + to.default
    } else if offset < 0.0 {
        offset * (to.minimum - to.default) / (range.minimum - middle) + to.default
    } else {
        to.default
    }
}

/// Writes the outputs of a chain over the values that it drives.
fn write(setting: &Setting, ranges: &[Range], outputs: &[f32], values: &mut [f32]) {
    for (output, value) in setting.outputs.iter().zip(outputs) {
        if !(1..setting.particles.len()).contains(&output.particle) {
            continue;
        }
        let (Some(range), Some(target)) = (ranges.get(output.parameter), values.get_mut(output.parameter))
        else {
            continue;
        };
        // The framework never loads the scale of positions.
        let scale = if output.kind == Kind::Angle { output.scale } else { 0.0 };
        let scaled = (value * scale).max(range.minimum).min(range.maximum);
        let weight = output.weight / 100.0;
        *target = if weight >= 1.0 { scaled } else { *target * (1.0 - weight) + scaled * weight };
    }
}
