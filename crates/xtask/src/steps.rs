//! Named steps, which show what is running, how long it took, and which command failed.

use std::ffi::OsStr;
use std::process::Command;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

/// Prints the name of a step, runs it, and prints how long it took.
pub fn step<T>(what: &str, work: impl FnOnce() -> Result<T>) -> Result<T> {
    eprintln!("==> {what}");
    #[expect(clippy::disallowed_methods, reason = "the build tool shows how long a step took; nothing depends on it")]
    let start = Instant::now();
    let result = work().with_context(|| what.to_owned());
    let took = start.elapsed();
    let failed = if result.is_ok() { "" } else { " (failed)" };
    eprintln!("    {what}: {:.1} s{failed}", took.as_secs_f64());
    note(what, Outcome::Ended { took, failed: result.is_err() });
    result
}

/// The outcome of a step.
enum Outcome {
    Ended { took: Duration, failed: bool },
    NotRun(String),
}

static TABLE: Mutex<Vec<(String, Outcome)>> = Mutex::new(Vec::new());

fn note(what: &str, outcome: Outcome) {
    if let Ok(mut table) = TABLE.lock() {
        table.push((what.to_owned(), outcome));
    }
}

/// Adds to the closing table that something was left out, and why.
pub fn not_run(what: &str, why: &str) {
    let is_known = TABLE.lock().is_ok_and(|table| table.iter().any(|(known, _)| known == what));
    if !is_known {
        note(what, Outcome::NotRun(why.to_owned()));
    }
}

static FAILURES: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// Collects the output of failing tests. It is printed at the end of the log, where people look first.
pub fn failed(said: &str) {
    if let Ok(mut failures) = FAILURES.lock() {
        failures.push(said.to_owned());
    }
}

/// Prints each step with its time, what was left out, and the output of failing tests. Steps that ran inside or beside another step have a
/// line of their own.
pub fn table() {
    let Ok(table) = TABLE.lock() else { return };
    eprintln!("\n==> steps");
    for (what, outcome) in table.iter() {
        match outcome {
            Outcome::Ended { took, failed } => {
                let failed = if *failed { "failed: " } else { "" };
                eprintln!("    {:>8.1} s  {failed}{what}", took.as_secs_f64());
            }
            Outcome::NotRun(why) => eprintln!("     not run  {what}: {why}"),
        }
    }
    let Ok(failures) = FAILURES.lock() else { return };
    failures.iter().for_each(|said| eprintln!("\n==> failed tests\n{said}"));
}

/// Runs a command with inherited output and waits for it; an exit code other than 0 is an error that shows the command.
pub fn run(command: &mut Command) -> Result<()> {
    let shown = shown(command);
    let status = command.status().with_context(|| format!("cannot start {shown}"))?;
    if !status.success() {
        bail!("{shown}: {status}");
    }
    Ok(())
}

/// Returns a cargo command in the workspace, with full output. It doesn't inherit what cargo tells this tool about its own package: ring's
/// build script depends on these variables, so half of the dependencies would be compiled again after each build without this tool.
pub fn cargo(root: &std::path::Path) -> Command {
    let mut command = Command::new("cargo");
    command.current_dir(root);
    for (name, _) in std::env::vars_os() {
        if ["CARGO_MANIFEST_", "CARGO_PKG_"].iter().any(|prefix| name.to_string_lossy().starts_with(prefix)) {
            command.env_remove(name);
        }
    }
    command
}

/// Every package except the browser's entry, like `default-members` in the root `Cargo.toml`, without jemalloc, which takes minutes to
/// build. Development builds select packages only in this way: another selection has other features, and compiles the dependencies again.
pub const PACKAGES: [&str; 6] = ["--workspace", "--exclude", "hydrate", "--exclude", "live", "--no-default-features"];

fn shown(command: &Command) -> String {
    std::iter::once(command.get_program()).chain(command.get_args()).map(OsStr::to_string_lossy).collect::<Vec<_>>().join(" ")
}
