//! The planner.

use std::collections::BTreeSet;

use serde_json::Value;

use super::action::{Action, Hold, Plan, Why};
use super::drift::{drifted, kept};
use super::facts::{Desired, Facts, Key, Seen, is_job, resource_of};
use super::removal::{deprovision, remains, removals};
use super::repair;
use super::terminating;
use crate::api::{DestinationId, Health, InventoryItem, Repairs};
use crate::keyed::{DigestKey, Purpose};
use crate::names;

/// Returns the next actions.
///
/// - Our finalizer comes first, and the inventory names an object before it is created.
/// - Objects are created in the order of their stages. An object that belongs to someone else is never touched: as long as there is one,
///   nothing is created or changed, so that a release isn't half rolled out. Drift is still repaired.
/// - Objects that the release no longer wants are deleted once everything that it wants exists and is healthy.
/// - Deletion follows the inventory in reverse order, one stage at a time, and only deletes objects that carry our label.
///
/// A server might store a field differently from how it was applied: it doesn't know the field, normalizes the value, or an admission
/// policy changes it. The response to our apply ([`Facts::answered`]) shows that, and the inventory stores a digest of it. As long as
/// the object matches the digest, it isn't applied again and again but listed in [`Plan::kept_otherwise`]. Any later change of our fields
/// by something else is drift. If no digest is stored, because of a crash before the status was written, the object is applied once more,
/// which changes nothing.
///
/// Drift is repaired immediately, and with increasing delays if it recurs soon; see [`Plan::contested`]. The same holds for objects whose
/// templates keep giving something else within a release; see [`Facts::restless`]. They exist meanwhile, so objects of later stages don't
/// wait for them.
pub fn plan(facts: &Facts, digests: &DigestKey) -> Plan {
    let mut plan = if facts.request.deleting { deprovision(facts, digests) } else { provision(facts, digests) };
    plan.holds.sort_by_key(rank);
    let idle = plan.actions.is_empty() && plan.holds.is_empty();
    plan.settled = idle && (facts.request.deleting || (plan.applied && plan.healthy));
    plan
}

fn rank(hold: &Hold) -> u8 {
    match hold {
        Hold::Paused => 0,
        Hold::Foreign { .. } => 1,
        Hold::Unreachable { .. } => 2,
        Hold::Terminating { held: Some(_), .. } => 3,
        Hold::Terminating { held: None, .. } => 4,
        Hold::Unhealthy { .. } => 5,
        Hold::NotYet { .. } => 6,
        Hold::Budget { .. } => 7,
    }
}

/// The owner of an observed object.
pub(super) enum Owner {
    Ours,
    HandedOver,
    Foreign,
}

pub(super) fn owner(object: &Value, uid: &str) -> Owner {
    let text = |part: &str, key: &str| object["metadata"][part][key].as_str();
    match text("labels", names::REQUEST_UID_LABEL) {
        Some(label) if label == uid => Owner::Ours,
        _ if text("annotations", names::ADOPT_ANNOTATION) == Some(uid) => Owner::HandedOver,
        _ => Owner::Foreign,
    }
}

/// Whether an object was applied from exactly this content. Drift is left aside.
fn is_as_wanted(desired: &Desired, object: &Value) -> bool {
    applied_hash(object) == Some(&desired.hash)
}

pub(super) fn uid(object: &Value) -> String {
    object["metadata"]["uid"].as_str().unwrap_or_default().to_owned()
}

fn applied_hash(object: &Value) -> Option<&str> {
    object["metadata"]["annotations"][names::HASH_ANNOTATION].as_str()
}

/// What to do with one desired object.
pub(super) enum Verdict {
    /// It exists. Contains the digest of our fields if the server stores them differently.
    Fine(Option<String>),
    /// It exists, but something keeps changing it: it is left as it is for now.
    Left,
    Apply(Why, Option<String>),
    /// Nothing can be done with it now, and objects of later stages wait for it.
    Hold(Hold),
    /// It exists and is changed later. Only what is no longer wanted waits for that.
    Postponed(Hold),
    /// A step of the workflow comes first. Until then it stays as it is.
    Later,
}

