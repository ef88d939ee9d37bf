//! `cargo xtask routes`: every address of the portal, with its method and who can use it.

use std::process::Command;

use anyhow::Result;
use clap::Args;

use crate::steps::run;
use crate::workspace::Workspace;

/// Arguments of `routes`.
#[derive(Args)]
pub struct Routes {}

impl Routes {
    /// Builds the server and runs its command of the same name.
    pub fn run(self) -> Result<()> {
        run(Command::new(Workspace::find()?.build_portal(false)?).arg("routes"))
    }
}
