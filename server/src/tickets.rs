//! The ticket system of the sample world: a simulation that workflows of promises can call, with a page for people who try it out.
//!
//! It listens on loopback in the process of the embedded plane, and keeps its tickets in memory. Programs need the token that the Secret of
//! the Endpoint has; the page is for everyone on this machine, as the sample world's sign-in is. Tickets are worked on by themselves, as the
//! sample operators work on objects. An outage can be switched on: then programs get no service, and people see what that does to a
//! workflow.

mod board;
mod page;
mod texts;
mod wiring;

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use axum::Form;
use axum::body::Body;
use axum::extract::{Path, Request, State};
use axum::middleware::Next;
use axum::response::{Html, IntoResponse as _, Redirect, Response};
use http::{HeaderMap, HeaderValue, StatusCode, header};
use parking_lot::Mutex;
use promise::endpoint::IDEMPOTENCY_KEY;
use secrecy::{ExposeSecret as _, SecretString};
use serde::Deserialize;
use serde_json::json;
use sha2::{Digest as _, Sha256};
use tokio::net::TcpListener;

pub use board::{NewTicket, Status};
pub use wiring::{OpenError, Opened, Opening, open};

use self::board::{Board, Verdict};
use crate::auth::csrf;
use crate::clock::Clock;
use crate::web::{body, host};

/// Name of the Endpoint, and of its Secret.
pub const NAME: &str = "tickets";
/// Paths of the Endpoint.
pub const PATHS: [&str; 2] = ["/tickets", "/tickets/*"];
/// Random bytes of an id and of a token.
const RANDOM: usize = 16;
/// Largest body of a request.
const LARGEST: usize = 64 * 1024;
/// How long reading a body can take.
const PATIENCE: Duration = Duration::from_secs(10);

/// The ticket system.
pub struct Tickets {
    board: Mutex<Board>,
    token: SecretString,
    clock: Arc<dyn Clock>,
    random: Arc<dyn store::Random>,
}

impl Tickets {
    /// Creates one without tickets, which are resolved after `work`.
    pub fn new(token: SecretString, work: Duration, clock: Arc<dyn Clock>, random: Arc<dyn store::Random>) -> Arc<Self> {
        Arc::new(Self { board: Mutex::new(Board::new(work)), token, clock, random })
    }

    /// Returns the token that programs need.
    pub fn token(&self) -> &SecretString {
        &self.token
    }

    fn admits(&self, headers: &HeaderMap) -> bool {
        let sent = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok()?.strip_prefix("Bearer "));
        // Digests take equally long to compare, whatever was sent.
        sent.is_some_and(|sent| Sha256::digest(sent) == Sha256::digest(self.token.expose_secret()))
    }
}

/// Returns a new token.
pub fn new_token(random: &dyn store::Random) -> SecretString {
    SecretString::from(random_text(random))
}

fn random_text(random: &dyn store::Random) -> String {
    let mut bytes = [0; RANDOM];
    random.fill(&mut bytes);
    hex::encode(bytes)
}

/// Listens on loopback: on the port that was used before, if it is free.
///
/// # Errors
/// If no port can be used.
pub async fn listen(before: Option<u16>) -> std::io::Result<(TcpListener, SocketAddr)> {
    let at = |port| TcpListener::bind((Ipv4Addr::LOCALHOST, port));
    let listener = match before {
        Some(port) => match at(port).await {
            Ok(listener) => listener,
            Err(_) => at(0).await?,
        },
        None => at(0).await?,
    };
    let address = listener.local_addr()?;
    Ok((listener, address))
}

/// Refuses other host names, posts of other sites, and everything that a page of this simulation doesn't need.
pub async fn guard(request: Request, next: Next) -> Response {
    let authority = host::authority(request.headers(), request.uri()).unwrap_or_default().to_owned();
    if !host::is_loopback(request.headers()) {
        return refused(StatusCode::MISDIRECTED_REQUEST, texts::WRONG_HOST);
    }
    // Browsers say where a form comes from; programs don't.
    let headers = request.headers();
    let is_of_browser = headers.contains_key(header::ORIGIN) || headers.contains_key("sec-fetch-site");
    if is_of_browser && csrf::is_unsafe(request.method()) && csrf::check_origin(headers, &authority, false).is_err() {
        return refused(StatusCode::FORBIDDEN, texts::OTHER_SITE);
    }
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_SECURITY_POLICY, page::content_security_policy());
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("same-origin"));
    response
}

