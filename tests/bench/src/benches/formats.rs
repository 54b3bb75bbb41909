//! Reading and writing formats, beside memcpy of the same bytes.

use moc3::canvas::Canvas;
use moc3::model::{
    Axis, Colors, DrawOrderGroup, DrawOrderObject, Drawable, DrawableKeyform, Model, Parameter,
};
use moc3::{Version, blend::Flags};
use psd::{Layer, LayerKind};

use crate::data;
use crate::figures::Bench;
use crate::timing::fastest;

const GIGA: f64 = 1e9;

/// RGBA per second of every character, on one thread.
pub(crate) fn psd() -> Result<Bench, String> {
    let files: Vec<Vec<u8>> =
        data::characters().iter().map(std::fs::read).collect::<Result<_, _>>().map_err(|e| e.to_string())?;
    if files.is_empty() {
        return Err("skipped: the shared characters are not there".to_owned());
    }
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().map_err(|e| e.to_string())?;
    let limits = psd::Limits::default();
    // Entered once: handing each small file to another thread would be measured beside it.
    let (seconds, bytes) = pool.install(|| {
        fastest(5, || {
            files.iter().map(|f| psd::read(f, &limits).map_or(0, |d| rgba(&d.layers))).sum::<usize>()
        })
    });
    let source = vec![1u8; bytes];
    let (copy, _) = fastest(5, || source.clone());
    let mut bench = Bench::new("psd");
    let mega = bytes as f64 / 1e6;
    bench.higher("decode_rgba_mb_s", mega / seconds, "MB/s", Some(mega / copy));
    bench.lower("decode_all_ms", seconds * 1e3, "ms", Some(copy * 1e3));
    Ok(bench)
}

fn rgba(layers: &[Layer]) -> usize {
    layers
        .iter()
        .map(|layer| match &layer.kind {
            LayerKind::Group(children) => rgba(children),
            LayerKind::Pixels(pixels) => pixels.image.pixels().len(),
            LayerKind::Effect(_) => 0,
        })
        .sum()
}

/// Writing and reading a model of about 7 MB.
pub(crate) fn moc3() -> Result<Bench, String> {
    let model = model();
    let (write, bytes) = fastest(9, || model.to_file().and_then(|file| file.write()));
    let bytes = bytes.map_err(|e| e.to_string())?;
    let file = model.to_file().map_err(|e| e.to_string())?;
    let (emit, _) = fastest(9, || file.write().map(|b| b.len()));
    let (parse, _) = fastest(9, || moc3::File::read(&bytes).map(|_| ()));
    let (read, back) = fastest(9, || Model::from_bytes(&bytes));
    back.map_err(|e| e.to_string())?;
    let (copy, _) = fastest(9, || bytes.clone());
    let giga = bytes.len() as f64 / GIGA;
    let mut bench = Bench::new("moc3");
    bench.higher("write_gb_s", giga / emit, "GB/s", Some(giga / copy));
    bench.higher("read_gb_s", giga / parse, "GB/s", Some(giga / copy));
    bench.lower("model_to_bytes_ms", write * 1e3, "ms", Some(copy * 1e3));
    bench.lower("bytes_to_model_ms", read * 1e3, "ms", Some(copy * 1e3));
    Ok(bench)
}

/// 100 drawables of 324 vertices in 27 keyforms.
fn model() -> Model {
    let mut model = Model::new(Version::V40, Canvas::centred(2048.0, 2048.0));
    for i in 0..3 {
        model.parameters.push(Parameter {
            id: format!("Param{i}"),
            minimum: -1.0,
            maximum: 1.0,
            default: 0.0,
            repeat: false,
            decimals: 3,
            kind: moc3::model::ParameterKind::Normal,
        });
    }
    let side = 18u16;
    let index = |x: u16, y: u16| y * side + x;
    let cell = |x: u16, y: u16| {
        [index(x, y), index(x + 1, y), index(x, y + 1), index(x + 1, y), index(x + 1, y + 1), index(x, y + 1)]
    };
    let indices: Vec<u16> = (0..side - 1).flat_map(|y| (0..side - 1).flat_map(move |x| cell(x, y))).collect();
    let at = |k: u16| [f32::from(k % side) / 17.0, f32::from(k / side) / 17.0];
    let count = side * side;
    for number in 0..100 {
        let keyform = |k: usize| DrawableKeyform {
            opacity: 1.0,
            draw_order: 500.0,
            positions: (0..count).map(|v| at(v).map(|c| c * 0.1 + k as f32 * 1e-3)).collect(),
            colors: Colors::NEUTRAL,
        };
        model.drawables.push(Drawable {
            id: format!("ArtMesh{number}"),
            parent_part: None,
            parent_deformer: None,
            visible: true,
            enabled: true,
            texture: 0,
            flags: Flags::default(),
            extended_blend: None,
            uvs: (0..count).map(at).collect(),
            indices: indices.clone(),
            masks: Vec::new(),
            axes: (0..3).map(|parameter| Axis { parameter, keys: vec![-1.0, 0.0, 1.0] }).collect(),
            keyforms: (0..27).map(keyform).collect(),
            blends: Vec::new(),
        });
    }
    let objects = (0..model.drawables.len()).map(DrawOrderObject::Drawable).collect();
    model.groups.push(DrawOrderGroup { objects, range: None });
    model
}
