//! Tools that aren't written in Rust: found by variable, on the PATH or in the cache; fetched only with `CI=true` or `--install`.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};
use clap::Args;

use crate::steps::{not_run, run, step};

/// A tool is missing and can't be installed; the process ends with exit code 3.
#[derive(Debug)]
pub struct Missing(String);

impl std::fmt::Display for Missing {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl std::error::Error for Missing {}

/// Where tools come from.
#[derive(Args, Clone)]
pub struct Tools {
    /// Install missing tools (Chromium and PostgreSQL with apt, npm packages; kubectl, kube-apiserver, etcd and helm with Go); implied by
    /// CI=true.
    #[arg(long)]
    install: bool,
    #[arg(long, env = "CI", hide = true, default_value_t = false, value_parser = clap::builder::FalseyValueParser::new())]
    ci: bool,
    /// Chromium for the browser tests.
    #[arg(long, env = "OPM_CHROMIUM")]
    chromium: Option<PathBuf>,
    /// kubectl, 1.36 or newer.
    #[arg(long, env = "OPM_KUBECTL")]
    kubectl: Option<PathBuf>,
    /// kube-apiserver to compare with.
    #[arg(long, env = "OPM_KUBE_APISERVER")]
    kube_apiserver: Option<PathBuf>,
    /// etcd for that kube-apiserver.
    #[arg(long, env = "OPM_ETCD")]
    etcd: Option<PathBuf>,
    /// helm, for the chart.
    #[arg(long, env = "OPM_HELM")]
    helm: Option<PathBuf>,
    /// Folder of PostgreSQL's programs.
    #[arg(long, env = "OPM_POSTGRES")]
    postgres: Option<PathBuf>,
    /// Folder for fetched or built tools.
    #[arg(long, env = "OPM_CACHE")]
    cache: Option<PathBuf>,
    #[arg(long, env = "HOME", hide = true, default_value = "/tmp")]
    home: PathBuf,
    #[cfg(feature = "site")]
    #[arg(long, env = "CARGO_HOME", hide = true)]
    cargo_home: Option<PathBuf>,
}

impl Tools {
    /// Whether missing tools are fetched.
    pub fn may_install(&self) -> bool {
        self.install || self.ci
    }

    /// Whether this is CI, where every run starts from a new clone.
    pub fn is_ci(&self) -> bool {
        self.ci
    }

    fn cache(&self) -> PathBuf {
        self.cache.clone().unwrap_or_else(|| self.home.join(".cache/opm-portal"))
    }

    /// Returns where cargo stores the sources of dependencies.
    #[cfg(feature = "site")]
    pub fn cargo_home(&self) -> PathBuf {
        self.cargo_home.clone().unwrap_or_else(|| self.home.join(".cargo"))
    }

    /// Finds or installs everything that the tests of the crates and of the browser call, so that later lookups return at once.
    pub fn gather(&self, root: &Path, rust: bool, browser: bool) -> Result<()> {
        if rust {
            self.postgres()?;
        }
        if browser {
            self.chromium()?;
            self.npm(&root.join("end2end"))?;
        }
        self.kubectl(root)?;
        self.api_server(root)?;
        if rust {
            self.helm(root)?;
        }
        Ok(())
    }

    /// Adds the wasm target to the active toolchain with rustup, if it is missing.
    pub fn wasm_target() -> Result<()> {
        let sysroot = Command::new("rustc").args(["--print", "sysroot"]).output().context("rustc --print sysroot")?;
        let sysroot = PathBuf::from(String::from_utf8_lossy(&sysroot.stdout).trim());
        if sysroot.join("lib/rustlib/wasm32-unknown-unknown/lib").is_dir() {
            return Ok(());
        }
        step("adding the target wasm32-unknown-unknown", || run(Command::new("rustup").args(["target", "add", "wasm32-unknown-unknown"])))
    }

    /// Returns Chromium for the browser tests: the headless build if available, because pages take it half as much work.
    pub fn chromium(&self) -> Result<PathBuf> {
        let found = |names: &[&str]| self.chromium.clone().or_else(|| names.iter().find_map(|name| on_path(name)));
        let [preferred, ..] = CHROMIUM;
        let installed = match found(&[preferred]) {
            None if self.may_install() => apt_install(preferred, "Chromium"),
            _ => Ok(()),
        };
        let missing = || Missing(format!("Chromium is missing: set OPM_CHROMIUM, install the package `{preferred}`, or pass --install"));
        found(&CHROMIUM).map_or_else(|| installed.and(Err(missing().into())), Ok)
    }

