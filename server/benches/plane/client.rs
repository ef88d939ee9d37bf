//! The client of both servers: HTTP/1.1 over TLS, one request at a time on each kept connection.

use std::net::SocketAddr;
use std::sync::Arc;

use bytes::Bytes;
use http::{HeaderValue, Method, Request, Response, header};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper_util::rt::TokioIo;
use rustls::pki_types::{CertificateDer, ServerName, pem::PemObject};
use serde_json::Value;
use testplane::Server;
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;

/// A request to either server.
#[derive(Clone)]
pub struct Call {
    method: Method,
    path: String,
    content_type: &'static str,
    body: Bytes,
}

impl Call {
    /// Reads a path.
    pub fn get(path: impl Into<String>) -> Self {
        Self { method: Method::GET, path: path.into(), content_type: "", body: Bytes::new() }
    }

    /// Creates an object in a collection.
    pub fn create(path: impl Into<String>, body: impl Into<Bytes>) -> Self {
        Self { method: Method::POST, path: path.into(), content_type: "application/json", body: body.into() }
    }

    /// Replaces an object.
    pub fn replace(path: impl Into<String>, body: impl Into<Bytes>) -> Self {
        Self { method: Method::PUT, path: path.into(), content_type: "application/json", body: body.into() }
    }

    /// Applies an object, written as JSON, as clients of the API do.
    pub fn apply(path: impl Into<String>, body: impl Into<Bytes>) -> Self {
        Self { method: Method::PATCH, path: path.into(), content_type: "application/apply-patch+yaml", body: body.into() }
    }
}

/// Somebody's way to a server.
#[derive(Clone)]
pub struct Client {
    address: SocketAddr,
    connector: TlsConnector,
    authorization: HeaderValue,
}

impl Client {
    /// As this person.
    pub fn new(server: &Server, person: &str) -> Self {
        let mut roots = rustls::RootCertStore::empty();
        let certificate = CertificateDer::from_pem_slice(server.certificate().as_bytes()).expect("a certificate");
        roots.add(certificate).expect("a certificate to trust");
        let config = rustls::ClientConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
            .with_safe_default_protocol_versions()
            .expect("versions of TLS")
            .with_root_certificates(roots)
            .with_no_client_auth();
        let address = server.address().trim_start_matches("https://").parse().expect("an address");
        let authorization = HeaderValue::try_from(format!("Bearer {}", Server::token(person))).expect("a header");
        Self { address, connector: TlsConnector::from(Arc::new(config)), authorization }
    }

    /// A connection of its own.
    pub async fn connect(&self) -> Connection {
        let stream = TcpStream::connect(self.address).await.expect("the server listens");
        stream.set_nodelay(true).expect("TCP_NODELAY");
        let name = ServerName::from(self.address.ip());
        let stream = self.connector.connect(name, stream).await.expect("TLS");
        let (sender, connection) = handshake(TokioIo::new(stream)).await.expect("HTTP");
        // It ends with the sender, or with the server: then the next request says so.
        tokio::spawn(connection);
        let host = HeaderValue::try_from(self.address.to_string()).expect("a header");
        Connection { sender, authorization: self.authorization.clone(), host }
    }
}

/// One kept connection.
pub struct Connection {
    sender: SendRequest<Full<Bytes>>,
    authorization: HeaderValue,
    host: HeaderValue,
}

impl Connection {
    /// Sends a request and answers as soon as the head of the answer is there.
    pub async fn begin(&mut self, call: &Call) -> Response<Incoming> {
        let mut request = Request::builder()
            .method(call.method.clone())
            .uri(&call.path)
            .header(header::HOST, self.host.clone())
            .header(header::AUTHORIZATION, self.authorization.clone())
            .header(header::ACCEPT, "application/json")
            .header(header::USER_AGENT, "bench");
        if !call.content_type.is_empty() {
            request = request.header(header::CONTENT_TYPE, call.content_type);
        }
        let request = request.body(Full::new(call.body.clone())).expect("a request");
        self.sender.ready().await.expect("the connection is open");
        self.sender.send_request(request).await.expect("an answer")
    }

    /// Sends a request that must be answered with one of these statuses, and reads the whole answer.
    pub async fn send(&mut self, call: &Call, expected: &[u16]) -> Bytes {
        let response = self.begin(call).await;
        let status = response.status().as_u16();
        let body = response.into_body().collect().await.expect("a whole answer").to_bytes();
        assert!(expected.contains(&status), "{} {}: {status} {}", call.method, call.path, String::from_utf8_lossy(&body));
        body
    }

    /// Sends a request that must succeed, and counts the bytes of its answer without keeping them.
    pub async fn count(&mut self, call: &Call) -> usize {
        let response = self.begin(call).await;
        assert_eq!(response.status(), 200, "{}", call.path);
        let (mut body, mut bytes) = (response.into_body(), 0);
        while let Some(frame) = body.frame().await {
            bytes += frame.expect("a whole answer").data_ref().map_or(0, Bytes::len);
        }
        bytes
    }

    /// As [`Connection::send`], read as JSON.
    pub async fn json(&mut self, call: &Call, expected: &[u16]) -> Value {
        serde_json::from_slice(&self.send(call, expected).await).expect("JSON")
    }
}
