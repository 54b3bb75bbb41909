//! Faults of every kind: what breaks a sound model, and what is said about it.

mod shared;

use moc3::model::*;
use moc3::validate::Severity;
use moc3::validate::Severity::{Error, Warning};

type Break = fn(&mut Model);

/// How the sound model is broken, and one of the faults that must be found.
const CASES: &[(Break, Severity, &str)] = &[
    // Canvas and parameters.
    (|m| m.canvas.pixels_per_unit = 0.0, Error, "canvas: pixels_per_unit is 0, not a positive number"),
    (|m| m.canvas.width = f32::NAN, Error, "canvas: width is NaN, not a positive number"),
    (|m| m.canvas.origin_y = f32::INFINITY, Error, "canvas: origin_y is inf"),
    (|m| m.canvas.flags = 1, Warning, "canvas: flags is 0x1, not 0"),
    (
        |m| m.parameters[0].minimum = 40.0,
        Error,
        "parameters[0] ParamAngleX: minimum is 40, more than the maximum 30",
    ),
    (
        |m| m.parameters[0].default = 31.0,
        Error,
        "parameters[0] ParamAngleX: default is 31, outside of -30 to 30",
    ),
    (|m| m.parameters[1].maximum = f32::NAN, Error, "parameters[1] ParamOpen: maximum is NaN"),
    (
        |m| m.parameters[1].maximum = 2.0,
        Warning,
        "drawables[0] ArtMeshFace: axes[1].keys do not span -1 to 2 of ParamOpen",
    ),
    // Ids.
    (
        |m| m.parts[1].id = "PartRoot".into(),
        Error,
        "parts[1] PartRoot: id is the id of parts[0] PartRoot too",
    ),
    (|m| m.drawables[1].id.clear(), Error, "drawables[1] : id is empty"),
    (|m| m.glues[0].id = "G".repeat(64), Error, "id has 64 bytes, more than 63"),
    (|m| m.deformers[0].id = "Gesicht ö".into(), Warning, "id is not a letter followed by letters, digits"),
    (|m| m.parameters[0].id = "1st".into(), Warning, "parameters[0] 1st: id is not a letter followed by"),
    // Keys and grids.
    (
        |m| m.drawables[1].axes[1].keys[1] = -1.0,
        Error,
        "drawables[1] ArtMeshNose: axes[1].keys[1] repeats the key -1",
    ),
    (|m| m.drawables[1].axes[1].keys[1] = -2.0, Error, "axes[1].keys[1] is -2, less than -1 before it"),
    (
        |m| m.drawables[1].axes[1].keys[2] = f32::NAN,
        Error,
        "drawables[1] ArtMeshNose: axes[1].keys[2] is NaN",
    ),
    (|m| m.drawables[1].axes[1].keys[1] = -0.999, Warning, "axes[1].keys lie closer together than"),
    (|m| m.drawables[0].axes[1].keys[2] = 0.5, Warning, "axes[1].keys do not span -1 to 1 of ParamOpen"),
    (|m| m.drawables[0].axes[0].keys.clear(), Error, "drawables[0] ArtMeshFace: axes[0].keys is empty"),
    (
        |m| shorten(&mut m.drawables[0].keyforms),
        Error,
        "keyforms has 5 entries, the keys of its axes ask for 6",
    ),
    (|m| m.parts[0].keyforms.clear(), Error, "parts[0] PartRoot: keyforms has 0 entries"),
    (|m| m.drawables[0].axes[1].parameter = 0, Warning, "axes[1].parameter is on an earlier axis too"),
    (|m| m.drawables[0].axes[1].parameter = 9, Error, "axes[1].parameter is 9, there are only 3"),
    // Keyforms.
    (
        |m| m.drawables[1].keyforms[2].positions[3][0] = f32::NAN,
        Error,
        "drawables[1] ArtMeshNose: keyforms[2].positions[3].x is NaN",
    ),
    (
        |m| m.drawables[1].keyforms[2].positions.fill([f32::INFINITY; 2]),
        Error,
        "keyforms[2].positions[0].x is infinite, and 7 more of this list",
    ),
    (|m| m.drawables[1].uvs[3][1] = f32::NAN, Error, "drawables[1] ArtMeshNose: uvs[3].y is NaN"),
    (|m| m.drawables[0].keyforms[5].opacity = 1.5, Warning, "keyforms[5].opacity is 1.5, outside of 0 to 1"),
    (|m| m.drawables[0].keyforms[5].opacity = f32::NAN, Error, "keyforms[5].opacity is NaN"),
    (|m| m.drawables[0].keyforms[5].colors.screen[1] = f32::NAN, Error, "keyforms[5].screen.g is NaN"),
    (
        |m| m.parts[1].keyforms[0].draw_order = f32::NAN,
        Error,
        "parts[1] PartHead: keyforms[0].draw_order is NaN",
    ),
    (
        |m| shorten(&mut m.drawables[0].keyforms[1].positions),
        Error,
        "keyforms[1].positions has 3 entries, its points",
    ),
    (
        |m| rotation(m).keyforms[1].origin[0] = f32::NAN,
        Error,
        "deformers[1] DeformNose: keyforms[1].origin.x is NaN",
    ),
    (|m| rotation(m).base_angle = f32::NAN, Error, "deformers[1] DeformNose: base_angle is NaN"),
    (
        |m| shorten(&mut warp(m).keyforms[1].positions),
        Error,
        "deformers[0] DeformFace: keyforms[1].positions has 5",
    ),
    (|m| warp(m).rows = 2, Error, "keyforms[0].positions has 6 entries, its points ask for 9"),
    (|m| warp(m).columns = 0, Error, "deformers[0] DeformFace: rows and columns are not at least 1"),
    (|m| warp(m).rows = usize::MAX, Error, "keyforms[0].positions has 6 entries"),
    // Trees.
    (|m| m.parts[0].parent = Some(1), Error, "parts[0] PartRoot: parent leads back to itself"),
    (|m| m.deformers[0].parent = Some(0), Error, "deformers[0] DeformFace: parent leads back to itself"),
    (|m| m.deformers.swap(0, 1), Error, "deformers[0] DeformNose: parent leads back to itself"),
    (late_parent, Warning, "deformers[0] DeformNose: parent comes later in the list than its child"),
    (|m| m.parts[1].parent = Some(7), Error, "parts[1] PartHead: parent is 7, there are only 2"),
    (|m| m.deformers[1].parent_part = Some(7), Error, "deformers[1] DeformNose: parent_part is 7"),
    (|m| m.drawables[1].parent_deformer = Some(7), Error, "drawables[1] ArtMeshNose: parent_deformer is 7"),
    // Meshes.
    (
        |m| m.drawables[0].indices[4] = 4,
        Error,
        "drawables[0] ArtMeshFace: indices[4] is 4, there are only 4 vertices",
    ),
    (|m| shorten(&mut m.drawables[0].indices), Error, "indices has 5 entries, not three per triangle"),
    (|m| m.drawables[0].indices.clear(), Warning, "drawables[0] ArtMeshFace: indices is empty"),
    (many_vertices, Error, "drawables[0] ArtMeshFace: uvs has 65536 vertices, more than 65535"),
    (|m| m.drawables[0].texture = u32::MAX, Error, "texture is larger than a file can hold"),
    (|m| m.drawables[1].masks[0] = 2, Error, "drawables[1] ArtMeshNose: masks[0] is 2, there are only 2"),
    (|m| m.drawables[1].masks[0] = 1, Warning, "drawables[1] ArtMeshNose: masks[0] is the drawable itself"),
    (|m| m.drawables[1].masks.push(0), Warning, "drawables[1] ArtMeshNose: masks[1] is listed already"),
    // Glue.
    (|m| m.glues[0].drawable_b = 0, Error, "glues[0] GlueNose: drawable_b is drawable_a too"),
    (|m| m.glues[0].drawable_b = 5, Error, "glues[0] GlueNose: drawable_b is 5, there are only 2"),
    (
        |m| m.glues[0].pairs[1].vertex_b = 4,
        Error,
        "glues[0] GlueNose: pairs[1].vertex_b is 4, there are only 4",
    ),
    (|m| m.glues[0].pairs[1].weight_a = 1.5, Warning, "pairs[1].weight_a is 1.5, outside of 0 to 1"),
    (|m| m.glues[0].pairs[1].weight_a = f32::NAN, Error, "pairs[1].weight_a is NaN"),
    (|m| m.glues[0].pairs.clear(), Warning, "glues[0] GlueNose: pairs is empty"),
    (|m| m.drawables[0].enabled = false, Warning, "drawable_a and drawable_b can hide without each other"),
    (
        |m| m.drawables[1].axes[1].keys[2] = 0.5,
        Warning,
        "drawable_a and drawable_b can hide without each other",
    ),
    // Blend shapes.
    (
        |m| m.drawables[0].axes[0].parameter = 2,
        Error,
        "axes[0].parameter is ParamSmile, which drives blend shapes",
    ),
    (
        |m| m.glues[0].blends[0].parameter = 0,
        Error,
        "blends[0].parameter is ParamAngleX, which is not a blend shape",
    ),
    (|m| m.glues[0].blends[0].base = 3, Error, "glues[0] GlueNose: blends[0].base is 3, there are only 3"),
    (
        |m| m.glues[0].blends[0].base = 0,
        Warning,
        "blends[0].base is the key -1, not the default 0 of ParamSmile",
    ),
    (
        |m| m.glues[0].blends[0].deltas[1].intensity = 0.1,
        Warning,
        "blends[0].deltas[1] belongs to the base key",
    ),
    (
        |m| shorten(&mut m.glues[0].blends[0].deltas),
        Error,
        "blends[0].deltas has 2 entries, its keys ask for 3",
    ),
    (|m| m.glues[0].blends[0].limits[0].points.clear(), Error, "blends[0].limits[0].points is empty"),
    (
        |m| m.glues[0].blends[0].limits[0].points[1].value = -2.0,
        Error,
        "limits[0].points[1] is -2, less than -1",
    ),
    (
        |m| m.glues[0].blends[0].limits[0].points[1].weight = f32::NAN,
        Error,
        "limits[0].points[1].weight is NaN",
    ),
    (
        |m| rotation(m).blends[0].deltas[0].reflect_x = true,
        Error,
        "blends[0].deltas[0] reflects; only keyforms can",
    ),
    (
        |m| m.drawables[0].blends[0].deltas[0].positions[0][1] = f32::NAN,
        Error,
        "deltas[0].positions[0].y is NaN",
    ),
    // Draw order groups.
    (
        |m| m.groups[0].range = Some(DrawOrderRange { min: 500, max: 505 }),
        Error,
        "groups[0]: objects[0] drawables[0] ArtMeshFace reaches draw orders 500 to 510, the group is bounded to 500 to 505",
    ),
    (
        |m| {
            m.drawables[1].blends[0].deltas[2].draw_order = -50.0;
            m.groups[1].range = Some(DrawOrderRange { min: 451, max: 510 });
        },
        Error,
        "ArtMeshNose reaches draw orders 450 to 510, the group is bounded to 451 to 510",
    ),
    (|m| m.groups[1].objects.clear(), Warning, "groups[1]: objects is empty"),
    (|m| m.groups[1].objects.clear(), Warning, "drawables[1] ArtMeshNose is in no draw order group"),
    (|m| m.groups.clear(), Warning, "groups is empty: drawables have no render order"),
    (
        |m| m.groups[1].objects.push(DrawOrderObject::Drawable(0)),
        Error,
        "drawables[0] ArtMeshFace is in 2 draw order groups",
    ),
    (
        |m| m.groups[1].objects.push(DrawOrderObject::Part { part: 0, group: Some(0) }),
        Error,
        "groups[1]: objects[1].group does not come later than the group that holds it",
    ),
    (
        |m| m.groups[1].objects[0] = DrawOrderObject::Drawable(2),
        Error,
        "groups[1]: objects[0] is 2, there are only 2",
    ),
    // Offscreens.
    (|m| m.offscreens[0].owner = 4, Error, "offscreens[0]: owner is 4, there are only 2"),
    (
        |m| m.offscreens.push(m.offscreens[0].clone()),
        Error,
        "offscreens[1]: owner owns another offscreen already",
    ),
    (
        |m| m.offscreens[0].keyforms.clear(),
        Error,
        "offscreens[0]: keyforms has 0 entries, the keyforms of its part",
    ),
    (|m| m.offscreens[0].keyforms[0] = None, Warning, "offscreens[0]: keyforms[0] is missing"),
    (|m| m.offscreens[0].masks[0] = 2, Error, "offscreens[0]: masks[0] is 2, there are only 2"),
    // Versions.
    (
        |m| m.version = moc3::Version::V50,
        Error,
        "offscreens[0]: offscreen drawing needs version 5.3, the model is 5.0",
    ),
];

