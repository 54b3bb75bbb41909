//! Holds back what would fold: no pose may turn a triangle over, shrink it to nothing or blow a drawable up.
//!
//! Good art passes untouched. Where a pose folds a drawable, its own keyforms are drawn back towards rest, cell by cell;
//! when the fault lies in a deformer above, that deformer is. What is drawn stays as drawn.

use std::collections::{BTreeMap, BTreeSet};

use artwork::{Note, NoteLevel};
use geom::{Point, Rect};
use puppet::evaluate::{Posed, evaluate, weights};
use puppet::{DeformerId, DeformerKind, Drawable, Grid, ParameterId, Puppet};
use rayon::prelude::*;

use crate::layer::Scene;
use crate::piece::{Piece, Role};
use crate::poses::{self, Pose};

/// What is left of a displacement after one step.
const STEP: f64 = 0.8;
/// Steps after which nothing is left of it.
const STEPS: usize = 24;
/// Smallest share of its area that a triangle keeps; eyes and mouths close, so theirs may vanish.
const LEAST_AREA: f64 = 0.011;
/// Triangles smaller than this at rest, in square pixels, have no sides to speak of.
const SMALLEST: f64 = 1e-3;
/// Area in square pixels that a turned triangle may show: half of what the audit overlooks.
const TURNED: f64 = 5e-3;
/// Smallest and largest share of a side at rest, and pixels on top of it: within the audit's bounds.
const LEAST_SIDE: f64 = 0.09;
const MOST_SIDE: f64 = 3.8;
const SIDE_SLACK: f64 = 3.0;

/// Draws back what folds in some pose of the parameter box, until nothing does; one note a piece.
pub(crate) fn damp(scene: &Scene<'_>, pieces: &[Piece<'_>], puppet: &mut Puppet) -> Vec<Note> {
    let poses = poses::folding(puppet);
    let rules: Vec<Rule> =
        pieces.iter().zip(&puppet.drawables).map(|(p, d)| Rule::of(scene, p, &d.forms, puppet)).collect();
    let all: Vec<usize> = (0..puppet.drawables.len()).collect();
    let mut held: BTreeMap<usize, usize> = BTreeMap::new();
    let mut suspects = all.clone();
    for step in 0..4 * STEPS {
        let faults = faults(puppet, &poses, &suspects, &rules);
        if faults.is_empty() && suspects.len() == all.len() {
            break;
        }
        for &(drawable, pose) in &faults {
            held.entry(drawable).or_insert(pose);
        }
        let keep = if step % (2 * STEPS) < STEPS { STEP } else { 0.0 };
        correct(puppet, &poses, &faults, &rules, keep);
        // What was mended may have moved what hangs from the same deformer: in the end all is looked at again.
        suspects = faults.iter().map(|f| f.0).collect();
        suspects.dedup();
        if suspects.is_empty() {
            suspects.clone_from(&all);
        }
    }
    held.iter().map(|(&drawable, &pose)| note(scene, &pieces[drawable], &poses[pose].name)).collect()
}

fn note(scene: &Scene<'_>, piece: &Piece<'_>, pose: &str) -> Note {
    let member = &scene.cast.members[piece.member];
    Note {
        code: "movement-held-back".to_owned(),
        level: NoteLevel::Warning,
        layer: Some(member.layer.clone()),
        message: format!(
            "`{}` would fold at {pose}, so it moves less: is it what its name says?",
            piece.name
        ),
        setting: format!("layers.\"{}\".tag", member.name),
    }
}

/// What a drawable may do.
#[derive(Clone, Copy)]
struct Rule {
    least_area: f64,
    /// The cell that the others are drawn back to.
    anchor: usize,
}

