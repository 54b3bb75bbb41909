//! The steps of the outline against their plain definitions.

use std::collections::BTreeSet;

use geom::Point;
use proptest::prelude::{ProptestConfig, any, proptest};
use raster::Alpha;

use crate::bitmap::Bitmap;
use crate::constrained::constrained;
use crate::contour::{contours, signed_area};
use crate::exact::{REACH, Site, cross, distance2, in_circle};
use crate::outline::sides;
use crate::refine::refine;
use crate::simplify::{distance_to_segment, simplify};
use crate::triangulation::{Edge, NONE, Triangulation};

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
        let signs: f64 = loops.iter().map(|l| signed_area(l).signum()).sum();
        assert_eq!(map.islands_less_holes() as f64, signs);
    }

    #[test]
    fn triangles_are_constrained_delaunay(seed in any::<u64>(), inner in 0..60usize, size in 5..2000i64) {
        let (sites, lengths) = random_loops(seed, inner, size);
        if let Some(all) = constrained(&sites, &lengths) {
            check_triangulation(&all, &sites, &lengths);
        }
    }

    #[test]
    fn refined_triangles_are_not_thin(seed in any::<u64>(), inner in 0..60usize) {
        let (sites, lengths) = random_loops(seed, inner, 200_000);
        if let Some(mut all) = constrained(&sites, &lengths) {
            let area = doubled_area(&all);
            // An angle of 20.7 degrees, for which Ruppert's algorithm is proven to end.
            let ratio = std::f64::consts::SQRT_2;
            assert!(refine(&mut all, ratio, 20_000), "too many sites");
            check_neighbours(&all);
            for e in (0..all.edges.len() as u32).step_by(3) {
                let [a, b, c] = all.corners(e);
                let lengths2 = [distance2(a, b), distance2(b, c), distance2(c, a)];
                let doubled = cross(a, b, c) as f64;
                let radius2 = lengths2.iter().product::<f64>() / (4.0 * doubled * doubled);
                let shortest2 = lengths2.into_iter().fold(f64::INFINITY, f64::min);
                assert!(radius2 <= shortest2 * ratio * ratio * 1.0001, "triangle {e} is thin");
            }
            // Rounded sites of the border shift its sides by up to half a step.
            assert!((doubled_area(&all) - area).abs() < 1_000_000_000, "{} was {area}", doubled_area(&all));
        }
    }

    #[test]
    fn simplified_stays_within_tolerance(seed in any::<u64>(), width in 8..140u32, tolerance in 0.3..4.0f64) {
        let map = Bitmap::from_alpha(&random_alpha(width, seed, 60)).dilated(3.3, 4).eroded(1.5);
        for line in contours(&map) {
            check_distance(&line, &simplify(&line, tolerance), tolerance);
        }
    }
}

/// A square with a square hole in it, both on random grounds, and points between, duplicates among them when small.
fn random_loops(seed: u64, inner: usize, size: i64) -> (Vec<Site>, [usize; 2]) {
    let mut state = seed | 1;
    let mut below = |n: i64| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        ((state >> 20) % n as u64) as i64
    };
    let mut sites = Vec::new();
    for (low, high) in [(0, 9 * size), (3 * size, 6 * size)] {
        let corners = [(low, low), (high, low), (high, high), (low, high)];
        sites.extend(corners.map(|(x, y)| Site { x: x + below(size), y: y + below(size) }));
    }
    sites[4..].reverse();
    for _ in 0..inner {
        // Above the hole.
        sites.push(Site { x: size + below(7 * size), y: size + below(2 * size) });
    }
    (sites, [4, 4])
}

fn doubled_area(all: &Triangulation) -> i64 {
    let areas = all.edges.as_chunks::<3>().0.iter().map(|t| {
        let [a, b, c] = [0, 1, 2].map(|k: usize| all.at(t[k].from));
        assert!(cross(a, b, c) > 0, "a flat triangle");
        cross(a, b, c)
    });
    areas.sum()
}

/// Neighbours share an edge, and no circle through a triangle contains the apex beyond an edge that is not fixed.
fn check_neighbours(all: &Triangulation) {
    for e in 0..all.edges.len() as u32 {
        let Edge { twin, fixed, .. } = all.edges[e as usize];
        assert_eq!(twin == NONE, fixed, "the border is what is fixed");
        if twin != NONE {
            assert_eq!((all.from(e), all.to(e)), (all.to(twin), all.from(twin)));
            let [a, b, c] = all.corners(e);
            assert!(!in_circle(a, b, c, all.at(all.apex(twin))), "edge {e} is not Delaunay");
        }
    }
}

fn check_triangulation(all: &Triangulation, sites: &[Site], lengths: &[usize]) {
    check_neighbours(all);
    let mut around = 0;
    let mut first = 0;
    let border: BTreeSet<[(i64, i64); 2]> = all
        .border()
        .iter()
        .flat_map(|l| (0..l.len()).map(|k| [l[k], l[(k + 1) % l.len()]].map(|i| (all.at(i).x, all.at(i).y))))
        .collect();
    for &length in lengths {
        for k in 0..length {
            let (a, b) = (sites[first + k], sites[first + (k + 1) % length]);
            around += a.x * b.y - a.y * b.x;
            assert!(border.contains(&[(a.x, a.y), (b.x, b.y)]), "a side is no edge of the border");
        }
        first += length;
    }
    assert_eq!(doubled_area(all), around);
    assert_eq!(border.len(), sites.len().min(8));
}

#[test]
fn circles_are_exact() {
    let site = |x: i64, y: i64| Site { x, y };
    let far = REACH / 8;
    // A square has all four corners on one circle; a step inwards is inside, whatever the size.
    for (size, shift) in [(1, 0), (1000, far), (far, 0), (far - 1, -far)] {
        let [a, b, c] = [(0, 0), (size, 0), (size, size)].map(|(x, y)| site(x + shift, y + shift));
        for (d, expected) in
            [((0, size), false), ((1, size - 1), size > 1), ((-1, size), false), ((0, size + 1), false)]
        {
            assert_eq!(in_circle(a, b, c, site(d.0 + shift, d.1 + shift)), expected, "{size} {d:?}");
        }
    }
}

#[test]
fn what_crosses_or_touches_is_refused() {
    type Case<'a> = (&'a str, &'a [(i64, i64)], bool);
    let site = |(x, y): (i64, i64)| Site { x, y };
    let square = [(0, 0), (100, 0), (100, 100), (0, 100)];
    let cases: [Case<'_>; 5] = [
        ("nothing else", &[], true),
        ("a hole", &[(40, 40), (40, 60), (60, 60)], true),
        ("a hole that crosses", &[(40, 40), (40, 160), (60, 60)], false),
        ("a hole that touches", &[(40, 40), (40, 60), (100, 50)], false),
        ("a corner twice", &[(40, 40), (40, 60), (100, 100)], false),
    ];
    for (name, hole, fine) in cases {
        let sites: Vec<Site> = square.iter().chain(hole).map(|&p| site(p)).collect();
        let lengths = if hole.is_empty() { vec![4] } else { vec![4, hole.len()] };
        assert_eq!(constrained(&sites, &lengths).is_some(), fine, "{name}");
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
