//! One page's pixels.

use raster::Rgba;

use crate::Placement;

/// Draws the tiles of one page: each resampled (alpha-weighted) when its place has another size than its raster, then
/// edge colours bled `padding` pixels into the transparent surroundings. Alpha is never changed by bleeding. Tiles
/// must lie apart by twice the padding, as [`crate::layout`] places them; parts beyond the page are cut.
pub fn compose(page_size: u32, padding: u32, tiles: &[(&Placement, &Rgba)]) -> Rgba {
    let mut page = Rgba::new(page_size, page_size);
    for (place, raster) in tiles {
        let scaled;
        let image = if (raster.width(), raster.height()) == (place.width, place.height) {
            *raster
        } else {
            scaled = raster.resample(place.width, place.height);
            &scaled
        };
        blit(&mut page, image, place.x, place.y);
        bleed(&mut page, place, padding);
    }
    page
}

fn blit(page: &mut Rgba, image: &Rgba, x: u32, y: u32) {
    let (pw, ph) = (page.width(), page.height());
    let columns = image.width().min(pw.saturating_sub(x)) as usize;
    for row in 0..image.height().min(ph.saturating_sub(y)) {
        let start = ((y + row) as usize * pw as usize + x as usize) * 4;
        page.pixels_mut()[start..start + columns * 4].copy_from_slice(&image.row(row)[..columns * 4]);
    }
}

/// Grows colours ring by ring: each transparent pixel next to coloured ones takes their mean (rounded), `rings` times,
/// inside the tile's padded rectangle.
fn bleed(page: &mut Rgba, place: &Placement, rings: u32) {
    let left = place.x.saturating_sub(rings) as usize;
    let top = place.y.saturating_sub(rings) as usize;
    let width = ((place.x + place.width + rings).min(page.width()) as usize).saturating_sub(left);
    let height = ((place.y + place.height + rings).min(page.height()) as usize).saturating_sub(top);
    let stride = page.width() as usize;
    let at = |x: usize, y: usize| ((top + y) * stride + left + x) * 4;
    let mut colored = Vec::with_capacity(width * height);
    for y in 0..height {
        let row = page.pixels()[at(0, y)..][..width * 4].as_chunks::<4>().0;
        colored.extend(row.iter().map(|pixel| pixel[3] > 0));
    }
    let mut ring = first_ring(&colored, width, height);
    for _ in 0..rings {
        let colors: Vec<[u8; 3]> = ring
            .iter()
            .map(|&i| {
                let (mut sum, mut count) = ([0u32; 3], 0u32);
                for_neighbors(i as usize, width, height, |n| {
                    if colored[n] {
                        let p = &page.pixels()[at(n % width, n / width)..][..3];
                        (0..3).for_each(|c| sum[c] += u32::from(p[c]));
                        count += 1;
                    }
                });
                sum.map(|s| ((s + count / 2) / count.max(1)) as u8)
            })
            .collect();
        for (&i, color) in ring.iter().zip(&colors) {
            let start = at(i as usize % width, i as usize / width);
            page.pixels_mut()[start..start + 3].copy_from_slice(color);
            colored[i as usize] = true;
        }
        ring = next_ring(&ring, &colored, width, height);
    }
}

fn for_neighbors(i: usize, width: usize, height: usize, mut f: impl FnMut(usize)) {
    let (x, y) = (i % width, i / width);
    for ny in y.saturating_sub(1)..=(y + 1).min(height - 1) {
        for nx in x.saturating_sub(1)..=(x + 1).min(width - 1) {
            if (nx, ny) != (x, y) {
                f(ny * width + nx);
            }
        }
    }
}

/// The pixels without colour that touch one with: a row at a time, since most of a tile is neither.
fn first_ring(colored: &[bool], width: usize, height: usize) -> Vec<u32> {
    let row = |y: usize| &colored[y * width..(y + 1) * width];
    let mut ring = Vec::new();
    // Whether a column holds colour in this row or those beside it; with a column of nothing at both ends.
    let mut column = vec![false; width + 2];
    for y in 0..height {
        let (above, below) = (row(y.saturating_sub(1)), row((y + 1).min(height - 1)));
        for (x, any) in column[1..=width].iter_mut().enumerate() {
            *any = row(y)[x] | above[x] | below[x];
        }
        let touched = column.windows(3).map(|near| near[0] | near[1] | near[2]);
        let here = touched.zip(row(y)).enumerate().filter(|(_, (touched, colored))| *touched && !**colored);
        ring.extend(here.map(|(x, _)| (y * width + x) as u32));
    }
    ring
}

fn next_ring(ring: &[u32], colored: &[bool], width: usize, height: usize) -> Vec<u32> {
    let mut next = Vec::with_capacity(ring.len());
    for &i in ring {
        for_neighbors(i as usize, width, height, |n| {
            if !colored[n] {
                next.push(n as u32);
            }
        });
    }
    next.sort_unstable();
    next.dedup();
    next
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(x: u32, y: u32, width: u32, height: u32) -> Placement {
        Placement { tile: "t".to_owned(), page: 0, x, y, width, height }
    }

    #[test]
    fn colours_bleed_and_alpha_does_not() {
        let mut dot = Rgba::new(3, 3);
        dot.set(1, 1, [200, 100, 50, 255]);
        let page = compose(32, 4, &[(&place(10, 12, 3, 3), &dot)]);
        assert_eq!(page.get(11, 13), [200, 100, 50, 255]);
        assert_eq!(page.get(11 + 4, 13), [200, 100, 50, 0]);
        assert_eq!(page.get(11 - 4, 13 - 4), [200, 100, 50, 0]);
        assert_eq!(page.get(11 + 6, 13), [0, 0, 0, 0]);
        assert_eq!(page.pixels().iter().skip(3).step_by(4).filter(|&&a| a > 0).count(), 1);
    }

    #[test]
    fn a_place_of_another_size_resamples() {
        let white = Rgba::from_pixels(4, 4, vec![255; 64]).unwrap();
        let page = compose(16, 1, &[(&place(2, 2, 2, 2), &white)]);
        assert_eq!(page.get(2, 2), [255; 4]);
        assert_eq!(page.get(3, 3), [255; 4]);
        assert_eq!(page.get(4, 4), [255, 255, 255, 0]);
    }

    #[test]
    fn a_tile_beyond_the_page_is_cut() {
        let white = Rgba::from_pixels(4, 4, vec![255; 64]).unwrap();
        let page = compose(16, 2, &[(&place(14, 14, 4, 4), &white)]);
        assert_eq!(page.get(15, 15), [255; 4]);
    }
}
