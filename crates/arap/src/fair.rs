//! Surface fairing: what solves leave jagged is smoothed (DOCUMENT_LAYER 9.3, step 5).
//!
//! What is smoothed is the way from the guides to the solved positions, not the positions: guides are smooth already,
//! and at rest, where there is no way, nothing moves.

use crate::Mesh;
use crate::weights::Weight;

/// Passes of Taubin smoothing, each one step with the grain and one against it.
const PASSES: usize = 4;
const STEPS: [f64; 2] = [0.5, -1.0 / 1.9];
/// Shares this near to rigid are smoothed less.
const FADE: f64 = 0.05;

/// Which vertices are smoothed how much, and among whom.
#[derive(Clone, Debug)]
pub(crate) struct Fairing {
    stars: Vec<Star>,
}

/// One smoothed vertex.
#[derive(Clone, Debug)]
struct Star {
    vertex: usize,
    /// In (0, 1].
    strength: f64,
    /// Neighbours; their weights sum to 1.
    neighbours: Vec<(u32, f64)>,
}

impl Fairing {
    /// Weights are those of the cotangents inside and of the reciprocal lengths along the outline.
    pub(crate) fn new(mesh: &Mesh, weights: &[Weight]) -> Self {
        let spokes = mesh.spokes();
        let outline = outline_neighbours(mesh);
        let star = |(v, weight): (usize, &Weight)| {
            let Weight::Bent { child, .. } = weight else { return None };
            let strength = (child.min(1.0 - child) / FADE).min(1.0);
            let mut star = if outline[v].is_empty() { spokes[v].clone() } else { outline[v].clone() };
            let sum: f64 = star.iter().map(|(_, w)| w).sum();
            star.iter_mut().for_each(|(_, w)| *w /= sum);
            (sum > 0.0 && sum.is_finite()).then_some(Star { vertex: v, strength, neighbours: star })
        };
        Self { stars: weights.iter().enumerate().filter_map(star).collect() }
    }

    /// Smooths `positions` in place.
    pub(crate) fn apply(&self, guides: &[[f64; 2]], positions: &mut [[f64; 2]]) {
        let mut ways: Vec<[f64; 2]> =
            positions.iter().zip(guides).map(|(p, g)| [p[0] - g[0], p[1] - g[1]]).collect();
        for step in (0..PASSES).flat_map(|_| STEPS) {
            let smoothed: Vec<[f64; 2]> = self.stars.iter().map(|star| moved(star, &ways, step)).collect();
            for (star, way) in self.stars.iter().zip(smoothed) {
                ways[star.vertex] = way;
            }
        }
        for v in self.stars.iter().map(|star| star.vertex) {
            positions[v] = [guides[v][0] + ways[v][0], guides[v][1] + ways[v][1]];
        }
    }
}

fn moved(star: &Star, ways: &[[f64; 2]], step: f64) -> [f64; 2] {
    let mut mean = [0.0; 2];
    for (to, weight) in &star.neighbours {
        let way = ways[*to as usize];
        mean = [mean[0] + weight * way[0], mean[1] + weight * way[1]];
    }
    let here = ways[star.vertex];
    let k = step * star.strength;
    [here[0] + k * (mean[0] - here[0]), here[1] + k * (mean[1] - here[1])]
}

/// Of each vertex on the outline, its neighbours along it, weighted by the reciprocal of the distance.
fn outline_neighbours(mesh: &Mesh) -> Vec<Vec<(u32, f64)>> {
    let mut neighbours = vec![Vec::new(); mesh.vertices().len()];
    for [a, b] in mesh.outline() {
        let [p, q] = [a, b].map(|v| mesh.vertices()[v as usize]);
        let weight = 1.0 / geom::maths::hypot(p[0] - q[0], p[1] - q[1]).max(1e-6);
        neighbours[a as usize].push((b, weight));
        neighbours[b as usize].push((a, weight));
    }
    neighbours
}
