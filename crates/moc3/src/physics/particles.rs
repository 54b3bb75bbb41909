//! Pendulum chains.

use super::vector::Vector;
use super::{Kind, Setting};

/// Share of a turn of gravity that turns a link at once.
const AIR_RESISTANCE: f32 = 5.0;
/// Links nearer to the vertical than this share of the position range snap to it.
const THRESHOLD: f32 = 0.001;
/// Delays count in steps of this many per second.
const DELAY_RATE: f32 = 30.0;

/// What the inputs do to a chain.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pull {
    /// Place of the anchor.
    pub(super) position: Vector,
    /// Turn of gravity in radians.
    pub(super) angle: f32,
}

/// A chain in motion.
#[derive(Clone, Debug)]
pub(super) struct Chain {
    links: Vec<Link>,
    /// Outputs of the last step.
    pub(super) current: Vec<f32>,
    /// Outputs of the step before.
    pub(super) previous: Vec<f32>,
}

#[derive(Clone, Copy, Debug)]
struct Link {
    position: Vector,
    velocity: Vector,
    last_gravity: Vector,
}

impl Chain {
    /// Hanging straight down.
    pub(super) fn new(setting: &Setting) -> Self {
        let mut depth = 0.0;
        let link = |particle: &super::Particle| {
            depth += particle.radius;
            let position = Vector { x: 0.0, y: depth };
            Link { position, velocity: Vector::default(), last_gravity: Vector::DOWN }
        };
        let mut links: Vec<Link> = setting.particles.iter().map(link).collect();
        if let Some(anchor) = links.first_mut() {
            anchor.position = Vector::default();
        }
        let outputs = vec![0.0; setting.outputs.len()];
        Self { links, current: outputs.clone(), previous: outputs }
    }

    /// One step of `seconds`.
    pub(super) fn advance(&mut self, setting: &Setting, pull: Pull, seconds: f32) {
        let Some((anchor, links)) = self.links.split_first_mut() else { return };
        anchor.position = pull.position;
        let mut before = anchor.position;
        let gravity = Vector::towards(pull.angle);
        let threshold = THRESHOLD * setting.position.maximum;
        for (link, particle) in links.iter_mut().zip(&setting.particles[1..]) {
            let force = gravity * particle.acceleration;
            let delay = particle.delay * seconds * DELAY_RATE;
            let old = link.position;
            let turn = link.last_gravity.angle_to(gravity) / AIR_RESISTANCE;
            let direction = (old - before).rotated_with_new_x(turn);
            let moved = before + direction + link.velocity * delay + force * delay * delay;
            link.position = before + (moved - before).normalised() * particle.radius;
            if link.position.x.abs() < threshold {
                link.position.x = 0.0;
            }
            if delay != 0.0 {
                link.velocity = (link.position - old) / delay * particle.mobility;
            }
            link.last_gravity = gravity;
            before = link.position;
        }
    }

    /// Puts the links where gravity holds them.
    pub(super) fn settle(&mut self, setting: &Setting, pull: Pull) {
        let Some((anchor, links)) = self.links.split_first_mut() else { return };
        anchor.position = pull.position;
        let mut before = anchor.position;
        let gravity = Vector::towards(pull.angle);
        let threshold = THRESHOLD * setting.position.maximum;
        for (link, particle) in links.iter_mut().zip(&setting.particles[1..]) {
            let force = gravity * particle.acceleration;
            link.velocity = Vector::default();
            link.position = before + force.normalised() * particle.radius;
            if link.position.x.abs() < threshold {
                link.position.x = 0.0;
            }
            link.last_gravity = gravity;
            before = link.position;
        }
    }

    /// Reads the outputs off the links.
    pub(super) fn read(&mut self, setting: &Setting) {
        for (output, current) in setting.outputs.iter().zip(&mut self.current) {
            let at = output.particle;
            if at == 0 || at >= self.links.len() {
                continue;
            }
            let link = self.links[at].position - self.links[at - 1].position;
            let value = match output.kind {
                Kind::X => link.x,
                Kind::Y => link.y,
                Kind::Angle if at >= 2 => {
                    (self.links[at - 1].position - self.links[at - 2].position).angle_to(link)
                }
                Kind::Angle => Vector::DOWN.angle_to(link),
            };
            *current = if output.reflect { -value } else { value };
        }
    }
}
