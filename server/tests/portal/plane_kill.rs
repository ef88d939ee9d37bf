//! The bare plane is killed while several writers write, and started again on what it left.
//!
//! Each acknowledged write is there afterwards, or the one that came after it; nothing is half done; versions only grow; a watch from
//! before goes on or is told that it cannot. `cargo xtask soak plane-kill` runs this against the release binary in its full size
//! (`OPM_KILLS`, `OPM_OBJECTS`, `OPM_SEED`).

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use cluster::Endpoint;
use http::Request;
use http_body_util::BodyExt as _;
use kube::Client;
use kube::client::Body;
use serde_json::json;
use tokio::time::{Instant, timeout};
use witness::{Answer, Door, Seed, Watched, Witness};

use crate::kill::setting;

/// Writers at the same time: their changes share commits.
const WRITERS: usize = 8;
/// Writers that make the objects to begin with.
const MAKERS: usize = 64;
/// Bytes in an object, about.
const SIZE: usize = 1_400;
/// A plane is killed with one of its first acknowledgements of this many.
const ACKNOWLEDGED: u64 = 300;
/// How long a start, or a look at everything, may take.
const PATIENCE: Duration = Duration::from_secs(120);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_the_plane_acknowledged_survives_its_end_at_any_instant() {
    let (kills, objects, seed) = (setting("OPM_KILLS", 20), setting("OPM_OBJECTS", 200), setting("OPM_SEED", 1));
    let folder = tempfile::tempdir().expect("a folder");
    let mut seed = Seed::new(seed);
    let mut witness = Witness::new(usize::try_from(objects).expect("a number of objects"), SIZE, seed.number());
    let plane = Plane::start(folder.path()).await;
    assert_eq!(witness.define(&plane).await, Ok(true));
    let begun = Instant::now();
    witness.fill(&plane, MAKERS).await.expect("all objects");
    println!("{objects} objects made in {:.1} s", begun.elapsed().as_secs_f64());
    drop(plane);
    let (mut starts, mut done, mut undone, mut followed, mut told) = (Vec::new(), 0, 0, 0, 0);
    for kill in 0..kills {
        let begun = Instant::now();
        let plane = Plane::start(folder.path()).await;
        starts.push(begun.elapsed());
        let found = timeout(PATIENCE, witness.check(&plane)).await.unwrap_or_else(|_| panic!("kill {kill}: the plane hangs"));
        let found = found.unwrap_or_else(|lost| panic!("kill {kill}: {lost}")).expect("the plane answers");
        (done, undone) = (done + found.done, undone + found.undone);
        if let Watched::Changes(changes) = found.watched {
            (followed, told) = (followed + 1, told + changes);
        }
        let last = 1 + seed.below(ACKNOWLEDGED);
        let told = |acknowledged| {
            if acknowledged == last {
                plane.kill();
            }
        };
        timeout(PATIENCE, witness.write(&plane, WRITERS, &told)).await.expect("the writers end").expect("writes are taken");
    }
    starts.sort();
    println!("{kills} kills at {} objects: nothing acknowledged was lost, nothing is half done", witness.objects());
    println!("of the writes under way {done} were done and {undone} were not; {followed} watches from before told {told} changes");
    println!("start after a kill: median {:?}, worst {:?}", starts[starts.len() / 2], starts[starts.len() - 1]);
    assert!(done + undone > 0 && followed > 0, "the instants show nothing");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_second_plane_on_the_same_directory_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let _plane = Plane::start(folder.path()).await;
    let second = command(folder.path()).output().expect("it ends");
    let said = String::from_utf8_lossy(&second.stderr);
    assert!(!second.status.success() && said.contains("in use by another process: stop that process"), "{}: {said}", second.status);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_damaged_file_is_a_sentence() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::create_dir_all(folder.path().join("data/plane")).expect("a folder");
    std::fs::write(folder.path().join("data/plane/plane.redb"), "no database").expect("a file");
    let refused = command(folder.path()).output().expect("it ends");
    let said = String::from_utf8_lossy(&refused.stderr);
    assert!(!refused.status.success() && said.contains("cannot be read") && said.contains("restore a copy"), "{}: {said}", refused.status);
}

