//! `cargo xtask build`: what is deployed, in `target/dist`: the binary and the site beside it.

use anyhow::Result;
use clap::Args;

use crate::site::{self, Optimise};
use crate::steps::step;
use crate::tools::Tools;
use crate::workspace::Workspace;

/// Arguments of `build`.
#[derive(Args)]
pub struct Build {
    /// Optimise: the server for speed, the browser part for size.
    #[arg(long)]
    release: bool,
    #[command(flatten)]
    tools: Tools,
}

impl Build {
    /// Builds site and server.
    pub fn run(self) -> Result<()> {
        let workspace = Workspace::find()?;
        site::build(&workspace, &self.tools, if self.release { Optimise::IfPossible } else { Optimise::No })?;
        let binary = workspace.build_portal(self.release)?;
        let dist = workspace.target.join("dist");
        step("writing target/dist", || {
            let _ = std::fs::remove_dir_all(&dist);
            copy(&workspace.site(), &dist.join("site"))?;
            std::fs::copy(&binary, dist.join("opm-portal"))?;
            Ok(())
        })?;
        eprintln!("run it with: {} serve --plane embedded", dist.join("opm-portal").display());
        Ok(())
    }
}

fn copy(from: &std::path::Path, to: &std::path::Path) -> Result<()> {
    std::fs::create_dir_all(to)?;
    for entry in std::fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy(&entry.path(), &target)?;
        } else {
            std::fs::copy(entry.path(), target)?;
        }
    }
    Ok(())
}
