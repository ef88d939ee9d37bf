//! Real servers for tests: a kube-apiserver with its etcd, or a kcp, started on free ports in a folder of their own and ended when dropped; and one
//! PostgreSQL for all tests of a process. For planes in the process itself there is a slow disk.
//!
//! It is a dev-dependency alone, and knows nothing of the product: what is installed on a server and asked of it is the tests' matter.
//! Where a binary is missing that is said and the test has nothing to do; where `CI=true` it has to be there, except kcp. To add another server:
//! one file with a function that answers the same [`Server`].
#![expect(clippy::unwrap_used, clippy::panic, reason = "it runs in tests alone, which end at the first surprise")]

mod disk;
mod embedded;
mod kcp;
mod kubernetes;
mod postgres;
mod process;
mod shared;

use std::path::{Path, PathBuf};
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use kube::config::{KubeConfigOptions, Kubeconfig};
use serde_json::json;
use tempfile::TempDir;

pub use disk::SlowDisk;
pub use embedded::embedded;
pub use kcp::kcp;
pub use kubernetes::{durable_kubernetes, kubernetes, kubernetes_trusting};
pub use postgres::{Postgres, postgres};
pub use shared::{Turn, turn};

use process::Process;

/// Somebody whom a server knows by a bearer token, as in a line of Kubernetes' token file.
pub struct Person {
    /// User name; the token is `token-of-<name>`.
    pub name: &'static str,
    /// Groups.
    pub groups: &'static [&'static str],
}

/// How long a server may take to be ready.
const PATIENCE: Duration = Duration::from_secs(60);
/// How often it is asked: short, because how long a start takes is measured with this, too.
const PAUSE: Duration = Duration::from_millis(5);

/// A running server. Dropping it ends its processes and removes what they kept.
pub struct Server {
    address: String,
    /// It sends no token of its own.
    client: Box<kube::Client>,
    certificate: String,
    /// Who is asked as whether it is ready.
    asker: &'static str,
    /// Address of the etcd behind it, where there is one.
    etcd: Option<String>,
    // Ended in this order, before their folder goes.
    processes: Vec<Process>,
    folder: TempDir,
}

impl Server {
    /// The bearer token of a person.
    pub fn token(person: &str) -> String {
        format!("token-of-{person}")
    }

    /// `https://127.0.0.1:<port>`.
    pub fn address(&self) -> &str {
        &self.address
    }

    /// The certificate that vouches for it, in PEM.
    pub fn certificate(&self) -> &str {
        &self.certificate
    }

    /// Bytes of memory that all its processes hold together.
    pub fn resident(&self) -> u64 {
        self.processes.iter().map(Process::resident).sum()
    }

    /// Ends its processes by force.
    pub fn kill(&mut self) {
        self.processes.iter_mut().for_each(Process::kill);
    }

    /// Starts what was ended on what it has stored, and waits until it is ready.
    pub async fn start_again(&mut self) {
        self.processes.iter_mut().rev().for_each(Process::start_again);
        self.wait_until_ready().await;
    }

    /// The YAML of a kubeconfig for a person, with everything inline.
    pub fn kubeconfig(&self, person: &str) -> String {
        json!({
            "apiVersion": "v1", "kind": "Config", "current-context": person,
            "clusters": [{"name": "server", "cluster": {"server": self.address, "certificate-authority-data": STANDARD.encode(&self.certificate)}}],
            "users": [{"name": person, "user": {"token": Self::token(person)}}],
            "contexts": [{"name": person, "context": {"cluster": "server", "user": person}}],
        })
        .to_string()
    }

    /// Host and port.
    pub fn host(&self) -> &str {
        self.address.trim_start_matches("https://")
    }

    /// Sends a request as it is, and answers what the server answers; fails where there is no answer.
    pub async fn send(&self, request: http::Request<Vec<u8>>) -> Result<http::Response<kube::client::Body>, String> {
        self.client.send(request.map(kube::client::Body::from)).await.map_err(|error| error.to_string())
    }

    /// A router that passes on what it is asked, and adds nothing: for tests that change, hold up or count what is asked on its way.
    pub fn router(&self) -> axum::Router {
        let client = self.client.clone();
        axum::Router::new().fallback(move |request: axum::extract::Request| async move {
            let (parts, body) = request.into_parts();
            let body = axum::body::to_bytes(body, usize::MAX).await.map_err(|error| (http::StatusCode::BAD_REQUEST, error.to_string()))?;
            let answer = client.send(http::Request::from_parts(parts, body.into())).await;
            answer.map(|answer| answer.map(axum::body::Body::new)).map_err(|error| (http::StatusCode::BAD_GATEWAY, error.to_string()))
        })
    }