impl Verdict {
    /// Whether nothing has to be done with it.
    fn is_settled(&self) -> bool {
        matches!(self, Self::Fine(_) | Self::Left)
    }
}

pub(super) fn judge(facts: &Facts, desired: &Desired, digests: &DigestKey, plan: &mut Plan) -> Verdict {
    if desired.once {
        return judge_once(facts, desired);
    }
    let repairs = known(facts, &desired.key).and_then(|item| item.repairs);
    let wait = |plan: &mut Plan| {
        let left = repair::wait(repairs.as_ref(), facts.now)?;
        plan.again = Some(plan.again.map_or(left, |again| again.min(left)));
        Some(left)
    };
    let object = match facts.at(&desired.key) {
        Seen::Absent if wait(plan).is_some() => {
            let message = Some("something keeps deleting it, so it is re-created less and less often".to_owned());
            return Verdict::Hold(Hold::Unhealthy { id: desired.id.clone(), key: desired.key.clone(), message });
        }
        Seen::Absent if !facts.is_open(&desired.id) => return Verdict::Later,
        Seen::Absent => return Verdict::Apply(Why::Create, None),
        Seen::Unknown { why } => {
            return Verdict::Hold(Hold::Unreachable {
                id: desired.id.clone(),
                key: desired.key.clone(),
                message: unseen(&desired.key, why),
            });
        }
        Seen::Present { object, .. } => object,
    };
    match owner(object, &facts.request.uid) {
        Owner::Foreign => Verdict::Hold(foreign(desired, object)),
        _ if terminating::is_terminating(object) => {
            Verdict::Hold(terminating::hold(object, (&desired.id, desired.key.clone()), facts.now, plan))
        }
        Owner::HandedOver | Owner::Ours if !facts.is_open(&desired.id) && !is_as_wanted(desired, object) => Verdict::Later,
        Owner::HandedOver => Verdict::Apply(Why::Adopt, None),
        // A server that drops our annotation gets it again once per reconcile, not in a loop.
        Owner::Ours if applied_hash(object) != Some(&desired.hash) && !facts.answered.contains(&desired.key) => {
            // One that lost our annotation doesn't have another content because of its template.
            match facts.restless.get(&desired.key).filter(|_| applied_hash(object).is_some()) {
                Some(left) => restless(desired, *left, plan),
                None => Verdict::Apply(Why::Change, None),
            }
        }
        Owner::Ours => match drifted(&desired.object, object) {
            None => Verdict::Fine(None),
            Some(path) => {
                let now = digests.digest(Purpose::Kept, &kept(&desired.object, object)).ok();
                if now.is_some() && (facts.answered.contains(&desired.key) || remembered(facts, &desired.key) == now.as_deref()) {
                    plan.kept_otherwise.push((desired.id.clone(), path.to_string()));
                    Verdict::Fine(now)
                } else if wait(plan).is_some() {
                    plan.contested.push((desired.id.clone(), path.to_string()));
                    Verdict::Left
                } else {
                    Verdict::Apply(Why::Drift, Some(path.to_string()))
                }
            }
        },
    }
}

/// Postpones the change of an object whose template keeps giving something else.
fn restless(desired: &Desired, left: i64, plan: &mut Plan) -> Verdict {
    plan.again = Some(plan.again.map_or(left, |again| again.min(left)));
    let message = Some("what its template reads keeps changing, so it is updated less and less often".to_owned());
    Verdict::Postponed(Hold::Unhealthy { id: desired.id.clone(), key: desired.key.clone(), message })
}

/// Judges the Job of a step. Once it was created, it stays as it is, also if it is gone.
fn judge_once(facts: &Facts, desired: &Desired) -> Verdict {
    match facts.at(&desired.key) {
        Seen::Present { object, .. } => match owner(object, &facts.request.uid) {
            Owner::Foreign => Verdict::Hold(foreign(desired, object)),
            Owner::Ours | Owner::HandedOver => Verdict::Fine(None),
        },
        Seen::Absent if desired.object.is_null() || known(facts, &desired.key).is_some_and(|known| known.applied) => Verdict::Left,
        Seen::Absent => Verdict::Apply(Why::Create, None),
        Seen::Unknown { why } => {
            let message = unseen(&desired.key, why);
            Verdict::Hold(Hold::Unreachable { id: desired.id.clone(), key: desired.key.clone(), message })
        }
    }
}

