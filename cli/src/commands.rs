//! One file per command.

pub(crate) mod build;
pub(crate) mod cache;
pub(crate) mod cancel;
pub(crate) mod check;
pub(crate) mod coordinator;
pub(crate) mod demo;
pub(crate) mod diff;
pub(crate) mod fetch;
pub(crate) mod inspect;
pub(crate) mod list;
pub(crate) mod logs;
pub(crate) mod plan;
pub(crate) mod render;
pub(crate) mod sample;
pub(crate) mod submit;
pub(crate) mod watch;
pub(crate) mod worker;

use clap::CommandFactory;

use crate::args::{Cli, Command};
use crate::failure::Failure;

/// Does what the command line asks for.
///
/// # Errors
/// With the exit status of the process.
pub(crate) fn run(command: &Command) -> Result<(), Failure> {
    match command {
        Command::Build(args) => build::run(args),
        Command::Plan(args) => plan::run(args),
        Command::Submit(args) => submit::run(args),
        Command::Status(args) => list::status(args),
        Command::List(args) => list::run(args),
        Command::Watch(args) => watch::run(args),
        Command::Logs(args) => logs::run(args),
        Command::Cancel(args) => cancel::run(args),
        Command::Fetch(args) => fetch::run(args),
        Command::Coordinator(args) => coordinator::run(args),
        Command::Worker(args) => worker::run(args),
        Command::Inspect(args) => inspect::run(args),
        Command::Check(args) => check::run(args),
        Command::Diff(args) => diff::run(args),
        Command::Render(args) => render::run(args),
        Command::Sample(args) => sample::run(args),
        Command::Demo(args) => demo::run(args),
        Command::Cache(args) => cache::run(args),
        Command::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(*shell, &mut Cli::command(), "rigfarm", &mut script);
            crate::out::bytes_out(&script);
            Ok(())
        }
    }
}
