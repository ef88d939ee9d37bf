//! Many watchers of one namespace: how soon all know of a write, and how many events they get.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

use http_body_util::BodyExt;
use hyper::body::Incoming;
use parking_lot::Mutex;
use serde_json::Value;
use tokio::sync::Notify;

use crate::client::{Call, Connection};
use crate::load::{CONNECTIONS, closed, millis, quantile};
use crate::objects;
use crate::sheet::{Figure, Sheet};
use crate::subject::Subject;

/// Writes that are followed one by one.
const WRITES: usize = 50;
/// Writes without a pause.
const BURST: usize = 200;

/// What all watchers together have seen.
#[derive(Default)]
struct Board {
    events: AtomicU64,
    awaited: AtomicU64,
    /// When the awaited events were complete.
    complete: Mutex<Option<Instant>>,
    told: Notify,
}

impl Board {
    /// Awaits so many more events.
    fn expect(&self, more: usize) {
        *self.complete.lock() = None;
        self.awaited.store(self.events.load(Relaxed) + more as u64, Relaxed);
    }

    fn note(&self, events: u64) {
        let seen = self.events.fetch_add(events, Relaxed) + events;
        let awaited = self.awaited.load(Relaxed);
        assert!(seen <= awaited, "the watchers saw {} events that nobody wrote", seen - awaited);
        if seen == awaited && events > 0 {
            *self.complete.lock() = Some(Instant::now());
            self.told.notify_one();
        }
    }

    /// When all awaited events had come.
    async fn completed(&self) -> Instant {
        loop {
            if let Some(complete) = *self.complete.lock() {
                return complete;
            }
            self.told.notified().await;
        }
    }
}

/// Opens the watches, then writes.
pub async fn fan_out(subject: &Subject, watchers: usize, sheet: &mut Sheet) {
    let client = subject.loader();
    let mut writer = client.connect().await;
    let list: Value = writer.json(&Call::get(format!("{}?limit=1", objects::COLLECTION)), &[200]).await;
    let version = list["metadata"]["resourceVersion"].as_str().expect("the version of a list").to_owned();
    let watch = Call::get(format!("{}?watch=1&resourceVersion={version}", objects::COLLECTION));
    let board = Arc::new(Board::default());
    let mut readers = Vec::new();
    for _ in 0..watchers {
        let mut connection = client.connect().await;
        let response = connection.begin(&watch).await;
        assert_eq!(response.status(), 200, "a watch");
        readers.push(tokio::spawn(read(connection, response.into_body(), board.clone())));
    }
    sheet.add(&format!("memory with {watchers} watchers"), Figure::bytes(subject.resident_at_rest().await));
    let (mut whole, mut late) = (Vec::new(), Vec::new());
    for write in 0..WRITES {
        let name = objects::name(write % 10);
        board.expect(watchers);
        let sent = Instant::now();
        writer.send(&Call::replace(objects::path(&name), objects::body(&name, write + 1)), &[200]).await;
        let acknowledged = Instant::now();
        let complete = board.completed().await;
        whole.push(complete - sent);
        late.push(complete.saturating_duration_since(acknowledged));
    }
    whole.sort_unstable();
    late.sort_unstable();
    let [p50, p99] = [0.5, 0.99].map(|share| millis(quantile(&late, share)));
    let detail = format!("p50; p99 {}; from its acknowledgement on p50 {p50}, p99 {p99}", millis(quantile(&whole, 0.99)));
    sheet.add(&format!("from a write sent to the last of {watchers} watchers"), Figure::time(quantile(&whole, 0.5)).with(detail));
    let begun = Instant::now();
    board.expect(watchers * BURST);
    closed(&client, CONNECTIONS, BURST, 201, |index| {
        let name = format!("burst-{index:03}");
        Call::create(objects::COLLECTION, objects::body(&name, 0))
    })
    .await;
    let time: Duration = board.completed().await - begun;
    let figure = Figure::rate((watchers * BURST) as f64 / time.as_secs_f64())
        .with(format!("events of {BURST} creates, all seen after {}", millis(time)));
    sheet.add(&format!("events to {watchers} watchers"), figure);
    readers.iter().for_each(tokio::task::JoinHandle::abort);
}

/// Counts events: each is one line. They are not read further, so that the client does not become what is measured.
async fn read(_connection: Connection, mut body: Incoming, board: Arc<Board>) {
    while let Some(frame) = body.frame().await {
        let frame = frame.expect("a watch goes on");
        let lines = frame.data_ref().map_or(0, |data| data.iter().filter(|byte| **byte == b'\n').count());
        board.note(lines as u64);
    }
    panic!("a watch ended");
}
