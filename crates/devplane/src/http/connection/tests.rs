//! Clients that send nothing, too little or too slowly, and clients that do not read.

use axum::response::IntoResponse as _;
use futures::StreamExt as _;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _, DuplexStream, duplex},
    task::JoinHandle,
    time::timeout,
};

use super::*;

/// Long enough for anything that happens at all.
const ENOUGH: Duration = Duration::from_secs(20);
/// What does not fit into any buffer on the way.
const LARGE: usize = 4 << 20;

/// What the test does not want to run into.
fn patient() -> Patience {
    Patience { head: ENOUGH * 2, idle: ENOUGH * 2, answer: ENOUGH * 2, write: ENOUGH * 2, ping: ENOUGH * 2 }
}

fn soon() -> Duration {
    Duration::from_millis(150)
}

/// `/large` answers with much, `/watch` with a line after each of its pauses, anything else with `ok`.
fn router() -> Router {
    Router::new().fallback(async |request: Request<Body>| match request.uri().path() {
        "/large" => Body::from(vec![b'x'; LARGE]).into_response(),
        "/watch" => {
            let lines = futures::stream::iter(0..8).then(|_| async {
                tokio::time::sleep(soon()).await;
                Ok::<_, Infallible>("line\n")
            });
            let mut response = Body::from_stream(lines).into_response();
            response.extensions_mut().insert(LongRunning);
            response
        }
        _ => "ok".into_response(),
    })
}

/// A connection to a plane that is as patient as this; the task ends when the plane has closed it.
fn connect(http2: bool, patience: Patience) -> (DuplexStream, JoinHandle<()>) {
    let (client, server) = duplex(8 << 10);
    let serving = tokio::spawn(async move { serve(server, http2, router(), &CancellationToken::new(), patience).await });
    (client, serving)
}

async fn ended(serving: JoinHandle<()>) {
    timeout(ENOUGH, serving).await.expect("the connection is closed").unwrap();
}

#[tokio::test]
async fn who_sends_nothing_is_not_waited_for() {
    for http2 in [false, true] {
        let (_client, serving) = connect(http2, Patience { idle: soon(), head: soon(), ..patient() });
        ended(serving).await;
    }
}

#[tokio::test]
async fn who_sends_half_a_head_is_not_waited_for() {
    let (mut client, serving) = connect(false, Patience { head: soon(), ..patient() });
    client.write_all(b"GET / HTTP/1.1\r\nHost: a\r\nX-Slow: ").await.unwrap();
    ended(serving).await;
    // The preface of HTTP/2, its settings, and the begin of a head.
    let (mut client, serving) = connect(true, Patience { idle: soon(), head: soon(), ..patient() });
    client.write_all(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0").await.unwrap();
    client.write_all(b"\0\0\x01\x01\0\0\0\0\x01\x82").await.unwrap();
    ended(serving).await;
}

#[tokio::test]
async fn an_answer_that_nobody_reads_is_given_up_and_others_are_served() {
    let (mut client, serving) = connect(false, Patience { write: soon(), ..patient() });
    client.write_all(b"GET /large HTTP/1.1\r\nHost: a\r\n\r\n").await.unwrap();
    let (mut other, _serving) = connect(false, patient());
    other.write_all(b"GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n").await.unwrap();
    let mut text = String::new();
    other.read_to_string(&mut text).await.unwrap();
    assert!(text.starts_with("HTTP/1.1 200") && text.contains("content-length: 2") && text.ends_with("ok"), "{text}");
    ended(serving).await;
}

#[tokio::test]
async fn an_answer_that_is_taken_too_slowly_is_given_up() {
    // Each write finds room soon enough; the answer as a whole does not end.
    let (mut client, serving) = connect(false, Patience { answer: soon(), head: soon(), ..patient() });
    client.write_all(b"GET /large HTTP/1.1\r\nHost: a\r\n\r\n").await.unwrap();
    let reading = tokio::spawn(async move {
        let (mut bytes, mut taken) = ([0; 512], 0);
        while let Ok(count @ 1..) = client.read(&mut bytes).await {
            taken += count;
            tokio::time::sleep(soon() / 10).await;
        }
        taken
    });
    ended(serving).await;
    assert!(reading.await.unwrap() < LARGE);
}

#[tokio::test]
async fn a_stream_of_http2_that_nobody_reads_ends_with_its_connection() {
    let (client, serving) = connect(true, Patience { answer: soon(), head: soon(), ..patient() });
    let (mut client, connection) = h2::client::handshake(client).await.unwrap();
    tokio::spawn(connection);
    let request = Request::builder().uri("https://plane.test/large").body(()).unwrap();
    let (answer, _) = client.send_request(request, true).unwrap();
    let (parts, mut body) = answer.await.unwrap().into_parts();
    assert_eq!(parts.headers[http::header::CONTENT_LENGTH], LARGE.to_string());
    // What came is not given back, so that the server may send no more.
    let mut taken = 0;
    while let Some(Ok(data)) = body.data().await {
        taken += data.len();
    }
    assert!(taken < LARGE, "{taken}");
    ended(serving).await;
}

#[tokio::test]
async fn a_watch_may_last_and_be_silent() {
    for http2 in [false, true] {
        let (client, serving) = connect(http2, Patience { answer: soon(), idle: soon() * 2, head: soon() * 2, ..patient() });
        let text = if http2 {
            let (mut client, connection) = h2::client::handshake(client).await.unwrap();
            tokio::spawn(connection);
            let (answer, _) = client.send_request(Request::builder().uri("https://plane.test/watch").body(()).unwrap(), true).unwrap();
            let mut body = answer.await.unwrap().into_body();
            let mut text = Vec::new();
            while let Some(data) = body.data().await {
                text.extend_from_slice(&data.unwrap());
            }
            String::from_utf8(text).unwrap()
        } else {
            let (mut client, mut text) = (client, String::new());
            client.write_all(b"GET /watch HTTP/1.1\r\nHost: a\r\n\r\n").await.unwrap();
            client.read_to_string(&mut text).await.unwrap();
            text
        };
        assert_eq!(text.matches("line\n").count(), 8, "{text}");
        ended(serving).await;
    }
}
