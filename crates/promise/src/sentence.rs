//! The one sentence on top of a request: who holds the ball, since when, and what happens next. Types and wording only; the browser uses it.

use serde::{Deserialize, Serialize};

use crate::api::{Phase, PromiseRequestStatus, WaitingKind};
use crate::wording::upper_first;

/// Begins what waits for whoever made the request.
pub(crate) const REQUESTER: &str = "the requester: ";
/// Begins what waits for somebody who may decide.
pub(crate) const APPROVER: &str = "an approver: ";
/// Begins what waits for those who wrote the promise.
pub(crate) const AUTHORS: &str = "the authors of the promise: ";

/// The word for whoever made the request.
const YOU: &str = "You";

/// The sentence and its parts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Ball {
    /// Who: a word or two, such as `You` or `The platform`.
    pub who: String,
    /// The sentence, without a full stop.
    pub what: String,
    /// RFC 3339 time since when; the page says it as a span.
    pub since: Option<String>,
    /// What usually comes next, as a sentence without a full stop.
    pub next: Option<String>,
    /// Sort of thing that is waited for.
    pub kind: WaitingKind,
}

impl Ball {
    /// Whether it is whoever made the request, and nobody else, who has to do something.
    pub fn is_requesters(&self) -> bool {
        self.who == YOU
    }
}

/// Who holds the ball of a request with this status; `None` stands for a status that nobody has written yet.
pub fn ball(status: Option<&PromiseRequestStatus>) -> Ball {
    let Some(status) = status else {
        return Ball {
            who: "The platform".into(),
            what: "The controller has not looked at this request yet".into(),
            since: None,
            next: Some("It usually does so within a second".into()),
            kind: WaitingKind::Controller,
        };
    };
    let waiting = status.waiting_on.as_ref();
    let kind = waiting.map_or(WaitingKind::Nothing, |waiting| waiting.kind);
    let (who, next) = match waiting {
        Some(waiting) if waiting.what.starts_with(AUTHORS) => {
            ("The team that offers the promise", Some("They publish a version that works; then edit the request to use it"))
        }
        // Whatever the phase: while approvers wait for the requester, nothing else goes on.
        Some(waiting) if waiting.kind == WaitingKind::Person && waiting.what.starts_with(REQUESTER) => {
            (YOU, Some("Edit the request; it is checked again at once"))
        }
        Some(waiting) if waiting.what.starts_with(APPROVER) => ("An approver", Some("It is made as soon as the approval is there")),
        _ => parts(status.phase, kind),
    };
    let what = match waiting.filter(|waiting| waiting.kind != WaitingKind::Nothing && !waiting.what.is_empty()) {
        Some(waiting) => waited_for(status.phase, waiting.kind, &waiting.what),
        None => settled(status.phase).to_owned(),
    };
    Ball {
        who: who.to_owned(),
        what,
        since: waiting.and_then(|waiting| waiting.since.clone()).or_else(|| settled_since(status)),
        next: next.map(str::to_owned),
        kind,
    }
}

fn waited_for(phase: Phase, kind: WaitingKind, what: &str) -> String {
    match kind {
        WaitingKind::Person => match [REQUESTER, AUTHORS, APPROVER].iter().find_map(|who| what.strip_prefix(who)) {
            Some(rest) => upper_first(rest),
            None => upper_first(what),
        },
        WaitingKind::Step if phase == Phase::Failed => format!("It failed while it waited until {what}"),
        // What an object says of itself stands after the colon, and may use the same words.
        WaitingKind::Step if what.split(": ").next().is_some_and(|step| step.contains(" waits for ")) => upper_first(what),
        WaitingKind::Step => format!("Waits until {what}"),
        WaitingKind::Controller | WaitingKind::Capacity | WaitingKind::Nothing => upper_first(what),
    }
}

fn parts(phase: Phase, kind: WaitingKind) -> (&'static str, Option<&'static str>) {
    match (kind, phase) {
        (WaitingKind::Person, Phase::AwaitingApproval) => ("An approver", Some("It is made as soon as the approval is there")),
        (WaitingKind::Person, _) => (YOU, Some("Edit the request; it is checked again at once")),
        (WaitingKind::Step, Phase::Failed) => (YOU, Some("Edit the request, or ask the team that offers the promise")),
        (WaitingKind::Step | WaitingKind::Nothing, Phase::Deleting) => {
            ("The platform", Some("The request disappears when everything is gone"))
        }
        (WaitingKind::Step, _) => ("The platform", Some("Nothing is needed from you")),
        (WaitingKind::Controller, _) => ("The platform", Some("Nothing is needed from you")),
        (WaitingKind::Capacity, _) => ("Capacity", Some("It goes on as soon as there is room")),
        (WaitingKind::Nothing, Phase::Ready) => ("Nobody", None),
        (WaitingKind::Nothing, Phase::Failed | Phase::Rejected) => (YOU, Some("Edit the request; it is checked again at once")),
        (WaitingKind::Nothing, _) => ("The platform", None),
    }
}

fn settled(phase: Phase) -> &'static str {
    match phase {
        Phase::Ready => "It is ready, and nothing is left to do",
        Phase::Pending => "The controller looks at the request",
        Phase::AwaitingApproval => "An approver decides",
        Phase::Provisioning => "It is being made",
        Phase::Degraded => "It runs, and not everything works",
        Phase::Updating => "A change is being rolled out",
        Phase::Failed => "It cannot go on without a change",
        Phase::Rejected => "It was refused",
        Phase::Deleting => "It is being removed",
    }
}

fn settled_since(status: &PromiseRequestStatus) -> Option<String> {
    let healthy = status.conditions.iter().find(|condition| condition.r#type == "Healthy")?;
    healthy.last_transition_time.clone().filter(|_| status.phase == Phase::Ready)
}
