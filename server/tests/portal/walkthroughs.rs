//! docs/kcp.md and docs/kubernetes.md: every block of commands, in its order, as a shell runs it. The embedded plane stands in for both servers.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use testplane::{Person, Server};

/// How long the portal can take until it is ready.
const PATIENCE: Duration = Duration::from_secs(60);
const PAUSE: Duration = Duration::from_millis(50);
const PEOPLE: &[Person] =
    &[Person { name: "admin", groups: &["system:masters", "system:kcp:admin"] }, Person { name: "dana", groups: &["shop-developers"] }];
/// Keeps the variables of a block for the next one, as a terminal does.
const TERMINAL: &str = "set -eua\n[ ! -f variables ] || . ./variables\n";
const KEEPS: &str = "\nexport -p > variables\n";

#[expect(clippy::disallowed_methods, reason = "the build tool names the programs here")]
fn named(variable: &str) -> Option<PathBuf> {
    std::env::var_os(variable).map(PathBuf::from)
}

pub fn program() -> PathBuf {
    named("OPM_PORTAL").unwrap_or_else(|| env!("CARGO_BIN_EXE_opm-portal").into())
}

/// kubectl as the build tool names it; without it the documents can't be followed, which is said.
fn kubectl() -> Option<PathBuf> {
    let found = named("OPM_KUBECTL").filter(|file| file.is_file());
    if found.is_none() {
        assert_ne!(named("CI").as_deref(), Some(Path::new("true")), "OPM_KUBECTL names no kubectl");
        println!("skipped: OPM_KUBECTL names no kubectl; `cargo xtask test --install` builds and names it");
    }
    found
}

/// All blocks of shell commands of a document.
fn blocks(document: &str) -> Vec<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs").join(document);
    let text = std::fs::read_to_string(path).expect("a document");
    text.split("```sh\n").skip(1).filter_map(|block| block.split("```").next()).map(str::to_owned).collect()
}

/// A folder in which a reader follows a document.
struct Place {
    server: Server,
    folder: tempfile::TempDir,
}

impl Place {
    /// A server, and a kubeconfig with the contexts that the document asks for; `context` is the administrator's, at this path of the server.
    async fn open(context: &str, path: &str, kubectl: &Path) -> Self {
        let server = testplane::embedded(&program(), PEOPLE).await;
        let folder = tempfile::tempdir().expect("a folder");
        let cluster = |name: &str, path: &str| {
            json!({"name": name, "cluster": {
                "server": format!("{}{path}", server.address()), "certificate-authority-data": STANDARD.encode(server.certificate()),
            }})
        };
        let user = |name: &str, person: &str| json!({"name": name, "user": {"token": Server::token(person)}});
        let leads = |name: &str, cluster: &str| json!({"name": name, "context": {"cluster": cluster, "user": name}});
        let file = |current: &str, clusters: Value, users: Value, contexts: Value| {
            json!({
                "apiVersion": "v1", "kind": "Config", "current-context": current,
                "clusters": clusters, "users": users, "contexts": contexts,
            })
        };
        let own = file(
            context,
            json!([cluster(context, path)]),
            json!([user(context, "admin"), user("dana", "dana")]),
            json!([leads(context, context), leads("dana", context)]),
        );
        let workload =
            file("workload", json!([cluster("workload", "")]), json!([user("workload", "admin")]), json!([leads("workload", "workload")]));
        for (name, content) in [("kubeconfig", own), ("workload.yaml", workload)] {
            std::fs::write(folder.path().join(name), content.to_string()).expect("written");
        }
        let programs = folder.path().join("bin");
        std::fs::create_dir(&programs).expect("a folder");
        for (name, file) in [("opm-portal", program().as_path()), ("kubectl", kubectl)] {
            std::os::unix::fs::symlink(file, programs.join(name)).expect("a link");
        }
        Self { server, folder }
    }

    /// A shell in the folder, with both programs on its path.
    fn shell(&self, script: &str) -> Command {
        let at = |name: &str| self.folder.path().join(name);
        let path = named("PATH").unwrap_or_default();
        let mut shell = Command::new("sh");
        shell.args(["-c", script]).current_dir(self.folder.path()).stdin(Stdio::null());
        shell.env("PATH", format!("{}:{}", at("bin").display(), path.display())).env("HOME", self.folder.path());
        shell.env("KUBECONFIG", at("kubeconfig")).env("OPM_PORT", "0");
        shell
    }

    /// Follows a document to its end. What it serves runs on while the blocks after it are followed.
    fn follow(&self, document: &str) {
        let blocks = blocks(document);
        let mut serving = None;
        for block in &blocks {
            if block.starts_with("opm-portal serve ") {
                serving = Some(self.serve(block));
                continue;
            }
            let output = self.shell(&format!("{TERMINAL}{block}{KEEPS}")).output().expect("a shell");
            let said = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
            let log = std::fs::read_to_string(self.folder.path().join("log")).unwrap_or_default();
            assert!(output.status.success(), "{block}\n{said}\n{log}");
        }
        assert!(serving.is_some(), "{document} serves the portal");
        let asks = blocks.last().expect("a block");
        assert!(asks.contains("kind: PromiseRequest") && asks.contains("condition=Ready"), "{document} ends with a request: {asks}");
    }

    /// Starts the portal and waits until it says that it is ready.
    fn serve(&self, block: &str) -> Portal {
        let log = self.folder.path().join("log");
        let mut shell = self.shell(&format!("exec {block}"));
        let child = shell.stdout(Stdio::null()).stderr(std::fs::File::create(&log).expect("a log")).spawn().expect("it starts");
        let portal = Portal(child);
        let said = || std::fs::read_to_string(&log).unwrap_or_default();
        for _ in 0..PATIENCE.as_millis() / PAUSE.as_millis() {
            let address = said().split_once("http://").map(|(_, rest)| rest.split_whitespace().next().unwrap_or_default().to_owned());
            if address.is_some_and(|address| ready(&address)) {
                return portal;
            }
            std::thread::sleep(PAUSE);
        }
        panic!("the portal is not ready against {}: {}", self.server.address(), said());
    }
}

/// A portal that is ended when it is dropped.
struct Portal(Child);

impl Drop for Portal {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn ready(address: &str) -> bool {
    let Ok(mut stream) = TcpStream::connect(address) else { return false };
    let asked = format!("GET /readyz HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n");
    let mut answer = String::new();
    stream.write_all(asked.as_bytes()).is_ok() && stream.read_to_string(&mut answer).is_ok() && answer.starts_with("HTTP/1.1 200")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_commands_of_the_kcp_document_lead_from_an_empty_kcp_to_a_request_that_is_ready() {
    let Some(kubectl) = kubectl() else { return };
    Place::open("kcp", "/clusters/root", &kubectl).await.follow("kcp.md");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_commands_of_the_kubernetes_document_lead_from_an_empty_cluster_to_a_request_that_is_ready() {
    let Some(kubectl) = kubectl() else { return };
    Place::open("cluster", "", &kubectl).await.follow("kubernetes.md");
}
