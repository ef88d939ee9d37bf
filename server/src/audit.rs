//! The audit log of this process: what people change through it, and what it sees changed past it.
//!
//! A change is noted before it is made, and refused if that fails: there is no change without a record. One task writes, several changes in one
//! transaction, and people wait only for the note, not for the record. Where the chain of this process ends is written to the log of the
//! process, and to a file if there is one, because the database can't vouch for itself ([`anchor`]). What isn't made through the portal is
//! seen by [`follow`].

pub(crate) mod anchor;
mod follow;
mod writer;

use std::num::NonZeroU32;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use jiff::{SignedDuration, Timestamp};
use parking_lot::Mutex;
use promise::audit::{AuditEntry, AuditOutcome, AuditState};
use store::{AuditStepOutcome, ObjectChange, Random, Store};
use tokio::sync::{mpsc, oneshot, watch};

pub use anchor::AnchorFile;
pub(crate) use follow::{Followed, follow};
use writer::{Message, Writer};

use crate::clock::Clock;

/// How long a change can take before another process records that its outcome is unknown.
const ABANDONED: SignedDuration = SignedDuration::from_mins(10);
/// How often records that are too old are removed.
const CUTS: SignedDuration = SignedDuration::from_hours(24);

/// Settings of the audit log.
#[derive(Clone, Debug, Default)]
pub struct AuditConfig {
    /// A file outside of the database to which the end of the chain is appended.
    pub anchor: Option<PathBuf>,
    /// Days for which records are kept; `None` keeps them forever.
    pub days: Option<NonZeroU32>,
}

/// The audit log doesn't take note of anything at the moment. The cause is in the log of the process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the audit log can't be written")]
pub struct NotAudited;

/// The audit log. Clones share it.
#[derive(Clone)]
pub struct AuditLog {
    inner: Arc<Inner>,
}

struct Inner {
    chain: String,
    days: Option<NonZeroU32>,
    random: Arc<dyn Random>,
    messages: mpsc::UnboundedSender<Message>,
    /// Number of changes that were begun.
    begun: AtomicU64,
    /// Number of kinds whose changes are followed.
    followed: watch::Sender<usize>,
    /// When old records were removed.
    cut: Mutex<Timestamp>,
}

/// A change that was noted and has no record yet. Dropped without an end, it was never made.
pub struct Intent {
    id: String,
    entry: AuditEntry,
    messages: mpsc::UnboundedSender<Message>,
    /// Whether there is a note that needs an end.
    is_noted: bool,
    /// Hash of the object's content before, as far as the log knows it.
    pub(crate) before: Option<String>,
}

impl AuditLog {
    /// Starts to write to a chain.
    pub fn start(
        store: Store,
        chain: String,
        config: &AuditConfig,
        anchor: Option<AnchorFile>,
        clock: Arc<dyn Clock>,
        random: Arc<dyn Random>,
    ) -> Self {
        let (messages, received) = mpsc::unbounded_channel();
        let writer = Writer { store, chain: chain.clone(), anchor, clock };
        tokio::spawn(writer.run(received));
        let inner = Inner {
            chain,
            days: config.days,
            random,
            messages,
            begun: AtomicU64::default(),
            followed: watch::Sender::new(0),
            cut: Mutex::new(Timestamp::MIN),
        };
        Self { inner: Arc::new(inner) }
    }

    /// Notes that a change is about to be made.
    ///
    /// # Errors
    /// If it can't be noted; then it must not be made.
    pub async fn begin(&self, entry: AuditEntry) -> Result<Intent, NotAudited> {
        self.inner.begun.fetch_add(1, Ordering::SeqCst);
        let mut id = [0; 16];
        self.inner.random.fill(&mut id);
        let messages = self.inner.messages.clone();
        let intent = Intent { id: hex::encode(id), entry, messages, is_noted: false, before: None };
        let (reply, noted) = oneshot::channel();
        self.send(Message::Begin { intent, reply })?;
        noted.await.map_err(|_| NotAudited)
    }

