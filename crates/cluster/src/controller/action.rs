//! Reconciling one run of an action: it waits for its turn, runs its steps once, and is cleaned up when it is deleted.
//!
//! `promise::action` decides whether and when it can start, and `promise::workflow` advances its steps. Like a request, it records its state
//! before anything follows from it.

mod opening;
mod policies;
mod removal;
mod run;
mod start;
mod tasks;

use std::time::Duration;

use kube::{Api, ResourceExt};
use promise::action::{self, refused};
use promise::api::{ActionPhase, PromiseActionStatus};
use promise::names;

use self::start::Begun;
use super::context::{ControllerContext, Work};
use super::queue::Requeue;
use super::write;
use crate::error::{is_conflict, is_missing, is_unanswered};
use crate::kinds::{Export, PromiseAction, PromiseRelease, PromiseRequest};
use crate::watch::Key;

/// When a run that waits is looked at again, in case an event was lost.
const RESYNC: Duration = Duration::from_secs(600);

/// A run of an action, and how it is written.
struct ActionReconciliation<'a> {
    ctx: &'a ControllerContext,
    key: &'a Key,
    api: Api<PromiseAction>,
    releases: Api<PromiseRelease>,
    action: PromiseAction,
}

/// Reconciles one run of an action.
pub async fn action(ctx: &ControllerContext, key: &Key) -> Requeue {
    let client = match ctx.targets.workspace(&key.cluster) {
        Ok(client) => client,
        Err(why) => {
            tracing::info!(action = %key, %why, "not now");
            return Requeue::Backoff;
        }
    };
    let work = Work::Action(key.clone());
    let api: Api<PromiseAction> = Api::namespaced(client.clone(), &key.namespace);
    let action = match api.get(&key.name).await {
        Ok(action) => action,
        Err(error) if is_missing(&error) => {
            ctx.calls.forget(&marked(key));
            return ctx.settled(&work);
        }
        // Its workspace is gone, or no longer uses our kinds.
        Err(error) if !is_unanswered(&error) && ctx.world.actions.get(key).is_none() => return ctx.settled(&work),
        Err(kube::Error::SerdeError(_)) => {
            ctx.settled(&work);
            return Requeue::After(RESYNC);
        }
        Err(error) => return ctx.refused(&work, Export::Requests, &error, "read actions"),
    };
    let releases = Api::namespaced(client.clone(), &key.namespace);
    let requests: Api<PromiseRequest> = Api::namespaced(client, &key.namespace);
    let mut reconciliation = ActionReconciliation { ctx, key, api, releases, action };
    match reconciliation.reconcile(&requests).await {
        Ok(after) => {
            ctx.report.refused(&work, None);
            after
        }
        Err(error) if is_conflict(&error) => Requeue::Backoff,
        Err(error) => ctx.refused(&work, Export::Requests, &error, "update actions"),
    }
}

/// Returns the key of a run among those of requests. Names of requests have no slash.
fn marked(key: &Key) -> Key {
    key.beside(format!("action/{}", key.name))
}

impl ActionReconciliation<'_> {
    async fn reconcile(&mut self, requests: &Api<PromiseRequest>) -> Result<Requeue, kube::Error> {
        if self.action.metadata.deletion_timestamp.is_some() {
            return self.remove().await;
        }
        if self.ctx.world.is_leaving(&self.key.cluster) {
            return Ok(Requeue::After(RESYNC));
        }
        let status = self.status();
        if status.phase.is_over() && !(status.phase == ActionPhase::Failed && self.is_retried(&status)) {
            self.ctx.calls.forget(&marked(self.key));
            return Ok(Requeue::No);
        }
        let now = self.ctx.now();
        if self.action.spec.cancel {
            self.write(&action::cancelled(&status, self.generation(), None, &now)).await?;
            return Ok(Requeue::No);
        }
        let request = match requests.get(&self.action.spec.request).await {
            Ok(request) if request.metadata.deletion_timestamp.is_none() && self.is_of(&request) => request,
            Err(error) if !is_missing(&error) => return Err(error),
            _ => {
                let why = action::gone(&self.action.spec.request);
                let ended = match status.phase {
                    ActionPhase::Pending => refused(&status, self.generation(), why, &now),
                    _ => action::cancelled(&status, self.generation(), Some(why), &now),
                };
                self.write(&ended).await?;
                return Ok(Requeue::No);
            }
        };
        if !self.is_adopted(&request) {
            self.action = write::adopted(&self.api, &self.action, &request).await?;
        }
        if status.phase == ActionPhase::Pending {
            match self.begin(&request).await? {
                Begun::Running => {}
                Begun::Refused(why) => {
                    self.write(&refused(&status, self.generation(), why, &now)).await?;
                    return Ok(Requeue::No);
                }
                Begun::Denied(why) => {
                    self.write(&action::denied(&status, self.generation(), why, &now)).await?;
                    return Ok(Requeue::No);
                }
                Begun::Held(waiting, opens) => {
                    self.write(&action::waiting(&status, self.generation(), waiting, &now)).await?;
                    return Ok(Requeue::After(opens.map_or(RESYNC, |opens| opens.min(RESYNC))));
                }
                Begun::Waits(waiting) => {
                    self.write(&action::waiting(&status, self.generation(), waiting, &now)).await?;
                    return Ok(Requeue::After(RESYNC));
                }
                Begun::NotNow(why) => {
                    tracing::info!(action = %self.key, %why, "not now");
                    return Ok(Requeue::Backoff);
                }
            }
        }
        if status.phase.is_over() && !self.resume(&request).await? {
            return Ok(Requeue::Poll);
        }
        if self.restart(&request).await? {
            return Ok(Requeue::After(Duration::ZERO));
        }
        self.run(request).await
    }

    /// Checks whether the run wasn't one of an earlier request of the same name.
    fn is_of(&self, request: &PromiseRequest) -> bool {
        self.action.labels().get(names::REQUEST_UID_LABEL).is_none_or(|uid| request.metadata.uid.as_ref() == Some(uid))
    }

    /// Checks whether the run is found by its request, deleted with it, and cleaned up.
    fn is_adopted(&self, request: &PromiseRequest) -> bool {
        let has_owner = self.action.owner_references().iter().any(|owner| Some(&owner.uid) == request.metadata.uid.as_ref());
        let has_finalizer = self.action.finalizers().iter().any(|finalizer| finalizer == names::FINALIZER);
        has_owner && has_finalizer && self.action.labels().contains_key(names::REQUEST_UID_LABEL)
    }

    fn status(&self) -> PromiseActionStatus {
        self.action.status.clone().unwrap_or_default()
    }

    fn generation(&self) -> i64 {
        self.action.metadata.generation.unwrap_or_default()
    }

    fn retry(&self) -> Option<&str> {
        self.action.annotations().get(names::RETRY_ANNOTATION).map(String::as_str)
    }

    fn is_retried(&self, status: &PromiseActionStatus) -> bool {
        status.workflow.as_ref().is_some_and(|run| run.is_retried(self.retry()))
    }

    /// Writes the status, if it differs from what the run says.
    async fn write(&mut self, status: &PromiseActionStatus) -> Result<(), kube::Error> {
        if let Some(written) = write::status(&self.api, &self.action, status).await? {
            self.action = written;
        }
        Ok(())
    }
}