impl Rule {
    fn of(scene: &Scene<'_>, piece: &Piece<'_>, forms: &Grid<Vec<Point>>, puppet: &Puppet) -> Self {
        let closes = !matches!(piece.role, Role::Other | Role::Iris);
        let least_area = if closes { 0.0 } else { LEAST_AREA };
        Self { least_area, anchor: drawn_cell(scene, piece, forms, rest_cell(forms, puppet)) }
    }

    /// Whether a pose breaks the drawable.
    fn broken(self, drawable: &Drawable, rest: &Posed, posed: &Posed, head: bool) -> bool {
        let area = |points: &[Point], t: &[u32; 3]| {
            let [a, b, c] = t.map(|i| points.get(i as usize).copied().unwrap_or_default());
            0.5 * (b - a).cross(c - a)
        };
        let folded = drawable.triangles.iter().any(|t| {
            let before = area(&rest.points, t);
            let after = area(&posed.points, t) * before.signum();
            before.abs() > SMALLEST && (after < -TURNED || after < self.least_area * before.abs())
        });
        folded || head && rest.opacity > 1e-3 && blown(&rest.points, &posed.points)
    }
}

/// The cell as drawn: that at rest, but for mouths drawn open, which rest closed.
fn drawn_cell(scene: &Scene<'_>, piece: &Piece<'_>, forms: &Grid<Vec<Point>>, rest: usize) -> usize {
    let head = scene.layers.iter().any(|l| l.index == piece.member && l.head);
    let corner = Point::new(f64::from(piece.rect.left), f64::from(piece.rect.top));
    let moves = |cell: usize| {
        let keys = forms.keys_of(cell);
        let far = |&v: &Point| {
            let p = scene.working(head, corner + v);
            (piece.motion.to)(&keys, p).distance(p) > 1e-6
        };
        piece.mesh.vertices.iter().any(far)
    };
    let mut cells = std::iter::once(rest).chain(0..forms.cells.len());
    cells.find(|&cell| !moves(cell)).unwrap_or(rest)
}

/// A side of the box is far smaller or larger than at rest.
fn blown(rest: &[Point], posed: &[Point]) -> bool {
    let boxes = (Rect::bounding(rest.iter().copied()), Rect::bounding(posed.iter().copied()));
    let (Some(old), Some(new)) = boxes else { return false };
    let sides = [(old.width(), new.width()), (old.height(), new.height())];
    sides.iter().any(|&(old, new)| new < LEAST_SIDE * old || new > MOST_SIDE * old + SIDE_SLACK)
}

/// Drawables (of some) and poses that break them, in order.
fn faults(puppet: &Puppet, poses: &[Pose], of: &[usize], rules: &[Rule]) -> Vec<(usize, usize)> {
    let part = part(puppet, of);
    let rest = evaluate(&part, |_| None);
    let broken: Vec<Vec<usize>> = (poses.par_iter())
        .map(|pose| {
            let posed = evaluate(&part, |id| pose.value(id));
            let bad = |&k: &usize| rules[of[k]].broken(&part.drawables[k], &rest[k], &posed[k], pose.head);
            (0..of.len()).filter(bad).map(|k| of[k]).collect()
        })
        .collect();
    let pairs = broken.iter().enumerate().flat_map(|(pose, list)| list.iter().map(move |&d| (d, pose)));
    let mut pairs: Vec<(usize, usize)> = pairs.collect();
    pairs.sort_unstable();
    pairs
}

/// The deformers and some of the drawables.
fn part(puppet: &Puppet, of: &[usize]) -> Puppet {
    Puppet {
        parameters: puppet.parameters.clone(),
        deformers: puppet.deformers.clone(),
        drawables: of.iter().map(|&i| puppet.drawables[i].clone()).collect(),
        ..Puppet::default()
    }
}

