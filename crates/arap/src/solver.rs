//! Poses of one mesh, solved in batches (ALGORITHMS 3, DOCUMENT_LAYER 9.3).

use rayon::prelude::*;

use crate::mend::{flips, mend};
use crate::mesh::{as_many, finite};
use crate::system::System;
use crate::{Error, Mesh};

/// A mesh and the penalties of its guides, factored once for all poses.
#[derive(Clone, Debug)]
pub struct Solver {
    mesh: Mesh,
    system: System,
}

/// Where one pose would like the vertices, in canvas px.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Pose {
    /// One position for each vertex of the mesh: kept exactly where the penalty is infinite, a wish elsewhere.
    pub guides: Vec<[f64; 2]>,
    /// Where to start from; the guides themselves when `None`. It decides between solutions when a bend is so strong
    /// that there are several.
    pub start: Option<Vec<[f64; 2]>>,
}

/// How far to go.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// A pose is done when a round moves no vertex by more than this many px. 0: all rounds are done.
    pub tolerance: f64,
    /// At most this many rounds.
    pub rounds: u32,
}

impl Default for Settings {
    fn default() -> Self {
        Self { tolerance: 0.01, rounds: 250 }
    }
}

/// One pose as solved.
#[derive(Clone, Debug, PartialEq)]
pub struct Solved {
    /// One position for each vertex of the mesh, in canvas px.
    pub positions: Vec<[f64; 2]>,
    /// Rounds done.
    pub rounds: u32,
    /// The tolerance was reached.
    pub converged: bool,
    /// Triangles that the solve turned over (their area had another sign than at rest).
    pub overturned: usize,
    /// Of those, triangles that [`mend`] could not turn back: a bend beyond what the mesh can show.
    pub flips: usize,
}

impl Solver {
    /// Orders and factors the matrix of a mesh.
    ///
    /// `penalties` holds one number for each vertex, from 0 (no wish) to `f64::INFINITY` (stays at its guide); edge
    /// weights, half the sums of cotangents, are around 1. An island without a penalty above zero stays at its guides.
    /// When the matrix has no usable pivot, all penalties are raised a little ([`Solver::raised`]).
    ///
    /// # Errors
    /// [`Error::Length`], [`Error::NotFinite`], [`Error::TooLarge`]; [`Error::Singular`] when raising was not enough.
    pub fn new(mesh: &Mesh, penalties: &[f64]) -> Result<Self, Error> {
        Ok(Self { mesh: mesh.clone(), system: System::new(mesh, penalties)? })
    }

    /// The penalty to which lower ones were raised because the matrix had no usable pivot.
    pub fn raised(&self) -> Option<f64> {
        self.system.raised
    }

    /// Islands without a fixed or penalised vertex; they stay at their guides.
    pub fn islands_left(&self) -> usize {
        self.system.islands_left
    }

    /// Vertices that are solved for.
    pub fn unknowns(&self) -> usize {
        self.system.free
    }

    /// Solves poses; results come in the order of `poses`, and each has the same bits whatever it is solved beside.
    ///
    /// # Errors
    /// [`Error::Length`] or [`Error::NotFinite`] for a guide or a start.
    pub fn solve(&self, poses: &[Pose], settings: &Settings) -> Result<Vec<Solved>, Error> {
        for pose in poses {
            for (what, points) in
                [("guide vertex", Some(&pose.guides)), ("start vertex", pose.start.as_ref())]
            {
                if let Some(points) = points {
                    as_many(what, points.len(), self.mesh.vertices().len())?;
                    finite(what, points)?;
                }
            }
        }
        Ok(poses.par_iter().map(|pose| self.one(pose, settings)).collect())
    }

