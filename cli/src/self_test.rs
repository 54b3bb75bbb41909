//! Whether this machine computes what every other one does. Results are shared by their inputs alone: a machine whose
//! arithmetic differs would put its own bytes in place of everybody's.

use canonical::Digest;
use geom::maths;
use raster::Rgba;

/// Of the numbers and the picture below, on every machine.
const EXPECTED: &str = "afe6c2d1fa2fae0a5acc16a62bdcccffb5eddddcb9a510e9e74ef5ed5f1426dc";

/// Computes a few thousand numbers and a picture, and compares them with what they are elsewhere.
///
/// # Errors
/// For people, when they differ.
pub(crate) fn check() -> Result<(), String> {
    let found = digest()?;
    match found == EXPECTED {
        true => Ok(()),
        false => Err(format!(
            "this machine computes other numbers than it should (self test {found}, expected {EXPECTED}): \
             its results would spoil the farm's cache, so it does not work for it"
        )),
    }
}

fn digest() -> Result<String, String> {
    let mut bytes: Vec<u8> = numbers().iter().flat_map(|number| number.to_bits().to_le_bytes()).collect();
    bytes.extend(picture()?);
    Ok(Digest::of(&bytes).to_hex())
}

/// What stages use of arithmetic, over a spread of arguments.
fn numbers() -> Vec<f64> {
    let one: [fn(f64) -> f64; 10] = [
        maths::sin,
        maths::cos,
        maths::tan,
        maths::tanh,
        maths::exp,
        |x| maths::ln(x.abs() + 1e-9),
        |x| maths::asin(maths::sin(x)),
        |x| maths::acos(maths::cos(x)),
        |x| (x * x + 0.1).sqrt(),
        |x| f64::from((x * 0.7 + 1.0 / 3.0) as f32).round(),
    ];
    let two: [fn(f64, f64) -> f64; 4] = [
        maths::atan2,
        maths::hypot,
        |x, y| maths::pow(x.abs() + 0.5, y / 8.0),
        |x, y| x * y + x / (y + 0.25),
    ];
    let arguments = || (0..97).map(|n| f64::from(n) * 0.173 - 8.3);
    let of_one = one.iter().flat_map(|f| arguments().map(f));
    let of_two = two.iter().flat_map(|f| arguments().zip(arguments().rev()).map(|(x, y)| f(x, y)));
    // A long sum shows whether terms are added in order and without extra precision.
    let sum = arguments().fold(0.0, |sum, x| sum + x * 1e-3 + maths::sin(x));
    of_one.chain(of_two).chain([sum]).collect()
}

/// A small picture as it would be delivered.
fn picture() -> Result<Vec<u8>, String> {
    let size = 48_u32;
    let pixel = |n: u32| {
        let (x, y) = (f64::from(n % size) - 24.0, f64::from(n / size) - 24.0);
        let near = (1.0 - maths::hypot(x, y) / 24.0).clamp(0.0, 1.0);
        let level = (near * 255.0) as u8;
        [level, (n % 251) as u8, 255 - level, level]
    };
    let pixels: Vec<u8> = (0..size * size).flat_map(pixel).collect();
    let image = Rgba::from_pixels(size, size, pixels).ok_or("a picture has other bytes than pixels")?;
    atlas::encode_png(&image).map_err(|e| e.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_machine_passes() {
        assert_eq!(check(), Ok(()));
        assert_eq!(numbers().len(), 97 * 14 + 1);
        assert!(numbers().iter().all(|number| number.is_finite()));
    }
}
