//! Whether a request can move to a version as it is, and what is in the way if it can't.

use semver::Version;
use serde::{Deserialize, Serialize};

use crate::preflight::{Preflight, Verdict};
use crate::price::Change;
use crate::problem::Problem;
use crate::state::{RequestState, RequestStates};
use crate::upgrade::Lost;

/// Number of problems that are kept of each request.
const KEPT: usize = 5;

/// What is in the way of an upgrade.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Obstacle {
    /// The request is being deleted.
    Deleting,
    /// It is paused, so no change of it is rolled out.
    Paused,
    /// Another change of it is in progress or undecided.
    Unsettled,
    /// It has failed or is unhealthy.
    Unhealthy,
    /// It runs a newer version.
    Newer {
        /// That version.
        running: String,
    },
    /// The version isn't published.
    Unpublished,
    /// Fields of the version need other values.
    Input {
        /// The first problems.
        problems: Vec<Problem>,
        /// Number of all problems.
        total: usize,
    },
    /// Policies, limits or the promise itself refuse it.
    Refused {
        /// Why, a sentence each.
        reasons: Vec<String>,
    },
    /// It couldn't be checked.
    Unknown {
        /// Why, as a sentence.
        why: String,
    },
    /// The person isn't allowed to change it.
    Denied {
        /// Why, as a sentence.
        why: String,
    },
}

/// What an upgrade does.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outlook {
    /// Whether it waits for approvers.
    pub needs_approval: bool,
    /// Values that the version has no field for.
    pub lost: Vec<Lost>,
    /// How its price changes; absent for a promise without a price.
    pub price: Option<Change>,
}

/// Whether a request can move to a version as it is.
#[derive(Clone, Debug, PartialEq)]
pub enum Readiness {
    /// It is there already.
    There,
    /// It can.
    Ready(Outlook),
    /// It can't.
    Blocked(Obstacle),
}

/// Returns the readiness of a request for `version`, as far as it doesn't depend on its values. `None` if it does.
pub fn unjudged(states: RequestStates, is_paused: bool, running: Option<&str>, version: &str) -> Option<Readiness> {
    let (from, to) = (running.and_then(|running| Version::parse(running).ok()), Version::parse(version).ok());
    let obstacle = match (states.state, from.zip(to)) {
        (RequestState::Deleting, _) => Obstacle::Deleting,
        (RequestState::Ready, Some((from, to))) if from == to && states.change.is_none() => return Some(Readiness::There),
        (_, Some((from, to))) if from > to => Obstacle::Newer { running: running.unwrap_or_default().to_owned() },
        _ if is_paused => Obstacle::Paused,
        (RequestState::Ready, _) if states.change.is_none() => return None,
        (RequestState::Failed | RequestState::Degraded, _) => Obstacle::Unhealthy,
        _ => Obstacle::Unsettled,
    };
    Some(Readiness::Blocked(obstacle))
}

/// Returns the readiness of a request whose upgrade was checked. `lost` are the values that don't move.
pub fn judged(checked: &Preflight, lost: Vec<Lost>) -> Readiness {
    let (input, rest): (Vec<Problem>, Vec<Problem>) = checked.resolved.problems.iter().cloned().partition(is_of_input);
    if !input.is_empty() {
        let total = input.len();
        return Readiness::Blocked(Obstacle::Input { problems: input.into_iter().take(KEPT).collect(), total });
    }
    match checked.verdict {
        Verdict::Refused => {
            let refusals = checked.all_problems();
            let all = if refusals.is_empty() { rest } else { refusals };
            Readiness::Blocked(Obstacle::Refused { reasons: all.into_iter().take(KEPT).map(|problem| problem.message).collect() })
        }
        Verdict::Unknown => {
            let why = checked.unknown.iter().map(|unknown| unknown.why.clone()).next().unwrap_or_default();
            Readiness::Blocked(Obstacle::Unknown { why })
        }
        Verdict::Accepted | Verdict::NeedsApproval => {
            Readiness::Ready(Outlook { needs_approval: checked.verdict == Verdict::NeedsApproval, lost, price: checked.change.clone() })
        }
    }
}

fn is_of_input(problem: &Problem) -> bool {
    problem.path.starts_with(".parameters")
}
