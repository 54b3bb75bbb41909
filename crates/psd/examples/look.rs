//! Prints what a file holds: `look FILE…`. With `--time`, how fast it is decoded, by processor time of all threads.

use std::io::Write;

use psd::{Document, Layer, LayerKind, Limits};

fn main() {
    let mut out = std::io::stdout().lock();
    let mut time = false;
    for argument in std::env::args().skip(1) {
        if argument == "--time" {
            time = true;
            continue;
        }
        let Ok(bytes) = std::fs::read(&argument) else {
            let _ = writeln!(out, "{argument}: cannot be read");
            continue;
        };
        let _ = match psd::read(&bytes, &Limits::default()) {
            Ok(document) if time => writeln!(out, "{argument}: {}", speed(&bytes, &document)),
            Ok(document) => writeln!(out, "{argument}\n{}", describe(&document)),
            Err(error) => writeln!(out, "{argument}: {error}"),
        };
    }
}

fn speed(bytes: &[u8], document: &Document) -> String {
    let size = size(&document.layers) as f64 / 1e6;
    let (start, mut rounds) = (processor_seconds(), 0.0);
    while processor_seconds() - start < 0.5 {
        rounds += 1.0;
        let _ = psd::read(bytes, &Limits::default());
    }
    let seconds = processor_seconds() - start;
    format!("{size:.1} MB RGBA, {:.0} MB/s", size * rounds / seconds)
}

/// User and system time of this process so far; 0 where there is no /proc.
fn processor_seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = text.split(' ').skip(13).take(2);
    fields.filter_map(|ticks| ticks.parse::<f64>().ok()).sum::<f64>() / 100.0
}

fn size(layers: &[Layer]) -> usize {
    let own = |layer: &Layer| match &layer.kind {
        LayerKind::Group(children) => size(children),
        LayerKind::Pixels(pixels) => pixels.image.pixels().len(),
        LayerKind::Effect(_) => 0,
    };
    layers.iter().map(own).sum()
}

fn describe(document: &Document) -> String {
    let mut lines =
        vec![format!("{}x{} {:?} {}", document.width, document.height, document.mode, document.depth)];
    describe_layers(&document.layers, "  ", &mut lines);
    for notice in &document.notices {
        lines.push(format!("! {} {:?}: {}", notice.code, notice.path, notice.message));
    }
    lines.join("\n")
}

fn describe_layers(layers: &[Layer], indent: &str, lines: &mut Vec<String>) {
    for layer in layers.iter().rev() {
        let kind = match &layer.kind {
            LayerKind::Group(_) => "folder".to_owned(),
            LayerKind::Pixels(pixels) => format!("{:?}", pixels.rect),
            LayerKind::Effect(kind) => kind.clone(),
        };
        let (blend, opacity) = (layer.blend, layer.opacity);
        lines.push(format!("{indent}{:?} {kind} {blend:?} {opacity}", layer.name));
        if let LayerKind::Group(children) = &layer.kind {
            describe_layers(children, &format!("{indent}  "), lines);
        }
    }
}
