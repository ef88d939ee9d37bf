//! Who changed a policy: what the portal noted about its own changes, and what the object on the control plane shows about others.

use app::view::{PolicyDeed, PolicyHistoryLine};
use cluster::ClusterId;
use jiff::{SignedDuration, Timestamp};
use kube::api::{DynamicObject, ObjectMeta};
use promise::api::{AppliesTo, Enforcement, PolicySpec};
use promise::policy::{self, PolicyChange};
use promise::{identity, names};
use serde_json::Value;
use store::{PolicyChangeEntry, PolicyChangeKind};

use super::list;
use super::promises::Promises;
use crate::portal::Caller;
use crate::portal::write::{WriteOperation, WriteTarget};

/// Difference between the clocks of portal and control plane within which two times are about the same change.
const SAME: SignedDuration = SignedDuration::from_secs(10);

/// Notes a change that this user made. The log has a record in any case, so a database that doesn't respond stops no one.
pub(super) async fn note(caller: &Caller, (cluster, name): (&ClusterId, &str), kind: PolicyChangeKind, changes: &[PolicyChange]) {
    let portal = caller.portal();
    let entry = PolicyChangeEntry {
        person: caller.identity().person.to_string(),
        kind,
        detail: serde_json::to_string(changes).unwrap_or_default(),
        at: portal.clock.now(),
    };
    let id = caller.new_draft_id();
    let write = caller.write(WriteOperation::NotePolicyChange, WriteTarget::in_workspace("Policy", cluster, name));
    let noted = write.remember(portal.store.add_policy_change(&id, (cluster.as_str(), name), &entry), |()| true).await;
    if let Err(error) = noted {
        tracing::warn!(%error, "the change of a policy could not be noted");
    }
}

/// Returns what changed between two states of an object. Empty if one of them can't be read.
pub(super) fn between(before: &DynamicObject, after: &DynamicObject) -> Vec<PolicyChange> {
    match (spec(before), spec(after)) {
        (Some(before), Some(after)) => policy::changes(&before, &after),
        _ => Vec::new(),
    }
}

fn spec(object: &DynamicObject) -> Option<PolicySpec> {
    serde_json::from_value(object.data.get("spec")?.clone()).ok()
}

/// Returns the history of a policy, newest first, and whether the portal's own part could be read.
pub(super) async fn of(
    caller: &Caller,
    (cluster, name): (&ClusterId, &str),
    metadata: &ObjectMeta,
    promises: &Promises,
) -> (Vec<PolicyHistoryLine>, bool) {
    let noted = caller.portal().store.policy_changes(cluster.as_str(), name).await;
    let noted = noted.inspect_err(|error| tracing::warn!(%error, "the changes of a policy cannot be read"));
    let (noted, is_known) = (noted.as_deref().unwrap_or_default(), noted.is_ok());
    let mut lines: Vec<(Timestamp, PolicyHistoryLine)> = noted.iter().map(|entry| (entry.at, of_entry(entry, promises))).collect();
    lines.extend(of_object(metadata, noted).into_iter().map(|(at, did)| {
        let line = PolicyHistoryLine { at: at.to_string(), did, ..PolicyHistoryLine::default() };
        (at, line)
    }));
    lines.sort_by_key(|(at, _)| std::cmp::Reverse(*at));
    (lines.into_iter().map(|(_, line)| line).collect(), is_known)
}

/// Returns what the object shows and the portal didn't note: its creation, and the last change with each tool.
fn of_object(metadata: &ObjectMeta, noted: &[PolicyChangeEntry]) -> Vec<(Timestamp, PolicyDeed)> {
    let is_noted = |at: Timestamp, only_creation: bool| {
        noted
            .iter()
            .filter(|entry| !only_creation || entry.kind == PolicyChangeKind::Created)
            .any(|entry| entry.at.duration_since(at).abs() <= SAME)
    };
    let created = metadata.creation_timestamp.as_ref().map(|time| time.0);
    let mut found: Vec<(Timestamp, PolicyDeed)> =
        created.filter(|at| !is_noted(*at, true)).map(|at| (at, PolicyDeed::Created)).into_iter().collect();
    for entry in metadata.managed_fields.iter().flatten().filter(|entry| entry.subresource.is_none()) {
        let writes_spec = entry.fields_v1.as_ref().is_some_and(|fields| fields.0.get("f:spec").is_some_and(Value::is_object));
        let (Some(at), true) = (entry.time.as_ref().map(|time| time.0), writes_spec) else { continue };
        let at_creation = created.is_some_and(|created| created.duration_since(at).abs() <= SAME);
        if at_creation || is_noted(at, false) {
            continue;
        }
        match entry.manager.as_deref() {
            Some(names::MANAGER_PORTAL) | None => found.push((at, PolicyDeed::Changed)),
            Some(tool) => found.push((at, PolicyDeed::ChangedWith(tool.to_owned()))),
        }
    }
    found
}

