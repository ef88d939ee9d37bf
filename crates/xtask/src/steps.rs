//! Named steps: a person sees what is going on, how long it took, and which command failed.

use std::ffi::OsStr;
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result, bail};

/// Says what is being done, does it, and says how long it took.
pub fn step<T>(what: &str, work: impl FnOnce() -> Result<T>) -> Result<T> {
    eprintln!("==> {what}");
    #[expect(clippy::disallowed_methods, reason = "the build tool shows how long a step took; nothing depends on it")]
    let start = Instant::now();
    let result = work().with_context(|| what.to_owned())?;
    eprintln!("    {what}: {:.1} s", start.elapsed().as_secs_f64());
    Ok(result)
}

/// Runs a command to its end with inherited output; an exit code other than 0 is an error that shows the command.
pub fn run(command: &mut Command) -> Result<()> {
    let shown = shown(command);
    let status = command.status().with_context(|| format!("cannot start {shown}"))?;
    if !status.success() {
        bail!("{shown}: {status}");
    }
    Ok(())
}

/// Cargo in the workspace, quiet about nothing.
pub fn cargo(root: &std::path::Path) -> Command {
    let mut command = Command::new("cargo");
    command.current_dir(root);
    command
}

/// Every package but the browser's entry, as `default-members` in the root `Cargo.toml`. Builds for development select packages in this
/// way alone: another selection has other features, and compiles what they depend on anew.
pub const PACKAGES: [&str; 3] = ["--workspace", "--exclude", "hydrate"];

fn shown(command: &Command) -> String {
    std::iter::once(command.get_program()).chain(command.get_args()).map(OsStr::to_string_lossy).collect::<Vec<_>>().join(" ")
}
