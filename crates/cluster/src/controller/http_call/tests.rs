//! Calls to real servers on loopback.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use k8s_openapi::ByteString;
use k8s_openapi::api::core::v1::Secret;
use serde_json::json;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::TcpListener;
use tokio::sync::mpsc;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::PrivateKeyDer;

use super::credential::Credential;
use super::*;
use crate::kinds::object;
use crate::watch::{Cache, Key};
use crate::workspaces::{Tree, WorkspacePath, WorkspaceRow};

const OK: &str = "HTTP/1.1 200 OK\r\ncontent-length: 15\r\n\r\n{\"status\":\"ok\"}";

/// How a server answers.
#[derive(Clone)]
enum Behaviour {
    /// With these bytes.
    Says(String),
    /// With these bytes, and nothing more for as long as the other side waits.
    SaysAndStalls(String),
    /// With a body that doesn't end.
    Endless,
}

/// A server on a loopback port; what it was sent, one text per connection.
struct Listening {
    port: u16,
    received: mpsc::UnboundedReceiver<String>,
}

impl Listening {
    async fn open(behaviour: Behaviour, tls: Option<TlsAcceptor>) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let (sender, received) = mpsc::unbounded_channel();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (behaviour, sender, tls) = (behaviour.clone(), sender.clone(), tls.clone());
                tokio::spawn(async move {
                    match tls {
                        None => answer(stream, behaviour, sender).await,
                        Some(tls) => {
                            if let Ok(stream) = tls.accept(stream).await {
                                answer(stream, behaviour, sender).await;
                            }
                        }
                    }
                });
            }
        });
        Self { port, received }
    }

    async fn says(text: &str) -> Self {
        Self::open(Behaviour::Says(text.to_owned()), None).await
    }

    /// What the server was sent.
    async fn request(&mut self) -> String {
        self.received.recv().await.unwrap()
    }
}

async fn answer(mut stream: impl AsyncRead + AsyncWrite + Unpin, behaviour: Behaviour, sender: mpsc::UnboundedSender<String>) {
    let mut request = String::new();
    let mut buffer = [0; 4096];
    loop {
        let read = stream.read(&mut buffer).await.unwrap_or_default();
        request.push_str(&String::from_utf8_lossy(&buffer[..read]));
        let length = request.lines().find_map(|line| line.strip_prefix("content-length: ")).map_or(0, |text| text.parse().unwrap());
        if read == 0 || request.split_once("\r\n\r\n").is_some_and(|(_, body)| body.len() >= length) {
            break;
        }
    }
    let _ = sender.send(request);
    match behaviour {
        Behaviour::Says(text) => {
            let _ = stream.write_all(text.as_bytes()).await;
            let _ = stream.shutdown().await;
        }
        Behaviour::SaysAndStalls(text) => {
            let _ = stream.write_all(text.as_bytes()).await;
            // Ends when the other side gives up.
            let _ = stream.read(&mut buffer).await;
        }
        Behaviour::Endless => {
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n").await;
            while stream.write_all(&[b'a'; 4096]).await.is_ok() {}
        }
    }
}

fn spec(url: &str) -> promise::api::EndpointSpec {
    serde_json::from_value(json!({"url": url, "paths": ["/tickets", "/tickets/*"], "addresses": ["127.0.0.0/8"]})).unwrap()
}

fn post() -> HttpCall {
    HttpCall {
        method: "POST".to_owned(),
        path: "/tickets".to_owned(),
        body: Some(json!({"title": "More disk"})),
        idempotency_key: "web-3-ticket".to_owned(),
    }
}

fn get(path: &str) -> HttpCall {
    HttpCall { method: "GET".to_owned(), path: path.to_owned(), body: None, idempotency_key: "web-3-poll".to_owned() }
}

async fn sent(outbound: &Outbound, callable: &Callable, call: &HttpCall, within: Duration) -> Result<HttpAnswer, HttpFailure> {
    callable.send(outbound, callable.request(call)?, within).await
}

async fn called(spec: &promise::api::EndpointSpec, call: &HttpCall) -> Result<HttpAnswer, HttpFailure> {
    sent(&Outbound::default(), &Callable::of(spec)?, call, TIMEOUT).await
}

fn at(port: u16) -> String {
    format!("http://127.0.0.1:{port}")
}

