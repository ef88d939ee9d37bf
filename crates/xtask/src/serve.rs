//! `cargo xtask serve`: from a fresh clone to a running portal.

use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result};
use clap::{Args, ValueEnum};

use crate::workspace::Workspace;

/// Arguments of `serve`.
#[derive(Args)]
pub struct Serve {
    /// Plane to run on: the embedded one, or the server of a kubeconfig where `opm-portal bootstrap` was run.
    #[arg(long, value_enum, default_value_t = Plane::Embedded)]
    plane: Plane,
    /// Kubeconfig file [default: the one kubectl uses].
    #[arg(long, value_name = "FILE")]
    kubeconfig: Option<PathBuf>,
    /// Context of the kubeconfig [default: the current one].
    #[arg(long, value_name = "NAME")]
    context: Option<String>,
    /// Port of the portal on loopback.
    #[arg(long, default_value_t = 8080)]
    port: u16,
    /// Data folder of the plane and sessions [default: .opm].
    #[arg(long)]
    data: Option<PathBuf>,
    /// Keep everything in memory.
    #[arg(long, conflicts_with = "data")]
    ephemeral: bool,
    /// Start the sample world without its history.
    #[arg(long)]
    empty: bool,
    /// Build for production: slower to build, faster to run.
    #[arg(long)]
    release: bool,
}

/// A plane that the portal runs on.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Plane {
    /// The development plane in the portal's process.
    Embedded,
    /// The server of a kubeconfig's context.
    Kubeconfig,
}

impl Plane {
    /// Returns the value of the portal's own argument.
    fn name(self) -> &'static str {
        match self {
            Self::Embedded => "embedded",
            Self::Kubeconfig => "kubeconfig",
        }
    }
}

impl Serve {
    /// Builds everything, then becomes the server process.
    pub fn run(self) -> Result<()> {
        let workspace = Workspace::find()?;
        let binary = workspace.build_portal(self.release)?;
        let mut portal = Command::new(&binary);
        portal.args(["serve", "--plane", self.plane.name(), "--port", &self.port.to_string()]);
        if let Some(kubeconfig) = &self.kubeconfig {
            portal.arg("--kubeconfig").arg(kubeconfig);
        }
        if let Some(context) = &self.context {
            portal.args(["--context", context]);
        }
        if self.empty {
            portal.arg("--empty");
        }
        if self.ephemeral {
            portal.arg("--ephemeral");
        } else {
            portal.arg("--data").arg(self.data.unwrap_or_else(|| workspace.root.join(".opm")));
        }
        Err(portal.exec()).context(binary.display().to_string())
    }
}
