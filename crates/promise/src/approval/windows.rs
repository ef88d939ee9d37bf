//! Overrides of windows: the same Approvals as overrides of approvers, on the policy whose window holds back a change.

use super::count::{self, Turn};
use super::{Matter, Vote, is_answer, rule_of};
use crate::api::{ApprovalState, ApprovalStatus, Approve, Window};
use crate::path::Path;
use crate::policy::{ChangeWindows, Provenance, Ruling};

/// Whether a decision can override a window now. Permissions are checked only for such decisions.
pub fn is_override(from: &Provenance, matter: &Matter<'_>, vote: &Vote<'_>) -> bool {
    vote.spec.emergency && is_answer(from, matter, vote)
}

/// Returns a line for each policy whose windows hold back the content, approved if someone overrides it. Requesters can override windows for
/// their own changes: a window separates times, not people.
pub fn overrides(windows: &[Ruling<Window>], matter: &Matter<'_>, votes: &[Vote<'_>]) -> Vec<ApprovalStatus> {
    let emergencies: Vec<Vote<'_>> = votes.iter().filter(|vote| vote.spec.emergency).cloned().collect();
    let line = |from: &Provenance| {
        let effect = Approve { self_approval: true, same_person: true, ..Approve::default() };
        let ruling = Ruling { from: from.clone(), path: Path::default(), effect };
        let status = count::answer(&ruling, matter, &emergencies, Turn::Since(matter.since), &[]).status;
        let state = if status.state == ApprovalState::Approved { status.state } else { ApprovalState::AwaitingWindow };
        ApprovalStatus { state, window: true, ..status }
    };
    ChangeWindows::blocking(windows).policies().map(line).collect()
}

/// Whether a line says that the policy of a rule is overridden.
pub fn is_overridden(from: &Provenance, line: &ApprovalStatus) -> bool {
    is_line_of(from, line) && line.state == ApprovalState::Approved
}

/// Whether a line is about the policy of a rule.
pub(crate) fn is_line_of(from: &Provenance, line: &ApprovalStatus) -> bool {
    let rule = rule_of(from);
    line.cluster == from.cluster && (&line.rule.policy, &line.rule.promise) == (&rule.policy, &rule.promise)
}