#[cfg(unix)]
#[tokio::test]
async fn what_a_bare_plane_keeps_is_private_whoever_made_the_folder() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path().join("data");
    std::fs::create_dir(&data).expect("a folder");
    std::fs::set_permissions(&data, std::fs::Permissions::from_mode(0o755)).expect("its mode");
    let plane = Plane::start(folder.path()).await;
    for (path, mode) in [("", 0o700), ("tls", 0o700), ("tls/ca.key", 0o600), ("plane", 0o700), ("plane/plane.redb", 0o600)] {
        let found = std::fs::metadata(data.join(path)).expect("it is there").permissions().mode();
        assert_eq!(found & 0o777, mode, "{path}");
    }
    plane.kill();
}

/// A running bare plane; killed when dropped.
struct Plane {
    child: Mutex<Child>,
    client: Client,
}

fn command(folder: &Path) -> Command {
    #[expect(clippy::disallowed_methods, reason = "the build tool names the release binary here")]
    let binary = std::env::var_os("OPM_PORTAL").unwrap_or_else(|| env!("CARGO_BIN_EXE_opm-portal").into());
    let tokens = folder.join("tokens.csv");
    std::fs::write(&tokens, "token-of-admin,admin,admin,\"system:masters\"\n").expect("a file of tokens");
    let mut command = Command::new(binary);
    command.args(["plane", "--empty", "--listen", "127.0.0.1:0", "--token-auth-file"]).arg(tokens).arg("--data").arg(folder.join("data"));
    command.stdout(Stdio::null()).stderr(Stdio::piped());
    command
}

impl Plane {
    /// Starts a plane and waits until it says that it is ready.
    async fn start(folder: &Path) -> Self {
        let log = folder.join("log");
        let mut command = command(folder);
        let child = command.stderr(std::fs::File::create(&log).expect("a log file")).spawn().expect("the program starts");
        let waiting = async {
            loop {
                if let Some(client) = ready(&log, &folder.join("data/tls/ca.crt")).await {
                    return client;
                }
                tokio::time::sleep(Duration::from_millis(2)).await;
            }
        };
        let client = timeout(PATIENCE, waiting).await;
        let client = client.unwrap_or_else(|_| panic!("not ready: {}", std::fs::read_to_string(&log).unwrap_or_default()));
        Self { child: Mutex::new(child), client }
    }

    /// SIGKILL: nothing is written or closed any more.
    fn kill(&self) {
        let mut child = self.child.lock().expect("nobody panics with it");
        let _ = child.kill();
        let _ = child.wait();
    }
}

impl Drop for Plane {
    fn drop(&mut self) {
        self.kill();
    }
}

/// A client, once the log says where the plane is and the plane that it is ready.
async fn ready(log: &Path, authority: &PathBuf) -> Option<Client> {
    let log = std::fs::read_to_string(log).ok()?;
    let url = log.split_whitespace().find(|word| word.starts_with("https://"))?.trim_end_matches(',');
    let authority = STANDARD.encode(std::fs::read(authority).ok()?);
    let kubeconfig = json!({
        "apiVersion": "v1", "kind": "Config", "current-context": "admin",
        "clusters": [{"name": "plane", "cluster": {"server": url, "certificate-authority-data": authority}}],
        "users": [{"name": "admin", "user": {"token": "token-of-admin"}}],
        "contexts": [{"name": "admin", "context": {"cluster": "plane", "user": "admin"}}],
    });
    let (endpoint, credential) = Endpoint::from_kubeconfig("plane", &kubeconfig.to_string()).ok()?;
    let client = endpoint.client_with(&credential);
    client.request_text(Request::get("/readyz").body(Vec::new()).ok()?).await.ok()?;
    Some(client)
}

impl Door for Plane {
    async fn send(&self, request: Request<Vec<u8>>) -> Option<Answer> {
        let response = self.client.send(request.map(Body::from)).await.ok()?;
        Some(response.map(|body| body.map_err(|error| error.to_string()).boxed_unsync()))
    }
}
