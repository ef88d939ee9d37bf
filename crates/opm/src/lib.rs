//! The command line: shows the same as the portal's pages, in a terminal, for people and for pipelines.
//!
//! It calls the portal's REST API with the user's own token, and otherwise only the identity provider at which the user signs in. It must never make a decision of its own: everything that a
//! page shows is computed by the portal, so that both show the same. What authors of promises do without a portal — check and render files
//! — calls the pure functions that the portal calls.
//!
//! To add a command: its arguments in the module named after its noun, with one `run` that calls the [`portal`] and renders the answer, and
//! a variant in [`Command`].

mod actions;
mod author;
mod commands;
mod complete;
mod cost;
mod decide;
mod describe;
mod device;
mod edit;
mod error;
mod fields;
mod flags;
mod fleet;
mod form;
mod login;
mod manual;
mod output;
mod portal;
mod preflight;
mod promises;
mod publish;
mod releases;
mod render;
mod renewal;
mod requests;
mod rows;
mod settings;
mod skip;
mod target;
mod terminal;
mod troubleshooting;
mod watch;
mod workspaces;
mod write;

use clap::{FromArgMatches as _, Parser, Subcommand};

pub use commands::{Called, command};
pub use complete::complete;
pub use error::Error;
pub use manual::pages;
pub use portal::Way;
pub use terminal::Terminal;

/// OPM Portal from a terminal.
///
/// Exit codes: 0 done, 1 the answer is no (rejected, failed, different), 2 invalid arguments or values, 3 no answer from the portal, 4 not signed in or not allowed, 5 not found, 6 changed by
/// someone else or name taken, 7 waiting took too long.
#[derive(Debug, Parser)]
#[command(name = "opm", version, propagate_version = true)]
pub struct Cli {
    #[command(flatten)]
    way: Way,
    #[command(subcommand)]
    command: Command,
    /// The name by which it was called.
    #[arg(skip)]
    called: Called,
}

/// The commands.
#[derive(Debug, Subcommand)]
enum Command {
    /// Find and request promises, and write your own.
    #[command(subcommand)]
    Promise(promises::Command),
    /// List, follow, change and decide on requests.
    #[command(subcommand)]
    Request(requests::Command),
    /// List workspaces, and choose the one that commands use.
    #[command(subcommand)]
    Workspace(workspaces::Command),
    /// Show the cost of a workspace.
    Cost(cost::Args),
    /// Check a request before you submit it: problems, policies, approvals and cost. Nothing is created.
    #[command(
        after_help = "Examples:\n  opm preflight -f request.yaml\n  opm preflight -f request.yaml --workspace root:acme:shop -o json\n\n\
        Without --workspace, the workspace of the kubeconfig's context is used. Exit code 1 means the request would be rejected."
    )]
    Preflight(preflight::Args),
    /// Choose the portal and how you sign in there.
    Login(login::Login),
    /// Forget the portal and its token, and revoke it if the identity provider can.
    Logout,
    /// Print the completion script of a shell.
    #[command(after_help = complete::HELP)]
    Completion(complete::Args),
    /// Print the manual, or write it as man pages.
    Man(manual::Args),
}

/// The result of a command that ran.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The answer is yes.
    Yes,
    /// The answer is no: exit code 1.
    No,
}

impl From<bool> for Outcome {
    fn from(yes: bool) -> Self {
        if yes { Self::Yes } else { Self::No }
    }
}

/// What a command wrote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Said {
    /// To the standard output.
    pub text: String,
    /// To the standard error.
    pub notes: String,
    /// Whether the answer is yes: exit code 0 instead of 1.
    pub yes: bool,
}

impl Cli {
    /// Parses arguments, the name of the program first.
    ///
    /// # Errors
    /// If they are invalid, or ask for help or the version.
    pub fn parse_words<W: Into<std::ffi::OsString> + Clone>(words: impl IntoIterator<Item = W>) -> Result<Self, clap::Error> {
        let words: Vec<std::ffi::OsString> = words.into_iter().map(Into::into).collect();
        let called = Called::by(words.first());
        let mut command = command(called);
        let matches = command.try_get_matches_from_mut(words)?;
        let cli = Self::from_arg_matches(&matches).map_err(|error| error.format(&mut command))?;
        Ok(Self { called, ..cli })
    }
}

/// Runs a command.
///
/// # Errors
/// If it fails; the error has the exit code.
pub async fn run(cli: &Cli, terminal: &mut Terminal<'_>) -> Result<Outcome, Error> {
    let Cli { way, command, called } = cli;
    let way = &Way { now: Some(terminal.now), ..way.clone() };
    match command {
        Command::Promise(command) => promises::run(command, way, *called, terminal).await,
        Command::Request(command) => requests::run(command, way, *called, terminal).await,
        Command::Workspace(command) => workspaces::run(command, way, terminal).await,
        Command::Cost(args) => cost::run(args, way, terminal).await,
        Command::Preflight(args) => preflight::run(args, way, terminal).await,
        Command::Login(args) => login::run(args, way, *called, terminal).await,
        Command::Logout => login::forget(way, terminal).await,
        Command::Completion(args) => complete::run(args, *called, terminal),
        Command::Man(args) => manual::run(args, *called, terminal),
    }
}

/// Runs a command without a terminal, and returns what it wrote, without styles.
///
/// # Errors
/// If it fails.
pub async fn say(cli: &Cli, now: fn() -> jiff::Timestamp, random: fn(&mut [u8])) -> Result<Said, Error> {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let (plain, notes) = (anstream::StripStream::new(&mut out), anstream::StripStream::new(&mut err));
    let mut terminal = Terminal { err: Box::new(notes), ..Terminal::plain(plain, now, random) };
    let outcome = run(cli, &mut terminal).await;
    drop(terminal);
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    outcome.map(|outcome| Said { text: text(out), notes: text(err), yes: outcome == Outcome::Yes })
}
