//! `cargo xtask site`: the browser files, built from `style/`, the classes in `app/src`, `app/live` and `app/hydrate`, and committed in `site/`,
//! so that building the server needs neither the wasm target nor Node. `cargo xtask test` builds them again and compares, if their sources have
//! changed since.

use anyhow::Result;
use clap::Args;

use crate::tools::Tools;
use crate::workspace::Workspace;

#[cfg(feature = "site")]
mod build;
mod built;
#[cfg(feature = "site")]
mod utilities;

/// Arguments of `site`.
#[derive(Args)]
pub struct Site {
    /// Write nothing; fail and list stale files.
    #[arg(long)]
    check: bool,
    /// Build only the style sheet, which needs neither the wasm target nor Node.
    #[arg(long)]
    style: bool,
    #[command(flatten)]
    tools: Tools,
}

impl Site {
    /// Builds the site and writes or compares `site/`.
    pub fn run(self) -> Result<()> {
        let workspace = Workspace::find()?;
        self.build(&workspace)
    }

    #[cfg(feature = "site")]
    fn build(&self, workspace: &Workspace) -> Result<()> {
        if self.style { build::style_only(workspace, self.check) } else { build::site(workspace, &self.tools, self.check) }
    }

    #[cfg(not(feature = "site"))]
    fn build(&self, workspace: &Workspace) -> Result<()> {
        run_with_feature(workspace, self.check, self.style, self.tools.may_install())
    }
}

/// Whether the committed site is what was built and linted last, from the sources as they are now.
pub fn is_current(workspace: &Workspace) -> Result<bool> {
    built::is_current(&workspace.root)
}

/// Compares the committed site with a new build.
pub fn check(workspace: &Workspace, tools: &Tools) -> Result<()> {
    run_with_feature(workspace, true, false, tools.may_install())
}

/// Runs this tool with the feature that builds sites, which is compiled when it is first needed.
fn run_with_feature(workspace: &Workspace, check: bool, style: bool, install: bool) -> Result<()> {
    let mut again = crate::check::linting(workspace);
    again.args(["run", "--bin", "xtask", "--features", "xtask/site", "--", "site"]);
    if check {
        again.arg("--check");
    }
    if style {
        again.arg("--style");
    }
    if install {
        again.arg("--install");
    }
    crate::steps::run(&mut again)
}
