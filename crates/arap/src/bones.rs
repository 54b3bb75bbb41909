//! Bones and where they are in a pose (CONTEXT 3.2).

use geom::{Affine, Point};

use crate::Error;
use crate::mesh::{as_many, at_most, finite};

/// More bones are refused.
const MAX_BONES: usize = 1024;
/// Shorter bones have no direction, px.
const LEAST_LENGTH: f64 = 1e-3;
/// A band's half width by default, and at most, as parts of the shorter of the joint's bones (DOCUMENT_LAYER 9.2).
const BAND: (f64, f64) = (0.35, 0.45);

/// One bone at rest, in canvas px.
#[derive(Clone, Debug, PartialEq)]
pub struct Bone {
    /// Where it turns: the joint with its parent.
    pub head: [f64; 2],
    /// Its far end.
    pub tail: [f64; 2],
    /// Index of the bone it hangs on; any order.
    pub parent: Option<usize>,
    /// Half the width of the band around `head` in which the mesh bends, px; `None`: 0.35 of the shorter of this bone
    /// and its parent. Always at least 1 px and at most 0.45 of the shorter.
    pub band: Option<f64>,
}

/// A checked set of bones: finite, with lengths, without cycles.
#[derive(Clone, Debug, PartialEq)]
pub struct Bones {
    bones: Vec<Bone>,
    /// Parents before children.
    order: Vec<usize>,
}

/// Where the mesh bends: the head of a bone with a parent (DOCUMENT_LAYER 9.1).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Joint {
    /// The bone that turns.
    pub child: usize,
    /// The bone it turns against.
    pub parent: usize,
    /// Its point, px.
    pub point: [f64; 2],
    /// Unit vector from parent to child: the bisector of their directions.
    pub axis: [f64; 2],
    /// Half the width of its band along the axis, px.
    pub half: f64,
}

impl Bones {
    /// Checks and takes bones.
    ///
    /// # Errors
    /// [`Error::NotFinite`], [`Error::ZeroLength`], [`Error::BadIndex`], [`Error::Cycle`] or [`Error::TooLarge`].
    pub fn new(bones: Vec<Bone>) -> Result<Self, Error> {
        at_most("bones", bones.len(), MAX_BONES)?;
        for (index, bone) in bones.iter().enumerate() {
            let bad_band = bone.band.is_some_and(|b| !b.is_finite() || b <= 0.0);
            if finite("bone", &[bone.head, bone.tail]).is_err() || bad_band {
                return Err(Error::NotFinite { what: "bone", index });
            }
            if length(minus(bone.tail, bone.head)) < LEAST_LENGTH {
                return Err(Error::ZeroLength { bone: index });
            }
            if bone.parent.is_some_and(|p| p >= bones.len()) {
                return Err(Error::BadIndex { what: "parent of bone", index });
            }
        }
        let order = parents_first(&bones)?;
        Ok(Self { bones, order })
    }

    /// The bones as given.
    pub fn bones(&self) -> &[Bone] {
        &self.bones
    }

    /// The joints, by the index of their child.
    pub fn joints(&self) -> Vec<Joint> {
        let joint = |(child, bone): (usize, &Bone)| {
            let parent = bone.parent?;
            let (own, above) = (self.direction(child), self.direction(parent));
            let sum = [own[0] + above[0], own[1] + above[1]];
            // Folded back on its parent, the bone's own direction has to do.
            let axis = if length(sum) < 1e-6 { own } else { unit(sum) };
            let shorter = self.length(child).min(self.length(parent));
            let half = bone.band.unwrap_or(BAND.0 * shorter).min(BAND.1 * shorter).max(1.0);
            Some(Joint { child, parent, point: bone.head, axis, half })
        };
        self.bones.iter().enumerate().filter_map(joint).collect()
    }

    /// Each bone's map from rest to the pose in which every bone is turned by its angle (radians, clockwise on screen)
    /// about its head, relative to its parent.
    ///
    /// # Errors
    /// [`Error::Length`] or [`Error::NotFinite`].
    pub fn frames(&self, angles: &[f64]) -> Result<Vec<Affine>, Error> {
        as_many("angles", angles.len(), self.bones.len())?;
        if let Some(index) = angles.iter().position(|a| a.is_nan() || a.abs() > 1e6) {
            return Err(Error::NotFinite { what: "angle", index });
        }
        let mut frames = vec![Affine::IDENTITY; self.bones.len()];
        for &i in &self.order {
            let [x, y] = self.bones[i].head;
            let own = Affine::rotation_about(Point::new(x, y), angles[i]);
            frames[i] = self.bones[i].parent.map_or(own, |p| after(&frames[p], &own));
        }
        Ok(frames)
    }

    /// Unit vector from head to tail.
    pub(crate) fn direction(&self, bone: usize) -> [f64; 2] {
        unit(minus(self.bones[bone].tail, self.bones[bone].head))
    }

    fn length(&self, bone: usize) -> f64 {
        length(minus(self.bones[bone].tail, self.bones[bone].head))
    }
}

/// `outer` after `inner`.
pub(crate) fn after(outer: &Affine, inner: &Affine) -> Affine {
    let origin = outer.apply(Point::new(inner.tx, inner.ty));
    Affine {
        a: outer.a * inner.a + outer.b * inner.c,
        b: outer.a * inner.b + outer.b * inner.d,
        c: outer.c * inner.a + outer.d * inner.c,
        d: outer.c * inner.b + outer.d * inner.d,
        tx: origin.x,
        ty: origin.y,
    }
}

fn parents_first(bones: &[Bone]) -> Result<Vec<usize>, Error> {
    let mut order = Vec::with_capacity(bones.len());
    let mut placed = vec![false; bones.len()];
    for bone in 0..bones.len() {
        let mut chain = Vec::new();
        let mut at = Some(bone);
        while let Some(i) = at.filter(|i| !placed[*i]) {
            if chain.len() > bones.len() {
                return Err(Error::Cycle { bone });
            }
            chain.push(i);
            at = bones[i].parent;
        }
        for i in chain.into_iter().rev() {
            placed[i] = true;
            order.push(i);
        }
    }
    Ok(order)
}

pub(crate) fn minus(a: [f64; 2], b: [f64; 2]) -> [f64; 2] {
    [a[0] - b[0], a[1] - b[1]]
}

pub(crate) fn length(v: [f64; 2]) -> f64 {
    geom::maths::hypot(v[0], v[1])
}

fn unit(v: [f64; 2]) -> [f64; 2] {
    let length = length(v);
    [v[0] / length, v[1] / length]
}
