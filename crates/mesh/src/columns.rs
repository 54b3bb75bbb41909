//! Strips of vertical columns.

use geom::{Point, maths};
use raster::Alpha;
use serde::{Deserialize, Serialize};

use crate::error::within;
use crate::grid::{cells, fit};
use crate::{Error, Mesh};

/// Settings of [`columns`]. Lengths are in pixels of the raster.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ColumnSettings {
    /// Cells across, at least 1.
    pub columns: usize,
    /// Cells down, at least 1.
    pub rows: usize,
    /// The strip covers every visible pixel's square grown by this on all sides, 1..=64.
    pub margin: f64,
    /// Tilt of the head in radians, clockwise on screen: columns are vertical once the art is turned back by it.
    pub angle: f64,
}

impl Default for ColumnSettings {
    fn default() -> Self {
        Self { columns: 16, rows: 4, margin: 2.0, angle: 0.0 }
    }
}

/// A regular strip: vertex `row * (columns + 1) + column`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ColumnMesh {
    /// The triangles; every one has an edge along a column line.
    pub mesh: Mesh,
    /// Cells across; there is one column line more.
    pub columns: usize,
    /// Cells down; there is one row line more.
    pub rows: usize,
}

impl ColumnMesh {
    /// Column line of a vertex, 0 (left) to `columns` (right), in the aligned frame.
    pub fn column(&self, vertex: usize) -> usize {
        vertex % (self.columns + 1)
    }
    /// Row line of a vertex, 0 (top) to `rows` (bottom).
    pub fn row(&self, vertex: usize) -> usize {
        vertex / (self.columns + 1)
    }
    /// Place of a vertex between the top (0) and the bottom (1) of its column line.
    pub fn fraction(&self, vertex: usize) -> f64 {
        self.row(vertex) as f64 / self.rows as f64
    }
    /// The vertex at a row line and a column line.
    pub fn vertex(&self, row: usize, column: usize) -> usize {
        row * (self.columns + 1) + column
    }
}

/// A strip of columns, vertical in the frame turned by `settings.angle`, from the top to the bottom of what is visible
/// near each column line: covers every pixel with alpha > 0 and the margin around it. Gaps are bridged. Moving the
/// vertices of a column line along it without changing their order flips no triangle (RIG_PRACTICE "Meshes").
///
/// The cell counts are lowered where there would be more than 65534 vertices.
///
/// Errors: [`Error::Empty`], [`Error::Setting`].
pub fn columns(alpha: &Alpha, settings: &ColumnSettings) -> Result<ColumnMesh, Error> {
    within("columns", settings.columns as f64, 1.0, 32_766.0, "within 1..=32766")?;
    within("rows", settings.rows as f64, 1.0, 32_766.0, "within 1..=32766")?;
    within("margin", settings.margin, 1.0, 64.0, "within 1..=64 pixels")?;
    within("angle", settings.angle, -1e6, 1e6, "a finite angle in radians")?;
    let (columns, rows) = fit(settings.columns, settings.rows);
    let frame = Frame { sin: maths::sin(settings.angle), cos: maths::cos(settings.angle) };
    let runs = runs(alpha, settings.margin, &frame);
    let left = runs.iter().flatten().map(|p| p.x).min_by(f64::total_cmp).ok_or(Error::Empty)?;
    let right = runs.iter().flatten().map(|p| p.x).max_by(f64::total_cmp).ok_or(Error::Empty)?;
    let strips = Strips { left, width: (right - left) / columns as f64, count: columns };
    let lines = bridged(&line_extents(&strips.extents(&runs)));
    let vertices = (0..=rows)
        .flat_map(|row| lines.iter().enumerate().map(move |(column, line)| (row, column, line)))
        .map(|(row, column, &(top, bottom))| {
            let y = top + (bottom - top) * (row as f64 / rows as f64);
            frame.to_raster(Point::new(strips.line(column), y))
        })
        .collect();
    Ok(ColumnMesh { mesh: Mesh::new(vertices, cells(columns, rows)), columns, rows })
}

/// The aligned frame: the raster turned about its origin.
struct Frame {
    sin: f64,
    cos: f64,
}

