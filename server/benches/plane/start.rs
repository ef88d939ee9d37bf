//! From process start to ready, and memory at rest.

use std::time::{Duration, Instant};

use crate::load::{millis, quantile};
use crate::sheet::{Figure, Goal, Sheet};
use crate::subject::Subject;

/// The first start on an empty folder, later ones on what it left, and memory.
pub async fn nearly_empty(subject: &mut Subject, count: usize, sheet: &mut Sheet) {
    sheet.add("first start to ready", Figure::time(subject.first_start).goal(Goal::AtMost(0.05)));
    sheet.add("start to ready, nearly empty", starts(subject, count).await.goal(Goal::AtMost(0.05)));
    sheet.add("memory, nearly empty", Figure::bytes(subject.resident_at_rest().await));
}

/// Starts on everything that was written.
pub async fn loaded(subject: &mut Subject, size: usize, count: usize, sheet: &mut Sheet) {
    sheet.add(&format!("start to ready with {size} objects, after a kill"), starts(subject, count).await);
    sheet.add("memory after that start", Figure::bytes(subject.resident_at_rest().await));
}

/// The process is ended by force each time.
pub async fn starts(subject: &mut Subject, count: usize) -> Figure {
    let mut times: Vec<Duration> = Vec::new();
    for _ in 0..count {
        subject.server.kill();
        let begun = Instant::now();
        subject.server.start_again().await;
        times.push(begun.elapsed());
    }
    times.sort_unstable();
    Figure::time(quantile(&times, 0.5)).with(format!("median; worst {} of {count}", millis(quantile(&times, 1.0))))
}
