//! The runs of a request.

use app::view::{RunLine, RunsPage};
use cluster::kinds::PromiseAction;
use cluster::watch::Key;
use jiff::Timestamp;
use kube::ResourceExt as _;
use promise::api::{PromiseActionStatus, PromiseSpec};
use promise::{DeniedReason, Result};

use super::offers::Used;
use crate::portal::Caller;
use crate::portal::place::Workspace;
use crate::portal::rights::Right;

/// Number of runs on a page.
const ROWS: usize = 20;

/// Returns a page of the runs of a request, newest first.
pub(super) async fn page(caller: &Caller, workspace: &Workspace, (namespace, name): (&str, &str), number: usize) -> Result<RunsPage> {
    let request = caller.read_request(workspace, namespace, name).await?;
    if !caller.may(&workspace.cluster, Right::runs("list", namespace)).await? {
        let why = DeniedReason::ListRuns { workspace: workspace.path.to_string(), owner: workspace.whom_to_ask() };
        return Ok(RunsPage { refused: Some(why), page: 1, pages: 1, ..RunsPage::default() });
    }
    let portal = caller.portal();
    let key = Key::new(workspace.cluster.clone(), namespace, name);
    let (_, total) = portal.runs.of(&portal.world, &key, 0, 0);
    let pages = total.div_ceil(ROWS).max(1);
    let number = number.clamp(1, pages);
    let (runs, _) = portal.runs.of(&portal.world, &key, (number - 1) * ROWS, ROWS);
    let used = Used::by(caller, &request);
    let runs = runs.iter().map(|run| line(used.as_ref().map(Used::spec), run)).collect();
    Ok(RunsPage { runs, page: number, pages, refused: None })
}

/// Returns a run as lists show it. `spec` is the promise as its request uses it.
pub(super) fn line(spec: Option<&PromiseSpec>, run: &PromiseAction) -> RunLine {
    let status = run.status.as_ref();
    let name = &run.spec.action;
    let action = spec.and_then(|spec| spec.actions.get(name));
    let took = status.and_then(took);
    RunLine {
        name: run.name_any(),
        title: action.map_or(name.as_str(), |action| action.title(name)).to_owned(),
        phase: status.map(|status| status.phase).unwrap_or_default(),
        requester: run.spec.requester.as_ref().map(|requester| requester.username.clone()).unwrap_or_default(),
        created: run.creation_timestamp().map(|time| time.0.to_string()).unwrap_or_default(),
        finished: status.and_then(|status| status.finished_at.clone()).unwrap_or_default(),
        took,
    }
}

/// Returns the seconds from the start of a run to its end.
pub(super) fn took(status: &PromiseActionStatus) -> Option<i64> {
    let second = |time: &Option<String>| time.as_ref()?.parse::<Timestamp>().ok().map(Timestamp::as_second);
    // The clocks of two controllers might differ.
    Some(second(&status.finished_at)? - second(&status.started_at)?).filter(|took| *took >= 0)
}
