//! A few rows of the picture: everything drawn in order.

use std::ops::Range;

use crate::blend::{Blend, additive, extended, multiplicative, normal};
use crate::mesh::Mesh;

/// A posed drawable, back to front in a list of these.
pub(crate) struct Item {
    /// Number of its mesh.
    pub(crate) mesh: usize,
    pub(crate) opacity: f32,
    pub(crate) multiply: [f32; 3],
    pub(crate) screen: [f32; 3],
    pub(crate) blend: Blend,
    /// Number of the set of meshes that clip it, and whether they show the outside.
    pub(crate) mask: Option<(usize, bool)>,
}

/// Meshes that clip items together.
pub(crate) struct Mask {
    /// Their numbers.
    pub(crate) meshes: Vec<usize>,
    /// Rows of what they clip.
    pub(crate) rows: Range<i32>,
    /// Columns of what they clip.
    pub(crate) columns: Range<i32>,
}

/// Everything there is to draw.
pub(crate) struct Stage<'a> {
    /// By drawable; `None` for those that nothing needs.
    pub(crate) meshes: Vec<Option<Mesh<'a>>>,
    pub(crate) items: Vec<Item>,
    /// What clips items, by number of the set.
    pub(crate) masks: Vec<Mask>,
    pub(crate) width: usize,
}

impl Stage<'_> {
    /// Draws some rows: premultiplied colours, 0..=1.
    pub(crate) fn rows(&self, rows: &Range<i32>) -> Vec<[f32; 4]> {
        let mut target = vec![[0.0f32; 4]; self.width * rows.len()];
        let mut colors = vec![[0.0f32; 4]; self.width];
        let mut masks: Vec<Option<Hidden>> = self.masks.iter().map(|_| None).collect();
        for item in &self.items {
            let Some(mesh) = &self.meshes[item.mesh] else { continue };
            if mesh.rows.start >= rows.end || mesh.rows.end <= rows.start {
                continue;
            }
            let mask = item.mask.map(|(set, inverted)| {
                let hidden =
                    masks[set].get_or_insert_with(|| self.hidden(&self.masks[set], rows, &mut colors));
                (&*hidden, inverted)
            });
            let brush = Brush { item, inverted: mask.is_some_and(|(_, inverted)| inverted) };
            mesh.each(rows, &mut colors, |y, x, colors| {
                let at = (y - rows.start) as usize * self.width + x;
                let target = &mut target[at..at + colors.len()];
                match mask {
                    None => brush.paint(target, colors, None),
                    Some((hidden, _)) => brush.paint(target, colors, hidden.stretch(y, x..x + colors.len())),
                }
            });
        }
        target
    }
    /// What a mask leaves hidden of some rows. A mesh's own opacity does not count.
    fn hidden(&self, mask: &Mask, rows: &Range<i32>, colors: &mut [[f32; 4]]) -> Hidden {
        let rows = mask.rows.start.max(rows.start)..mask.rows.end.min(rows.end);
        let inside = |column: i32| usize::try_from(column).unwrap_or(0).min(self.width);
        let mut hidden = Hidden::new(rows, inside(mask.columns.start)..inside(mask.columns.end));
        for mesh in mask.meshes.iter().filter_map(|&i| self.meshes[i].as_ref()) {
            mesh.each(&hidden.rows.clone(), colors, |y, x, colors| hidden.cover(y, x, colors));
        }
        hidden
    }
}

/// How much of each pixel of a box masks leave hidden, 0..=1.
struct Hidden {
    rows: Range<i32>,
    columns: Range<usize>,
    shares: Vec<f32>,
}