    /// Records that an object was seen in a state, unless a known change explains it. What is seen of one object is written in the order of
    /// these calls; the outcome is an error if the log can't be written.
    fn observe(&self, entry: AuditEntry, state: Option<AuditState>) -> oneshot::Receiver<AuditStepOutcome> {
        let (reply, outcome) = oneshot::channel();
        // Without a writer, the reply is dropped with the message.
        let _ = self.send(Message::Observe { entry, state, reply });
        outcome
    }

    /// Waits until everything that ended before has its record, so that a page shows it.
    pub(crate) async fn settle(&self) {
        let (reply, done) = oneshot::channel();
        if self.send(Message::Settle(reply)).is_ok() {
            let _ = done.await;
        }
    }

    /// Writes what is left, and where the chain ends. Nothing can be changed afterwards.
    pub(crate) async fn close(&self) {
        let (reply, done) = oneshot::channel();
        if self.send(Message::Close(reply)).is_ok() {
            let _ = done.await;
        }
    }

    fn send(&self, message: Message) -> Result<(), NotAudited> {
        self.inner.messages.send(message).map_err(|_| NotAudited)
    }

    /// Returns a number that grows with each change that is begun in this process.
    fn begun(&self) -> u64 {
        self.inner.begun.load(Ordering::SeqCst)
    }

    /// Waits until the changes of all kinds are followed: what is made past the portal from then on is recorded.
    pub async fn follows(&self) {
        let mut followed = self.inner.followed.subscribe();
        // The sender lives as long as the log.
        let _ = followed.wait_for(|kinds| *kinds >= Followed::KINDS.len()).await;
    }

    /// Records what earlier processes of this data directory left without an outcome.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn take_over(&self, store: &Store, now: Timestamp) -> store::Result<()> {
        let left = store.adopt_audit(&self.inner.chain, now.saturating_sub(ABANDONED).unwrap_or(Timestamp::MIN), true).await?;
        if left > 0 {
            tracing::warn!(changes = left, "changes were begun by a process that ended; the audit log says that their outcome is unknown");
        }
        Ok(())
    }

    /// Records what other processes left without an outcome long ago, and removes records that are too old.
    ///
    /// # Errors
    /// If the database fails.
    pub(crate) async fn sweep(&self, store: &Store, now: Timestamp) -> store::Result<()> {
        store.adopt_audit(&self.inner.chain, now.saturating_sub(ABANDONED).unwrap_or(Timestamp::MIN), false).await?;
        let Some(days) = self.inner.days else { return Ok(()) };
        let is_due = now.duration_since(*self.inner.cut.lock()) >= CUTS;
        if is_due {
            let before = now.saturating_sub(SignedDuration::from_hours(24 * i64::from(days.get()))).unwrap_or(Timestamp::MIN);
            let removed = store.cut_audit(&self.inner.chain, before, now).await?;
            *self.inner.cut.lock() = now;
            if removed > 0 {
                tracing::info!(removed, days, "records of the audit log that are too old were removed");
            }
        }
        Ok(())
    }

    /// Returns the name of this process's chain.
    fn chain(&self) -> &str {
        &self.inner.chain
    }
}

impl Intent {
    /// Records what came of the change.
    pub fn end(mut self, outcome: (AuditOutcome, Option<u16>), (before, after): (Option<String>, Option<String>), object: ObjectChange) {
        let entry = std::mem::take(&mut self.entry);
        self.finish(AuditEntry { outcome: outcome.0, code: outcome.1, before, after, ..entry }, object);
    }

    fn finish(&mut self, entry: AuditEntry, object: ObjectChange) {
        if std::mem::take(&mut self.is_noted) {
            // Without a writer, the next process records that the outcome is unknown.
            let _ = self.messages.send(Message::End { id: std::mem::take(&mut self.id), entry, object });
        }
    }
}

impl Drop for Intent {
    fn drop(&mut self) {
        let entry = std::mem::take(&mut self.entry);
        self.finish(AuditEntry { outcome: AuditOutcome::Failed, ..entry }, ObjectChange::None);
    }
}
