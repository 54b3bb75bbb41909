//! The rigfarm command line.

mod args;
mod art;
mod build;
mod bundle_files;
mod commands;
mod delivery;
mod failure;
mod inputs;
mod log;
mod out;
mod project;
mod regular;
mod remote;
mod self_test;
mod settings_files;
mod stores;

use std::process::ExitCode;

use clap::Parser;

use crate::args::Cli;

fn main() -> ExitCode {
    match commands::run(&Cli::parse().command).and_then(|()| out::all_written()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            if !failure.message().is_empty() {
                out::note(format!("error: {}", failure.message()));
            }
            ExitCode::from(failure.status())
        }
    }
}