/// Returns how the server stored our fields when they were applied, if it stored them differently.
fn remembered<'s>(facts: &'s Facts, key: &Key) -> Option<&'s str> {
    known(facts, key)?.kept.as_deref()
}

/// Returns the inventory item of an object.
fn known<'s>(facts: &'s Facts, key: &Key) -> Option<&'s InventoryItem> {
    facts.inventory.iter().find(|item| Key::of_item(item) == *key)
}

pub(super) fn unseen(key: &Key, why: &str) -> String {
    let place = key.destination.as_ref().map(|name| format!(" at {name}")).unwrap_or_default();
    if why.is_empty() { format!("{key}{place} hasn't been read yet") } else { format!("{key}{place} can't be read: {why}") }
}

fn foreign(desired: &Desired, object: &Value) -> Hold {
    let other = object["metadata"]["labels"][names::REQUEST_NAME_LABEL].as_str();
    let whose = match other {
        Some(name) => format!("belongs to the request {name}"),
        None => "already exists and belongs to someone else".to_owned(),
    };
    Hold::Foreign {
        id: desired.id.clone(),
        key: desired.key.clone(),
        message: format!("{} {whose}. Remove or rename it, or choose another name for this request.", desired.key),
    }
}

fn provision(facts: &Facts, digests: &DigestKey) -> Plan {
    let mut plan = Plan::default();
    let wanted = facts.desired.as_deref().unwrap_or_default();
    let mut order: Vec<&Desired> = wanted.iter().collect();
    order.sort_by_key(|desired| desired.stage);
    let mut taken = BTreeSet::new();
    let mut verdicts = Vec::with_capacity(order.len());
    for desired in order {
        let verdict =
            if taken.insert(desired.key.identity()) { judge(facts, desired, digests, &mut plan) } else { Verdict::Hold(twice(desired)) };
        verdicts.push((desired, verdict));
    }
    plan.inventory = inventory(facts, &verdicts);
    let kept_apart = facts.desired.is_none();
    plan.applied = !kept_apart && facts.pending.is_empty() && verdicts.iter().all(|(_, verdict)| verdict.is_settled());
    plan.healthy = !kept_apart && facts.pending.is_empty() && verdicts.iter().all(|(desired, _)| is_healthy(facts, desired));
    let pending: BTreeSet<String> = facts.pending.iter().map(|pending| resource_of(&pending.id).to_owned()).collect();
    let ids = |is_in: &dyn Fn(&Desired, &Verdict) -> bool| -> BTreeSet<String> {
        let named = verdicts.iter().filter(|(desired, verdict)| is_in(desired, verdict));
        named.map(|(desired, _)| resource_of(&desired.id).to_owned()).chain(pending.iter().cloned()).collect()
    };
    plan.unapplied = ids(&|_, verdict| !verdict.is_settled());
    plan.unhealthy = ids(&|desired, _| !is_healthy(facts, desired));

    collect_holds(facts, &verdicts, &mut plan);
    for (desired, verdict) in &verdicts {
        if let Verdict::Apply(Why::Drift, Some(path)) = verdict {
            plan.drift.push((desired.id.clone(), path.clone()));
        }
    }
    if facts.request.paused {
        plan.holds.push(Hold::Paused);
        return plan;
    }
    if kept_apart {
        return plan;
    }
    let writes = applies(&verdicts, &plan);
    let (jobs, others): (Vec<_>, Vec<_>) = abandoned(facts).into_iter().partition(|item| is_job(&item.id));
    let mut prunes = removals(facts, &jobs, &mut plan);
    if plan.applied && plan.healthy {
        prunes.extend(removals(facts, &others, &mut plan));
    }
    let needs_removal = !verdicts.is_empty() || !facts.pending.is_empty() || facts.unfinished;
    if needs_removal && !facts.request.finalizer {
        plan.actions.push(Action::AddFinalizer);
    }
    if !writes.is_empty() && names_new_objects(facts, &plan.inventory) {
        plan.actions.push(Action::Record { inventory: plan.inventory.clone() });
    }
    spend(facts.budget, writes.into_iter().chain(prunes), &mut plan);
    plan
}