/// Takes a step back with every cell that counts in a fault, or with the deformers that cause it.
fn correct(puppet: &mut Puppet, poses: &[Pose], faults: &[(usize, usize)], rules: &[Rule], keep: f64) {
    let causes: Vec<Option<Vec<usize>>> = (faults.par_iter())
        .map(|&(drawable, pose)| {
            let part = part(puppet, &[drawable]);
            let rule = rules[drawable];
            let own = !part.drawables[0].forms.is_constant()
                && cured(&part, rule, &poses[pose], |p| {
                    let rest = rest_cell(&p.drawables[0].forms, p);
                    let still = p.drawables[0].forms.cells[rest].clone();
                    p.drawables[0].forms = Grid::constant(still);
                });
            (!own).then(|| guilty(&part, rule, &poses[pose]))
        })
        .collect();
    let (mut cells, mut bent) = (BTreeSet::new(), BTreeSet::new());
    for (&(drawable, pose), cause) in faults.iter().zip(causes) {
        match cause {
            Some(deformers) => bent.extend(deformers),
            None => {
                let value = |id: &ParameterId| poses[pose].value(id).unwrap_or(0.0);
                let counting = weights(&puppet.drawables[drawable].forms, &value);
                cells.extend(counting.into_iter().map(|(cell, _)| (drawable, cell)));
            }
        }
    }
    for (drawable, cell) in cells {
        draw_back(&mut puppet.drawables[drawable].forms, rules[drawable].anchor, cell, keep);
    }
    for deformer in bent {
        flatten(puppet, deformer, keep);
    }
}

/// The drawable of a part is sound at a pose once the part is changed.
fn cured(part: &Puppet, rule: Rule, pose: &Pose, change: impl Fn(&mut Puppet)) -> bool {
    let mut changed = part.clone();
    change(&mut changed);
    let rest = evaluate(&changed, |_| None);
    let posed = evaluate(&changed, |id| pose.value(id));
    !rule.broken(&part.drawables[0], &rest[0], &posed[0], pose.head)
}

/// The nearest warp above the drawable of a part without which a pose is sound; all of them when no single one is.
fn guilty(part: &Puppet, rule: Rule, pose: &Pose) -> Vec<usize> {
    let mut chain = Vec::new();
    let above =
        |id: &Option<DeformerId>| id.as_ref().and_then(|id| part.deformers.iter().position(|d| d.id == *id));
    let mut next = above(&part.drawables[0].deformer);
    while let Some(index) = next {
        if matches!(part.deformers[index].kind, DeformerKind::Warp(_)) {
            chain.push(index);
        }
        next = above(&part.deformers[index].parent);
    }
    let single = chain.iter().copied().find(|&index| cured(part, rule, pose, |p| flatten(p, index, 0.0)));
    single.map_or(chain, |index| vec![index])
}

/// Draws every cell of a warp back, all alike: what mirrors goes on mirroring.
fn flatten(puppet: &mut Puppet, deformer: usize, keep: f64) {
    let DeformerKind::Warp(warp) = &puppet.deformers[deformer].kind else { return };
    let rest = rest_cell(&warp.forms, puppet);
    let DeformerKind::Warp(warp) = &mut puppet.deformers[deformer].kind else { return };
    for cell in 0..warp.forms.cells.len() {
        draw_back(&mut warp.forms, rest, cell, keep);
    }
}

fn draw_back(forms: &mut Grid<Vec<Point>>, anchor: usize, cell: usize, keep: f64) {
    if anchor == cell {
        return;
    }
    let still = forms.cells[anchor].clone();
    for (p, q) in forms.cells[cell].iter_mut().zip(still) {
        *p = if keep == 0.0 { q } else { q + (*p - q) * keep };
    }
}

/// The cell at rest: standard parameters rest on keys.
fn rest_cell(forms: &Grid<Vec<Point>>, puppet: &Puppet) -> usize {
    let value = |id: &ParameterId| puppet.parameter(id).map_or(0.0, |p| p.default);
    let best = weights(forms, &value).into_iter().max_by(|a, b| a.1.total_cmp(&b.1));
    best.map_or(0, |b| b.0)
}