    /// Waits until it says that it is ready.
    async fn wait_until_ready(&mut self) {
        for _ in 0..PATIENCE.as_millis() / PAUSE.as_millis() {
            let bearer = format!("Bearer {}", Self::token(self.asker));
            let asked = http::Request::get("/readyz").header("authorization", bearer).body(Vec::new()).unwrap();
            if self.send(asked).await.is_ok_and(|answer| answer.status() == http::StatusCode::OK) {
                return;
            }
            if let Some(ended) = self.processes.iter_mut().find_map(Process::ended) {
                panic!("{ended}");
            }
            tokio::time::sleep(PAUSE).await;
        }
        let said: Vec<String> = self.processes.iter().map(Process::log).collect();
        panic!("{} is not ready after a minute; in {}:\n{}", self.address, self.folder.path().display(), said.join("\n"));
    }
}

/// A client for whoever asks, who trusts the certificate.
async fn anybody(address: &str, certificate: &str) -> Box<kube::Client> {
    let file = json!({
        "apiVersion": "v1", "kind": "Config", "current-context": "server",
        "clusters": [{"name": "server", "cluster": {"server": address, "certificate-authority-data": STANDARD.encode(certificate)}}],
        "users": [{"name": "nobody", "user": {}}],
        "contexts": [{"name": "server", "context": {"cluster": "server", "user": "nobody"}}],
    });
    let file = Kubeconfig::from_yaml(&file.to_string()).unwrap();
    let mut config = kube::Config::from_custom_kubeconfig(file, &KubeConfigOptions::default()).await.unwrap();
    // What a server answers is what is asked for, also where it says that one should come again.
    config.default_retry = false;
    Box::new(kube::Client::try_from(config).unwrap())
}

/// The binary that a variable names; without the variable there is nothing to start, which is said.
#[expect(clippy::disallowed_methods, reason = "tests have no configuration module; this is the only place that looks for servers")]
fn binary(variable: &str) -> Option<PathBuf> {
    let path = std::env::var_os(variable).map(PathBuf::from).filter(|path| path.is_file());
    if path.is_none() {
        assert!(!in_ci(), "{variable} names no binary");
        println!("skipped: {variable} names no binary; `cargo xtask test --install` builds and names it");
    }
    path
}

/// The helm that `OPM_HELM` names.
pub fn helm() -> Option<PathBuf> {
    binary("OPM_HELM")
}

/// The definitions of other projects that a chart can have objects of, in the folder that `OPM_CHART_DEFINITIONS` names; nothing where it
/// is empty, which is said.
#[expect(clippy::disallowed_methods, reason = "tests have no configuration module; this is the only place that looks for servers")]
pub fn chart_definitions() -> Option<Vec<PathBuf>> {
    let folder = std::env::var_os("OPM_CHART_DEFINITIONS").map(PathBuf::from);
    let files = folder.and_then(|folder| std::fs::read_dir(folder).ok()).into_iter().flatten().flatten().map(|entry| entry.path());
    let files: Vec<PathBuf> = files.collect();
    if files.is_empty() {
        assert!(!in_ci(), "OPM_CHART_DEFINITIONS names no folder with definitions");
        println!("skipped: OPM_CHART_DEFINITIONS names no folder with definitions; `cargo xtask test --install` fetches them");
        return None;
    }
    Some(files)
}

/// Whether checks that take long and seldom find anything run, too: `cargo xtask test --full`. Says so where not.
#[expect(clippy::disallowed_methods, reason = "tests have no configuration module")]
pub fn full() -> bool {
    let full = std::env::var_os("OPM_FULL").is_some_and(|value| value == "true");
    if !full {
        println!("skipped: it is part of `cargo xtask test --full`");
    }
    full
}

/// Whether everything has to be there.
#[expect(clippy::disallowed_methods, reason = "tests have no configuration module")]
fn in_ci() -> bool {
    std::env::var_os("CI").is_some_and(|value| value == "true")
}

/// The lines of Kubernetes' token file: token, name, uid, groups.
fn write_tokens(file: &Path, people: &[Person]) {
    let line =
        |person: &Person| format!("{},{name},{name},\"{}\"\n", Server::token(person.name), person.groups.join(","), name = person.name);
    std::fs::write(file, people.iter().map(line).collect::<String>()).unwrap();
}
