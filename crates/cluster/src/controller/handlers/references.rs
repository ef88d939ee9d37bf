//! What promises and steps refer to by name: workflows that promises use, and Endpoints that steps call.

use jiff::Timestamp;
use promise::api::{EndpointStatus, StepStatus, WorkflowName};

use super::Handlers;
use crate::controller::context::Work;
use crate::controller::last_seen::edition;
use crate::controller::queue::Class;
use crate::controller::urgency::class;
use crate::kinds::{Endpoint, PromiseRequest};
use crate::watch::Key;
use crate::workspaces::ClusterId;

impl Handlers {
    /// Enqueues the promises of a home that refer to a workflow with such a name: with other steps, they are other promises.
    pub(super) fn promises_with(&self, matches: impl Fn(&str) -> bool, home: &ClusterId) {
        let all = self.ctx.world.promises.snapshot();
        let there = all.range(Key::cluster_scoped(home, "")..).take_while(|(at, _)| at.cluster == *home);
        for (at, _) in there.filter(|(_, row)| row.spec.workflows.referred().any(|(_, name)| matches(name))) {
            self.ctx.queue.add(Work::Promise(at.clone()));
        }
    }

    /// Handles a change of an Endpoint. Steps that call it, or couldn't, are tried at once.
    pub(super) fn endpoint(&self, key: &Key) {
        let (work, row) = (Work::Endpoint(key.clone()), self.ctx.world.endpoints.get(key));
        let is_known = self.known.lock().editions.contains_key(&work);
        // Its credential is part of whether it can be called.
        if self.is_new(&work, row.as_deref().map(|row| edition(&row.metadata, is_valid(row)))) {
            self.ctx.queue.add(work);
            // A step that polls notices by itself that it is gone.
            let Some(row) = row else { return };
            // One that is seen for the first time was there before, unless it is newer than a step that missed it.
            let created = row.metadata.creation_timestamp.as_ref().map(|at| at.0);
            self.wake_callers(key, created.filter(|_| !is_known));
        }
    }

    /// Enqueues requests with a step that calls an Endpoint and began before `since`, if that is given.
    fn wake_callers(&self, endpoint: &Key, since: Option<Timestamp>) {
        let calling = self.known.lock().calling();
        for at in calling {
            let Some(request) = self.ctx.world.requests.get(&at) else { continue };
            let steps = request.status.as_ref().map(|status| status.steps.as_slice()).unwrap_or_default();
            let began_before = |step: &StepStatus| since.is_none_or(|since| started(step).is_none_or(|started| started <= since));
            let concerned = steps.iter().filter(|step| step.is_calling() && began_before(step));
            let concerned: Vec<&StepStatus> = concerned.filter(|step| self.calls(&request, &step.id, endpoint)).collect();
            for step in &concerned {
                self.ctx.calls.changed(&at, &step.id, self.ctx.clock.now());
            }
            if !concerned.is_empty() {
                self.ctx.queue.add_as(Work::Request(at), class(&request, Class::Changed));
            }
        }
    }

    /// Checks whether a step of a request calls an Endpoint, by the revisions that the request uses.
    fn calls(&self, request: &PromiseRequest, step: &str, endpoint: &Key) -> bool {
        let world = &self.ctx.world;
        let Some(status) = &request.status else { return false };
        let current = status.current.as_ref().map(|current| (&current.revision, &current.home));
        let candidate = status.candidate.as_ref().map(|candidate| (&candidate.revision, &candidate.home));
        current.into_iter().chain(candidate).any(|(revision, home)| {
            let Some(home) = home.as_deref().and_then(|home| ClusterId::parse(home).ok()) else { return false };
            let Some(revision) = world.revisions.get(&Key::cluster_scoped(&home, revision)) else { return false };
            let workflows = WorkflowName::ALL.into_iter().filter_map(|name| revision.spec.spec.workflows.get(name));
            let mut calls = workflows.flat_map(|workflow| &workflow.steps).filter(|of| of.id == step).filter_map(|of| of.http.as_ref());
            calls.any(|http| http.endpoint == endpoint.name && world.endpoint(&home, &http.endpoint, &self.ctx.trusted) == *endpoint)
        })
    }
}

fn is_valid(row: &Endpoint) -> bool {
    row.status.as_ref().is_some_and(EndpointStatus::is_valid)
}

fn started(step: &StepStatus) -> Option<Timestamp> {
    step.started_at.as_deref()?.parse().ok()
}
