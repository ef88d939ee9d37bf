//! The task that writes the log.

use std::sync::Arc;
use std::time::Duration;

use promise::audit::{AuditAnchor, AuditEntry, AuditState, ChainHead};
use store::{AuditStep, AuditStepOutcome, ObjectChange, Store};
use tokio::sync::{mpsc, oneshot};
use tokio::time::MissedTickBehavior;

use super::{AnchorFile, Intent};
use crate::clock::Clock;

/// Most messages that are written in one transaction.
const AT_ONCE: usize = 256;
/// Pause before records that couldn't be written are tried again.
const AGAIN: Duration = Duration::from_secs(1);
/// How often the end of the chain is written outside of the database.
const ANCHORS: Duration = Duration::from_secs(3600);

/// What the task is told.
pub(super) enum Message {
    /// A change is about to be made. The reply is dropped if it must not be.
    Begin {
        /// The change.
        intent: Intent,
        /// Gets it back, noted.
        reply: oneshot::Sender<Intent>,
    },
    /// A change ended.
    End {
        /// Its intent.
        id: String,
        /// What the record says.
        entry: AuditEntry,
        /// What became of the object.
        object: ObjectChange,
    },
    /// An object was seen.
    Observe {
        /// Object and time.
        entry: AuditEntry,
        /// Its state.
        state: Option<AuditState>,
        /// Gets what came of it.
        reply: oneshot::Sender<AuditStepOutcome>,
    },
    /// Everything before is to be written.
    Settle(oneshot::Sender<()>),
    /// The same, and nothing comes after.
    Close(oneshot::Sender<()>),
}

/// Writes one chain.
pub(super) struct Writer {
    pub(super) store: Store,
    pub(super) chain: String,
    pub(super) anchor: Option<AnchorFile>,
    pub(super) clock: Arc<dyn Clock>,
}

/// What a batch of messages asks for.
#[derive(Default)]
struct Batch {
    steps: Vec<AuditStep>,
    /// Changes that wait for their note, with the positions of their steps.
    begun: Vec<(usize, Intent, oneshot::Sender<Intent>)>,
    seen: Vec<(AuditStep, oneshot::Sender<AuditStepOutcome>)>,
    settled: Vec<oneshot::Sender<()>>,
    closed: bool,
}

impl Batch {
    fn of(kept: Vec<AuditStep>, messages: Vec<Message>) -> Self {
        let mut batch = Self { steps: kept, ..Self::default() };
        for message in messages {
            match message {
                Message::Begin { intent, reply } => {
                    let at = batch.steps.len();
                    batch.steps.push(AuditStep::Begin { id: intent.id.clone(), entry: intent.entry.clone() });
                    batch.begun.push((at, intent, reply));
                }
                Message::End { id, entry, object } => batch.steps.push(AuditStep::End { id, entry, object }),
                Message::Observe { entry, state, reply } => batch.seen.push((AuditStep::Observe { entry, state }, reply)),
                Message::Settle(reply) => batch.settled.push(reply),
                Message::Close(reply) => {
                    batch.settled.push(reply);
                    batch.closed = true;
                }
            }
        }
        batch
    }
}

impl Writer {
    /// Writes until it is closed, or nothing can be sent any more.
    pub(super) async fn run(mut self, mut messages: mpsc::UnboundedReceiver<Message>) {
        let mut anchors = tokio::time::interval(ANCHORS);
        anchors.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut kept = Vec::new();
        let mut anchored = ChainHead::default();
        loop {
            let mut received = Vec::new();
            tokio::select! {
                count = messages.recv_many(&mut received, AT_ONCE) => if count == 0 { return },
                () = tokio::time::sleep(AGAIN), if !kept.is_empty() => {}
                _ = anchors.tick() => {
                    self.anchor(&mut anchored).await;
                    continue;
                }
            }
            let batch = Batch::of(std::mem::take(&mut kept), received);
            let closed = batch.closed;
            let settled;
            (kept, settled) = self.write(batch).await;
            if closed {
                self.anchor(&mut anchored).await;
            }
            for reply in settled {
                let _ = reply.send(());
            }
            if closed {
                return;
            }
        }
    }

    /// Writes a batch. Returns the records that couldn't be written.
    async fn write(&self, batch: Batch) -> (Vec<AuditStep>, Vec<oneshot::Sender<()>>) {
        let mut kept = Vec::new();
        if !batch.steps.is_empty() {
            match self.append(&batch.steps).await {
                Ok(outcomes) => {
                    for (at, mut intent, reply) in batch.begun {
                        if let Some(AuditStepOutcome::Begun(before)) = outcomes.get(at) {
                            intent.before.clone_from(before);
                        }
                        intent.is_noted = true;
                        // No one waits for it any more: dropping it ends it.
                        drop(reply.send(intent));
                    }
                }
                Err(error) => {
                    tracing::error!(
                        error = &error as &dyn std::error::Error,
                        refused = batch.begun.len(),
                        "the audit log can't be written, so changes are refused"
                    );
                    kept = batch.steps.into_iter().filter(|step| matches!(step, AuditStep::End { .. })).collect();
                }
            }
        }
        self.observe(batch.seen).await;
        (kept, batch.settled)
    }

