//! Earlier decisions about similar requests: counts, without the names of other users' requests.

use std::collections::BTreeMap;

use cluster::ClusterId;
use cluster::person;
use jiff::SignedDuration;
use promise::api::Decision;
use promise::wording::{all_of, counted};

use super::approval_index::subject;
use super::matter::Matter;
use super::standing::{Standing, is_open};
use crate::portal::Caller;

/// Age of the oldest decision that is counted, in days.
const DAYS: i64 = 90;
/// Maximum number of decisions that are read for each rule.
const LOOKED_AT: usize = 500;

/// Returns a sentence for each rule that the user decides about, and one about this request.
pub(super) fn told(caller: &Caller, matter: &Matter, standings: &[Standing<'_>]) -> Vec<String> {
    let mut told: Vec<String> = standings
        .iter()
        .filter(|standing| standing.may && is_open(standing.approval))
        .map(|standing| of_rule(caller, matter, standing))
        .collect();
    let releases = matter.releases.len();
    let is_run = matter.run.is_some();
    if !is_run && matter.request.status.as_ref().is_some_and(|status| status.current.is_some()) {
        told.push(format!(
            "{} kept for this request.",
            if releases == 1 { "1 release is".to_owned() } else { format!("{releases} releases are") }
        ));
    }
    told
}

fn of_rule(caller: &Caller, matter: &Matter, standing: &Standing<'_>) -> String {
    let (portal, approval) = (caller.portal(), standing.approval);
    let since = portal.clock.now().checked_sub(SignedDuration::from_hours(24 * DAYS)).ok();
    let own = matter.request.metadata.uid.as_deref().unwrap_or_default();
    let promise = &matter.request.spec.promise;
    let decided = ClusterId::parse(&approval.cluster)
        .map(|cluster| portal.approval_index.of_rule(&portal.world, &cluster, &approval.rule, LOOKED_AT));
    // Only a user's last decision about a content counts.
    let mut last: BTreeMap<(String, String, String), Decision> = BTreeMap::new();
    let mut looked_at = 0;
    for (at, decision) in decided.unwrap_or_default() {
        looked_at += 1;
        let written = decision.metadata.creation_timestamp.as_ref().map(|time| time.0);
        let about = subject(&at, &decision.spec.request).and_then(|key| portal.world.requests.get(&key));
        let same =
            about.is_some_and(|request| request.spec.promise.name == promise.name && request.spec.promise.workspace == promise.workspace);
        if written < since || decision.spec.request.uid == own || !same {
            continue;
        }
        let by = person::decider(&at, &decision).unwrap_or_default().to_string();
        last.entry((decision.spec.request.uid.clone(), decision.spec.content_hash.clone(), by)).or_insert(decision.spec.decision);
    }
    let count = |of: Decision| last.values().filter(|decision| **decision == of).count() as u64;
    let parts: Vec<String> = [(Decision::Approve, "approved"), (Decision::Reject, "rejected"), (Decision::RequestChanges, "sent back")]
        .into_iter()
        .filter(|(decision, _)| count(*decision) > 0)
        .map(|(decision, word)| format!("{} {word}", count(decision)))
        .collect();
    let basis = if looked_at == LOOKED_AT { format!("In the last {LOOKED_AT} decisions") } else { format!("In {DAYS} days") };
    let rule = match &approval.rule.policy {
        Some(policy) => format!("the policy “{}”", caller.policy_title(&approval.source, policy)),
        None => format!("the rule “{}”", approval.rule.name),
    };
    if parts.is_empty() {
        return format!("{basis}, for {rule}: no decisions on other requests of this promise.");
    }
    let all = counted(last.len() as u64, "decision");
    format!("{basis}, for {rule}: {all} on other requests of this promise, {}.", all_of(&parts))
}
