//! Suites: tests that belong together although they are in different crates, beside what they test.
//!
//! A suite selects tests by name, and an entry that selects nothing is an error, so that a renamed test can't drop out unnoticed.

use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::steps::{run, step};

/// Tests of one target, by parts of their names.
pub struct Selection {
    /// What they test.
    pub what: &'static str,
    /// Arguments that select the target.
    pub target: &'static [&'static str],
    /// Options of the test program.
    pub options: &'static [&'static str],
    /// Parts of the names.
    pub names: &'static [&'static str],
}

/// Runs a suite with `cargo`, which has the locations of the servers; with `full`, also on a real kube-apiserver.
pub fn run_suite(suite: &[Selection], cargo: impl Fn() -> Result<Command>, full: bool) -> Result<()> {
    for selection in suite {
        let mut tests = cargo()?;
        tests.arg("test").args(crate::steps::PACKAGES).args(selection.target).arg("--");
        if !full {
            tests.args(["--skip", "::kubernetes"]);
        }
        tests.args(selection.options).args(selection.names);
        step(selection.what, || {
            complete(&mut cargo()?, selection)?;
            run(&mut tests)
        })?;
    }
    Ok(())
}

/// Checks that each name selects a test.
fn complete(cargo: &mut Command, selection: &Selection) -> Result<()> {
    let listed = cargo
        .arg("test")
        .args(crate::steps::PACKAGES)
        .args(selection.target)
        .args(["--", "--list", "--format", "terse"])
        .stderr(std::process::Stdio::inherit())
        .output()
        .context("cannot list the tests")?;
    if !listed.status.success() {
        bail!("can't list the tests of {}: {}", selection.target.join(" "), listed.status);
    }
    let listed = String::from_utf8_lossy(&listed.stdout);
    match selection.names.iter().find(|name| !listed.lines().any(|test| test.contains(**name))) {
        Some(name) => bail!("no test of {} has {name} in its name", selection.target.join(" ")),
        None => Ok(()),
    }
}
