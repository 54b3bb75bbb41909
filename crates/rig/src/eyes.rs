//! Eyes: who belongs to which eye and the curve that each closes to (RIG 6.1, RIG_PRACTICE 7).

use geom::{Point, Rect, maths};
use parts::{Side, Tag};
use puppet::{Axis, Grid};

use crate::aligned::AlignedAlpha;
use crate::lash::{CenterLine, center_line};
use crate::layer::{Layer, Scene, serves};
use crate::piece::{product, ramp};
use crate::variants::Shown;

/// Tags of eyes.
pub(crate) const EYE_TAGS: [Tag; 4] = [Tag::Eyewhite, Tag::Irides, Tag::Eyelash, Tag::EyeClose];

/// One eye (or both, drawn in one layer), in one state of its switch.
pub(crate) struct Eye {
    pub(crate) side: Option<Side>,
    pub(crate) state: Option<Shown>,
    /// Box of the white, or of what stands for it; head-aligned.
    pub(crate) white: Rect,
    /// Closed line.
    pub(crate) curve: ClosedCurve,
    /// Layers by index into the scene's layers.
    pub(crate) whites: Vec<usize>,
    pub(crate) irises: Vec<usize>,
    pub(crate) lashes: Vec<usize>,
    pub(crate) closed: Vec<usize>,
    /// Middle of the lid line of each lash layer, in the order of `lashes`.
    pub(crate) lines: Vec<CenterLine>,
}

/// Where the closed lid lies (RIG 6.1): from edge to edge, sagging in the middle.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ClosedCurve {
    middle: f64,
    half: f64,
    left_y: f64,
    right_y: f64,
    depth: f64,
    /// Drawn closed art to close to, instead.
    drawn: Option<CenterLine>,
    /// The smiling line: height of its ends, and how far its middle rises above them.
    smile: Option<(f64, f64)>,
}

/// Deepest sag of a closed lid, as a share of the eye's width: tall round eyes do not close into a V.
const DEEPEST: f64 = 0.17;

impl ClosedCurve {
    /// To the letter: both edges at 34 % of the white, the trough at 72 %.
    pub(crate) fn classic(white: Rect) -> Self {
        let h = white.height();
        let edge = white.top + 0.34 * h;
        let (middle, half) = (white.center().x, (white.width() / 2.0).max(1e-4));
        Self {
            middle,
            half,
            left_y: edge,
            right_y: edge,
            depth: (0.38 * h).max(1.5),
            drawn: None,
            smile: None,
        }
    }

    /// Edges where the lid line already ends, so that the corners stay; the trough at 72 %. Where that would sag too
    /// deep, the edges sink.
    pub(crate) fn natural(white: Rect, lid: Option<&CenterLine>) -> Self {
        let h = white.height();
        let mut curve = Self::classic(white);
        let mut trough = curve.left_y + curve.depth;
        if let Some(lid) = lid {
            let (low, high) = (white.top + 0.30 * h, white.top + 0.66 * h);
            let inset = 0.06 * white.width();
            curve.left_y = lid.at(white.left + inset).clamp(low, high);
            curve.right_y = lid.at(white.right - inset).clamp(low, high);
            trough = white.top + 0.74 * h;
            curve.depth = (trough - (curve.left_y + curve.right_y) / 2.0).max((0.10 * h).max(1.5));
        }
        let sink = curve.depth - (DEEPEST * white.width()).max(1.5);
        if sink > 0.0 {
            curve.depth -= sink;
            curve.left_y += sink;
            curve.right_y += sink;
        }
        let rise = (0.20 * white.width()).min(0.34 * h).max(1.5);
        curve.smile = Some((trough - 0.04 * h, rise));
        curve
    }

    /// The line of closed art.
    pub(crate) fn along(white: Rect, drawn: CenterLine) -> Self {
        let (left, right) = drawn.range();
        let mut curve = Self::classic(white);
        curve.middle = (left + right) / 2.0;
        curve.half = ((right - left) / 2.0).max(1e-4);
        curve.drawn = Some(drawn);
        curve
    }

    /// y at an aligned x; flat beyond the edges.
    pub(crate) fn at(&self, x: f64) -> f64 {
        if let Some(drawn) = &self.drawn {
            return drawn.at(x);
        }
        let t = ((x - self.middle) / self.half).clamp(-1.0, 1.0);
        maths::lerp(self.left_y, self.right_y, (t + 1.0) / 2.0) + self.depth * (1.0 - t * t)
    }

    /// y at an aligned x of an eye that smiles from 0 to 1: the line bends upwards.
    pub(crate) fn smiling(&self, x: f64, smile: f64) -> f64 {
        let Some((ends, rise)) = self.smile else { return self.at(x) };
        let t = ((x - self.middle) / self.half).clamp(-1.0, 1.0);
        // The ends keep their slant.
        let slant = (self.right_y - self.left_y) / 2.0 * t;
        maths::lerp(self.at(x), ends + slant - rise * (1.0 - t * t), smile)
    }

