//! `rigfarm inspect`: what a file holds.

use std::path::Path;

use canonical::Digest;
use moc3::model::{DeformerKind, Model};
use psd::{Layer, LayerKind};
use serde_json::{Value, json};

use crate::args::InspectArgs;
use crate::bundle_files::{Bundle, read_file};
use crate::failure::Failure;
use crate::out::{self, say};

/// More than a build takes by default: looking needs little beside the pixels.
const LIMITS: psd::Limits = psd::Limits { max_pixel_bytes: 2 << 30, ..psd::Limits::DEFAULT };

/// Tells by the content, not by the name, what the file is.
pub(crate) fn run(args: &InspectArgs) -> Result<(), Failure> {
    if !args.file.exists() {
        return Err(Failure::usage(format!("{}: no such file or folder", args.file.display())));
    }
    if args.file.is_dir() || args.file.to_string_lossy().ends_with(".model3.json") {
        return bundle(args);
    }
    let bytes = read_file(&args.file)?;
    let value = if bytes.starts_with(b"8BPS") {
        art(&args.file, &bytes, args.layers)?
    } else if bytes.starts_with(b"MOC3") {
        let model = Model::from_bytes(&bytes)
            .map_err(|e| Failure::failed(format!("{}: {e}", args.file.display())))?;
        model_value(&model)
    } else {
        let report = serde_json::from_slice(&bytes).ok().and_then(|value| report(&value));
        report.ok_or_else(|| {
            let message = "neither a PSD, a moc3, a bundle nor a report";
            Failure::failed(format!("{}: {message}", args.file.display()))
        })?
    };
    print(args, &value);
    Ok(())
}

fn bundle(args: &InspectArgs) -> Result<(), Failure> {
    let bundle = Bundle::open(&args.file)?;
    let mut value = model_value(&bundle.model);
    value["kind"] = "bundle".into();
    value["model3"] = bundle.name.clone().into();
    value["textures"] = bundle.document.textures.clone().into();
    value["motions"] = json!(bundle.document.motions);
    value["expressions"] = bundle.document.expressions.iter().map(|e| e.0.clone()).collect();
    value["groups"] = json!(bundle.document.groups);
    value["missing"] = bundle.missing_files().into();
    print(args, &value);
    Ok(())
}

fn print(args: &InspectArgs, value: &Value) {
    if args.json {
        out::json(value);
    } else {
        print_tree(value, 0);
    }
}

/// `key: value` lines, nested by two spaces; lists of objects as one line each.
fn print_tree(value: &Value, depth: usize) {
    let Value::Object(map) = value else { return say!("{:depth$}{}", "", plain(value), depth = depth * 2) };
    for (key, value) in map {
        match value {
            Value::Object(_) => {
                say!("{:indent$}{key}:", "", indent = depth * 2);
                print_tree(value, depth + 1);
            }
            Value::Array(items) if items.iter().any(Value::is_object) => {
                say!("{:indent$}{key}:", "", indent = depth * 2);
                items.iter().for_each(|item| say!("{:indent$}{}", "", plain(item), indent = depth * 2 + 2));
            }
            _ => say!("{:indent$}{key}: {}", "", plain(value), indent = depth * 2),
        }
    }
}

fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(items) => items.iter().map(plain).collect::<Vec<_>>().join(", "),
        Value::Object(map) => {
            map.iter().map(|(k, v)| format!("{k}={}", plain(v))).collect::<Vec<_>>().join("  ")
        }
        other => other.to_string(),
    }
}

fn art(path: &Path, bytes: &[u8], with_layers: bool) -> Result<Value, Failure> {
    let document =
        psd::read(bytes, &LIMITS).map_err(|e| Failure::failed(format!("{}: {e}", path.display())))?;
    let mut layers = Vec::new();
    collect(&document.layers, &mut Vec::new(), &mut layers);
    let notices: Vec<Value> = document
        .notices
        .iter()
        .map(|n| json!({"code": n.code, "layer": n.path.join("/"), "message": n.message}))
        .collect();
    let mut value = json!({
        "v": 1,
        "kind": "psd",
        "width": document.width,
        "height": document.height,
        "mode": format!("{:?}", document.mode),
        "depth": document.depth,
        "layer_count": layers.len(),
        "notices": notices,
    });
    if with_layers {
        value["layers"] = layers.into();
    }
    Ok(value)
}

