//! Prints the processor time (Linux) and shape of meshes of large synthetic masks:
//! `cargo run --release -p mesh --example mesh_speed [PART OF A NAME]`.

#[path = "../tests/art/mod.rs"]
mod art;

use mesh::{Settings, outline, triangulate};
use raster::Alpha;

/// Of each mask.
const RUNS: u32 = 25;

fn main() {
    let mut large = art::blobs(4096, 4096, 3);
    for k in 0..12 {
        let x = 300.0 + 300.0 * f64::from(k);
        art::stroke(&mut large, (x, 400.0), (x + 250.0, 3700.0), 60.0 - 4.0 * f64::from(k));
    }
    let mut hair = Alpha::new(1024, 1400);
    for k in 0..40 {
        let x = 20.0 + 25.0 * f64::from(k);
        art::stroke(&mut hair, (512.0, 50.0), (x, 1350.0), 1.0 + f64::from(k % 5));
    }
    let fine = Settings { spacing: 16.0, max_vertices: 60_000, ..Settings::default() };
    let mut simple = Alpha::new(4096, 4096);
    for (x, y, radius) in [(1900.0, 1700.0, 1600.0), (2600.0, 2900.0, 1150.0), (900.0, 3300.0, 700.0)] {
        art::disc(&mut simple, x, y, radius, false);
    }
    for k in 0..6 {
        art::disc(&mut simple, 900.0 + 350.0 * f64::from(k), 1500.0, 90.0, true);
    }
    let many = Settings { spacing: 52.0, max_vertices: 8000, ..Settings::default() };
    report("simple 4096", &simple, &many);
    report("blobs 4096", &large, &Settings::default());
    report("blobs 4096 fine", &large, &fine);
    report("hair 1024x1400", &hair, &Settings::default());
    report("full 4096", &art::filled(4096, 4096, |_, _| 255), &Settings::default());
    let checker = art::filled(4096, 4096, |x, y| ((x + y) % 2) as u8 * 255);
    report("checkerboard 4096", &checker, &Settings::default());
    for one_in in [2, 30, 1000, 30_000] {
        let noise = art::noise(4096, 4096, one_in, 5);
        report(&format!("noise 1 in {one_in}"), &noise, &Settings::default());
    }
}

fn report(name: &str, alpha: &Alpha, settings: &Settings) {
    if std::env::args().nth(1).is_some_and(|wanted| !name.contains(&wanted)) {
        return;
    }
    let (outline_ms, _) = least_and_median(&|| drop(outline(alpha, settings)));
    let (all_ms, median_ms) = least_and_median(&|| drop(triangulate(alpha, settings)));
    let mesh = triangulate(alpha, settings).expect("visible art");
    println!(
        "{name}: outline {outline_ms:.1} ms, all {all_ms:.1} ms (median {median_ms:.1}), {} vertices, {} triangles, {} loops, angle {:.1}{}",
        mesh.vertices.len(),
        mesh.triangles.len(),
        mesh.outline.len(),
        mesh.smallest_angle().unwrap_or_default(),
        if mesh.fallback { ", fallback" } else { "" },
    );
}

/// Milliseconds of the fastest and of the middle one of all runs.
fn least_and_median(work: &dyn Fn()) -> (f64, f64) {
    let once = || {
        let start = cpu_ms();
        work();
        cpu_ms() - start
    };
    let mut times: Vec<f64> = (0..RUNS).map(|_| once()).collect();
    times.sort_by(f64::total_cmp);
    (times[0], times[times.len() / 2])
}

/// Processor time of this thread in milliseconds: other programs do not count.
fn cpu_ms() -> f64 {
    // Brings the figure up to date.
    std::thread::yield_now();
    let stat = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    stat.split(' ').next().and_then(|ns| ns.parse::<f64>().ok()).unwrap_or_default() / 1e6
}