    /// The line can smile.
    pub(crate) fn smiles(&self) -> bool {
        self.smile.is_some()
    }

    /// x clamped to where the curve bends.
    pub(crate) fn clamp_x(&self, x: f64) -> f64 {
        x.clamp(self.middle - self.half, self.middle + self.half)
    }
}

/// Groups the eye layers.
pub(crate) fn eyes(scene: &Scene<'_>) -> Vec<Eye> {
    let mut keys: Vec<(Option<Side>, Option<Shown>)> = Vec::new();
    for layer in scene.tagged(&EYE_TAGS) {
        let key = (layer.side(), scene.switches.state(layer.index));
        if !keys.contains(&key) {
            keys.push(key);
        }
    }
    keys.into_iter().map(|(side, state)| eye(scene, side, state)).collect()
}

fn eye(scene: &Scene<'_>, side: Option<Side>, state: Option<Shown>) -> Eye {
    let own = |tag: Tag| -> Vec<usize> {
        let same = |l: &Layer<'_>| l.side() == side && scene.switches.state(l.index) == state;
        positions(scene, |l| l.tag() == tag && same(l))
    };
    let near = |tag: Tag| -> Vec<usize> {
        let fits = |l: &Layer<'_>| {
            let other = scene.switches.state(l.index);
            l.tag() == tag && (other == state || other.is_none())
        };
        let exact = positions(scene, |l| fits(l) && l.side() == side);
        if exact.is_empty() { positions(scene, |l| fits(l) && serves(l.side(), side)) } else { exact }
    };
    let union = |list: &[usize]| Rect::union_all(list.iter().map(|&i| scene.layers[i].bounds));
    let (whites, irises, lashes) = (near(Tag::Eyewhite), near(Tag::Irides), near(Tag::Eyelash));
    let (w, i) = (union(&whites), union(&irises));
    let white = match (w, i) {
        (Some(w), Some(i)) if scene.settings.natural() && w.height() < 0.5 * i.height() => w.union(i),
        (Some(w), _) => w,
        (None, Some(i)) => i,
        (None, None) => union(&lashes).or_else(|| union(&near(Tag::EyeClose))).unwrap_or_default(),
    };
    let lashes = own(Tag::Eyelash);
    let lines: Vec<CenterLine> = lashes.iter().map(|&l| layer_line(scene, &scene.layers[l])).collect();
    let served: Vec<usize> = near(Tag::Eyelash);
    let lid = main_lash(scene, &served).map(|l| layer_line(scene, &scene.layers[l]));
    let closed = near(Tag::EyeClose);
    let drawn = main_lash(scene, &closed).map(|l| layer_line(scene, &scene.layers[l]));
    let near_white = |line: &CenterLine| {
        let y = line.at(white.center().x);
        y > white.top - 0.25 * white.height() && y < white.bottom + 0.5 * white.height()
    };
    let curve = match drawn.filter(near_white) {
        _ if !scene.settings.natural() => ClosedCurve::classic(white),
        Some(line) => ClosedCurve::along(white, line),
        None => ClosedCurve::natural(white, lid.as_ref()),
    };
    Eye { side, state, white, curve, whites, irises: own(Tag::Irides), lashes, closed, lines }
}

/// The largest layer of some: the one with the lid line.
pub(crate) fn main_lash(scene: &Scene<'_>, lashes: &[usize]) -> Option<usize> {
    lashes.iter().copied().max_by_key(|&l| scene.layers[l].member.opaque_pixels)
}

fn positions(scene: &Scene<'_>, keep: impl Fn(&Layer<'_>) -> bool) -> Vec<usize> {
    (0..scene.layers.len()).filter(|&i| keep(&scene.layers[i])).collect()
}

fn layer_line(scene: &Scene<'_>, layer: &Layer<'_>) -> CenterLine {
    if !scene.settings.natural() && scene.cast.tilt.degrees != 0.0 {
        return CenterLine::flat(scene.cast.tilt.align(layer.member.centroid).y);
    }
    center_line(&AlignedAlpha::of(layer.image, layer.member.rect, &scene.cast.tilt))
}

/// How lids stand.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Lids {
    /// 0 closed, 1 as drawn.
    pub(crate) open: f64,
    /// 0 plain, 1 smiling.
    pub(crate) smile: f64,
}

/// The parameter that lets an eye smile.
pub(crate) fn smile_axis(side: Side) -> Axis {
    let id = if side == Side::Left { "ParamEyeLSmile" } else { "ParamEyeRSmile" };
    Axis::new(id, [0.0, 1.0])
}

