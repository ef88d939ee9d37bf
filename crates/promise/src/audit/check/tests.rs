use jiff::Timestamp;

use super::*;
use crate::audit::{AuditCut, AuditEntry};

/// A chain of this many records, the last of which says these things.
fn chain(name: &str, count: usize, last: &[AuditEntry]) -> Vec<AuditRecord> {
    let mut head = ChainHead { chain: name.to_owned(), ..ChainHead::default() };
    let usual = (0..count).map(|index| AuditEntry { name: format!("orders-{index}"), ..AuditEntry::default() });
    let record = |entry| {
        let record = AuditRecord::after(&head, entry).unwrap();
        head = record.head();
        record
    };
    usual.chain(last.iter().cloned()).map(record).collect()
}

fn ends(chains: &[&[AuditRecord]]) -> Vec<ChainHead> {
    chains.iter().filter_map(|records| records.last()).map(AuditRecord::head).collect()
}

/// One step over all chains as a store has them, at most this many records in all; then kept and read again.
fn step(check: AuditCheck, chains: &[&[AuditRecord]], mut most: usize) -> Result<AuditCheck, AuditBreak> {
    let mut check = check;
    let heads = ends(chains);
    for records in chains {
        let Some(end) = records.last() else { continue };
        if check.is_at(&end.head()) {
            continue;
        }
        let from = check.verified(&end.chain);
        for (index, record) in records.iter().filter(|record| record.sequence >= from).enumerate() {
            if most == 0 {
                return Ok(check);
            }
            most -= 1;
            if index == 0 { check.resume(record)? } else { check.add(record)? }
        }
    }
    check.finish(&heads)?;
    check.is_complete = true;
    Ok(serde_json::from_str(&serde_json::to_string(&check).unwrap()).unwrap())
}

fn reason(result: Result<AuditCheck, AuditBreak>) -> (u64, BreakReason) {
    let broken = result.map(|check| check.heads()).unwrap_err();
    (broken.sequence, broken.reason)
}

#[test]
fn a_check_in_steps_verifies_as_much_as_one_in_a_single_step() {
    let (one, other) = (chain("a", 9, &[]), chain("b", 4, &[]));
    let whole = step(AuditCheck::default(), &[&one, &other], usize::MAX).unwrap();
    let mut check = AuditCheck::default();
    let mut steps = 0;
    while !check.is_complete {
        check = step(check, &[&one, &other], 3).unwrap();
        steps += 1;
    }
    assert_eq!((check.heads(), check.records(), whole.records()), (whole.heads(), 13, 13));
    // Each step but the first reads the last verified record once more.
    assert_eq!(steps, 6);
    let longer = chain("a", 12, &[]);
    let later = step(check, &[&longer, &other], usize::MAX).unwrap();
    assert_eq!((later.records(), later.verified("a")), (16, 12));
}

#[test]
fn what_was_verified_can_neither_be_computed_again_nor_shortened() {
    let records = chain("a", 6, &[]);
    let check = step(AuditCheck::default(), &[&records], usize::MAX).unwrap();
    let changed = AuditEntry { actor: "mallory".into(), ..AuditEntry::default() };
    let mut forged = chain("a", 5, std::slice::from_ref(&changed));
    forged.extend(chain("a", 5, &[changed.clone(), changed]).pop());
    assert_eq!(reason(step(check.clone(), &[&forged], usize::MAX)), (6, BreakReason::Rewritten));
    assert_eq!(reason(step(check.clone(), &[], usize::MAX)), (6, BreakReason::EndMissing));
    let mut altered = chain("a", 8, &[]);
    altered[6].entry.name = "other".into();
    assert_eq!(reason(step(check.clone(), &[&altered], usize::MAX)), (7, BreakReason::Altered));
    let longer = chain("a", 8, &[]);
    let gap = [&longer[..6], &longer[7..]].concat();
    assert_eq!(reason(step(check.clone(), &[&gap], usize::MAX)), (8, BreakReason::Missing { expected: 7 }));
    // The verified record is gone, and no record says why.
    assert_eq!(reason(step(check, &[&longer[6..]], usize::MAX)), (7, BreakReason::BeginsLate));
}

#[test]
fn an_end_that_was_noted_has_to_be_there() {
    let records = chain("a", 4, &[]);
    let mut check = AuditCheck::default();
    for record in &records[..3] {
        check.add(record).unwrap();
    }
    let broken = check.clone().finish(&ends(&[&records])).unwrap_err();
    assert_eq!((broken.sequence, broken.reason), (4, BreakReason::EndMissing));
    let other = ChainHead { hash: "another".into(), ..records[2].head() };
    let broken = check.finish(&[other]).unwrap_err();
    assert_eq!((broken.sequence, broken.reason), (3, BreakReason::EndDiffers));
}

#[test]
fn records_that_were_removed_between_two_steps_are_missing_with_a_note() {
    let records = chain("a", 8, &[]);
    let check = step(AuditCheck::default(), &[&records[..4]], usize::MAX).unwrap();
    let cut = |through: usize| {
        let record = &records[through - 1];
        AuditCut { chain: "a".into(), through: record.sequence, hash: record.hash.clone() }.entry(Timestamp::UNIX_EPOCH)
    };
    let noted = chain("b", 1, &[cut(2), cut(6)]);
    let check = step(check, &[&records[6..], &noted], usize::MAX).unwrap();
    assert_eq!((check.verified("a"), check.records()), (8, 5));
    let kept = serde_json::to_value(&check).unwrap();
    assert_eq!(kept["verifier"]["cuts"].as_array().unwrap().len(), 1, "only the last one counts");
}