#[tokio::test]
async fn a_call_is_sent_with_its_key_and_the_answer_is_read() {
    let mut server = Listening::says("HTTP/1.1 201 Created\r\ncontent-length: 10\r\n\r\n{\"id\":\"7\"}").await;
    let answer = called(&spec(&format!("{}/api/", at(server.port))), &post()).await.unwrap();
    assert_eq!(answer, HttpAnswer { status: 201, body: json!({"id": "7"}) });
    let request = server.request().await;
    assert!(request.starts_with("POST /api/tickets HTTP/1.1\r\n"), "{request}");
    for line in [
        format!("host: 127.0.0.1:{}", server.port).as_str(),
        "idempotency-key: web-3-ticket",
        "content-type: application/json",
        "accept: application/json",
    ] {
        assert!(request.lines().any(|sent| sent == line), "{line} in {request}");
    }
    assert!(request.ends_with("{\"title\":\"More disk\"}"), "{request}");
    assert!(!request.contains("authorization"), "{request}");
}

#[tokio::test]
async fn an_answer_is_json_or_text_or_nothing_whatever_its_status() {
    for (text, status, body) in [
        (OK, 200, json!({"status": "ok"})),
        ("HTTP/1.1 503 Service Unavailable\r\ncontent-length: 4\r\n\r\ndown", 503, json!("down")),
        ("HTTP/1.1 404 Not Found\r\n\r\n<html>", 404, json!("<html>")),
        ("HTTP/1.1 204 No Content\r\n\r\n", 204, Value::Null),
        ("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\n[1\r\n1\r\n]\r\n0\r\n\r\n", 200, json!([1])),
    ] {
        let server = Listening::says(text).await;
        assert_eq!(called(&spec(&at(server.port)), &get("/tickets/7")).await, Ok(HttpAnswer { status, body }), "{text}");
    }
}

#[tokio::test]
async fn what_is_not_listed_is_refused_before_anything_is_sent() {
    let mut server = Listening::says(OK).await;
    let spec = spec(&at(server.port));
    let delete = HttpCall { method: "DELETE".to_owned(), ..get("/tickets/7") };
    let key = HttpCall { idempotency_key: "a\nb".to_owned(), ..get("/tickets/7") };
    assert_eq!(called(&spec, &delete).await, Err(HttpFailure::Method { method: "DELETE".to_owned() }));
    assert_eq!(called(&spec, &get("/admin")).await, Err(HttpFailure::Path { path: "/admin".to_owned() }));
    assert!(matches!(called(&spec, &get("/tickets/../admin")).await, Err(HttpFailure::InvalidPath { .. })));
    assert!(matches!(called(&spec, &get("@evil.example/tickets")).await, Err(HttpFailure::InvalidPath { .. })));
    assert_eq!(called(&spec, &key).await, Err(HttpFailure::InvalidKey));
    let unlisted = promise::api::EndpointSpec { addresses: vec!["10.0.0.0/8".to_owned()], ..spec.clone() };
    let refused = HttpFailure::Address { host: "127.0.0.1".to_owned(), address: IpAddr::V4(Ipv4Addr::LOCALHOST) };
    assert_eq!(called(&unlisted, &get("/tickets")).await, Err(refused));
    assert!(server.received.try_recv().is_err(), "nothing was sent");
    let insecure = promise::api::EndpointSpec { addresses: Vec::new(), ..spec };
    assert!(matches!(called(&insecure, &get("/tickets")).await, Err(HttpFailure::Invalid { .. })));
}

#[tokio::test]
async fn a_redirect_is_not_followed() {
    let mut other = Listening::says(OK).await;
    for status in [301, 302, 303, 307, 308] {
        let text = format!("HTTP/1.1 {status} Elsewhere\r\nlocation: {}/tickets\r\ncontent-length: 0\r\n\r\n", at(other.port));
        let server = Listening::says(&text).await;
        assert_eq!(called(&spec(&at(server.port)), &get("/tickets")).await, Err(HttpFailure::Redirected { status }));
    }
    assert!(other.received.try_recv().is_err());
}

#[tokio::test]
async fn a_large_or_endless_answer_is_given_up() {
    let server = Listening::open(Behaviour::Endless, None).await;
    assert_eq!(called(&spec(&at(server.port)), &get("/tickets")).await, Err(HttpFailure::TooLarge));
    for (length, fits) in [(LARGEST, true), (LARGEST + 1, false)] {
        let server = Listening::says(&format!("HTTP/1.1 200 OK\r\ncontent-length: {length}\r\n\r\n{}", "a".repeat(length))).await;
        assert_eq!(called(&spec(&at(server.port)), &get("/tickets")).await.is_ok(), fits, "{length}");
    }
}

