//! Pairs drawn in one layer: both eyes, both ears, both arms (CONTEXT 1.5, RIG_PRACTICE 10).

use std::collections::VecDeque;

use artwork::components::{self, Component, Components};
use artwork::{Measure, measure, trim};
use geom::IntRect;
use raster::Rgba;

/// What counts as two halves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct SplitRule {
    /// Alpha threshold.
    pub(crate) threshold: u8,
    /// Fewest pixels of the smaller half's main component.
    pub(crate) min_pixels: u64,
    /// Smallest ratio of the two main components.
    pub(crate) ratio: f64,
}

/// One half.
pub(crate) struct Half {
    pub(crate) image: Rgba,
    pub(crate) rect: IntRect,
    pub(crate) measure: Measure,
}

/// The halves of a pair: the character's left (screen right) first. `None` when it does not separate.
///
/// The two largest 8-connected components that lie beside one another, else the largest on each side of `center_x`
/// (canvas px), are the seeds; every other component goes to the seed whose box is nearest, soft pixels to the
/// component they touch. Where faint pixels join the halves, higher thresholds are tried.
pub(crate) fn split(image: &Rgba, rect: IntRect, center_x: f64, rule: SplitRule) -> Option<[Half; 2]> {
    let center = center_x - f64::from(rect.left);
    let (components, [left_seed, right_seed]) =
        [rule.threshold, 64, 160].into_iter().filter(|&t| t >= rule.threshold).find_map(|threshold| {
            let components = components::of_image(image, threshold);
            seeds(&components.list, center, rule).map(|seeds| (components, seeds))
        })?;
    let labels = labels(image, &components, left_seed, right_seed);
    let half = |label: u8| {
        let mut half = image.clone();
        for (pixel, &l) in half.pixels_mut().as_chunks_mut::<4>().0.iter_mut().zip(&labels) {
            if l != label {
                *pixel = [0; 4];
            }
        }
        let (image, rect) = trim(half, rect, rect)?;
        let measure = measure(&image, rect, rule.threshold)?;
        Some(Half { image, rect, measure })
    };
    // Screen right is the character's left.
    let (left, right) = (half(2)?, half(1)?);
    apart(left.measure.bounds, right.measure.bounds).then_some([left, right])
}

/// Indices of the screen-left and the screen-right seed.
fn seeds(list: &[Component], center: f64, rule: SplitRule) -> Option<[usize; 2]> {
    let mut order: Vec<usize> = (0..list.len()).filter(|&i| list[i].pixels >= rule.min_pixels).collect();
    order.sort_by_key(|&i| (std::cmp::Reverse(list[i].pixels), i));
    let ordered =
        |a: usize, b: usize| if list[a].centroid().x <= list[b].centroid().x { [a, b] } else { [b, a] };
    let alike = |a: usize, b: usize| {
        let (small, large) = (list[a].pixels.min(list[b].pixels), list[a].pixels.max(list[b].pixels));
        small as f64 >= rule.ratio * large as f64
    };
    if let [a, b, ..] = order[..]
        && alike(a, b)
        && beside(list[a].bounds, list[b].bounds)
    {
        return Some(ordered(a, b));
    }
    let a = *order.iter().find(|&&i| on_side(&list[i], center, true))?;
    let b = *order.iter().find(|&&i| on_side(&list[i], center, false))?;
    alike(a, b).then_some([a, b])
}

/// The halves share at most a quarter of the narrower one's width: else they were not two things.
fn apart(a: IntRect, b: IntRect) -> bool {
    let common = i64::from(a.right.min(b.right)) - i64::from(a.left.max(b.left));
    common * 4 <= i64::from(a.width().min(b.width()))
}

fn beside(a: IntRect, b: IntRect) -> bool {
    a.right <= b.left || b.right <= a.left
}

/// The component lies left (or right) of the centre but for 15 % of its width.
fn on_side(c: &Component, center: f64, left: bool) -> bool {
    let slack = f64::from(c.bounds.width()) * 0.15;
    if left {
        f64::from(c.bounds.right) - slack <= center
    } else {
        f64::from(c.bounds.left) + slack >= center
    }
}

/// 1 for every pixel of the screen-left half, 2 for the other, 0 for transparent.
fn labels(image: &Rgba, components: &Components, left: usize, right: usize) -> Vec<u8> {
    let list = &components.list;
    let side_of: Vec<u8> = (0..list.len())
        .map(|i| {
            if i == left || i == right {
                return if i == left { 1 } else { 2 };
            }
            let to = |seed: usize| {
                (gap(list[i].bounds, list[seed].bounds), list[i].centroid().distance(list[seed].centroid()))
            };
            if to(left) <= to(right) { 1 } else { 2 }
        })
        .collect();
    let (width, height) = (image.width() as usize, image.height() as usize);
    let mut labels = vec![0u8; width * height];
    let mut queue = VecDeque::new();
    for run in &components.runs {
        for x in run.start..run.end {
            let at = run.y as usize * width + x as usize;
            labels[at] = side_of[run.component as usize];
            queue.push_back(at);
        }
    }
    let alpha = |at: usize| image.pixels()[at * 4 + 3];
    while let Some(at) = queue.pop_front() {
        let (x, y) = (at % width, at / width);
        for ny in y.saturating_sub(1)..=(y + 1).min(height - 1) {
            for nx in x.saturating_sub(1)..=(x + 1).min(width - 1) {
                let next = ny * width + nx;
                if labels[next] == 0 && alpha(next) > 0 {
                    labels[next] = labels[at];
                    queue.push_back(next);
                }
            }
        }
    }
    let middle = (list[left].bounds.right + list[right].bounds.left) as usize / 2;
    for (at, label) in labels.iter_mut().enumerate() {
        if *label == 0 && alpha(at) > 0 {
            *label = if at % width < middle { 1 } else { 2 };
        }
    }
    labels
}

/// Squared gap between two boxes; 0 when they touch or overlap.
fn gap(a: IntRect, b: IntRect) -> i64 {
    let axis = |a0: i32, a1: i32, b0: i32, b1: i32| i64::from((b0 - a1).max(a0 - b1).max(0));
    let (dx, dy) = (axis(a.left, a.right, b.left, b.right), axis(a.top, a.bottom, b.top, b.bottom));
    dx * dx + dy * dy
}
