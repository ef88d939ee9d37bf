//! `cargo xtask build`: the deployed binary, a single file in `target/dist`.

use anyhow::{Result, ensure};
use clap::Args;

use crate::steps::step;
use crate::workspace::Workspace;

/// Maximum size of the release, in bytes: it is copied into images and onto machines.
const LARGEST: u64 = 60_000_000;

/// Arguments of `build`.
#[derive(Args)]
pub struct Build {
    /// Build with optimizations.
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
        let (program, size) = (dist.join("opm-portal"), std::fs::metadata(&binary)?.len());
        eprintln!("    {} MB", size.div_ceil(1_000_000));
        ensure!(!self.release || size <= LARGEST, "{} has {size} bytes; a release can have at most {LARGEST}", program.display());
        eprintln!("run it with: {} serve --plane embedded", program.display());
        Ok(())
    }
}
