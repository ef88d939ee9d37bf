use proptest::prelude::*;

use super::*;
use crate::audit::{AuditEntry, AuditOutcome, AuditSource};

/// A chain of records that differ in what they say.
fn chain(name: &str, names: &[String]) -> Vec<AuditRecord> {
    let mut head = ChainHead { chain: name.to_owned(), ..ChainHead::default() };
    let mut records = Vec::new();
    for (index, name) in names.iter().enumerate() {
        let entry = AuditEntry {
            at: Timestamp::from_second(1_780_000_000 + i64::try_from(index).unwrap()).unwrap(),
            source: AuditSource::ALL[index % 4],
            actor: "dev-shop".into(),
            operation: "create-request".into(),
            name: name.clone(),
            after: (index % 2 == 0).then(|| "a1".to_owned()),
            outcome: AuditOutcome::Done,
            code: (index % 3 == 0).then_some(409),
            ..AuditEntry::default()
        };
        let record = AuditRecord::after(&head, entry).unwrap();
        head = record.head();
        records.push(record);
    }
    records
}

fn verified(records: &[AuditRecord], anchors: &[ChainHead]) -> Result<AuditReport, AuditBreak> {
    let mut verifier = AuditVerifier::new(anchors.iter().cloned());
    for record in records {
        verifier.add(record)?;
    }
    verifier.finish()
}

/// Changes one part of a record.
fn altered(record: &AuditRecord, part: usize) -> AuditRecord {
    let mut record = record.clone();
    let entry = &mut record.entry;
    match part {
        0 => entry.actor.push('x'),
        1 => entry.operation.push('x'),
        2 => entry.name.push('x'),
        3 => entry.outcome = AuditOutcome::Failed,
        4 => entry.before = Some("b".into()),
        5 => entry.after = Some("other".into()),
        6 => entry.at = Timestamp::UNIX_EPOCH,
        7 => entry.source = if entry.source == AuditSource::Cli { AuditSource::Rest } else { AuditSource::Cli },
        8 => entry.request_id.push('x'),
        9 => entry.code = Some(500),
        10 => entry.detail.push('x'),
        11 => entry.workspace.push('x'),
        12 => entry.cluster.push('x'),
        13 => entry.namespace.push('x'),
        14 => entry.kind.push('x'),
        15 => record.chain.push('x'),
        16 => record.previous.push('x'),
        17 => record.sequence += 1,
        _ => record.hash = record.hash.chars().rev().collect::<String>() + "x",
    }
    record
}

proptest! {
    #[test]
    fn whole_chains_are_verified_in_any_alternation(one in prop::collection::vec("[a-z]{1,9}", 1..12), other in prop::collection::vec("[a-z]{1,9}", 1..12)) {
        let (one, other) = (chain("one", &one), chain("other", &other));
        let mixed: Vec<AuditRecord> = (0..12).flat_map(|index| [one.get(index), other.get(index)]).flatten().cloned().collect();
        let report = verified(&mixed, &[one.last().unwrap().head(), other[0].head()]).unwrap();
        prop_assert_eq!(report.records(), (one.len() + other.len()) as u64);
        prop_assert!(report.chains.iter().all(|chain| chain.anchors == 1));
    }

    #[test]
    fn a_changed_record_is_found(names in prop::collection::vec("[a-z]{1,9}", 1..12), at in any::<prop::sample::Index>(), part in 0_usize..19) {
        let mut records = chain("one", &names);
        let at = at.index(records.len());
        records[at] = altered(&records[at], part);
        prop_assert_eq!(verified(&records, &[]).unwrap_err().reason, BreakReason::Altered);
    }

    #[test]
    fn a_changed_record_with_a_hash_to_match_breaks_the_chain(names in prop::collection::vec("[a-z]{1,9}", 2..12), at in any::<prop::sample::Index>(), part in 0_usize..15) {
        let mut records = chain("one", &names);
        let head = records.last().unwrap().head();
        let at = at.index(records.len());
        records[at] = altered(&records[at], part);
        records[at].hash = records[at].computed_hash().unwrap();
        // The last one has no record after it: only the anchor tells.
        prop_assert!(verified(&records, &[head]).is_err());
        prop_assert_eq!(verified(&records, &[]).is_ok(), at + 1 == records.len());
    }

    #[test]
    fn a_removed_record_is_found(names in prop::collection::vec("[a-z]{1,9}", 1..12), at in any::<prop::sample::Index>()) {
        let mut records = chain("one", &names);
        let head = records.last().unwrap().head();
        records.remove(at.index(records.len()));
        prop_assert!(verified(&records, &[head]).is_err());
    }

    #[test]
    fn a_moved_record_is_found(names in prop::collection::vec("[a-z]{1,9}", 2..12), from in any::<prop::sample::Index>(), to in any::<prop::sample::Index>()) {
        let mut records = chain("one", &names);
        let (from, to) = (from.index(records.len()), to.index(records.len()));
        prop_assume!(from != to);
        records.swap(from, to);
        prop_assert!(verified(&records, &[]).is_err());
    }

    #[test]
    fn an_inserted_record_is_found(names in prop::collection::vec("[a-z]{1,9}", 2..12), at in any::<prop::sample::Index>()) {
        let mut records = chain("one", &names);
        let at = at.index(records.len() - 1);
        // The best that can be forged without computing the rest again: a record that follows its predecessor.
        let forged = AuditRecord::after(&records[at].head(), AuditEntry { actor: "forged".into(), ..AuditEntry::default() }).unwrap();
        records.insert(at + 1, forged);
        prop_assert!(verified(&records, &[]).is_err());
    }

    #[test]
    fn a_line_of_an_export_is_the_same_record(names in prop::collection::vec("\\PC{0,9}", 1..4)) {
        for record in chain("one", &names) {
            prop_assert_eq!(AuditRecord::of_line(&record.to_line().unwrap()).unwrap(), record);
        }
    }
}

