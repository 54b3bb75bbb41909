//! The cast of every character of the shared data, as text. `BLESS=1` rewrites the goldens.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use parts::{Cast, Side};

#[test]
fn every_character_has_its_golden_cast() {
    let files = character_files();
    if files.is_empty() {
        println!("skipped: no shared data (set RIGFARM_DATA)");
        return;
    }
    let bless = std::env::var_os("BLESS").is_some();
    let mut faults = Vec::new();
    for file in files {
        let stem = file.file_stem().unwrap().to_string_lossy().into_owned();
        let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/goldens/{stem}.txt"));
        let text = cast_text(&file);
        if bless {
            std::fs::create_dir_all(golden.parent().unwrap()).unwrap();
            std::fs::write(&golden, &text).unwrap();
        } else if std::fs::read_to_string(&golden).unwrap_or_default() != text {
            faults.push(format!("{stem} differs from {}:\n{text}", golden.display()));
        }
    }
    assert!(faults.is_empty(), "{}\nBLESS=1 accepts", faults.join("\n"));
}

fn cast_text(file: &Path) -> String {
    let bytes = std::fs::read(file).unwrap();
    let document = psd::read(&bytes, &psd::Limits::default()).unwrap();
    let (artwork, images) = match artwork::clean(document, &artwork::Settings::default()) {
        Ok(clean) => clean,
        Err(error) => return format!("error: {error}\n"),
    };
    match parts::cast(&artwork, &images, &parts::Settings::default()) {
        Ok((cast, images)) => {
            assert_eq!(cast.members.len(), images.len());
            for (member, image) in cast.members.iter().zip(&images) {
                assert_eq!((member.rect.width(), member.rect.height()), (image.width(), image.height()));
                assert_eq!(member.content, artwork::content_digest(image));
            }
            let mut text = text(&cast);
            writeln!(text, "\nartwork notes").unwrap();
            notes(&mut text, &artwork.notes);
            text
        }
        Err(error) => format!("error: {error}\n"),
    }
}

fn text(cast: &Cast) -> String {
    let mut out = String::new();
    writeln!(out, "{} x {}\n", cast.width, cast.height).unwrap();
    for m in &cast.members {
        let side = m.side.map_or('-', Side::letter);
        let hidden = if m.visible { "" } else { " hidden" };
        let background = if m.background { " background" } else { "" };
        write!(
            out,
            "{} -> {} {side} {:.2} {:?}{hidden}{background}",
            m.id,
            m.tag.name(),
            m.confidence,
            m.group
        )
        .unwrap();
        write!(out, " [{} {} {} {}]", m.rect.left, m.rect.top, m.rect.right, m.rect.bottom).unwrap();
        if let Some(suffix) = &m.suffix {
            write!(out, " suffix={suffix}").unwrap();
        }
        if let Some(variant) = &m.variant {
            write!(out, " variant={}:{}", variant.set.join("/"), variant.name).unwrap();
        }
        if let Some(clip) = &m.clip_to {
            write!(out, " clip={clip}").unwrap();
        }
        if (m.opacity, m.blend) != (1.0, artwork::BlendMode::Normal) {
            write!(out, " {:.3} {:?}", m.opacity, m.blend).unwrap();
        }
        writeln!(out).unwrap();
    }
    measures(&mut out, cast);
    writeln!(out, "\nnotes").unwrap();
    notes(&mut out, &cast.notes);
    out
}

fn measures(out: &mut String, cast: &Cast) {
    let rect = |r: geom::Rect| format!("[{:.1} {:.1} {:.1} {:.1}]", r.left, r.top, r.right, r.bottom);
    let a = &cast.anchors;
    writeln!(out, "\ncharacter {} body {}", rect(a.character), rect(a.body)).unwrap();
    writeln!(out, "face {} raw {} found={}", rect(a.face), rect(a.face_raw), a.has_face).unwrap();
    writeln!(
        out,
        "center {:.1} {:.1} chin {:.1} shoulder {:.1} hip {:.1} tilt {:.2}",
        a.face_center.x, a.face_center.y, a.chin.y, a.shoulder_y, a.hip_y, cast.tilt.degrees
    )
    .unwrap();
    let f = &cast.face;
    writeln!(
        out,
        "surface {:.1} {:.1} radii {:.1} {:.1} lines {:.1} {:.1} {:.1}",
        f.center.x, f.center.y, f.radius_x, f.radius_y, f.eye_line, f.nose_line, f.mouth_line
    )
    .unwrap();
    let regions = &f.regions;
    for (name, list) in [
        ("eye", &regions.eye),
        ("iris", &regions.iris),
        ("brow", &regions.brow),
        ("nose", &regions.nose),
        ("mouth", &regions.mouth),
        ("ear", &regions.ear),
    ] {
        for region in list {
            let side = region.side.map_or('-', Side::letter);
            writeln!(out, "{name} {side} {} raw {}", rect(region.rect), rect(region.raw)).unwrap();
        }
    }
    let frames = &cast.frames;
    write!(out, "frames head {} face {}", rect(frames.head), rect(frames.face)).unwrap();
    for (name, hair) in [("front", frames.hair_front), ("back", frames.hair_back)] {
        if let Some(hair) = hair {
            write!(out, " {name} {}", rect(hair)).unwrap();
        }
    }
    writeln!(out).unwrap();
}

fn notes(out: &mut String, notes: &[artwork::Note]) {
    for note in notes {
        let layer = note.layer.as_ref().map_or("-", |id| id.as_str());
        writeln!(out, "{:?} {} {layer}: {}", note.level, note.code, note.message).unwrap();
    }
}

fn character_files() -> Vec<PathBuf> {
    let root = std::env::var_os("RIGFARM_DATA")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data"), PathBuf::from);
    let Ok(folder) = std::fs::read_dir(root.join("characters")) else { return Vec::new() };
    let mut files: Vec<PathBuf> = folder
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|p| p.extension().is_some_and(|e| e == "psd"))
        .collect();
    files.sort();
    files
}
