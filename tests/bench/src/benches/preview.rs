//! Pictures of a model, beside the decoding of its page.

use geom::Rect;
use moc3::Version;
use moc3::blend::{BlendMode, Flags};
use moc3::canvas::Canvas;
use moc3::evaluate::Pose;
use moc3::model::{
    Axis, Colors, DrawOrderGroup, DrawOrderObject, Drawable, DrawableKeyform, Model, Parameter,
    ParameterKind, Part, PartKeyform,
};
use preview::{Scene, SheetStyle, sheet, standard_poses};
use raster::Rgba;

use crate::figures::Bench;
use crate::timing::fastest;

/// Canvas and page side in pixels.
const SIDE: u32 = 2048;
/// Drawables, every third of them clipped.
const DRAWABLES: usize = 100;
/// Squares of a mesh along one side.
const SQUARES: u16 = 8;

/// A 1024 pixel picture and a sheet of 19 cells of 512 pixels, both of 100 drawables, each beside the decoding of the
/// page's PNG on one thread.
pub(crate) fn preview() -> Result<Bench, String> {
    let mut bench = Bench::new("preview");
    let page = page();
    let png = atlas::encode_png(&page).map_err(|e| e.to_string())?;
    let (decoding, _) = fastest(5, || atlas::decode_png(&png));
    let beside = Some(decoding * 1e3);
    let model = model();
    let scene = Scene::new(&model, vec![page]).map_err(|e| e.to_string())?;
    let mut pose = Pose::rest(&model);
    pose.parameters.fill(0.4);
    let (seconds, drawn) = fastest(9, || scene.render(&pose, 1024));
    drawn.map_err(|e| e.to_string())?;
    bench.lower("cell_1024_ms", seconds * 1e3, "ms", beside);
    let style =
        SheetStyle { crop: scene.canvas(), cell: 512, columns: 7, labels: true, backdrop: Some([255; 3]) };
    let (seconds, drawn) = fastest(3, || sheet(&scene, &standard_poses(), &style));
    drawn.map_err(|e| e.to_string())?;
    bench.lower("sheet_19x512_ms", seconds * 1e3, "ms", beside);
    Ok(bench)
}

/// A page of soft discs: half of it is clear, as pages are.
fn page() -> Rgba {
    let cell = f64::from(SIDE) / 10.0;
    let pixels = (0..SIDE * SIDE).flat_map(|i| {
        let (x, y) = (f64::from(i % SIDE), f64::from(i / SIDE));
        let (dx, dy) = ((x / cell).fract() - 0.5, (y / cell).fract() - 0.5);
        let cover = ((0.42 - (dx * dx + dy * dy).sqrt()) * cell / 3.0).clamp(0.0, 1.0);
        let noise = (i.wrapping_mul(2_654_435_761) >> 29) as u8;
        [(x / 9.0) as u8 + noise, (y / 9.0) as u8 ^ noise, 120 + noise, (cover * 255.0) as u8]
    });
    Rgba::from_pixels(SIDE, SIDE, pixels.collect()).unwrap_or_else(|| Rgba::new(SIDE, SIDE))
}

/// Overlapping meshes of one disc each, three deep over the middle of the canvas, that lean with a parameter.
fn model() -> Model {
    let mut model = Model::new(Version::V50, Canvas::centred(SIDE as f32, SIDE as f32));
    model.parameters.push(Parameter {
        id: "ParamAngleX".into(),
        minimum: -1.0,
        maximum: 1.0,
        default: 0.0,
        repeat: false,
        decimals: 3,
        kind: ParameterKind::Normal,
    });
    model.parts.push(Part {
        id: "Part".into(),
        parent: None,
        visible: true,
        enabled: true,
        axes: vec![],
        keyforms: vec![PartKeyform { draw_order: 500.0 }],
        blends: vec![],
    });
    let drawables: Vec<Drawable> = (0..DRAWABLES).map(|i| drawable(&model.canvas, i)).collect();
    model.drawables = drawables;
    let objects = (0..DRAWABLES).map(DrawOrderObject::Drawable).collect();
    model.groups.push(DrawOrderGroup { objects, range: None });
    model
}

fn drawable(canvas: &Canvas, number: usize) -> Drawable {
    let side = f64::from(SIDE);
    let (column, row) = ((number % 10) as f64, (number / 10) as f64);
    let size = side * 0.16;
    let (left, top) = (side * (0.15 + 0.06 * column), side * (0.1 + 0.07 * row));
    let rect = Rect::new(left, top, left + size, top + size);
    let places = || {
        let step = |i: u16| f64::from(i) / f64::from(SQUARES);
        (0..=SQUARES).flat_map(move |y| (0..=SQUARES).map(move |x| (step(x), step(y))))
    };
    let leaning = |by: f64| {
        let positions = places().map(|(u, v)| {
            canvas.to_units([rect.left + size * (u + by * (1.0 - v)), rect.top + size * (v + by * 0.2 * u)])
        });
        let positions = positions.collect();
        DrawableKeyform { opacity: 1.0, draw_order: 500.0, positions, colors: Colors::NEUTRAL }
    };
    let indices = (0..SQUARES * SQUARES).flat_map(|i| {
        let corner = i / SQUARES * (SQUARES + 1) + i % SQUARES;
        let below = corner + SQUARES + 1;
        [corner, corner + 1, below + 1, corner, below + 1, below]
    });
    Drawable {
        id: format!("Disc{number}"),
        parent_part: Some(0),
        parent_deformer: None,
        visible: true,
        enabled: true,
        texture: 0,
        flags: Flags::new(BlendMode::Normal, number.is_multiple_of(2)),
        extended_blend: None,
        uvs: places().map(|(u, v)| [(column + u) as f32 / 10.0, (row + v) as f32 / 10.0]).collect(),
        indices: indices.collect(),
        masks: if number % 3 == 2 { vec![number - 1] } else { vec![] },
        axes: vec![Axis { parameter: 0, keys: vec![-1.0, 1.0] }],
        keyforms: vec![leaning(-0.3), leaning(0.3)],
        blends: vec![],
    }
}
