//! Many poses on one picture.

use geom::Rect;
use moc3::evaluate::Pose;
use raster::Rgba;
use rayon::prelude::{IntoParallelRefIterator, ParallelIterator};

use crate::Error;
use crate::grid::{GridStyle, grid};
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
    /// Whether the poses' names stand above the cells.
    pub labels: bool,
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
/// Those of [`Scene::render_smooth`]; also [`Error::Size`] when the whole sheet would be too large.
pub fn sheet(scene: &Scene<'_>, poses: &[NamedPose], style: &SheetStyle) -> Result<Rgba, Error> {
    let cell = View::fit(style.crop, style.cell);
    let layout = GridStyle {
        cell: (cell.width, cell.height),
        columns: style.columns,
        labels: style.labels,
        backdrop: style.backdrop,
    };
    layout.size(poses.len())?;
    let pictures: Vec<Rgba> = poses
        .par_iter()
        .map(|named| scene.render_smooth(&named.of(scene), &cell))
        .collect::<Result<_, _>>()?;
    let names = poses.iter().map(|named| named.name.as_str());
    grid(&names.zip(&pictures).collect::<Vec<_>>(), &layout)
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