/// The parameters that open an eye.
pub(crate) fn open_axes(side: Option<Side>, keys: &[f64]) -> Vec<Axis> {
    match side {
        Some(Side::Left) => vec![Axis::new("ParamEyeLOpen", keys)],
        Some(Side::Right) => vec![Axis::new("ParamEyeROpen", keys)],
        None => vec![Axis::new("ParamEyeLOpen", keys), Axis::new("ParamEyeROpen", keys)],
    }
}

/// How far a vertex at aligned x is open; a layer without a side follows the left eye on its left half.
pub(crate) fn openness(side: Option<Side>, keys: &[f64], x: f64, center_x: f64) -> f64 {
    match side {
        Some(_) => keys[0],
        None if x >= center_x => keys[0],
        None => keys[1],
    }
}

/// A number along the opening of an eye; a layer without a side takes the value of the wider eye.
pub(crate) fn open_ramp(side: Option<Side>, points: &[(f64, f64)]) -> Grid<f64> {
    if let Some(side) = side {
        let id = if side == Side::Left { "ParamEyeLOpen" } else { "ParamEyeROpen" };
        return ramp(id, points);
    }
    let keys: Vec<f64> = points.iter().map(|p| p.0).collect();
    Grid::build(open_axes(None, &keys), |k| {
        let open = k[0].max(k[1]);
        points.iter().find(|p| p.0 == open).map_or(1.0, |p| p.1)
    })
}

/// Opacity of a member of an eye: its switch times a ramp along the opening.
pub(crate) fn eye_opacity(scene: &Scene<'_>, layer: &Layer<'_>, points: &[(f64, f64)]) -> Grid<f64> {
    product(&open_ramp(layer.side(), points), &scene.switches.opacity(layer.index))
}

/// The move of a lid line: its middle goes to the closed curve, its thickness to `keep` (RIG 6.1).
pub(crate) fn close_band(
    eye: &Eye,
    line: &CenterLine,
    keep: f64,
    natural: bool,
    p: Point,
    Lids { open, smile }: Lids,
) -> Point {
    let (left, right) = line.range();
    let x = if right > left { p.x.clamp(left, right) } else { p.x };
    let middle = line.at(x);
    let closed = if natural {
        let inner = eye.curve.clamp_x(p.x);
        let drop = eye.curve.smiling(inner, smile) - line.at(inner);
        middle + drop + (p.y - middle) * keep * line.levelled(x)
    } else {
        eye.curve.at(p.x) + (p.y - middle) * keep
    };
    Point::new(p.x, maths::lerp(closed, p.y, open))
}

/// The move of what shrinks into the closed line (white, mask, whole eyes).
pub(crate) fn close_flat(eye: &Eye, anchor: f64, keep: f64, p: Point, lids: Lids) -> Point {
    let closed = eye.curve.smiling(p.x, lids.smile) + (p.y - anchor) * keep;
    Point::new(p.x, maths::lerp(closed, p.y - squint(eye, p, lids.smile), lids.open))
}

/// How far the lower lid rises below an open eye that smiles.
pub(crate) fn squint(eye: &Eye, p: Point, smile: f64) -> f64 {
    let below = (p.y - eye.white.center().y) / (eye.white.height() / 2.0).max(1e-4);
    0.20 * eye.white.height() * maths::smoothstep(below) * smile
}

/// Columns that keep a closing strip smooth (RIG_PRACTICE "Meshes").
pub(crate) fn strip_columns(travel: f64, width: f64) -> usize {
    ((40.0 * travel / width.max(1.0)).round() as usize).clamp(12, 32)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The character's left is on the viewer's right.
    #[test]
    fn undivided_eyes_follow_their_half() {
        let keys = [0.2, 0.7];
        assert_eq!(openness(None, &keys, 60.0, 50.0), 0.2);
        assert_eq!(openness(None, &keys, 40.0, 50.0), 0.7);
        assert_eq!(openness(Some(Side::Right), &[0.4], 60.0, 50.0), 0.4);
    }

    #[test]
    fn classic_curve() {
        let c = ClosedCurve::classic(Rect::new(0.0, 100.0, 40.0, 120.0));
        assert!((c.at(0.0) - 106.8).abs() < 1e-9 && (c.at(-50.0) - 106.8).abs() < 1e-9);
        assert!((c.at(20.0) - (106.8 + 7.6)).abs() < 1e-9);
    }

    #[test]
    fn natural_curve_keeps_corners() {
        let white = Rect::new(0.0, 100.0, 40.0, 120.0);
        let c = ClosedCurve::natural(white, Some(&CenterLine::flat(108.0)));
        assert!((c.at(0.0) - 108.0).abs() < 1e-9);
        assert!((c.at(20.0) - 114.8).abs() < 1e-9);
    }
}
