//! The whole process: cold, warm, and after one layer was repainted.

use std::path::Path;
use std::process::{Command, Stdio};

use psd::{Layer, LayerKind};

use crate::data;
use crate::figures::Bench;
use crate::timing::fastest;

const CHARACTER: &str = "puppetloom_blue_whale_maid.psd";

struct Workshop {
    folder: tempfile::TempDir,
    rigfarm: std::path::PathBuf,
}

impl Workshop {
    fn new() -> Result<Self, String> {
        let folder = tempfile::tempdir().map_err(|e| e.to_string())?;
        Ok(Self { folder, rigfarm: data::rigfarm()? })
    }

    fn build(&self, art: &Path, store: &str, out: &str) -> Result<(), String> {
        let at = |name: &str| self.folder.path().join(name).display().to_string();
        let status = Command::new(&self.rigfarm)
            .arg("build")
            .arg(art)
            .args(["--out", &at(out), "--store", &format!("file://{}", at(store))])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .map_err(|e| e.to_string())?;
        if status.success() {
            Ok(())
        } else {
            Err(format!("rigfarm build {} ended with {status}", art.display()))
        }
    }

    /// Seconds of the process that does nothing.
    fn idle(&self) -> f64 {
        let run = || Command::new(&self.rigfarm).arg("--version").stdout(Stdio::null()).status().is_ok();
        fastest(5, run).0
    }
}

/// A build with an empty cache, beside decoding the same PSD.
pub(crate) fn cold() -> Result<Bench, String> {
    let art = data::character(CHARACTER)?;
    let shop = Workshop::new()?;
    let mut run = 0;
    let (seconds, told) = fastest(3, || {
        run += 1;
        shop.build(&art, &format!("store{run}"), &format!("out{run}"))
    });
    told?;
    let bytes = std::fs::read(&art).map_err(|e| e.to_string())?;
    let (decode, _) = fastest(3, || psd::read(&bytes, &psd::Limits::default()).is_ok());
    let mut bench = Bench::new("cold");
    bench.lower("cold_s", seconds, "s", Some(decode));
    Ok(bench)
}

/// The same build again, beside a process that does nothing.
pub(crate) fn warm() -> Result<Bench, String> {
    let art = data::character(CHARACTER)?;
    let shop = Workshop::new()?;
    shop.build(&art, "store", "out")?;
    let (seconds, told) = fastest(7, || shop.build(&art, "store", "out"));
    told?;
    let mut bench = Bench::new("warm");
    bench.lower("warm_ms", seconds * 1e3, "ms", Some(shop.idle() * 1e3));
    Ok(bench)
}

/// One layer repainted, beside the cold build.
pub(crate) fn touch() -> Result<Bench, String> {
    let art = data::character(CHARACTER)?;
    let shop = Workshop::new()?;
    let (cold, told) = fastest(1, || shop.build(&art, "store", "out"));
    told?;
    let bytes = std::fs::read(&art).map_err(|e| e.to_string())?;
    let mut shade = 0;
    let mut times = Vec::new();
    for _ in 0..3 {
        shade += 1;
        let touched = shop.folder.path().join("puppetloom_blue_whale_maid.psd");
        std::fs::write(&touched, repaint(&bytes, shade)?).map_err(|e| e.to_string())?;
        let (seconds, told) = fastest(1, || shop.build(&touched, "store", "out"));
        told?;
        times.push(seconds);
    }
    let fastest = times.into_iter().fold(f64::INFINITY, f64::min);
    let mut bench = Bench::new("touch");
    bench.lower("touch_ms", fastest * 1e3, "ms", Some(cold * 1e3));
    Ok(bench)
}

/// The file with one pixel of its topmost layer in another shade.
fn repaint(bytes: &[u8], shade: u8) -> Result<Vec<u8>, String> {
    let mut document = psd::read(bytes, &psd::Limits::default()).map_err(|e| e.to_string())?;
    let Some(Layer { kind: LayerKind::Pixels(pixels), .. }) = document.layers.last_mut() else {
        return Err("the topmost layer has no pixels".to_owned());
    };
    let opaque = pixels.image.pixels().chunks_exact(4).position(|p| p[3] == 255).unwrap_or_default();
    pixels.image.pixels_mut()[opaque * 4] = shade;
    psd::write(&document, &psd::WriteOptions::default()).map_err(|e| e.to_string())
}
