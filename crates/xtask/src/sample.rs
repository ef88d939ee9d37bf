//! `cargo xtask sample`: records the history of the sample world.

use std::process::Command;

use anyhow::Result;
use clap::Args;

use crate::steps::{run, step};
use crate::workspace::Workspace;

/// Arguments of `sample`.
#[derive(Args)]
pub struct Sample {}

impl Sample {
    /// Builds the server and lets it play the story of `examples/history/story.yaml`. The record is built into the next server.
    pub fn run(self) -> Result<()> {
        let workspace = Workspace::find()?;
        let binary = workspace.build_portal(false)?;
        let mut program = Command::new(binary);
        program.arg("record").arg("--examples").arg(workspace.root.join("examples"));
        step("recording the sample world", || run(&mut program))
    }
}
