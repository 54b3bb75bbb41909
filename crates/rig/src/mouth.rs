//! The mouth: open art closes to a seam, closed art opens over a painted inside, both together are cross-switched
//! (RIG 6.4, RIG_PRACTICE 1).

use artwork::NoteLevel;
use geom::{Point, Rect, maths};
use parts::Tag;
use puppet::Axis;

use crate::error::Error;
use crate::interior;
use crate::layer::{Layer, Scene};
use crate::piece::{Motion, Piece, Role, product, ramp};
use crate::pieces::{Pictures, Workshop};

const MOUTH_TAGS: [Tag; 3] = [Tag::Mouth, Tag::MouthOpen, Tag::MouthClose];
/// Tags of what shows inside the mouth.
pub(crate) const INSIDE_TAGS: [Tag; 3] = [Tag::ToothT, Tag::ToothB, Tag::Tongue];
/// Width in pixels beyond which nothing is painted: it is no mouth.
const LARGEST_MOUTH: f64 = 2048.0;
const FORM: [f64; 3] = [-1.0, 0.0, 1.0];
const OPEN: [f64; 3] = [0.0, 0.5, 1.0];
/// Opacity of closed art beside open art.
const CLOSED_ART: [(f64, f64); 4] = [(0.0, 1.0), (0.12, 1.0), (0.16, 0.0), (1.0, 0.0)];
/// Opacity of open art beside closed art.
const OPEN_ART: [(f64, f64); 4] = [(0.0, 0.0), (0.11, 0.0), (0.14, 1.0), (1.0, 1.0)];
/// To the letter.
const CLOSED_ART_CLASSIC: [(f64, f64); 2] = [(0.0, 1.0), (1.0, 0.0)];
/// Opacity of teeth and tongue.
const INSIDE: [(f64, f64); 3] = [(0.0, 0.0), (0.15, 1.0), (1.0, 1.0)];
/// Opacity of a painted inside.
const PAINTED: [(f64, f64); 4] = [(0.0, 0.0), (0.08, 1.0), (0.5, 1.0), (1.0, 1.0)];

/// A mouth layer is drawn closed: a stroke, not a hole.
pub(crate) fn drawn_closed(layer: &Layer<'_>) -> bool {
    match layer.tag() {
        Tag::MouthClose => true,
        Tag::MouthOpen => false,
        _ => layer.bounds.height() < 0.35 * layer.bounds.width(),
    }
}

/// The picture as drawn shows the mouth closed when `ParamMouthOpenY` is 0.
pub(crate) fn rests_closed(scene: &Scene<'_>) -> bool {
    scene.tagged(&MOUTH_TAGS).any(drawn_closed)
}

/// The mouths of a scene.
pub(crate) struct Mouths {
    /// Layers by index into the scene's layers.
    open: Vec<usize>,
    closed: Vec<usize>,
    inside: Vec<usize>,
    /// Boxes, head-aligned.
    open_box: Option<Rect>,
    closed_box: Option<Rect>,
}

/// Sorts the mouth layers.
pub(crate) fn mouths(scene: &Scene<'_>) -> Mouths {
    let mut m =
        Mouths { open: Vec::new(), closed: Vec::new(), inside: Vec::new(), open_box: None, closed_box: None };
    for (i, layer) in scene.layers.iter().enumerate() {
        if INSIDE_TAGS.contains(&layer.tag()) {
            m.inside.push(i);
        } else if MOUTH_TAGS.contains(&layer.tag()) {
            let closed = scene.settings.natural() && drawn_closed(layer) || layer.tag() == Tag::MouthClose;
            if closed { m.closed.push(i) } else { m.open.push(i) }
        }
    }
    let union = |list: &[usize]| {
        let base =
            list.iter().filter(|&&i| scene.switches.state(scene.layers[i].index).is_none_or(|s| s.at == 0));
        Rect::union_all(base.map(|&i| scene.layers[i].bounds))
    };
    m.open_box = union(&m.open);
    m.closed_box = union(&m.closed);
    m
}

/// Adds the pieces of the mouths.
pub(crate) fn add<'a>(
    shop: &Workshop<'a, '_>,
    mouths: &'a Mouths,
    pieces: &mut Vec<Piece<'a>>,
    pictures: &mut Pictures,
    notes: &mut Vec<artwork::Note>,
) -> Result<(), Error> {
    let scene = shop.scene;
    let natural = scene.settings.natural();
    for &i in &mouths.open {
        pieces.push(open(shop, mouths, &scene.layers[i])?);
    }
    for &i in &mouths.closed {
        pieces.push(closed(shop, mouths, &scene.layers[i])?);
    }
    for &i in &mouths.inside {
        let layer = &scene.layers[i];
        let mut piece = shop.base(layer, Role::MouthInside);
        piece.mesh = shop.columns(&layer.member.name, &layer.image.alpha(), 6, 3)?;
        piece.opacity = product(&ramp("ParamMouthOpenY", &INSIDE), &scene.switches.opacity(layer.index));
        if natural && let Some(b) = mouths.open_box {
            piece.motion = opening(b, mouths.closed_box, true);
        }
        let mouth = mouths.open.iter().chain(&mouths.closed).map(|&m| scene.layers[m].index).max();
        let front = if layer.tag() == Tag::Tongue { 1 } else { 2 };
        piece.order = (mouth.unwrap_or(layer.index), front);
        pieces.push(piece);
    }
    let Some(line) = mouths.closed_box else { return Ok(()) };
    let wanted = natural && scene.settings.mouth.interior && line.width() < LARGEST_MOUTH;
    if wanted && mouths.open.is_empty() && !mouths.closed.is_empty() {
        pieces.push(painted(shop, mouths, line, pictures)?);
        let layer = &scene.layers[mouths.closed[0]];
        notes.push(artwork::Note {
            code: "mouth-interior-painted".to_owned(),
            level: NoteLevel::Info,
            layer: Some(layer.member.layer.clone()),
            message: "the mouth is drawn closed only: an inside was painted for the open mouth".to_owned(),
            setting: "rig.mouth.interior".to_owned(),
        });
    }
    Ok(())
}

