//! What the product logs while something is done.

use std::io;
use std::sync::{Arc, LazyLock, Mutex};

use serde_json::Value;
use tracing::Dispatch;
use tracing::instrument::WithSubscriber as _;
use tracing::subscriber::NoSubscriber;
use tracing_subscriber::EnvFilter;

#[derive(Clone, Default)]
struct Lines(Arc<Mutex<Vec<u8>>>);

impl io::Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().expect("the log").extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A second subscriber beside the one of a test. While there is only one, tracing asks the thread that reaches a log statement first whether
/// anybody is interested, and the threads of other tests say no for all of them.
static SECOND: LazyLock<Dispatch> = LazyLock::new(|| Dispatch::new(NoSubscriber::new()));

/// Does something; what came of it, and the lines of the log that it left.
pub async fn logged<T>(work: impl Future<Output = T>) -> (T, Vec<Value>) {
    LazyLock::force(&SECOND);
    let lines = Lines::default();
    let writer = lines.clone();
    let subscriber =
        tracing_subscriber::fmt().json().flatten_event(true).with_env_filter(EnvFilter::new("info")).with_writer(move || writer.clone());
    let done = work.with_subscriber(subscriber.finish()).await;
    let text = String::from_utf8(lines.0.lock().expect("the log").clone()).expect("text");
    (done, text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect())
}
