//! The benches by name.

mod build;
mod formats;
mod geometry;

/// Every bench.
pub(crate) const NAMES: &[&str] = &["psd", "mesh", "moc3", "atlas", "cold", "warm", "touch"];

/// Runs and prints one bench.
pub(crate) fn run(name: &str, json: bool) -> Result<(), String> {
    let bench = match name {
        "psd" => formats::psd()?,
        "moc3" => formats::moc3()?,
        "mesh" => geometry::mesh()?,
        "atlas" => geometry::atlas()?,
        "cold" => build::cold()?,
        "warm" => build::warm()?,
        "touch" => build::touch()?,
        other => return Err(format!("no bench is named {other}")),
    };
    bench.print(json);
    Ok(())
}
