//! Requests that are none, too large, wrongly encoded or sent too slowly, over real connections: each gets its answer or its end, and
//! others are served meanwhile.

use std::{net::SocketAddr, sync::Arc, time::Duration};

use devplane::tls;
use rustls::pki_types::{CertificateDer, ServerName, pem::PemObject};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    time::timeout,
};
use tokio_rustls::{TlsConnector, client::TlsStream};
use tokio_util::sync::CancellationToken;

use crate::plane::Server;

/// How long anything may take that happens at once.
const SOON: Duration = Duration::from_secs(20);
const MAPS: &str = "/api/v1/namespaces/default/configmaps";

/// A plane behind its listener.
struct Listening {
    address: SocketAddr,
    connector: TlsConnector,
    end: CancellationToken,
}

impl Listening {
    async fn start() -> Self {
        let server = Server::start();
        let listener = tls::listen("127.0.0.1:0".parse().unwrap(), None).await.unwrap();
        let address = listener.local_addr().unwrap();
        let mut roots = rustls::RootCertStore::empty();
        roots.add(CertificateDer::from_pem_slice(listener.authority_pem.as_bytes()).unwrap()).unwrap();
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = rustls::ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
        let config = config.with_root_certificates(roots).with_no_client_auth();
        let end = CancellationToken::new();
        tokio::spawn(listener.serve(server.plane.router(), end.clone()));
        Self { address, connector: TlsConnector::from(Arc::new(config)), end }
    }

    async fn connect(&self) -> TlsStream<TcpStream> {
        let stream = TcpStream::connect(self.address).await.unwrap();
        self.connector.connect(ServerName::try_from("localhost").unwrap(), stream).await.unwrap()
    }

    /// Sends bytes and reads until the connection ends; what came.
    async fn say(&self, bytes: &[u8]) -> String {
        let mut stream = self.connect().await;
        let (mut read, mut written) = tokio::io::split(&mut stream);
        let mut answer = Vec::new();
        // The plane may answer, and hang up, before all was said.
        let ended = timeout(SOON, async { tokio::join!(written.write_all(bytes), read.read_to_end(&mut answer)) }).await;
        let text = String::from_utf8_lossy(&answer).into_owned();
        assert!(ended.is_ok(), "the connection stays open after {:?}: {text}", String::from_utf8_lossy(&bytes[..bytes.len().min(200)]));
        text
    }

    /// Somebody else, who is served.
    async fn serves(&self) {
        let answer = self.say(b"GET /version HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n").await;
        assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        self.end.cancel();
    }
}

