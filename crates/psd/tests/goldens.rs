//! Files of many programs against what psd-tools makes of them (`goldens/*.txt`, written by `goldens.py`).

use std::fmt::Write;
use std::path::{Path, PathBuf};

use psd::{Document, Layer, LayerKind, Limits};
use sha2::{Digest, Sha256};

/// Files of which this reader says something of its own: broken ones, and a colour mode it has no colours for.
/// "document": it is read, with notices.
const OWN: &[(&str, &str)] = &[
    ("OpenImageIO-images__psd__corrupt_20260312a.psd", "its ZIP stream holds more than its rectangle"),
    ("TALOS-2025-2219.psd", "its data ends too early"),
    ("mch-16bits.psd", "colour mode Multichannel"),
    ("mch1-16bits.psd", "colour mode Multichannel"),
    ("mch2-8bits.psd", "colour mode Multichannel"),
    ("mch3-16bits.psb", "colour mode Multichannel"),
    ("4x4_16bit_multichannel.psd", "colour mode Multichannel"),
    ("chinedufn+psd__tests__fixtures__luni.psd", "its ZIP stream is damaged"),
    ("psd-oob-write-overflow.psd", "a layer record needs 4 bytes at byte 84"),
    ("psd-oob-write.psd", "a layer record needs 4 bytes at byte 96"),
    ("timeout-c8efc3fded6426986ba867a399791bae544f59bc.psd", "unknown compression 49210"),
    ("timeout-dedc7a4ebd856d79b4359bbcc79e8ef231ce38f6.psd", "document"),
    ("file-channel-count-too-large.psd", "channel count is 48879"),
    ("file-empty.psd", "not a PSD or PSB"),
    ("file-image-depth-0.psd", "bits per channel is 0"),
    ("file-image-depth-64.psd", "bits per channel is 64"),
    ("file-signature-invalid.psd", "not a PSD or PSB"),
    ("image-compression-invalid.psd", "document"),
    ("layer-blend-mode-key-invalid.psd", "document"),
    ("layer-channel-compression-invalid.psd", "unknown compression 4"),
    ("layer-channel-kind-invalid.psd", "document"),
    ("layer-section-divider-invalid.psd", "a folder record of unknown type"),
];

#[test]
fn files_read_as_in_psd_tools() {
    let goldens = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/goldens");
    let (mut compared, mut faults) = (0, Vec::new());
    for file in data_files() {
        let bytes = std::fs::read(&file).unwrap();
        let golden = goldens.join(format!("{}.txt", &hex(&Sha256::digest(&bytes))[..16]));
        let Ok(want) = std::fs::read_to_string(&golden) else {
            println!("skipped: no golden for {}", file.display());
            continue;
        };
        compared += 1;
        if let Err(fault) = check(&bytes, &want) {
            faults.push(format!("{}: {fault}", file.display()));
        }
    }
    println!("{compared} files compared");
    assert!(faults.is_empty(), "{} files differ\n{}", faults.len(), faults.join("\n"));
}

fn check(bytes: &[u8], want: &str) -> Result<(), String> {
    let result = psd::read(bytes, &Limits::default());
    let mut lines = want.lines();
    let name = lines.next().and_then(|line| line.strip_prefix("file\t")).unwrap();
    let lines: Vec<&str> = lines.collect();
    if let Some((_, said)) = OWN.iter().find(|(file, _)| name.ends_with(file)) {
        let got = match &result {
            Ok(document) if document.notices.is_empty() => "document without notices".into(),
            Ok(_) => "document".into(),
            Err(error) => error.to_string(),
        };
        return if got.contains(said) && !got.ends_with("without notices") {
            Ok(())
        } else {
            Err(format!("got {got:?}, not {said:?}"))
        };
    }
    let document = result.map_err(|error| error.to_string())?;
    let got = describe(&document);
    for (got, want) in got.iter().zip(&lines) {
        if !same(got, want) {
            return Err(format!("\n  got  {got}\n  want {want}"));
        }
    }
    if got.len() == lines.len() { Ok(()) } else { Err(format!("{} lines, not {}", got.len(), lines.len())) }
}

