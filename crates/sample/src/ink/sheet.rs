//! One layer being painted.

use geom::{IntRect, Point};
use psd::Pixels;
use raster::Rgba;

use super::mask::Mask;
use super::paint::{Paint, Shader};
use super::stroke::Stroke;

/// Units to canvas pixels, and the canvas.
#[derive(Clone, Copy, Debug)]
pub(crate) struct View {
    /// Pixels per unit.
    pub(crate) scale: f64,
    /// Canvas position of the unit origin.
    pub(crate) origin: Point,
    /// Extra scale of the units before that, for a body of other proportions, about `fixed_y`.
    pub(crate) stretch: (f64, f64),
    /// The height that `stretch` leaves alone.
    pub(crate) fixed_y: f64,
    /// Canvas.
    pub(crate) canvas: IntRect,
}

impl View {
    /// Canvas position of a point.
    pub(crate) fn map(&self, p: Point) -> Point {
        let y = self.fixed_y + (p.y - self.fixed_y) * self.stretch.1;
        Point::new(self.origin.x + p.x * self.stretch.0 * self.scale, self.origin.y + y * self.scale)
    }
}

/// A growing premultiplied image. Shapes are in the units of its view.
pub(crate) struct Sheet {
    view: View,
    rect: IntRect,
    pixels: Vec<[f32; 4]>,
}

/// How paint meets what is there.
#[derive(Clone, Copy, PartialEq)]
enum Mode {
    Over,
    Multiply,
}

impl Sheet {
    pub(crate) fn new(view: View) -> Self {
        Self { view, rect: IntRect::default(), pixels: Vec::new() }
    }
    /// Coverage of an outline.
    pub(crate) fn mask(&self, outline: &[Point]) -> Mask {
        let p: Vec<Point> = outline.iter().map(|&q| self.view.map(q)).collect();
        Mask::of_outline(&p, self.view.canvas)
    }
    /// Coverage of an outline with an edge softened over about `soft` units.
    pub(crate) fn soft(&self, outline: &[Point], soft: f64) -> Mask {
        self.mask(outline).blurred(soft * self.view.scale, self.view.canvas)
    }
    /// Coverage of a line.
    pub(crate) fn line(&self, stroke: &Stroke) -> Mask {
        Mask::of_pieces(&stroke.pieces(|q| self.view.map(q), self.view.scale), self.view.canvas)
    }
    /// Paints an area.
    pub(crate) fn fill(&mut self, mask: &Mask, paint: impl Into<Paint>) {
        self.compose(mask, None, &paint.into(), Mode::Over);
    }
    /// Paints an area inside another.
    pub(crate) fn fill_in(&mut self, clip: &Mask, mask: &Mask, paint: impl Into<Paint>) {
        self.compose(mask, Some(clip), &paint.into(), Mode::Over);
    }
    /// Darkens what is there, inside `clip`.
    pub(crate) fn shade_in(&mut self, clip: &Mask, mask: &Mask, paint: impl Into<Paint>) {
        self.compose(mask, Some(clip), &paint.into(), Mode::Multiply);
    }
    /// Paints a line.
    pub(crate) fn ink(&mut self, stroke: &Stroke, paint: impl Into<Paint>) {
        let mask = self.line(stroke);
        self.fill(&mask, paint);
    }
    /// Paints a line inside an area.
    pub(crate) fn ink_in(&mut self, clip: &Mask, stroke: &Stroke, paint: impl Into<Paint>) {
        let mask = self.line(stroke);
        self.fill_in(clip, &mask, paint);
    }
    /// The picture cut to its visible pixels; `None` when there are none.
    pub(crate) fn finish(self) -> Option<Pixels> {
        let (w, h) = (self.rect.width(), self.rect.height());
        let mut image = Rgba::new(w, h);
        for (out, p) in image.pixels_mut().chunks_exact_mut(4).zip(&self.pixels) {
            let a = (p[3] * 255.0 + 0.5) as u8;
            if a > 0 {
                for c in 0..3 {
                    out[c] = (p[c] / p[3] * 255.0 + 0.5).clamp(0.0, 255.0) as u8;
                }
                out[3] = a;
            }
        }
        let b = image.opaque_bounds(1)?;
        let (dx, dy) = (self.rect.left, self.rect.top);
        let rect = IntRect::new(b.left + dx, b.top + dy, b.right + dx, b.bottom + dy);
        Some(Pixels { rect, image: image.crop(b) })
    }
    fn compose(&mut self, mask: &Mask, clip: Option<&Mask>, paint: &Paint, mode: Mode) {
        let whole = clip.map_or(mask.rect, |c| mask.rect.intersection(&c.rect).unwrap_or_default());
        let area = if mode == Mode::Over {
            self.grow(whole);
            whole
        } else {
            whole.intersection(&self.rect).unwrap_or_default()
        };
        if area.is_empty() {
            return;
        }
        let view = self.view;
        let shader = Shader::new(paint, &|p| view.map(p));
        let (stride, width) = (self.rect.width() as usize, area.width() as usize);
        for y in area.top..area.bottom {
            let start = (y - self.rect.top) as usize * stride + (area.left - self.rect.left) as usize;
            let row = &mut self.pixels[start..start + width];
            let cover = mask.row(y, area.left, width);
            let clip = clip.map(|c| c.row(y, area.left, width));
            for (i, dst) in row.iter_mut().enumerate() {
                let cover = clip.map_or(cover[i], |c| cover[i] * c[i]);
                if cover > 0.0 {
                    let src = shader.at(area.left + i as i32, y);
                    blend(dst, src, cover * src[3], mode);
                }
            }
        }
    }
    /// Makes sure that `need` lies inside the image.
    fn grow(&mut self, need: IntRect) {
        if need.is_empty() || self.rect.union(need) == self.rect {
            return;
        }
        let rect = self.rect.union(need);
        let (w, old) = (rect.width() as usize, self.rect.width() as usize);
        let mut pixels = vec![[0.0; 4]; w * rect.height() as usize];
        if old > 0 {
            let dx = (self.rect.left - rect.left) as usize;
            for (y, row) in self.pixels.chunks_exact(old).enumerate() {
                let start = (y + (self.rect.top - rect.top) as usize) * w + dx;
                pixels[start..start + old].copy_from_slice(row);
            }
        }
        (self.rect, self.pixels) = (rect, pixels);
    }
}

/// `a` is the opacity of the paint here; `dst` is premultiplied.
fn blend(dst: &mut [f32; 4], src: [f32; 4], a: f32, mode: Mode) {
    match mode {
        Mode::Over => {
            for c in 0..3 {
                dst[c] = src[c] * a + dst[c] * (1.0 - a);
            }
            dst[3] = a + dst[3] * (1.0 - a);
        }
        Mode::Multiply => {
            for c in 0..3 {
                dst[c] *= 1.0 - a * (1.0 - src[c]);
            }
        }
    }
}
