//! Closed-loop load: so many connections, each asking again as soon as it was answered.

use std::time::{Duration, Instant};

use crate::http::{Connection, request};

/// What browsers accept.
pub const ENCODINGS: &str = "gzip, deflate, br, zstd";

/// What a load run saw.
pub struct Load {
    /// Answers per second.
    pub rate: f64,
    /// Median latency.
    pub p50: Duration,
    /// 99th percentile of the latency.
    pub p99: Duration,
    /// Bytes of one body.
    pub bytes: usize,
}

/// Loads one path for some seconds, after a warm-up of one tenth.
pub async fn run(port: u16, path: &str, cookie: &str, connections: usize, seconds: u64) -> Load {
    let message = request("GET", path, port, &[("Cookie", cookie), ("Accept", "text/html"), ("Accept-Encoding", ENCODINGS)], "");
    let length = Duration::from_secs(seconds);
    let start = Instant::now() + length / 10;
    let end = start + length;
    let one = async |message: &[u8]| {
        let mut connection = Connection::open(port).await;
        let (mut latencies, mut bytes) = (Vec::new(), 0);
        loop {
            let sent = Instant::now();
            if sent >= end {
                return (latencies, bytes);
            }
            let answer = connection.send(message).await;
            assert_eq!(answer.status, 200, "{path} answered {}", answer.head);
            bytes = answer.body.len();
            if sent >= start {
                latencies.push(sent.elapsed());
            }
        }
    };
    let runs = futures::future::join_all((0..connections).map(|_| one(&message))).await;
    let bytes = runs.first().map_or(0, |(_, bytes)| *bytes);
    let mut latencies: Vec<Duration> = runs.into_iter().flat_map(|(latencies, _)| latencies).collect();
    latencies.sort_unstable();
    Load { rate: latencies.len() as f64 / length.as_secs_f64(), p50: quantile(&latencies, 0.5), p99: quantile(&latencies, 0.99), bytes }
}

/// A quantile of sorted values.
pub fn quantile(sorted: &[Duration], share: f64) -> Duration {
    let index = ((sorted.len() as f64 * share) as usize).min(sorted.len().saturating_sub(1));
    sorted.get(index).copied().unwrap_or_default()
}
