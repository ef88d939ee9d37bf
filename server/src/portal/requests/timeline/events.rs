//! Events of the control plane as entries of a history, as people read them: fields by their labels, people by their names.

use std::collections::BTreeMap;

use app::view::{Happening, HappeningState};
use k8s_openapi::api::core::v1::Event;
use promise::api::{PromiseRequestStatus, PromiseSpec};
use promise::path::Path;
use promise::people::PeopleNames;
use promise::status::MilestoneReason;
use promise::wording;

use crate::portal::reads::last_seen;
use crate::portal::requests::detail::happening;

/// Names of people, by the usernames that messages contain.
pub(in crate::portal) type Deciders = BTreeMap<String, String>;

/// Returns the names of the people who decided about a request.
pub(in crate::portal) fn deciders(status: &PromiseRequestStatus, names: &PeopleNames) -> Deciders {
    let given = status.approvals.iter().flat_map(|approval| &approval.given);
    given.map(|given| (given.by.clone(), names.of(&given.by).to_owned())).collect()
}

/// Returns an event of the control plane as a history entry.
pub(in crate::portal) fn event(event: &Event, spec: Option<&PromiseSpec>, deciders: &Deciders) -> Happening {
    let at = last_seen(event).map(|time| time.to_string());
    let what = event.message.clone().or_else(|| event.reason.clone()).unwrap_or_default();
    let who = event.reporting_component.clone().unwrap_or_default();
    let what = named(&labelled(what.trim_end_matches('.'), spec), deciders);
    happening(at.unwrap_or_default(), what, &who, state(event))
}

/// Returns how an event is marked. The control plane knows warnings and everything else, which isn't always done: an approval can be missing.
fn state(event: &Event) -> HappeningState {
    use MilestoneReason::{ApprovalNeeded, Deleting, DeletionWaits, PolicyOutdated, Queued, Refused, Rejected};
    let is = |reasons: &[MilestoneReason]| reasons.iter().any(|reason| event.reason.as_deref() == Some(reason.word()));
    match event.type_.as_deref() {
        _ if is(&[ApprovalNeeded, Queued, DeletionWaits]) => HappeningState::Waiting,
        _ if is(&[Rejected, Refused]) => HappeningState::Refused,
        _ if is(&[Deleting]) => HappeningState::Deleting,
        _ if is(&[PolicyOutdated]) => HappeningState::Neutral,
        Some("Warning") => HappeningState::Warning,
        _ => HappeningState::Done,
    }
}

/// Replaces the paths in a controller message with the labels of the fields: `.parameters.host: …` becomes `Host: …`.
pub(super) fn labelled(message: &str, spec: Option<&PromiseSpec>) -> String {
    let unknown = PromiseSpec::default();
    let spec = spec.unwrap_or(&unknown);
    let words = message.split(' ').map(|word| {
        let path = word.strip_prefix(".parameters").and_then(|rest| rest.strip_suffix(':'));
        let path = path.and_then(|path| Path::parse(path).ok()).filter(|path| !path.0.is_empty());
        path.map_or_else(|| word.to_owned(), |path| format!("{}:", wording::label(spec, &path)))
    });
    words.collect::<Vec<_>>().join(" ")
}

/// Replaces usernames in a controller message with names where people are the subject of a sentence: `amara and olga approved it`. A group
/// or a policy of the same name stays as it is.
fn named(message: &str, deciders: &Deciders) -> String {
    let mut is_subject = true;
    let words = message.split(' ').map(|word| {
        let username = word.trim_end_matches(',');
        let name = deciders.get(username).filter(|_| is_subject);
        let shown = name.map_or_else(|| word.to_owned(), |name| format!("{name}{}", word.strip_prefix(username).unwrap_or_default()));
        // A sentence begins after a full stop, and after the word for an override.
        is_subject = word.ends_with(['.', ':']) || (is_subject && (name.is_some() || word == "and"));
        shown
    });
    words.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn recorded(kind: &str, reason: &str) -> Event {
        Event { type_: Some(kind.to_owned()), reason: Some(reason.to_owned()), ..Event::default() }
    }

    #[test]
    fn a_missing_approval_is_waiting_and_not_done() {
        for (kind, reason, expected) in [
            ("Normal", "ApprovalNeeded", HappeningState::Waiting),
            ("Normal", "Approved", HappeningState::Done),
            ("Warning", "Rejected", HappeningState::Refused),
            ("Warning", "Degraded", HappeningState::Warning),
            ("Normal", "Deleting", HappeningState::Deleting),
            ("Normal", "Pulled", HappeningState::Done),
        ] {
            assert_eq!(event(&recorded(kind, reason), None, &Deciders::new()).state, expected, "{reason}");
        }
    }

    #[test]
    fn people_read_labels_and_not_paths() {
        let message = ".parameters.retentionDays: Enter a whole number. .parameters.hosts[1]: Enter a host name";
        assert_eq!(labelled(message, None), "Retention days: Enter a whole number. Hosts 2: Enter a host name");
        assert_eq!(labelled("see .parameters and: nothing.", None), "see .parameters and: nothing.");
    }

    #[test]
    fn people_who_decided_are_named_where_they_act() {
        let names = [("approver", "Amara Okafor"), ("owner", "Olga Brandt"), ("operations", "Otto Peters")];
        let deciders: Deciders = names.into_iter().map(|(username, name)| (username.to_owned(), name.to_owned())).collect();
        for (message, expected) in [
            (
                "approver, operations and owner approved it (the rule prices of the policy big at root:acme, owned by operations).",
                "Amara Okafor, Otto Peters and Olga Brandt approved it (the rule prices of the policy big at root:acme, owned by operations).",
            ),
            ("EMERGENCY: owner overrode the window (the rule nights)", "EMERGENCY: Olga Brandt overrode the window (the rule nights)"),
            ("An approval is missing. Members of operations can decide", "An approval is missing. Members of operations can decide"),
            (
                "It waits. owner requested it, and this rule needs someone else",
                "It waits. Olga Brandt requested it, and this rule needs someone else",
            ),
        ] {
            assert_eq!(named(message, &deciders), expected);
        }
    }
}