#[tokio::test]
async fn a_server_that_does_not_answer_in_time_is_given_up() {
    let briefly = Duration::from_millis(100);
    for text in ["", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n{"] {
        let server = Listening::open(Behaviour::SaysAndStalls(text.to_owned()), None).await;
        let callable = Callable::of(&spec(&at(server.port))).unwrap();
        let failure = sent(&Outbound::default(), &callable, &get("/tickets"), briefly).await.unwrap_err();
        assert!(matches!(failure, HttpFailure::TimedOut { .. }) && failure.is_transient(), "{failure:?}");
    }
}

#[tokio::test]
async fn a_server_that_is_not_there_or_hangs_up_might_be_back() {
    let port = {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        listener.local_addr().unwrap().port()
    };
    let server = Listening::says("").await;
    let cut = Listening::says("HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n{").await;
    let host = "127.0.0.1".to_owned();
    for (port, failure) in [
        (port, HttpFailure::Unreachable { host: host.clone() }),
        (server.port, HttpFailure::Closed { host: host.clone() }),
        (cut.port, HttpFailure::Closed { host }),
    ] {
        assert!(failure.is_transient());
        assert_eq!(called(&spec(&at(port)), &get("/tickets")).await, Err(failure));
    }
}

#[tokio::test]
async fn the_credential_is_sent_and_an_answer_that_repeats_it_is_masked() {
    let text = "HTTP/1.1 200 OK\r\ncontent-length: 24\r\n\r\n{\"seen\":\"Bearer s3cret\"}";
    let mut server = Listening::says(text).await;
    let data = [("token".to_owned(), ByteString(b"s3cret".to_vec()))].into();
    let secret = Secret { data: Some(data), ..Secret::default() };
    let mut callable = Callable::of(&spec(&at(server.port))).unwrap();
    callable.credential = Some(Credential::read(&secret, &promise::api::EndpointSecretRef::default(), None).unwrap());
    assert!(!format!("{callable:?}").contains("s3cret"), "{callable:?}");
    let answer = sent(&Outbound::default(), &callable, &get("/tickets"), TIMEOUT).await.unwrap();
    assert_eq!(answer.body, json!({"seen": "Bearer ***"}));
    assert!(server.request().await.contains("authorization: Bearer s3cret\r\n"));
}

/// A resolver whose first answer is this one; later ones are addresses that nothing may be sent to.
fn rebinding(first: Vec<SocketAddr>) -> (Outbound, Arc<AtomicUsize>) {
    let asked = Arc::new(AtomicUsize::new(0));
    let count = asked.clone();
    let outbound = Outbound::resolving(Arc::new(move |_, port| {
        let again = count.fetch_add(1, Ordering::SeqCst) > 0;
        let found = if again { vec![SocketAddr::from(([169, 254, 169, 254], port))] } else { first.clone() };
        Box::pin(async move { Ok(found) })
    }));
    (outbound, asked)
}

#[tokio::test]
async fn a_name_is_resolved_once_and_all_of_its_addresses_must_be_allowed() {
    let mut server = Listening::says(OK).await;
    let callable = Callable::of(&spec(&format!("http://tickets.test:{}", server.port))).unwrap();
    let loopback = SocketAddr::from((Ipv4Addr::LOCALHOST, server.port));
    let (outbound, asked) = rebinding(vec![loopback]);
    assert_eq!(sent(&outbound, &callable, &get("/tickets"), TIMEOUT).await.unwrap().status, 200);
    assert_eq!(asked.load(Ordering::SeqCst), 1);
    assert!(server.request().await.contains(&format!("host: tickets.test:{}\r\n", server.port)));
    let refused = sent(&outbound, &callable, &get("/tickets"), TIMEOUT).await.unwrap_err();
    assert!(matches!(refused, HttpFailure::Address { .. }) && !refused.is_transient(), "{refused:?}");

    let both = vec![loopback, SocketAddr::from(([10, 0, 0, 1], server.port))];
    let refused = sent(&rebinding(both).0, &callable, &get("/tickets"), TIMEOUT).await.unwrap_err();
    assert!(matches!(&refused, HttpFailure::Address { address, .. } if address.to_string() == "10.0.0.1"), "{refused:?}");
    let nothing = sent(&rebinding(Vec::new()).0, &callable, &get("/tickets"), TIMEOUT).await;
    assert_eq!(nothing, Err(HttpFailure::Unresolved { host: "tickets.test".to_owned() }));
    assert!(server.received.try_recv().is_err(), "nothing more was sent");
}

/// An acceptor with a certificate for `localhost`, and the certificate.
fn tls() -> (TlsAcceptor, String) {
    let made = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).unwrap();
    let key = PrivateKeyDer::try_from(made.signing_key.serialize_der()).unwrap();
    let builder = ServerConfig::builder_with_provider(Arc::new(ring::default_provider())).with_safe_default_protocol_versions().unwrap();
    let config = builder.with_no_client_auth().with_single_cert(vec![made.cert.der().clone()], key).unwrap();
    (TlsAcceptor::from(Arc::new(config)), made.cert.pem())
}

