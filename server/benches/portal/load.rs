//! Closed-loop load: so many connections, each asking again as soon as it was answered.

use std::time::{Duration, Instant};

use crate::http::{Connection, request};

/// What browsers accept.
pub const ENCODINGS: &str = "gzip, deflate, br, zstd";

/// How a page is asked for.
pub enum Asked {
    /// Again and again by the same session.
    Unchanged,
    /// With a cookie that is new each time, so that nothing that was sent before fits.
    Anew,
    /// By a browser that has the page with this entity tag.
    Known(String),
    /// By a program with this token.
    Program(String),
}

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
    /// The share of answers that said that the browser has the page already.
    pub unchanged: f64,
}

/// Loads one path for some seconds, after a warm-up of one tenth.
pub async fn run(port: u16, path: &str, cookie: &str, asked: &Asked, connections: usize, seconds: u64) -> Load {
    // Relative times on a page change while it is measured: then it is sent.
    let expected: &[u16] = if matches!(asked, Asked::Known(_)) { &[200, 304] } else { &[200] };
    let message = |number: usize| {
        let cookie = if matches!(asked, Asked::Anew) { format!("{cookie}; number={number}") } else { cookie.to_owned() };
        let authorization;
        let mut headers = vec![("Accept-Encoding", ENCODINGS)];
        if let Asked::Program(token) = asked {
            authorization = format!("Bearer {token}");
            headers.extend([("Authorization", authorization.as_str()), ("Accept", "application/json")]);
        } else {
            headers.extend([("Cookie", cookie.as_str()), ("Accept", "text/html")]);
        }
        if let Asked::Known(tag) = asked {
            headers.push(("If-None-Match", tag));
        }
        request("GET", path, port, &headers, "")
    };
    let length = Duration::from_secs(seconds);
    let start = Instant::now() + length / 10;
    let end = start + length;
    let one = async |first: usize| {
        let mut connection = Connection::open(port).await;
        let (mut latencies, mut bytes, mut unchanged) = (Vec::new(), 0, 0_usize);
        let mut number = first;
        loop {
            let message = message(number);
            number += connections;
            let sent = Instant::now();
            if sent >= end {
                return (latencies, bytes, unchanged);
            }
            let answer = connection.send(&message).await;
            assert!(expected.contains(&answer.status), "{path} answered {}", answer.head);
            bytes = answer.body.len();
            if sent >= start {
                unchanged += usize::from(answer.status == 304);
                latencies.push(sent.elapsed());
            }
        }
    };
    let runs = futures::future::join_all((0..connections).map(one)).await;
    let bytes = runs.first().map_or(0, |(_, bytes, _)| *bytes);
    let unchanged: usize = runs.iter().map(|(_, _, unchanged)| unchanged).sum();
    let mut latencies: Vec<Duration> = runs.into_iter().flat_map(|(latencies, ..)| latencies).collect();
    latencies.sort_unstable();
    Load {
        rate: latencies.len() as f64 / length.as_secs_f64(),
        p50: quantile(&latencies, 0.5),
        p99: quantile(&latencies, 0.99),
        bytes,
        unchanged: unchanged as f64 / latencies.len().max(1) as f64,
    }
}

/// A quantile of sorted values.
pub fn quantile(sorted: &[Duration], share: f64) -> Duration {
    let index = ((sorted.len() as f64 * share) as usize).min(sorted.len().saturating_sub(1));
    sorted.get(index).copied().unwrap_or_default()
}
