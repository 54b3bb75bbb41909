//! Meshes and pages, beside a scan of the same mask and the PNG of the same page.

use atlas::{Item, Settings};
use raster::{Alpha, Rgba};

use crate::figures::Bench;
use crate::timing::fastest;

/// Contour to refined mesh of 4096 x 4096 masks, on one thread: a blob, and strands at two spacings.
pub(crate) fn mesh() -> Result<Bench, String> {
    let mut bench = Bench::new("mesh");
    let fine = mesh::Settings { spacing: 16.0, max_vertices: 60_000, ..mesh::Settings::default() };
    let (blob, strands) = (blob(4096), strands(4096));
    timed(&mut bench, ["mask_4096_ms", "vertices"], &blob, &mesh::Settings::default())?;
    timed(&mut bench, ["strands_4096_ms", "strands_vertices"], &strands, &mesh::Settings::default())?;
    timed(&mut bench, ["strands_fine_4096_ms", "strands_fine_vertices"], &strands, &fine)?;
    Ok(bench)
}

/// The time beside that of a scan, and the vertices.
fn timed(
    bench: &mut Bench,
    [time, vertices]: [&'static str; 2],
    alpha: &Alpha,
    settings: &mesh::Settings,
) -> Result<(), String> {
    let (seconds, made) = fastest(7, || mesh::triangulate(alpha, settings));
    let made = made.map_err(|e| e.to_string())?;
    let (scan, _) = fastest(7, || alpha.values().iter().filter(|v| **v > 0).count());
    bench.lower(time, seconds * 1e3, "ms", Some(scan * 1e3));
    bench.higher(vertices, made.vertices.len() as f64, "", None);
    Ok(())
}

/// Strands of hair from near the top to near the bottom that cross each other, thick to a few pixels, with gaps and
/// thin tips.
fn strands(side: u32) -> Alpha {
    let mut alpha = Alpha::new(side, side);
    let scale = f64::from(side);
    for strand in 0..36 {
        let k = f64::from(strand);
        let (root, tip) = (0.2 + 0.017 * k, 0.02 + 0.6 * (k * 0.37).fract() + 0.01 * k);
        let width = 0.002 + 0.014 * (k * 0.61).fract();
        for y in side / 20..side - side / 20 {
            let t = f64::from(y) / scale;
            // A bend of its own, narrow at both ends.
            let bend = 0.08 * (k * 0.23).fract() * 4.0 * t * (1.0 - t);
            let middle = (root + (tip - root) * t * t + bend) * scale;
            let half = width * scale * 4.0 * t * (1.0 - t) * (1.0 - 0.7 * t);
            let (from, to) = (middle - half, middle + half);
            for x in from.max(0.0) as u32..side.min(to.max(0.0) as u32 + 1) {
                let cover = (to - f64::from(x)).min(f64::from(x) + 1.0 - from).clamp(0.0, 1.0);
                let value = &mut alpha.values_mut()[(y * side + x) as usize];
                *value = (*value).max((cover * 255.0).round() as u8);
            }
        }
    }
    alpha
}

/// A star-shaped blob with a hole and a soft edge.
fn blob(side: u32) -> Alpha {
    let mut alpha = Alpha::new(side, side);
    let middle = f64::from(side) / 2.0;
    for y in 0..side {
        for x in 0..side {
            let (dx, dy) = (f64::from(x) - middle, f64::from(y) - middle);
            let distance = (dx * dx + dy * dy).sqrt();
            // A polynomial ripple over the angle: no transcendental functions are needed.
            let cosine = if distance > 0.0 { dx / distance } else { 1.0 };
            let ripple = 8.0 * cosine.abs() * cosine.abs() * (1.0 - cosine * cosine);
            let edge = middle * (0.78 + 0.06 * ripple) - distance;
            let hole = distance - middle * 0.12;
            let cover = (edge.min(hole) / 3.0).clamp(0.0, 1.0);
            alpha.values_mut()[(y * side + x) as usize] = (cover * 255.0).round() as u8;
        }
    }
    alpha
}

/// Layout of 90 rectangles; one page drawn.
pub(crate) fn atlas() -> Result<Bench, String> {
    let items = items();
    let settings = Settings::default();
    let (solve, layout) = fastest(15, || atlas::layout(&items, &settings));
    let rasters: Vec<Rgba> = items.iter().map(|i| disc(i.width, i.height)).collect();
    let tiles: Vec<_> = layout
        .placements
        .iter()
        .filter(|p| p.page == 0)
        .map(|p| (p, &rasters[items.iter().position(|i| i.id == p.tile).unwrap_or_default()]))
        .collect();
    let (draw, page) = fastest(3, || atlas::compose(layout.page_size, layout.padding, &tiles));
    let (encode, png) = fastest(3, || atlas::encode_png(&page));
    png.map_err(|e| e.to_string())?;
    let (copy, _) = fastest(3, || page.clone());
    let mut bench = Bench::new("atlas");
    bench.lower("layout_90_ms", solve * 1e3, "ms", None);
    bench.lower("compose_page_ms", draw * 1e3, "ms", Some(encode * 1e3));
    bench.lower("encode_page_ms", encode * 1e3, "ms", Some(copy * 1e3));
    Ok(bench)
}

/// 90 sizes as parts of a character have them.
fn items() -> Vec<Item> {
    let mut state = 12345u64;
    let mut next = |low: u64, high: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (low + (state >> 33) % (high - low)) as u32
    };
    (0..90)
        .map(|i| {
            let (width, height) =
                if i % 3 == 0 { (next(300, 900), next(300, 900)) } else { (next(20, 260), next(20, 260)) };
            Item { id: format!("tile{i:02}"), width, height, density: 1.0, lock: false, pin: None }
        })
        .collect()
}

fn disc(width: u32, height: u32) -> Rgba {
    let mut image = Rgba::new(width, height);
    for y in 0..height {
        for x in 0..width {
            let u = f64::from(x) / f64::from(width) * 2.0 - 1.0;
            let v = f64::from(y) / f64::from(height) * 2.0 - 1.0;
            if u * u + v * v < 1.0 {
                image.set(i64::from(x), i64::from(y), [200, (x % 256) as u8, (y % 256) as u8, 255]);
            }
        }
    }
    image
}
