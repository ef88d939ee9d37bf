//! Instances of promises: while many requests come and go, their promises count them together.

use std::collections::BTreeSet;
use std::time::Duration;

use tokio::sync::mpsc;

use super::Handlers;

/// How long changes are collected before promises count their instances again.
const TOGETHER: Duration = Duration::from_millis(250);

impl Handlers {
    /// Handles that a promise has more or fewer instances. The first one is noted at once: it is what keeps a promise from being deleted.
    pub(super) fn instances_changed(&self, promise: &str) {
        let called = self.known.lock().promises_called(promise);
        let counts = |at| self.ctx.world.promises.get(at).and_then(|row| Some(row.status.as_ref()?.instances > 0));
        if called.iter().all(|at| counts(at) == Some(true)) {
            // The receiver ends with the handlers, and then nothing is counted any more.
            let _ = self.recounts.send(promise.to_owned());
        } else {
            self.promises_called(promise);
        }
    }

    pub(super) fn recount(&self, mut due: mpsc::UnboundedReceiver<String>) {
        let handlers = self.clone();
        self.tasks.spawn(async move {
            loop {
                let first = tokio::select! {
                    () = handlers.term.cancelled() => return,
                    first = due.recv() => first,
                };
                let Some(first) = first else { return };
                tokio::select! {
                    () = handlers.term.cancelled() => return,
                    () = tokio::time::sleep(TOGETHER) => {}
                }
                let mut promises = BTreeSet::from([first]);
                promises.extend(std::iter::from_fn(|| due.try_recv().ok()));
                promises.iter().for_each(|promise| handlers.promises_called(promise));
            }
        });
    }
}
