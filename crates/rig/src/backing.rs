//! What lies behind hair: art cut out of a picture has nothing there, and must not move much.

use geom::Rect;
use parts::Tag;

use crate::layer::{Layer, Scene};

/// Opacity from which a pixel counts.
const SOLID: u8 = 128;
/// Samples along the longer side.
const SAMPLES: u32 = 256;

/// Share of a freely swinging amount that front hair may make: little when nothing is drawn behind it.
pub(crate) fn of_front_hair(scene: &Scene<'_>) -> f64 {
    let face = scene.cast.anchors.face_raw;
    let hair = scene.tagged(&[Tag::FrontHair]).filter(|l| l.head);
    let (mut behind, mut all) = (0u64, 0u64);
    for layer in hair {
        let (b, a) = backed(scene, layer, face);
        behind += b;
        all += a;
    }
    if all == 0 {
        return 1.0;
    }
    ((behind as f64 / all as f64 - 0.5) / 0.4).clamp(0.2, 1.0)
}

/// Samples of a layer within a box, and how many of them lie on something below.
fn backed(scene: &Scene<'_>, layer: &Layer<'_>, within: Rect) -> (u64, u64) {
    let step = (layer.image.width().max(layer.image.height()) / SAMPLES).max(1) as usize;
    let below: Vec<&Layer<'_>> = (scene.layers.iter())
        .filter(|l| {
            l.index < layer.index && l.tag() != Tag::FrontHair && scene.switches.state(l.index).is_none()
        })
        .filter(|l| l.member.rect.intersection(&layer.member.rect).is_some())
        .collect();
    let (mut behind, mut all) = (0, 0);
    for y in (0..layer.image.height()).step_by(step) {
        for x in (0..layer.image.width()).step_by(step) {
            let at = (
                i64::from(layer.member.rect.left) + i64::from(x),
                i64::from(layer.member.rect.top) + i64::from(y),
            );
            let p = geom::Point::new(at.0 as f64, at.1 as f64);
            if layer.image.get(x.into(), y.into())[3] < SOLID || !within.contains(p) {
                continue;
            }
            all += 1;
            let solid = |l: &&Layer<'_>| {
                let local = (at.0 - i64::from(l.member.rect.left), at.1 - i64::from(l.member.rect.top));
                l.image.get(local.0, local.1)[3] >= SOLID
            };
            behind += u64::from(below.iter().any(solid));
        }
    }
    (behind, all)
}
