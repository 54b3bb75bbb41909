//! `index.html` and `contact.png`: all characters of a batch side by side.
//!
//! Both are made from what lies under `--out` when the batch has ended, in order of the characters' names, so that
//! building again, in another order or with other threads gives the same bytes.

use std::fmt::Write as _;
use std::path::Path;

use preview::GridStyle;
use raster::Rgba;
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};
use serde_json::Value;

use crate::build::batch;
use crate::delivery;
use crate::regular;

/// The page.
const PAGE: &str = "index.html";
/// The picture.
const PICTURE: &str = "contact.png";
/// How the page begins: without it, it is somebody else's.
const HEAD: &str = "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
<meta name=\"generator\" content=\"rigfarm contact sheet\">";
const STYLE: &str = include_str!("contact.css");
/// Largest picture or page that is read.
const MAX_FILE: u64 = 64 << 20;
/// Longer side of a cell in pixels; halved for batches that would not fit.
const CELL: u32 = 256;
/// Most pixels of the picture.
const MAX_PIXELS: u64 = 32 << 20;
/// Behind the figures.
const PAPER: [u8; 3] = [255, 255, 255];

/// A character of the batch report that has pictures.
struct Shown {
    name: String,
    /// Its bundle below `--out`, with `/` between folders.
    bundle: String,
    state: String,
    /// Warnings of all codes.
    warnings: u64,
}

/// Writes both for the characters of the batch report that have pictures, if there are several.
///
/// # Errors
/// For people, naming the file; also when something of that name was not written by rigfarm.
pub(crate) fn write(out: &Path) -> Result<(), String> {
    let mut shown: Vec<Shown> = batch::rows(out).iter().filter_map(|row| shown(out, row)).collect();
    shown.sort_by(|a, b| a.name.cmp(&b.name));
    if shown.len() < 2 {
        return Ok(());
    }
    check_ours(out)?;
    let write =
        |name: &str, bytes: &[u8]| delivery::write_file(&out.join(name), bytes).map_err(|e| e.to_string());
    write(PAGE, page(&shown).as_bytes())?;
    write(PICTURE, &picture(out, &shown)?)
}

fn shown(out: &Path, row: &Value) -> Option<Shown> {
    let bundle = row["bundle"].as_str().filter(|path| delivery::is_inside(path))?;
    let count = |codes: &serde_json::Map<String, Value>| codes.values().filter_map(Value::as_u64).sum();
    out.join(bundle).join("preview/index.html").is_file().then(|| Shown {
        name: row["name"].as_str().unwrap_or_default().to_owned(),
        bundle: bundle.to_owned(),
        state: row["state"].as_str().unwrap_or_default().to_owned(),
        warnings: row["warnings"].as_object().map_or(0, count),
    })
}

/// Nothing that rigfarm did not write is replaced.
fn check_ours(out: &Path) -> Result<(), String> {
    let page = out.join(PAGE);
    let foreign = |path: &Path| {
        Err(format!("{}: is not rigfarm's: move it away to get a contact sheet", path.display()))
    };
    match regular::read(&page, MAX_FILE) {
        Ok(bytes) if bytes.starts_with(HEAD.as_bytes()) => Ok(()),
        Ok(_) => foreign(&page),
        Err(_) if std::fs::symlink_metadata(&page).is_ok() => foreign(&page),
        // The page is written first: a picture without one is somebody's.
        Err(_) if std::fs::symlink_metadata(out.join(PICTURE)).is_ok() => foreign(&out.join(PICTURE)),
        Err(_) => Ok(()),
    }
}

fn picture(out: &Path, shown: &[Shown]) -> Result<Vec<u8>, String> {
    let count = shown.len() as u64;
    let mut side = CELL;
    while side > 16 && count * u64::from(side) * u64::from(side) > MAX_PIXELS {
        side /= 2;
    }
    let small = |shown: &Shown| {
        let bytes = regular::read(&out.join(&shown.bundle).join("preview/rest.png"), MAX_FILE).ok()?;
        let picture = atlas::decode_png(&bytes).ok()?;
        let fit = |v: u32| {
            let longer = picture.width().max(picture.height()).max(side);
            (u64::from(v) * u64::from(side)).div_ceil(u64::from(longer)).max(1) as u32
        };
        Some(picture.resample(fit(picture.width()), fit(picture.height())))
    };
    let pictures: Vec<Rgba> = shown.par_iter().map(|s| small(s).unwrap_or_else(|| Rgba::new(1, 1))).collect();
    let cells: Vec<(&str, &Rgba)> = shown.iter().map(|s| s.name.as_str()).zip(&pictures).collect();
    let columns = count.isqrt() + u64::from(count.isqrt().pow(2) < count);
    let style =
        GridStyle { cell: (side, side), columns: columns as u32, labels: side >= 64, backdrop: Some(PAPER) };
    let grid = preview::grid(&cells, &style).map_err(|e| format!("{PICTURE}: {e}"))?;
    atlas::encode_png(&grid).map_err(|e| format!("{PICTURE}: {e}"))
}