    /// Returns kubectl of at least 1.36, built from `tools/kubernetes` if none is found.
    pub fn kubectl(&self, root: &Path) -> Result<PathBuf> {
        let cached = self.cache().join("tools/kubectl");
        if let Some(path) =
            self.kubectl.clone().into_iter().chain(on_path("kubectl")).chain([cached.clone()]).find(|path| recent_kubectl(path))
        {
            return Ok(path);
        }
        if !self.may_install() {
            return Err(Missing(
                "kubectl 1.36 or newer is missing: set OPM_KUBECTL, install it, or pass --install (builds it with Go)".into(),
            )
            .into());
        }
        go_build(root, "tools/kubernetes", "k8s.io/kubernetes/cmd/kubectl", &cached)?;
        Ok(cached)
    }

    /// Returns kube-apiserver and etcd, built from `tools/kubernetes` and `tools/etcd` if they are not found. If building isn't allowed or
    /// Go is missing, reports that and returns `None`; in CI they are required.
    pub fn api_server(&self, root: &Path) -> Result<Option<(PathBuf, PathBuf)>> {
        let apiserver =
            self.built(root, self.kube_apiserver.as_ref(), "kube-apiserver", "tools/kubernetes", "k8s.io/kubernetes/cmd/kube-apiserver")?;
        let etcd = self.built(root, self.etcd.as_ref(), "etcd", "tools/etcd", "go.etcd.io/etcd/server/v3")?;
        Ok(apiserver.zip(etcd))
    }

    /// Returns helm, built from `tools/helm` if it is not found, and a folder with definitions of other projects that the chart has objects
    /// of. As with the API server, it is optional outside CI.
    pub fn helm(&self, root: &Path) -> Result<Option<(PathBuf, PathBuf)>> {
        let Some(helm) = self.built(root, self.helm.as_ref(), "helm", "tools/helm", "helm.sh/helm/v4/cmd/helm")? else { return Ok(None) };
        let folder = self.cache().join("tools/definitions");
        for Definition { module, file } in DEFINITIONS {
            let copy = folder.join(format!("{}.yaml", module.replace('/', "_")));
            if copy.is_file() {
                continue;
            }
            if !self.may_install() || on_path("go").is_none() {
                not_run("objects of other projects in the chart on a real API server", "pass --install to fetch their definitions with Go");
                return Ok(Some((helm, folder)));
            }
            std::fs::create_dir_all(&folder)?;
            std::fs::copy(go_download(root, module)?.join(file), &copy).with_context(|| copy.display().to_string())?;
        }
        Ok(Some((helm, folder)))
    }

    /// Installs PostgreSQL for the tests of the store, which find it themselves. If installing isn't allowed, these tests report that they
    /// were skipped; in CI it is required.
    pub fn postgres(&self) -> Result<()> {
        let found = |program: &str| {
            let versions = std::fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
            self.postgres.iter().cloned().chain(versions.map(|version| version.path().join("bin"))).any(|bin| bin.join(program).is_file())
        };
        if found("initdb") {
            return Ok(());
        }
        if !self.may_install() {
            not_run("tests of the store on PostgreSQL", "set OPM_POSTGRES to the folder of initdb, or pass --install");
            return Ok(());
        }
        apt_install("postgresql", "PostgreSQL")
    }

    fn built(&self, root: &Path, named: Option<&PathBuf>, name: &str, folder: &str, package: &str) -> Result<Option<PathBuf>> {
        let cached = self.cache().join("tools").join(name);
        if let Some(path) = named.filter(|path| path.is_file()) {
            return Ok(Some(path.clone()));
        }
        if cached.is_file() && says_version(&cached, &version_of(root, folder, package)?) {
            return Ok(Some(cached));
        }
        if self.may_install() && on_path("go").is_some() {
            go_build(root, folder, package, &cached)?;
            return Ok(Some(cached));
        }
        let fix = if on_path("go").is_some() { "pass --install to build it" } else { "it is built with Go, which is not installed" };
        if self.ci {
            return Err(Missing(format!("{name} is missing: {fix}")).into());
        }
        not_run(&format!("tests that need {name}"), fix);
        Ok(None)
    }

