//! The command line: what the portal's pages say, in a terminal, for people and for pipelines.
//!
//! It speaks to the portal's REST interface with the person's own token, which it takes from a kubeconfig, and to nothing else. It must
//! never judge by itself: whatever a page says is computed by the portal, so that both say the same.
//!
//! To add a command: its arguments in [`Command`], a file named after it with one `say` that asks the [`portal`] and renders the answer.

use clap::{Parser, Subcommand};

mod error;
mod portal;
mod preflight;

pub use error::Error;

/// OPM Portal from a terminal.
///
/// Exit codes: 0 yes, 1 no (refused, or nobody can tell), 2 wrong arguments, 3 the portal cannot be asked.
#[derive(Debug, Parser)]
#[command(name = "opm", version, propagate_version = true)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// What the program can do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Say what would become of a request: what stands against it, which rules apply, who must approve, what it costs. Nothing is written.
    #[command(
        after_help = "Examples:\n  opm preflight -f request.yaml\n  opm preflight -f request.yaml --workspace root:acme:shop -o json\n\n\
        Without --workspace it is the one that the kubeconfig's context leads to. Exit code 1 when the request would be refused."
    )]
    Preflight(preflight::Args),
}

/// What a command has to say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Said {
    /// For standard output.
    pub text: String,
    /// Whether that is a yes: the exit code 0, and not 1.
    pub yes: bool,
}

/// Runs one command.
///
/// # Errors
/// It has nothing to say: a file cannot be read, or the portal cannot be asked. Exit code 3.
pub async fn say(cli: &Cli) -> Result<Said, Error> {
    match &cli.command {
        Command::Preflight(args) => preflight::say(args).await,
    }
}
