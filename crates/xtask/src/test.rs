//! `cargo xtask test`: everything that CI runs, each step named.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Result, bail};
use clap::{Args, ValueEnum};

use crate::programs::Program;
use crate::steps::{PACKAGES, not_run, run, step, table};
use crate::tools::Tools;
use crate::workspace::Workspace;
use crate::{chart, check, classes, forms, freshness, fuzz, generate, programs, site, suite, trust, words};

/// How long each fuzz target runs, in seconds.
const FUZZ_SECONDS: u32 = 20;
/// How long one input can take there, in seconds: the machine is also busy with other work.
const FUZZ_TIMEOUT: u32 = 10;

/// Arguments of `test`.
#[derive(Args)]
pub struct Test {
    /// Run only this suite.
    #[arg(conflicts_with_all = ["only", "plane"])]
    suite: Option<Suite>,
    /// Run only this part.
    #[arg(long, value_enum)]
    only: Option<Part>,
    /// Also run slow checks that rarely find anything: fresh inputs for each fuzz target, and all recorded answers compared again with a
    /// real kube-apiserver. Run it once for each larger change.
    #[arg(long)]
    full: bool,
    /// Run only the tests of what the portal needs from a plane, on this plane.
    #[arg(long, value_enum, conflicts_with = "only")]
    plane: Option<Plane>,
    #[command(flatten)]
    tools: Tools,
}

/// Tests that belong together although they are in different crates, beside what they test.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Suite {
    /// What tenants, visitors and objects could try, on the embedded plane; with --full also on a real kube-apiserver.
    Trust,
    /// Forms of real definitions and of any schema, with the share of values that have a control.
    Forms,
    /// Words that user-facing texts must not use.
    Words,
    /// Classes that no style sheet defines, and rules for classes that nothing uses.
    Classes,
    /// The Helm chart: lint, what it renders for each of its sets of values, and whether a real API server accepts that.
    Chart,
}

/// A part that can be run alone.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Part {
    /// Formatting and lints.
    Lint,
    /// Tests of the crates, and generated files.
    Rust,
    /// Each fuzz target for a short time; only with --full or when chosen.
    Fuzz,
    /// Weights and browser tests.
    Browser,
}

/// A plane that the suites of `crates/cluster` run on: what the portal needs from a plane, fulfilment, and what tenants could try.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Plane {
    /// The embedded plane.
    Embedded,
    /// kube-apiserver with its etcd.
    Kubernetes,
    /// kcp, if KCP_BIN is set or kcp is on the PATH.
    Kcp,
    /// All of them.
    All,
}

impl Test {
    /// Runs the chosen part, or all of them: whatever fails fastest comes first.
    pub fn run(self) -> Result<()> {
        let outcome = self.parts();
        table();
        outcome
    }

    fn parts(&self) -> Result<()> {
        let workspace = Workspace::find()?;
        if let Some(plane) = self.plane {
            return self.contract(&workspace, plane);
        }
        match self.suite {
            Some(Suite::Trust) => return suite::run_suite(trust::SUITE, || self.with_servers(&workspace), self.full),
            Some(Suite::Forms) => return suite::run_suite(forms::SUITE, || self.with_servers(&workspace), self.full),
            Some(Suite::Chart) => return suite::run_suite(chart::SUITE, || self.with_servers(&workspace), self.full),
            Some(Suite::Words) => return self.words(&workspace),
            Some(Suite::Classes) => return self.classes(&workspace),
            None => {}
        }
        let wanted = |part| self.only.is_none_or(|only| only == part);
        if wanted(Part::Lint) {
            check::formatting(&workspace)?;
            self.words(&workspace)?;
            self.classes(&workspace)?;
        }
        let (rust, browser) = (wanted(Part::Rust), wanted(Part::Browser));
        if rust || browser {
            if self.tools.is_ci() {
                freshness::restore(&workspace)?;
            }
            let programs = self.build(&workspace, rust, browser)?;
            self.run_tests(&workspace, rust.then_some(programs), browser)?;
        }
        if self.full || self.only == Some(Part::Fuzz) {
            fuzz::all(&workspace, &[], FUZZ_SECONDS, FUZZ_TIMEOUT)?;
        } else if self.only.is_none() {
            not_run("fresh inputs for the fuzz targets", "part of --full; earlier findings ran with the tests of the crates");
        }
        if wanted(Part::Lint) {
            if !rust && !browser {
                check::lints(&workspace)?;
            }
            if !self.knows_site(&workspace)? {
                check::browser_lints(&workspace)?;
            }
        }
        Ok(())
    }

    /// Whether `site/` needn't be built and linted again, because nothing has changed since; the closing table says so.
    fn knows_site(&self, workspace: &Workspace) -> Result<bool> {
        let known = !self.full && site::is_current(workspace)?;
        if known {
            not_run("building and linting site/ again", "neither it nor its sources have changed; part of --full");
        }
        Ok(known)
    }

    fn words(&self, workspace: &Workspace) -> Result<()> {
        step("checking the words of texts", || words::check(workspace, self.tools.is_ci()))
    }

    fn classes(&self, workspace: &Workspace) -> Result<()> {
        step("checking the classes of pages", || classes::check(workspace, self.tools.is_ci()))
    }

    /// Builds and lints everything for tests. Other tools are fetched at the same time: they wait for the network, and the last crates of a
    /// build for each other.
    fn build(&self, workspace: &Workspace, rust: bool, browser: bool) -> Result<Vec<Program>> {
        std::thread::scope(|scope| {
            let tools = scope.spawn(|| self.tools.gather(&workspace.root, rust, browser));
            let programs = step("building and linting everything for tests", || {
                programs::build(check::linting(workspace).arg("test").args(PACKAGES).arg("--all-targets"))
            })?;
            tools.join().unwrap_or_else(|_| bail!("gathering the tools panicked"))?;
            Ok(programs)
        })
    }

