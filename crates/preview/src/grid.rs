//! Pictures side by side.

use raster::Rgba;

use crate::Error;
use crate::label::Lettering;

/// Largest side of a grid in pixels.
const LIMIT: u64 = 16_384;
/// Colour of labels.
const INK: [u8; 3] = [70, 70, 78];

/// How a grid of pictures looks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GridStyle {
    /// Width and height of a cell without its label, in pixels; at least 1.
    pub cell: (u32, u32),
    /// Cells in a row, at least 1.
    pub columns: u32,
    /// Whether the cells' names stand above them.
    pub labels: bool,
    /// Colour behind the pictures; `None` keeps the grid transparent.
    pub backdrop: Option<[u8; 3]>,
}

impl GridStyle {
    /// Width and height of a grid.
    ///
    /// # Errors
    /// [`Error::Size`] when it would be too large or the cells have no pixels.
    pub(crate) fn size(&self, cells: usize) -> Result<(u32, u32), Error> {
        let columns = self.columns_of(cells) as u64;
        let lines = (cells as u64).div_ceil(columns).max(1);
        let (width, height) = (columns * u64::from(self.cell.0), lines * self.line_height() as u64);
        let fits = |side: u64| u32::try_from(side).ok().filter(|_| (1..=LIMIT).contains(&side));
        match (fits(width), fits(height)) {
            (Some(width), Some(height)) => Ok((width, height)),
            _ => Err(Error::Size {
                width: u32::try_from(width).unwrap_or(u32::MAX),
                height: u32::try_from(height).unwrap_or(u32::MAX),
                limit: LIMIT as u32,
            }),
        }
    }
    fn columns_of(&self, cells: usize) -> usize {
        (self.columns as usize).clamp(1, cells.max(1))
    }
    fn strip(&self) -> usize {
        if self.labels { Lettering::for_cell(self.cell.0).strip() } else { 0 }
    }
    fn line_height(&self) -> usize {
        self.cell.1 as usize + self.strip()
    }
}

/// Puts pictures row by row into cells of one size, in their middle; larger ones are made smaller.
///
/// # Errors
/// [`Error::Size`] when the grid would be too large or a cell has no pixels.
pub fn grid(cells: &[(&str, &Rgba)], style: &GridStyle) -> Result<Rgba, Error> {
    let (width, height) = style.size(cells.len())?;
    let mut out = Rgba::new(width, height);
    let (cell_width, cell_height) = (style.cell.0 as usize, style.cell.1 as usize);
    let lettering = Lettering::for_cell(style.cell.0);
    let columns = style.columns_of(cells.len());
    for (i, (name, picture)) in cells.iter().enumerate() {
        let (x, y) = (i % columns * cell_width, i / columns * style.line_height());
        if style.labels {
            lettering.draw(&mut out, (x, y), cell_width, name, INK);
        }
        let smaller = shrunk(picture, style.cell);
        let picture = smaller.as_ref().unwrap_or(picture);
        let (w, h) = (picture.width() as usize, picture.height() as usize);
        paste(&mut out, picture, x + (cell_width - w) / 2, y + style.strip() + (cell_height - h) / 2);
    }
    if let Some(color) = style.backdrop {
        put_behind(&mut out, color);
    }
    Ok(out)
}

/// The picture as large as fits into a cell; `None` when it does as it is.
fn shrunk(picture: &Rgba, cell: (u32, u32)) -> Option<Rgba> {
    let (width, height) = (picture.width(), picture.height());
    if width <= cell.0 && height <= cell.1 {
        return None;
    }
    let scale = (f64::from(cell.0) / f64::from(width)).min(f64::from(cell.1) / f64::from(height));
    let side = |v: u32, most: u32| ((f64::from(v) * scale).round() as u32).clamp(1, most);
    Some(picture.resample(side(width, cell.0), side(height, cell.1)))
}

fn paste(out: &mut Rgba, picture: &Rgba, x: usize, y: usize) {
    let (stride, n) = (out.width() as usize * 4, picture.width() as usize * 4);
    for row in 0..picture.height() {
        let start = (y + row as usize) * stride + x * 4;
        out.pixels_mut()[start..start + n].copy_from_slice(picture.row(row));
    }
}

fn put_behind(out: &mut Rgba, color: [u8; 3]) {
    for p in out.pixels_mut().as_chunks_mut::<4>().0 {
        let a = u32::from(p[3]);
        for c in 0..3 {
            p[c] = ((u32::from(p[c]) * a + u32::from(color[c]) * (255 - a) + 127) / 255) as u8;
        }
        p[3] = 255;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_of_all_sizes_find_their_place() {
        let plain =
            |w: u32, h: u32, v: u8| Rgba::from_pixels(w, h, [v, v, v, 255].repeat((w * h) as usize)).unwrap();
        let (small, wide) = (plain(2, 4, 10), plain(40, 10, 20));
        let cells = [("a", &small), ("b", &wide), ("c", &small)];
        let style = GridStyle { cell: (20, 8), columns: 2, labels: false, backdrop: None };
        let picture = grid(&cells, &style).unwrap();
        assert_eq!((picture.width(), picture.height()), (40, 16));
        assert_eq!([(9, 2), (8, 2), (9, 5), (9, 6)].map(|(x, y)| picture.get(x, y)[0]), [10, 0, 10, 0]);
        assert_eq!([(20, 1), (39, 5), (20, 0), (20, 6)].map(|(x, y)| picture.get(x, y)[3]), [255, 255, 0, 0]);
        let labelled = grid(&cells, &GridStyle { labels: true, ..style }).unwrap();
        assert_eq!(labelled.height(), 16 + 2 * 12);
        assert_eq!(labelled.get(9, 14)[0], 10);
    }

    #[test]
    fn what_has_no_size_is_refused() {
        let one = Rgba::new(1, 1);
        let check = |cell: (u32, u32), columns: u32, count: usize| {
            let style = GridStyle { cell, columns, labels: true, backdrop: None };
            assert!(matches!(grid(&vec![("", &one); count], &style), Err(Error::Size { .. })), "{cell:?}");
        };
        check((0, 5), 3, 2);
        check((3000, 10), 10, 10);
        check((10, 3000), 1, 10);
        check((u32::MAX, u32::MAX), u32::MAX, 3);
    }
}
