//! Weights by heat: each bone warms the vertices nearest to it, and the mesh conducts (ALGORITHMS 4).

use crate::bones::Joint;
use crate::envelope::{Symmetric, factor};
use crate::mesh::as_many;
use crate::order::{components, reversed};
use crate::weights::{Weight, nearest_bone, settled};
use crate::{Bones, Error, Mesh, Weights};

/// Bones warmed at once.
const LANES: usize = 8;
/// A nearer bone does not warm more, px.
const LEAST_DISTANCE: f64 = 1.0;

impl Weights {
    /// Weights by bone heat: the equilibrium of the mesh's cotangent Laplacian when each vertex is held, with
    /// strength `1 / distance^2`, at the heat of its nearest bone. Of each vertex the warmest bone counts, and of its
    /// joints the one whose other bone is warmest; shares below 2 % are rigid.
    ///
    /// # Errors
    /// [`Error::Length`] without bones; [`Error::TooLarge`].
    pub fn by_heat(mesh: &Mesh, bones: &Bones) -> Result<Self, Error> {
        let count = bones.bones().len();
        as_many("bones", count, count.max(1))?;
        let near: Vec<(usize, f64)> = mesh.vertices().iter().map(|v| nearest_bone(*v, bones)).collect();
        let heats = heats(mesh, &near, count)?;
        let joints = bones.joints();
        let weight = |v: usize| settled_heat(&joints, near[v].0, |bone| heats[bone][v]);
        Self::given((0..near.len()).map(weight).collect(), near.len(), bones)
    }
}

/// The heat of each vertex for each bone.
fn heats(mesh: &Mesh, near: &[(usize, f64)], bones: usize) -> Result<Vec<Vec<f64>>, Error> {
    let spokes = mesh.spokes();
    let order = reversed(&components(&spokes, &vec![true; near.len()]));
    let mut row = vec![0; near.len()];
    order.iter().enumerate().for_each(|(i, v)| row[*v] = i);
    let strength = |v: usize| 1.0 / near[v].1.max(LEAST_DISTANCE) / near[v].1.max(LEAST_DISTANCE);
    let mut matrix = Symmetric { diagonal: Vec::new(), lower: Vec::new() };
    for v in &order {
        matrix.diagonal.push(strength(*v) + spokes[*v].iter().map(|(_, w)| w).sum::<f64>());
        let left = spokes[*v].iter().map(|(to, w)| (row[*to as usize], -w)).filter(|(r, _)| *r < row[*v]);
        let mut left: Vec<(usize, f64)> = left.collect();
        left.sort_by_key(|(column, _)| *column);
        matrix.lower.push(left);
    }
    let factor = factor(&matrix)?;
    let mut heats = vec![vec![0.0; near.len()]; bones];
    for first in (0..bones).step_by(LANES) {
        let held = |v: &usize| {
            std::array::from_fn(|lane| if near[*v].0 == first + lane { strength(*v) } else { 0.0 })
        };
        let mut sides: Vec<[f64; LANES]> = order.iter().map(held).collect();
        factor.solve(&mut sides);
        for (v, side) in order.iter().zip(&sides) {
            for (bone, heat) in heats[first..].iter_mut().zip(side) {
                bone[*v] = *heat;
            }
        }
    }
    Ok(heats)
}

/// The warmest bone, against the warmest of the bones it has a joint with.
fn settled_heat(joints: &[Joint], nearest: usize, heat: impl Fn(usize) -> f64) -> Weight {
    let pairs = joints.iter().enumerate().filter(|(_, j)| j.child == nearest || j.parent == nearest);
    let warmest = pairs
        .map(|(i, j)| {
            (
                i,
                heat(j.child),
                heat(j.parent),
                if j.child == nearest { heat(j.parent) } else { heat(j.child) },
            )
        })
        .fold(
            None,
            |best: Option<(usize, f64, f64, f64)>, new| {
                if best.is_some_and(|b| b.3 >= new.3) { best } else { Some(new) }
            },
        );
    let Some((joint, child, parent, _)) = warmest else { return Weight::Rigid { bone: nearest } };
    let share = child / (child + parent);
    // From 2 % to 98 % stretched to all.
    settled(joints, joint, (share - 0.02) / 0.96)
}
