//! Runs of actions as entries of the history of their request: who requested them, what people decided about their steps, how they ended.

use std::collections::HashMap;
use std::sync::Arc;

use app::routes;
use app::view::{Happening, HappeningState};
use cluster::kinds::{Approval, PromiseAction, PromiseRequest};
use cluster::person;
use cluster::watch::Key;
use kube::ResourceExt as _;
use promise::Result;
use promise::api::{ActionPhase, ApprovalStatus, Decision, DecisionState, GivenApproval, PromiseSpec};
use promise::wording::lower_first;
use promise::workflow::action_label;

use super::list;
use crate::portal::Caller;
use crate::portal::place::Workspace;
use crate::portal::requests::detail::{deed, happening};
use crate::portal::requests::timeline;
use crate::portal::rights::Right;

/// Number of runs that a history includes, the newest ones.
const RUNS: usize = 50;

/// What a history says of the runs of a request.
#[derive(Debug, Default)]
pub(in crate::portal) struct RunHistory {
    /// Entries of the newest runs.
    pub(in crate::portal) entries: Vec<Happening>,
    /// Number of earlier runs, which have no entries.
    pub(in crate::portal) earlier: usize,
}

/// Decisions by the cluster and the name of their Approvals.
type Decisions = HashMap<(String, String), Arc<Approval>>;

/// Returns the runs of a request as entries of its history. `spec` is the promise as the request uses it. People who can't list runs see
/// none.
///
/// # Errors
/// If the control plane doesn't respond.
pub(in crate::portal) async fn history(
    caller: &Caller,
    workspace: &Workspace,
    request: &PromiseRequest,
    spec: Option<&PromiseSpec>,
) -> Result<RunHistory> {
    let namespace = request.namespace().unwrap_or_default();
    if !caller.may(&workspace.cluster, Right::runs("list", &namespace)).await? {
        return Ok(RunHistory::default());
    }
    let portal = caller.portal();
    let key = Key::new(workspace.cluster.clone(), namespace.as_str(), request.name_any());
    let (runs, total) = portal.runs.of(&portal.world, &key, 0, RUNS);
    if runs.is_empty() {
        return Ok(RunHistory::default());
    }
    let decisions = portal.approval_index.of_request(&portal.world, request.metadata.uid.as_deref().unwrap_or_default());
    let decisions: Decisions = decisions.into_iter().map(|(at, decision)| ((at.cluster.to_string(), at.name.clone()), decision)).collect();
    let entries = runs.iter().flat_map(|run| {
        let href = routes::run(workspace.path.as_str(), &namespace, &key.name, &run.name_any());
        of_run(run, &list::line(spec, run).title, &href, &decisions)
    });
    Ok(RunHistory { entries: entries.collect(), earlier: total.saturating_sub(runs.len()) })
}

fn of_run(run: &PromiseAction, title: &str, href: &str, decisions: &Decisions) -> Vec<Happening> {
    let phase = run.status.as_ref().map(|status| status.phase).unwrap_or_default();
    let mut entries = Vec::new();
    if let Some(created) = &run.metadata.creation_timestamp {
        let who = run.spec.requester.as_ref().map(|requester| requester.username.as_str()).unwrap_or_default();
        let requested = deed(created.0.to_string(), format!("{title} requested"), who, open(phase));
        entries.push(Happening { href: href.to_owned(), no_change: true, ..requested });
    }
    let lines = run.status.iter().flat_map(|status| &status.steps).filter_map(|step| step.approval.as_deref());
    entries.extend(lines.flat_map(|line| line.given.iter().filter_map(|given| decided(line, given, title, decisions))));
    let finished = run.status.as_ref().and_then(|status| status.finished_at.clone());
    if let Some((at, state)) = finished.zip(ended(phase)) {
        let ended = happening(at, format!("{title} {}", lower_first(action_label(phase))), "the platform", state);
        entries.push(Happening { href: href.to_owned(), no_change: phase == ActionPhase::Refused, ..ended });
    }
    entries
}

/// Returns how the request for a run is marked.
fn open(phase: ActionPhase) -> HappeningState {
    match phase {
        ActionPhase::Pending => HappeningState::Waiting,
        ActionPhase::Running => HappeningState::InProgress,
        ActionPhase::Succeeded | ActionPhase::Failed | ActionPhase::Refused | ActionPhase::Cancelled => HappeningState::Done,
    }
}

/// Returns how the end of a run is marked. Nothing if it isn't over.
fn ended(phase: ActionPhase) -> Option<HappeningState> {
    match phase {
        ActionPhase::Pending | ActionPhase::Running => None,
        ActionPhase::Succeeded => Some(HappeningState::Done),
        ActionPhase::Failed => Some(HappeningState::Warning),
        ActionPhase::Refused => Some(HappeningState::Refused),
        ActionPhase::Cancelled => Some(HappeningState::Neutral),
    }
}

