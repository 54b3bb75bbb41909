//! Pictures of what the report speaks of.

use std::collections::BTreeSet;

use bundle::report::{Audit, LayerRow, Warning};
use geom::Rect;
use moc3::evaluate::Pose;
use preview::{Scene, View};
use raster::Rgba;
use rayon::iter::{IntoParallelIterator, ParallelIterator};

use super::PAPER;

/// Longer side of a layer's own picture in pixels.
const ALONE: u32 = 72;
/// Longer side of a picture that shows a part among the others.
const AMONG: u32 = 168;
/// What is left of the others there.
const FADED: u32 = 90;

/// What the report says; each row with a PNG where there is something to see.
pub(super) struct Told {
    pub(super) layers: Vec<(LayerRow, Option<Vec<u8>>)>,
    pub(super) warnings: Vec<(Warning, Option<Vec<u8>>)>,
    pub(super) audits: Vec<(Audit, Option<Vec<u8>>)>,
}

/// Draws every layer alone, what warnings speak of among the rest of the figure, and where audits failed. What has no
/// picture, such as a layer that became nothing, goes without.
pub(super) fn look(scene: &Scene, layers: Vec<LayerRow>, warnings: Vec<Warning>, audits: Vec<Audit>) -> Told {
    let rest = Pose::rest(scene.model());
    let of_layer = |warning: &Warning| -> BTreeSet<String> {
        let rows = layers.iter().filter(|row| concerns(row, &warning.layer));
        rows.flat_map(|row| row.became.iter().cloned()).collect()
    };
    let warnings = with_pictures(warnings, |w| among(scene, &rest, &of_layer(w)));
    let audits = with_pictures(audits, |audit| {
        let drawable = audit.r#where.split(' ').next().filter(|_| !audit.ok)?;
        among(scene, &pose(scene, &audit.r#where), &BTreeSet::from([drawable.to_owned()]))
    });
    let layers = with_pictures(layers, |row| alone(scene, &rest, &row.became.iter().cloned().collect()));
    Told { layers, warnings, audits }
}

/// Whether a row is of a layer, or of a piece of it.
pub(super) fn concerns(row: &LayerRow, layer: &str) -> bool {
    let piece = || row.id.strip_prefix(layer).is_some_and(|rest| rest.is_empty() || rest.starts_with(':'));
    !layer.is_empty() && piece()
}

type Pictured<T> = Vec<(T, Option<Vec<u8>>)>;

fn with_pictures<T: Send + Sync>(rows: Vec<T>, draw: impl Fn(&T) -> Option<Vec<u8>> + Sync) -> Pictured<T> {
    let with_picture = |row: T| {
        let picture = draw(&row);
        (row, picture)
    };
    rows.into_par_iter().map(with_picture).collect()
}

/// Some drawables and nothing else.
fn alone(scene: &Scene, pose: &Pose, ids: &BTreeSet<String>) -> Option<Vec<u8>> {
    let view = View::fit(extent(scene, pose, ids)?.expand(0.04), ALONE);
    let picture = scene.render_alone(pose, &view, |d| ids.contains(&d.id)).ok()?;
    atlas::encode_png(&picture).ok()
}

/// Some drawables in a pose, what is around them faded.
fn among(scene: &Scene, pose: &Pose, ids: &BTreeSet<String>) -> Option<Vec<u8>> {
    let view = View::fit(extent(scene, pose, ids)?.expand(0.35), AMONG);
    let mut picture = scene.render_smooth(pose, &view).ok()?;
    let part = scene.render_alone(pose, &view, |d| ids.contains(&d.id)).ok()?;
    stress(&mut picture, &part);
    atlas::encode_png(&picture).ok()
}

/// The drawables' box; narrow ones with more around them.
fn extent(scene: &Scene, pose: &Pose, ids: &BTreeSet<String>) -> Option<Rect> {
    let extent = scene.extent(pose, |d| ids.contains(&d.id))?;
    let (width, height) = (extent.width(), extent.height());
    let least = (width.max(height) * 0.3).max(1.0);
    let grow = |side: f64| (least - side).max(0.0) / 2.0;
    let (x, y) = (grow(width), grow(height));
    Some(Rect::new(extent.left - x, extent.top - y, extent.right + x, extent.bottom + y))
}

/// Puts a part over a faded picture, on paper.
fn stress(picture: &mut Rgba, part: &Rgba) {
    let parts = part.pixels().as_chunks::<4>().0;
    for (p, over) in picture.pixels_mut().as_chunks_mut::<4>().0.iter_mut().zip(parts) {
        let (under, above) = (u32::from(p[3]) * FADED / 255, u32::from(over[3]));
        for c in 0..3 {
            let mix = |a: u8, b: u32, share: u32| (u32::from(a) * share + b * (255 - share) + 127) / 255;
            p[c] = mix(over[c], mix(p[c], u32::from(PAPER[c]), under), above) as u8;
        }
        p[3] = 255;
    }
}

/// The pose that an audit names: `… AngleX +1 ParamBodyAngleZ -10`, a share of the range for short names and a value
/// for whole ones.
fn pose(scene: &Scene, place: &str) -> Pose {
    let model = scene.model();
    let mut pose = Pose::rest(model);
    let words: Vec<&str> = place.split(' ').collect();
    for pair in words.windows(2) {
        let Ok(value) = pair[1].parse::<f32>() else { continue };
        let short = format!("Param{}", pair[0]);
        for (parameter, target) in model.parameters.iter().zip(&mut pose.parameters) {
            if parameter.id == pair[0] {
                *target = value.max(parameter.minimum).min(parameter.maximum);
            } else if parameter.id == short {
                let end = if value < 0.0 { parameter.minimum } else { parameter.maximum };
                *target = parameter.default + (end - parameter.default) * value.abs().min(1.0);
            }
        }
    }
    pose
}