impl Hidden {
    fn new(rows: Range<i32>, columns: Range<usize>) -> Self {
        let shares = vec![1.0; rows.len() * columns.len()];
        Self { rows, columns, shares }
    }
    /// Lets be seen what straight colours from a column on cover.
    fn cover(&mut self, y: i32, x: usize, colors: &[[f32; 4]]) {
        let (from, to) = (x.max(self.columns.start), (x + colors.len()).min(self.columns.end));
        if from >= to {
            return;
        }
        let start = self.row(y) + from - self.columns.start;
        let shares = self.shares[start..start + to - from].iter_mut();
        shares.zip(&colors[from - x..]).for_each(|(share, color)| *share *= 1.0 - color[3]);
    }
    /// The shares of some columns of a row; of what the masks do not clip there are none.
    fn stretch(&self, y: i32, columns: Range<usize>) -> Option<&[f32]> {
        let inside =
            self.rows.contains(&y) && columns.start >= self.columns.start && columns.end <= self.columns.end;
        let start = || self.row(y) + columns.start - self.columns.start;
        inside.then(|| &self.shares[start()..start() + columns.len()])
    }
    fn row(&self, y: i32) -> usize {
        (y - self.rows.start) as usize * self.columns.len()
    }
}

struct Brush<'a> {
    item: &'a Item,
    inverted: bool,
}

impl Brush<'_> {
    /// Paints straight colours over a stretch of the target, of which masks may leave some hidden.
    fn paint(&self, target: &mut [[f32; 4]], colors: &[[f32; 4]], hidden: Option<&[f32]>) {
        let Item { opacity, multiply, screen, .. } = *self.item;
        let plain = multiply == [1.0; 3] && screen == [0.0; 3];
        let premultiplied = |&[r, g, b, a]: &[f32; 4], shown: f32| {
            let a = a * shown;
            let mut color = [r, g, b];
            if !plain {
                for c in 0..3 {
                    let v = color[c] * multiply[c];
                    color[c] = v + screen[c] - v * screen[c];
                }
            }
            [color[0] * a, color[1] * a, color[2] * a, a]
        };
        match hidden {
            None => self.blend(target, colors.iter().map(|color| premultiplied(color, opacity))),
            Some(hidden) => {
                let shown = hidden.iter().map(|&h| if self.inverted { h } else { 1.0 - h });
                let colors = colors.iter().zip(shown).map(|(c, shown)| premultiplied(c, opacity * shown));
                self.blend(target, colors);
            }
        }
    }
    #[inline(always)]
    fn blend(&self, target: &mut [[f32; 4]], colors: impl Iterator<Item = [f32; 4]>) {
        let pixels = target.iter_mut().zip(colors).filter(|(_, color)| color[3] > 0.0);
        match self.item.blend {
            Blend::Normal => pixels.for_each(|(there, color)| normal(there, color)),
            Blend::Additive => pixels.for_each(|(there, color)| additive(there, color)),
            Blend::Multiplicative => pixels.for_each(|(there, color)| multiplicative(there, color)),
            Blend::Extended(mode, coverage) => {
                pixels.for_each(|(there, color)| extended(there, color, mode, coverage));
            }
        }
    }
}

/// Straight bytes of a premultiplied pixel.
#[inline(always)]
fn straight(p: [f32; 4]) -> [u8; 4] {
    let byte = |v: f32| (v.clamp(0.0, 1.0) * 255.0 + 0.5) as u8;
    let a = p[3].clamp(0.0, 1.0);
    if byte(a) == 0 {
        return [0; 4];
    }
    let whole = 1.0 / a;
    [byte(p[0] * whole), byte(p[1] * whole), byte(p[2] * whole), byte(a)]
}

/// Straight bytes of every pixel.
pub(crate) fn straight_all(target: &[[f32; 4]], out: &mut [[u8; 4]]) {
    out.iter_mut().zip(target).for_each(|(out, &p)| *out = straight(p));
}

/// Straight bytes of the mean of every 2 x 2 pixels; `width` is that of the target and even, as are its rows.
pub(crate) fn straight_means(target: &[[f32; 4]], width: usize, out: &mut [[u8; 4]]) {
    for (pair, out) in target.chunks_exact(width * 2).zip(out.chunks_exact_mut(width / 2)) {
        let (above, below) = pair.split_at(width);
        let both = above.as_chunks::<2>().0.iter().zip(below.as_chunks::<2>().0);
        for (([a, b], [c, d]), out) in both.zip(out) {
            *out = straight(std::array::from_fn(|k| (a[k] + b[k] + c[k] + d[k]) * 0.25));
        }
    }
}
