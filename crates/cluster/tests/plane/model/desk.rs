//! A ticket system with faults.

use std::collections::{BTreeMap, VecDeque};
use std::net::Ipv4Addr;
use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode};
use axum::routing::{get, post};
use parking_lot::Mutex;
use serde_json::{Value, json};

use super::faults::DeskFault;
use super::scenario::{Action, Fate, Scenario};

/// The ticket system.
#[derive(Clone, Default)]
pub struct Desk(Arc<Mutex<Tickets>>);

#[derive(Default)]
struct Tickets {
    port: u16,
    /// What becomes of the tickets of each step, and whether its calls are polled.
    fates: BTreeMap<String, (Fate, bool)>,
    repaired: bool,
    faults: VecDeque<DeskFault>,
    tickets: Vec<Ticket>,
    /// Number of the first ticket of this case.
    first: usize,
}

#[derive(Clone)]
struct Ticket {
    key: String,
    request: String,
    step: String,
    is_deleted: bool,
}

/// Whether each ticket of a step was deleted, in order, by the name of the step.
pub type Filed = BTreeMap<String, Vec<bool>>;

impl Desk {
    /// Starts it on a port of its own.
    pub async fn open() -> Self {
        let desk = Self::default();
        let listener = tokio::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        desk.0.lock().port = listener.local_addr().unwrap().port();
        let router = axum::Router::new()
            .route("/tickets", post(create))
            .route("/tickets/{number}", get(read).delete(remove))
            .with_state(desk.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        desk
    }

    /// The Endpoint object that leads to it.
    pub fn endpoint(&self) -> Value {
        let port = self.0.lock().port;
        json!({
            "apiVersion": "platform.opmodel.dev/v1alpha1", "kind": "Endpoint", "metadata": {"name": "desk"},
            "spec": {
                "url": format!("http://127.0.0.1:{port}"), "paths": ["/tickets", "/tickets/*"], "methods": ["GET", "POST", "DELETE"],
                "addresses": ["127.0.0.1/32"],
            },
        })
    }

    /// Begins a case.
    pub fn begin(&self, scenario: &Scenario) {
        let mut desk = self.0.lock();
        let fate = |action: &Action| match action {
            Action::Http { polls, fate, .. } => Some((*fate, *polls)),
            _ => None,
        };
        desk.fates = scenario.named_steps().filter_map(|(name, step)| Some((name, fate(&step.action)?))).collect();
        (desk.repaired, desk.faults, desk.first) = (false, scenario.desk_faults.clone().into(), desk.tickets.len());
    }

    /// What was bad at first is good from now on.
    pub fn repair(&self) {
        self.0.lock().repaired = true;
    }

    /// The tickets of this case.
    pub fn filed(&self, request: &str) -> Filed {
        let desk = self.0.lock();
        let mut filed = Filed::new();
        for ticket in desk.tickets[desk.first..].iter().filter(|ticket| ticket.request == request) {
            filed.entry(ticket.step.clone()).or_default().push(ticket.is_deleted);
        }
        filed
    }
}

impl Tickets {
    fn fate(&self, step: &str) -> (Fate, bool) {
        self.fates.get(step).copied().unwrap_or((Fate::Good, false))
    }

    /// What goes wrong with a call. A step that fails has no attempts to spare.
    fn fault(&mut self, step: &str) -> DeskFault {
        match self.fate(step) {
            (Fate::Good, _) => self.faults.pop_front().unwrap_or(DeskFault::None),
            _ => DeskFault::None,
        }
    }

    fn shown(&self, number: usize, is_first: bool) -> Value {
        let is_good = self.fate(&self.tickets[number].step).0.is_good(self.repaired);
        let status = match is_good {
            _ if is_first => "open",
            true => "resolved",
            false => "rejected",
        };
        json!({"id": number, "status": status})
    }
}

async fn create(State(Desk(desk)): State<Desk>, headers: HeaderMap, Json(body): Json<Value>) -> (StatusCode, Json<Value>) {
    let text = |name: &str| body[name].as_str().unwrap_or_default().to_owned();
    let (request, step) = (text("request"), text("step"));
    let key = headers["idempotency-key"].to_str().unwrap().to_owned();
    let (fault, answer) = {
        let mut desk = desk.lock();
        let (fate, polls) = desk.fate(&step);
        if !polls && !fate.is_good(desk.repaired) {
            return (StatusCode::BAD_REQUEST, Json(Value::Null));
        }
        let fault = desk.fault(&step);
        if let DeskFault::Refused(code) = fault {
            return (StatusCode::from_u16(code).unwrap(), Json(Value::Null));
        }
        let known = desk.tickets.iter().position(|ticket| ticket.key == key);
        let number = known.unwrap_or_else(|| {
            desk.tickets.push(Ticket { key, request, step, is_deleted: false });
            desk.tickets.len() - 1
        });
        (fault, desk.shown(number, true))
    };
    lose(fault).await;
    (StatusCode::CREATED, Json(answer))
}

async fn read(State(Desk(desk)): State<Desk>, Path(number): Path<usize>) -> (StatusCode, Json<Value>) {
    let (fault, answer) = {
        let mut desk = desk.lock();
        let step = desk.tickets[number].step.clone();
        (desk.fault(&step), desk.shown(number, false))
    };
    if let DeskFault::Refused(code) = fault {
        return (StatusCode::from_u16(code).unwrap(), Json(Value::Null));
    }
    lose(fault).await;
    (StatusCode::OK, Json(answer))
}

async fn remove(State(Desk(desk)): State<Desk>, Path(number): Path<usize>) -> StatusCode {
    let fault = {
        let mut desk = desk.lock();
        let step = desk.tickets[number].step.clone();
        let fault = desk.fault(&step);
        if let DeskFault::Refused(code) = fault {
            return StatusCode::from_u16(code).unwrap();
        }
        let is_first = !std::mem::replace(&mut desk.tickets[number].is_deleted, true);
        if is_first { fault } else { DeskFault::None }
    };
    lose(fault).await;
    StatusCode::NO_CONTENT
}

/// Never answers, if the answer is to get lost.
async fn lose(fault: DeskFault) {
    if fault == DeskFault::AnswerLost {
        std::future::pending::<()>().await;
    }
}
