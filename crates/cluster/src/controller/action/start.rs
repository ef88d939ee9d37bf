//! The start of a run: who wants it, with which parameters, and whether it is its turn.

use std::sync::Arc;
use std::time::Duration;

use kube::ResourceExt;
use kube::api::ListParams;
use promise::action::{self, Turn, accepted, may_run, named_runs, not_allowed, waits_for_request, waits_for_turn, waits_to_start};
use promise::api::{ActionPhase, PromiseActionStatus, Requester, WaitingOn, WorkflowName};
use promise::context::{ActionContext, Context};
use promise::lifecycle::Chosen;
use promise::names;
use promise::render::Compiled;
use promise::schedule::{is_started, waits_for_record};
use promise::workflow::{Run, required_steps};
use serde_json::{Value, json};

use super::ActionReconciliation;
use crate::controller::decide::{recalled, release};
use crate::controller::failure::{FailureCause, ReleaseFailure};
use crate::controller::governance::problems_in_words;
use crate::error::is_missing;
use crate::kinds::{PromiseAction, PromiseRequest};
use crate::watch::Key;

/// Whether a run has begun.
pub(super) enum Begun {
    /// It has.
    Running,
    /// It never will; a sentence.
    Refused(String),
    /// It never will, because policies refuse it; sentences.
    Denied(String),
    /// It is not its turn.
    Waits(WaitingOn),
    /// It has to wait for the windows of policies, which open after this time if they do.
    Held(WaitingOn, Option<Duration>),
    /// It isn't known now.
    NotNow(FailureCause),
}

impl Begun {
    /// Returns why the run doesn't continue, as the status says it.
    pub(super) fn message(self) -> String {
        match self {
            Self::Refused(why) | Self::Denied(why) => why,
            Self::NotNow(cause) => cause.to_string(),
            Self::Waits(waiting) | Self::Held(waiting, _) => waiting.message,
            Self::Running => String::new(),
        }
    }
}

/// The release that a run is about, and its expressions.
pub(super) struct Pinned {
    /// The release. Its context and expressions are those of the action.
    pub chosen: Chosen,
    /// Parameters of the action with their defaults.
    pub parameters: Value,
}

