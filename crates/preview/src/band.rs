//! A few rows of the picture: everything drawn in order.

use std::ops::Range;

use moc3::blend::BlendMode;

use crate::mesh::Mesh;

/// A posed drawable, back to front in a list of these.
pub(crate) struct Item {
    /// Number of its mesh.
    pub(crate) mesh: usize,
    pub(crate) opacity: f32,
    pub(crate) multiply: [f32; 3],
    pub(crate) screen: [f32; 3],
    pub(crate) blend: BlendMode,
    /// Number of the set of meshes that clip it, and whether they show the outside.
    pub(crate) mask: Option<(usize, bool)>,
}

/// Everything there is to draw.
pub(crate) struct Stage<'a> {
    /// By drawable; `None` for those that nothing needs.
    pub(crate) meshes: Vec<Option<Mesh<'a>>>,
    pub(crate) items: Vec<Item>,
    /// Sets of mesh numbers.
    pub(crate) masks: Vec<Vec<usize>>,
    pub(crate) width: i32,
}

impl Stage<'_> {
    /// Draws some rows: straight RGBA bytes.
    pub(crate) fn rows(&self, rows: Range<i32>) -> Vec<u8> {
        let pixels = self.width as usize * rows.len();
        let mut target = vec![[0.0f32; 4]; pixels];
        let mut masks: Vec<Option<Vec<f32>>> = vec![None; self.masks.len()];
        for item in &self.items {
            let Some(mesh) = &self.meshes[item.mesh] else { continue };
            if mesh.rows.start >= rows.end || mesh.rows.end <= rows.start {
                continue;
            }
            let mask = item.mask.map(|(set, inverted)| {
                let hidden = masks[set].get_or_insert_with(|| self.hidden(set, &rows));
                (hidden.as_slice(), inverted)
            });
            let brush = Brush { item, mask, rows: &rows, width: self.width };
            match item.blend {
                BlendMode::Normal => brush.paint(mesh, &mut target, normal),
                BlendMode::Additive => brush.paint(mesh, &mut target, additive),
                BlendMode::Multiplicative => brush.paint(mesh, &mut target, multiplicative),
            }
        }
        target.into_iter().flat_map(straight).collect()
    }
    /// How much of each pixel the united masks leave hidden, 0..=1. A mask's own opacity does not count.
    fn hidden(&self, set: usize, rows: &Range<i32>) -> Vec<f32> {
        let mut out = vec![1.0f32; self.width as usize * rows.len()];
        for mesh in self.masks[set].iter().filter_map(|&i| self.meshes[i].as_ref()) {
            mesh.each(rows, self.width, |y, x, color| {
                out[(y - rows.start) as usize * self.width as usize + x as usize] *= 1.0 - color[3];
            });
        }
        out
    }
}

/// Straight bytes of a premultiplied pixel.
fn straight(p: [f32; 4]) -> [u8; 4] {
    let a = p[3].clamp(0.0, 1.0);
    let byte = |v: f32| (v.clamp(0.0, 1.0) * 255.0 + 0.5) as u8;
    if byte(a) == 0 { [0; 4] } else { [byte(p[0] / a), byte(p[1] / a), byte(p[2] / a), byte(a)] }
}

struct Brush<'a> {
    item: &'a Item,
    mask: Option<(&'a [f32], bool)>,
    rows: &'a Range<i32>,
    width: i32,
}

impl Brush<'_> {
    /// `blend` takes what is there and a premultiplied colour.
    #[inline(always)]
    fn paint(&self, mesh: &Mesh<'_>, target: &mut [[f32; 4]], blend: impl Fn(&mut [f32; 4], [f32; 4])) {
        let Item { opacity, multiply, screen, .. } = *self.item;
        let plain = multiply == [1.0; 3] && screen == [0.0; 3];
        mesh.each(self.rows, self.width, |y, x, mut color| {
            let mut a = color[3] * opacity;
            if a <= 0.0 {
                return;
            }
            let at = (y - self.rows.start) as usize * self.width as usize + x as usize;
            if let Some((hidden, inverted)) = self.mask {
                a *= if inverted { hidden[at] } else { 1.0 - hidden[at] };
            }
            if !plain {
                for c in 0..3 {
                    let v = color[c] * multiply[c];
                    color[c] = v + screen[c] - v * screen[c];
                }
            }
            blend(&mut target[at], [color[0] * a, color[1] * a, color[2] * a, a]);
        });
    }
}

#[inline(always)]
fn normal(there: &mut [f32; 4], color: [f32; 4]) {
    let keep = 1.0 - color[3];
    for c in 0..4 {
        there[c] = color[c] + there[c] * keep;
    }
}

#[inline(always)]
fn additive(there: &mut [f32; 4], color: [f32; 4]) {
    for c in 0..3 {
        there[c] = (there[c] + color[c]).min(1.0);
    }
}

#[inline(always)]
fn multiplicative(there: &mut [f32; 4], color: [f32; 4]) {
    let keep = 1.0 - color[3];
    for c in 0..3 {
        there[c] *= color[c] + keep;
    }
}
