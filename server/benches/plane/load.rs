//! Closed-loop load: so many connections, each sending its next request as soon as it was answered.

use std::cell::Cell;
use std::time::{Duration, Instant};

use futures::stream::{FuturesUnordered, StreamExt};

use crate::client::{Call, Client};
use crate::objects;
use crate::sheet::{Figure, Goal, Sheet};
use crate::subject::Subject;

/// Connections of the loads that are not one by one.
pub const CONNECTIONS: usize = 16;

/// What a load saw.
pub struct Load {
    /// Answers per second.
    pub rate: f64,
    /// Latencies, sorted.
    pub latencies: Vec<Duration>,
}

/// Sends so many requests over so many connections; each must be answered with this status.
pub async fn closed(client: &Client, connections: usize, count: usize, status: u16, call: impl Fn(usize) -> Call) -> Load {
    let mut open = Vec::new();
    for _ in 0..connections.min(count) {
        open.push(client.connect().await);
    }
    let (next, call) = (Cell::new(0), &call);
    let begun = Instant::now();
    let loops: FuturesUnordered<_> = open
        .into_iter()
        .map(|mut connection| {
            let next = &next;
            async move {
                let mut latencies = Vec::new();
                loop {
                    let index = next.replace(next.get() + 1);
                    if index >= count {
                        return latencies;
                    }
                    let call = call(index);
                    let sent = Instant::now();
                    connection.send(&call, &[status]).await;
                    latencies.push(sent.elapsed());
                }
            }
        })
        .collect();
    let mut latencies: Vec<Duration> = loops.collect::<Vec<_>>().await.concat();
    let rate = latencies.len() as f64 / begun.elapsed().as_secs_f64();
    latencies.sort_unstable();
    Load { rate, latencies }
}

impl Load {
    /// As a figure of the sheet.
    pub fn figure(&self) -> Figure {
        Figure::rate(self.rate).with(format!(
            "p50 {}, p99 {}",
            millis(quantile(&self.latencies, 0.5)),
            millis(quantile(&self.latencies, 0.99))
        ))
    }
}

/// A quantile of sorted values.
pub fn quantile(sorted: &[Duration], share: f64) -> Duration {
    let index = ((sorted.len() as f64 * share) as usize).min(sorted.len().saturating_sub(1));
    sorted.get(index).copied().unwrap_or_default()
}

/// Milliseconds for people.
pub fn millis(time: Duration) -> String {
    format!("{:.2} ms", time.as_secs_f64() * 1e3)
}

/// Fills the server: a tenth one by one, the rest over many connections.
pub async fn creates(subject: &Subject, size: usize, sheet: &mut Sheet) {
    let client = subject.loader();
    let first = (size / 10).min(1000);
    let call = |index: usize| Call::create(objects::COLLECTION, objects::body(&objects::name(index), 0));
    let one = closed(&client, 1, first, 201, call).await;
    sheet.add("creates, durable, one by one", one.figure().goal(Goal::AtLeast(2.0)));
    let many = closed(&client, CONNECTIONS, size - first, 201, |index| call(first + index)).await;
    sheet.add("creates, durable, 16 at once", many.figure().goal(Goal::AtLeast(2.0)));
    sheet.add("memory after load", Figure::bytes(subject.resident_at_rest().await).goal_if(size >= 100_000, Goal::AtMost(0.25)));
}
