//! The way from controllers to the plane, on which calls fail, answers get lost, and controllers are killed.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::response::IntoResponse as _;
use futures::StreamExt as _;
use http::{Method, Request, Response, StatusCode};
use http_body_util::BodyExt as _;
use parking_lot::Mutex;
use serde_json::json;
use tokio::sync::Notify;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tower::{BoxError, ServiceExt as _};

use super::clock::VirtualClock;
use super::faults::{Faults, ReadFault, WatchFault, WriteFault};
use super::history::History;

/// How long a controller doesn't reach its Lease.
const PARTED: Duration = Duration::from_secs(25);
/// How late events are.
const LATE: Duration = Duration::from_secs(4);

/// What all controllers of a plane share.
pub struct Network {
    router: axum::Router,
    clock: VirtualClock,
    faults: Mutex<Faults>,
    pub history: Mutex<History>,
    /// Signals that a controller was killed.
    pub killed: Notify,
    /// How many faults there were.
    pub happened: AtomicUsize,
    /// How often a controller was killed.
    pub kills: AtomicUsize,
}

/// The connection of one controller.
#[derive(Default)]
pub struct Link {
    /// Cancelled when it is killed: nothing arrives in either direction from then on.
    pub severed: CancellationToken,
    parted_until: Mutex<Option<Instant>>,
    /// Cancelled when all watches end.
    watches: Mutex<CancellationToken>,
}

/// Kinds of calls.
#[derive(Clone, Copy, PartialEq)]
enum Call {
    Watch,
    /// A read, a review of permissions or a dry run.
    Read,
    Write,
    Lease,
    /// What the controller writes besides its work: events, and its own objects.
    Other,
}

impl Network {
    pub fn new(router: axum::Router, clock: VirtualClock) -> Self {
        Self {
            router,
            clock,
            faults: Mutex::default(),
            history: Mutex::default(),
            killed: Notify::new(),
            happened: AtomicUsize::new(0),
            kills: AtomicUsize::new(0),
        }
    }

    /// From now on these things go wrong.
    pub fn begin(&self, faults: Faults) {
        *self.faults.lock() = faults;
    }

    /// From now on nothing goes wrong.
    pub fn calm(&self) {
        *self.faults.lock() = Faults::default();
    }

    fn kill(&self, link: &Link) {
        self.kills.fetch_add(1, Ordering::SeqCst);
        link.severed.cancel();
        self.killed.notify_one();
    }

    fn happens(&self, is_fault: bool) {
        self.happened.fetch_add(usize::from(is_fault), Ordering::SeqCst);
    }

    /// Passes on a call of a controller.
    pub async fn pass(self: Arc<Self>, link: Arc<Link>, request: Request<kube::client::Body>) -> Result<Response<Body>, BoxError> {
        let answer = tokio::select! {
            biased;
            () = link.severed.cancelled() => None,
            answer = self.answer(&link, request) => Some(answer),
        };
        match answer {
            Some(answer) if !link.severed.is_cancelled() => answer,
            _ => std::future::pending().await,
        }
    }

    async fn answer(&self, link: &Arc<Link>, request: Request<kube::client::Body>) -> Result<Response<Body>, BoxError> {
        match Call::of(&request) {
            Call::Watch => self.watch(link, request).await,
            Call::Read => {
                let fault = self.faults.lock().reads.pop_front().unwrap_or(ReadFault::None);
                self.happens(fault != ReadFault::None);
                match fault {
                    ReadFault::None => self.forward(request).await,
                    ReadFault::Refused(code) => Ok(refusal(code)),
                    ReadFault::Broken => Err(broken()),
                    ReadFault::Silent => std::future::pending().await,
                }
            }
            Call::Write => self.write(link, request).await,
            Call::Lease => {
                let parted = *link.parted_until.lock();
                match parted.filter(|until| Instant::now() < *until) {
                    Some(_) => std::future::pending().await,
                    None => self.forward(request).await,
                }
            }
            Call::Other => self.forward(request).await,
        }
    }

