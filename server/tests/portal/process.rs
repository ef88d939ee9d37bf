//! The built program as a process of its own, on a folder, which can be killed.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use cluster::endpoint::Credential;
use cluster::{Endpoint, Scope};
use http::Request;
use kube::Client;

/// How long a start or an end may take.
const PATIENCE: Duration = Duration::from_secs(60);
/// How often a start is asked whether it is ready.
const ASK_AGAIN: Duration = Duration::from_millis(5);

/// A running program; killed when dropped.
pub struct Process {
    child: Child,
    data: PathBuf,
    endpoint: Endpoint,
    credential: Credential,
}

impl Process {
    /// Starts the program without further arguments.
    pub async fn start(data: &Path) -> Self {
        Self::start_with(data, &[]).await
    }

    /// Starts the program of `OPM_PORTAL`, or the one built with this test, and waits until it says that it is ready.
    pub async fn start_with(data: &Path, more: &[&str]) -> Self {
        Self::start_in(data, more, &[]).await
    }

    /// The same with variables in its environment.
    pub async fn start_in(data: &Path, more: &[&str], environment: &[(&str, &str)]) -> Self {
        #[expect(clippy::disallowed_methods, reason = "the build tool names the release binary here")]
        let binary = std::env::var_os("OPM_PORTAL").unwrap_or_else(|| env!("CARGO_BIN_EXE_opm-portal").into());
        // What the process before wrote would name its port.
        let kubeconfig = data.join("kubeconfig");
        let _ = std::fs::remove_file(&kubeconfig);
        let child = Command::new(binary)
            .args(["serve", "--plane", "embedded", "--empty", "--port", "0", "--plane-port", "0", "--requests-per-second", "0", "--data"])
            .arg(data)
            .args(more)
            .envs(environment.iter().copied())
            .stdout(Stdio::null())
            .stderr(std::fs::File::create(data.join("log")).expect("a log file"))
            .spawn()
            .expect("the program starts");
        let waiting = async {
            loop {
                if let Some(process) = Self::ready(&kubeconfig).await {
                    return process;
                }
                tokio::time::sleep(ASK_AGAIN).await;
            }
        };
        let log = || std::fs::read_to_string(data.join("log")).unwrap_or_default();
        let (endpoint, credential) =
            tokio::time::timeout(PATIENCE, waiting).await.unwrap_or_else(|_| panic!("not ready after {PATIENCE:?}: {}", log()));
        Self { child, data: data.to_owned(), endpoint, credential }
    }

    async fn ready(kubeconfig: &Path) -> Option<(Endpoint, Credential)> {
        let yaml = std::fs::read_to_string(kubeconfig).ok()?;
        let (endpoint, credential) = Endpoint::from_kubeconfig("plane", &yaml).ok()?;
        let client = endpoint.client(credential.token.as_ref()?, &Scope::Root);
        client.request_text(Request::get("/readyz").body(Vec::new()).ok()?).await.ok()?;
        Some((endpoint, credential))
    }

    /// The way to its plane.
    pub fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    /// As the plane's admin.
    pub fn client(&self, scope: &Scope) -> Client {
        self.endpoint.client(self.credential.token.as_ref().expect("the context has a token"), scope)
    }

    /// As somebody of the sample world, in a workspace whose context they have.
    pub fn client_of(&self, person: &str, workspace: &str) -> Client {
        let yaml = std::fs::read_to_string(self.data.join("kubeconfig")).expect("a kubeconfig");
        let mut config: serde_json::Value = serde_saphyr::from_str(&yaml).expect("the YAML of a kubeconfig");
        config["current-context"] = format!("{person}@{workspace}").into();
        let (endpoint, credential) = Endpoint::from_kubeconfig("plane", &config.to_string()).expect("the context of a person");
        let path = cluster::WorkspacePath::parse(workspace).expect("a path");
        endpoint.client(credential.token.as_ref().expect("the context has a token"), &Scope::Workspace(path))
    }

    /// Waits until its pages are served; answers their port.
    pub async fn port(&self) -> u16 {
        let listening = async {
            loop {
                if let Some(port) = port_in(&self.log()) {
                    return port;
                }
                tokio::time::sleep(ASK_AGAIN).await;
            }
        };
        tokio::time::timeout(PATIENCE, listening).await.unwrap_or_else(|_| panic!("no pages after {PATIENCE:?}: {}", self.log()))
    }

    /// SIGKILL: nothing is written or closed any more.
    pub fn kill(mut self) {
        self.end();
    }

    /// What the program said.
    pub fn log(&self) -> String {
        std::fs::read_to_string(self.data.join("log")).unwrap_or_default()
    }

    fn end(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The port that a program says it listens on.
pub fn port_in(log: &str) -> Option<u16> {
    let address = log.split("http://127.0.0.1:").nth(1)?;
    let (port, _) = address.split_once(|letter: char| !letter.is_ascii_digit())?;
    port.parse().ok()
}

impl Drop for Process {
    fn drop(&mut self) {
        self.end();
    }
}
