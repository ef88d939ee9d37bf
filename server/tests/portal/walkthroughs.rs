//! docs/kcp.md and docs/kubernetes.md: their commands, in their order, as the program runs them. The embedded plane stands in for both servers.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use cluster::endpoint::Own;
use cluster::{Scope, Topology, WorkspacePath, install};
use serde_json::{Value, json};
use testplane::{Person, Server};

/// How long the portal may take until it is ready.
const PATIENCE: Duration = Duration::from_secs(60);
const PAUSE: Duration = Duration::from_millis(50);
const PEOPLE: &[Person] = &[Person { name: "admin", groups: &["system:masters", "system:kcp:admin"] }];

/// Makes an object that a command line of the documents would create.
type Manifest = fn() -> Value;

/// What `kubectl` lines of the documents do, so that the test needs no kubectl.
const KUBECTL: [(&str, Manifest); 2] = [
    ("kubectl --context cluster create namespace shop", || json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop"}})),
    (
        "kubectl --context cluster create rolebinding shop-requesters --namespace shop --clusterrole=opm-user --group=shop-developers",
        || {
            json!({
                "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "RoleBinding", "metadata": {"name": "shop-requesters", "namespace": "shop"},
                "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "opm-user"},
                "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "Group", "name": "shop-developers"}],
            })
        },
    ),
];

fn program() -> PathBuf {
    #[expect(clippy::disallowed_methods, reason = "the build tool names the release binary here")]
    let named = std::env::var_os("OPM_PORTAL");
    named.unwrap_or_else(|| env!("CARGO_BIN_EXE_opm-portal").into()).into()
}

/// The lines of all blocks of shell commands of a document.
fn commands(document: &str) -> Vec<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs").join(document);
    let text = std::fs::read_to_string(path).expect("a document");
    let blocks = text.split("```sh\n").skip(1).filter_map(|block| block.split("```").next());
    blocks.flat_map(|block| block.lines().filter(|line| !line.trim().is_empty()).map(str::to_owned).collect::<Vec<_>>()).collect()
}

/// The words of a line as a shell reads them; the documents quote with single quotes alone.
fn words(line: &str) -> Vec<String> {
    let parts = line.split('\'').enumerate();
    parts
        .flat_map(|(index, part)| match index % 2 {
            0 => part.split_whitespace().map(str::to_owned).collect::<Vec<_>>(),
            _ => vec![part.to_owned()],
        })
        .collect()
}

/// A place in which somebody follows a document.
struct Place {
    server: Server,
    folder: tempfile::TempDir,
}

impl Place {
    /// A server, and a kubeconfig whose one context has this name and leads to this path of it.
    async fn open(context: &str, path: &str) -> Self {
        let server = testplane::embedded(&program(), PEOPLE).await;
        let folder = tempfile::tempdir().expect("a folder");
        let kubeconfig = |name: &str, path: &str| {
            json!({
                "apiVersion": "v1", "kind": "Config", "current-context": name,
                "clusters": [{"name": name, "cluster": {
                    "server": format!("{}{path}", server.address()), "certificate-authority-data": STANDARD.encode(server.certificate()),
                }}],
                "users": [{"name": name, "user": {"token": Server::token("admin")}}],
                "contexts": [{"name": name, "context": {"cluster": name, "user": name}}],
            })
        };
        for (file, content) in [("kubeconfig", kubeconfig(context, path)), ("workload.yaml", kubeconfig("workload", ""))] {
            std::fs::write(folder.path().join(file), content.to_string()).expect("written");
        }
        Self { server, folder }
    }

    async fn client(&self, topology: &Topology, scope: &Scope) -> kube::Client {
        let own = Own::open(Some(&self.folder.path().join("kubeconfig")), None).await.expect("a kubeconfig");
        own.client_at(topology, scope)
    }

    fn command(&self, words: &[String]) -> Command {
        let mut command = Command::new(program());
        command.args(words).current_dir(self.folder.path()).env("KUBECONFIG", self.folder.path().join("kubeconfig")).env("OPM_PORT", "0");
        command
    }

    /// Follows a document to its end.
    async fn follow(&self, document: &str, topology: &Topology) {
        let lines = commands(document);
        assert!(
            lines.iter().any(|line| line.contains("bootstrap")) && lines.last().is_some_and(|line| line.contains(" serve ")),
            "{lines:?}"
        );
        for line in &lines {
            if let Some((_, object)) = KUBECTL.iter().find(|(known, _)| known == line) {
                install::apply_object(&self.client(topology, &Scope::Root).await, &object()).await.expect(line);
                continue;
            }
            let words = words(line);
            assert_eq!(words[0], "opm-portal", "the test does not know what to do with: {line}");
            if words[1] == "serve" {
                self.serves(&words[1..]);
                continue;
            }
            let output = self.command(&words[1..]).output().expect("the program runs");
            let said = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
            assert!(output.status.success(), "{line}: {said}");
        }
    }

    /// Starts the portal and waits until it says that it is ready.
    fn serves(&self, words: &[String]) {
        let log = self.folder.path().join("log");
        let child =
            self.command(words).stdout(Stdio::null()).stderr(std::fs::File::create(&log).expect("a log")).spawn().expect("it starts");
        let _portal = Portal(child);
        let tries = PATIENCE.as_millis() / PAUSE.as_millis();
        let said = || std::fs::read_to_string(&log).unwrap_or_default();
        for _ in 0..tries {
            let address = said().split_once("http://").map(|(_, rest)| rest.split_whitespace().next().unwrap_or_default().to_owned());
            if address.is_some_and(|address| ready(&address)) {
                return;
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
async fn the_commands_of_the_kcp_document_lead_to_a_portal_that_is_ready() {
    let place = Place::open("kcp", "/clusters/root").await;
    let topology = Topology::Workspaces { provider: "root:opm".parse().expect("a path") };
    for (parent, name) in [("root", "acme"), ("root:acme", "shop")] {
        let object = json!({"apiVersion": "tenancy.kcp.io/v1alpha1", "kind": "Workspace", "metadata": {"name": name}});
        let parent: WorkspacePath = parent.parse().expect("a path");
        let client = place.client(&topology, &Scope::Workspace(parent)).await;
        install::apply_object(&client, &object).await.expect("a workspace");
        let ready = |object: Option<&kube::api::DynamicObject>| object.is_some_and(|o| o.data["status"]["phase"] == "Ready");
        let kind = kube::core::GroupVersionKind::gvk("tenancy.kcp.io", "v1alpha1", "Workspace");
        let api: kube::Api<kube::api::DynamicObject> = kube::Api::all_with(client, &kube::core::ApiResource::from_gvk(&kind));
        let waiting = kube::runtime::wait::await_condition(api, name, ready);
        tokio::time::timeout(PATIENCE, waiting).await.expect("in time").expect("ready");
    }
    place.follow("kcp.md", &topology).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_commands_of_the_kubernetes_document_lead_to_a_portal_that_is_ready() {
    let place = Place::open("cluster", "").await;
    place.follow("kubernetes.md", &Topology::Namespaces).await;
}