/// Leaf layers, bottom to top.
fn collect(layers: &[Layer], path: &mut Vec<String>, out: &mut Vec<Value>) {
    for layer in layers {
        match &layer.kind {
            LayerKind::Group(children) => {
                path.push(layer.name.clone());
                collect(children, path, out);
                path.pop();
            }
            LayerKind::Pixels(pixels) => {
                let rect = pixels.rect;
                let mut row = describe(layer, path, "pixels");
                row["rect"] = json!([rect.left, rect.top, rect.right, rect.bottom]);
                row["sha256"] = Digest::of(pixels.image.pixels()).to_hex().into();
                out.push(row);
            }
            LayerKind::Effect(kind) => out.push(describe(layer, path, kind)),
        }
    }
}

fn describe(layer: &Layer, path: &[String], kind: &str) -> Value {
    json!({
        "name": layer.name,
        "path": path.join("/"),
        "kind": kind,
        "visible": layer.visible,
        "opacity": layer.opacity,
        "fill": layer.fill,
        "blend": format!("{:?}", layer.blend),
        "clipping": layer.clipping,
        "mask": layer.mask.is_some(),
        "id": layer.id,
    })
}

fn model_value(model: &Model) -> Value {
    let parameters: Vec<Value> = model
        .parameters
        .iter()
        .map(|p| json!({"id": p.id, "min": p.minimum, "default": p.default, "max": p.maximum}))
        .collect();
    let kind = |d: &moc3::model::Deformer| match &d.kind {
        DeformerKind::Warp(warp) => format!("warp {}x{}", warp.columns, warp.rows),
        DeformerKind::Rotation(_) => "rotation".to_owned(),
    };
    let parent = |index: Option<usize>| index.map(|i| model.deformers[i].id.clone());
    let deformers: Vec<Value> = model
        .deformers
        .iter()
        .map(|d| json!({"id": d.id, "kind": kind(d), "parent": parent(d.parent)}))
        .collect();
    let drawables: Vec<Value> = model
        .drawables
        .iter()
        .map(|d| {
            json!({
                "id": d.id,
                "vertices": d.uvs.len(),
                "triangles": d.indices.len() / 3,
                "keyforms": d.keyforms.len(),
                "deformer": parent(d.parent_deformer),
                "texture": d.texture,
                "masks": d.masks.len(),
            })
        })
        .collect();
    json!({
        "v": 1,
        "kind": "moc3",
        "version": model.version.byte(),
        "canvas": {"width": model.canvas.width, "height": model.canvas.height},
        "parts": model.parts.iter().map(|p| p.id.clone()).collect::<Vec<_>>(),
        "parameters": parameters,
        "deformers": deformers,
        "drawables": drawables,
    })
}

/// The summary of a bundle's report or a batch's; other documents give nothing.
fn report(value: &Value) -> Option<Value> {
    let of_bundle = ["counts", "atlas", "audits", "warnings", "run"];
    let of_batch = ["counts", "jobs", "saved_seconds", "seconds", "interrupted", "characters"];
    let is_list = |key: &str| value.get(key).is_some_and(Value::is_array);
    let (kind, keys) = if is_list("audits") && is_list("layers") {
        ("report", &of_bundle[..])
    } else if is_list("characters") && value.get("counts").is_some_and(Value::is_object) {
        ("batch report", &of_batch[..])
    } else {
        return None;
    };
    let mut out = json!({"v": 1, "kind": kind});
    for key in keys {
        if let Some(found) = value.get(key) {
            out[key] = found.clone();
        }
    }
    Some(out)
}