    /// Installs the npm packages of a folder, exactly as in its lock file; fetches them only if fetching is allowed.
    pub fn npm(&self, folder: &Path) -> Result<()> {
        if !self.may_install() && !npm_is_current(folder)? {
            return Err(Missing(format!("npm packages are missing: run `npm ci` in {}, or pass --install", folder.display())).into());
        }
        if npm_is_current(folder)? {
            return Ok(());
        }
        step("installing npm packages", || {
            run(Command::new("npm").current_dir(folder).args(["ci", "--no-audit", "--no-fund", "--ignore-scripts"]))?;
            std::fs::copy(folder.join("package-lock.json"), folder.join(NPM_STAMP)).context(NPM_STAMP)?;
            Ok(())
        })
    }
}

/// Programs of Debian's packages, which have the same names. The first one has no windows; if it is missing, one of the others is used.
const CHROMIUM: [&str; 3] = ["chromium-headless-shell", "chromium", "chromium-browser"];

/// A copy of the lock file that the folder's packages were installed from.
const NPM_STAMP: &str = "node_modules/.installed";

fn npm_is_current(folder: &Path) -> Result<bool> {
    let lock = std::fs::read(folder.join("package-lock.json")).context("package-lock.json")?;
    Ok(std::fs::read(folder.join(NPM_STAMP)).is_ok_and(|installed| installed == lock))
}

fn apt_install(package: &str, name: &str) -> Result<()> {
    step(&format!("installing {name}"), || {
        run(Command::new("apt-get").args(["update", "-qq"]))?;
        run(Command::new("apt-get").args(["install", "-y", "-qq", package]).env("DEBIAN_FRONTEND", "noninteractive"))
    })
}

/// A definition of another project, in a Go module.
struct Definition {
    /// Module and version.
    module: &'static str,
    file: &'static str,
}

/// What HTTPRoutes and ServiceMonitors are.
const DEFINITIONS: [Definition; 2] = [
    Definition { module: "sigs.k8s.io/gateway-api@v1.6.3", file: "config/crd/standard/gateway.networking.k8s.io_httproutes.yaml" },
    Definition {
        module: "github.com/prometheus-operator/prometheus-operator@v0.85.0",
        file: "example/prometheus-operator-crd/monitoring.coreos.com_servicemonitors.yaml",
    },
];

/// Downloads a Go module, and returns the folder of its files.
fn go_download(root: &Path, module: &str) -> Result<PathBuf> {
    step(&format!("downloading {module}"), || {
        let mut download = Command::new("go");
        download.current_dir(root.join("tools/helm")).args(["mod", "download", "-json", module]).env("GOFLAGS", "-mod=mod");
        let output = download.output().context("cannot start go")?;
        let answer: serde_json::Value = serde_json::from_slice(&output.stdout).with_context(|| format!("go mod download {module}"))?;
        answer["Dir"].as_str().map(PathBuf::from).with_context(|| format!("{module}: {answer}"))
    })
}

fn go_build(root: &Path, folder: &str, package: &str, to: &Path) -> Result<()> {
    let name = to.file_name().unwrap_or_default().display();
    step(&format!("building {name} from {folder}"), || {
        std::fs::create_dir_all(to.parent().context("a tool lies in a folder")?)?;
        let flags = link_flags(&version_of(root, folder, package)?);
        run(Command::new("go").current_dir(root.join(folder)).args(["build", "-o"]).arg(to).args(["-ldflags", &flags, package]))
    })
}

/// Returns the linker flags. Debug information isn't needed. The version that Kubernetes reports is otherwise set by its own build scripts;
/// etcd knows its own. Flags for packages that a program doesn't have change nothing.
fn link_flags(version: &str) -> String {
    let mut numbers = version.split('.');
    let (major, minor) = (numbers.next().unwrap_or_default(), numbers.next().unwrap_or_default());
    let set = |name: &str, value: &str| format!("-X k8s.io/component-base/version.{name}={value}");
    let helm = format!("-X helm.sh/helm/v4/internal/version.version=v{version}");
    ["-s -w".to_owned(), set("gitVersion", &format!("v{version}")), set("gitMajor", major), set("gitMinor", minor), helm].join(" ")
}

/// Returns the version of the module with this package in a folder of `tools`, without the leading `v`.
fn version_of(root: &Path, folder: &str, package: &str) -> Result<String> {
    let file = root.join(folder).join("go.mod");
    let text = std::fs::read_to_string(&file).with_context(|| file.display().to_string())?;
    let version = |line: &str| {
        let (module, version) = line.trim().split_once(" v")?;
        let rest = package.strip_prefix(module)?;
        (rest.is_empty() || rest.starts_with('/')).then(|| version.split(' ').next().unwrap_or_default().to_owned())
    };
    text.lines().find_map(version).with_context(|| format!("{} has no version of {package}", file.display()))
}

fn says_version(program: &Path, version: &str) -> bool {
    // helm has a command instead of the option.
    [&["--version"][..], &["version", "--short"]].into_iter().any(|arguments| {
        let said = Command::new(program).args(arguments).output();
        said.is_ok_and(|said| String::from_utf8_lossy(&said.stdout).split([' ', '\n', 'v', '+']).any(|word| word == version))
    })
}

fn recent_kubectl(path: &Path) -> bool {
    let Ok(output) = Command::new(path).args(["version", "--client", "--output=json"]).output() else { return false };
    let Ok(version) = serde_json::from_slice::<serde_json::Value>(&output.stdout) else { return false };
    let number = |key: &str| version["clientVersion"][key].as_str().and_then(|text| text.trim_end_matches('+').parse::<u32>().ok());
    matches!((number("major"), number("minor")), (Some(major), Some(minor)) if (major, minor) >= (1, 36))
}

fn on_path(name: &str) -> Option<PathBuf> {
    let output = Command::new("sh").args(["-c", "command -v \"$1\"", "sh", name]).output().ok()?;
    let path = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| PathBuf::from(path.trim()))
}
