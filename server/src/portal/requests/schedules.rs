//! The schedules of policies that run actions of a request.

use app::view::ScheduleLine;
use cluster::kinds::PromiseRequest;
use promise::api::{PromiseSpec, ScheduleStatus};
use promise::schedule;

use crate::portal::Caller;

/// Returns the schedules that its status lists.
pub(super) fn of(caller: &Caller, request: &PromiseRequest, spec: Option<&PromiseSpec>) -> Vec<ScheduleLine> {
    let line = |known: &ScheduleStatus| {
        let action = spec.and_then(|spec| spec.actions.get(&known.action));
        let text = |text: &Option<String>| text.clone().unwrap_or_default();
        ScheduleLine {
            action: action.map_or(known.action.as_str(), |action| action.title(&known.action)).to_owned(),
            when: schedule::when(known),
            title: if known.own { known.policy.clone() } else { caller.policy_title(&known.source, &known.policy) },
            policy: known.policy.clone(),
            rule: known.rule.clone(),
            source: known.source.clone(),
            own: known.own,
            next: if request.spec.paused { String::new() } else { text(&known.next_at) },
            last: text(&known.last_at),
            run: text(&known.last_run),
            missed: known.missed,
        }
    };
    request.status.iter().flat_map(|status| &status.schedules).map(line).collect()
}
