//! What steps of an action ask for: calls, dry runs, changes of objects of the request, and their deletion.

use std::collections::BTreeMap;

use promise::api::StepReason;
use promise::plan::{Desired, Key as ObjectKey, Seen, resource_of};
use promise::workflow::{Done, Task, TaskFailure};
use serde_json::Value;

use super::run::RunState;
use super::{ActionReconciliation, marked};
use crate::controller::context::Work;
use crate::controller::failure::{Failure, FailureCause};
use crate::controller::{objects, steps};

impl ActionReconciliation<'_> {
    /// Carries out tasks, and returns what came of them by step. What passes by itself is no result.
    pub(super) async fn carry_out(&self, state: &mut RunState, tasks: Vec<Task>) -> BTreeMap<String, Done> {
        let mut results = BTreeMap::new();
        for task in tasks {
            self.ctx.calls.note(&marked(self.key), task.step(), self.ctx.clock.now());
            match self.one(state, &task).await {
                Ok(done) => {
                    results.insert(task.step().to_owned(), done);
                }
                // It passes by itself: the step isn't to blame.
                Err(failure) => state.fails(failure),
            }
        }
        results
    }

    async fn one(&self, state: &mut RunState, task: &Task) -> Result<Done, Failure> {
        let done = match task {
            Task::Http(call) => return Ok(steps::call(self.ctx, &state.chosen, call).await),
            Task::DryRun { resources, .. } => {
                let is_named = |desired: &&Desired| resources.iter().any(|resource| resource == resource_of(&desired.id));
                let desired = state.desired.iter().filter(is_named).cloned().collect();
                return steps::dry_run(self.ctx, &state.places, desired).await;
            }
            // Publishing refuses them: they belong to workflows.
            Task::JobResult(_) => return Ok(steps::not_here()),
            Task::Patch { step, resource, merge } => self.change(state, step, resource, merge).await,
            Task::Delete { uids, .. } => self.delete_all(state, uids).await,
        };
        match done {
            Ok(()) => Ok(Done::Accepted),
            Err(failure) if failure.transient => Err(failure),
            Err(failure) => Ok(Done::Failed(TaskFailure { reason: StepReason::NotChanged, message: failure.to_string() })),
        }
    }

    /// Sets fields of an object of the request.
    async fn change(&self, state: &mut RunState, step: &str, resource: &str, merge: &Value) -> Result<(), Failure> {
        let Some(key) = state.ids.iter().find(|(_, id)| id.as_str() == resource).map(|(key, _)| key.clone()) else {
            return Err(FailureCause::NoObject { resource: resource.to_owned() }.into());
        };
        let uid = match state.seen.get(&key) {
            Some(Seen::Present { object, .. }) => object["metadata"]["uid"].as_str().unwrap_or_default().to_owned(),
            _ => return Err(Failure::not_now(FailureCause::ObjectAbsent { object: key.to_string() })),
        };
        let place = state.places.place(self.ctx, key.destination.as_deref())?;
        let manager = format!("{}.{}.{step}", promise::names::MANAGER_ACTION, self.action.spec.action);
        objects::change(&self.ctx.targets, (&state.places, &place), &key, merge, &uid, &manager).await?;
        state.seen.remove(&key);
        Ok(())
    }

    async fn delete_all(&self, state: &mut RunState, uids: &[String]) -> Result<(), Failure> {
        let of = |seen: &Seen| match seen {
            Seen::Present { object, .. } => object["metadata"]["uid"].as_str().map(str::to_owned),
            Seen::Absent | Seen::Unknown { .. } => None,
        };
        let found: Vec<(ObjectKey, String)> =
            state.seen.iter().filter_map(|(key, seen)| Some((key.clone(), of(seen)?))).filter(|(_, uid)| uids.contains(uid)).collect();
        for (key, uid) in found {
            self.delete(state, &key, &uid).await?;
        }
        // No event might report the deletion, and the request has to create its objects again.
        self.ctx.queue.add(Work::Request(self.request_key()));
        Ok(())
    }
}
