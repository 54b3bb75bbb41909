//! Mapping through a lattice (MOC3_FORMAT 7.6).

/// A posed lattice.
#[derive(Clone, Debug, Default)]
pub(super) struct WarpMap {
    rows: usize,
    columns: usize,
    bilinear: bool,
    /// Lattice points in model space.
    pub(super) points: Vec<[f64; 2]>,
    /// The parallelogram that fits the corners best: origin and edges.
    frame: [[f64; 2]; 3],
}

/// Outside of this the parallelogram alone counts.
const FAR: std::ops::Range<f64> = -2.0..3.0;

impl WarpMap {
    /// A lattice of `(rows + 1) * (columns + 1)` points.
    pub(super) fn new(rows: usize, columns: usize, bilinear: bool, points: Vec<[f64; 2]>) -> Self {
        let mut map = Self { rows, columns, bilinear, points, ..Self::default() };
        map.fit();
        map
    }
    /// Keeps memory for a later pose; maps nothing.
    pub(super) fn idle(points: Vec<[f64; 2]>) -> Self {
        Self { points, ..Self::default() }
    }

    /// Fits the parallelogram.
    fn fit(&mut self) {
        let (columns, rows) = (self.columns, self.rows);
        let corner = |row: usize, column: usize| self.points[row * (columns + 1) + column];
        let (tl, tr, bl, br) = (corner(0, 0), corner(0, columns), corner(rows, 0), corner(rows, columns));
        for axis in 0..2 {
            let (d1, d2) = (br[axis] - tl[axis], tr[axis] - bl[axis]);
            let centre = (tl[axis] + tr[axis] + bl[axis] + br[axis]) / 4.0;
            self.frame[0][axis] = centre - d1 / 2.0;
            self.frame[1][axis] = (d1 + d2) / 2.0;
            self.frame[2][axis] = (d1 - d2) / 2.0;
        }
    }

    /// Maps lattice coordinates.
    pub(super) fn map(&self, point: [f64; 2]) -> [f64; 2] {
        let mut one = [point];
        self.apply(&mut one);
        one[0]
    }
    /// Maps points in place.
    pub(super) fn apply(&self, points: &mut [[f64; 2]]) {
        if self.bilinear { self.apply_with(points, bilinear) } else { self.apply_with(points, triangles) }
    }
    fn apply_with(&self, points: &mut [[f64; 2]], inside: impl Fn([[f64; 2]; 4], f64, f64) -> [f64; 2]) {
        let (columns, rows, stride) = (self.columns as f64, self.rows as f64, self.columns + 1);
        // A product just below the last node may round up to it.
        let (last_column, last_row) = (self.columns as i32 - 1, self.rows as i32 - 1);
        for point in points {
            let [u, v] = *point;
            if !((0.0..1.0).contains(&u) && (0.0..1.0).contains(&v)) {
                *point = self.map_outside([u, v]);
                continue;
            }
            let (x, y) = (u * columns, v * rows);
            let (column, row) = ((x as i32).min(last_column), (y as i32).min(last_row));
            let at = row as usize * stride + column as usize;
            let (top, bottom) = (&self.points[at..at + 2], &self.points[at + stride..at + stride + 2]);
            let cell = [top[0], top[1], bottom[0], bottom[1]];
            *point = inside(cell, x - f64::from(column), y - f64::from(row));
        }
    }

    #[cold]
    fn map_outside(&self, [u, v]: [f64; 2]) -> [f64; 2] {
        // Also where NaN goes.
        if u > FAR.start && u < FAR.end && v > FAR.start && v < FAR.end {
            self.map_near(u, v)
        } else {
            self.map_far([u, v])
        }
    }

    fn map_far(&self, [u, v]: [f64; 2]) -> [f64; 2] {
        let [origin, x, y] = self.frame;
        [origin[0] + x[0] * u + y[0] * v, origin[1] + x[1] * u + y[1] * v]
    }

    /// In the band between lattice and parallelogram, always by triangles.
    fn map_near(&self, u: f64, v: f64) -> [f64; 2] {
        let (across, down) = (Band::new(u, self.columns), Band::new(v, self.rows));
        let corner = |x: Node, y: Node| match (x.index, y.index) {
            (Some(column), Some(row)) => self.points[row * (self.columns + 1) + column],
            _ => self.map_far([x.at, y.at]),
        };
        let cell = [
            corner(across.low, down.low),
            corner(across.high, down.low),
            corner(across.low, down.high),
            corner(across.high, down.high),
        ];
        triangles(cell, across.fraction, down.fraction)
    }
}

/// A border of a cell: its coordinate, and its lattice line when it is one.
#[derive(Clone, Copy)]
struct Node {
    at: f64,
    index: Option<usize>,
}

/// The cell around one coordinate, with the bands beyond the lattice as cells of width 2.
struct Band {
    low: Node,
    high: Node,
    fraction: f64,
}

impl Band {
    fn new(t: f64, cells: usize) -> Self {
        let node = |index: usize| Node { at: index as f64 / cells as f64, index: Some(index) };
        if t <= 0.0 {
            let low = Node { at: FAR.start, index: None };
            return Self { low, high: node(0), fraction: (t + 2.0) / 2.0 };
        }
        if t >= 1.0 {
            let high = Node { at: FAR.end, index: None };
            return Self { low: node(cells), high, fraction: (t - 1.0) / 2.0 };
        }
        let scaled = t * cells as f64;
        let index = (scaled as usize).min(cells - 1);
        Self { low: node(index), high: node(index + 1), fraction: scaled - index as f64 }
    }
}

fn bilinear([a, b, c, d]: [[f64; 2]; 4], f: f64, g: f64) -> [f64; 2] {
    let (wa, wb, wc, wd) = ((1.0 - f) * (1.0 - g), f * (1.0 - g), (1.0 - f) * g, f * g);
    [wa * a[0] + wb * b[0] + wc * c[0] + wd * d[0], wa * a[1] + wb * b[1] + wc * c[1] + wd * d[1]]
}

fn triangles([a, b, c, d]: [[f64; 2]; 4], f: f64, g: f64) -> [f64; 2] {
    if f + g <= 1.0 {
        let w = 1.0 - f - g;
        [a[0] * w + b[0] * f + c[0] * g, a[1] * w + b[1] * f + c[1] * g]
    } else {
        let (w, wc, wb) = (f + g - 1.0, 1.0 - f, 1.0 - g);
        [d[0] * w + c[0] * wc + b[0] * wb, d[1] * w + c[1] * wc + b[1] * wb]
    }
}