#[test]
fn a_line_with_more_than_the_hash_covers_is_refused() {
    let record = &chain("one", &["a".to_owned()])[0];
    let mut line: serde_json::Value = serde_json::from_str(&record.to_line().unwrap()).unwrap();
    line["note"] = "approved by everyone".into();
    assert!(AuditRecord::of_line(&line.to_string()).is_err());
}

#[test]
fn what_was_removed_is_said_by_a_record_of_any_chain() {
    let names: Vec<String> = (0..6).map(|index| format!("n{index}")).collect();
    let (one, other) = (chain("one", &names), chain("other", &names));
    let left = &one[3..];
    let cut = AuditCut { chain: "one".into(), through: 3, hash: one[2].hash.clone() };
    let says = |cut: &AuditCut| {
        let record = AuditRecord::after(&other[5].head(), cut.entry(Timestamp::UNIX_EPOCH)).unwrap();
        assert_eq!(AuditCut::of(&record.entry).as_ref(), Some(cut));
        let all: Vec<AuditRecord> = left.iter().chain(&other).chain([&record]).cloned().collect();
        all
    };
    assert_eq!(verified(left, &[]).unwrap_err().reason, BreakReason::BeginsLate);
    // Anchors of what was removed count as kept.
    let anchors = [one[1].head(), one[2].head(), one[5].head()];
    assert_eq!(verified(&says(&cut), &anchors).unwrap().records(), 10);
    let wrong = [AuditCut { hash: "other".into(), ..cut.clone() }, AuditCut { through: 2, ..cut.clone() }];
    for wrong in wrong {
        assert_eq!(verified(&says(&wrong), &[]).unwrap_err().reason, BreakReason::BeginsLate);
    }
    let differs = ChainHead { hash: "other".into(), ..one[2].head() };
    assert_eq!(verified(&says(&cut), &[differs]).unwrap_err().reason, BreakReason::AnchorDiffers);
}

#[test]
fn an_end_that_was_anchored_is_missed() {
    let records = chain("one", &["a".to_owned(), "b".to_owned()]);
    let head = records[1].head();
    let missing = AuditBreak { chain: "one".into(), sequence: 2, reason: BreakReason::AnchorMissing };
    assert_eq!(verified(&records[..1], std::slice::from_ref(&head)).unwrap_err(), missing);
    assert_eq!(verified(&[], std::slice::from_ref(&head)).unwrap_err(), missing);
    assert!(verified(&records[..1], &[]).is_ok(), "the chain alone can't tell");
    let other = ChainHead { hash: "other".into(), ..head };
    assert_eq!(verified(&records, &[other]).unwrap_err().reason, BreakReason::AnchorDiffers);
}
