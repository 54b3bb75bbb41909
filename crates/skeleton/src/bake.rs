//! A limb to keyforms: nested turning frames for the rigid parts, bent meshes with as few keys as the tolerance allows
//! (DOCUMENT_LAYER 9.3, 9.4).

use geom::Point;
use puppet::{Axis, DeformerId, Grid, RotationForm};
use rayon::prelude::*;

use crate::Error;
use crate::chain::{Bone, Chain};
use crate::limb::{Bound, Limb};
use crate::patch::{BoneParameter, Frame, Narrowed, Patch, Skin};

/// Most keyforms of one mesh; beyond, the tolerance is relaxed.
const MOST_CELLS: usize = 600;
/// Most bones of one limb.
pub const MOST_BONES: usize = 64;
/// Smallest share of its area that a triangle keeps.
const LEAST_AREA: f64 = 0.05;
/// What is left of a range after one step of narrowing.
const STEP: f64 = 0.8;
/// Most steps.
const STEPS: usize = 12;
/// Smallest step between keys, degrees.
const LEAST_STEP: f64 = 2.0;

/// Bakes a limb.
///
/// # Errors
/// [`Error`] when the limb has no bones or too many, a number is not finite, a joint does not follow its parent's, or a
/// mesh refers to vertices that it does not have.
pub fn bake(limb: &Limb) -> Result<Patch, Error> {
    check(limb)?;
    let mut chain = limb.chain.clone();
    let mut skins = skinned(limb, &chain);
    for _ in 0..STEPS {
        let Some((bone, value)) = folding(limb, &chain, &skins) else { break };
        let range = &mut chain.bones[bone].range;
        *range = if value < 0.0 { (range.0 * STEP, range.1) } else { (range.0, range.1 * STEP) };
        skins = skinned(limb, &chain);
    }
    let narrowed = limb.chain.bones.iter().zip(&chain.bones).filter(|(was, is)| was.range != is.range);
    Ok(Patch {
        frames: frames(&chain, &skins, limb.tolerance),
        parameters: parameters(&chain, &skins),
        narrowed: narrowed
            .map(|(was, is)| Narrowed { parameter: is.parameter.clone(), wanted: was.range, given: is.range })
            .collect(),
        skins: skins
            .into_iter()
            .zip(&limb.meshes)
            .map(|(skin, mesh)| Skin {
                drawable: mesh.drawable.clone(),
                home: frame_id(&chain, skin.home),
                forms: skin.forms,
            })
            .collect(),
    })
}

/// Every joint begins where the one before it has ended.
pub(crate) fn are_in_order(bones: &[Bone]) -> bool {
    out_of_order(bones).is_none()
}

fn out_of_order(bones: &[Bone]) -> Option<&Bone> {
    let mut before = f64::NEG_INFINITY;
    bones.iter().find(|bone| {
        let begins = bone.joint - bone.half;
        let is_wrong = bone.half < 0.0 || begins < before;
        before = bone.joint + bone.half;
        is_wrong
    })
}

fn check(limb: &Limb) -> Result<(), Error> {
    let bones = &limb.chain.bones;
    if bones.is_empty() || bones.len() > MOST_BONES {
        return Err(Error::Bones { limb: limb.name.clone(), bones: bones.len() });
    }
    for bone in bones {
        let (low, high) = bone.range;
        let finite = [bone.joint, bone.half, low, high].iter().all(|v| v.is_finite());
        if !finite || low > 0.0 || high < 0.0 {
            return Err(Error::Number { bone: bone.name.clone() });
        }
    }
    if let Some(bone) = out_of_order(bones) {
        return Err(Error::Order { bone: bone.name.clone() });
    }
    for mesh in &limb.meshes {
        let outside = mesh.triangles.iter().flatten().any(|&i| i as usize >= mesh.rest.len());
        if outside || !mesh.rest.iter().all(|p| p.is_finite()) {
            return Err(Error::Mesh { drawable: mesh.drawable.to_string() });
        }
    }
    if !(limb.tolerance.is_finite() && limb.tolerance > 0.0) {
        return Err(Error::Tolerance { limb: limb.name.clone(), value: limb.tolerance });
    }
    Ok(())
}

/// A mesh with forms in the frame of a bone.
struct Skinned {
    home: usize,
    forms: Grid<Vec<Point>>,
}

