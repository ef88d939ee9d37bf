//! `cargo xtask check`: formatting and lints.

use std::process::Command;

use anyhow::Result;
use clap::Args;

use crate::steps::{PACKAGES, cargo, run, step};
use crate::tools::Tools;
use crate::workspace::Workspace;

/// Arguments of `check`.
#[derive(Args)]
pub struct Check {}

impl Check {
    /// Runs formatting, lints of native code, and lints of the browser part.
    pub fn run(self) -> Result<()> {
        let workspace = Workspace::find()?;
        formatting(&workspace)?;
        lints(&workspace)?;
        browser_lints(&workspace)
    }
}

/// Runs `cargo fmt --check`.
pub fn formatting(workspace: &Workspace) -> Result<()> {
    step("checking formatting", || run(cargo(&workspace.root).args(["fmt", "--all", "--check"])))
}

/// Runs Clippy natively, with warnings as errors; building the tests with [`linting`] does the same.
pub fn lints(workspace: &Workspace) -> Result<()> {
    step("linting", || run(cargo(&workspace.root).arg("clippy").args(PACKAGES).args(["--all-targets", "--", "--deny", "warnings"])))
}

/// Returns a cargo command that compiles the packages of this workspace with Clippy's driver, with warnings as errors. `cargo clippy`
/// compiles all dependencies again, because it only checks.
pub fn linting(workspace: &Workspace) -> Command {
    let mut command = cargo(&workspace.root);
    command.env("RUSTC_WORKSPACE_WRAPPER", workspace.root.join("crates/xtask/linting"));
    command
}

/// Runs Clippy for the browser, with warnings as errors.
pub fn browser_lints(workspace: &Workspace) -> Result<()> {
    Tools::wasm_target()?;
    step("linting the browser part", || {
        run(cargo(&workspace.root)
            .args([
                "clippy",
                "--package",
                "hydrate",
                "--package",
                "live",
                "--features",
                "hydrate/islands,hydrate/palette",
                "--target",
                "wasm32-unknown-unknown",
                "--profile",
                "wasm-release",
            ])
            .args(["--", "--deny", "warnings"]))
    })
}