/// Returns the entry for a decision about a step. Caches keep what people wrote with the decision alone, not with the run.
fn decided(line: &ApprovalStatus, given: &GivenApproval, title: &str, decisions: &Decisions) -> Option<Happening> {
    let mut what = match given.decision {
        Decision::Approve if given.emergency => format!("{title} approved with an override"),
        Decision::Approve => format!("{title} approved"),
        Decision::Reject => format!("{title} rejected"),
        Decision::RequestChanges => format!("Changes to {title} requested"),
        Decision::Skip => format!("A step of {title} skipped"),
    };
    if matches!(given.state, DecisionState::Void | DecisionState::Superseded) {
        what.push_str(" (doesn't count)");
    }
    let written = decisions.get(&(line.cluster.clone(), given.approval.clone()));
    if let Some(comment) = written.and_then(|written| written.spec.comment.as_deref()).filter(|comment| !comment.is_empty()) {
        what = format!("{what}: {comment}");
    }
    let entry = deed(given.at.clone()?, what, person::giver(line, given).username(), timeline::decision(given));
    Some(Happening { no_change: true, ..entry })
}

#[cfg(test)]
mod tests {
    use cluster::kinds::{ApprovalKind, PromiseActionKind, object};
    use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
    use promise::api::{ApprovalSpec, PromiseActionSpec, PromiseActionStatus, Requester, StepStatus};

    use super::*;

    fn run(phase: ActionPhase, finished: Option<&str>, given: Vec<GivenApproval>) -> PromiseAction {
        let requester = Requester { username: "dana".into(), ..Requester::default() };
        let spec = PromiseActionSpec { action: "restore".into(), requester: Some(requester), ..PromiseActionSpec::default() };
        let mut run = object::<PromiseActionKind>("db-restore-1", Some("default"), spec);
        run.metadata.creation_timestamp = Some(Time("2026-11-21T11:00:00Z".parse().unwrap()));
        let line = ApprovalStatus { cluster: "acme".into(), given, ..ApprovalStatus::default() };
        let steps = vec![StepStatus { id: "policy-1".into(), approval: Some(Box::new(line)), ..StepStatus::default() }];
        run.status = Some(PromiseActionStatus { phase, steps, finished_at: finished.map(str::to_owned), ..PromiseActionStatus::default() });
        run
    }

    fn lines(run: &PromiseAction, decisions: &Decisions) -> Vec<(String, String, HappeningState)> {
        let entries = of_run(run, "Restore", "/run", decisions);
        entries.into_iter().map(|entry| (entry.what, entry.who, entry.state)).collect()
    }

    fn entry(what: &str, who: &str, state: HappeningState) -> (String, String, HappeningState) {
        (what.to_owned(), who.to_owned(), state)
    }

    #[test]
    fn a_run_is_requested_decided_and_ends() {
        let given = GivenApproval {
            by: "amara".into(),
            at: Some("2026-11-21T11:02:00Z".into()),
            approval: "a-1".into(),
            decision: Decision::Approve,
            state: DecisionState::Counts,
            ..GivenApproval::default()
        };
        let spec = ApprovalSpec { comment: Some("Checked with Olga.".into()), ..ApprovalSpec::default() };
        let decision = Arc::new(object::<ApprovalKind>("a-1", None, spec));
        let decisions = Decisions::from([(("acme".to_owned(), "a-1".to_owned()), decision)]);
        let done = run(ActionPhase::Succeeded, Some("2026-11-21T11:05:00Z"), vec![given.clone()]);
        assert_eq!(
            lines(&done, &decisions),
            [
                entry("Restore requested", "dana", HappeningState::Done),
                entry("Restore approved: Checked with Olga.", "amara", HappeningState::Done),
                entry("Restore succeeded", "the platform", HappeningState::Done),
            ]
        );
        let changes: Vec<bool> = of_run(&done, "Restore", "/run", &decisions).iter().map(|entry| !entry.no_change).collect();
        assert_eq!(changes, [false, false, true], "only its end is a change");
        let rejected = GivenApproval { decision: Decision::Reject, ..given };
        let failed = run(ActionPhase::Failed, Some("2026-11-21T11:05:00Z"), vec![rejected]);
        assert_eq!(
            lines(&failed, &Decisions::new())[1..],
            [entry("Restore rejected", "amara", HappeningState::Refused), entry("Restore failed", "the platform", HappeningState::Warning)]
        );
    }

    #[test]
    fn a_run_that_is_not_over_has_no_end() {
        for (phase, state) in [(ActionPhase::Pending, HappeningState::Waiting), (ActionPhase::Running, HappeningState::InProgress)] {
            assert_eq!(lines(&run(phase, None, Vec::new()), &Decisions::new()), [entry("Restore requested", "dana", state)]);
        }
        for (phase, what, state) in [
            (ActionPhase::Refused, "Restore refused", HappeningState::Refused),
            (ActionPhase::Cancelled, "Restore cancelled", HappeningState::Neutral),
        ] {
            let over = run(phase, Some("2026-11-21T11:05:00Z"), Vec::new());
            assert_eq!(lines(&over, &Decisions::new())[1], entry(what, "the platform", state));
        }
    }
}
