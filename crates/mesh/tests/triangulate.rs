//! What every mesh must keep, on blobs, lines, single pixels, full rectangles and noise.

mod art;

use mesh::{Error, Mesh, Settings, coverage, triangulate};
use proptest::prelude::{ProptestConfig, any, proptest};
use raster::Alpha;

/// Figures of a mesh that passed.
struct Checked {
    mesh: Mesh,
    smallest_angle: f64,
}

fn check(alpha: &Alpha, settings: &Settings) -> Checked {
    let mesh = triangulate(alpha, settings).unwrap();
    // The largest square ring within the round margin.
    let ring = (settings.margin / std::f64::consts::SQRT_2).max(1.0);
    assert_eq!(coverage::uncovered(alpha, &mesh, ring), None, "a pixel is not covered");
    assert!(mesh.vertices.len() <= settings.max_vertices as usize, "{} vertices", mesh.vertices.len());
    let mut used = vec![false; mesh.vertices.len()];
    for &t in &mesh.triangles {
        assert!(mesh.doubled_area(t) > 1e-3, "flat or turned triangle {t:?}");
        t.iter().for_each(|&i| used[i as usize] = true);
    }
    assert!(used.iter().all(|&u| u), "a vertex of no triangle");
    check_outline(&mesh);
    assert!(!mesh.fallback);
    let smallest_angle = mesh.smallest_angle().unwrap();
    Checked { mesh, smallest_angle }
}

/// The loops enclose just the area of the triangles.
fn check_outline(mesh: &Mesh) {
    let at = |i: u32| mesh.vertices[i as usize];
    let ring = |l: &Vec<u32>| (0..l.len()).map(|k| at(l[k]).cross(at(l[(k + 1) % l.len()]))).sum::<f64>();
    let around: f64 = mesh.outline.iter().map(ring).sum();
    let inside: f64 = mesh.triangles.iter().map(|&t| mesh.doubled_area(t)).sum();
    assert!((around - inside).abs() < 1e-6 * inside.abs(), "outline {around}, triangles {inside}");
}

#[test]
fn simple_shapes() {
    let settings = Settings::default();
    let cases: [(&str, Alpha); 7] = [
        ("one pixel", art::filled(1, 1, |_, _| 255)),
        ("one faint pixel in the corner", art::filled(9, 9, |x, y| u8::from(x == 8 && y == 8))),
        ("a row", art::filled(200, 1, |_, _| 1)),
        ("a column", art::filled(1, 333, |_, _| 255)),
        ("a full rectangle", art::filled(300, 170, |_, _| 200)),
        (
            "a ring",
            art::filled(120, 120, |x, y| {
                let d = x.abs_diff(60).max(y.abs_diff(60));
                if (30..55).contains(&d) { 255 } else { 0 }
            }),
        ),
        ("two distant pixels", art::filled(500, 20, |x, y| u8::from(y == 3 && (x == 2 || x == 480)))),
    ];
    for (name, alpha) in cases {
        let found = check(&alpha, &settings);
        assert!(found.smallest_angle > 20.0, "{name}: {}", found.smallest_angle);
    }
}

#[test]
fn nothing_visible_is_an_error() {
    for alpha in [Alpha::new(0, 0), Alpha::new(10, 10), Alpha::new(0, 5)] {
        assert_eq!(triangulate(&alpha, &Settings::default()), Err(Error::Empty));
    }
}

#[test]
fn broken_settings_are_an_error() {
    let alpha = art::filled(5, 5, |_, _| 255);
    for spacing in [f64::NAN, f64::INFINITY, 0.0, -3.0] {
        let settings = Settings { spacing, ..Settings::default() };
        assert!(matches!(triangulate(&alpha, &settings), Err(Error::Setting { name: "spacing", .. })));
    }
}

#[test]
fn holes_are_kept_or_filled() {
    let alpha = art::filled(120, 120, |x, y| if x.abs_diff(60).max(y.abs_diff(60)) > 30 { 255 } else { 0 });
    let loops = |settings: &Settings| check(&alpha, settings).mesh.outline.len();
    assert_eq!(loops(&Settings::default()), 2);
    assert_eq!(loops(&Settings { fill_holes: true, ..Settings::default() }), 1);
    assert_eq!(loops(&Settings { min_hole_area: 4000.0, ..Settings::default() }), 1);
}

#[test]
fn noise_stays_bounded() {
    let settings = Settings::default();
    check(&art::filled(700, 700, |x, y| ((x + y) % 2) as u8 * 255), &settings);
    for one_in in [2, 20, 300, 5000] {
        check(&art::noise(600, 500, one_in, one_in), &settings);
    }
}

#[test]
fn large_masks() {
    let settings = Settings::default();
    let full = check(&art::filled(4096, 4096, |_, _| 255), &settings);
    assert!(full.smallest_angle > 20.0, "{}", full.smallest_angle);
    assert_eq!(full.mesh.outline.len(), 1);
    check(&art::filled(4096, 1024, |x, y| ((x ^ y) % 2) as u8), &settings);
}

#[test]
fn the_margin_is_tight() {
    for seed in 0..4 {
        let alpha = art::blobs(200, 200, seed);
        let settings = Settings { fill_holes: false, ..Settings::default() };
        let bounds = alpha.bounds(1).unwrap().to_rect();
        for v in check(&alpha, &settings).mesh.vertices {
            let out = [bounds.left - v.x, bounds.top - v.y, v.x - bounds.right, v.y - bounds.bottom];
            assert!(
                out.iter().all(|&d| d <= settings.margin + 2.0 * settings.simplify + 1.5),
                "{v:?} of {bounds:?}"
            );
        }
    }
}

#[test]
fn the_vertex_cap_holds() {
    let alpha = art::blobs(600, 400, 7);
    for max_vertices in [64, 200, 1000] {
        check(&alpha, &Settings { max_vertices, spacing: 8.0, ..Settings::default() });
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn random_blobs(seed in any::<u64>(), spacing in 6.0..60.0f64, margin in 1.0..4.0f64, simplify in 1.0..2.5f64) {
        let alpha = art::blobs(160, 220, seed);
        let settings = Settings { spacing, margin, simplify, ..Settings::default() };
        let found = check(&alpha, &settings);
        assert!(found.smallest_angle > 20.0, "{}", found.smallest_angle);
        assert_eq!(found.mesh, triangulate(&alpha, &settings).unwrap());
    }
}
