//! rigfarm-bench: measured figures beside a reference of the same run.

mod benches;
mod data;
mod figures;
mod quality;
mod timing;

use std::process::ExitCode;

const USAGE: &str = "usage: rigfarm-bench psd|mesh|skeleton|moc3|atlas|preview|cold|warm|touch|farm|all [--json]\n       rigfarm-bench quality [--json] [--poses N] [FILE...]";

fn main() -> ExitCode {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let json = arguments.iter().any(|a| a == "--json");
    arguments.retain(|a| a != "--json");
    let told = match arguments.split_first() {
        Some((name, rest)) if name == "quality" => quality::run(rest, json),
        Some((name, [])) if name == "all" => {
            benches::NAMES.iter().try_for_each(|name| benches::run(name, json))
        }
        Some((name, [])) if benches::NAMES.contains(&name.as_str()) => benches::run(name, json),
        _ => Err(USAGE.to_owned()),
    };
    match told {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::from(if message == USAGE { 2 } else { 1 })
        }
    }
}