    async fn write(&self, link: &Arc<Link>, request: Request<kube::client::Body>) -> Result<Response<Body>, BoxError> {
        let fault = self.faults.lock().writes.pop_front().unwrap_or(WriteFault::None);
        self.happens(fault != WriteFault::None);
        match fault {
            WriteFault::None => self.forward(request).await,
            WriteFault::Refused(409) if !is_versioned(&request) => Ok(refusal(503)),
            WriteFault::Refused(code) => Ok(refusal(code)),
            WriteFault::AnswerLost => {
                self.forward(request).await?;
                Err(broken())
            }
            WriteFault::DiesBefore => {
                self.kill(link);
                std::future::pending().await
            }
            WriteFault::DiesAfter => {
                self.forward(request).await?;
                self.kill(link);
                std::future::pending().await
            }
            WriteFault::LosesLease => {
                *link.parted_until.lock() = Some(Instant::now() + PARTED);
                self.forward(request).await
            }
            WriteFault::WatchesEnd => {
                std::mem::take(&mut *link.watches.lock()).cancel();
                self.forward(request).await
            }
            WriteFault::ClockJumps(seconds) => {
                self.clock.jump(seconds);
                self.forward(request).await
            }
        }
    }

    async fn watch(&self, link: &Arc<Link>, request: Request<kube::client::Body>) -> Result<Response<Body>, BoxError> {
        let fault = self.faults.lock().watches.pop_front().unwrap_or(WatchFault::None);
        self.happens(fault != WatchFault::None);
        match fault {
            WatchFault::Gone => return Ok(refusal(410)),
            WatchFault::Refused(code) => return Ok(refusal(code)),
            WatchFault::None | WatchFault::Ends | WatchFault::Late => {}
        }
        let answer = self.forward(request).await?;
        let (end, killed) = (link.watches.lock().clone(), link.severed.clone());
        let ended = async move {
            tokio::select! {
                () = end.cancelled_owned() => {}
                () = killed.cancelled_owned() => {}
            }
        };
        Ok(answer.map(|body| {
            let events = body.into_data_stream().take_until(Box::pin(ended));
            match fault {
                WatchFault::Ends => Body::from_stream(events.take(1)),
                WatchFault::Late => Body::from_stream(events.then(|event| {
                    Box::pin(async move {
                        tokio::time::sleep(LATE).await;
                        event
                    })
                })),
                _ => Body::from_stream(events),
            }
        }))
    }

    /// Lets a call reach the plane, and notes what it wrote there.
    async fn forward(&self, request: Request<kube::client::Body>) -> Result<Response<Body>, BoxError> {
        let is_noted = matches!(Call::of(&request), Call::Write);
        let (parts, body) = request.into_parts();
        let sent: Bytes = body.collect().await?.to_bytes();
        let (method, path) = (parts.method.clone(), parts.uri.path().to_owned());
        let Ok(answer) = self.router.clone().oneshot(Request::from_parts(parts, Body::from(sent.clone()))).await;
        if !is_noted {
            return Ok(answer);
        }
        let (head, body) = answer.into_parts();
        let received = axum::body::to_bytes(body, usize::MAX).await?;
        self.history.lock().note(&method, &path, &sent, head.status, &received);
        Ok(Response::from_parts(head, Body::from(received)))
    }
}

impl Call {
    fn of(request: &Request<kube::client::Body>) -> Self {
        let (path, query) = (request.uri().path(), request.uri().query().unwrap_or_default());
        if path.contains("/leases") {
            return Self::Lease;
        }
        if query.contains("watch=true") {
            return Self::Watch;
        }
        let is_own = path.contains("/namespaces/opm-system/") || path.starts_with("/clusters/root:opm/");
        let is_review = path.contains("reviews") || query.contains("dryRun");
        match *request.method() {
            Method::GET => Self::Read,
            _ if is_review => Self::Read,
            _ if is_own || path.contains("/events") => Self::Other,
            _ => Self::Write,
        }
    }
}

/// Whether a write names the version that it changes, so that a conflict is possible.
fn is_versioned(request: &Request<kube::client::Body>) -> bool {
    request.method() == Method::PATCH && request.uri().path().contains("/promiserequests/")
}

fn broken() -> BoxError {
    "the connection broke".into()
}

fn refusal(code: u16) -> Response<Body> {
    let reason = match code {
        409 => "Conflict",
        410 => "Expired",
        429 => "TooManyRequests",
        503 => "ServiceUnavailable",
        _ => "InternalError",
    };
    let status = json!({
        "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure", "code": code, "reason": reason,
        "message": "a fault of the test",
    });
    (StatusCode::from_u16(code).unwrap(), axum::Json(status)).into_response()
}
