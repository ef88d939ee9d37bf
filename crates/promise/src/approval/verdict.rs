//! What an Approval says of itself: read back from the status of its request, which tells of every decision that was heard.
//!
//! The request has the last word, so that a decision never says that it counts where it does not. What no request has heard of, because it
//! names something that nobody asks about, is told by comparison.

use super::{concerns, is_for, words};
use crate::api::{
    ApprovalSpec, ApprovalStatus, ApprovedRequest, CandidateState, Decision, DecisionState, DecisionStatus, GivenApproval,
    PromiseRequestStatus,
};

/// An Approval as it lies on the plane.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Written<'a> {
    /// Its name.
    pub name: &'a str,
    /// Logical cluster id of the workspace where it lies.
    pub cluster: &'a str,
    /// What it says.
    pub spec: &'a ApprovalSpec,
    /// What it was said to have become.
    pub before: Option<&'a DecisionStatus>,
}

/// The request with the uid that an Approval names.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Asked<'a> {
    /// Which it is; its cluster is always said.
    pub request: &'a ApprovedRequest,
    /// What was last said about it.
    pub status: &'a PromiseRequestStatus,
}

/// What became of a decision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// One word.
    pub state: DecisionState,
    /// Why, as a sentence.
    pub message: String,
    /// Whether the request itself tells it. What is told by comparison may be told of a status that is behind.
    pub heard: bool,
}

/// What became of a decision; nothing while its request has not heard of it, and where nothing is to be added to what was said.
pub fn verdict(written: &Written<'_>, asked: Option<&Asked<'_>>) -> Option<Verdict> {
    let named = &written.spec.request;
    let Some(Asked { request, status }) = asked else {
        let place = format!("{}/{}", named.namespace, named.name);
        return over(written, format!("There is no request {place} with the uid {}.", named.uid));
    };
    if !concerns(written.spec, request) {
        let place = format!("{}/{}", request.namespace, request.name);
        return over(written, format!("The request with the uid {} is {place}, and this names another.", named.uid));
    }
    let of_rule = |line: &&ApprovalStatus| is_for(&line.rule, &line.cluster, &line.cluster, written.spec);
    let lines = || status.approvals.iter().filter(of_rule);
    let here = || lines().filter(|line| line.cluster == written.cluster);
    if let Some(given) = here().flat_map(|line| &line.given).filter(|given| given.approval == written.name).max_by_key(|given| given.state)
    {
        return Some(Verdict { state: given.state, message: told(given, written.spec), heard: true });
    }
    let thing = words::thing(&written.spec.rule);
    if let (Some(line), None) = (lines().next(), here().next()) {
        let why = format!("Decisions about {thing} lie in {}, where it is set; this one lies elsewhere.", line.source);
        return over(written, why);
    }
    if here().next().is_none() {
        // While a request is refused, nobody is asked; what was decided about what it wants counts again afterwards.
        let pauses = status.approvals.is_empty() && status.question.as_ref().is_some_and(|q| q.content_hash == written.spec.content_hash);
        let why = format!("No rule {} of {thing} asks about {} now.", written.spec.rule.name, request.name);
        return if pauses { None } else { over(written, why) };
    }
    match &status.candidate {
        // It is heard in a moment.
        Some(candidate) if candidate.state != CandidateState::Accepted => None,
        _ => {
            let asks = here().flat_map(|line| &line.given).find(|given| given.state == DecisionState::Counts);
            let decided = asks.map(|given| given.content_hash.as_str()).unwrap_or_default();
            let why = if decided == written.spec.content_hash {
                format!("It came after it was decided: nothing of {} waits for anybody.", request.name)
            } else {
                let hash = words::short(&written.spec.content_hash);
                format!("It names the content {hash}, about which nobody asks: nothing of {} waits for anybody.", request.name)
            };
            over(written, why)
        }
    }
}

/// Something that does not count, or not any more; nothing where that was said before, with a reason of its own.
fn over(written: &Written<'_>, message: String) -> Option<Verdict> {
    let state = match written.before.map(|before| before.state) {
        Some(DecisionState::Void | DecisionState::Superseded) => return None,
        Some(DecisionState::Counts) => DecisionState::Superseded,
        Some(DecisionState::Pending) | None => DecisionState::Void,
    };
    Some(Verdict { state, message, heard: false })
}

fn told(given: &GivenApproval, spec: &ApprovalSpec) -> String {
    if let Some(why) = &given.void {
        return why.clone();
    }
    let thing = words::thing(&spec.rule);
    match (spec.emergency, spec.decision) {
        (true, _) => format!("It counts: the glass is broken for {thing}."),
        (false, Decision::Approve) => format!("It counts for the rule {} of {thing}.", spec.rule.name),
        (false, Decision::Reject) => "It counts: the request is turned down.".to_owned(),
        (false, Decision::RequestChanges) => "It counts: whoever asked has to change something.".to_owned(),
    }
}
