//! Casts drawn by hand: a head and a body of ellipses.

use std::sync::Arc;

use artwork::{BlendMode, LayerId};
use geom::{IntRect, Point, Rect};
use parts::{Anchors, Cast, FaceRig, Frames, HeadTilt, Member, Regions, Side, SidedRegion, Tag};
use raster::Rgba;

/// Numbers that make one character.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Figure {
    /// Degrees.
    pub(crate) tilt: f64,
    /// Half width and half height of the face.
    pub(crate) face: (f64, f64),
    /// Half width and half height of an eye.
    pub(crate) eye: (f64, f64),
    /// Half width and half height of the mouth.
    pub(crate) mouth: (f64, f64),
    /// How far the hair hangs below the chin.
    pub(crate) hair: f64,
    /// Draws closed eyes, too.
    pub(crate) eye_close: bool,
    /// Leaves the whites out.
    pub(crate) no_white: bool,
    /// Leaves the neck out.
    pub(crate) no_neck: bool,
}

impl Default for Figure {
    fn default() -> Self {
        Self {
            tilt: 0.0,
            face: (60.0, 75.0),
            eye: (15.0, 10.0),
            mouth: (14.0, 2.5),
            hair: 90.0,
            eye_close: false,
            no_white: false,
            no_neck: false,
        }
    }
}

const WIDTH: u32 = 400;
const HEIGHT: u32 = 640;
const CENTER: Point = Point::new(200.0, 160.0);

/// The cast and its pictures.
pub(crate) fn cast(f: Figure) -> (Cast, Vec<Arc<Rgba>>) {
    let tilt = HeadTilt { degrees: f.tilt, pivot: CENTER };
    let mut d = Drawing { tilt, members: Vec::new(), images: Vec::new() };
    let (fx, fy) = f.face;
    let (eye_y, dx) = (CENTER.y - 0.05 * fy, 0.42 * fx);
    d.add(
        Tag::BackHair,
        None,
        oval(CENTER.x, CENTER.y + f.hair / 2.0, fx * 1.3, fy * 1.2 + f.hair / 2.0),
        true,
    );
    if !f.no_neck {
        d.add(Tag::Neck, None, oval(CENTER.x, CENTER.y + fy + 15.0, 22.0, 45.0), false);
    }
    d.add(Tag::Topwear, None, oval(CENTER.x, CENTER.y + fy + 190.0, 90.0, 150.0), false);
    d.add(Tag::Face, None, oval(CENTER.x, CENTER.y, fx, fy), true);
    for (side, x) in [(Side::Right, CENTER.x - dx), (Side::Left, CENTER.x + dx)] {
        if !f.no_white {
            d.add(Tag::Eyewhite, Some(side), oval(x, eye_y, f.eye.0, f.eye.1), true);
        }
        d.add(Tag::Irides, Some(side), oval(x, eye_y, f.eye.0 * 0.5, f.eye.1 * 0.9), true);
        d.add(Tag::Eyelash, Some(side), arch(x, eye_y - f.eye.1, f.eye.0 * 1.1, f.eye.1 * 0.5, 3.0), true);
        if f.eye_close {
            d.add(Tag::EyeClose, Some(side), arch(x, eye_y + 3.0, f.eye.0, -f.eye.1 * 0.4, 3.0), true);
        }
        d.add(Tag::Eyebrow, Some(side), oval(x, eye_y - f.eye.1 - 12.0, f.eye.0, 2.0), true);
    }
    d.add(Tag::Nose, None, oval(CENTER.x, CENTER.y + 0.25 * fy, 3.0, 4.0), true);
    d.add(Tag::Mouth, None, oval(CENTER.x, CENTER.y + 0.55 * fy, f.mouth.0, f.mouth.1), true);
    let top = CENTER.y - fy * 1.15;
    d.add(Tag::FrontHair, None, oval(CENTER.x, top + 0.35 * fy, fx * 1.15, fy * 0.4), true);
    let members = d.members;
    let cast = measure(f, tilt, members);
    (cast, d.images)
}

