//! Sign-ins per second, and what a session with a live page costs in memory.
//!
//! Each session is that of a ServiceAccount with a token of the plane, because a person can have few streams. It comes from an address of its
//! own on loopback, because one address can sign in few people.

use std::net::Ipv4Addr;
use std::time::Instant;

use futures::{StreamExt as _, stream};
use k8s_openapi::api::authentication::v1::{TokenRequest, TokenRequestSpec};
use k8s_openapi::api::core::v1::ServiceAccount;
use k8s_openapi::api::rbac::v1::{ClusterRole, ClusterRoleBinding};
use kube::api::{Api, PostParams};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::http::{Connection, request};
use crate::plane::Plane;
use crate::portal::Portal;

const SHOP: &str = "root:acme:shop";
/// A page with many parts, and its stream.
const PAGE: &str = "/w/root:acme:shop/requests";
const STREAM: &str = "/live?topic=requests&workspace=root:acme:shop";
/// Sign-ins at the same time.
const TOGETHER: usize = 8;

/// How many sessions to begin, of `--sessions N`.
pub fn sessions(words: &[&str]) -> usize {
    match words {
        [] => 1000,
        ["--sessions", number] => number.parse().expect("a number of sessions"),
        other => panic!("unknown arguments {other:?}: --sessions N"),
    }
}

/// Signs everyone in, then opens a page and its stream in each session.
pub async fn measure(sessions: usize) {
    let data = tempfile::tempdir().expect("a folder");
    let portal = Portal::start_with(data.path(), &["--sign-in", "sample", "--sign-in", "token"]).await;
    let tokens = tokens(&Plane::open(data.path()), sessions).await;
    // What the first page needs is no session's.
    let cookie = portal.sign_in("dev-shop").await;
    page(portal.port, Ipv4Addr::LOCALHOST, &cookie).await;
    let before = portal.private();

    let begun = Instant::now();
    let port = portal.port;
    let signing_in = stream::iter(tokens.iter().enumerate());
    let signing_in = signing_in.map(|(number, token)| async move { (number, sign_in(port, address(number), token).await) });
    let mut cookies: Vec<(usize, String)> = signing_in.buffer_unordered(TOGETHER).collect().await;
    let elapsed = begun.elapsed().as_secs_f64();
    cookies.sort_unstable();
    let signed_in = portal.private();
    println!("sign-ins: {sessions} in {elapsed:.1} s, {:.0} a second, {TOGETHER} at a time", sessions as f64 / elapsed);

    let mut streams = Vec::with_capacity(sessions);
    for (number, cookie) in &cookies {
        page(port, address(*number), cookie).await;
        let mut connection = Connection::open_from(address(*number), port).await;
        let head = connection.begin(&request("GET", STREAM, port, &[("Cookie", cookie)], "")).await;
        assert!(head.starts_with("HTTP/1.1 200"), "{head}");
        streams.push(connection);
    }
    let live = portal.private();
    let each = |from: f64, to: f64| (to - from) * 1024.0 / sessions as f64;
    println!("memory: {before:.1} MiB at first, {signed_in:.1} MiB with {sessions} sessions, {live:.1} MiB with a live page in each");
    println!("  a session: {:.1} KiB; its live page: {:.1} KiB", each(before, signed_in), each(signed_in, live));
    drop(streams);
}

/// An address on loopback for each session.
fn address(number: usize) -> Ipv4Addr {
    let number = u32::try_from(number).expect("a small number");
    Ipv4Addr::from_bits(Ipv4Addr::new(127, 1, 0, 0).to_bits() + number + 1)
}

async fn page(port: u16, from: Ipv4Addr, cookie: &str) {
    let mut connection = Connection::open_from(from, port).await;
    let answer = connection.send(&request("GET", PAGE, port, &[("Cookie", cookie), ("Accept", "text/html")], "")).await;
    assert_eq!(answer.status, 200, "{}", answer.head);
}

/// Signs in with a token, and returns the `Cookie` header to send.
async fn sign_in(port: u16, from: Ipv4Addr, token: &str) -> String {
    let mut connection = Connection::open_from(from, port).await;
    let page = connection.send(&request("GET", "/sign-in", port, &[], "")).await;
    let visit: Vec<String> = page.headers("set-cookie").filter_map(|value| value.split(';').next()).map(str::to_owned).collect();
    let text = page.text();
    let form_token = text.split("name=\"_token\"").nth(1).and_then(|rest| rest.split("value=\"").nth(1)?.split('"').next());
    let form_token = form_token.expect("the form has a token");
    let body = form_urlencoded::Serializer::new(String::new()).append_pair("_token", form_token).append_pair("token", token).finish();
    let (origin, sent) = (format!("http://127.0.0.1:{port}"), visit.join("; "));
    let headers = [
        ("Content-Type", "application/x-www-form-urlencoded"),
        ("Origin", origin.as_str()),
        ("Sec-Fetch-Site", "same-origin"),
        ("Cookie", sent.as_str()),
    ];
    let answer = connection.send(&request("POST", "/do/account/sign-in", port, &headers, &body)).await;
    assert!(answer.status == 303 && answer.header("location") == Some("/"), "sign-in answered {}", answer.head);
    let session = answer.headers("set-cookie").filter_map(|value| value.split(';').next()).map(str::to_owned);
    visit.into_iter().chain(session).collect::<Vec<_>>().join("; ")
}

fn object<K: DeserializeOwned>(value: Value) -> K {
    serde_json::from_value(value).expect("an object")
}

/// Makes ServiceAccounts that can see the requests of the shop, and a token for each.
async fn tokens(plane: &Plane, count: usize) -> Vec<String> {
    let client = plane.client(SHOP);
    let role = json!({
        "metadata": {"name": "bench-login"},
        "rules": [
            {"nonResourceURLs": ["/"], "verbs": ["access"]},
            {"apiGroups": ["platform.opmodel.dev"], "resources": ["promiserequests"], "verbs": ["get", "list", "watch"]},
        ],
    });
    let binding = json!({
        "metadata": {"name": "bench-login"},
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "bench-login"},
        "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "Group", "name": "system:serviceaccounts:default"}],
    });
    Api::<ClusterRole>::all(client.clone()).create(&PostParams::default(), &object(role)).await.expect("a role");
    Api::<ClusterRoleBinding>::all(client.clone()).create(&PostParams::default(), &object(binding)).await.expect("a binding");
    let accounts = Api::<ServiceAccount>::namespaced(client, "default");
    let made = stream::iter(0..count).map(|number| {
        let accounts = accounts.clone();
        async move {
            let name = format!("bench-{number:05}");
            let account = object(json!({"metadata": {"name": name}}));
            accounts.create(&PostParams::default(), &account).await.expect("an account");
            let asked = TokenRequest { spec: Some(TokenRequestSpec::default()), ..TokenRequest::default() };
            let issued = accounts.create_token_request(&name, &PostParams::default(), &asked).await.expect("a token");
            issued.status.and_then(|status| status.token).expect("a token")
        }
    });
    made.buffered(TOGETHER).collect().await
}
