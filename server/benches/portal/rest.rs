//! Lists of the REST API per second beside a bare handler that sends the same compressed bytes, in turns in the same run; and what the record
//! of a write in the audit log costs.

use serde_json::{Value, json};

use crate::audit;
use crate::bare::Bare;
use crate::http::{Answer, Connection, request};
use crate::load::{self, Asked, Load};
use crate::plane::Plane;
use crate::portal::Portal;

const CONNECTIONS: usize = 16;
/// Requests in the list.
const REQUESTS: usize = 100;
const LIST: &str = "/api/v1/workspaces/root:acme:shop/requests";

/// A list of 100 requests, whole and with three fields of each.
pub async fn measure(seconds: u64) {
    let data = tempfile::tempdir().expect("a folder");
    let portal = Portal::start(data.path()).await;
    let plane = Plane::open(data.path());
    let promise = "settings-bench";
    plane.publish_pattern(promise).await;
    for number in 0..REQUESTS {
        plane.order(promise, &format!("bench-{number:03}"), json!({"text": "hello"})).await;
    }
    let kubeconfig = std::fs::read_to_string(Portal::kubeconfig(data.path())).expect("the portal wrote a kubeconfig");
    let kubeconfig: Value = serde_json::from_str(&kubeconfig).expect("JSON");
    let users = kubeconfig["users"].as_array().expect("users");
    let user = users.iter().find(|user| user["name"] == "dev-shop").expect("a developer");
    let token = user["user"]["token"].as_str().expect("a token").to_owned();
    for path in [LIST.to_owned(), format!("{LIST}?fields=name,state,owner")] {
        let answer = read(&portal, &path, &token).await;
        let bare = Bare::of(&answer.body);
        println!("{path}: {} bytes of compressed JSON", answer.body.len());
        let theirs = load::run(bare.port, "/", "", &Asked::Unchanged, CONNECTIONS, seconds).await;
        print(&theirs, "bare axum handler");
        let ours = load::run(portal.port, &path, "", &Asked::Program(token.clone()), CONNECTIONS, seconds).await;
        print(&ours, "portal");
        println!("    ratio: {:.3} of the bare handler's rate", ours.rate / theirs.rate);
    }
    audit::measure(data.path(), &plane, seconds).await;
}

async fn read(portal: &Portal, path: &str, token: &str) -> Answer {
    let authorization = format!("Bearer {token}");
    let message = request("GET", path, portal.port, &[("Authorization", &authorization), ("Accept-Encoding", load::ENCODINGS)], "");
    let answer = Connection::open(portal.port).await.send(&message).await;
    assert_eq!(answer.status, 200, "{path}: {}", answer.head);
    answer
}

fn print(load: &Load, what: &str) {
    println!(
        "  {what}: {:.0} lists/s, p50 {:.2} ms, p99 {:.2} ms, {} bytes",
        load.rate,
        load.p50.as_secs_f64() * 1e3,
        load.p99.as_secs_f64() * 1e3,
        load.bytes
    );
}