/// Corners rise for a smile and sink for a frown; `size` is the mouth's height (to the letter) or width (mended).
fn expression(b: Rect, size: f64, form: f64, e: f64, x: f64) -> f64 {
    let xh = ((x - b.center().x) / (b.width() / 2.0).max(1e-4)).clamp(-1.25, 1.25);
    let cw = maths::pow(xh.abs(), 1.55).min(1.35);
    -form * size * (0.018 + 0.105 * cw) * (0.72 + 0.28 * e)
}

/// Open art closing to its seam, or to the closed line beside it.
fn opening<'a>(b: Rect, closed: Option<Rect>, natural: bool) -> Motion<'a> {
    let h = b.height().max(1.0);
    let size = if natural { b.width().max(h) } else { h };
    let seam = b.top + 0.48 * b.height();
    let target = closed.filter(|_| natural);
    // Beside closed art it is never seen shut: as thick as that line is enough.
    let c = match target {
        Some(line) => (0.6 * line.height() / h).clamp(0.10, 0.5),
        None => (1.25 / h).clamp(0.018, 0.12),
    };
    let seam_shift = target.map_or(0.0, |t| t.center().y - seam);
    let widen = target.map_or(1.0, |t| (t.width() / b.width().max(1.0)).clamp(0.75, 1.6));
    Motion {
        axes: vec![Axis::new("ParamMouthForm", FORM), Axis::new("ParamMouthOpenY", OPEN)],
        to: Box::new(move |k, p| {
            let (form, e) = (k[0], maths::smoothstep(k[1]));
            let scale = c + e * (1.0 - c);
            let y = seam + (p.y - seam) * scale + seam_shift * (1.0 - e) + expression(b, size, form, e, p.x);
            let wide = if target.is_some() {
                maths::lerp(widen, 1.0, e) + 0.07 * form
            } else {
                0.92 + 0.08 * e + 0.07 * form
            };
            Point::new(b.center().x + (p.x - b.center().x) * wide, y)
        }),
    }
}

fn open<'a>(shop: &Workshop<'a, '_>, mouths: &Mouths, layer: &Layer<'_>) -> Result<Piece<'a>, Error> {
    let scene = shop.scene;
    let natural = scene.settings.natural();
    let mut piece = shop.base(layer, Role::Mouth);
    piece.mesh = shop.columns(&layer.member.name, &layer.image.alpha(), 8, 6)?;
    let other = scene.switches.state(layer.index).is_some_and(|s| s.at > 0);
    let shared = mouths.open_box.filter(|_| natural && !other);
    let b = shared.unwrap_or(layer.bounds);
    piece.motion = opening(b, mouths.closed_box, natural);
    if !mouths.closed.is_empty() && natural {
        piece.opacity = product(&ramp("ParamMouthOpenY", &OPEN_ART), &scene.switches.opacity(layer.index));
    }
    Ok(piece)
}

fn closed<'a>(shop: &Workshop<'a, '_>, mouths: &Mouths, layer: &Layer<'_>) -> Result<Piece<'a>, Error> {
    let scene = shop.scene;
    let natural = scene.settings.natural();
    let mut piece = shop.base(layer, Role::Mouth);
    piece.mesh = shop.columns(&layer.member.name, &layer.image.alpha(), 10, 3)?;
    let switch = scene.switches.opacity(layer.index);
    if !natural {
        piece.opacity = product(&ramp("ParamMouthOpenY", &CLOSED_ART_CLASSIC), &switch);
        return Ok(piece);
    }
    let b = mouths.closed_box.unwrap_or(layer.bounds);
    if mouths.open.is_empty() {
        let mouth = Lips::of(scene, b);
        piece.motion = Motion {
            axes: vec![Axis::new("ParamMouthForm", FORM), Axis::new("ParamMouthOpenY", OPEN)],
            to: Box::new(move |k, p| mouth.upper(p, k[0], k[1])),
        };
    } else {
        piece.opacity = product(&ramp("ParamMouthOpenY", &CLOSED_ART), &switch);
        piece.motion = Motion {
            axes: vec![Axis::new("ParamMouthForm", FORM)],
            to: Box::new(move |k, p| {
                let y = p.y + expression(b, b.width(), k[0], 0.0, p.x);
                Point::new(b.center().x + (p.x - b.center().x) * (1.0 + 0.07 * k[0]), y)
            }),
        };
    }
    Ok(piece)
}

