//! Times of many rounds.

use std::fmt;
use std::time::{Duration, Instant};

/// Times of many rounds, sorted.
pub struct Figures(Vec<Duration>);

impl Figures {
    /// Runs and times so many rounds.
    pub fn of(rounds: usize, mut round: impl FnMut(usize)) -> Self {
        let times = (0..rounds.max(1)).map(|number| {
            let start = Instant::now();
            round(number);
            start.elapsed()
        });
        Self::new(times.collect())
    }

    /// Times that were taken elsewhere.
    pub fn new(mut times: Vec<Duration>) -> Self {
        times.sort_unstable();
        Self(times)
    }

    fn at(&self, percent: usize) -> f64 {
        let index = (self.0.len() * percent / 100).min(self.0.len() - 1);
        self.0[index].as_secs_f64() * 1_000.0
    }
}

impl fmt::Display for Figures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.2} ms | {:.2} ms | {:.2} ms", self.at(50), self.at(99), self.at(100))
    }
}

/// Memory of this process that is in use, in bytes.
pub fn resident() -> u64 {
    let text = std::fs::read_to_string("/proc/self/statm").expect("the memory of this process");
    let pages: u64 = text.split_whitespace().nth(1).and_then(|pages| pages.parse().ok()).expect("a number of pages");
    pages * 4096
}