fn skinned(limb: &Limb, chain: &Chain) -> Vec<Skinned> {
    limb.meshes.par_iter().map(|mesh| skin(limb, chain, mesh)).collect()
}

/// The mesh hangs in the frame of the last bone that carries all of it, so that what is rigid stays so; its axes are the
/// bones whose bands lie in it.
fn skin(limb: &Limb, chain: &Chain, mesh: &Bound) -> Skinned {
    let places: Vec<f64> = mesh.rest.iter().map(|&p| chain.line.place(p)).collect();
    let (first, last) =
        places.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), &s| (a.min(s), b.max(s)));
    let home = (0..chain.bones.len()).rev().find(|&i| chain.rigid_from(i) <= first).unwrap_or(0);
    let reached = |&i: &usize| {
        let bone = &chain.bones[i];
        let bends = i > home || i == 0 && chain.held && home == 0;
        bends && bone.joint - bone.half < last && bone.range.0 < bone.range.1
    };
    let bones: Vec<usize> = (0..chain.bones.len()).filter(reached).collect();
    let at = |degrees: &[f64]| -> Vec<Point> {
        let posed = chain.posed(home, degrees);
        mesh.rest.iter().zip(&places).map(|(&p, &s)| posed.local(s, p)).collect()
    };
    // What the axes are off adds up, and a little where they bend together.
    let mut tolerance = 0.75 * limb.tolerance / bones.len().max(1) as f64;
    let axes = loop {
        let axes: Vec<Axis> = bones.iter().map(|&i| axis(chain, i, tolerance, &at)).collect();
        let cells: usize = axes.iter().map(|a| a.keys.len()).product();
        if cells <= MOST_CELLS || tolerance > 1e3 {
            break axes;
        }
        tolerance *= 1.25;
    };
    let cells: usize = axes.iter().map(|a| a.keys.len()).product();
    let empty = Grid { axes, cells: Vec::<()>::new() };
    let cells =
        (0..cells).into_par_iter().map(|cell| at(&degrees(chain, &bones, &empty.keys_of(cell)))).collect();
    Skinned { home, forms: Grid { axes: empty.axes, cells } }
}

/// Angles of all bones from those of some.
fn degrees(chain: &Chain, bones: &[usize], values: &[f64]) -> Vec<f64> {
    let mut all = vec![0.0; chain.bones.len()];
    for (&bone, &value) in bones.iter().zip(values) {
        all[bone] = value;
    }
    all
}

/// Keys of one bone: on each side of 0 the fewest equal steps whose middles stay within the tolerance.
fn axis(chain: &Chain, bone: usize, tolerance: f64, at: &dyn Fn(&[f64]) -> Vec<Point>) -> Axis {
    let (low, high) = chain.bones[bone].range;
    let posed = |value: f64| at(&degrees(chain, &[bone], &[value]));
    let good = |from: f64, to: f64| {
        let (a, b, middle) = (posed(from), posed(to), posed(0.5 * (from + to)));
        a.iter().zip(&b).zip(&middle).all(|((a, b), m)| a.lerp(*b, 0.5).distance(*m) <= tolerance)
    };
    let side = |end: f64| -> Vec<f64> {
        if end == 0.0 {
            return Vec::new();
        }
        let most = ((end.abs() / LEAST_STEP).floor() as usize).max(1);
        let steps = (1..=most)
            .find(|&n| {
                let key = |i| key(end, i, n);
                (0..n).all(|i| good(key(i), key(i + 1)))
            })
            .unwrap_or(most);
        (1..=steps).map(|i| key(end, i, steps)).collect()
    };
    let mut keys = side(low);
    keys.reverse();
    keys.push(0.0);
    keys.extend(side(high));
    Axis::new(chain.bones[bone].parameter.as_str(), keys)
}

/// Key `i` of `n` equal steps from 0 to the end of a range; the last is that end to the bit.
fn key(end: f64, i: usize, n: usize) -> f64 {
    if i == n { end } else { end * i as f64 / n as f64 }
}

