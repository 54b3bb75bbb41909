//! Many poses on one picture.

use geom::Rect;
use moc3::evaluate::Pose;
use raster::Rgba;

use crate::Error;
use crate::scene::{Scene, View};

/// A pose by name.
#[derive(Clone, Debug, PartialEq)]
pub struct NamedPose {
    /// Short word, also fit for a file name.
    pub name: String,
    /// Parameter ids and values; values beyond a range mean its end, ids that a model does not have are skipped.
    pub values: Vec<(String, f32)>,
}

/// How a sheet looks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SheetStyle {
    /// Part of the canvas every cell shows, in canvas pixels.
    pub crop: Rect,
    /// Longer side of a cell in pixels.
    pub cell: u32,
    /// Cells in a row, at least 1.
    pub columns: u32,
    /// Colour behind the figures; `None` keeps the sheet transparent.
    pub backdrop: Option<[u8; 3]>,
}

/// The poses a rig is judged by: head turns, tilt, blink, gaze, mouth, body, hair.
pub fn standard_poses() -> Vec<NamedPose> {
    const ALL: f32 = 1e9;
    let list: [(&str, &[(&str, f32)]); 19] = [
        ("rest", &[]),
        ("rest_open", &[("ParamMouthOpenY", 1.0)]),
        ("left", &[("ParamAngleX", -ALL)]),
        ("right", &[("ParamAngleX", ALL)]),
        ("up", &[("ParamAngleY", ALL)]),
        ("down", &[("ParamAngleY", -ALL)]),
        ("up_left", &[("ParamAngleX", -ALL), ("ParamAngleY", ALL)]),
        ("up_right", &[("ParamAngleX", ALL), ("ParamAngleY", ALL)]),
        ("down_left", &[("ParamAngleX", -ALL), ("ParamAngleY", -ALL)]),
        ("down_right", &[("ParamAngleX", ALL), ("ParamAngleY", -ALL)]),
        ("tilt", &[("ParamAngleZ", ALL)]),
        ("blink", &[("ParamEyeLOpen", 0.0), ("ParamEyeROpen", 0.0)]),
        ("gaze", &[("ParamEyeBallX", 1.0), ("ParamEyeBallY", 1.0)]),
        ("smile", &[("ParamMouthForm", 1.0), ("ParamMouthOpenY", 0.5)]),
        ("body_x", &[("ParamBodyAngleX", ALL)]),
        ("body_y", &[("ParamBodyAngleY", ALL)]),
        ("body_z", &[("ParamBodyAngleZ", ALL)]),
        ("breath", &[("ParamBreath", 1.0)]),
        ("hair", &[("ParamHairFront", 1.0), ("ParamHairBack", 1.0)]),
    ];
    list.iter()
        .map(|(name, values)| NamedPose {
            name: (*name).to_owned(),
            values: values.iter().map(|&(id, v)| (id.to_owned(), v)).collect(),
        })
        .collect()
}

/// The head at rest in canvas pixels with some air around it, for a [`SheetStyle::crop`]; the whole canvas for a model
/// without a visible drawable that is named like a part of a face.
pub fn head_crop(scene: &Scene<'_>) -> Rect {
    let of_head = |id: &str| {
        let id = id.to_ascii_lowercase();
        ["face", "eye", "mouth", "fronthair", "front_hair", "hairfront"].iter().any(|word| id.contains(word))
    };
    let rest = Pose::rest(scene.model());
    scene
        .bounds(&rest, |drawable| of_head(&drawable.id))
        .filter(|r| r.width() > 0.0 && r.height() > 0.0)
        .map_or_else(|| scene.canvas(), |r| r.expand(0.15))
}

/// Draws poses row by row into cells of one size.
///
/// # Errors
/// Those of [`Scene::render_view`]; also [`Error::Size`] when the whole sheet would be too large.
pub fn sheet(scene: &Scene<'_>, poses: &[NamedPose], style: &SheetStyle) -> Result<Rgba, Error> {
    const LIMIT: u64 = 16_384;
    let cell = View::fit(style.crop, style.cell);
    let columns = u64::from(style.columns).clamp(1, poses.len().max(1) as u64);
    let lines = (poses.len() as u64).div_ceil(columns).max(1);
    let (width, height) = (columns * u64::from(cell.width), lines * u64::from(cell.height));
    if width > LIMIT || height > LIMIT {
        return Err(Error::Size {
            width: u32::try_from(width).unwrap_or(u32::MAX),
            height: u32::try_from(height).unwrap_or(u32::MAX),
            limit: LIMIT as u32,
        });
    }
    let mut out = Rgba::new(width as u32, height as u32);
    for (i, named) in poses.iter().enumerate() {
        // Twice the size and averaged: smooth edges where layers meet.
        let fine = View { width: cell.width * 2, height: cell.height * 2, ..cell };
        let picture = scene.render_view(&named.of(scene), &fine)?.resample(cell.width, cell.height);
        let (x, y) =
            (i as u64 % columns * u64::from(cell.width), i as u64 / columns * u64::from(cell.height));
        paste(&mut out, &picture, x as usize, y as usize);
    }
    if let Some(color) = style.backdrop {
        put_behind(&mut out, color);
    }
    Ok(out)
}

impl NamedPose {
    /// The pose for a model.
    pub fn of(&self, scene: &Scene<'_>) -> Pose {
        let model = scene.model();
        let mut pose = Pose::rest(model);
        for (id, value) in &self.values {
            if let Some(at) = model.parameters.iter().position(|p| p.id == *id) {
                let p = &model.parameters[at];
                pose.parameters[at] = value.max(p.minimum).min(p.maximum);
            }
        }
        pose
    }
}

fn paste(out: &mut Rgba, picture: &Rgba, x: usize, y: usize) {
    let (stride, n) = (out.width() as usize * 4, picture.width() as usize * 4);
    for row in 0..picture.height() {
        let start = (y + row as usize) * stride + x * 4;
        out.pixels_mut()[start..start + n].copy_from_slice(picture.row(row));
    }
}

fn put_behind(out: &mut Rgba, color: [u8; 3]) {
    for p in out.pixels_mut().chunks_exact_mut(4) {
        let a = u32::from(p[3]);
        for c in 0..3 {
            p[c] = ((u32::from(p[c]) * a + u32::from(color[c]) * (255 - a) + 127) / 255) as u8;
        }
        p[3] = 255;
    }
}
