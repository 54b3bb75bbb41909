//! Writes flattened pictures: `flatten OUT.png SIZE SEED…` puts the seeds side by side on white.

use psd::{Document, Layer, LayerKind};

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let size: u32 = args[1].parse().unwrap();
    let start = std::time::Instant::now();
    let all: Vec<Document> =
        args[2..].iter().map(|s| sample::draw(&sample::Request { seed: s.parse().unwrap(), size })).collect();
    eprintln!(
        "{:?} for {} characters, {} layers in the first",
        start.elapsed(),
        all.len(),
        all[0].layers.len()
    );
    let w = all[0].width as usize;
    let (full, h) = (w * all.len(), all[0].height as usize);
    let mut out = vec![255u8; full * h * 3];
    for (i, doc) in all.iter().enumerate() {
        flatten(&doc.layers, &mut |x, y, p| {
            if x >= 0 && y >= 0 && (x as usize) < w && (y as usize) < h {
                let d = (y as usize * full + i * w + x as usize) * 3;
                for c in 0..3 {
                    let a = u32::from(p[3]);
                    out[d + c] =
                        ((u32::from(p[c]) * a + u32::from(out[d + c]) * (255 - a) + 127) / 255) as u8;
                }
            }
        });
    }
    let file = std::fs::File::create(&args[0]).unwrap();
    let mut encoder = png::Encoder::new(file, full as u32, h as u32);
    encoder.set_color(png::ColorType::Rgb);
    encoder.write_header().unwrap().write_image_data(&out).unwrap();
}

fn flatten(layers: &[Layer], put: &mut impl FnMut(i64, i64, [u8; 4])) {
    for layer in layers.iter().filter(|l| l.visible) {
        if let LayerKind::Pixels(p) = &layer.kind {
            for y in 0..i64::from(p.image.height()) {
                for x in 0..i64::from(p.image.width()) {
                    put(x + i64::from(p.rect.left), y + i64::from(p.rect.top), p.image.get(x, y));
                }
            }
        }
    }
}
