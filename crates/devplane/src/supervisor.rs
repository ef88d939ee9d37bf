//! Keeps the plane's own tasks going: one that panics is logged and started again after a while, and until it works again the plane does
//! not say that it is well.
//! Source: apimachinery `util/runtime` (`HandleCrash`), controller-runtime `RecoverPanic`.

use std::{
    any::Any,
    collections::BTreeMap,
    fmt::Debug,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use futures::FutureExt;
use parking_lot::Mutex;

use crate::store::WriteError;

/// How long a task rests after its first panic; each further one doubles it.
const FIRST_REST: Duration = Duration::from_millis(200);
/// How long it rests at most.
const LONGEST_REST: Duration = Duration::from_secs(30);
/// A task that went on for this long starts with the first rest again.
const RECOVERED: Duration = Duration::from_secs(60);

/// How the plane's tasks are. Cheap to clone.
#[derive(Clone, Default)]
pub struct Supervisor(Arc<Known>);

#[derive(Default)]
struct Known {
    /// Why a task does not work, by its name.
    tasks: Mutex<BTreeMap<&'static str, Option<String>>>,
    /// Panics over single objects.
    panics: AtomicUsize,
}

impl Supervisor {
    /// The tasks that do not work, and why.
    pub fn failures(&self) -> Vec<(&'static str, String)> {
        self.0.tasks.lock().iter().filter_map(|(name, failure)| Some((*name, failure.clone()?))).collect()
    }

    /// Says that a task works: it has caught up with everything that is stored.
    pub fn works(&self, name: &'static str) {
        self.0.tasks.lock().insert(name, None);
    }

    /// How often a task panicked over a single object and left it as it was.
    pub fn panics(&self) -> usize {
        self.0.panics.load(Ordering::Relaxed)
    }

    fn failed(&self, name: &'static str, why: String) {
        self.0.tasks.lock().insert(name, Some(why));
    }

    /// Runs a task for as long as storage takes writes: one that panics is started again. The task says itself by [`Supervisor::works`]
    /// that it works again.
    pub async fn run<F>(self, name: &'static str, start: impl Fn() -> F)
    where
        F: Future<Output = Result<(), WriteError>>,
    {
        let mut rest = FIRST_REST;
        loop {
            let began = tokio::time::Instant::now();
            let why = match AssertUnwindSafe(async { start().await }).catch_unwind().await {
                Ok(Ok(())) => return,
                Ok(Err(WriteError::Disk(why))) => {
                    tracing::error!(task = name, %why, "a task of the plane has stopped: its storage does not accept writes");
                    return self.failed(name, why);
                }
                Ok(Err(error)) => error.to_string(),
                Err(panic) => said(&*panic).to_owned(),
            };
            if began.elapsed() >= RECOVERED {
                rest = FIRST_REST;
            }
            tracing::error!(task = name, %why, ?rest, "a task of the plane failed and was restarted");
            self.failed(name, why);
            tokio::time::sleep(rest).await;
            rest = (rest * 2).min(LONGEST_REST);
        }
    }

    /// Does what is to be done about one object. A panic is a defect of the plane: it is logged and counted, and the object is left as it is
    /// until its next change, so that no object keeps the plane from attending to the others.
    ///
    /// # Errors
    /// When the storage takes no writes.
    pub fn guarded<T: Default>(&self, what: impl Debug, work: impl FnOnce() -> Result<T, WriteError>) -> Result<T, WriteError> {
        catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| {
            self.panicked(what, &*panic);
            Ok(T::default())
        })
    }

    /// As [`Supervisor::guarded`], for work that waits.
    pub async fn guarded_task(&self, what: impl Debug, work: impl Future<Output = ()>) {
        if let Err(panic) = AssertUnwindSafe(work).catch_unwind().await {
            self.panicked(what, &*panic);
        }
    }

    fn panicked(&self, what: impl Debug, panic: &(dyn Any + Send)) {
        self.0.panics.fetch_add(1, Ordering::Relaxed);
        tracing::error!(?what, why = said(panic), "the plane's controllers panicked while handling an object and left it unchanged");
    }
}

/// What a panic says.
pub fn said(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("a panic without a message")
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[tokio::test]
    async fn a_task_that_panics_is_started_again_and_unwell_until_it_works() {
        let supervisor = Supervisor::default();
        let (starts, seen) = (Arc::new(AtomicUsize::new(0)), supervisor.clone());
        let (works, mut working) = tokio::sync::mpsc::channel(1);
        let running = tokio::spawn(supervisor.clone().run("t", move || {
            let (number, seen, works) = (starts.fetch_add(1, Ordering::SeqCst), seen.clone(), works.clone());
            async move {
                assert!(number == 2, "start {number}");
                assert_eq!(seen.failures(), [("t", "start 1".to_owned())]);
                seen.works("t");
                works.send(()).await.unwrap();
                std::future::pending().await
            }
        }));
        working.recv().await.unwrap();
        assert_eq!(supervisor.failures(), []);
        running.abort();
    }

    #[tokio::test]
    async fn a_task_without_storage_ends_and_stays_unwell() {
        let supervisor = Supervisor::default();
        supervisor.clone().run("t", async || Err(WriteError::Disk("full".into()))).await;
        assert_eq!(supervisor.failures(), [("t", "full".to_owned())]);
    }

    #[test]
    fn a_panic_over_one_object_is_not_one_over_the_next() {
        let supervisor = Supervisor::default();
        assert_eq!(supervisor.guarded("a", || -> Result<usize, WriteError> { panic!("a defect") }), Ok(0));
        assert_eq!(supervisor.guarded("b", || Ok(7)), Ok(7));
        assert_eq!(supervisor.guarded("c", || Err::<(), _>(WriteError::Changed)), Err(WriteError::Changed));
        assert_eq!(supervisor.panics(), 1);
    }
}
