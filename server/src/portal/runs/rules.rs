//! What policies for actions say about a run before it is created. The controller judges it again before it starts.

use cluster::kinds::PromiseRequest;
use kube::ResourceExt as _;
use promise::context::{ActionContext, Context};
use promise::policy::{RunFacts, RunVerdict, Target, for_runs, judge_run};
use promise::{Error, Result};
use serde_json::{Value, json};

use super::offers::Used;
use crate::portal::Caller;
use crate::portal::known::home;
use crate::portal::place::Workspace;

/// A run that the user wants to start.
#[derive(Clone, Copy)]
pub(super) struct WantedRun<'a> {
    pub(super) request: &'a PromiseRequest,
    pub(super) used: &'a Used,
    /// Name of the action.
    pub(super) action: &'a str,
    /// Its parameters with their defaults.
    pub(super) parameters: &'a Value,
}

/// Judges a run by the policies for its action. What they need to know and the user can't read is left to the controller.
///
/// # Errors
/// If a workspace above doesn't show its policies, the control plane doesn't respond, or the evaluation was aborted.
pub(super) async fn judge(caller: &Caller, workspace: &Workspace, wanted: WantedRun<'_>) -> Result<RunVerdict> {
    let WantedRun { request, used, action, parameters } = wanted;
    let portal = caller.portal();
    let home = home(&portal.world, request).and_then(|home| Some((portal.world.tree().path(&home)?, home)));
    let Some((path, home)) = home else { return Ok(RunVerdict::default()) };
    let (spec, lineage, trusted) = (used.spec(), caller.proven(workspace)?, portal.trusted_homes.contains(&path));
    let target = Target {
        promise: &request.spec.promise.name,
        spec,
        home: path.as_str(),
        home_cluster: &home.to_string(),
        home_trusted: trusted,
        workspace: workspace.path.as_str(),
        labels: &workspace.labels,
        lineage: &lineage,
    };
    let reading = portal.compiled.reading(used.hash(), spec, trusted);
    let sources = portal.policies.read(&portal.world, &portal.trusted_homes).gather(&target, &reading);
    if for_runs(&sources, action).is_empty() {
        return Ok(RunVerdict::default());
    }
    let running = request.status.as_ref().and_then(|status| status.current.as_ref()).map(|current| current.release.as_str());
    let releases = caller.read_releases(workspace, request).await?;
    let release = releases.into_iter().find(|release| Some(release.name_any().as_str()) == running);
    let Some(release) = release.map(|release| release.spec) else { return Ok(RunVerdict::default()) };
    let recorded = release.context.and_then(|context| serde_json::from_value::<Context>(context).ok());
    let Some(recorded) = recorded else { return Ok(RunVerdict::default()) };
    let now = portal.clock.now();
    let run = ActionContext {
        name: String::new(),
        parameters: parameters.clone(),
        requested_by: caller.identity().stamp(),
        started_at: now.to_string(),
        steps: json!({}),
    };
    let (context, action, parameters) =
        (Context { action: Some(run), ..recorded }, action.to_owned(), release.parameters.unwrap_or_default());
    let turn = caller.evaluation_turn().await?;
    let judged = tokio::task::spawn_blocking(move || {
        let _turn = turn;
        judge_run(&sources, &RunFacts { action: &action, parameters: &parameters, context: &context, now })
    });
    judged.await.map_err(|error| {
        tracing::error!(%error, "the evaluation of a run stopped unexpectedly");
        Error::Internal
    })
}
