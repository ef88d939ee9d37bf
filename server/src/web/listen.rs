//! The listener of the pages: limits the number of connections, and how long each can keep us waiting.

use std::io;
use std::net::IpAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::{Extension, Router};
use http::{HeaderMap, header};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto;
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_io_timeout::TimeoutStream;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::host;

/// Address of the other end of a connection, an extension of each of its requests; behind a proxy it is the proxy.
#[derive(Clone, Copy, Debug)]
pub struct Peer(pub Option<IpAddr>);

impl Peer {
    /// Checks whether a request comes from this machine: not from another one, and not through a proxy, which forwards for others.
    pub fn is_here(&self, headers: &HeaderMap) -> bool {
        let forwarded = [header::FORWARDED.as_str(), "x-forwarded-for", "x-forwarded-host", "x-real-ip", "via"];
        let is_loopback = self.0.is_some_and(|address| address.to_canonical().is_loopback());
        is_loopback && host::is_loopback(headers) && !forwarded.iter().any(|name| headers.contains_key(*name))
    }
}

/// Connections open at the same time; more wait until one closes. Each open page uses one for its stream.
const CONNECTIONS: usize = 8192;
/// How long a connection can keep us waiting.
#[derive(Clone, Copy)]
struct Patience {
    /// For the head of its next request. Without this limit anyone could occupy all connections by sending nothing.
    head: Duration,
    /// For it to accept any of the written data, because connections could also be occupied by not reading.
    write: Duration,
}

const PATIENCE: Patience = Patience { head: Duration::from_secs(30), write: Duration::from_secs(60) };
/// Pause when the system can't accept a connection, for example because there are no file descriptors left.
const AGAIN: Duration = Duration::from_millis(50);

/// Serves until `ending`, then finishes the requests in progress.
pub async fn serve(listener: TcpListener, app: Router, ending: CancellationToken) {
    serve_with(listener, app, ending, PATIENCE).await;
}

async fn serve_with(listener: TcpListener, app: Router, ending: CancellationToken, patience: Patience) {
    let places = Arc::new(Semaphore::new(CONNECTIONS));
    let connections = TaskTracker::new();
    loop {
        let next = async {
            let place = places.clone().acquire_owned().await.map_err(io::Error::other)?;
            Ok::<_, io::Error>((listener.accept().await?.0, place))
        };
        let next = tokio::select! {
            () = ending.cancelled() => break,
            next = next => next,
        };
        match next {
            Ok((stream, place)) => {
                let peer = Peer(stream.peer_addr().ok().map(|address| address.ip()));
                let app = app.clone().layer(Extension(peer));
                connections.spawn(connection(stream, app, ending.clone(), patience, place));
            }
            Err(error) => {
                tracing::warn!(%error, "a connection was not accepted");
                tokio::time::sleep(AGAIN).await;
            }
        }
    }
    connections.close();
    connections.wait().await;
}

async fn connection(stream: TcpStream, app: Router, ending: CancellationToken, patience: Patience, _place: OwnedSemaphorePermit) {
    // Without it, small packets wait for the other side's acknowledgement, and streamed pages take 40 ms each.
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!(%error, "TCP_NODELAY could not be set");
    }
    let mut builder = auto::Builder::new(TokioExecutor::new()).http1_only();
    builder.http1().timer(TokioTimer::new()).header_read_timeout(patience.head);
    let mut stream = TimeoutStream::new(stream);
    stream.set_write_timeout(Some(patience.write));
    let mut connection = pin!(builder.serve_connection(TokioIo::new(Box::pin(stream)), TowerToHyperService::new(app)));
    let served = tokio::select! {
        served = connection.as_mut() => served,
        () = ending.cancelled() => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = served {
        tracing::debug!(%error, "a connection was interrupted");
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

    use super::*;

    #[test]
    fn who_comes_through_a_proxy_or_from_elsewhere_is_not_here() {
        let headers = |pairs: &[(&'static str, &str)]| -> HeaderMap {
            pairs.iter().map(|(name, value)| (http::HeaderName::from_static(name), value.parse().unwrap())).collect()
        };
        let own = headers(&[("host", "127.0.0.1:8080")]);
        let peer = |address: &str| Peer(Some(address.parse().unwrap()));
        assert!(peer("127.0.0.1").is_here(&own) && peer("::ffff:127.0.0.1").is_here(&own));
        assert!(!peer("10.0.0.7").is_here(&own) && !Peer(None).is_here(&own), "who is not known is not taken for one of this machine");
        for proxied in [&[("host", "portal.example")][..], &[("host", "localhost"), ("x-forwarded-for", "10.0.0.7")], &[]] {
            assert!(!peer("127.0.0.1").is_here(&headers(proxied)), "{proxied:?}");
        }
    }

    #[tokio::test]
    async fn who_sends_no_request_is_not_waited_for_and_the_end_waits_for_answers() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (ending, asked) = (CancellationToken::new(), CancellationToken::new());
        let (begun, until) = (asked.clone(), ending.clone());
        let slow = async move || {
            begun.cancel();
            until.cancelled().await;
            tokio::task::yield_now().await;
            "done"
        };
        let patience = Patience { head: Duration::from_millis(200), ..PATIENCE };
        let serving = tokio::spawn(serve_with(listener, Router::new().fallback(slow), ending.clone(), patience));

        let mut silent = TcpStream::connect(address).await.unwrap();
        silent.write_all(b"GET / HTTP/1.1\r\nHost: a").await.unwrap();
        let mut rest = Vec::new();
        tokio::time::timeout(Duration::from_secs(20), silent.read_to_end(&mut rest)).await.expect("it is closed").unwrap();
        assert!(!rest.starts_with(b"HTTP/1.1 200"), "there was no request to answer");

        let mut waiting = TcpStream::connect(address).await.unwrap();
        waiting.write_all(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n").await.unwrap();
        asked.cancelled().await;
        ending.cancel();
        waiting.read_to_end(&mut rest).await.unwrap();
        assert!(rest.ends_with(b"done"), "{}", String::from_utf8_lossy(&rest));
        tokio::time::timeout(Duration::from_secs(20), serving).await.expect("it ends").unwrap();
    }

    #[tokio::test]
    async fn an_answer_that_nobody_reads_is_given_up() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let ending = CancellationToken::new();
        let patience = Patience { write: Duration::from_millis(200), ..PATIENCE };
        // More than fits in the buffers of both sides.
        let large = async || vec![b'x'; 64 << 20];
        let serving = tokio::spawn(serve_with(listener, Router::new().fallback(large), ending.clone(), patience));
        let mut idle = TcpStream::connect(address).await.unwrap();
        idle.write_all(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n").await.unwrap();
        idle.readable().await.unwrap();
        ending.cancel();
        // Shutdown waits for responses in progress, but not for this one.
        tokio::time::timeout(Duration::from_secs(20), serving).await.expect("it ends").unwrap();
    }
}
