//! The end of a process: its data directory stays locked for as long as a task might still write under the name of this process.

use std::time::Duration;

use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::plane::ProcessLock;

/// What ends when every task has ended.
pub(super) struct Ending(JoinHandle<()>);

impl Ending {
    /// Holds the lock of the data directory until every task has ended after `shutdown`, or the process ends. The next process that gets the
    /// lock has the name of this one and leads at once.
    pub(super) fn of(lock: Option<ProcessLock>, tasks: &TaskTracker, shutdown: &CancellationToken) -> Self {
        let (tasks, shutdown) = (tasks.clone(), shutdown.clone());
        Self(tokio::spawn(async move {
            shutdown.cancelled().await;
            tasks.wait().await;
            if let Some(lock) = lock {
                lock.release();
            }
        }))
    }

    /// Waits until every task has ended, for this time at most. Returns whether they have; otherwise the directory stays locked.
    pub(super) async fn within(self, patience: Duration) -> bool {
        tokio::time::timeout(patience, self.0).await.is_ok()
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use tokio::sync::oneshot;

    use super::*;
    use crate::clock::System;
    use crate::config::Storage;
    use crate::plane::Folder;

    /// Opens a data directory as a process does, and returns the name that it has there.
    fn open(root: &Path) -> (Folder, String) {
        let folder = Folder::open(&Storage::Directory(root.to_owned())).unwrap();
        let name = folder.process(&System).unwrap();
        (folder, name)
    }

    #[tokio::test(start_paused = true)]
    async fn the_data_directory_stays_locked_while_a_task_has_not_ended() {
        let root = tempfile::tempdir().unwrap();
        let (tasks, shutdown) = (TaskTracker::new(), CancellationToken::new());
        let (folder, first) = open(root.path());
        let ending = Ending::of(folder.lock(), &tasks, &shutdown);
        let (end, ended) = oneshot::channel::<()>();
        let task = tasks.spawn(async move { drop(ended.await) });
        shutdown.cancel();
        tasks.close();
        assert!(!ending.within(Duration::from_secs(10)).await, "the task ignores the shutdown");
        drop(folder);
        assert_ne!(open(root.path()).1, first, "another process isn't taken for the one whose task might still write");
        end.send(()).unwrap();
        task.await.unwrap();
        tasks.wait().await;
        for _ in 0..10 {
            tokio::task::yield_now().await;
        }
        assert_eq!(open(root.path()).1, first);
    }

    #[tokio::test]
    async fn the_data_directory_is_free_when_every_task_has_ended() {
        let root = tempfile::tempdir().unwrap();
        let (tasks, shutdown) = (TaskTracker::new(), CancellationToken::new());
        let (folder, first) = open(root.path());
        let ending = Ending::of(folder.lock(), &tasks, &shutdown);
        let until = shutdown.clone();
        tasks.spawn(async move { until.cancelled().await });
        shutdown.cancel();
        tasks.close();
        assert!(ending.within(Duration::from_secs(10)).await);
        assert_ne!(open(root.path()).1, first, "the directory itself is still open");
        drop(folder);
        assert_eq!(open(root.path()).1, first);
    }

    #[test]
    fn the_data_directory_stays_locked_until_the_process_ends_if_its_runtime_ends_before_its_tasks() {
        let root = tempfile::tempdir().unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let first = runtime.block_on(async {
            let (tasks, shutdown) = (TaskTracker::new(), CancellationToken::new());
            let (folder, first) = open(root.path());
            drop(Ending::of(folder.lock(), &tasks, &shutdown));
            tasks.spawn(std::future::pending::<()>());
            first
        });
        drop(runtime);
        assert_ne!(open(root.path()).1, first);
    }
}