fn of_entry(entry: &PolicyChangeEntry, promises: &Promises) -> PolicyHistoryLine {
    let changes: Vec<PolicyChange> = serde_json::from_str(&entry.detail).unwrap_or_default();
    PolicyHistoryLine {
        at: entry.at.to_string(),
        by: identity::username_of(&entry.person).to_owned(),
        did: match entry.kind {
            PolicyChangeKind::Created => PolicyDeed::Created,
            PolicyChangeKind::Changed => PolicyDeed::Changed,
            PolicyChangeKind::Disabled => PolicyDeed::Disabled,
            PolicyChangeKind::Enabled => PolicyDeed::Enabled,
            PolicyChangeKind::Deleted => PolicyDeed::Deleted,
        },
        changes: changes.iter().map(|change| in_words(change, promises)).collect(),
    }
}

/// Returns a change as a sentence.
pub(super) fn in_words(change: &PolicyChange, promises: &Promises) -> String {
    match change {
        PolicyChange::RuleAdded { sentence, .. } => format!("New rule: {sentence}"),
        PolicyChange::RuleRemoved { sentence, .. } => format!("Removed rule: {sentence}"),
        PolicyChange::RuleChanged { rule, before, after } if before == after => format!("Changed the details of the rule {rule}: {after}"),
        PolicyChange::RuleChanged { before, after, .. } => format!("Changed rule: {after} Before: {before}"),
        PolicyChange::Scope { before, after } => {
            let words = |range: &AppliesTo| format!("{}, {}", promises.in_words(&range.promises), list::of_range(range, "all workspaces"));
            format!("Scope: {}. Before: {}.", words(after), words(before))
        }
        PolicyChange::Enforcement { before, after } => format!("Enforcement: {}. Before: {}.", enforcement(*after), enforcement(*before)),
        PolicyChange::Texts => "Changed title, reason, category or owner.".to_owned(),
    }
}

fn enforcement(enforcement: Enforcement) -> &'static str {
    match enforcement {
        Enforcement::Block => "block",
        Enforcement::Warn => "warn",
        Enforcement::Audit => "record",
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn metadata(managers: &[(&str, &str, &str)]) -> ObjectMeta {
        let entry = |(manager, time, field): &(&str, &str, &str)| json!({"manager": manager, "time": time, "operation": "Update", "apiVersion": "v1", "fieldsType": "FieldsV1", "fieldsV1": {*field: {"f:rules": {}}}});
        let managers: Vec<_> = managers.iter().map(entry).collect();
        serde_json::from_value(json!({"creationTimestamp": "2026-11-01T08:00:00Z", "managedFields": managers})).unwrap()
    }

    fn noted(kind: PolicyChangeKind, at: &str) -> PolicyChangeEntry {
        PolicyChangeEntry { person: "org-owner".into(), kind, detail: "[]".into(), at: at.parse().unwrap() }
    }

    #[test]
    fn only_what_the_portal_did_not_note_is_taken_from_the_object() {
        let managers = [
            (names::MANAGER_PORTAL, "2026-11-03T09:00:02Z", "f:spec"),
            ("kubectl-edit", "2026-11-04T09:00:00Z", "f:spec"),
            ("opm-controller", "2026-11-05T09:00:00Z", "f:status"),
        ];
        let tool = PolicyDeed::ChangedWith("kubectl-edit".into());
        let deeds =
            |noted: &[PolicyChangeEntry]| of_object(&metadata(&managers), noted).into_iter().map(|(_, did)| did).collect::<Vec<_>>();
        assert_eq!(deeds(&[]), [PolicyDeed::Created, PolicyDeed::Changed, tool.clone()]);
        let changed = noted(PolicyChangeKind::Changed, "2026-11-03T09:00:00Z");
        let created = noted(PolicyChangeKind::Created, "2026-11-01T08:00:01Z");
        assert_eq!(deeds(&[changed, created]), [tool]);
    }
}
