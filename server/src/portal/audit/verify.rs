//! Verifies the chains of the log for a page: one step at a time, which reads a bounded number of records and continues where the last step
//! ended. `opm-portal audit verify` reads everything at once, and compares it with anchors outside of the database.

use app::view::AuditCheckStatus;
use promise::audit::{AuditBreak, AuditCheck, BreakReason, ChainHead};
use store::Store;

use crate::clock::Clock;

/// Records that one step reads.
const STEP: u64 = 10_000;
/// Records that are read at once.
const AT_ONCE: u32 = 500;

/// How a step ended.
enum StepEnd {
    /// Each chain was read to its end.
    Complete,
    /// The step read as many records as it can.
    Paused,
}

/// Why a step stopped early.
enum Stop {
    Broken(AuditBreak),
    Failed(store::Error),
}

impl From<store::Error> for Stop {
    fn from(error: store::Error) -> Self {
        Self::Failed(error)
    }
}

impl From<AuditBreak> for Stop {
    fn from(broken: AuditBreak) -> Self {
        Self::Broken(broken)
    }
}

/// Returns what is verified after the next step.
///
/// # Errors
/// If the database fails.
pub(super) async fn step(store: &Store, check: AuditCheck, clock: &dyn Clock) -> store::Result<AuditCheck> {
    step_of(store, check, clock, STEP).await
}

async fn step_of(store: &Store, mut check: AuditCheck, clock: &dyn Clock, most: u64) -> store::Result<AuditCheck> {
    check.is_complete = false;
    check.broken = None;
    let mut left = most;
    let mut ended = read_chains(store, &mut check, &mut left).await;
    if matches!(&ended, Err(Stop::Broken(broken)) if broken.reason == BreakReason::BeginsLate) {
        // Old records might have been removed while the chains were read; then the note of it was appended meanwhile.
        ended = read_chains(store, &mut check, &mut left).await;
    }
    match ended {
        Ok(StepEnd::Complete) => check.is_complete = true,
        Ok(StepEnd::Paused) => {}
        Err(Stop::Broken(broken)) => check.broken = Some(broken),
        Err(Stop::Failed(error)) => return Err(error),
    }
    check.at = clock.now();
    Ok(check)
}

/// Reads the chains from where they were verified to their ends.
async fn read_chains(store: &Store, check: &mut AuditCheck, left: &mut u64) -> Result<StepEnd, Stop> {
    let heads = store.audit_heads().await?;
    for head in heads.iter().filter(|head| !check.is_at(head)).cloned().collect::<Vec<ChainHead>>() {
        let mut from = check.verified(&head.chain);
        let mut is_first = true;
        loop {
            let most = AT_ONCE.min(u32::try_from(*left).unwrap_or(AT_ONCE));
            if most == 0 {
                return Ok(StepEnd::Paused);
            }
            let records = store.audit_chain_from(&head.chain, from, most).await?;
            let Some(last) = records.last() else { break };
            from = last.sequence + 1;
            *left -= records.len() as u64;
            let is_end = records.len() < most as usize;
            for record in &records {
                if std::mem::take(&mut is_first) { check.resume(record)? } else { check.add(record)? }
            }
            if is_end {
                break;
            }
        }
    }
    check.finish(&heads)?;
    Ok(StepEnd::Complete)
}

/// Returns what a page says of it.
pub(super) fn status(check: &AuditCheck, heads: &[ChainHead]) -> AuditCheckStatus {
    let verified = check.heads();
    let newer = heads.iter().map(|head| head.sequence.saturating_sub(check.verified(&head.chain))).sum();
    AuditCheckStatus {
        at: check.at.to_string(),
        records: check.records(),
        chains: verified.len(),
        last: if let [only] = verified.as_slice() { only.sequence } else { 0 },
        newer,
        is_complete: check.is_complete,
        broken: check.broken.clone(),
    }
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use promise::audit::{AuditEntry, AuditOutcome};
    use store::{AuditStep, ObjectChange, SealKeys};

    use super::*;
    use crate::clock::System;

    struct Noon;

    impl Clock for Noon {
        fn now(&self) -> Timestamp {
            Timestamp::constant(1_780_000_000, 0)
        }
    }

    async fn store_of(chains: &[(&str, usize)]) -> Store {
        let store = Store::memory(SealKeys::ephemeral(&System)).await.unwrap();
        for (chain, records) in chains {
            append(&store, chain, *records).await;
        }
        store
    }

    async fn append(store: &Store, chain: &str, records: usize) {
        let step = |index: usize| {
            let entry = AuditEntry { name: format!("orders-{index}"), outcome: AuditOutcome::Done, ..AuditEntry::default() };
            AuditStep::End { id: String::new(), entry, object: ObjectChange::None }
        };
        store.append_audit(chain, &(0..records).map(step).collect::<Vec<_>>()).await.unwrap();
    }

    #[tokio::test]
    async fn steps_are_bounded_and_later_ones_cost_what_is_new() {
        let store = store_of(&[("a", 7), ("b", 2)]).await;
        let paused = step_of(&store, AuditCheck::default(), &Noon, 6).await.unwrap();
        let shown = status(&paused, &store.audit_heads().await.unwrap());
        assert_eq!((shown.records, shown.newer, shown.is_complete, shown.last), (6, 3, false, 6));
        let done = step_of(&store, paused, &Noon, 6).await.unwrap();
        let shown = status(&done, &store.audit_heads().await.unwrap());
        assert_eq!((shown.records, shown.newer, shown.chains, shown.last, shown.is_complete), (9, 0, 2, 0, true));
        append(&store, "b", 3).await;
        assert_eq!(status(&done, &store.audit_heads().await.unwrap()).newer, 3);
        // The record before is read once more.
        let later = step_of(&store, done, &Noon, 6).await.unwrap();
        assert_eq!((later.records(), later.is_complete, later.at), (12, true, Noon.now()));
    }

    #[tokio::test]
    async fn records_that_are_removed_because_they_are_old_break_nothing() {
        let store = store_of(&[("a", 7), ("b", 1)]).await;
        let paused = step_of(&store, AuditCheck::default(), &Noon, 4).await.unwrap();
        // All but the last record of each chain, noted in `b`.
        store.cut_audit("b", Timestamp::MAX, Noon.now()).await.unwrap();
        let done = step_of(&store, paused, &Noon, 100).await.unwrap();
        assert_eq!((done.broken.clone(), done.is_complete, done.verified("a")), (None, true, 7));
    }
}
