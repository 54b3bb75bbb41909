//! 8-connected components of a mask, by runs.

use geom::IntRect;

use crate::measure::{Measure, moved};

/// One component.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Component {
    /// Its box, image px.
    pub bounds: IntRect,
    /// Number of its pixels.
    pub pixels: u64,
    /// Sum of the x indices of its pixels.
    pub sum_x: u64,
    /// Sum of the y indices of its pixels.
    pub sum_y: u64,
}

impl Component {
    /// Mean of its pixel indices.
    pub fn centroid(&self) -> geom::Point {
        let n = self.pixels.max(1) as f64;
        geom::Point::new(self.sum_x as f64 / n, self.sum_y as f64 / n)
    }
}

/// A horizontal run of pixels of one component.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    /// Row.
    pub y: u32,
    /// First pixel.
    pub start: u32,
    /// One past the last pixel.
    pub end: u32,
    /// Index into [`Components::list`].
    pub component: u32,
}

/// All components of a mask.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Components {
    /// In the order of their first pixel, row by row.
    pub list: Vec<Component>,
    /// Runs row by row, left to right.
    pub runs: Vec<Run>,
}

impl Components {
    /// The measure of all components together, for an image lying at `rect`; `None` without any.
    pub fn measure(&self, rect: IntRect) -> Option<Measure> {
        let bounds = self.list.iter().fold(IntRect::default(), |all, c| all.union(c.bounds));
        let sum = |of: fn(&Component) -> u64| self.list.iter().map(|c| u128::from(of(c))).sum::<u128>();
        let count = sum(|c| c.pixels);
        (count > 0).then(|| Measure {
            bounds: moved(bounds, rect.left, rect.top),
            centroid: geom::Point::new(
                f64::from(rect.left) + sum(|c| c.sum_x) as f64 / count as f64,
                f64::from(rect.top) + sum(|c| c.sum_y) as f64 / count as f64,
            ),
            opaque_pixels: count as u64,
        })
    }
}

/// The 8-connected components of the pixels with alpha >= `threshold` (at least 1).
pub fn of_image(image: &raster::Rgba, threshold: u8) -> Components {
    let threshold = threshold.max(1);
    let mut runs: Vec<Run> = Vec::new();
    let mut parents: Vec<u32> = Vec::new();
    let mut previous = 0..0;
    for y in 0..image.height() {
        let first = runs.len();
        push_runs(&mut runs, &mut parents, image.row(y), y, threshold);
        link_rows(&runs, &mut parents, previous, first..runs.len());
        previous = first..runs.len();
    }
    collect(runs, &mut parents)
}

fn push_runs(runs: &mut Vec<Run>, parents: &mut Vec<u32>, row: &[u8], y: u32, threshold: u8) {
    let pixels = row.as_chunks::<4>().0;
    let mut x = 0;
    while x < pixels.len() {
        if pixels[x][3] < threshold {
            x += 1;
            continue;
        }
        let start = x;
        while x < pixels.len() && pixels[x][3] >= threshold {
            x += 1;
        }
        let label = parents.len() as u32;
        parents.push(label);
        runs.push(Run { y, start: start as u32, end: x as u32, component: label });
    }
}

/// Unites the runs of two neighbouring rows that touch, corners included.
fn link_rows(runs: &[Run], parents: &mut [u32], above: std::ops::Range<usize>, here: std::ops::Range<usize>) {
    let mut a = above.start;
    for h in here {
        while a < above.end && runs[a].end < runs[h].start {
            a += 1;
        }
        let mut k = a;
        while k < above.end && runs[k].start <= runs[h].end {
            unite(parents, k as u32, h as u32);
            k += 1;
        }
    }
}

fn root(parents: &mut [u32], mut i: u32) -> u32 {
    while parents[i as usize] != i {
        parents[i as usize] = parents[parents[i as usize] as usize];
        i = parents[i as usize];
    }
    i
}

fn unite(parents: &mut [u32], a: u32, b: u32) {
    let (a, b) = (root(parents, a), root(parents, b));
    let (low, high) = (a.min(b), a.max(b));
    parents[high as usize] = low;
}

fn collect(mut runs: Vec<Run>, parents: &mut [u32]) -> Components {
    let mut list: Vec<Component> = Vec::new();
    let mut index = vec![u32::MAX; parents.len()];
    for run in &mut runs {
        let label = root(parents, run.component);
        if index[label as usize] == u32::MAX {
            index[label as usize] = list.len() as u32;
            list.push(Component { bounds: IntRect::default(), pixels: 0, sum_x: 0, sum_y: 0 });
        }
        run.component = index[label as usize];
        let c = &mut list[run.component as usize];
        let n = u64::from(run.end - run.start);
        let line = IntRect::new(run.start as i32, run.y as i32, run.end as i32, run.y as i32 + 1);
        c.bounds = c.bounds.union(line);
        c.pixels += n;
        c.sum_x += n * u64::from(run.start + run.end - 1) / 2;
        c.sum_y += n * u64::from(run.y);
    }
    Components { list, runs }
}
