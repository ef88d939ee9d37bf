//! `cargo xtask soak NAME`: the full size of a check whose small size is in `cargo xtask test`.

use anyhow::Result;
use clap::{Args, Subcommand};

use crate::steps::{cargo, run, step};
use crate::workspace::Workspace;

/// Arguments of `soak`.
#[derive(Args)]
pub struct Soak {
    #[command(subcommand)]
    check: Check,
}

/// The checks.
#[derive(Subcommand)]
enum Check {
    /// Kill the release binary at seeded instants of fulfilments: each is completed, each object made once.
    Kill {
        /// How many instants.
        #[arg(long, default_value_t = 20)]
        kills: u32,
        /// Which instants.
        #[arg(long, default_value_t = 1)]
        seed: u64,
    },
}

impl Soak {
    /// Builds in release, then runs the chosen check.
    pub fn run(self) -> Result<()> {
        let workspace = Workspace::find()?;
        let Check::Kill { kills, seed } = self.check;
        step("building the server", || {
            run(cargo(&workspace.root).args(["build", "--release", "--package", "opm-portal", "--bin", "opm-portal", "--bench", "portal"]))
        })?;
        step("killing and starting again", || {
            run(cargo(&workspace.root)
                .args(["test", "--package", "opm-portal", "--test", "portal", "kill::", "--", "--nocapture"])
                .env("OPM_PORTAL", workspace.target.join("release/opm-portal"))
                .env("OPM_KILLS", kills.to_string())
                .env("OPM_SEED", seed.to_string()))
        })
    }
}
