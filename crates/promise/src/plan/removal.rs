//! Planning what is removed: objects that the release no longer wants, and everything of a request that is deleted.

use super::action::{Action, Hold, Plan};
use super::facts::{Desired, Facts, Key, Seen, is_job};
use super::steps::{Owner, Verdict, abandoned, applies, inventory, judge, names_new_objects, owner, spend, uid, unseen};
use super::terminating;
use crate::api::{DeletionPolicy, InventoryItem};
use crate::keyed::DigestKey;

/// Adds deletes for the last stage among `items`. Whatever prevents one becomes a hold.
pub(super) fn removals(facts: &Facts, items: &[InventoryItem], plan: &mut Plan) -> Vec<Action> {
    let mut left = Vec::new();
    for item in items {
        let key = Key::of_item(item);
        match facts.at(&key) {
            Seen::Absent => {}
            Seen::Unknown { why } => {
                let message = unseen(&key, why);
                left.push((item.stage, None));
                plan.holds.push(Hold::Unreachable { id: item.id.clone(), key, message });
            }
            Seen::Present { object, .. } => match owner(object, &facts.request.uid) {
                Owner::Ours if terminating::is_terminating(object) => {
                    left.push((item.stage, None));
                    let hold = terminating::hold(object, (&item.id, key), facts.now, plan);
                    plan.holds.push(hold);
                }
                Owner::Ours => left.push((item.stage, Some(Action::Delete { key, uid: uid(object) }))),
                // Someone took it over, or re-created it under the old name: it is no longer ours to delete.
                Owner::HandedOver | Owner::Foreign => {}
            },
        }
    }
    let last = left.iter().map(|(stage, _)| *stage).max();
    left.into_iter().filter(|(stage, _)| Some(*stage) == last).filter_map(|(_, action)| action).collect()
}

pub(super) fn deprovision(facts: &Facts, digests: &DigestKey) -> Plan {
    // Only steps want something to be created: Jobs, and the namespaces for them.
    let mut plan = Plan::default();
    let wanted = facts.desired.iter().flatten().map(|desired| (desired, judge(facts, desired, digests, &mut plan)));
    let verdicts: Vec<(&Desired, Verdict)> = wanted.collect();
    plan.inventory = inventory(facts, &verdicts);
    if !facts.request.finalizer {
        return plan;
    }
    for (_, verdict) in &verdicts {
        if let Verdict::Hold(hold) | Verdict::Postponed(hold) = verdict {
            plan.holds.push(hold.clone());
        }
    }
    let writes = applies(&verdicts, &plan);
    if !writes.is_empty() {
        if names_new_objects(facts, &plan.inventory) {
            plan.actions.push(Action::Record { inventory: plan.inventory.clone() });
        }
        spend(facts.budget, writes.into_iter(), &mut plan);
        return plan;
    }
    let opened = |item: &&InventoryItem| is_job(&item.id) || facts.is_open(&item.id);
    let opened: Vec<InventoryItem> = abandoned(facts).iter().filter(opened).cloned().collect();
    let actions = match facts.request.deletion_policy {
        DeletionPolicy::Delete => removals(facts, &opened, &mut plan),
        DeletionPolicy::Orphan => orphans(facts, &mut plan),
    };
    if actions.is_empty() && plan.inventory.is_empty() && !facts.unfinished {
        plan.actions.push(Action::RemoveFinalizer);
        return plan;
    }
    spend(facts.budget, actions.into_iter(), &mut plan);
    plan
}

fn orphans(facts: &Facts, plan: &mut Plan) -> Vec<Action> {
    let mut actions = Vec::new();
    for item in &facts.inventory {
        let key = Key::of_item(item);
        match facts.at(&key) {
            Seen::Present { object, .. } if matches!(owner(object, &facts.request.uid), Owner::Ours) => {
                actions.push(Action::Orphan { key, uid: uid(object) });
            }
            Seen::Unknown { why } => {
                let message = unseen(&key, why);
                plan.holds.push(Hold::Unreachable { id: item.id.clone(), key, message });
            }
            Seen::Present { .. } | Seen::Absent => {}
        }
    }
    actions
}

/// Whether an item still stands for an object that we have to manage.
pub(super) fn remains(facts: &Facts, item: &InventoryItem) -> bool {
    match facts.at(&Key::of_item(item)) {
        Seen::Absent => false,
        Seen::Unknown { .. } => true,
        Seen::Present { object, .. } => matches!(owner(object, &facts.request.uid), Owner::Ours),
    }
}