fn refused(status: StatusCode, error: &str) -> Response {
    (status, axum::Json(json!({"error": error, "simulated": true}))).into_response()
}

/// Answers programs: their token first, then the outage.
fn closed(tickets: &Tickets, headers: &HeaderMap) -> Option<Response> {
    if !tickets.admits(headers) {
        let mut response = refused(StatusCode::UNAUTHORIZED, texts::NO_TOKEN);
        response.headers_mut().insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        return Some(response);
    }
    tickets.board.lock().outage.then(|| refused(StatusCode::SERVICE_UNAVAILABLE, texts::OUTAGE))
}

/// `POST /tickets`: creates a ticket, or returns the one that the same key created.
pub async fn create(State(tickets): State<Arc<Tickets>>, headers: HeaderMap, body: Body) -> Response {
    if let Some(response) = closed(&tickets, &headers) {
        return response;
    }
    let Ok(bytes) = body::read(body, LARGEST, PATIENCE).await else {
        return refused(StatusCode::PAYLOAD_TOO_LARGE, texts::UNREADABLE);
    };
    let ticket = match serde_json::from_slice::<NewTicket>(&bytes).map_err(|error| error.to_string()).and_then(NewTicket::checked) {
        Ok(ticket) => ticket,
        Err(error) => return refused(StatusCode::UNPROCESSABLE_ENTITY, &error),
    };
    let key = headers.get(IDEMPOTENCY_KEY).and_then(|key| key.to_str().ok()).map(str::to_owned);
    let (id, now) = (random_text(&*tickets.random), tickets.clock.now());
    match tickets.board.lock().create(id, key, ticket, now) {
        Ok(created) => (StatusCode::CREATED, axum::Json(created)).into_response(),
        Err(board::KeyReused) => refused(StatusCode::CONFLICT, texts::KEY_REUSED),
    }
}

/// `GET /tickets/{id}`: returns a ticket.
pub async fn read(State(tickets): State<Arc<Tickets>>, headers: HeaderMap, Path(id): Path<String>) -> Response {
    if let Some(response) = closed(&tickets, &headers) {
        return response;
    }
    let found = tickets.board.lock().get(&id, tickets.clock.now());
    found.map_or_else(|| refused(StatusCode::NOT_FOUND, texts::NO_TICKET), |ticket| axum::Json(ticket).into_response())
}

/// `GET /`: the page for people.
pub async fn show(State(tickets): State<Arc<Tickets>>) -> Response {
    Html(page::render(&tickets.board.lock(), tickets.clock.now())).into_response()
}

/// `POST /tickets/{id}/resolve`.
pub async fn resolve(State(tickets): State<Arc<Tickets>>, Path(id): Path<String>) -> Response {
    decided(&tickets, &id, Verdict::Resolved)
}

/// `POST /tickets/{id}/reject`.
pub async fn reject(State(tickets): State<Arc<Tickets>>, Path(id): Path<String>) -> Response {
    decided(&tickets, &id, Verdict::Rejected)
}

fn decided(tickets: &Tickets, id: &str, verdict: Verdict) -> Response {
    // A ticket that was dropped or decided meanwhile is no longer, or as it is, on the page.
    tickets.board.lock().decide(id, verdict, tickets.clock.now());
    Redirect::to("/").into_response()
}

/// The form of the outage.
#[derive(Debug, Deserialize)]
pub struct Outage {
    /// Whether there is one from now on.
    on: bool,
}

/// `POST /outage` with `on=true` or `on=false`.
pub async fn outage(State(tickets): State<Arc<Tickets>>, Form(Outage { on }): Form<Outage>) -> Response {
    tickets.board.lock().outage = on;
    Redirect::to("/").into_response()
}
