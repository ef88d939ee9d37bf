//! One connection, and how long it may keep the plane waiting (kube-apiserver: `ReadHeaderTimeout`, `IdleTimeout`, `--request-timeout`).
//!
//! A request is under way from its head to the last byte of its answer. Nothing under way for a while ends the connection, in either
//! version of HTTP and whatever was sent instead of a request; so does an answer that is not taken. Watches alone may last: who does not
//! read them holds one step of changes, and is cut off when nothing more can be written.

use std::{
    collections::BTreeMap,
    convert::Infallible,
    pin::{Pin, pin},
    sync::Arc,
    task::{Context, Poll, ready},
    time::Duration,
};

use axum::{Router, body::Body};
use bytes::Bytes;
use http::{Request, Response};
use http_body::{Frame, SizeHint};
use hyper_util::{
    rt::{TokioExecutor, TokioIo, TokioTimer},
    server::conn::auto,
    service::TowerToHyperService,
};
use parking_lot::Mutex;
use tokio::{
    io::{AsyncRead, AsyncWrite},
    time::Instant,
};
use tokio_io_timeout::TimeoutStream;
use tokio_util::sync::CancellationToken;
use tower::Service;

use super::limits::HEADER_BYTES;

/// Requests on one connection at the same time.
const STREAMS: u32 = 250;
/// The largest piece of an answer that is handed on at once: the rest waits here until the client takes it.
const PIECE: usize = 64 << 10;

/// How long a connection may keep the plane waiting.
#[derive(Debug, Clone, Copy)]
pub struct Patience {
    /// For the head of a request of HTTP/1.1.
    pub head: Duration,
    /// With nothing under way.
    pub idle: Duration,
    /// From the head of a request to the last byte of its answer, for anything but a watch.
    pub answer: Duration,
    /// For the client to take anything at all of what is written.
    pub write: Duration,
    /// For an answer to a ping of HTTP/2; there is one as often.
    pub ping: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self {
            head: Duration::from_secs(32),
            idle: Duration::from_secs(90),
            // The plane itself takes one minute at most.
            answer: Duration::from_secs(5 * 60),
            write: Duration::from_secs(60),
            ping: Duration::from_secs(30),
        }
    }
}

/// In the extensions of an answer that has no end of its own.
#[derive(Debug, Clone, Copy)]
pub struct LongRunning;

/// Serves the requests of one connection until it ends, is to end, or has kept the plane waiting for too long.
pub async fn serve<S>(stream: S, http2: bool, router: Router, shutdown: &CancellationToken, patience: Patience)
where
    S: AsyncRead + AsyncWrite + Send + 'static,
{
    let mut stream = TimeoutStream::new(stream);
    stream.set_write_timeout(Some(patience.write));
    let tally = Arc::new(Mutex::new(Tally { next: 0, open: 0, answers: BTreeMap::new(), quiet: Instant::now() }));
    let builder = auto::Builder::new(TokioExecutor::new());
    // Which version it is was settled with TLS: to find out here is to wait for the first bytes, and for how long nobody says.
    let mut builder = if http2 { builder.http2_only() } else { builder.http1_only() };
    builder.http1().timer(TokioTimer::new()).header_read_timeout(patience.head);
    let mut of_http2 = builder.http2();
    of_http2.timer(TokioTimer::new()).max_concurrent_streams(STREAMS).max_header_list_size(HEADER_BYTES);
    of_http2.keep_alive_interval(patience.ping).keep_alive_timeout(patience.ping);
    let service = Counted { router, tally: tally.clone() };
    let mut serving = pin!(builder.serve_connection(TokioIo::new(Box::pin(stream)), TowerToHyperService::new(service)));
    let served = tokio::select! {
        () = shutdown.cancelled() => return,
        why = overdue(&tally, patience) => {
            tracing::debug!(why, "closing a connection to the plane");
            serving.as_mut().graceful_shutdown();
            // What the client is told by this it may still take; it had its time.
            tokio::time::timeout(patience.head, serving).await.unwrap_or(Ok(()))
        }
        served = &mut serving => served,
    };
    if let Err(error) = served {
        tracing::debug!(%error, "a connection to the plane broke");
    }
}

