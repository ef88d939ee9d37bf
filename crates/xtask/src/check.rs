//! `cargo xtask check`: formatting and lints.

use anyhow::Result;
use clap::Args;

use crate::steps::{cargo, run, step};
use crate::tools::Tools;
use crate::workspace::Workspace;

/// Arguments of `check`.
#[derive(Args)]
pub struct Check {}

impl Check {
    /// Formatting, lints of native code, lints of the browser part.
    pub fn run(self) -> Result<()> {
        let workspace = Workspace::find()?;
        formatting(&workspace)?;
        lints(&workspace)
    }
}

/// `cargo fmt --check`.
pub fn formatting(workspace: &Workspace) -> Result<()> {
    step("checking formatting", || run(cargo(&workspace.root).args(["fmt", "--all", "--check"])))
}

/// Clippy with warnings as errors, natively and for the browser.
pub fn lints(workspace: &Workspace) -> Result<()> {
    step("linting", || {
        run(cargo(&workspace.root).args(["clippy", "--workspace", "--exclude", "hydrate", "--all-targets", "--", "--deny", "warnings"]))
    })?;
    Tools::wasm_target()?;
    step("linting the browser part", || {
        run(cargo(&workspace.root)
            .args(["clippy", "--package", "hydrate", "--target", "wasm32-unknown-unknown", "--profile", "wasm-release"])
            .args(["--", "--deny", "warnings"]))
    })
}
