//! `cargo xtask bench`: measures the release build; the programs are in `server/benches/portal`.

use anyhow::Result;
use clap::Args;

use crate::site::{self, Optimise};
use crate::steps::{cargo, run, step};
use crate::tools::Tools;
use crate::workspace::Workspace;

/// Arguments of `bench`.
#[derive(Args)]
pub struct Bench {
    /// pages, start, fulfilment or all; then seconds for each load.
    #[arg(default_value = "all")]
    which: Vec<String>,
    #[command(flatten)]
    tools: Tools,
}

impl Bench {
    /// Builds in release, then measures.
    pub fn run(self) -> Result<()> {
        let workspace = Workspace::find()?;
        site::build(&workspace, &self.tools, Optimise::IfPossible)?;
        eprintln!("    script and wasm of live pages: {} bytes compressed", site::live_weight(&workspace)?);
        // One selection of targets for both, so that nothing is compiled twice with other features.
        step("building the server", || {
            run(cargo(&workspace.root).args(["build", "--release", "--package", "opm-portal", "--bin", "opm-portal", "--bench", "portal"]))
        })?;
        step("measuring", || {
            run(cargo(&workspace.root)
                .args(["bench", "--package", "opm-portal", "--bench", "portal", "--"])
                .args(&self.which)
                .env("OPM_PORTAL", workspace.target.join("release/opm-portal"))
                .env("OPM_SITE", workspace.site()))
        })
    }
}
