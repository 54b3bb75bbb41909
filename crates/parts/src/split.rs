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
    let half = |label: u8| half(image, rect, &labels, label, rule.threshold);
    // Screen right is the character's left.
    let (left, right) = (half(2)?, half(1)?);
    apart(left.measure.bounds, right.measure.bounds).then_some([left, right])
}

/// The pixels of one label.
fn half(image: &Rgba, rect: IntRect, labels: &[u8], label: u8, threshold: u8) -> Option<Half> {
    let width = image.width() as usize;
    let mut tight = IntRect::default();
    for (y, row) in labels.chunks_exact(width).enumerate() {
        let Some(first) = row.iter().position(|&l| l == label) else { continue };
        let last = row.iter().rposition(|&l| l == label).unwrap_or(first);
        tight = tight.union(IntRect::new(first as i32, y as i32, last as i32 + 1, y as i32 + 1));
    }
    let mut half = image.crop(tight);
    let own = |y: usize| &labels[(tight.top as usize + y) * width + tight.left as usize..];
    let stride = half.width() as usize * 4;
    if stride == 0 {
        return None;
    }
    for (y, row) in half.pixels_mut().chunks_exact_mut(stride).enumerate() {
        for (pixel, &l) in row.as_chunks_mut::<4>().0.iter_mut().zip(own(y)) {
            if l != label {
                *pixel = [0; 4];
            }
        }
    }
    let on_canvas = |edge: i32, origin: i32| edge.saturating_add(origin);
    let placed = IntRect::new(
        on_canvas(tight.left, rect.left),
        on_canvas(tight.top, rect.top),
        on_canvas(tight.right, rect.left),
        on_canvas(tight.bottom, rect.top),
    );
    let (image, rect) = trim(half, placed, placed)?;
    let measure = measure(&image, rect, threshold)?;
    Some(Half { image, rect, measure })
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
    let width = image.width() as usize;
    let mut labels = vec![0u8; width * image.height() as usize];
    for run in &components.runs {
        let start = run.y as usize * width;
        labels[start + run.start as usize..start + run.end as usize].fill(side_of[run.component as usize]);
    }
    spread(image, &mut labels);
    let middle = (list[left].bounds.right + list[right].bounds.left) as usize / 2;
    let pixels = image.pixels().as_chunks::<4>().0;
    for (at, label) in labels.iter_mut().enumerate() {
        if *label == 0 && pixels[at][3] > 0 {
            *label = if at % width < middle { 1 } else { 2 };
        }
    }
    labels
}

/// Spreads labels over the faint pixels that touch labelled ones, nearest first.
fn spread(image: &Rgba, labels: &mut [u8]) {
    let pixels = image.pixels().as_chunks::<4>().0;
    let (width, height) = (image.width() as usize, image.height() as usize);
    let around = |at: usize| {
        let (x, y) = (at % width, at / width);
        let rows = y.saturating_sub(1)..=(y + 1).min(height - 1);
        rows.flat_map(move |ny| (x.saturating_sub(1)..=(x + 1).min(width - 1)).map(move |nx| ny * width + nx))
    };
    let faint = |labels: &[u8], at: usize| labels[at] == 0 && pixels[at][3] > 0;
    let mut queue: VecDeque<usize> =
        (0..labels.len()).filter(|&at| faint(labels, at) && around(at).any(|n| labels[n] > 0)).collect();
    // Each waits in the queue with the label of its first labelled neighbour.
    let first: Vec<u8> =
        queue.iter().map(|&at| around(at).map(|n| labels[n]).find(|&l| l > 0).unwrap_or(0)).collect();
    for (&at, label) in queue.iter().zip(first) {
        labels[at] = label;
    }
    while let Some(at) = queue.pop_front() {
        for next in around(at) {
            if faint(labels, next) {
                labels[next] = labels[at];
                queue.push_back(next);
            }
        }
    }
}

/// Squared gap between two boxes; 0 when they touch or overlap.
fn gap(a: IntRect, b: IntRect) -> i64 {
    let axis = |a0: i32, a1: i32, b0: i32, b1: i32| i64::from((b0 - a1).max(a0 - b1).max(0));
    let (dx, dy) = (axis(a.left, a.right, b.left, b.right), axis(a.top, a.bottom, b.top, b.bottom));
    dx * dx + dy * dy
}
