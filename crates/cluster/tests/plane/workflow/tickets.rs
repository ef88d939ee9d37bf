//! A small ticket system.

use std::collections::BTreeMap;
use std::net::Ipv4Addr;
use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode};
use axum::routing::{get, post};
use parking_lot::Mutex;
use serde_json::{Value, json};

/// The ticket system, and what it was asked.
#[derive(Clone, Default)]
pub struct Tickets(Arc<Mutex<Desk>>);

#[derive(Default)]
struct Desk {
    port: u16,
    /// Status of new tickets; `open` by default.
    status: Option<&'static str>,
    down: bool,
    locked: bool,
    tickets: Vec<Ticket>,
    /// Numbers of tickets by idempotency key.
    known: BTreeMap<String, usize>,
}

#[derive(Clone)]
struct Ticket {
    title: String,
    status: String,
    deleted: bool,
}

impl Tickets {
    /// Starts it on a port of its own.
    pub async fn open() -> Self {
        let tickets = Self::default();
        let listener = tokio::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        tickets.0.lock().port = listener.local_addr().unwrap().port();
        let router = axum::Router::new()
            .route("/tickets", post(create))
            .route("/tickets/{number}", get(read).delete(remove))
            .with_state(tickets.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        tickets
    }

    /// The Endpoint object that leads to it.
    pub fn endpoint(&self) -> Value {
        let port = self.0.lock().port;
        json!({
            "apiVersion": "platform.opmodel.dev/v1alpha1", "kind": "Endpoint", "metadata": {"name": "tickets"},
            "spec": {
                "url": format!("http://127.0.0.1:{port}"), "paths": ["/tickets", "/tickets/*"], "methods": ["GET", "POST", "DELETE"],
                "addresses": ["127.0.0.1/32"],
            },
        })
    }

    /// Sets what new tickets are.
    pub fn new_tickets_are(&self, status: &'static str) {
        self.0.lock().status = Some(status);
    }

    /// Whether every call is answered with 503.
    pub fn is_down(&self, down: bool) {
        self.0.lock().down = down;
    }

    /// Whether no ticket can be deleted.
    pub fn are_locked(&self, locked: bool) {
        self.0.lock().locked = locked;
    }

    /// Sets the status of every ticket.
    pub fn decide(&self, status: &str) {
        self.0.lock().tickets.iter_mut().for_each(|ticket| status.clone_into(&mut ticket.status));
    }

    /// The titles of all tickets, in order.
    pub fn titles(&self) -> Vec<String> {
        self.0.lock().tickets.iter().map(|ticket| ticket.title.clone()).collect()
    }

    /// The titles of those that weren't deleted.
    pub fn left(&self) -> Vec<String> {
        self.0.lock().tickets.iter().filter(|ticket| !ticket.deleted).map(|ticket| ticket.title.clone()).collect()
    }
}

async fn create(State(Tickets(desk)): State<Tickets>, headers: HeaderMap, Json(body): Json<Value>) -> (StatusCode, Json<Value>) {
    let mut desk = desk.lock();
    if desk.down {
        return (StatusCode::SERVICE_UNAVAILABLE, Json(Value::Null));
    }
    let key = headers["idempotency-key"].to_str().unwrap().to_owned();
    let number = match desk.known.get(&key) {
        Some(number) => *number,
        None => {
            let (title, status) = (body["title"].as_str().unwrap_or_default().to_owned(), desk.status.unwrap_or("open").to_owned());
            desk.tickets.push(Ticket { title, status, deleted: false });
            let number = desk.tickets.len() - 1;
            desk.known.insert(key, number);
            number
        }
    };
    (StatusCode::CREATED, Json(shown(&desk, number)))
}

async fn read(State(Tickets(desk)): State<Tickets>, Path(number): Path<usize>) -> (StatusCode, Json<Value>) {
    let desk = desk.lock();
    if desk.down { (StatusCode::SERVICE_UNAVAILABLE, Json(Value::Null)) } else { (StatusCode::OK, Json(shown(&desk, number))) }
}

async fn remove(State(Tickets(desk)): State<Tickets>, Path(number): Path<usize>) -> StatusCode {
    let mut desk = desk.lock();
    if desk.locked {
        return StatusCode::LOCKED;
    }
    desk.tickets[number].deleted = true;
    StatusCode::NO_CONTENT
}

fn shown(desk: &Desk, number: usize) -> Value {
    let ticket = &desk.tickets[number];
    json!({"id": number, "title": ticket.title, "status": ticket.status, "answer": format!("zone-{number}")})
}
