//! The comparison: an axum handler that sends the same bytes, with nothing behind it.

use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use axum::Router;
use axum::http::header::CONTENT_TYPE;
use axum::routing::get;
use axum::serve::ListenerExt;

/// Serves the bytes of a file at every path and prints its port.
pub async fn serve(answer: PathBuf) {
    let bytes = bytes::Bytes::from(std::fs::read(answer).expect("the answer to send"));
    let listener = tokio::net::TcpListener::bind(("127.0.0.1", 0)).await.expect("a port");
    println!("{}", listener.local_addr().expect("an address").port());
    let listener = listener.tap_io(|stream| {
        stream.set_nodelay(true).expect("TCP_NODELAY");
    });
    let handler = get(async move || ([(CONTENT_TYPE, "text/html; charset=utf-8")], bytes.clone()));
    axum::serve(listener, Router::new().fallback_service(handler)).await.expect("served");
}

/// The comparison as a process of its own; ends when dropped.
pub struct Bare {
    /// Its port on loopback.
    pub port: u16,
    child: Child,
    /// What it sends, as long as it does.
    _answer: tempfile::NamedTempFile,
}

impl Bare {
    /// Starts it with the bytes of an answer.
    pub fn of(answer: &[u8]) -> Self {
        let file = tempfile::NamedTempFile::new().expect("a file");
        std::fs::write(file.path(), answer).expect("written");
        let mut child = Command::new(std::env::current_exe().expect("this program"))
            .arg("bare")
            .arg(file.path())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the comparison starts");
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("its output")).read_line(&mut line).expect("its port");
        Self { port: line.trim().parse().expect("a port"), child, _answer: file }
    }
}

impl Drop for Bare {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