impl ActionReconciliation<'_> {
    /// Starts the run, if it can start now.
    pub(super) async fn begin(&mut self, request: &PromiseRequest) -> Result<Begun, kube::Error> {
        let generation = request.metadata.generation.unwrap_or_default();
        if let Some(waiting) = waits_to_start(request.status.as_ref(), generation, &turn(&self.action), &self.known_turns()) {
            return Ok(Begun::Waits(waiting));
        }
        let key = self.request_key();
        let current = match recalled(self.ctx, &self.releases, &key, request).await {
            Ok(choice) => choice.current,
            Err(lost) => return Ok(Begun::NotNow(lost.cause)),
        };
        let Some(current) = current else { return Ok(Begun::NotNow(ReleaseFailure::None.into())) };
        let pinned = match self.pinned(request, &current).await {
            Ok(pinned) => pinned,
            Err(refusal) => return Ok(refusal),
        };
        if let Some(why) = self.misnamed(&pinned).await? {
            return Ok(Begun::Refused(why));
        }
        let approvals = match self.permitted(request, &pinned).await {
            Ok(approvals) => approvals,
            Err(held) => return Ok(held),
        };
        let Some(workflow) = pinned.chosen.compiled.workflows().get(WorkflowName::Action) else {
            return Ok(Begun::Refused(action::unknown_action(&self.action.spec.action)));
        };
        // Checking the turn and recording the start are one step, so that two workers can't both start a run.
        let _starts = self.ctx.starts.lock().await;
        if let Some(waiting) = waits_for_turn(&turn(&self.action), &self.turns(request).await?) {
            return Ok(Begun::Waits(waiting));
        }
        let now = self.ctx.now();
        // What policies require now is recorded with the start: later policies don't affect the run.
        let run = Run::start(workflow, WorkflowName::Action, &current.name, None, &now).counted_past([self.retry()]);
        let run = run.asking(required_steps(&approvals));
        let status = PromiseActionStatus {
            observed_generation: self.generation(),
            phase: ActionPhase::Running,
            waiting_on: None,
            release: Some(current.name.clone()),
            workflow: Some(run.status),
            steps: run.steps,
            started_at: Some(now),
            ..self.status()
        };
        self.write(&status).await?;
        Ok(Begun::Running)
    }

    /// Lets a failed run that someone retries continue, when it is its turn. Returns whether it can.
    pub(super) async fn resume(&mut self, request: &PromiseRequest) -> Result<bool, kube::Error> {
        let _starts = self.ctx.starts.lock().await;
        let status = self.status();
        // Approvers are asked at any time: the turn is checked before the first step of the action.
        let is_queued = Run::of_action(&status).is_some_and(|run| run.is_unbegun());
        let is_rolling_out = || waits_for_request(request.status.as_ref(), request.metadata.generation.unwrap_or_default()).is_some();
        if !is_queued && (is_rolling_out() || waits_for_turn(&turn(&self.action), &self.turns(request).await?).is_some()) {
            return Ok(false);
        }
        self.write(&action::resumed(&status, is_queued, &self.ctx.now())).await?;
        Ok(true)
    }

    /// Starts the run again, if its request got another release before any step of the action began: its approvers saw the former one.
    /// Returns whether it did.
    pub(super) async fn restart(&mut self, request: &PromiseRequest) -> Result<bool, kube::Error> {
        let status = self.status();
        let current = request.status.as_ref().and_then(|status| status.current.as_ref()).map(|current| current.release.as_str());
        let is_unbegun = Run::of_action(&status).is_some_and(|run| run.is_unbegun());
        if !is_unbegun || current.is_none() || current == status.release.as_deref() {
            return Ok(false);
        }
        self.write(&action::restarted(&status, self.generation(), &self.ctx.now())).await?;
        Ok(true)
    }

    /// Returns what an approved run waits for before its first step, apart from windows: the same as at its start. Others might have started
    /// since.
    pub(super) async fn waits_again(&self, request: &PromiseRequest) -> Result<Option<WaitingOn>, kube::Error> {
        let generation = request.metadata.generation.unwrap_or_default();
        Ok(waits_to_start(request.status.as_ref(), generation, &turn(&self.action), &self.turns(request).await?))
    }

    /// Returns all runs of the request.
    async fn turns(&self, request: &PromiseRequest) -> Result<Vec<Turn>, kube::Error> {
        let own = ListParams::default().labels(&format!("{}={}", names::REQUEST_UID_LABEL, request.uid().unwrap_or_default()));
        Ok(self.api.list(&own).await?.items.iter().map(turn).collect())
    }

    /// Returns the key of the request.
    pub(super) fn request_key(&self) -> Key {
        self.key.beside(self.action.spec.request.clone())
    }

    /// Loads the release that the run started with. The error says why the run can't continue with it.
    pub(super) async fn resumed(&self, request: &PromiseRequest) -> Result<Pinned, Begun> {
        let name = self.status().release.unwrap_or_default();
        let chosen = release(self.ctx, &self.releases, &self.request_key(), request, &name).await;
        self.pinned(request, &chosen.map_err(|lost| Begun::NotNow(lost.cause))?).await
    }

    /// Returns a release with the expressions of the action. The error says why the action can't run with it.
    async fn pinned(&self, request: &PromiseRequest, chosen: &Chosen) -> Result<Pinned, Begun> {
        let revision = self.ctx.world.revision_of(&chosen.release.revision);
        let Some(revision) = revision else { return Err(Begun::NotNow(ReleaseFailure::RevisionUnread.into())) };
        let spec = &self.action.spec;
        let name = spec.action.clone();
        let Some(action) = revision.spec.spec.actions.get(&name) else { return Err(Begun::Refused(action::unknown_action(&name))) };
        let Some(requester) = spec.requester.clone() else { return Err(Begun::Refused(action::unnamed())) };
        let person = requester.person(self.key.cluster.as_str());
        if !self.is_scheduled(request, &requester).await? && !may_run(action, &person, &requester.groups, &chosen.home.cluster) {
            return Err(Begun::Refused(not_allowed(action, &name)));
        }
        let status = self.status();
        let run = Run::of_action(&status);
        let reconciliation = ActionContext {
            name: self.key.name.clone(),
            parameters: Value::Null,
            requested_by: requester,
            started_at: status.started_at.unwrap_or_else(|| self.ctx.now()),
            steps: run.as_ref().map_or_else(|| json!({}), Run::outputs),
        };
        let (context, given) = (Context::clone(&chosen.context), spec.parameters.clone());
        let evaluated = self.ctx.evaluate(move || {
            let Some(action) = revision.spec.spec.actions.get(&name) else { return Err(Vec::new()) };
            let parameters = accepted(&revision.spec.spec, action, given.as_ref(), &context)?;
            let compiled = action::compile(&revision.spec.spec, &name)?.asking(&status.steps);
            let reconciliation = ActionContext { parameters: parameters.clone(), ..reconciliation };
            Ok((parameters, compiled, Context { action: Some(reconciliation), ..context }))
        });
        let evaluated: Result<(Value, Compiled, Context), _> = evaluated.await.map_err(Begun::NotNow)?;
        let (parameters, compiled, context) = evaluated.map_err(|problems| Begun::Refused(problems_in_words(&problems)))?;
        let chosen = Chosen { compiled: Arc::new(compiled), context: Arc::new(context), ..chosen.clone() };
        Ok(Pinned { chosen, parameters })
    }

    /// Checks whether a schedule of a policy started the run: then the policy allows it, and not the action. Labels only say where to look.
    /// What counts is that admission stamped the controller, and that the status of the request, which no one else writes, has its uid.
    async fn is_scheduled(&self, request: &PromiseRequest, requester: &Requester) -> Result<bool, Begun> {
        if !self.action.labels().contains_key(names::SCHEDULE_LABEL) {
            return Ok(false);
        }
        if !self.ctx.own_name.is(&self.ctx.world, requester).await.map_err(Begun::NotNow)? {
            return Ok(false);
        }
        let uid = self.action.uid().unwrap_or_default();
        let has_begun = self.status().started_at.is_some();
        if has_begun || is_started(request.status.as_ref(), &uid) {
            return Ok(true);
        }
        Err(Begun::Waits(waits_for_record()))
    }

    /// Returns why a parameter doesn't name a run that succeeded, of the same request.
    async fn misnamed(&self, pinned: &Pinned) -> Result<Option<String>, kube::Error> {
        let Some(revision) = self.ctx.world.revision_of(&pinned.chosen.release.revision) else { return Ok(None) };
        let Some(action) = revision.spec.spec.actions.get(&self.action.spec.action) else { return Ok(None) };
        for named in named_runs(&action.form, &pinned.parameters) {
            let is_usable = |found: &PromiseAction| {
                found.spec.request == self.action.spec.request
                    && found.spec.action == named.action
                    && found.metadata.deletion_timestamp.is_none()
                    && found.status.as_ref().is_some_and(|status| status.phase == ActionPhase::Succeeded)
            };
            let found = match self.api.get(&named.name).await {
                Ok(found) => Some(found),
                Err(error) if is_missing(&error) => None,
                // A text that isn't the name of an object is no run either.
                Err(kube::Error::Api(status)) if matches!(status.code, 400 | 405 | 422) => None,
                Err(error) => return Err(error),
            };
            if !found.as_ref().is_some_and(is_usable) {
                return Ok(Some(action::chosen_run(&named.path.to_string(), &named.name, &named.action)));
            }
        }
        Ok(None)
    }

    /// Returns the runs of the request that the caches know and that aren't over.
    fn known_turns(&self) -> Vec<Turn> {
        let open = self.ctx.actions.open(&self.request_key());
        open.iter().filter_map(|key| self.ctx.world.actions.get(key)).map(|row| turn(&row)).collect()
    }
}

fn turn(action: &PromiseAction) -> Turn {
    let created = action.metadata.creation_timestamp.as_ref().map(|time| time.0.to_string()).unwrap_or_default();
    Turn::of(action.name_any(), created, &action.spec, action.status.as_ref())
}