impl Frame {
    fn to_aligned(&self, p: Point) -> Point {
        Point::new(self.cos * p.x + self.sin * p.y, self.cos * p.y - self.sin * p.x)
    }
    fn to_raster(&self, p: Point) -> Point {
        Point::new(self.cos * p.x - self.sin * p.y, self.cos * p.y + self.sin * p.x)
    }
}

/// Aligned corners of the grown rectangle of every horizontal run of visible pixels.
fn runs(alpha: &Alpha, margin: f64, frame: &Frame) -> Vec<[Point; 4]> {
    let mut runs = Vec::new();
    for y in 0..alpha.height() {
        let row = alpha.row(y);
        let mut x = 0;
        while let Some(skip) = row[x..].iter().position(|&v| v > 0) {
            let from = x + skip;
            x = from + row[from..].iter().position(|&v| v == 0).unwrap_or(row.len() - from);
            let (left, right) = (from as f64 - margin, x as f64 + margin);
            let (top, bottom) = (f64::from(y) - margin, f64::from(y) + 1.0 + margin);
            let corners = geom::Rect::new(left, top, right, bottom).corners();
            runs.push(corners.map(|p| frame.to_aligned(p)));
        }
    }
    runs
}

/// The cells across.
struct Strips {
    left: f64,
    width: f64,
    count: usize,
}

/// Top and bottom in the aligned frame; `None` where nothing is visible.
type Extent = Option<(f64, f64)>;

impl Strips {
    /// x of column line `i`.
    fn line(&self, i: usize) -> f64 {
        self.left + self.width * i as f64
    }

    /// Extent of the runs in every cell.
    fn extents(&self, runs: &[[Point; 4]]) -> Vec<Extent> {
        let mut extents = vec![None; self.count];
        for run in runs {
            for k in 0..4 {
                self.add_side(&mut extents, run[k], run[(k + 1) % 4]);
            }
        }
        extents
    }

    fn add_side(&self, extents: &mut [Extent], a: Point, b: Point) {
        let (a, b) = if a.x <= b.x { (a, b) } else { (b, a) };
        let cell = |x: f64| (((x - self.left) / self.width).max(0.0) as usize).min(self.count - 1);
        // One cell more on both sides, against rounding; clamping makes it harmless.
        let (first, last) = (cell(a.x), cell(b.x));
        for (i, extent) in extents.iter_mut().enumerate().take(last + 1).skip(first) {
            for x in [self.line(i).clamp(a.x, b.x), self.line(i + 1).clamp(a.x, b.x)] {
                let t = if b.x > a.x { (x - a.x) / (b.x - a.x) } else { 0.0 };
                let y = a.y + (b.y - a.y) * t;
                *extent = union(union(*extent, Some((y, y))), (b.x <= a.x).then_some((b.y, b.y)));
            }
        }
    }
}

/// Extent of every column line: of the cells on both sides of it.
fn line_extents(cells: &[Extent]) -> Vec<Extent> {
    let cell = |i: Option<usize>| i.and_then(|i| cells.get(i).copied().flatten());
    (0..=cells.len()).map(|i| union(cell(i.checked_sub(1)), cell(Some(i)))).collect()
}

fn union(a: Extent, b: Extent) -> Extent {
    match (a, b) {
        (Some(a), Some(b)) => Some((a.0.min(b.0), a.1.max(b.1))),
        (one, other) => one.or(other),
    }
}

/// Lines without an extent lie on the straight way between their neighbours'.
fn bridged(lines: &[Extent]) -> Vec<(f64, f64)> {
    let known: Vec<(usize, (f64, f64))> =
        lines.iter().enumerate().filter_map(|(i, e)| e.map(|e| (i, e))).collect();
    let at = |i: usize| {
        let after = known.partition_point(|k| k.0 < i).min(known.len() - 1);
        let before = if known[after].0 == i { after } else { after.saturating_sub(1) };
        let ((i0, a), (i1, b)) = (known[before], known[after]);
        let t = if i1 > i0 { (i - i0) as f64 / (i1 - i0) as f64 } else { 0.0 };
        (maths::lerp(a.0, b.0, t), maths::lerp(a.1, b.1, t))
    };
    (0..lines.len()).map(at).collect()
}
