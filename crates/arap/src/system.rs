//! What all poses of a mesh share: the order of unknowns, rest edges, and the factored matrix.

use crate::envelope::{Factor, Symmetric, factor};
use crate::mesh::as_many;
use crate::order::{components, reversed};
use crate::{Error, Mesh};

/// When a matrix has no pivot, guide penalties are raised to this part of the mean edge weight sum...
const RAISE: f64 = 1e-6;

/// Unknowns are numbered first (in elimination order), then the fixed vertices next to them (whose rotations matter),
/// then the neighbours of those (whose positions matter); nothing else of the mesh takes part.
#[derive(Clone, Debug)]
pub(crate) struct System {
    /// Number -> mesh vertex.
    pub(crate) vertices: Vec<u32>,
    /// How many are unknown.
    pub(crate) free: usize,
    /// How many have a rotation: the unknown and their neighbours.
    pub(crate) turned: usize,
    /// Where each turned vertex's spokes begin in `spokes`; one more at the end.
    pub(crate) start: Vec<u32>,
    /// Weighted rest edges from other vertices to each turned vertex.
    pub(crate) spokes: Vec<Spoke>,
    /// Of each turned vertex, the sum of its weighted rest edges.
    pub(crate) sums: Vec<[f64; 2]>,
    /// Penalty of each unknown.
    pub(crate) penalties: Vec<f64>,
    pub(crate) factor: Factor,
    /// The penalty to which some were raised because the matrix had no pivot.
    pub(crate) raised: Option<f64>,
    /// Islands without a fixed or penalised vertex: they stay at their guides.
    pub(crate) islands_left: usize,
}

/// A neighbour, the edge's weight and the weighted rest edge from the neighbour.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spoke {
    pub(crate) to: u32,
    pub(crate) weight: f64,
    pub(crate) edge: [f64; 2],
}

impl System {
    /// Orders and factors.
    ///
    /// # Errors
    /// Bad penalties, a matrix that is too large, or one without a pivot even after raising.
    pub(crate) fn new(mesh: &Mesh, penalties: &[f64]) -> Result<Self, Error> {
        as_many("penalties", penalties.len(), mesh.vertices().len())?;
        if let Some(index) = penalties.iter().position(|p| p.is_nan() || *p < 0.0) {
            return Err(Error::NotFinite { what: "penalty", index });
        }
        let spokes = mesh.spokes();
        let mut free: Vec<bool> = penalties.iter().map(|p| p.is_finite()).collect();
        let mut islands = components(&spokes, &free);
        let before = islands.len();
        islands.retain(|island| {
            let next_to_fixed =
                |v: usize| spokes[v].iter().any(|(to, _)| penalties[*to as usize].is_infinite());
            let held = island.iter().any(|v| penalties[*v] > 0.0 || next_to_fixed(*v));
            // A vertex in no triangle goes where its guide goes, whatever its penalty.
            let kept = held && island.iter().any(|v| !spokes[*v].is_empty());
            island.iter().for_each(|v| free[*v] = kept);
            kept
        });
        let loose = free.len() - free.iter().filter(|f| **f).count();
        let mut system = Self::numbered(mesh, &spokes, reversed(&islands));
        system.islands_left = if loose == 0 { 0 } else { before - islands.len() };
        system.penalties = system.vertices[..system.free].iter().map(|v| penalties[*v as usize]).collect();
        system.factored()
    }

    fn numbered(mesh: &Mesh, spokes: &[Vec<(u32, f64)>], order: Vec<usize>) -> Self {
        let free = order.len();
        let mut number = vec![u32::MAX; spokes.len()];
        let mut vertices: Vec<u32> = order.iter().map(|v| *v as u32).collect();
        for (i, v) in vertices.iter().enumerate() {
            number[*v as usize] = i as u32;
        }
        let mut append_neighbours = |vertices: &mut Vec<u32>| {
            for i in 0..vertices.len() {
                for (to, _) in &spokes[vertices[i] as usize] {
                    if number[*to as usize] == u32::MAX {
                        number[*to as usize] = vertices.len() as u32;
                        vertices.push(*to);
                    }
                }
            }
            vertices.len()
        };
        let turned = append_neighbours(&mut vertices);
        append_neighbours(&mut vertices);
        let mut start = vec![0];
        let mut list = Vec::new();
        let mut sums = Vec::with_capacity(turned);
        for v in &vertices[..turned] {
            let here = mesh.vertices()[*v as usize];
            let mut sum = [0.0; 2];
            for (to, weight) in &spokes[*v as usize] {
                let there = mesh.vertices()[*to as usize];
                let edge = [weight * (here[0] - there[0]), weight * (here[1] - there[1])];
                sum = [sum[0] + edge[0], sum[1] + edge[1]];
                list.push(Spoke { to: number[*to as usize], weight: *weight, edge });
            }
            start.push(list.len() as u32);
            sums.push(sum);
        }
        let empty = Factor { first: vec![], start: vec![], rows: vec![], reciprocal: vec![] };
        Self {
            vertices,
            free,
            turned,
            start,
            spokes: list,
            sums,
            penalties: vec![],
            factor: empty,
            raised: None,
            islands_left: 0,
        }
    }

    /// With the matrix factored; penalties raised once if it has no pivot.
    fn factored(mut self) -> Result<Self, Error> {
        let matrix = self.matrix();
        match factor(&matrix) {
            Ok(factor) => self.factor = factor,
            Err(Error::Singular { .. }) => {
                let raised = RAISE * matrix.diagonal.iter().sum::<f64>() / matrix.diagonal.len() as f64;
                self.penalties.iter_mut().for_each(|p| *p = p.max(raised));
                self.raised = Some(raised);
                self.factor = factor(&self.matrix()).map_err(|error| match error {
                    Error::Singular { vertex } => Error::Singular { vertex: self.vertices[vertex] as usize },
                    other => other,
                })?;
            }
            Err(other) => return Err(other),
        }
        Ok(self)
    }

    /// Laplacian and penalties of the unknowns.
    fn matrix(&self) -> Symmetric {
        let mut diagonal = self.penalties.clone();
        let mut lower = vec![Vec::new(); self.free];
        for i in 0..self.free {
            for spoke in self.spokes_of(i) {
                diagonal[i] += spoke.weight;
                if (spoke.to as usize) < i {
                    lower[i].push((spoke.to as usize, -spoke.weight));
                }
            }
            lower[i].sort_by_key(|(column, _)| *column);
        }
        Symmetric { diagonal, lower }
    }

    /// The spokes of a turned vertex.
    pub(crate) fn spokes_of(&self, i: usize) -> &[Spoke] {
        &self.spokes[self.start[i] as usize..self.start[i + 1] as usize]
    }
}