/// A request with a body, after which the connection is closed.
fn post(content_type: &str, more: &str, body: &[u8]) -> Vec<u8> {
    let head = format!(
        "POST {MAPS} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer admin\r\nConnection: close\r\nContent-Type: {content_type}\r\n{more}Content-Length: {}\r\n\r\n",
        body.len()
    );
    [head.as_bytes(), body].concat()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_no_request_gets_an_answer_or_the_end() {
    let plane = Listening::start().await;
    let long = format!("GET /{} HTTP/1.1\r\nHost: a\r\n\r\n", "x".repeat(1 << 20));
    let large = format!("GET / HTTP/1.1\r\nHost: a\r\nX-Large: {}\r\nConnection: close\r\n\r\n", "x".repeat(100_000));
    let many = format!("GET / HTTP/1.1\r\nHost: a\r\n{}Connection: close\r\n\r\n", "X-Many: 1\r\n".repeat(5_000));
    let refused: [(&str, &[u8], &[&str]); 9] = [
        ("no HTTP", b"\x16\x03\x01 hello\r\n\r\n", &["400"]),
        ("an unknown version", b"GET / HTTP/9.9\r\nHost: a\r\n\r\n", &["400", "505"]),
        ("spaces in the path", b"GET /a b HTTP/1.1\r\nHost: a\r\n\r\n", &["400"]),
        ("a length that is none", b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: many\r\n\r\n", &["400"]),
        ("two lengths", b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab", &["400"]),
        (
            "a chunk that is none",
            b"POST /api HTTP/1.1\r\nHost: a\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n\r\n",
            // Who may not ask is told so before the body is looked at.
            &["403"],
        ),
        ("a long path", long.as_bytes(), &["414", "431", "400"]),
        ("a large header", large.as_bytes(), &["431"]),
        ("many headers", many.as_bytes(), &["431", "400"]),
    ];
    for (what, bytes, codes) in refused {
        let answer = plane.say(bytes).await;
        let code = answer.strip_prefix("HTTP/1.1 ").and_then(|rest| rest.get(..3)).unwrap_or_default();
        assert!(codes.contains(&code), "{what}: {answer:?}");
        plane.serves().await;
    }
    // No TLS at all.
    let mut plain = TcpStream::connect(plane.address).await.unwrap();
    plain.write_all(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n").await.unwrap();
    let mut rest = Vec::new();
    let _ = timeout(SOON, plain.read_to_end(&mut rest)).await.expect("it is closed");
    plane.serves().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn bodies_that_cannot_be_read_are_told_what_is_wrong() {
    let plane = Listening::start().await;
    let fits = br#"{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"}}"#;
    let latin = b"{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"b\"},\"data\":{\"a\":\"\xe9\"}}";
    let utf16: Vec<u8> = String::from_utf8_lossy(fits).encode_utf16().flat_map(u16::to_le_bytes).collect();
    let deep = [b"[".repeat(1 << 20), b"]".repeat(1 << 20)].concat();
    let cases: [(&str, Vec<u8>, &str); 8] = [
        ("nothing", post("application/json", "", b""), "400"),
        ("half", post("application/json", "", &fits[..20]), "400"),
        ("UTF-16", post("application/json", "", &utf16), "400"),
        ("compressed", post("application/json", "Content-Encoding: gzip\r\n", b"\x1f\x8b\x08\0\0\0\0\0\0\x03"), "400"),
        ("deep", post("application/json", "", &deep), "400"),
        ("deep YAML", post("application/yaml", "", &deep), "400"),
        ("another type", post("text/html", "", fits), "415"),
        ("no protobuf", post("application/vnd.kubernetes.protobuf", "", b"k8s\0\x0a\xff\xff\xff\xff\x0f"), "400"),
    ];
    for (what, bytes, code) in cases {
        let answer = plane.say(&bytes).await;
        assert!(answer.starts_with(&format!("HTTP/1.1 {code}")) && answer.contains(r#""kind":"Status""#), "{what}: {answer}");
        plane.serves().await;
    }
    // A text that is not UTF-8 is read as Go reads it: what is none is replaced.
    let replaced = plane.say(&post("application/json", "", latin)).await;
    assert!(replaced.starts_with("HTTP/1.1 201") && replaced.contains("\"data\":{\"a\":\"\u{fffd}\"}"), "{replaced}");
    // Without a length nobody knows how much there will be.
    let head = format!(
        "POST {MAPS} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer admin\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n"
    );
    let mut endless = head.into_bytes();
    for _ in 0..64 {
        endless.extend_from_slice(b"10000\r\n");
        endless.resize(endless.len() + 0x10000, b' ');
        endless.extend_from_slice(b"\r\n");
    }
    let answer = plane.say(&endless).await;
    assert!(answer.starts_with("HTTP/1.1 413") && answer.contains("limit is 3145728"), "{answer}");
    assert!(plane.say(&post("application/json", "", fits)).await.starts_with("HTTP/1.1 201"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_who_dribble_take_nothing_from_others() {
    let plane = Listening::start().await;
    let mut slow = Vec::new();
    for number in 0..150 {
        let mut stream = plane.connect().await;
        let begin: &[u8] = match number % 3 {
            0 => b"",
            1 => b"GET / HTTP/1.1\r\nHost: a\r\nX-Slow: ",
            _ => b"POST /api/v1/namespaces/default/configmaps HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer admin\r\nContent-Length: 1000\r\n\r\n{",
        };
        stream.write_all(begin).await.unwrap();
        slow.push(stream);
    }
    for _ in 0..20 {
        for stream in slow.iter_mut().skip(1).step_by(3) {
            stream.write_all(b"x").await.unwrap();
        }
        plane.serves().await;
    }
}