#[tokio::test]
async fn the_certificate_of_a_server_is_verified() {
    let (acceptor, certificate) = tls();
    let (_, another) = tls();
    let mut server = Listening::open(Behaviour::Says(OK.to_owned()), Some(acceptor)).await;
    let with = |host: &str, bundle: Option<&str>| promise::api::EndpointSpec {
        ca_bundle: bundle.map(str::to_owned),
        addresses: vec!["127.0.0.0/8".to_owned(), "::1/128".to_owned()],
        ..spec(&format!("https://{host}:{}", server.port))
    };
    let cases = [with("localhost", None), with("localhost", Some(&another)), with("127.0.0.1", Some(&certificate))];
    for spec in &cases {
        let failure = called(spec, &get("/tickets")).await.unwrap_err();
        assert!(matches!(failure, HttpFailure::Untrusted { .. }), "{}: {failure:?}", spec.url);
    }
    let good = with("localhost", Some(&certificate));
    let broken = with("localhost", Some("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"));
    assert!(server.received.try_recv().is_err());
    assert_eq!(called(&good, &get("/tickets")).await.unwrap().status, 200);
    assert!(server.request().await.starts_with("GET /tickets "));
    assert_eq!(called(&broken, &get("/tickets")).await, Err(HttpFailure::InvalidCertificates));
}

/// The tree of a world in which `platform` is trusted, and Endpoints `tickets` in two homes.
fn world() -> (Tree, Cache<crate::kinds::Endpoint>, [ClusterId; 3]) {
    let [root, platform, teams, acme] = ["root", "platform", "teams", "acme"].map(|id| ClusterId::parse(id).unwrap());
    let rows = [("platform", &platform), ("teams", &teams), ("acme", &acme)].map(|(name, cluster)| {
        let row = WorkspaceRow { cluster: cluster.clone(), labels: std::collections::BTreeMap::new(), deleting: false };
        (Key::cluster_scoped(&root, name), Arc::new(row))
    });
    let endpoints = Cache::default();
    for home in [&platform, &acme] {
        let mut spec = spec("https://tickets.example.org");
        spec.allowed_homes = vec!["root:teams".to_owned()];
        endpoints.put(Key::cluster_scoped(home, "tickets"), object("tickets", None, spec));
    }
    (Tree::new(root, &rows.into_iter().collect()), endpoints, [platform, teams, acme])
}

#[test]
fn only_endpoints_of_trusted_homes_are_called_and_only_for_homes_that_they_list() {
    let (tree, endpoints, [platform, teams, acme]) = world();
    let trusted = [WorkspacePath::parse("root:platform").unwrap()];
    let unknown = ClusterId::parse("unknown").unwrap();
    let admitted = |home: &ClusterId, at: &ClusterId, name: &str| {
        callable::admitted(&endpoints, &tree, &trusted, home, &Key::cluster_scoped(at, name)).map(|_| ())
    };
    let text = str::to_owned;
    assert_eq!(admitted(&platform, &platform, "tickets"), Ok(()));
    assert_eq!(admitted(&teams, &platform, "tickets"), Ok(()));
    let not_listed = HttpFailure::HomeNotAllowed { home: text("root:acme"), owner: text("root:platform") };
    assert_eq!(admitted(&acme, &platform, "tickets"), Err(not_listed));
    assert_eq!(admitted(&acme, &acme, "tickets"), Err(HttpFailure::OwnerNotTrusted { owner: text("root:acme") }));
    assert_eq!(admitted(&platform, &platform, "other"), Err(HttpFailure::Missing { home: text("root:platform") }));
    assert_eq!(admitted(&unknown, &platform, "tickets"), Err(HttpFailure::HomeUnknown));
}
