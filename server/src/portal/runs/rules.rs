//! What policies for actions say about a run before it is created. The controller judges it again before it starts.

use cluster::kinds::PromiseRequest;
use kube::ResourceExt as _;
use promise::context::{ActionContext, Context};
use promise::policy::{RunFacts, RunVerdict, Target, depends_on_parameters, for_runs, judge_run};
use promise::wording::upper_first;
use promise::{BusyReason, Error, Result};
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
    /// Its parameters with their defaults, or the known ones while the form is filled in.
    pub(super) parameters: &'a Value,
}

/// What is known about a run before it is created.
#[derive(Clone, Debug, Default)]
pub(super) struct JudgedRun {
    pub(super) verdict: RunVerdict,
    /// Whether approvals depend on parameters that have no value, or can't be used.
    pub(super) undecided: bool,
    /// Why policies above aren't known, as a sentence. The run then starts once they are.
    pub(super) unproven: Option<String>,
}

/// Judges a run by the policies for its action. What they need to know and isn't readable is left to the controller: policies that a
/// workspace above doesn't show, and what the user can't read.
///
/// # Errors
/// If the control plane doesn't respond, or the evaluation was aborted.
pub(super) async fn judge(caller: &Caller, workspace: &Workspace, wanted: WantedRun<'_>) -> Result<JudgedRun> {
    match verdict(caller, workspace, wanted).await {
        Ok((verdict, undecided)) => Ok(JudgedRun { verdict, undecided, unproven: None }),
        Err(Error::Busy { reason: reason @ BusyReason::PoliciesUnproven { .. } }) => {
            Ok(JudgedRun { unproven: Some(upper_first(&reason.to_string())), ..JudgedRun::default() })
        }
        Err(error) => Err(error),
    }
}

async fn verdict(caller: &Caller, workspace: &Workspace, wanted: WantedRun<'_>) -> Result<(RunVerdict, bool)> {
    let WantedRun { request, used, action, parameters } = wanted;
    let portal = caller.portal();
    let home = home(&portal.world, request).and_then(|home| Some((portal.world.tree().path(&home)?, home)));
    let Some((path, home)) = home else { return Ok(Default::default()) };
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
        return Ok(Default::default());
    }
    let running = request.status.as_ref().and_then(|status| status.current.as_ref()).map(|current| current.release.as_str());
    let releases = caller.read_releases(workspace, request).await?;
    let release = releases.into_iter().find(|release| Some(release.name_any().as_str()) == running);
    let Some(release) = release.map(|release| release.spec) else { return Ok(Default::default()) };
    let recorded = release.context.and_then(|context| serde_json::from_value::<Context>(context).ok());
    let Some(recorded) = recorded else { return Ok(Default::default()) };
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
        let facts = RunFacts { action: &action, parameters: &parameters, context: &context, now };
        (judge_run(&sources, &facts), depends_on_parameters(&sources, &facts))
    });
    judged.await.map_err(|error| {
        tracing::error!(%error, "the evaluation of a run stopped unexpectedly");
        Error::Internal
    })
}