/// What is under way on a connection.
struct Tally {
    /// Number of the next request.
    next: u64,
    /// How many are under way.
    open: usize,
    /// Those that must end, and when they began.
    answers: BTreeMap<u64, Instant>,
    /// When the last one ended.
    quiet: Instant,
}

/// Waits until the connection has kept the plane waiting for too long, and says with what.
async fn overdue(tally: &Mutex<Tally>, patience: Patience) -> &'static str {
    loop {
        let now = Instant::now();
        let (why, at) = {
            let tally = tally.lock();
            match tally.answers.values().next() {
                _ if tally.open == 0 => ("no request for a while", tally.quiet + patience.idle),
                Some(begun) => ("an answer was not taken", *begun + patience.answer),
                // Watches alone.
                None => ("", now + patience.idle),
            }
        };
        if at <= now {
            return why;
        }
        // What begins from now on is not due before this.
        tokio::time::sleep_until(at.min(now + patience.idle.min(patience.answer))).await;
    }
}

/// The router, with its requests counted.
#[derive(Clone)]
struct Counted {
    router: Router,
    tally: Arc<Mutex<Tally>>,
}

impl<B> Service<Request<B>> for Counted
where
    Router: Service<Request<B>, Response = Response<Body>, Error = Infallible, Future: Send + 'static>,
{
    type Response = Response<Answer>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Response<Answer>, Infallible>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Service::<Request<B>>::poll_ready(&mut self.router, context)
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let underway = Underway::begin(&self.tally);
        let answered = self.router.call(request);
        Box::pin(async move {
            let (parts, body) = answered.await?.into_parts();
            if parts.extensions.get::<LongRunning>().is_some() {
                underway.may_last();
            }
            Ok(Response::from_parts(parts, Answer { body, rest: Bytes::new(), _underway: underway }))
        })
    }
}

/// One request that is under way, until it is dropped.
struct Underway {
    tally: Arc<Mutex<Tally>>,
    number: u64,
}

impl Underway {
    fn begin(tally: &Arc<Mutex<Tally>>) -> Self {
        let mut own = tally.lock();
        let number = own.next;
        own.next += 1;
        own.open += 1;
        own.answers.insert(number, Instant::now());
        Self { tally: tally.clone(), number }
    }

    fn may_last(&self) {
        self.tally.lock().answers.remove(&self.number);
    }
}

impl Drop for Underway {
    fn drop(&mut self) {
        let mut tally = self.tally.lock();
        tally.answers.remove(&self.number);
        tally.open -= 1;
        if tally.open == 0 {
            tally.quiet = Instant::now();
        }
    }
}

/// The body of an answer in pieces.
struct Answer {
    body: Body,
    rest: Bytes,
    _underway: Underway,
}

impl http_body::Body for Answer {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        if self.rest.is_empty() {
            match ready!(Pin::new(&mut self.body).poll_frame(context)) {
                Some(Ok(frame)) => match frame.into_data() {
                    Ok(data) => self.rest = data,
                    Err(other) => return Poll::Ready(Some(Ok(other))),
                },
                other => return Poll::Ready(other),
            }
        }
        let piece = self.rest.len().min(PIECE);
        Poll::Ready(Some(Ok(Frame::data(self.rest.split_to(piece)))))
    }

    fn is_end_stream(&self) -> bool {
        self.rest.is_empty() && self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        let (inner, rest) = (self.body.size_hint(), self.rest.len() as u64);
        let mut hint = SizeHint::new();
        if let Some(upper) = inner.upper() {
            hint.set_upper(upper + rest);
        }
        hint.set_lower(inner.lower() + rest);
        hint
    }
}

#[cfg(test)]
mod tests;
