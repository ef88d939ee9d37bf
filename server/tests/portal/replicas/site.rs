//! An installation with several replicas: processes of the built program at one plane and one database, behind a proxy that gives each of them a
//! turn.

use std::net::Ipv4Addr;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use http::{Request, Response, StatusCode, header};
use hyper::client::conn::http1::handshake;
use hyper_util::rt::TokioIo;
use parking_lot::Mutex;
use serde_json::json;
use store::{SealKeys, Store};
use tokio::net::TcpStream;

use crate::browser::{Browser, HOST, Product};
use crate::process::port_in;
use crate::programs::token;
use crate::receivers::{Call, Receiver, hooks};
use crate::second::kubeconfig;

/// How long a start, or a controller that takes over, may take.
pub const PATIENCE: Duration = Duration::from_secs(90);
/// How often it is asked.
const ASK_AGAIN: Duration = Duration::from_millis(20);

/// A plane, a database and a receiver of webhooks, which outlive every replica.
pub struct Site {
    /// The plane, with its sample world and without a controller.
    pub plane: Product,
    /// Receives every notification as a webhook.
    pub hook: Receiver<Call>,
    database: String,
    folder: tempfile::TempDir,
    started: AtomicUsize,
}

/// A process of the built program; killed when dropped.
pub struct Replica {
    child: Child,
    /// Where it serves pages or probes.
    pub port: u16,
    log: PathBuf,
}

/// A proxy that gives each of its replicas a turn, and passes over those that don't answer.
#[derive(Clone, Default)]
pub struct Proxy {
    ports: Arc<Mutex<Vec<u16>>>,
    turn: Arc<AtomicUsize>,
}

impl Site {
    /// Starts what replicas share; `None` without PostgreSQL.
    pub async fn open() -> Option<Self> {
        let database = testplane::postgres()?.database();
        let (plane, hook, folder) = (Product::quiet().await, hooks().await, tempfile::tempdir().expect("a folder"));
        let site = Self { plane, hook, database, folder, started: AtomicUsize::new(0) };
        site.write("kubeconfig", &kubeconfig(&site.plane).to_string());
        site.write("session.key", &"5e".repeat(32));
        site.write("secret", "a secret of some length");
        let webhook = json!({
            "name": "ops", "url": format!("http://127.0.0.1:{}/hook", site.hook.port), "secretFile": site.path("secret"), "allowPrivate": true,
        });
        site.write("notifications.yaml", &json!({"webhooks": [webhook]}).to_string());
        Some(site)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.path(name), text).expect("written");
        std::fs::set_permissions(self.path(name), std::fs::Permissions::from_mode(0o600)).expect("made private");
    }

    /// The database as a process with the same keys opens it.
    pub async fn store(&self) -> Store {
        let keys = SealKeys::provided(&self.path("session.key")).expect("keys");
        Store::connect(&self.database, keys).await.expect("the database")
    }

    /// The bearer token of a person.
    pub fn token(&self, person: &str) -> String {
        token(&self.plane, person)
    }

    /// Starts a replica with pages, and waits until it is ready.
    pub async fn web(&self) -> Replica {
        let replica = self.start("web").await;
        let ready = async {
            while replica.get("/readyz").await != Some(StatusCode::OK) {
                tokio::time::sleep(ASK_AGAIN).await;
            }
        };
        tokio::time::timeout(PATIENCE, ready).await.unwrap_or_else(|_| panic!("not ready: {}", replica.log()));
        replica
    }

    /// Starts a controller.
    pub async fn controller(&self) -> Replica {
        self.start("controller").await
    }

    async fn start(&self, role: &str) -> Replica {
        #[expect(clippy::disallowed_methods, reason = "the build tool names the release binary here")]
        let binary = std::env::var_os("OPM_PORTAL").unwrap_or_else(|| env!("CARGO_BIN_EXE_opm-portal").into());
        let name = format!("{role}-{}", self.started.fetch_add(1, Ordering::Relaxed));
        let (data, log) = (self.path(&name), self.path(&format!("{name}.log")));
        let world = &self.plane.running.sandbox.as_ref().expect("an embedded plane").world;
        let mut command = Command::new(binary);
        command.args(["serve", "--plane", "kubeconfig", "--port", "0", "--requests-per-second", "0", "--sign-in", "token"]);
        command.args(["--roles", role, "--public-url", &format!("http://{HOST}")]);
        command.arg("--provider").arg(world.provider.as_str());
        for home in world.trusted_homes() {
            command.arg("--trusted-home").arg(home.as_str());
        }
        command.arg("--kubeconfig").arg(self.path("kubeconfig")).arg("--data").arg(data);
        command.arg("--database-url").arg(&self.database).arg("--session-key-file").arg(self.path("session.key"));
        command.arg("--notifications").arg(self.path("notifications.yaml"));
        let output = std::fs::File::create(&log).expect("a log file");
        let child = command.stdout(Stdio::null()).stderr(output).spawn().expect("the program starts");
        let mut replica = Replica { child, port: 0, log };
        let listening = async {
            loop {
                if let Some(port) = replica.announced() {
                    return port;
                }
                tokio::time::sleep(ASK_AGAIN).await;
            }
        };
        replica.port = tokio::time::timeout(PATIENCE, listening).await.unwrap_or_else(|_| panic!("{}", replica.log()));
        replica
    }
}

