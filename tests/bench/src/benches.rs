//! The benches by name.

mod build;
mod farm;
mod formats;
mod geometry;
mod preview;
mod skeleton;

/// Every bench.
pub(crate) const NAMES: &[&str] =
    &["psd", "mesh", "skeleton", "moc3", "atlas", "preview", "cold", "warm", "touch", "farm"];

/// Runs and prints one bench.
pub(crate) fn run(name: &str, json: bool) -> Result<(), String> {
    let bench = match name {
        "psd" => formats::psd()?,
        "moc3" => formats::moc3()?,
        "mesh" => geometry::mesh()?,
        "atlas" => geometry::atlas()?,
        "skeleton" => skeleton::skeleton()?,
        "preview" => preview::preview()?,
        "cold" => build::cold()?,
        "warm" => build::warm()?,
        "touch" => build::touch()?,
        "farm" => farm::farm()?,
        other => return Err(format!("no bench is named {other}")),
    };
    bench.print(json);
    Ok(())
}
