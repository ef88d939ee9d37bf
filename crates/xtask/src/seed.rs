//! `cargo xtask seed`: a data folder with many finished instances, for `cargo xtask serve --data DIR`.

use std::path::PathBuf;
use std::process::Command;

use anyhow::Result;
use clap::Args;

use crate::steps::{run, step};
use crate::workspace::Workspace;

/// Arguments of `seed`.
#[derive(Args)]
pub struct Seed {
    /// Number of instances.
    #[arg(long, default_value_t = 10_000)]
    instances: usize,
    /// Number of workspaces.
    #[arg(long, default_value_t = 200)]
    workspaces: usize,
    /// Seed for kinds, names, projects and ages: the same number creates the same instances.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Age of the oldest instance, in days.
    #[arg(long, default_value_t = 60)]
    days: u32,
    /// Age of the cost ledger, in days.
    #[arg(long, default_value_t = 30)]
    ledger_days: u32,
    /// Data folder of the plane and database [default: .opm-seeded].
    #[arg(long)]
    data: Option<PathBuf>,
    /// Build for production: slower to build, faster to run.
    #[arg(long)]
    release: bool,
}

impl Seed {
    /// Builds the server and runs it to create the instances.
    pub fn run(self) -> Result<()> {
        let workspace = Workspace::find()?;
        let binary = workspace.build_portal(self.release)?;
        let data = self.data.unwrap_or_else(|| workspace.root.join(".opm-seeded"));
        let mut program = Command::new(binary);
        program.arg("seed").arg("--data").arg(&data);
        program.args(["--instances", &self.instances.to_string(), "--workspaces", &self.workspaces.to_string()]);
        program.args(["--seed", &self.seed.to_string(), "--days", &self.days.to_string()]);
        program.args(["--ledger-days", &self.ledger_days.to_string()]);
        step("seeding", || run(&mut program))?;
        eprintln!("    cargo xtask serve --data {}", data.display());
        Ok(())
    }
}
