//! The canvas (MOC3_FORMAT 4).

/// Size and units of the canvas, section 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Canvas {
    /// Canvas pixels per model unit.
    pub pixels_per_unit: f32,
    /// Canvas pixel, y down, of the model's origin: x.
    pub origin_x: f32,
    /// The same: y.
    pub origin_y: f32,
    /// Width in canvas pixels.
    pub width: f32,
    /// Height in canvas pixels.
    pub height: f32,
    /// Bit 0: stored geometry is y up already. Always 0 in files of the editor; write 0.
    pub flags: u8,
}

impl Canvas {
    /// A canvas with its origin in the middle and its width as the unit, as the editor makes it.
    pub fn centred(width: f32, height: f32) -> Self {
        Self {
            pixels_per_unit: width,
            origin_x: width / 2.0,
            origin_y: height / 2.0,
            width,
            height,
            flags: 0,
        }
    }
    /// Canvas pixels, y down, of a point in the Core's units, y up.
    pub fn to_pixels(&self, point: [f32; 2]) -> [f64; 2] {
        let scale = f64::from(self.pixels_per_unit);
        [
            f64::from(self.origin_x) + f64::from(point[0]) * scale,
            f64::from(self.origin_y) - f64::from(point[1]) * scale,
        ]
    }
    /// The stored (y down) model units of a canvas pixel; for objects without a parent deformer.
    pub fn to_units(&self, pixel: [f64; 2]) -> [f32; 2] {
        let scale = f64::from(self.pixels_per_unit);
        [
            ((pixel[0] - f64::from(self.origin_x)) / scale) as f32,
            ((pixel[1] - f64::from(self.origin_y)) / scale) as f32,
        ]
    }
    /// Stored geometry is y up already: the Core flips nothing.
    pub fn y_up(&self) -> bool {
        self.flags & 1 != 0
    }

    pub(crate) fn decode(bytes: &[u8]) -> Self {
        let values: Vec<f32> =
            bytes.as_chunks().0.iter().take(5).map(|bytes| f32::from_le_bytes(*bytes)).collect();
        let value = |at: usize| values.get(at).copied().unwrap_or_default();
        Self {
            pixels_per_unit: value(0),
            origin_x: value(1),
            origin_y: value(2),
            width: value(3),
            height: value(4),
            flags: bytes.get(20).copied().unwrap_or_default(),
        }
    }
    pub(crate) fn encode(&self, out: &mut [u8]) {
        let values = [self.pixels_per_unit, self.origin_x, self.origin_y, self.width, self.height];
        for (chunk, value) in out.as_chunks_mut().0.iter_mut().zip(values) {
            *chunk = value.to_le_bytes();
        }
        if let Some(flags) = out.get_mut(20) {
            *flags = self.flags;
        }
    }
}
