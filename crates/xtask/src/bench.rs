//! `cargo xtask bench`: benchmarks of the release build; the programs are in `server/benches`.

use anyhow::Result;
use clap::Args;

use crate::steps::{cargo, run, step};
use crate::tools::Tools;
use crate::workspace::Workspace;

/// Arguments of `bench`.
#[derive(Args)]
pub struct Bench {
    /// plane, preflight, dashboards, catalog, forms or login; or fulfil; or rest, pages, start or all (fulfil, pages and start); rest and pages can be followed by the seconds for each load.
    #[arg(default_value = "all")]
    which: Vec<String>,
    /// For plane: sizes, as numbers of objects.
    #[arg(long, value_delimiter = ',', default_value = "1000,10000,100000")]
    objects: Vec<usize>,
    /// For plane: number of workspaces with ten objects each.
    #[arg(long, default_value_t = 10_000)]
    workspaces: usize,
    /// For dashboards and fulfil: sizes, as numbers of instances. 1000,10000,100000 across 200 workspaces for dashboards and 100,1000,10000
    /// for fulfil, unless given.
    #[arg(long, value_delimiter = ',')]
    instances: Vec<usize>,
    /// For dashboards: databases, sqlite and postgres.
    #[arg(long, value_delimiter = ',', default_value = "sqlite,postgres")]
    engines: Vec<String>,
    /// For catalog and forms: sizes, as numbers of promises; the others are compared with the first. 4,2000,100000 for catalog and
    /// 4,50,200 for forms, unless given.
    #[arg(long, value_delimiter = ',')]
    promises: Vec<usize>,
    /// For login: number of sessions with a live page.
    #[arg(long, default_value_t = 1_000)]
    sessions: usize,
    #[command(flatten)]
    tools: Tools,
}

impl Bench {
    /// Builds the release, then runs the benchmark.
    pub fn run(self) -> Result<()> {
        let workspace = Workspace::find()?;
        if self.which == ["plane"] {
            return self.plane(&workspace);
        }
        if self.which == ["preflight"] {
            return step("measuring preflights", || {
                run(cargo(&workspace.root).args(["bench", "--package", "opm-portal", "--bench", "preflight"]))
            });
        }
        if self.which == ["dashboards"] {
            return self.dashboards(&workspace);
        }
        if self.which == ["catalog"] {
            return self.sized(&workspace, "catalog", "measuring catalogs");
        }
        if self.which == ["forms"] {
            return self.sized(&workspace, "forms", "measuring promises with large schemas and their forms");
        }
        if self.which == ["fulfil"] {
            build(&workspace)?;
            let mut program = cargo(&workspace.root);
            program
                .args(["bench", "--package", "opm-portal", "--bench", "portal", "--", "fulfil"])
                .env("OPM_PORTAL", workspace.target.join("release/opm-portal"));
            if !self.instances.is_empty() {
                program.args(["--instances", &sizes(&self.instances)]);
            }
            return step("measuring fulfilment", || run(&mut program));
        }
        if self.which == ["login"] {
            build(&workspace)?;
            let mut program = cargo(&workspace.root);
            program
                .args(["bench", "--package", "opm-portal", "--bench", "portal", "--", "login"])
                .args(["--sessions", &self.sessions.to_string()])
                .env("OPM_PORTAL", workspace.target.join("release/opm-portal"));
            return step("measuring sign-ins and sessions", || run(&mut program));
        }
        build(&workspace)?;
        step("measuring", || {
            run(cargo(&workspace.root)
                .args(["bench", "--package", "opm-portal", "--bench", "portal", "--"])
                .args(&self.which)
                .env("OPM_PORTAL", workspace.target.join("release/opm-portal")))
        })
    }

    /// Measures lists and dashboards with many instances, on each database.
    fn dashboards(&self, workspace: &Workspace) -> Result<()> {
        build(workspace)?;
        if self.engines.iter().any(|engine| engine == "postgres") {
            self.tools.postgres()?;
        }
        let mut program = cargo(&workspace.root);
        program
            .args(["bench", "--package", "opm-portal", "--bench", "portal", "--", "dashboards"])
            .args(["--engines", &self.engines.join(",")])
            .env("OPM_PORTAL", workspace.target.join("release/opm-portal"));
        if !self.instances.is_empty() {
            program.args(["--instances", &sizes(&self.instances)]);
        }
        step("measuring lists and dashboards", || run(&mut program))
    }

    /// Runs a benchmark that compares few, many and very many promises.
    fn sized(&self, workspace: &Workspace, which: &str, measuring: &str) -> Result<()> {
        build(workspace)?;
        let mut program = cargo(&workspace.root);
        program
            .args(["bench", "--package", "opm-portal", "--bench", "portal", "--", which])
            .env("OPM_PORTAL", workspace.target.join("release/opm-portal"));
        if !self.promises.is_empty() {
            program.args(["--promises", &sizes(&self.promises)]);
        }
        step(measuring, || run(&mut program))
    }

    /// Compares the embedded plane with a real kube-apiserver and its etcd.
    fn plane(&self, workspace: &Workspace) -> Result<()> {
        let servers = self.tools.api_server(&workspace.root)?;
        build(workspace)?;
        let mut program = cargo(&workspace.root);
        program
            .args(["bench", "--package", "opm-portal", "--bench", "plane", "--", "--objects", &sizes(&self.objects)])
            .args(["--workspaces", &self.workspaces.to_string()])
            .env("OPM_PORTAL", workspace.target.join("release/opm-portal"));
        if let Some((apiserver, etcd)) = servers {
            program.env("OPM_KUBE_APISERVER", apiserver).env("OPM_ETCD", etcd);
        }
        step("measuring the planes", || run(&mut program))
    }
}

/// Returns sizes as an argument: `100,1000`.
fn sizes(numbers: &[usize]) -> String {
    numbers.iter().map(ToString::to_string).collect::<Vec<_>>().join(",")
}

/// Builds all programs with one selection of targets, so that nothing is compiled twice with different features.
fn build(workspace: &Workspace) -> Result<()> {
    step("building the server", || {
        run(cargo(&workspace.root).args(["build", "--release", "--package", "opm-portal", "--bin", "opm-portal"]).args([
            "--bench",
            "portal",
            "--bench",
            "plane",
            "--bench",
            "preflight",
        ]))
    })
}
