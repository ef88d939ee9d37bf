//! Folders of the checkout.

use std::path::PathBuf;

use anyhow::{Context, Result};

use crate::steps::{PACKAGES, cargo, run, step};

/// Folders of this checkout.
pub struct Workspace {
    /// The folder of the root `Cargo.toml`.
    pub root: PathBuf,
    /// Cargo's build directory.
    pub target: PathBuf,
}

impl Workspace {
    /// Finds the folders by calling cargo in the current folder, so that a configured build directory is respected and a checkout that was
    /// moved is found.
    pub fn find() -> Result<Self> {
        let output = std::process::Command::new("cargo")
            .args(["metadata", "--format-version", "1", "--no-deps", "--offline"])
            .output()
            .context("cargo metadata")?;
        let metadata: serde_json::Value = serde_json::from_slice(&output.stdout).context("cargo metadata didn't print JSON")?;
        let path = |key: &str| metadata[key].as_str().map(PathBuf::from).with_context(|| format!("cargo metadata has no {key}"));
        Ok(Self { root: path("workspace_root")?, target: path("target_directory")? })
    }

    /// Builds the server and returns its path. The production build has only its own features.
    pub fn build_portal(&self, release: bool) -> Result<PathBuf> {
        let mut build = cargo(&self.root);
        build.args(["build", "--bin", "opm-portal"]);
        if release {
            build.args(["--release", "--package", "opm-portal"]);
        } else {
            build.args(PACKAGES);
        }
        step("building the server", || run(&mut build))?;
        Ok(if release { self.target.join("release/opm-portal") } else { self.portal() })
    }

    /// Returns the path of the server as built for development and tests.
    pub fn portal(&self) -> PathBuf {
        self.target.join("debug").join("opm-portal")
    }
}