fn measure(f: Figure, tilt: HeadTilt, members: Vec<Member>) -> Cast {
    let union =
        |tags: &[Tag]| Rect::union_all(members.iter().filter(|m| tags.contains(&m.tag)).map(|m| m.bounds));
    let aligned = |tag: Tag, side: Option<Side>| {
        let all = members.iter().filter(|m| m.tag == tag && m.side == side);
        Rect::union_all(all.map(|m| tilt.align_rect(m.bounds)))
    };
    let head: Vec<Tag> = Tag::ALL.iter().copied().filter(|t| t.group() == parts::Group::Head).collect();
    let all = Rect::union_all(members.iter().map(|m| m.bounds)).expect("members");
    let face_raw = union(&[Tag::Face]).expect("face");
    let aligned_head =
        Rect::union_all(members.iter().filter(|m| head.contains(&m.tag)).map(|m| tilt.align_rect(m.bounds)))
            .expect("head");
    let face = tilt.align_rect(face_raw.expand(0.04));
    let region = |tags: &[Tag], side: Option<Side>, grow: f64| {
        let raw = Rect::union_all(tags.iter().filter_map(|&t| aligned(t, side)))?;
        Some(SidedRegion { side, rect: raw.expand(grow), raw })
    };
    let both = |tags: &[Tag], grow: f64| -> Vec<SidedRegion> {
        [Some(Side::Left), Some(Side::Right)].into_iter().filter_map(|s| region(tags, s, grow)).collect()
    };
    let regions = Regions {
        eye: both(&[Tag::Eyewhite, Tag::Irides, Tag::Eyelash, Tag::EyeClose], 0.30),
        iris: both(&[Tag::Irides], 0.28),
        brow: both(&[Tag::Eyebrow], 0.22),
        nose: region(&[Tag::Nose], None, 0.30).into_iter().collect(),
        mouth: region(&[Tag::Mouth], None, 0.22).into_iter().collect(),
        ear: Vec::new(),
    };
    let shoulder = CENTER.y + f.face.1 + 60.0;
    Cast {
        width: WIDTH,
        height: HEIGHT,
        anchors: Anchors {
            character: all.expand(0.015),
            face: face_raw.expand(0.04),
            face_raw,
            body: union(&[Tag::Topwear]).expect("body").expand(0.025),
            face_center: CENTER,
            chin: Point::new(CENTER.x, face_raw.bottom),
            shoulder_y: shoulder,
            hip_y: shoulder + 180.0,
            neck: union(&[Tag::Neck]),
            has_face: true,
        },
        face: FaceRig {
            face,
            center: face.center(),
            radius_x: face.width() / 2.0,
            radius_y: face.height() / 2.0,
            eye_line: CENTER.y - 0.05 * f.face.1,
            nose_line: CENTER.y + 0.25 * f.face.1,
            mouth_line: CENTER.y + 0.55 * f.face.1,
            regions,
        },
        frames: Frames {
            character: all.expand(0.015),
            head: aligned_head.expand(0.045),
            face: face.expand(0.025),
            hair_front: aligned(Tag::FrontHair, None).map(|r| r.expand(0.04)),
            hair_back: aligned(Tag::BackHair, None).map(|r| r.expand(0.04)),
        },
        tilt,
        members,
        notes: Vec::new(),
    }
}

struct Drawing {
    tilt: HeadTilt,
    members: Vec<Member>,
    images: Vec<Arc<Rgba>>,
}

impl Drawing {
    /// Draws a shape given in aligned coordinates; head shapes are turned with the head.
    fn add(&mut self, tag: Tag, side: Option<Side>, inside: impl Fn(Point) -> bool, head: bool) {
        let mut image = Rgba::new(WIDTH, HEIGHT);
        let shade = (40 * self.members.len() % 200) as u8;
        for y in 0..HEIGHT {
            for x in 0..WIDTH {
                let p = Point::new(f64::from(x) + 0.5, f64::from(y) + 0.5);
                let p = if head { self.tilt.align(p) } else { p };
                if inside(p) {
                    image.set(x.into(), y.into(), [shade, 90, 120, 255]);
                }
            }
        }
        let Some(b) = image.alpha().bounds(1) else { return };
        let mut tight = Rgba::new(b.width(), b.height());
        let (mut sum, mut count) = (Point::default(), 0u64);
        for y in 0..b.height() {
            for x in 0..b.width() {
                let p = image.get(i64::from(b.left) + i64::from(x), i64::from(b.top) + i64::from(y));
                tight.set(x.into(), y.into(), p);
                if p[3] > 0 {
                    sum = sum + Point::new(f64::from(x), f64::from(y));
                    count += 1;
                }
            }
        }
        let centroid = sum * (1.0 / count as f64) + Point::new(f64::from(b.left), f64::from(b.top));
        self.push(tag, side, b, centroid, count, tight);
    }

    fn push(&mut self, tag: Tag, side: Option<Side>, b: IntRect, centroid: Point, count: u64, image: Rgba) {
        let letter = side.map(|s| s.letter().to_string()).unwrap_or_default();
        let id = format!("{}{letter}", tag.name());
        self.members.push(Member {
            layer: LayerId::new(id.clone()),
            name: id.clone(),
            path: Vec::new(),
            tag,
            group: tag.group(),
            side,
            suffix: None,
            variant: None,
            confidence: 1.0,
            rect: b,
            bounds: b.to_rect(),
            centroid,
            opaque_pixels: count,
            opacity: 1.0,
            blend: BlendMode::Normal,
            visible: true,
            clip_to: None,
            background: false,
            content: format!("{id} {count}"),
            id,
        });
        self.images.push(Arc::new(image));
    }
}

fn oval(cx: f64, cy: f64, rx: f64, ry: f64) -> impl Fn(Point) -> bool {
    move |p| {
        let (x, y) = ((p.x - cx) / rx, (p.y - cy) / ry);
        x * x + y * y <= 1.0
    }
}

/// A stroke along an arch whose middle lies `rise` above its ends.
fn arch(cx: f64, cy: f64, half: f64, rise: f64, thick: f64) -> impl Fn(Point) -> bool {
    move |p| {
        let t = (p.x - cx) / half;
        let y = cy + rise * t * t;
        t.abs() <= 1.0 && (p.y - y).abs() <= thick / 2.0
    }
}
