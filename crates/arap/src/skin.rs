//! A mesh on bones: from frames to positions.

use geom::{Affine, Point};
use rayon::prelude::*;

use crate::bones::Joint;
use crate::fair::Fairing;
use crate::mend::mend;
use crate::mesh::as_many;
use crate::profile::Profile;
use crate::weights::Weight;
use crate::{Bones, Error, Mesh, Pose, Settings, Solved, Solver, Weights};

/// A mesh, its bones and weights, factored once for all poses.
#[derive(Clone, Debug)]
pub struct Skin {
    mesh: Mesh,
    bones: usize,
    joints: Vec<Joint>,
    weights: Weights,
    solver: Solver,
    fairing: Fairing,
}

impl Skin {
    /// Binds a mesh to bones. Rigid vertices stay with their bone; the others are solved for.
    ///
    /// # Errors
    /// [`Error::Length`] when the weights are of another mesh; those of [`Solver::new`].
    pub fn new(mesh: Mesh, bones: &Bones, weights: Weights) -> Result<Self, Error> {
        as_many("weights", weights.as_slice().len(), mesh.vertices().len())?;
        let solver = Solver::new(&mesh, &weights.penalties())?;
        let fairing = Fairing::new(&mesh, weights.as_slice());
        Ok(Self { fairing, mesh, bones: bones.bones().len(), joints: bones.joints(), weights, solver })
    }

    /// The mesh at rest.
    pub fn mesh(&self) -> &Mesh {
        &self.mesh
    }

    /// The weights.
    pub fn weights(&self) -> &Weights {
        &self.weights
    }

    /// The solver of the bent vertices.
    pub fn solver(&self) -> &Solver {
        &self.solver
    }

    /// Where a pose would like the vertices: rigid ones with their bone, bent ones by the joint's profile (width kept,
    /// round outside, narrowed inside); and where to start from. `frames`: one map for each bone ([`Bones::frames`]).
    ///
    /// # Errors
    /// [`Error::Length`] or [`Error::NotFinite`].
    pub fn pose(&self, frames: &[Affine]) -> Result<Pose, Error> {
        as_many("frames", frames.len(), self.bones)?;
        let profiles: Option<Vec<Profile>> =
            self.joints.iter().map(|j| Profile::new(j, &frames[j.parent], &frames[j.child])).collect();
        let profiles = profiles.ok_or(Error::NotFinite { what: "frame", index: 0 })?;
        let place = |(v, weight): (&[f64; 2], &Weight)| match *weight {
            Weight::Rigid { bone } => {
                let p = frames[bone].apply(Point::new(v[0], v[1]));
                ([p.x, p.y], [p.x, p.y])
            }
            Weight::Bent { joint, child } => profiles[joint].place(*v, child),
        };
        let guides =
            self.mesh.vertices().iter().zip(self.weights.as_slice()).map(|both| place(both).0).collect();
        Ok(Pose { guides, start: None })
    }

    /// Solves poses, each given by the frames of all bones; results in the same order.
    ///
    /// # Errors
    /// Those of [`Skin::pose`] and [`Solver::solve`].
    pub fn solve(&self, poses: &[Vec<Affine>], settings: &Settings) -> Result<Vec<Solved>, Error> {
        let poses: Result<Vec<Pose>, Error> = poses.par_iter().map(|frames| self.pose(frames)).collect();
        let poses = poses?;
        let mut solved = self.solver.solve(&poses, settings)?;
        solved.par_iter_mut().zip(&poses).for_each(|(solved, pose)| self.fair(solved, pose));
        Ok(solved)
    }

    /// Smooths a solved pose, and mends it again where that turned triangles over.
    fn fair(&self, solved: &mut Solved, pose: &Pose) {
        if solved.flips > 0 {
            return;
        }
        let rough = solved.positions.clone();
        self.fairing.apply(&pose.guides, &mut solved.positions);
        if mend(&self.mesh, &mut solved.positions, self.solver.movable()) > 0 {
            solved.positions = rough;
        }
    }
}
