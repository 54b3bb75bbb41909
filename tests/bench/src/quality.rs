//! The rig table, measured with the official Core.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use crate::data;

/// Columns: heading, key of the tool's answer.
const COLUMNS: &[(&str, &str)] = &[
    ("rest", "rest_err_255"),
    (">16 %", "rest_over16_pct"),
    ("flips", "flips"),
    ("collapsed", "collapsed"),
    ("holes %", "holes_pct"),
    ("white", "blink_white_area"),
    ("lash px", "blink_lash_px"),
    ("verts", "vertices"),
];

/// Builds the characters given (default: all shared ones and the sample) and prints one row each.
pub(crate) fn run(arguments: &[String], json: bool) -> Result<(), String> {
    let (poses, files) = parse(arguments)?;
    let tool = data::folder().join("../tools/oracle/quality.py");
    if !tool.is_file() {
        return Err(format!("skipped: {} is not there", tool.display()));
    }
    let rigfarm = data::rigfarm()?;
    let folder = tempfile::tempdir().map_err(|e| e.to_string())?;
    let arts = if files.is_empty() { defaults(&rigfarm, folder.path())? } else { files };
    if !json {
        print!("{:28}", "character");
        COLUMNS.iter().for_each(|(heading, _)| print!(" {heading:>9}"));
        println!("  head turn nose/mouth/eye/face/ear");
    }
    let mut failed = 0;
    for art in arts {
        let name = art.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        match row(&rigfarm, &tool, folder.path(), &art, &poses) {
            Ok(figures) if json => println!("{}", json!({"character": name, "figures": figures})),
            Ok(figures) => print_row(&name, &figures),
            Err(message) => {
                failed += 1;
                eprintln!("{name}: {message}");
            }
        }
    }
    if failed == 0 { Ok(()) } else { Err(format!("{failed} characters could not be measured")) }
}

fn parse(arguments: &[String]) -> Result<(String, Vec<PathBuf>), String> {
    let mut poses = "200".to_owned();
    let mut files = Vec::new();
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        if argument == "--poses" {
            poses = rest.next().ok_or("--poses needs a number")?.clone();
        } else {
            files.push(PathBuf::from(argument));
        }
    }
    Ok((poses, files))
}

fn defaults(rigfarm: &Path, folder: &Path) -> Result<Vec<PathBuf>, String> {
    let sample = folder.join("sample.psd");
    let drawn = Command::new(rigfarm).arg("sample").arg("--out").arg(&sample).output();
    drawn.map_err(|e| e.to_string())?;
    Ok(data::characters().into_iter().chain([sample]).collect())
}

fn row(rigfarm: &Path, tool: &Path, folder: &Path, art: &Path, poses: &str) -> Result<Value, String> {
    let built = Command::new(rigfarm).arg("build").arg(art).arg("--out").arg(folder).output();
    let built = built.map_err(|e| e.to_string())?;
    if !built.status.success() {
        return Err(String::from_utf8_lossy(&built.stderr).trim().to_owned());
    }
    let stem = art.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let model = folder.join(&stem).join(format!("{stem}.model3.json"));
    let told = Command::new("python3")
        .arg(tool)
        .arg(&model)
        .arg("--ref")
        .arg(art)
        .args(["--poses", poses, "--json"])
        .output()
        .map_err(|e| e.to_string())?;
    let text = String::from_utf8_lossy(&told.stdout);
    let line = text.lines().rev().find(|line| line.starts_with('{'));
    let line = line.ok_or_else(|| String::from_utf8_lossy(&told.stderr).trim().to_owned())?;
    serde_json::from_str(line).map_err(|e| e.to_string())
}

fn print_row(name: &str, figures: &Value) {
    print!("{name:28}");
    for (_, key) in COLUMNS {
        match figures.get(key).and_then(Value::as_f64) {
            Some(value) => print!(" {value:>9.3}"),
            None => print!(" {:>9}", "-"),
        }
    }
    let depth = |part: &str| {
        let px = figures.get("depth_px").and_then(|d| d.get(part)).and_then(Value::as_f64);
        px.map_or_else(|| "-".to_owned(), |v| format!("{v:.0}"))
    };
    println!("  {}", ["nose", "mouth", "eye", "face", "ear"].map(depth).join("/"));
}
