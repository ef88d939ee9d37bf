//! `cargo xtask gen`: files that are generated from the Rust types and committed.

use anyhow::Result;
use clap::Args;

use crate::steps::{run, step};
use crate::workspace::Workspace;

/// Arguments of `gen`.
#[derive(Args)]
pub struct Gen {
    /// Write nothing; fail and list stale files.
    #[arg(long)]
    check: bool,
}

impl Gen {
    /// Writes or compares `deploy/`.
    pub fn run(self) -> Result<()> {
        let workspace = Workspace::find()?;
        workspace.build_portal(false)?;
        deploy(&workspace, self.check)
    }
}

/// Runs the built server to write or compare `deploy/`.
pub fn deploy(workspace: &Workspace, check: bool) -> Result<()> {
    step(if check { "comparing deploy/ with the Rust types" } else { "writing deploy/" }, || {
        let mut command = std::process::Command::new(workspace.portal());
        command.arg("manifests").arg("--out").arg(workspace.root.join("deploy"));
        if check {
            command.arg("--check");
        }
        run(&mut command)
    })
}
