//! The data of a request that is counted.

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use cluster::kinds::PromiseRequest;
use cluster::person;
use cluster::usage::in_force;
use cluster::watch::Key;
use jiff::Timestamp;
use promise::api::{Condition, ConditionStatus, CurrentStatus, PolicyResult};
use promise::state::RequestStates;
use promise::wording;

use super::Dated;
use super::counts::{Of, Outcome};
use crate::portal::requests::rows;

/// Conditions in the order in which they can block a request.
const STEPS: [&str; 5] = ["Accepted", "PoliciesSatisfied", "Approved", "Applied", "Healthy"];
/// 1970 began on a Thursday: the number of days since Monday.
const THURSDAY: i64 = 3;
const DAY: i64 = 86_400;

/// A request as it is counted.
pub(super) struct Entry<'r> {
    pub(super) dated: Dated,
    pub(super) requester: String,
    /// Whether it needs the requester's attention.
    pub(super) needy: bool,
    pub(super) states: RequestStates,
    /// The Monday of the week in which it was created, in days since 1970.
    pub(super) week: Option<i64>,
    pub(super) outcome: Outcome,
    /// Why it doesn't continue or has failed.
    pub(super) reason: Option<String>,
    /// Since when it has been waiting for a decision, in seconds since 1970.
    pub(super) waits: Option<i64>,
    pub(super) of: Of,
    /// Seconds from the acceptance of what is running until it was Ready for the first time. `None` before that, and if it wasn't recorded.
    pub(super) took: Option<i64>,
    /// Version that is running.
    pub(super) version: Option<&'r str>,
    /// Whether it runs under different rules, or at a different price, than it would be accepted with today.
    pub(super) outdated: bool,
    /// Whether a policy denies it.
    pub(super) denied: bool,
    /// Whether a policy allowed it with a warning, or recorded it.
    pub(super) warned: bool,
    /// Whether one of its releases is accepted.
    pub(super) accepted: bool,
    /// Destinations with its objects, each by its home workspace and name.
    pub(super) destinations: BTreeSet<(String, String)>,
    /// A number that differs for each state of each request.
    pub(super) stamp: u64,
}

impl<'r> Entry<'r> {
    pub(super) fn of(key: &Key, request: &'r PromiseRequest) -> Self {
        let status = request.status.as_ref();
        let states = rows::states(request);
        let made = request.metadata.creation_timestamp.as_ref().map(|time| time.0.as_second());
        let current = status.and_then(|status| status.current.as_ref());
        let conditions = status.map(|status| status.conditions.as_slice()).unwrap_or_default();
        let waiting = || {
            let since = status.and_then(|status| second(status.waiting_on.as_ref()?.since.as_deref()?));
            since.or(made).unwrap_or_default()
        };
        let came_to = |result: PolicyResult| status.is_some_and(|status| status.policies.iter().any(|outcome| outcome.result == result));
        let mut stamp = DefaultHasher::new();
        (key, &request.metadata.uid, &request.metadata.resource_version).hash(&mut stamp);
        Self {
            dated: (Reverse(made.unwrap_or_default()), key.clone()),
            requester: person::requester(request).to_string(),
            needy: rows::status_sentence(request).is_requesters(),
            states,
            week: made.map(|made| monday(made.div_euclid(DAY))),
            outcome: Outcome::of(states.state),
            reason: Outcome::of(states.state).fails().then(|| reason(conditions)),
            waits: states.awaits_approval().then(waiting),
            of: Of::named(&request.spec.promise),
            took: current.and_then(took),
            version: current.map(|current| current.version.as_str()),
            outdated: status.is_some_and(|status| status.outdated.is_some()),
            denied: came_to(PolicyResult::Denied),
            warned: came_to(PolicyResult::Warned),
            accepted: in_force(request).is_some(),
            destinations: destinations(request),
            stamp: stamp.finish(),
        }
    }
}

fn destinations(request: &PromiseRequest) -> BTreeSet<(String, String)> {
    let inventory = request.status.as_ref().map(|status| status.inventory.as_slice()).unwrap_or_default();
    inventory.iter().filter_map(|item| Some((item.destination_id.as_ref()?.cluster.clone(), item.destination.clone()?))).collect()
}

/// Returns the Monday of the week of a day. Both in days since 1970.
pub(in crate::portal) fn monday(day: i64) -> i64 {
    day - (day + THURSDAY).rem_euclid(7)
}

/// Describes the first condition that blocks the request.
fn reason(conditions: &[Condition]) -> String {
    let against = |name: &&str| conditions.iter().find(|known| known.r#type == **name && known.status == ConditionStatus::False);
    STEPS.iter().find_map(against).map_or_else(|| "Other".to_owned(), |known| wording::humanise(&known.reason))
}

/// Returns how long it took. Later failures are outages and not included.
fn took(current: &CurrentStatus) -> Option<i64> {
    let (accepted, ready) = (second(current.accepted_at.as_deref()?)?, second(current.ready_at.as_deref()?)?);
    // The clocks of two controllers might differ.
    Some(ready - accepted).filter(|took| *took >= 0)
}

fn second(time: &str) -> Option<i64> {
    time.parse::<Timestamp>().ok().map(Timestamp::as_second)
}