fn twice(desired: &Desired) -> Hold {
    Hold::Foreign {
        id: desired.id.clone(),
        key: desired.key.clone(),
        message: format!("{} is made by two resources of the promise. Its team has to give one of them another name.", desired.key),
    }
}

fn collect_holds(facts: &Facts, verdicts: &[(&Desired, Verdict)], plan: &mut Plan) {
    for (desired, verdict) in verdicts {
        match verdict {
            Verdict::Hold(hold) | Verdict::Postponed(hold) => plan.holds.push(hold.clone()),
            Verdict::Fine(_) | Verdict::Left if !desired.once => {
                let (health, message) = health(facts, &desired.key);
                if health != Health::Healthy {
                    plan.holds.push(Hold::Unhealthy { id: desired.id.clone(), key: desired.key.clone(), message });
                }
            }
            Verdict::Fine(_) | Verdict::Left | Verdict::Apply(..) | Verdict::Later => {}
        }
    }
    for pending in &facts.pending {
        plan.holds.push(Hold::NotYet { id: pending.id.clone(), waits_for: pending.waits_for.clone() });
    }
}

pub(super) fn applies(verdicts: &[(&Desired, Verdict)], plan: &Plan) -> Vec<Action> {
    let contested = plan.holds.iter().any(|hold| matches!(hold, Hold::Foreign { .. }));
    // Objects that a later stage refers to must exist first.
    let stuck = verdicts.iter().filter(|(_, verdict)| matches!(verdict, Verdict::Hold(_))).map(|(desired, _)| desired.stage).min();
    verdicts
        .iter()
        .filter_map(|(desired, verdict)| match verdict {
            Verdict::Apply(why, _) if *why == Why::Drift || !contested => Some((*desired, *why)),
            _ => None,
        })
        .filter(|(desired, why)| *why == Why::Drift || stuck.is_none_or(|stage| desired.stage <= stage))
        .map(|(desired, why)| Action::Apply { id: desired.id.clone(), key: desired.key.clone(), object: desired.object.clone(), why })
        .collect()
}

pub(super) fn names_new_objects(facts: &Facts, inventory: &[InventoryItem]) -> bool {
    let known: BTreeSet<Key> = facts.inventory.iter().map(Key::of_item).collect();
    inventory.iter().any(|item| !known.contains(&Key::of_item(item)))
}

/// Returns the inventory items that the release no longer wants and that no pending object might turn out to be.
pub(super) fn abandoned(facts: &Facts) -> Vec<InventoryItem> {
    let wanted: BTreeSet<_> = facts.desired.iter().flatten().map(|desired| desired.key.identity()).collect();
    facts.inventory.iter().filter(|item| !wanted.contains(&Key::of_item(item).identity())).cloned().collect()
}

pub(super) fn spend(budget: usize, writes: impl Iterator<Item = Action>, plan: &mut Plan) {
    let writes: Vec<Action> = writes.collect();
    let left = writes.len().saturating_sub(budget);
    plan.actions.extend(writes.into_iter().take(budget));
    if left > 0 {
        plan.holds.push(Hold::Budget { left });
    }
}

fn health(facts: &Facts, key: &Key) -> (Health, Option<String>) {
    match facts.at(key) {
        Seen::Present { health, message, .. } => (*health, message.clone()),
        Seen::Absent => (Health::Missing, None),
        Seen::Unknown { .. } => (Health::Unknown, None),
    }
}

/// Checks whether an object is healthy. Whether the Job of a step is, its step says.
fn is_healthy(facts: &Facts, desired: &Desired) -> bool {
    desired.once || health(facts, &desired.key).0 == Health::Healthy
}