fn page(shown: &[Shown]) -> String {
    let mut page = format!(
        "{HEAD}<meta name=\"viewport\" content=\"width=device-width\"><title>Characters</title>\n\
         <style>\n{STYLE}</style></head><body>\n<h1>{} characters</h1>\n<main>\n",
        shown.len()
    );
    for Shown { name, bundle, state, warnings } in shown {
        let place = address(bundle);
        let told = match warnings {
            0 => String::new(),
            1 => ", 1 warning".to_owned(),
            n => format!(", {n} warnings"),
        };
        let _ = writeln!(
            page,
            "<a href=\"{place}/preview/index.html\"><img loading=\"lazy\" alt=\"\" src=\"{place}/preview/rest.png\">\
             <b>{}</b><span class=\"{state}\">{state}{told}</span></a>",
            escape(name)
        );
    }
    page.push_str("</main>\n</body></html>\n");
    page
}

/// A path as part of an address.
fn address(path: &str) -> String {
    let mut out = String::new();
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' | b'/' => {
                out.push(char::from(byte));
            }
            other => {
                let _ = write!(out, "%{other:02X}");
            }
        }
    }
    out
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// A folder with a batch report of these characters, each with pictures.
    fn delivered(names: &[&str]) -> tempfile::TempDir {
        let out = tempfile::tempdir().unwrap();
        for (i, name) in names.iter().enumerate() {
            let folder = out.path().join(name).join("preview");
            std::fs::create_dir_all(&folder).unwrap();
            std::fs::write(folder.join("index.html"), "x").unwrap();
            let shade = 40 * (i as u8 + 1);
            let rest = Rgba::from_pixels(300, 600, [shade, 0, 0, 255].repeat(300 * 600)).unwrap();
            std::fs::write(folder.join("rest.png"), atlas::encode_png(&rest).unwrap()).unwrap();
        }
        report(out.path(), names);
        out
    }

    fn report(out: &Path, names: &[&str]) {
        let row = |name: &&str| json!({"name": name, "bundle": name, "state": "built", "warnings": {"a": 2}});
        let rows: Vec<Value> = names.iter().map(row).collect();
        let text = json!({ "characters": rows }).to_string();
        std::fs::write(out.join(batch::NAME), text).unwrap();
    }

    #[test]
    fn the_order_of_building_does_not_matter() {
        let out = delivered(&["b x", "a/<c>", "猫"]);
        write(out.path()).unwrap();
        let read = |name: &str| std::fs::read(out.path().join(name)).unwrap();
        let (page, picture) = (read(PAGE), read(PICTURE));
        let text = String::from_utf8(page.clone()).unwrap();
        let order: Vec<Option<usize>> =
            ["a/%3Cc%3E/preview/index.html", "b%20x/preview/index.html", "%E7%8C%AB/preview/rest.png"]
                .map(|link| text.find(link))
                .into();
        assert!(order.iter().all(Option::is_some) && order.is_sorted(), "{text}");
        assert!(text.contains("<b>a/&lt;c&gt;</b>") && text.contains("2 warnings"));
        let shown = atlas::decode_png(&picture).unwrap();
        assert_eq!(shown.width(), 512);
        assert_eq!([(128, 100), (384, 100)].map(|(x, y)| shown.get(x, y)[0]), [80, 40]);
        report(out.path(), &["猫", "b x", "a/<c>"]);
        write(out.path()).unwrap();
        assert_eq!((read(PAGE), read(PICTURE)), (page, picture));
    }

    #[test]
    fn one_character_needs_no_sheet_and_broken_pictures_leave_a_gap() {
        let out = delivered(&["a"]);
        write(out.path()).unwrap();
        assert!(!out.path().join(PAGE).exists());
        let out = delivered(&["a", "b"]);
        std::fs::write(out.path().join("a/preview/rest.png"), "not a picture").unwrap();
        write(out.path()).unwrap();
        let picture = atlas::decode_png(&std::fs::read(out.path().join(PICTURE)).unwrap()).unwrap();
        assert_eq!([(128, 100), (384, 100)].map(|(x, y)| picture.get(x, y)[0]), [255, 80]);
    }

    #[test]
    fn what_others_wrote_stays() {
        for name in [PAGE, PICTURE] {
            let out = delivered(&["a", "b"]);
            std::fs::write(out.path().join(name), "mine").unwrap();
            assert!(write(out.path()).unwrap_err().contains(name));
            assert_eq!(std::fs::read(out.path().join(name)).unwrap(), b"mine");
        }
    }
}