/// Equal but for pixels that have no reference.
fn same(got: &str, want: &str) -> bool {
    let (got, want): (Vec<_>, Vec<_>) = (got.split('\t').collect(), want.split('\t').collect());
    got.len() == want.len() && got.iter().zip(&want).all(|(got, want)| got == want || *want == "?")
}

fn describe(document: &Document) -> Vec<String> {
    let mode = format!("{:?}", document.mode).to_uppercase();
    let mut lines =
        vec![format!("canvas\t{}\t{}\t{mode}\t{}", document.width, document.height, document.depth)];
    if document.notices.iter().any(|notice| notice.code == "no-layers") {
        let LayerKind::Pixels(pixels) = &document.layers[0].kind else { panic!("no pixels") };
        lines.push(format!("flat\t{}", digest(pixels.image.pixels())));
    } else {
        describe_layers(&document.layers, "", &mut lines);
    }
    lines
}

fn describe_layers(layers: &[Layer], path: &str, lines: &mut Vec<String>) {
    for layer in layers {
        let path = format!("{path}{}", escape(&layer.name));
        let (mut word, mut rect, mut pixels) = ("layer", "-".to_owned(), "-".to_owned());
        match &layer.kind {
            LayerKind::Group(children) => {
                describe_layers(children, &format!("{path}/"), lines);
                word = "group";
            }
            LayerKind::Pixels(own) if !own.rect.is_empty() => {
                rect = edges(own.rect);
                pixels = digest(own.image.pixels());
            }
            _ => {}
        }
        let mask = layer.mask.as_ref().map_or("-".into(), |mask| {
            if mask.rect.is_empty() {
                return format!("empty:{}", mask.outside);
            }
            let values = &hex(&Sha256::digest(mask.alpha.values()))[..32];
            format!("{}:{}:{values}", edges(mask.rect), mask.outside)
        });
        let id = layer.id.map_or("-".into(), |id| id.to_string());
        let blend = String::from_utf8_lossy(&layer.blend.key()).into_owned();
        lines.push(format!(
            "{word}\t{path}\t{}\t{}\t{}\t{blend}\t{}\t{id}\t{rect}\t{pixels}\t{mask}",
            u8::from(layer.visible),
            layer.opacity,
            layer.fill,
            u8::from(layer.clipping)
        ));
    }
}

fn edges(r: geom::IntRect) -> String {
    format!("{},{},{},{}", r.left, r.top, r.right, r.bottom)
}

fn digest(rgba: &[u8]) -> String {
    let shown = rgba.as_chunks::<4>().0.iter().flat_map(|p| if p[3] == 0 { [0; 4] } else { *p });
    hex(&Sha256::digest(shown.collect::<Vec<u8>>()))[..32].to_owned()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        write!(text, "{byte:02x}").unwrap();
        text
    })
}

fn escape(name: &str) -> String {
    let mut out = String::new();
    for c in name.chars() {
        if matches!(c, '%' | '/' | '\0'..='\x1f' | '\x7f'..='\u{9f}') {
            let mut buffer = [0; 4];
            for byte in c.encode_utf8(&mut buffer).bytes() {
                write!(out, "%{byte:02X}").unwrap();
            }
        } else {
            out.push(c);
        }
    }
    out
}

/// All PSDs and PSBs of the shared data; none when it is not there.
fn data_files() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let data = std::env::var_os("RIGFARM_DATA").map_or(root.join("../shared/data"), PathBuf::from);
    let mut files = Vec::new();
    for folder in ["psd-robust", "characters"] {
        let Ok(entries) = std::fs::read_dir(data.join(folder)) else {
            println!("skipped: {} is not there", data.join(folder).display());
            continue;
        };
        let paths = entries.map(|entry| entry.unwrap().path());
        files.extend(paths.filter(|p| p.extension().is_some_and(|e| e == "psd" || e == "psb")));
    }
    files.sort();
    files
}