/// Returns every object that was created or is about to be, in creation order, as observed.
pub(super) fn inventory(facts: &Facts, verdicts: &[(&Desired, Verdict)]) -> Vec<InventoryItem> {
    let mut items: Vec<InventoryItem> = Vec::new();
    for (desired, verdict) in verdicts {
        // A foreign object never enters the inventory because deletion follows it.
        if matches!(verdict, Verdict::Hold(Hold::Foreign { .. })) {
            continue;
        }
        let item = InventoryItem {
            id: desired.id.clone(),
            destination: desired.key.destination.clone(),
            destination_id: destination_id(facts, desired),
            group: desired.key.group.clone(),
            version: desired.key.version.clone(),
            kind: desired.key.kind.clone(),
            namespace: desired.key.namespace.clone(),
            name: desired.key.name.clone(),
            stage: desired.stage,
            ..InventoryItem::default()
        };
        let known = known(facts, &desired.key);
        // An object that can't be read isn't about to be created: it can only exist if it was recorded before.
        if known.is_none() && matches!(verdict, Verdict::Hold(Hold::Unreachable { .. })) {
            continue;
        }
        // Nothing is created before its step.
        if known.is_none() && matches!(verdict, Verdict::Later) {
            continue;
        }
        let item = InventoryItem { repairs: repairs(facts, &desired.key, verdict, known), ..item };
        let item = match (verdict, known) {
            (Verdict::Fine(kept), _) => InventoryItem { applied: true, kept: kept.clone(), ..item },
            (Verdict::Later, Some(known)) => InventoryItem { applied: known.applied, kept: known.kept.clone(), ..item },
            (Verdict::Left, known) => InventoryItem { applied: true, kept: known.and_then(|known| known.kept.clone()), ..item },
            // What is known of an object isn't forgotten while it can't be read.
            (Verdict::Hold(Hold::Unreachable { .. }), Some(known)) => {
                InventoryItem { uid: known.uid.clone(), hash: known.hash.clone(), kept: known.kept.clone(), ..item }
            }
            _ => item,
        };
        let now = seen_now(facts, &item);
        // That a Job was created isn't forgotten when it is gone: it isn't created again.
        items.push(InventoryItem { applied: now.applied || (desired.once && verdict.is_settled()), ..now });
    }
    for item in abandoned(facts) {
        if remains(facts, &item) {
            items.push(seen_now(facts, &item));
        }
    }
    items.sort_by_key(|item| item.stage);
    items
}

/// Returns the identity of the object's Destination. Once known it stays the same; the cluster behind it can become known later.
fn destination_id(facts: &Facts, desired: &Desired) -> Option<DestinationId> {
    let now = facts.destinations.get(desired.key.destination.as_ref()?);
    let before = known(facts, &desired.key).and_then(|item| item.destination_id.as_ref());
    let is_another = |before: &&DestinationId| now.is_none_or(|now| (&now.cluster, &now.uid) != (&before.cluster, &before.uid));
    before.filter(|before| before.server.is_some() || is_another(before)).or(now).cloned()
}

/// Returns the repair record of an object.
fn repairs(facts: &Facts, key: &Key, verdict: &Verdict, known: Option<&InventoryItem>) -> Option<Repairs> {
    let before = known.and_then(|known| known.repairs);
    if facts.repaired.contains(key) {
        return Some(repair::repaired(before.as_ref(), facts.now));
    }
    match verdict {
        Verdict::Fine(_) => repair::held(before.as_ref(), facts.now),
        Verdict::Left | Verdict::Hold(Hold::Unhealthy { .. }) => before.map(|before| Repairs { contested: true, ..before }),
        Verdict::Apply(..) | Verdict::Hold(_) | Verdict::Postponed(_) | Verdict::Later => before,
    }
}

fn seen_now(facts: &Facts, item: &InventoryItem) -> InventoryItem {
    let key = Key::of_item(item);
    let (health, message) = health(facts, &key);
    let mut item = InventoryItem { health, message, ..item.clone() };
    match facts.at(&key) {
        Seen::Present { object, .. } => {
            item.uid = Some(uid(object)).filter(|uid| !uid.is_empty());
            item.hash = applied_hash(object).map(str::to_owned);
            if let Some(held) = terminating::held(object, facts.now) {
                item.message = Some(held.reason(&key));
            }
        }
        Seen::Absent => {
            item.uid = None;
            item.hash = None;
            item.kept = None;
            item.applied = false;
        }
        Seen::Unknown { why } => item.message = Some(unseen(&key, why)),
    }
    item
}
