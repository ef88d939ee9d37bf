//! The command line: shows the same as the portal's pages, in a terminal, for people and for pipelines.
//!
//! It calls the portal's REST interface with the user's own token from a kubeconfig, and nothing else. It must never make a decision of its
//! own: everything that a page shows is computed by the portal, so that both show the same.
//!
//! To add a command: its arguments in [`Command`], a file named after it with one `say` that calls the [`portal`] and renders the answer.

use clap::{Parser, Subcommand};

mod error;
mod portal;
mod preflight;

pub use error::Error;

/// OPM Portal from a terminal.
///
/// Exit codes: 0 yes, 1 no (rejected or unknown), 2 invalid arguments, 3 no answer from the portal.
#[derive(Debug, Parser)]
#[command(name = "opm", version, propagate_version = true)]
pub struct Cli {
    /// Command to run.
    #[command(subcommand)]
    pub command: Command,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Check a request before you submit it: problems, policies, approvals and cost. Nothing is created.
    #[command(
        after_help = "Examples:\n  opm preflight -f request.yaml\n  opm preflight -f request.yaml --workspace root:acme:shop -o json\n\n\
        Without --workspace, the workspace of the kubeconfig's context is used. Exit code 1 means the request would be rejected."
    )]
    Preflight(preflight::Args),
}

/// The result of a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Said {
    /// For standard output.
    pub text: String,
    /// Whether the answer is yes: exit code 0 instead of 1.
    pub yes: bool,
}

/// Runs one command.
///
/// # Errors
/// If a file can't be read, or there is no answer from the portal. Exit code 3.
pub async fn say(cli: &Cli) -> Result<Said, Error> {
    match &cli.command {
        Command::Preflight(args) => preflight::say(args).await,
    }
}
