//! Background tasks of the portal. A task restarts after a panic, which is a defect of ours and usually triggered by a single object; until
//! it has run without one for a while, the portal doesn't report itself ready.

use std::collections::BTreeSet;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use parking_lot::Mutex;
use tokio_util::task::TaskTracker;

/// Pause after the first panic of a task; each further panic doubles it.
const FIRST_REST: Duration = Duration::from_secs(1);
/// Longest pause after a panic.
const LONGEST_REST: Duration = Duration::from_secs(60);
/// Time without a panic after which a task counts as recovered.
const RECOVERED: Duration = Duration::from_secs(120);

/// State of the background tasks. Clones share it.
#[derive(Clone, Default)]
pub struct Background(Arc<Mutex<BTreeSet<&'static str>>>);

impl Background {
    /// Returns the tasks that failed recently.
    pub fn failed(&self) -> Vec<&'static str> {
        self.0.lock().iter().copied().collect()
    }

    /// Runs a task on `tasks` until it ends; `start` starts it, and restarts it after a panic.
    pub fn spawn<F>(&self, tasks: &TaskTracker, name: &'static str, start: impl Fn() -> F + Send + Sync + 'static)
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let background = self.clone();
        tasks.spawn(async move { background.run(name, start).await });
    }

    async fn run<F: Future<Output = ()>>(self, name: &'static str, start: impl Fn() -> F) {
        let mut rest = FIRST_REST;
        loop {
            // The panic message is already in the log.
            let mut task = Box::pin(AssertUnwindSafe(async { start().await }).catch_unwind());
            let ended = match tokio::time::timeout(RECOVERED, &mut task).await {
                Ok(ended) => ended,
                Err(_) => {
                    self.0.lock().remove(name);
                    rest = FIRST_REST;
                    task.await
                }
            };
            if ended.is_ok() {
                return;
            }
            tracing::error!(task = name, ?rest, "a background task failed and is started again");
            self.0.lock().insert(name);
            tokio::time::sleep(rest).await;
            rest = (rest * 2).min(LONGEST_REST);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use tokio::sync::mpsc;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_task_that_panics_is_started_again_and_counts_as_failed_for_a_while() {
        let (background, tasks, starts) = (Background::default(), TaskTracker::new(), Arc::new(AtomicUsize::new(0)));
        let (started, mut seen) = mpsc::unbounded_channel();
        background.spawn(&tasks, "ledger", move || {
            let (number, started) = (starts.fetch_add(1, Ordering::SeqCst), started.clone());
            async move {
                started.send(number).unwrap();
                assert!(number == 2, "start {number}");
                std::future::pending().await
            }
        });
        while seen.recv().await != Some(2) {}
        assert_eq!(background.failed(), ["ledger"]);
        tokio::time::sleep(RECOVERED * 2).await;
        assert!(background.failed().is_empty(), "it works again");
    }
}
