//! Casts a PSD and prints each member; the seconds of each step go to standard error.

use std::time::Instant;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    for file in std::env::args().skip(1) {
        let bytes = std::fs::read(&file)?;
        let start = Instant::now();
        let document = psd::read(&bytes, &psd::Limits::default())?;
        let read = start.elapsed();
        let (artwork, images) = artwork::clean(document, &artwork::Settings::default())?;
        let cleaned = start.elapsed();
        let (cast, _) = parts::cast(&artwork, &images, &parts::Settings::default())?;
        let done = start.elapsed();
        eprintln!("{file}: read {read:.1?} clean {:.1?} cast {:.1?}", cleaned - read, done - cleaned);
        for member in &cast.members {
            println!("{} -> {} {:?} {}", member.id, member.tag.name(), member.side, member.confidence);
        }
    }
    Ok(())
}
