//! The steps of the outline against their plain definitions.

use geom::Point;
use proptest::prelude::{ProptestConfig, any, proptest};
use raster::Alpha;

use crate::bitmap::Bitmap;
use crate::contour::{contours, signed_area};
use crate::outline::sides;
use crate::simplify::{distance_to_segment, simplify};

/// Visible pixels from random bits, with sizes around the word size.
fn random_alpha(width: u32, seed: u64, one_in: u64) -> Alpha {
    let mut state = seed | 1;
    let mut alpha = Alpha::new(width, 23);
    for value in alpha.values_mut() {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        *value = if (state >> 20).is_multiple_of(one_in) { (state >> 40) as u8 | 1 } else { 0 };
    }
    alpha
}

fn get(map: &Bitmap, x: isize, y: isize) -> bool {
    let (i, j) = (x - map.origin, y - map.origin);
    if i < 0 || j < 0 || i >= map.width as isize || j >= map.height as isize {
        return false;
    }
    map.row(j as usize)[i as usize / 64] >> (i % 64) & 1 == 1
}

/// The offsets within a disc.
fn disc(radius: f64) -> Vec<(isize, isize)> {
    let r = radius as isize;
    let all = (-r..=r).flat_map(|dy| (-r..=r).map(move |dx| (dx, dy)));
    all.filter(|&(dx, dy)| ((dx * dx + dy * dy) as f64) <= radius * radius).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn morphology(seed in any::<u64>(), width in 1..140u32, one_in in 1..90u64, radius in 1.0..6.0f64) {
        let alpha = random_alpha(width, seed, one_in);
        let map = Bitmap::from_alpha(&alpha);
        let grown = map.dilated(radius, 9);
        let shrunk = grown.eroded(radius);
        let half = map.halved();
        let (w, offsets) = (width as isize, disc(radius));
        for (x, y) in (-8..31).flat_map(|y| (-8..w + 8).map(move |x| (x, y))) {
            assert_eq!(get(&map, x, y), alpha.get(x as i64, y as i64) > 0);
            let near = offsets.iter().any(|&(dx, dy)| get(&map, x + dx, y + dy));
            assert_eq!(get(&grown, x, y), near, "dilated at {x} {y}");
            let all = offsets.iter().all(|&(dx, dy)| get(&grown, x + dx, y + dy));
            assert_eq!(get(&shrunk, x, y), all, "eroded at {x} {y}");
            let any = (0..4).any(|k| get(&map, 2 * x + k % 2, 2 * y + k / 2));
            assert_eq!(get(&half, x, y), any, "halved at {x} {y}");
        }
        let starts = (0..23).flat_map(|y| (0..w).map(move |x| (x, y)));
        let starts = starts.filter(|&(x, y)| get(&map, x, y) && !get(&map, x - 1, y)).count();
        assert_eq!(map.run_count(), starts as u64);
    }

    #[test]
    fn contour_encloses_what_is_set(seed in any::<u64>(), width in 1..140u32, one_in in 1..90u64) {
        let map = Bitmap::from_alpha(&random_alpha(width, seed, one_in)).dilated(0.5, 1);
        let loops = contours(&map);
        // A cell counts fully, minus or plus the corner cut off in each of the four squares around it.
        let area: f64 = loops.iter().map(|l| signed_area(l)).sum();
        let bit = |x: isize, y: isize| u8::from(get(&map, x, y));
        let squares = (-1..24).flat_map(|y| (-1..width as isize + 1).map(move |x| (x, y)));
        let expected: f64 = squares.map(|(x, y)| {
            let set = bit(x, y) + bit(x + 1, y) + bit(x, y + 1) + bit(x + 1, y + 1);
            let diagonal = set == 2 && bit(x, y) == bit(x + 1, y + 1);
            if diagonal { 0.75 } else { [0.0, 0.125, 0.5, 0.875, 1.0][set as usize] }
        }).sum();
        assert!((area - expected).abs() < 1e-9, "{area} for {expected}");
    }

    #[test]
    fn simplified_stays_within_tolerance(seed in any::<u64>(), width in 8..140u32, tolerance in 0.3..4.0f64) {
        let map = Bitmap::from_alpha(&random_alpha(width, seed, 60)).dilated(3.3, 4).eroded(1.5);
        for line in contours(&map) {
            check_distance(&line, &simplify(&line, tolerance), tolerance);
        }
    }
}

/// Every run of `from` between two points that `to` kept is near the side that replaces it.
fn check_distance(from: &[Point], to: &[Point], tolerance: f64) {
    assert!(to.len() >= 3);
    for &p in from {
        let nearest = sides(to).map(|(a, b)| distance_to_segment(p, a, b)).fold(f64::INFINITY, f64::min);
        assert!(nearest <= tolerance + 1e-9, "{nearest} from the line");
    }
    let start = from.iter().position(|p| *p == to[0]).unwrap();
    let mut k = start;
    for (a, b) in sides(to) {
        loop {
            let p = from[k % from.len()];
            assert!(distance_to_segment(p, a, b) <= tolerance + 1e-9, "{p:?} leaves {a:?} {b:?}");
            if p == b && k > start {
                break;
            }
            k += 1;
        }
    }
    assert_eq!(k - start, from.len());
}

#[test]
fn stairs_become_straight() {
    // A long slope of one in seven.
    let alpha = {
        let mut alpha = Alpha::new(210, 60);
        for (i, v) in alpha.values_mut().iter_mut().enumerate() {
            *v = u8::from(i / 210 > 10 + (i % 210) / 7);
        }
        alpha
    };
    let loops = contours(&Bitmap::from_alpha(&alpha).dilated(1.0, 2));
    assert_eq!(loops.len(), 1);
    let outline = simplify(&loops[0], 1.0);
    assert!(outline.len() <= 10, "{outline:?}");
}
