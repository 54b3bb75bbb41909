//! Poses of one mesh, solved in batches (ALGORITHMS 3, DOCUMENT_LAYER 9.3).

use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;

use crate::isa;
use crate::lanes::Done;
use crate::mend::{flips, mend};
use crate::mesh::{as_many, finite};
use crate::system::System;
use crate::{Error, Mesh};

/// A mesh and the penalties of its guides, factored once for all poses.
#[derive(Clone, Debug)]
pub struct Solver {
    mesh: Mesh,
    system: System,
    movable: Vec<bool>,
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
    /// How exact, px: a pose is done when a round moves no vertex by more than a tenth of this. At 0.01, results are
    /// within 0.05 px of what more rounds would give. 0: all rounds are done.
    pub tolerance: f64,
    /// At most this many rounds.
    pub rounds: u32,
    /// How many poses are solved side by side. It changes no bit of any result.
    pub lanes: Lanes,
    /// Whether wider instructions are used where the machine has them. It changes no bit of any result.
    pub wide: bool,
}

/// Poses solved side by side by one thread.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Lanes {
    /// One at a time.
    One,
    /// Four.
    Four,
    /// Eight: the fastest where it was measured.
    #[default]
    Eight,
    /// Sixteen.
    Sixteen,
}

impl Default for Settings {
    fn default() -> Self {
        Self { tolerance: 0.01, rounds: 250, lanes: Lanes::Eight, wide: true }
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
        let system = System::new(mesh, penalties)?;
        let mut movable = vec![false; mesh.vertices().len()];
        system.vertices[..system.free].iter().for_each(|v| movable[*v as usize] = true);
        Ok(Self { mesh: mesh.clone(), system, movable })
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
        let streams = rayon::current_num_threads().clamp(1, poses.len().max(1));
        let next = AtomicUsize::new(0);
        let take = || Some(next.fetch_add(1, Ordering::Relaxed)).filter(|pose| *pose < poses.len());
        // Which stream takes a pose is chance; what it makes of it is not.
        let solved = (0..streams).into_par_iter().map(|_| {
            let done = isa::stream(&self.system, poses, settings, &take);
            done.into_iter().map(|done| (done.pose, self.mended(done))).collect()
        });
        let solved: Vec<Vec<(usize, Solved)>> = solved.collect();
        let mut solved = solved.into_iter().flatten().collect::<Vec<_>>();
        solved.sort_by_key(|(pose, _)| *pose);
        Ok(solved.into_iter().map(|(_, solved)| solved).collect())
    }

    /// What was turned over is mended.
    fn mended(&self, done: Done) -> Solved {
        let mut positions = done.positions;
        let overturned = flips(&self.mesh, &positions);
        let flips = if overturned > 0 { mend(&self.mesh, &mut positions, &self.movable) } else { 0 };
        Solved { positions, rounds: done.rounds, converged: done.converged, overturned, flips }
    }

    /// Which vertices are solved for, one for each vertex of the mesh.
    pub fn movable(&self) -> &[bool] {
        &self.movable
    }
}
