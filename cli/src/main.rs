//! The rigfarm command line.

mod args;
mod art;
mod build;
mod bundle_files;
mod commands;
mod delivery;
mod failure;
mod inputs;
mod out;
mod project;
mod regular;
mod settings_files;
mod stores;

use std::process::ExitCode;

use clap::{CommandFactory, Parser};

use crate::args::{Cli, Command};
use crate::failure::Failure;

fn main() -> ExitCode {
    match run(&Cli::parse().command).and_then(|()| out::all_written()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            if !failure.message().is_empty() {
                out::note(format!("error: {}", failure.message()));
            }
            ExitCode::from(failure.status())
        }
    }
}

fn run(command: &Command) -> Result<(), Failure> {
    match command {
        Command::Build(args) => commands::build::run(args),
        Command::Plan(args) => commands::plan::run(args),
        Command::Inspect(args) => commands::inspect::run(args),
        Command::Check(args) => commands::check::run(args),
        Command::Diff(args) => commands::diff::run(args),
        Command::Render(args) => commands::render::run(args),
        Command::Sample(args) => commands::sample::run(args),
        Command::Demo(args) => commands::demo::run(args),
        Command::Cache(args) => commands::cache::run(args),
        Command::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(*shell, &mut Cli::command(), "rigfarm", &mut script);
            out::bytes_out(&script);
            Ok(())
        }
    }
}
