//! Column strips and plain grids.

mod art;

use geom::maths;
use mesh::{ColumnSettings, Error, Mesh, columns, coverage, grid};
use proptest::prelude::{ProptestConfig, any, proptest};
use raster::Alpha;

fn check(alpha: &Alpha, settings: &ColumnSettings, seed: u64) {
    let strip = columns(alpha, settings).unwrap();
    assert_eq!((strip.columns, strip.rows), (settings.columns, settings.rows));
    assert_eq!(strip.mesh.vertices.len(), (strip.columns + 1) * (strip.rows + 1));
    assert_eq!(coverage::uncovered(alpha, &strip.mesh, 1.0), None);
    check_turns(&strip.mesh);
    // Any squeeze along the column lines that keeps their order.
    let mut random = art::Random::new(seed);
    let mut moved = strip.mesh.clone();
    let down = (-maths::sin(settings.angle), maths::cos(settings.angle));
    for column in 0..=strip.columns {
        let mut along = random.unit() * 500.0 - 250.0;
        for row in 0..=strip.rows {
            let i = strip.vertex(row, column);
            assert_eq!((strip.row(i), strip.column(i)), (row, column));
            let p = strip.mesh.vertices[i];
            along += 0.01 + random.unit() * 30.0;
            let at = p.x * down.0 + p.y * down.1;
            moved.vertices[i].x += down.0 * (along - at);
            moved.vertices[i].y += down.1 * (along - at);
        }
    }
    check_turns(&moved);
}

fn check_turns(mesh: &Mesh) {
    mesh.triangles.iter().for_each(|&t| assert!(mesh.doubled_area(t) > 0.0, "triangle {t:?}"));
}

#[test]
fn simple_strips() {
    let shapes = [
        art::filled(1, 1, |_, _| 1),
        art::filled(64, 3, |_, _| 255),
        art::filled(3, 64, |_, _| 255),
        // A gap of empty columns.
        art::filled(90, 12, |x, y| if !(20..70).contains(&x) && y > 2 { 255 } else { 0 }),
    ];
    for alpha in &shapes {
        for angle in [0.0, 0.1, -0.6, 1.5, 3.0] {
            for (columns, rows) in [(1, 1), (8, 2), (32, 5)] {
                check(alpha, &ColumnSettings { columns, rows, angle, ..ColumnSettings::default() }, 1);
            }
        }
    }
    assert_eq!(columns(&Alpha::new(4, 4), &ColumnSettings::default()), Err(Error::Empty));
    let broken = ColumnSettings { columns: 0, ..ColumnSettings::default() };
    assert!(matches!(columns(&shapes[0], &broken), Err(Error::Setting { name: "columns", .. })));
}

#[test]
fn gap_is_bridged_straight() {
    let alpha = art::filled(100, 40, |x, y| u8::from((x < 10 && y < 5) || (x >= 90 && y >= 35)));
    let settings = ColumnSettings { columns: 10, rows: 1, margin: 1.0, angle: 0.0 };
    let strip = columns(&alpha, &settings).unwrap();
    let top = |column| strip.mesh.vertices[strip.vertex(0, column)].y;
    assert_eq!(top(0), -1.0);
    assert_eq!(top(10), 34.0);
    // Lines 2 to 8 have nothing visible beside them.
    assert!((top(5) - 16.5).abs() < 1e-9, "{}", top(5));
}

#[test]
fn grids() {
    for (cols, rows) in [(1, 1), (6, 4), (0, 0), (1000, 1000)] {
        let mesh = grid(30, 20, cols, rows, 2.0);
        check_turns(&mesh);
        assert!(mesh.vertices.len() < 65535);
        assert_eq!(mesh.outline.len(), 1);
        assert_eq!(coverage::uncovered(&art::filled(30, 20, |_, _| 255), &mesh, 1.0), None);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn random_strips(seed in any::<u64>(), angle in -3.0..3.0f64, columns in 1..40usize, rows in 1..8usize) {
        let settings = ColumnSettings { columns, rows, angle, margin: 1.0 };
        check(&art::blobs(80, 60, seed), &settings, seed);
    }
}
