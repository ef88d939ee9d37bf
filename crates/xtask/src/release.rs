//! `cargo xtask build`: what is deployed, in `target/dist`: one file.

use anyhow::Result;
use clap::Args;

use crate::steps::step;
use crate::workspace::Workspace;

/// Arguments of `build`.
#[derive(Args)]
pub struct Build {
    /// Optimise.
    #[arg(long)]
    release: bool,
}

impl Build {
    /// Builds the server.
    pub fn run(self) -> Result<()> {
        let workspace = Workspace::find()?;
        let binary = workspace.build_portal(self.release)?;
        let dist = workspace.target.join("dist");
        step("writing target/dist", || {
            let _ = std::fs::remove_dir_all(&dist);
            std::fs::create_dir_all(&dist)?;
            std::fs::copy(&binary, dist.join("opm-portal"))?;
            Ok(())
        })?;
        eprintln!("run it with: {} serve --plane embedded", dist.join("opm-portal").display());
        Ok(())
    }
}
