//! One kube-apiserver for all tests of a process, one after the other. Each finds it as it was when it was remembered: starting another costs
//! more than most tests do.
//!
//! What tests leave behind is taken back in etcd, below every admission, finalizer and missing controller; the API server sees it as it sees
//! any write. What the API server keeps there for itself is left alone.

use std::collections::BTreeMap;
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};
use tokio::sync::{Mutex, MutexGuard};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::{Person, Server, anybody, kubernetes};

/// Ends the servers and removes their folder once the other end of its input is closed: what a process keeps to its end is not dropped.
const KEEPER: &str = r#"folder=$1; shift; read -r _; kill -KILL "$@"; rm -rf "$folder""#;
/// Where the API server keeps objects.
const OBJECTS: &str = "/registry/";
/// The first key behind them.
const BEHIND: &str = "/registry0";
/// What the API server writes for itself.
const OWN: [&str; 10] = [
    "apiregistration.k8s.io/",
    "flowschemas/",
    "ipaddresses/",
    "leases/kube-system/",
    "masterleases/",
    "prioritylevelconfigurations/",
    "ranges/",
    "servicecidrs/",
    "services/endpoints/default/kubernetes",
    "services/specs/default/kubernetes",
];
/// Operations of one transaction; etcd takes 128.
const TOGETHER: usize = 100;

static SERVER: Mutex<Option<Shared>> = Mutex::const_new(None);

struct Shared {
    server: Server,
    /// Keys and values, as etcd encodes them.
    remembered: Option<BTreeMap<String, String>>,
    _keeper: Child,
}

/// The right to use the server until it is dropped.
pub struct Turn(MutexGuard<'static, Option<Shared>>);

/// Waits for the server to be free; nothing where there is none. It knows the people of who asked first.
pub async fn turn(people: &[Person]) -> Option<Turn> {
    let mut shared = SERVER.lock().await;
    match shared.as_mut() {
        // Its connections went with the runtime of the test before.
        Some(shared) => shared.server.client = anybody(&shared.server.address, &shared.server.certificate).await,
        None => {
            let server = kubernetes(people).await?;
            let ids = server.processes.iter().map(|process| process.id().to_string());
            let mut keeper = Command::new("/bin/sh");
            keeper.args(["-c", KEEPER, "keeper"]).arg(server.folder.path()).args(ids);
            let keeper = keeper.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
            *shared = Some(Shared { server, remembered: None, _keeper: keeper });
        }
    }
    let mut turn = Turn(shared);
    turn.restore().await;
    Some(turn)
}

impl Turn {
    /// The server.
    pub fn server(&self) -> &Server {
        &self.shared().server
    }

    /// Whether nothing was remembered yet: what all tests need is still to be made.
    pub fn is_first(&self) -> bool {
        self.shared().remembered.is_none()
    }

    /// Makes what is there now what every later turn begins with.
    pub async fn remember(&mut self) {
        let now = self.objects().await;
        self.0.as_mut().unwrap().remembered = Some(now);
    }

    fn shared(&self) -> &Shared {
        self.0.as_ref().unwrap()
    }

    async fn restore(&mut self) {
        let Some(remembered) = &self.shared().remembered else { return };
        let now = self.objects().await;
        let gone = now.keys().filter(|key| !remembered.contains_key(*key)).map(|key| json!({"requestDeleteRange": {"key": key}}));
        let changed = remembered.iter().filter(|(key, value)| now.get(*key) != Some(value));
        let changed = changed.map(|(key, value)| json!({"requestPut": {"key": key, "value": value}}));
        let operations: Vec<Value> = gone.chain(changed).collect();
        for together in operations.chunks(TOGETHER) {
            let done = self.etcd("txn", &json!({"success": together})).await;
            assert_eq!(done["succeeded"], true, "{done}");
        }
    }

    /// All objects but those that the API server keeps for itself.
    async fn objects(&self) -> BTreeMap<String, String> {
        let all = self.etcd("range", &json!({"key": STANDARD.encode(OBJECTS), "range_end": STANDARD.encode(BEHIND)})).await;
        let all =
            all["kvs"].as_array().unwrap().iter().map(|pair| [&pair["key"], &pair["value"]].map(|text| text.as_str().unwrap_or_default()));
        let foreign = |key: &str| {
            let key = String::from_utf8(STANDARD.decode(key).unwrap()).unwrap();
            !OWN.iter().any(|own| key[OBJECTS.len()..].starts_with(own))
        };
        all.filter(|[key, _]| foreign(key)).map(|[key, value]| (key.to_owned(), value.to_owned())).collect()
    }

    async fn etcd(&self, call: &str, body: &Value) -> Value {
        let address = self.shared().server.etcd.as_ref().unwrap();
        let client = kube::Client::try_from(kube::Config::new(address.parse().unwrap())).unwrap();
        let request = http::Request::post(format!("/v3/kv/{call}")).body(body.to_string().into_bytes()).unwrap();
        client.request(request).await.unwrap()
    }
}
