//! `cargo xtask soak NAME`: the full size of a test that also runs at a small size in `cargo xtask test`.

use std::process::Command;

use anyhow::Result;
use clap::{Args, Subcommand};

use crate::steps::{PACKAGES, cargo, run, step};
use crate::tools::Tools;
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
    /// Kill the release binary at seeded moments during fulfilment, decisions and notifications: each completes exactly once. Also kill the
    /// process that writes the cost ledger, on SQLite and PostgreSQL: no hour is lost or doubled.
    Kill {
        /// Number of kills.
        #[arg(long, default_value_t = 20)]
        kills: u32,
        /// Seed of the moments.
        #[arg(long, default_value_t = 1)]
        seed: u64,
        #[command(flatten)]
        tools: Tools,
    },
    /// Kill the bare plane of the release binary during many writes: no acknowledged write is lost. Also measures the start.
    PlaneKill {
        /// Number of kills.
        #[arg(long, default_value_t = 200)]
        kills: u32,
        /// Number of objects of about 2 kB in the plane.
        #[arg(long, default_value_t = 100_000)]
        objects: u32,
        /// Seed of the moments.
        #[arg(long, default_value_t = 1)]
        seed: u64,
    },
    /// Run the cost ledger for a year of 10,000 instances on SQLite and PostgreSQL: exact to the millionth. Also measures queries.
    Ledger {
        /// Number of instances.
        #[arg(long, default_value_t = 10_000)]
        instances: u32,
        /// Number of days.
        #[arg(long, default_value_t = 365)]
        days: u32,
        #[command(flatten)]
        tools: Tools,
    },
    /// Compare every list and dashboard over many seeded instances with a new count of the plane's objects.
    Recount {
        /// Number of instances.
        #[arg(long, default_value_t = 10_000)]
        instances: u32,
        /// Number of workspaces.
        #[arg(long, default_value_t = 200)]
        workspaces: u32,
    },
    /// Check the laws of policies with 10,000 random policies and requests each.
    Policies,
    /// Cut the power of an in-memory disk at seeded moments during many writes to a plane: no acknowledged write is lost.
    PowerCut {
        /// Number of power cuts.
        #[arg(long, default_value_t = 2_000)]
        cuts: u32,
    },
    /// Compare portal and controller on generated requests: same verdict, objects, price and content hash.
    Agree {
        /// Number of requests.
        #[arg(long, default_value_t = 1_000)]
        requests: u32,
        /// Seed of the requests.
        #[arg(long, default_value_t = 1)]
        seed: u64,
    },
}

impl Soak {
    /// Builds what the chosen check needs, then runs it.
    pub fn run(self) -> Result<()> {
        let workspace = Workspace::find()?;
        match self.check {
            Check::Kill { kills, seed, tools } => {
                tools.postgres()?;
                release(&workspace)?;
                // A name matches anywhere in a path: `plane_kill::` contains the first one, too.
                let names = ["kill::", "notifications::killed", "--skip", "plane_kill::"];
                let mut tests = killing(&workspace, &["--lib", "--test", "portal"], &names, kills, seed);
                step("killing and restarting", || run(&mut tests))
            }
            Check::PlaneKill { kills, objects, seed } => {
                release(&workspace)?;
                let mut tests = killing(&workspace, &["--test", "portal"], &["plane_kill::what"], kills, seed);
                step("killing and restarting", || run(tests.env("OPM_OBJECTS", objects.to_string())))
            }
            Check::Ledger { instances, days, tools } => {
                tools.postgres()?;
                let year = "book::tests::soak::a_year_of_ten_thousand_instances_is_exact";
                let mut tests = cargo(&workspace.root);
                tests.args(["test", "--release", "--package", "ledger", "--lib", year, "--", "--ignored", "--nocapture"]);
                tests.env("OPM_LEDGER_INSTANCES", instances.to_string()).env("OPM_LEDGER_DAYS", days.to_string());
                step("counting a year", || run(&mut tests))
            }
            Check::Recount { instances, workspaces } => step("counting every page again", || {
                run(tests(&workspace, &["--test", "portal"], &["recount::"])
                    .env("OPM_INSTANCES", instances.to_string())
                    .env("OPM_WORKSPACES", workspaces.to_string()))
            }),
            Check::Policies => step("checking the laws of policies", || {
                let laws = "policy::tests::laws::all_laws_in_full_size";
                run(cargo(&workspace.root).args([
                    "test",
                    "--release",
                    "--package",
                    "promise",
                    "--lib",
                    laws,
                    "--",
                    "--ignored",
                    "--nocapture",
                ]))
            }),
            Check::Agree { requests, seed } => step("comparing portal and controller", || {
                run(tests(&workspace, &["--test", "portal"], &["agree::"])
                    .env("OPM_AGREE", requests.to_string())
                    .env("OPM_SEED", seed.to_string()))
            }),
            Check::PowerCut { cuts } => step("cutting the power", || {
                run(tests(&workspace, &["--test", "durability"], &["power::"]).env("OPM_POWER_CUTS", cuts.to_string()))
            }),
        }
    }
}

fn release(workspace: &Workspace) -> Result<()> {
    step("building the server", || {
        run(cargo(&workspace.root).args(["build", "--release", "--package", "opm-portal", "--bin", "opm-portal", "--bench", "portal"]))
    })
}

/// Returns a command for the tests with these names in these targets.
fn tests(workspace: &Workspace, targets: &[&str], names: &[&str]) -> Command {
    let mut tests = cargo(&workspace.root);
    tests.arg("test").args(PACKAGES).args(targets).args(["--", "--nocapture"]).args(names);
    tests
}

/// Returns the same command against the release binary, which is killed.
fn killing(workspace: &Workspace, targets: &[&str], names: &[&str], kills: u32, seed: u64) -> Command {
    let mut tests = tests(workspace, targets, names);
    tests.env("OPM_PORTAL", workspace.target.join("release/opm-portal"));
    tests.env("OPM_KILLS", kills.to_string()).env("OPM_SEED", seed.to_string());
    tests
}