/// The bone to blame for a triangle that folds in some keyform, the one that is turned furthest there, and its angle.
fn folding(limb: &Limb, chain: &Chain, skins: &[Skinned]) -> Option<(usize, f64)> {
    let area = |points: &[Point], t: &[u32; 3]| {
        let [a, b, c] = t.map(|i| points[i as usize]);
        0.5 * (b - a).cross(c - a)
    };
    for (mesh, skin) in limb.meshes.iter().zip(skins) {
        for (index, cell) in skin.forms.cells.iter().enumerate() {
            let folds = mesh.triangles.iter().any(|t| {
                let before = area(&mesh.rest, t);
                before.abs() > 1e-3 && area(cell, t) * before.signum() < LEAST_AREA * before.abs()
            });
            if folds {
                let keys = skin.forms.keys_of(index);
                let turned =
                    skin.forms.axes.iter().zip(keys).max_by(|a, b| a.1.abs().total_cmp(&b.1.abs()))?;
                let id = turned.0.parameter.as_str();
                return chain.bones.iter().position(|b| b.parameter == id).map(|b| (b, turned.1));
            }
        }
    }
    None
}

fn frame_id(chain: &Chain, bone: usize) -> DeformerId {
    DeformerId::new(format!("DeformSkel{}", chain.bones[bone].name))
}

/// Frames down to the last one that something hangs in.
fn frames(chain: &Chain, skins: &[Skinned], tolerance: f64) -> Vec<Frame> {
    let last = skins.iter().map(|s| s.home).max();
    let Some(last) = last else { return Vec::new() };
    (0..=last).map(|index| frame(chain, index, tolerance)).collect()
}

fn frame(chain: &Chain, index: usize, tolerance: f64) -> Frame {
    let bone = &chain.bones[index];
    let form = |pivot: Point, degrees: f64| RotationForm {
        pivot,
        angle: degrees,
        scale: 1.0,
        reflect_x: false,
        reflect_y: false,
    };
    let name = bone.title.clone();
    let id = frame_id(chain, index);
    if index == 0 {
        let mut axes = vec![Axis::new(bone.parameter.as_str(), ends(bone.range))];
        axes.extend(chain.sway.iter().map(|s| Axis::new(s.parameter.as_str(), [-1.0, 0.0, 1.0])));
        let sway = chain.sway.as_ref().map_or(0.0, |s| s.degrees);
        let forms = Grid::build(axes, |k| {
            form(chain.root(), chain.sense * k[0] + sway * k.get(1).copied().unwrap_or(0.0))
        });
        return Frame { id, name, parent: None, forms };
    }
    // The pivot travels along the arc of its joint, and with a held root's.
    let mut bones = vec![index];
    if index == 1 && chain.held {
        bones.insert(0, 0);
    }
    let rest = chain.origin(index);
    let place = chain.line.place(rest);
    let pivot = |all: &[f64]| chain.posed(index - 1, all).local(place, rest);
    let axes: Vec<Axis> = bones.iter().map(|&b| axis(chain, b, tolerance, &|all| vec![pivot(all)])).collect();
    let forms = Grid::build(axes, |k| {
        let all = degrees(chain, &bones, k);
        form(pivot(&all), chain.sense * all[index])
    });
    Frame { id, name, parent: Some(frame_id(chain, index - 1)), forms }
}

fn ends((low, high): (f64, f64)) -> Vec<f64> {
    let mut keys = vec![0.0];
    if low < 0.0 {
        keys.insert(0, low);
    }
    if high > 0.0 {
        keys.push(high);
    }
    keys
}

/// Parameters that something follows.
fn parameters(chain: &Chain, skins: &[Skinned]) -> Vec<BoneParameter> {
    let last = skins.iter().map(|s| s.home).max().unwrap_or(0);
    let follows = |index: usize, id: &str| {
        index <= last || skins.iter().any(|s| s.forms.axes.iter().any(|a| a.parameter.as_str() == id))
    };
    let bones =
        chain.bones.iter().enumerate().filter(|(i, b)| b.range.0 < b.range.1 && follows(*i, &b.parameter));
    let mut all: Vec<BoneParameter> = bones
        .map(|(_, b)| BoneParameter {
            id: b.parameter.clone(),
            name: b.title.clone(),
            range: b.range,
            swings: false,
        })
        .collect();
    all.extend(chain.sway.iter().map(|s| BoneParameter {
        id: s.parameter.clone(),
        name: s.title.clone(),
        range: (-1.0, 1.0),
        swings: true,
    }));
    if skins.is_empty() { Vec::new() } else { all }
}
