//! `cargo xtask serve`: from a fresh clone to a page.

use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result};
use clap::Args;

use crate::site::{self, Optimise};
use crate::steps::{cargo, run, step};
use crate::tools::Tools;
use crate::workspace::Workspace;

/// Arguments of `serve`.
#[derive(Args)]
pub struct Serve {
    /// Port of the portal on loopback.
    #[arg(long, default_value_t = 8080)]
    port: u16,
    /// Folder that keeps plane and sessions [default: .opm].
    #[arg(long)]
    data: Option<PathBuf>,
    /// Keep everything in memory.
    #[arg(long, conflicts_with = "data")]
    ephemeral: bool,
    /// Build as for production: slower to build, quicker to run.
    #[arg(long)]
    release: bool,
    #[command(flatten)]
    tools: Tools,
}

impl Serve {
    /// Builds everything, then becomes the server.
    pub fn run(self) -> Result<()> {
        let workspace = Workspace::find()?;
        site::build(&workspace, &self.tools, if self.release { Optimise::IfPossible } else { Optimise::No })?;
        let profile = if self.release { "release" } else { "dev" };
        step("building the server", || run(cargo(&workspace.root).args(["build", "--package", "opm-portal", "--profile", profile])))?;
        let binary = if self.release { workspace.target.join("release/opm-portal") } else { workspace.portal() };
        let mut portal = Command::new(&binary);
        portal.args(["serve", "--plane", "embedded", "--port", &self.port.to_string()]).arg("--site").arg(workspace.site());
        if self.ephemeral {
            portal.arg("--ephemeral");
        } else {
            portal.arg("--data").arg(self.data.unwrap_or_else(|| workspace.root.join(".opm")));
        }
        Err(portal.exec()).context(binary.display().to_string())
    }
}
