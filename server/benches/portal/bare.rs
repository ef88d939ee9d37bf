//! The comparison: an axum handler that sends the same bytes, with nothing behind it.

use std::path::PathBuf;

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