/// A mouth drawn closed that opens over a painted inside.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lips {
    b: Rect,
    /// Width factor of the line when fully open.
    widen: f64,
    /// Half width and height of the inside when fully open.
    pub(crate) half: f64,
    pub(crate) height: f64,
}

impl Lips {
    fn of(scene: &Scene<'_>, b: Rect) -> Self {
        let face = scene.surface.face;
        let w = b.width().max(2.0);
        let inside = (0.78 * w).max(0.10 * face.width());
        let room = (face.bottom - b.center().y).max(4.0);
        let height = (0.55 * w).max(0.075 * face.width()).min(0.55 * room);
        Self { b, widen: (inside / (0.86 * w)).clamp(0.9, 1.6), half: inside / 2.0, height }
    }

    /// Arch of the upper lip at relative x: the line's middle lifts.
    fn lift(&self, xh: f64, open: f64) -> f64 {
        0.10 * self.b.width().max(2.0 * self.half) * (1.0 - (xh * xh).min(1.0)) * open
    }

    /// The drawn line.
    fn upper(&self, p: Point, form: f64, open: f64) -> Point {
        let c = self.b.center();
        let xh = (p.x - c.x) / (self.b.width() / 2.0).max(1e-4);
        let wide = 1.0 + (self.widen - 1.0) * open + 0.07 * form;
        let y = p.y - self.lift(xh, open) + expression(self.b, self.b.width(), form, open, p.x);
        Point::new(c.x + (p.x - c.x) * wide, y)
    }

    /// The painted inside, given where it lies when fully open.
    fn inside(&self, p: Point, form: f64, open: f64) -> Point {
        let c = self.b.center();
        let xh = (p.x - c.x) / self.half.max(1e-4);
        let scale = (0.04f64).max(open);
        let wide = 1.0 + 0.07 * form - 0.10 * (1.0 - open);
        let at_line = c.x + xh * self.b.width() / 2.0;
        let bend = expression(self.b, self.b.width(), form, open, at_line);
        let down = p.y - c.y + self.lift(xh, 1.0);
        Point::new(c.x + (p.x - c.x) * wide, c.y - self.lift(xh, open) + down * scale + bend)
    }

    /// Bottom of the inside at relative x, fully open, below the line's middle.
    pub(crate) fn bottom(&self, xh: f64) -> f64 {
        self.height * (1.0 - (xh * xh).min(1.0)).sqrt()
    }

    /// Top of the inside at relative x, fully open: under the line.
    pub(crate) fn top(&self, xh: f64) -> f64 {
        -self.lift(xh, 1.0)
    }

    /// Middle of the line.
    pub(crate) fn center(&self) -> Point {
        self.b.center()
    }
}

fn painted<'a>(
    shop: &Workshop<'a, '_>,
    mouths: &Mouths,
    line: Rect,
    pictures: &mut Pictures,
) -> Result<Piece<'a>, Error> {
    let scene = shop.scene;
    let layer = &scene.layers[mouths.closed[0]];
    let lips = Lips::of(scene, line);
    let rim = crate::lid_line::darkest(mouths.closed.iter().map(|&i| scene.layers[i].image));
    let thickness = (line.height() * 0.35).clamp(1.0, 0.05 * scene.surface.face.width().max(20.0));
    let (rect, picture) = interior::paint(&lips, rim, thickness, &scene.cast.tilt);
    let mut piece = shop.base(layer, Role::MouthInside);
    piece.mesh = shop.columns(&layer.member.name, &picture.alpha(), 10, 6)?;
    piece.stem = "MouthInterior".to_owned();
    piece.name = format!("{} (painted inside)", layer.member.name);
    piece.side = None;
    piece.opacity = product(&ramp("ParamMouthOpenY", &PAINTED), &scene.switches.opacity(layer.index));
    piece.motion = Motion {
        axes: vec![Axis::new("ParamMouthForm", FORM), Axis::new("ParamMouthOpenY", OPEN)],
        to: Box::new(move |k, p| lips.inside(p, k[0], k[1])),
    };
    let lowest = mouths.closed.iter().map(|&i| scene.layers[i].index).min().unwrap_or(layer.index);
    piece.order = (lowest, -1);
    piece.rect = rect;
    piece.tile = pictures.add(&layer.member.id, "inside", rect, picture);
    Ok(piece)
}

/// Whether a piece is masked by the mouth: drawn teeth and tongues are, painted insides are not.
pub(crate) fn is_masked(piece: &Piece<'_>) -> bool {
    piece.role == Role::MouthInside && piece.stem != "MouthInterior"
}

/// A mouth, or something inside it.
pub(crate) fn is_mouth(tag: Tag) -> bool {
    MOUTH_TAGS.contains(&tag) || INSIDE_TAGS.contains(&tag)
}
