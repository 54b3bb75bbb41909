//! The merged picture: source-over of the visible layers, clipping, masks and folders respected, blend modes not.

use raster::Rgba;

use crate::{Document, Error, Layer, LayerKind, Mask};

/// Longest allocation for the picture, in pixels.
const MOST_PIXELS: u64 = 1 << 30;

/// The whole canvas, straight alpha.
pub(crate) fn paint(document: &Document) -> Result<Rgba, Error> {
    if u64::from(document.width) * u64::from(document.height) > MOST_PIXELS {
        let reason = "the canvas has more than 2^30 pixels: make it smaller";
        return Err(Error::Unwritable { layer: String::new(), reason });
    }
    let mut canvas = Rgba::new(document.width, document.height);
    layers(&mut canvas, &document.layers);
    Ok(canvas)
}

/// The same on white, as Photoshop stores it; alpha stays.
pub(crate) fn over_white(picture: &Rgba) -> Rgba {
    let mut out = picture.clone();
    for pixel in out.pixels_mut().as_chunks_mut::<4>().0 {
        let alpha = u32::from(pixel[3]);
        for value in &mut pixel[..3] {
            *value = over(u32::from(*value), 255, alpha);
        }
    }
    out
}

/// `top` at `alpha` over the opaque `below`, rounded.
fn over(top: u32, below: u32, alpha: u32) -> u8 {
    ((top * alpha + below * (255 - alpha) + 127) / 255) as u8
}

fn layers(canvas: &mut Rgba, list: &[Layer]) {
    let mut rest = list;
    while let Some((base, above)) = rest.split_first() {
        let clipped = above.iter().take_while(|layer| layer.clipping).count();
        rest = &above[clipped..];
        if !base.visible {
            continue;
        }
        if clipped == 0 {
            layer(canvas, base);
            continue;
        }
        // What is clipped paints on an opaque copy of its base; the base's shape is put back at the end.
        let mut group = Rgba::new(canvas.width(), canvas.height());
        layer(&mut group, base);
        let shape = group.alpha();
        for pixel in group.pixels_mut().as_chunks_mut::<4>().0 {
            pixel[3] = 255;
        }
        for top in above[..clipped].iter().filter(|top| top.visible) {
            layer(&mut group, top);
        }
        let pixels = group.pixels_mut().as_chunks_mut::<4>().0;
        for (pixel, &alpha) in pixels.iter_mut().zip(shape.values()) {
            pixel[3] = alpha;
        }
        blend(canvas, &group, (0, 0), 255, None);
    }
}

fn layer(canvas: &mut Rgba, layer: &Layer) {
    let opacity = (u32::from(layer.opacity) * u32::from(layer.fill) + 127) / 255;
    match &layer.kind {
        LayerKind::Group(children) if opacity == 255 && layer.mask.is_none() => {
            layers(canvas, children);
        }
        LayerKind::Group(children) => {
            let mut group = Rgba::new(canvas.width(), canvas.height());
            layers(&mut group, children);
            blend(canvas, &group, (0, 0), opacity, layer.mask.as_ref());
        }
        LayerKind::Pixels(pixels) => {
            let corner = (pixels.rect.left, pixels.rect.top);
            blend(canvas, &pixels.image, corner, opacity, layer.mask.as_ref());
        }
        LayerKind::Effect(_) => {}
    }
}

/// Paints `image` with its corner at `corner`.
fn blend(canvas: &mut Rgba, image: &Rgba, corner: (i32, i32), opacity: u32, mask: Option<&Mask>) {
    for y in 0..i64::from(image.height()) {
        let cy = y + i64::from(corner.1);
        if cy < 0 || cy >= i64::from(canvas.height()) {
            continue;
        }
        for x in 0..i64::from(image.width()) {
            let cx = x + i64::from(corner.0);
            let pixel = image.get(x, y);
            if pixel[3] == 0 || cx < 0 || cx >= i64::from(canvas.width()) {
                continue;
            }
            let mut alpha = u32::from(pixel[3]) * opacity / 255;
            if let Some(mask) = mask {
                alpha = alpha * u32::from(mask_at(mask, cx, cy)) / 255;
            }
            let below = canvas.get(cx, cy);
            canvas.set(cx, cy, source_over(below, pixel, alpha));
        }
    }
}

fn mask_at(mask: &Mask, x: i64, y: i64) -> u8 {
    let (mx, my) = (x - i64::from(mask.rect.left), y - i64::from(mask.rect.top));
    let (width, height) = (i64::from(mask.alpha.width()), i64::from(mask.alpha.height()));
    let inside = (0..width).contains(&mx) && (0..height).contains(&my);
    if inside { mask.alpha.get(mx, my) } else { mask.outside }
}

fn source_over(below: [u8; 4], top: [u8; 4], alpha: u32) -> [u8; 4] {
    let kept = u32::from(below[3]) * (255 - alpha);
    let total = alpha * 255 + kept;
    if total == 0 {
        return below;
    }
    let mix = |i: usize| {
        let sum = u32::from(top[i]) * alpha * 255 + u32::from(below[i]) * kept;
        ((sum + total / 2) / total) as u8
    };
    [mix(0), mix(1), mix(2), ((total + 127) / 255) as u8]
}