    /// Runs the tests of the crates and the browser tests at the same time: each keeps the machine busy for half of its time.
    fn run_tests(&self, workspace: &Workspace, crates: Option<Vec<Program>>, browser: bool) -> Result<()> {
        if browser && !self.knows_site(workspace)? {
            step("comparing site/ with its sources", || site::check(workspace, &self.tools))?;
        }
        std::thread::scope(|scope| {
            let pages = browser.then(|| scope.spawn(|| self.browser(workspace)));
            let crates = crates.map_or(Ok(()), |programs| self.crates(workspace, &programs));
            let pages = pages.map_or(Ok(()), |pages| pages.join().unwrap_or_else(|_| bail!("the browser tests panicked")));
            crates.and(pages)
        })
    }

    fn crates(&self, workspace: &Workspace, programs: &[Program]) -> Result<()> {
        let mut variables = self.servers(workspace)?;
        variables.push(("OPM_KUBECTL", self.tools.kubectl(&workspace.root)?));
        step("running the tests of the crates", || programs::run_all(programs, &variables))?;
        step("running the examples in documentation", || run(check::linting(workspace).arg("test").args(PACKAGES).arg("--doc")))?;
        self.planes_side_by_side(workspace)?;
        generate::deploy(workspace, true)?;
        if !kcp_is_here() {
            without_kcp();
        }
        Ok(())
    }

    /// Runs `cargo xtask bench plane` at a small size, with the test build: it checks that every response is correct, not how fast it is.
    fn planes_side_by_side(&self, workspace: &Workspace) -> Result<()> {
        let mut program = self.with_servers(workspace)?;
        program.arg("test").args(PACKAGES).args(["--bench", "plane", "--"]);
        program.args(["--objects", "200", "--watchers", "50", "--workspaces", "10", "--starts", "1", "--rest", "0"]);
        step("comparing the planes at a small size", || run(program.env("OPM_PORTAL", workspace.portal())))
    }

    fn contract(&self, workspace: &Workspace, plane: Plane) -> Result<()> {
        let mut tests = self.with_servers(workspace)?;
        tests.arg("test").args(PACKAGES).args(["--test", "contract", "--test", "plane", "--"]);
        match plane {
            Plane::Embedded => tests.args(["embedded", "::workspaces", "::namespaces"]),
            Plane::Kubernetes => tests.arg("kubernetes"),
            Plane::Kcp => tests.arg("kcp"),
            Plane::All => tests.args(["embedded", "kubernetes", "kcp", "::workspaces", "::namespaces"]),
        };
        tests.arg("--nocapture");
        if matches!(plane, Plane::Kcp | Plane::All) && !kcp_is_here() {
            without_kcp();
        }
        step("testing the planes", || run(&mut tests))
    }

    /// Returns a cargo command with the locations of the real servers.
    fn with_servers(&self, workspace: &Workspace) -> Result<Command> {
        let mut command = check::linting(workspace);
        command.envs(self.servers(workspace)?);
        Ok(command)
    }

    /// Returns the variables with the locations of the real servers, and how much the tests do.
    fn servers(&self, workspace: &Workspace) -> Result<Vec<(&'static str, PathBuf)>> {
        let mut variables = self.api_server(workspace)?;
        if self.full {
            variables.push(("OPM_FULL", "true".into()));
        }
        if let Some((helm, definitions)) = self.tools.helm(&workspace.root)? {
            variables.extend([("OPM_HELM", helm), ("OPM_CHART_DEFINITIONS", definitions)]);
        }
        Ok(variables)
    }

    /// Returns the variables with the locations of kube-apiserver and etcd, if they are there.
    fn api_server(&self, workspace: &Workspace) -> Result<Vec<(&'static str, PathBuf)>> {
        let found = self.tools.api_server(&workspace.root)?;
        Ok(found.map_or_else(Vec::new, |(apiserver, etcd)| vec![("OPM_KUBE_APISERVER", apiserver), ("OPM_ETCD", etcd)]))
    }

    fn browser(&self, workspace: &Workspace) -> Result<()> {
        let end2end = workspace.root.join("end2end");
        self.tools.npm(&end2end)?;
        let (chromium, kubectl) = (self.tools.chromium()?, self.tools.kubectl(&workspace.root)?);
        step("running the browser tests", || {
            let mut tests = Command::new("node");
            tests.current_dir(&end2end).arg("run.mjs").args(browser_tests(&end2end)?);
            tests.env("OPM_CHROMIUM", chromium).env("OPM_KUBECTL", kubectl).env("OPM_PORTAL", workspace.portal());
            tests.envs(self.api_server(workspace)?);
            if self.full {
                tests.env("OPM_FULL", "true");
            }
            run(&mut tests)
        })
    }
}

fn without_kcp() {
    not_run("what the portal needs from a plane, on a real kcp", "set KCP_BIN, or put kcp on the PATH");
}

/// Whether tests can find kcp, with the same lookup as `testplane`.
fn kcp_is_here() -> bool {
    Command::new("sh").args(["-c", "test -n \"$KCP_BIN\" || command -v kcp"]).output().is_ok_and(|output| output.status.success())
}

/// Returns the browser tests one by one, because the test runner of Node 20 doesn't support globs.
fn browser_tests(end2end: &Path) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(end2end.join("tests"))? {
        let path = entry?.path();
        if path.to_string_lossy().ends_with(".test.mjs") {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}
