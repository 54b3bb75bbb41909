//! A plain rectangle of cells.

use geom::{Point, Rect};

use crate::Mesh;

/// A grid of `cols` x `rows` cells over a raster of `width` x `height` pixels and `margin` pixels around it. Vertex
/// `row * (cols + 1) + col`. Cell counts are at least 1 and are lowered together where there would be more than 65534
/// vertices.
pub fn grid(width: u32, height: u32, cols: usize, rows: usize, margin: f64) -> Mesh {
    let raster = Rect::new(0.0, 0.0, f64::from(width), f64::from(height));
    grid_over(raster, cols, rows, margin)
}

/// [`grid`] over any rectangle.
pub(crate) fn grid_over(rect: Rect, cols: usize, rows: usize, margin: f64) -> Mesh {
    let (cols, rows) = fit(cols, rows);
    let margin = if margin.is_finite() { margin.max(0.0) } else { 0.0 };
    let frame = Rect::new(rect.left - margin, rect.top - margin, rect.right + margin, rect.bottom + margin);
    let line =
        |row: usize| (0..=cols).map(move |col| frame.at(col as f64 / cols as f64, row as f64 / rows as f64));
    let vertices: Vec<Point> = (0..=rows).flat_map(line).collect();
    Mesh::new(vertices, cells(cols, rows))
}

/// The triangles of a grid of cells, row by row: vertex `row * (cols + 1) + col`, clockwise on screen.
pub(crate) fn cells(cols: usize, rows: usize) -> Vec<[u32; 3]> {
    let stride = cols as u32 + 1;
    let mut triangles = Vec::with_capacity(cols * rows * 2);
    for row in 0..rows as u32 {
        for col in 0..cols as u32 {
            let a = row * stride + col;
            let (b, c, d) = (a + 1, a + stride + 1, a + stride);
            triangles.push([a, b, c]);
            triangles.push([a, c, d]);
        }
    }
    triangles
}

/// At least one cell each way and below 65535 vertices.
pub(crate) fn fit(cols: usize, rows: usize) -> (usize, usize) {
    let (mut cols, mut rows) = (cols.clamp(1, 32_766), rows.clamp(1, 32_766));
    while (cols + 1) * (rows + 1) > 65_534 {
        cols = (cols * 7 / 8).max(1);
        rows = (rows * 7 / 8).max(1);
    }
    (cols, rows)
}
