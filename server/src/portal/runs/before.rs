//! What people see beside the form of an action: what it does, how long it usually takes, what it would wait for, and its latest runs.

use app::routes;
use app::view::{ActionHistory, BeforeRun, PolicyLink, RunApproval, StepOutline, TypicalTime};
use cluster::kinds::{PromiseAction, PromiseRequest};
use cluster::watch::Key;
use kube::ResourceExt as _;
use promise::action::{Turn, waits_for_request, waits_to_start};
use promise::api::{ActionPhase, ActionSpec, Approve, PromiseActionSpec, PromiseSpec, Step};
use promise::policy::Ruling;
use promise::policy::sentence::approval;
use promise::{DeniedReason, Result};

use super::list;
use super::rules::JudgedRun;
use crate::portal::Caller;
use crate::portal::place::Workspace;
use crate::portal::rights::Right;

/// Number of runs that are listed below the form.
const LATEST: usize = 6;
/// Number of runs of the request that are searched for those of the action.
const SEARCHED: usize = 1000;

/// Returns what is known before an action runs, and its latest runs. People who can't list runs don't learn from them either.
pub(super) async fn of(
    caller: &Caller,
    workspace: &Workspace,
    request: &PromiseRequest,
    spec: &PromiseSpec,
    name: &str,
) -> Result<(BeforeRun, ActionHistory)> {
    let namespace = request.namespace().unwrap_or_default();
    let action = spec.actions.get(name);
    let mut before = action.map(outline).unwrap_or_default();
    let (status, generation) = (request.status.as_ref(), request.metadata.generation.unwrap_or_default());
    if !caller.may(&workspace.cluster, Right::runs("list", &namespace)).await? {
        let why = DeniedReason::ListRuns { workspace: workspace.path.to_string(), owner: workspace.whom_to_ask() };
        before.waits = waits_for_request(status, generation).map(|waits| waits.message).unwrap_or_default();
        return Ok((before, ActionHistory { refused: Some(why), ..ActionHistory::default() }));
    }
    let key = Key::new(workspace.cluster.clone(), namespace, request.name_any());
    let portal = caller.portal();
    let (runs, _) = portal.runs.of(&portal.world, &key, 0, SEARCHED);
    let wanted = PromiseActionSpec { action: name.to_owned(), ..PromiseActionSpec::default() };
    let next = Turn::of(String::new(), portal.clock.now().to_string(), &wanted, None);
    let turns: Vec<Turn> = runs.iter().map(|run| turn(run)).collect();
    before.waits = waits_to_start(status, generation, &next, &turns).map(|waits| waits.message).unwrap_or_default();
    let own: Vec<_> = runs.iter().filter(|run| run.spec.action == name).collect();
    let finished = own.iter().filter_map(|run| run.status.as_ref()).filter(|status| status.phase == ActionPhase::Succeeded);
    before.usual = typical(finished.filter_map(list::took).collect());
    let latest = own.iter().take(LATEST).map(|run| list::line(Some(spec), run)).collect();
    Ok((before, ActionHistory { runs: latest, total: own.len(), refused: None }))
}

/// Adds what policies say about the run: whom they ask, or that they aren't known.
pub(super) fn add(before: &mut BeforeRun, judged: &JudgedRun, workspace: &Workspace) {
    let of = |ruling: &Ruling<Approve>| RunApproval {
        who: approval(&ruling.effect),
        policy: policy_link(&ruling.from.policy, ruling.from.title.as_deref(), &ruling.from.workspace, workspace.path.as_str()),
    };
    before.approvals = judged.verdict.approvals.iter().map(of).collect();
    before.undecided = judged.undecided;
    if before.waits.is_empty() {
        before.waits = judged.unproven.clone().unwrap_or_default();
    }
}

/// Returns the policy that requires an approval of a run, as pages of a workspace show it.
pub(in crate::portal) fn policy_link(name: &str, title: Option<&str>, source: &str, seen_from: &str) -> PolicyLink {
    let title = title.filter(|title| !title.is_empty()).unwrap_or(name);
    PolicyLink { title: title.to_owned(), source: source.to_owned(), href: routes::policy(source, name, seen_from) }
}

fn outline(action: &ActionSpec) -> BeforeRun {
    let step = |step: &Step| StepOutline {
        id: step.id.clone(),
        title: step.title.clone().unwrap_or_default(),
        kind: step.kind(),
        timeout: step.timeout.clone().unwrap_or_default(),
    };
    let people = action.allowed.iter().flat_map(|allowed| allowed.groups.iter().chain(&allowed.users)).cloned();
    BeforeRun { steps: action.steps.iter().map(step).collect(), people: people.collect(), ..BeforeRun::default() }
}

fn turn(run: &PromiseAction) -> Turn {
    let created = run.creation_timestamp().map(|time| time.0.to_string()).unwrap_or_default();
    Turn::of(run.name_any(), created, &run.spec, run.status.as_ref())
}

/// Returns the median of times in seconds: of two in the middle, the longer one.
fn typical(mut times: Vec<i64>) -> Option<TypicalTime> {
    times.sort_unstable();
    let median = *times.get(times.len() / 2)?;
    Some(TypicalTime { median, measured: times.len() })
}

#[cfg(test)]
mod tests {
    use super::{TypicalTime, typical};

    #[test]
    fn the_usual_time_is_the_median() {
        assert_eq!(typical(Vec::new()), None);
        assert_eq!(typical(vec![600, 4, 5]), Some(TypicalTime { median: 5, measured: 3 }));
        assert_eq!(typical(vec![9, 3]), Some(TypicalTime { median: 9, measured: 2 }));
    }
}
