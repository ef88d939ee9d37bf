//! `cargo xtask soak NAME`: the full size of a check whose small size is in `cargo xtask test`.

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
    /// Kill the release binary at seeded instants of fulfilments, decisions and what people are told: each is completed, once. And what
    /// keeps the cost ledger, on SQLite and PostgreSQL: no hour is lost or doubled.
    Kill {
        /// How many instants.
        #[arg(long, default_value_t = 20)]
        kills: u32,
        /// Which instants.
        #[arg(long, default_value_t = 1)]
        seed: u64,
        #[command(flatten)]
        tools: Tools,
    },
    /// Kill the bare plane of the release binary while many write: nothing that it acknowledged is lost, and how long it takes to start.
    PlaneKill {
        /// How often.
        #[arg(long, default_value_t = 200)]
        kills: u32,
        /// Objects of about 2 kB in the plane.
        #[arg(long, default_value_t = 100_000)]
        objects: u32,
        /// Which instants.
        #[arg(long, default_value_t = 1)]
        seed: u64,
    },
    /// The cost ledger: a year of 10,000 instances on SQLite and PostgreSQL, exact to the millionth; how long it takes, and its queries.
    Ledger {
        /// How many instances.
        #[arg(long, default_value_t = 10_000)]
        instances: u32,
        /// How many days.
        #[arg(long, default_value_t = 365)]
        days: u32,
        #[command(flatten)]
        tools: Tools,
    },
    /// Every list and dashboard over many seeded instances: the numbers are those of the plane's objects, counted anew.
    Recount {
        /// How many instances.
        #[arg(long, default_value_t = 10_000)]
        instances: u32,
        /// In how many workspaces.
        #[arg(long, default_value_t = 200)]
        workspaces: u32,
    },
    /// Policies: what holds for all of them and all requests, at 10,000 made at random each.
    Policies,
    /// Cut the power of a disk in memory at seeded instants under a plane that many write to: nothing that it acknowledged is lost.
    PowerCut {
        /// How often.
        #[arg(long, default_value_t = 2_000)]
        cuts: u32,
    },
    /// Ask portal and controller about generated requests: the same verdict, objects, price and content hash.
    Agree {
        /// How many requests.
        #[arg(long, default_value_t = 1_000)]
        requests: u32,
        /// Which requests.
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
                // Names are looked for anywhere: `plane_kill::` has the first one, too.
                let names = ["kill::", "notifications::killed", "--skip", "plane_kill::"];
                let mut tests = killing(&workspace, &["--lib", "--test", "portal"], &names, kills, seed);
                step("killing and starting again", || run(&mut tests))
            }
            Check::PlaneKill { kills, objects, seed } => {
                release(&workspace)?;
                let mut tests = killing(&workspace, &["--test", "portal"], &["plane_kill::what"], kills, seed);
                step("killing and starting again", || run(tests.env("OPM_OBJECTS", objects.to_string())))
            }
            Check::Ledger { instances, days, tools } => {
                tools.postgres()?;
                let year = "ledger::book::tests::soak::a_year_of_ten_thousand_instances_is_exact";
                let mut tests = cargo(&workspace.root);
                tests.args(["test", "--release", "--package", "opm-portal", "--lib", year, "--", "--ignored", "--nocapture"]);
                tests.env("OPM_LEDGER_INSTANCES", instances.to_string()).env("OPM_LEDGER_DAYS", days.to_string());
                step("counting a year", || run(&mut tests))
            }
            Check::Recount { instances, workspaces } => step("counting every page anew", || {
                run(tests(&workspace, &["--test", "portal"], &["recount::"])
                    .env("OPM_INSTANCES", instances.to_string())
                    .env("OPM_WORKSPACES", workspaces.to_string()))
            }),
            Check::Policies => step("trying the laws of policies", || {
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
            Check::Agree { requests, seed } => step("asking portal and controller", || {
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

/// The tests of these names in these targets.
fn tests(workspace: &Workspace, targets: &[&str], names: &[&str]) -> Command {
    let mut tests = cargo(&workspace.root);
    tests.arg("test").args(PACKAGES).args(targets).args(["--", "--nocapture"]).args(names);
    tests
}

/// The same against the release binary, which is killed.
fn killing(workspace: &Workspace, targets: &[&str], names: &[&str], kills: u32, seed: u64) -> Command {
    let mut tests = tests(workspace, targets, names);
    tests.env("OPM_PORTAL", workspace.target.join("release/opm-portal"));
    tests.env("OPM_KILLS", kills.to_string()).env("OPM_SEED", seed.to_string());
    tests
}