#[test]
fn faults_are_found() {
    for (number, (damage, severity, expected)) in CASES.iter().enumerate() {
        let mut model = shared::fixture::full();
        damage(&mut model);
        let faults = model.validate();
        let found =
            faults.iter().any(|fault| fault.severity == *severity && fault.to_string().contains(expected));
        let all: Vec<_> = faults.iter().map(|fault| format!("{:?}: {fault}", fault.severity)).collect();
        assert!(found, "case {number}: no {severity:?} with {expected:?} in {all:#?}");
        assert_eq!(
            model.to_bytes().is_err(),
            faults.iter().any(|fault| fault.severity == Error),
            "case {number}"
        );
    }
}

#[test]
fn a_sound_model_has_no_faults() {
    let model = shared::fixture::full();
    assert_eq!(model.validate(), []);
    assert_eq!(Model::from_bytes(&model.to_bytes().unwrap()).unwrap(), model);
}

#[test]
fn all_faults_are_reported() {
    let mut model = shared::fixture::full();
    model.parts[0].id.clear();
    model.drawables[0].indices[0] = 99;
    model.glues[0].pairs[0].weight_b = f32::NAN;
    assert_eq!(model.validate().len(), 3);
}

fn shorten<T>(list: &mut Vec<T>) {
    list.pop();
}

fn warp(model: &mut Model) -> &mut Warp {
    let DeformerKind::Warp(warp) = &mut model.deformers[0].kind else { panic!("not a warp") };
    warp
}

fn rotation(model: &mut Model) -> &mut Rotation {
    let DeformerKind::Rotation(rotation) = &mut model.deformers[1].kind else { panic!("not a rotation") };
    rotation
}

fn late_parent(model: &mut Model) {
    model.deformers.swap(0, 1);
    model.deformers[0].parent = Some(1);
    model.drawables.iter_mut().for_each(|drawable| drawable.parent_deformer = Some(0));
}

fn many_vertices(model: &mut Model) {
    let drawable = &mut model.drawables[0];
    drawable.uvs.resize(1 << 16, [0.0; 2]);
    drawable.keyforms.iter_mut().for_each(|form| form.positions.resize(1 << 16, [0.0; 2]));
    drawable
        .blends
        .iter_mut()
        .flat_map(|blend| &mut blend.deltas)
        .for_each(|d| d.positions.resize(1 << 16, [0.0; 2]));
}