    fn one(&self, pose: &Pose, settings: &Settings) -> Solved {
        let system = &self.system;
        let at = |i: usize| system.vertices[i] as usize;
        let start = pose.start.as_ref().unwrap_or(&pose.guides);
        let mut now: Vec<[f64; 2]> = (0..system.vertices.len())
            .map(|i| if i < system.free { start[at(i)] } else { pose.guides[at(i)] })
            .collect();
        let pulls: Vec<[f64; 2]> = (0..system.free).map(|i| self.pull(pose, i)).collect();
        let (mut rounds, mut converged) = (0, false);
        while rounds < settings.rounds && !converged {
            let mut next = self.round(&now, &pulls);
            let moved = now.iter().zip(&next).map(|(a, b)| squared(*a, *b)).fold(0.0, f64::max);
            next.extend_from_slice(&now[system.free..]);
            now = next;
            rounds += 1;
            converged = moved < settings.tolerance * settings.tolerance;
        }
        let mut positions = pose.guides.clone();
        for i in 0..system.free {
            positions[at(i)] = now[i];
        }
        let overturned = flips(&self.mesh, &positions);
        let flips = if overturned > 0 { mend(&self.mesh, &mut positions, &self.movable()) } else { 0 };
        Solved { positions, rounds, converged, overturned, flips }
    }

    /// Which vertices are solved for.
    fn movable(&self) -> Vec<bool> {
        let mut movable = vec![false; self.mesh.vertices().len()];
        self.system.vertices[..self.system.free].iter().for_each(|v| movable[*v as usize] = true);
        movable
    }

    /// What draws unknown `i` whatever the rotations are: its guide and its fixed neighbours.
    fn pull(&self, pose: &Pose, i: usize) -> [f64; 2] {
        let guide = pose.guides[self.system.vertices[i] as usize];
        let mut pull = guide.map(|g| self.system.penalties[i] * g);
        for spoke in self.system.spokes_of(i).iter().filter(|s| s.to as usize >= self.system.free) {
            let there = pose.guides[self.system.vertices[spoke.to as usize] as usize];
            pull = [pull[0] + spoke.weight * there[0], pull[1] + spoke.weight * there[1]];
        }
        pull
    }

    /// One local and one global step.
    fn round(&self, now: &[[f64; 2]], pulls: &[[f64; 2]]) -> Vec<[f64; 2]> {
        let system = &self.system;
        let rotations: Vec<[f64; 2]> = (0..system.turned).map(|i| rotation(system, now, i)).collect();
        let mut sides: Vec<[f64; 2]> = (0..system.free)
            .map(|i| {
                let mut turned = times(rotations[i], system.sums[i]);
                for spoke in system.spokes_of(i) {
                    let edge = times(rotations[spoke.to as usize], spoke.edge);
                    turned = [turned[0] + edge[0], turned[1] + edge[1]];
                }
                [pulls[i][0] + 0.5 * turned[0], pulls[i][1] + 0.5 * turned[1]]
            })
            .collect();
        system.factor.solve(&mut sides);
        sides
    }
}

/// The rotation that best maps a vertex's rest spokes to those of now, as a unit complex number.
fn rotation(system: &System, now: &[[f64; 2]], i: usize) -> [f64; 2] {
    let (mut cosine, mut sine) = (0.0, 0.0);
    for spoke in system.spokes_of(i) {
        let there = now[spoke.to as usize];
        let edge = [now[i][0] - there[0], now[i][1] - there[1]];
        cosine += spoke.edge[0] * edge[0] + spoke.edge[1] * edge[1];
        sine += spoke.edge[0] * edge[1] - spoke.edge[1] * edge[0];
    }
    let length = (cosine * cosine + sine * sine).sqrt();
    if length > 1e-30 { [cosine / length, sine / length] } else { [1.0, 0.0] }
}

/// The product of two complex numbers: `edge` turned by `rotation`.
fn times(rotation: [f64; 2], edge: [f64; 2]) -> [f64; 2] {
    [rotation[0] * edge[0] - rotation[1] * edge[1], rotation[1] * edge[0] + rotation[0] * edge[1]]
}

fn squared(a: [f64; 2], b: [f64; 2]) -> f64 {
    (a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1])
}
