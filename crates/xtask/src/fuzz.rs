//! `cargo xtask fuzz`: libFuzzer over the targets of `fuzz/`, with the stable compiler.
//!
//! Only our own crates are instrumented, with a compiler wrapper that cargo calls only for workspace members: their dependencies are reused
//! from the test build.

use std::fs::{self, File};
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::thread;

use anyhow::{Context as _, Result, bail};
use clap::Args;

use crate::steps::{PACKAGES, cargo, step};
use crate::workspace::Workspace;

/// Maximum size of an input, in bytes.
const LARGEST: &str = "65536";
/// Number of targets that run at the same time.
const PARALLEL: usize = 2;

/// Arguments of `fuzz`.
#[derive(Args)]
pub struct Fuzz {
    /// Run only these targets: names of files in `fuzz/src/targets`.
    targets: Vec<String>,
    /// How long each target runs, in seconds.
    #[arg(long, default_value_t = 20)]
    seconds: u32,
    /// How long one input can take, in seconds. Use 1 for long runs on an idle machine.
    #[arg(long, default_value_t = 5)]
    timeout: u32,
}

impl Fuzz {
    /// Builds the targets and runs each for the given time.
    pub fn run(self) -> Result<()> {
        let workspace = Workspace::find()?;
        all(&workspace, &self.targets, self.seconds, self.timeout)
    }
}

/// Runs the chosen targets, or all of them.
pub fn all(workspace: &Workspace, chosen: &[String], seconds: u32, timeout: u32) -> Result<()> {
    let known = targets(&workspace.root)?;
    if let Some(unknown) = chosen.iter().find(|name| !known.contains(name)) {
        bail!("no target {unknown}: choose one of {}", known.join(", "));
    }
    let engine = step("building the fuzz targets", || build(workspace))?;
    let waiting = Mutex::new(known.into_iter().filter(|name| chosen.is_empty() || chosen.contains(name)).rev().collect::<Vec<_>>());
    let broken = Mutex::new(Vec::new());
    step("fuzzing", || {
        thread::scope(|scope| {
            for _ in 0..PARALLEL {
                scope.spawn(|| {
                    while let Some(target) = next(&waiting) {
                        if let Err(error) = run(workspace, &engine, &target, seconds, timeout)
                            && let Ok(mut broken) = broken.lock()
                        {
                            broken.push(format!("{error:#}"));
                        }
                    }
                });
            }
        });
        Ok(())
    })?;
    let broken = broken.into_inner().unwrap_or_default();
    if broken.is_empty() { Ok(()) } else { bail!("{}", broken.join("\n")) }
}

fn next(waiting: &Mutex<Vec<String>>) -> Option<String> {
    waiting.lock().ok()?.pop()
}

/// Returns the file names of the targets.
fn targets(root: &Path) -> Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(root.join("fuzz/src/targets"))? {
        let path = entry?.path();
        names.extend(path.file_stem().map(|name| name.to_string_lossy().into_owned()));
    }
    names.sort();
    Ok(names)
}

/// Builds the engine with all targets and returns its path.
fn build(workspace: &Workspace) -> Result<PathBuf> {
    let mut build = cargo(&workspace.root);
    build.arg("test").args(PACKAGES).args(["--features", "fuzz/engine", "--test", "engine", "--no-run"]);
    build.args(["--message-format", "json-render-diagnostics"]);
    build.env("RUSTC_WORKSPACE_WRAPPER", workspace.root.join("fuzz/instrumented")).stdout(Stdio::piped());
    let mut building = build.spawn().context("cannot start cargo")?;
    let output = building.stdout.take().context("cargo has no output")?;
    let mut engine = None;
    for line in BufReader::new(output).lines() {
        let message: serde_json::Value = serde_json::from_str(&line?).unwrap_or_default();
        if message["target"]["name"] == "engine"
            && let Some(path) = message["executable"].as_str()
        {
            engine = Some(PathBuf::from(path));
        }
    }
    let status = building.wait()?;
    match engine {
        Some(engine) if status.success() => Ok(engine),
        _ => bail!("cargo test --features fuzz/engine --test engine: {status}"),
    }
}

fn run(workspace: &Workspace, engine: &Path, target: &str, seconds: u32, timeout: u32) -> Result<()> {
    let folder = workspace.target.join("fuzz").join(target);
    let corpus = folder.join("corpus");
    fs::create_dir_all(&corpus)?;
    let log = folder.join("log");
    let mut command = Command::new(engine);
    command.arg(&corpus);
    for own in ["seeds", "regressions"] {
        let own = workspace.root.join("fuzz").join(own).join(target);
        if own.is_dir() {
            command.arg(own);
        }
    }
    command
        .arg(format!("-max_total_time={seconds}"))
        .arg(format!("-timeout={timeout}"))
        .arg(format!("-max_len={LARGEST}"))
        .arg("-rss_limit_mb=2048")
        .arg(format!("-artifact_prefix={}/", folder.display()))
        .env("OPM_FUZZ_TARGET", target)
        .current_dir(&folder)
        .stderr(File::create(&log)?);
    let status = command.status().with_context(|| format!("cannot start {}", engine.display()))?;
    let said = fs::read_to_string(&log)?;
    if !status.success() {
        let lines: Vec<&str> = said.lines().collect();
        let end = lines[lines.len().saturating_sub(40)..].join("\n");
        bail!("{target}: {end}\n{target} is broken: fix it and keep the input in fuzz/regressions/{target}/");
    }
    let cover = said.lines().filter_map(|line| line.split_once(" cov: ")).next_back().and_then(|(_, rest)| rest.split(' ').next());
    let runs = said.lines().find_map(|line| line.strip_prefix("Done ")).and_then(|rest| rest.split(' ').next());
    eprintln!("    {target}: {} inputs, {} branches reached", runs.unwrap_or("?"), cover.unwrap_or("?"));
    Ok(())
}
