//! `rigfarm sample`: original layered characters.

use std::path::{Path, PathBuf};

use crate::args::SampleArgs;
use crate::delivery;
use crate::failure::Failure;

/// Draws one file, or `--count` files into a folder.
pub(crate) fn run(args: &SampleArgs) -> Result<(), Failure> {
    let files = places(args)?;
    for (seed, path) in files {
        draw(seed, args.size, &path)?;
        crate::out::note(path.display());
    }
    Ok(())
}

/// Draws one character into a PSD file.
pub(crate) fn draw(seed: u64, size: u32, path: &Path) -> Result<(), Failure> {
    let document = sample::draw(&sample::Request { seed, size });
    let bytes = psd::write(&document, &psd::WriteOptions::default())
        .map_err(|e| Failure::failed(format!("{}: {e}", path.display())))?;
    delivery::write_file(path, &bytes).map_err(|e| Failure::failed(e.to_string()))
}

fn places(args: &SampleArgs) -> Result<Vec<(u64, PathBuf)>, Failure> {
    let is_file = args.out.extension().is_some_and(|e| e.eq_ignore_ascii_case("psd"));
    match args.count {
        None if is_file => Ok(vec![(args.seed, args.out.clone())]),
        Some(count) if is_file && count > 1 => Err(Failure::usage(format!(
            "{}: {count} characters need a folder, give --out DIR",
            args.out.display()
        ))),
        Some(_) if is_file => Ok(vec![(args.seed, args.out.clone())]),
        None if args.out.extension().is_some() && !args.out.is_dir() => Err(Failure::usage(format!(
            "{}: name a .psd file, or a folder with --count N",
            args.out.display()
        ))),
        count => {
            let place = |i: u64| {
                let seed = args.seed.wrapping_add(i);
                (seed, args.out.join(format!("sample_{seed:04}.psd")))
            };
            Ok((0..u64::from(count.unwrap_or(1))).map(place).collect())
        }
    }
}