    /// Writes what was seen: together, or one by one if that fails, so that one record that can't be written doesn't hold back the others.
    async fn observe(&self, mut seen: Vec<(AuditStep, oneshot::Sender<AuditStepOutcome>)>) {
        // Replicas see the same objects. In one order, their transactions can't wait for each other.
        seen.sort_by(|(one, _), (other, _)| seen_object(one).cmp(&seen_object(other)));
        if seen.len() > 1 {
            let steps: Vec<AuditStep> = seen.iter().map(|(step, _)| step.clone()).collect();
            match self.store.append_audit(&self.chain, &steps).await {
                Ok(outcomes) => {
                    for ((_, reply), outcome) in seen.into_iter().zip(outcomes) {
                        let _ = reply.send(outcome);
                    }
                    return;
                }
                Err(error) => tracing::debug!(error = &error as &dyn std::error::Error, "changes are recorded one by one"),
            }
        }
        for (step, reply) in seen {
            match self.append(std::slice::from_ref(&step)).await {
                Ok(mut outcomes) => {
                    if let Some(outcome) = outcomes.pop() {
                        let _ = reply.send(outcome);
                    }
                }
                Err(error) => tracing::warn!(error = &error as &dyn std::error::Error, "a change of the control plane can't be recorded"),
            }
        }
    }

    /// Appends steps, a second time if the first fails: two replicas might have waited for each other.
    async fn append(&self, steps: &[AuditStep]) -> store::Result<Vec<AuditStepOutcome>> {
        match self.store.append_audit(&self.chain, steps).await {
            Ok(outcomes) => Ok(outcomes),
            Err(_) => self.store.append_audit(&self.chain, steps).await,
        }
    }

    /// Writes the end of the chain outside of the database, if it has moved.
    async fn anchor(&mut self, anchored: &mut ChainHead) {
        let heads = match self.store.audit_heads().await {
            Ok(heads) => heads,
            Err(error) => return tracing::warn!(error = &error as &dyn std::error::Error, "the end of the audit log can't be read"),
        };
        let Some(head) = heads.into_iter().find(|head| head.chain == self.chain).filter(|head| head != anchored) else { return };
        tracing::info!(target: "opm_portal::audit", chain = head.chain, sequence = head.sequence, hash = head.hash, "end of the audit log");
        if let Some(file) = &mut self.anchor
            && let Err(error) = file.append(&AuditAnchor { at: self.clock.now(), head: head.clone() })
        {
            tracing::error!(%error, "the end of the audit log can't be written to the anchor file");
            return;
        }
        *anchored = head;
    }
}

/// Returns the object that an observation is of.
fn seen_object(step: &AuditStep) -> Option<(&str, &str, &str, &str)> {
    match step {
        AuditStep::Observe { entry, .. } => Some((&entry.kind, &entry.cluster, &entry.namespace, &entry.name)),
        AuditStep::Begin { .. } | AuditStep::End { .. } => None,
    }
}

#[cfg(test)]
mod tests {
    use store::{AuditFilter, SealKeys};

    use super::*;
    use crate::clock::System;

    fn seen(name: &str) -> ((AuditStep, oneshot::Sender<AuditStepOutcome>), oneshot::Receiver<AuditStepOutcome>) {
        let entry = AuditEntry { kind: "Policy".to_owned(), cluster: "c1".to_owned(), name: name.to_owned(), ..AuditEntry::default() };
        let state = Some(AuditState { uid: format!("uid-{name}"), edition: "1".to_owned(), ..AuditState::default() });
        let (reply, outcome) = oneshot::channel();
        ((AuditStep::Observe { entry, state }, reply), outcome)
    }

    #[tokio::test]
    async fn what_is_seen_together_is_recorded_once_in_the_order_of_objects_and_each_gets_its_own_outcome() {
        let store = Store::memory(SealKeys::ephemeral(&System)).await.unwrap();
        let writer = Writer { store: store.clone(), chain: "one".to_owned(), anchor: None, clock: Arc::new(System) };
        let (steps, replies): (Vec<_>, Vec<_>) = ["orders", "orders", "carts"].map(seen).into_iter().unzip();
        writer.observe(steps).await;
        let mut outcomes = Vec::new();
        for reply in replies {
            outcomes.push(reply.await.unwrap());
        }
        assert_eq!(outcomes, [AuditStepOutcome::Recorded, AuditStepOutcome::Known, AuditStepOutcome::Recorded]);
        let mut records = store.audit_page(&AuditFilter::default(), 0, 10).await.unwrap();
        records.sort_by_key(|record| record.sequence);
        assert_eq!(records.iter().map(|record| record.entry.name.as_str()).collect::<Vec<_>>(), ["carts", "orders"]);
    }
}
