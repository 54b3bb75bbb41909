//! How much each bone moves each vertex (DOCUMENT_LAYER 9.2).

use geom::maths::smoothstep;

use crate::bones::{Joint, length, minus};
use crate::mesh::as_many;
use crate::refine::to_segment;
use crate::{Bones, Error, Mesh};

/// What moves one vertex: the joint it bends with and the share of the joint's child, or one bone alone.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Weight {
    /// Moves rigidly with a bone.
    Rigid {
        /// The bone.
        bone: usize,
    },
    /// Bends between two bones.
    Bent {
        /// Index into [`Bones::joints`].
        joint: usize,
        /// The child's share, in (0, 1); the parent has the rest.
        child: f64,
    },
}

/// One weight for each vertex.
#[derive(Clone, Debug, PartialEq)]
pub struct Weights(Vec<Weight>);

impl Weights {
    /// Weights by nearness: a vertex belongs to the nearest bone; within the band of one of that bone's joints it
    /// bends, its child's share a smoothstep of the signed distance along the joint's axis; elsewhere it is rigid.
    ///
    /// # Errors
    /// [`Error::Length`] without bones.
    pub fn by_distance(mesh: &Mesh, bones: &Bones) -> Result<Self, Error> {
        if bones.bones().is_empty() {
            return Err(Error::Length { what: "bones", found: 0, wanted: 1 });
        }
        let joints = bones.joints();
        Ok(Self(mesh.vertices().iter().map(|v| weight(*v, bones, &joints)).collect()))
    }

    /// Weights made elsewhere (painted, or by heat), one for each vertex of a mesh of `vertices`; shares beyond (0, 1)
    /// become rigid.
    ///
    /// # Errors
    /// [`Error::Length`], [`Error::BadIndex`] or [`Error::NotFinite`].
    pub fn given(weights: Vec<Weight>, vertices: usize, bones: &Bones) -> Result<Self, Error> {
        as_many("weights", weights.len(), vertices)?;
        let joints = bones.joints();
        let checked = weights.into_iter().enumerate().map(|(index, weight)| match weight {
            Weight::Rigid { bone } if bone < bones.bones().len() => Ok(weight),
            Weight::Bent { joint, child } if joint < joints.len() => {
                if child.is_finite() {
                    Ok(settled(&joints, joint, child))
                } else {
                    Err(Error::NotFinite { what: "weight", index })
                }
            }
            _ => Err(Error::BadIndex { what: "weight", index }),
        });
        Ok(Self(checked.collect::<Result<_, _>>()?))
    }

    /// One for each vertex.
    pub fn as_slice(&self) -> &[Weight] {
        &self.0
    }

    /// The guide penalty of each vertex: infinite for the rigid, `4w(1-w)` for the bent (DOCUMENT_LAYER 9.3), not
    /// below 0.01.
    pub fn penalties(&self) -> Vec<f64> {
        let penalty = |weight: &Weight| match weight {
            Weight::Rigid { .. } => f64::INFINITY,
            Weight::Bent { child, .. } => (4.0 * child * (1.0 - child)).max(0.01),
        };
        self.0.iter().map(penalty).collect()
    }
}

/// Rigid at the ends of a share.
pub(crate) fn settled(joints: &[Joint], joint: usize, child: f64) -> Weight {
    if child <= 0.0 {
        Weight::Rigid { bone: joints[joint].parent }
    } else if child >= 1.0 {
        Weight::Rigid { bone: joints[joint].child }
    } else {
        Weight::Bent { joint, child }
    }
}

fn weight(vertex: [f64; 2], bones: &Bones, joints: &[Joint]) -> Weight {
    let owner = nearest_bone(vertex, bones).0;
    let own = joints.iter().enumerate().filter(|(_, j)| j.child == owner || j.parent == owner);
    // Of overlapping bands the nearest joint decides.
    let nearest = own
        .filter(|(_, j)| along(vertex, j).abs() < j.half)
        .map(|(i, j)| (i, length(minus(vertex, j.point))))
        .fold(
            None,
            |best: Option<(usize, f64)>, new| {
                if best.is_some_and(|b| b.1 <= new.1) { best } else { Some(new) }
            },
        );
    match nearest {
        Some((joint, distance)) if distance < 4.0 * joints[joint].half + reach(bones, owner) => {
            let j = &joints[joint];
            settled(joints, joint, smoothstep((along(vertex, j) + j.half) / (2.0 * j.half)))
        }
        _ => Weight::Rigid { bone: owner },
    }
}

/// Beyond this distance a joint of many children does not count (a torso's far shoulder).
fn reach(bones: &Bones, owner: usize) -> f64 {
    let bone = &bones.bones()[owner];
    0.5 * length(minus(bone.tail, bone.head))
}

/// Signed distance of a vertex from a joint along its axis, px.
pub(crate) fn along(vertex: [f64; 2], joint: &Joint) -> f64 {
    let d = minus(vertex, joint.point);
    d[0] * joint.axis[0] + d[1] * joint.axis[1]
}

/// The bone nearest to a vertex, and how near, px; the first of equals.
pub(crate) fn nearest_bone(vertex: [f64; 2], bones: &Bones) -> (usize, f64) {
    let distances = bones.bones().iter().map(|b| to_segment(vertex, b.head, b.tail).0);
    distances.enumerate().fold((0, f64::INFINITY), |best, new| if new.1 < best.1 { new } else { best })
}
