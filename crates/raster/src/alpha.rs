//! A one-channel image.

use geom::IntRect;

/// Coverage, rows top to bottom, one byte a pixel.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Alpha {
    width: u32,
    height: u32,
    values: Vec<u8>,
}

impl Alpha {
    /// All zero.
    pub fn new(width: u32, height: u32) -> Self {
        Self { width, height, values: vec![0; width as usize * height as usize] }
    }
    /// From its bytes; `None` when their number is not `width * height`.
    pub fn from_values(width: u32, height: u32, values: Vec<u8>) -> Option<Self> {
        (values.len() as u64 == u64::from(width) * u64::from(height)).then_some(Self {
            width,
            height,
            values,
        })
    }
    /// Width in pixels.
    pub fn width(&self) -> u32 {
        self.width
    }
    /// Height in pixels.
    pub fn height(&self) -> u32 {
        self.height
    }
    /// All values, row by row.
    pub fn values(&self) -> &[u8] {
        &self.values
    }
    /// All values, row by row.
    pub fn values_mut(&mut self) -> &mut [u8] {
        &mut self.values
    }
    /// The value at `(x, y)`; 0 outside.
    pub fn get(&self, x: i64, y: i64) -> u8 {
        if x < 0 || y < 0 || x >= i64::from(self.width) || y >= i64::from(self.height) {
            return 0;
        }
        self.values[y as usize * self.width as usize + x as usize]
    }
    /// One row. Panics when `y` is outside.
    pub fn row(&self, y: u32) -> &[u8] {
        &self.values[y as usize * self.width as usize..][..self.width as usize]
    }
    /// Smallest rectangle of the pixels with `value >= threshold`; `None` without any.
    pub fn bounds(&self, threshold: u8) -> Option<IntRect> {
        let mut r: Option<IntRect> = None;
        for y in 0..self.height {
            let row = self.row(y);
            let Some(first) = row.iter().position(|&v| v >= threshold) else { continue };
            let last = row.iter().rposition(|&v| v >= threshold).unwrap_or(first);
            let line = IntRect::new(first as i32, y as i32, last as i32 + 1, y as i32 + 1);
            r = Some(r.map_or(line, |a| a.union(line)));
        }
        r
    }
}