impl Replica {
    /// The port that it says it listens on.
    fn announced(&self) -> Option<u16> {
        port_in(&self.log())
    }

    /// What it said.
    pub fn log(&self) -> String {
        std::fs::read_to_string(&self.log).unwrap_or_default()
    }

    async fn get(&self, path: &str) -> Option<StatusCode> {
        let request = Request::get(path).header(header::HOST, HOST).body(Body::empty()).expect("a request");
        forwarded(self.port, request).await.ok().map(|response| response.status())
    }

    /// A browser that reaches this replica alone.
    pub fn browser(&self) -> Browser {
        Browser::at(Proxy::of(&[self]).router())
    }

    /// SIGKILL: nothing is written or closed any more.
    pub fn kill(mut self) {
        self.end();
    }

    /// SIGTERM, as a rollout sends it, and the end of the process.
    pub async fn stop(mut self) {
        let told = Command::new("kill").arg(self.child.id().to_string()).status().expect("kill");
        assert!(told.success());
        let ended = async {
            while self.child.try_wait().expect("its state").is_none() {
                tokio::time::sleep(ASK_AGAIN).await;
            }
        };
        tokio::time::timeout(PATIENCE, ended).await.expect("it ends");
    }

    fn end(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for Replica {
    fn drop(&mut self) {
        self.end();
    }
}

impl Proxy {
    /// A proxy in front of these.
    pub fn of(replicas: &[&Replica]) -> Self {
        let proxy = Self::default();
        proxy.leads_to(replicas);
        proxy
    }

    /// A proxy in front of these ports.
    pub fn of_ports(ports: &[u16]) -> Self {
        Self { ports: Arc::new(Mutex::new(ports.to_vec())), turn: Arc::default() }
    }

    /// Leads to these from now on.
    pub fn leads_to(&self, replicas: &[&Replica]) {
        *self.ports.lock() = replicas.iter().map(|replica| replica.port).collect();
    }

    /// All addresses.
    pub fn router(&self) -> Router {
        let proxy = self.clone();
        Router::new().fallback(move |request: Request<Body>| async move { proxy.forward(request).await })
    }

    /// Passes a request on to the replica whose turn it is, or to the next one if nothing listens there.
    async fn forward(&self, mut request: Request<Body>) -> Response<Body> {
        let ports = self.ports.lock().clone();
        let turn = self.turn.fetch_add(1, Ordering::Relaxed);
        for step in 0..ports.len() {
            match forwarded(ports[(turn + step) % ports.len()], request).await {
                Ok(response) => return response,
                Err(Some(unsent)) => request = unsent,
                Err(None) => break,
            }
        }
        let mut response = Response::new(Body::empty());
        *response.status_mut() = StatusCode::BAD_GATEWAY;
        response
    }
}

/// Sends a request to a port of this machine. Returns the request if nothing listens there.
async fn forwarded(port: u16, request: Request<Body>) -> Result<Response<Body>, Option<Request<Body>>> {
    let Ok(stream) = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).await else { return Err(Some(request)) };
    let (mut sender, connection) = handshake(TokioIo::new(stream)).await.map_err(|_| None)?;
    tokio::spawn(connection);
    Ok(sender.send_request(request).await.map_err(|_| None)?.map(Body::new))
}
