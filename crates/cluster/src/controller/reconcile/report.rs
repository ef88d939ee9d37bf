//! Reporting: the status, computed from what was observed, and written when it differs.

use promise::api::PromiseRequestStatus;
use promise::lifecycle::{self, Observed};
use promise::plan::Plan;
use promise::status::{Milestone, milestones};

use super::Reconciliation;
use crate::controller::decide::Decision;
use crate::controller::object_version::ObjectVersion;
use crate::controller::write;
use crate::error::is_missing;
use crate::kinds::PromiseRequest;

impl Reconciliation<'_> {
    /// Writes what was observed, if it differs from what the request says.
    pub(super) async fn report(&mut self, decision: &Decision, plan: Option<&Plan>) -> Result<(), kube::Error> {
        let status = self.status(decision, plan);
        self.write(&status).await
    }

    pub(super) async fn write(&mut self, status: &PromiseRequestStatus) -> Result<(), kube::Error> {
        match write::status(&self.api, &self.request, status).await {
            Ok(Some(request)) => {
                let news = milestones(self.request.status.as_ref(), status);
                self.take_written(request);
                // From now on the inventory reports them.
                self.repaired.clear();
                self.note(news);
            }
            Ok(None) => {}
            // A request without our finalizer might be gone at any moment.
            Err(error) if is_missing(&error) => {}
            Err(error) => return Err(error),
        }
        Ok(())
    }

    /// Takes in the request as a write of ours left it.
    pub(super) fn take_written(&mut self, request: PromiseRequest) {
        self.versions.push(ObjectVersion::of_meta(&request.metadata));
        self.request = request;
    }

    /// Queues milestones to be written beside the request when there is time.
    pub(super) fn note(&self, news: Vec<Milestone>) {
        self.ctx.events.send(self.api.clone().into_client(), self.key, &self.request, news);
    }

    fn status(&self, decision: &Decision, plan: Option<&Plan>) -> PromiseRequestStatus {
        let (moved, failure) = (self.moved.as_ref().map(ToString::to_string), self.failure.as_ref().map(ToString::to_string));
        let observed = Observed {
            generation: self.request.metadata.generation.unwrap_or_default(),
            deleting: self.request.metadata.deletion_timestamp.is_some(),
            plan,
            moved: moved.as_deref(),
            failure: failure.as_deref(),
            undecided: decision.undecided,
            run: self.run.as_ref(),
            outputs: &self.outputs,
        };
        let mut status = lifecycle::status(self.request.status.as_ref(), &decision.choice, &observed, &self.ctx.now());
        if let Some(schedules) = &self.schedules {
            status.schedules.clone_from(schedules);
        }
        status
    }
}
