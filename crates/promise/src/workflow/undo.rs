//! Undoing calls in a rollback.

use std::collections::BTreeMap;

use jiff::SignedDuration;

use super::advance::{State, doubled};
use super::compile::{Action, CompiledHttp, CompiledStep};
use super::key::{Effect, idempotency_key};
use super::progress::is_overloaded;
use super::{Answer, Done, Task, words};
use crate::api::{StepPhase, WorkflowPhase};

/// Longest pause between attempts to undo a call, in seconds, unless the step has a longer one. No one can retry it sooner.
const LONGEST: i64 = 300;

/// What is left to do for one step.
enum Left {
    /// Nothing: the next one can be undone.
    Nothing,
    /// Something that takes until the next observation.
    Something,
}

impl State<'_, '_> {
    /// Undoes calls in reverse order, once the objects are back.
    pub(super) fn undo(&mut self, results: &mut BTreeMap<String, Done>) {
        self.tasks.clear();
        if !self.input.is_back {
            return;
        }
        let workflow = self.input.workflow;
        for step in workflow.steps.iter().rev() {
            let Action::Http(http) = &step.action else { continue };
            let Some(index) = self.run.steps.iter().position(|status| status.id == step.id) else { continue };
            if matches!(self.undo_step(step, http, index, results), Left::Something) {
                return;
            }
        }
        self.run.status.phase = WorkflowPhase::RolledBack;
        self.run.status.finished_at = Some(self.now());
    }

    fn undo_step(&mut self, step: &CompiledStep, http: &CompiledHttp, index: usize, results: &mut BTreeMap<String, Done>) -> Left {
        let Some(undo) = &http.undo else { return Left::Nothing };
        let status = &self.run.steps[index];
        // A call that wasn't answered might have had its effect all the same.
        if status.undone || status.undo_skipped || !status.called {
            return Left::Nothing;
        }
        if let Some(left) = self.left(status.next_at.as_deref()) {
            self.look_again(left);
            return Left::Something;
        }
        let key = |effect| idempotency_key(self.input.uid, &self.run.status, status, effect);
        let (undo_key, same_key) = (key(Effect::Undo), key(Effect::Do));
        if let Ok(task) = self.values().call(undo, &http.endpoint, status, undo_key, &self.run.steps) {
            return match results.remove(&step.id) {
                Some(Done::Answer(answer)) if (200..300).contains(&answer.status) || matches!(answer.status, 404 | 410) => {
                    self.undone(index)
                }
                Some(Done::Answer(answer)) => self.not_undone(index, step.backoff, words::undo_answer(answer.status)),
                Some(Done::Failed(failure)) => self.not_undone(index, step.backoff, failure.message),
                Some(Done::Accepted | Done::JobResult { .. }) | None => self.asks(Task::Http(task)),
            };
        }
        if status.answered || status.phase == StepPhase::Succeeded {
            return self.undone(index);
        }
        // What the undo needs was never answered. The same call again, with the same key, has no other effect, and its answer says it.
        match results.remove(&step.id) {
            Some(Done::Answer(answer)) => self.learn(step, http, index, &answer),
            Some(Done::Failed(failure)) => self.not_undone(index, step.backoff, failure.message),
            Some(Done::Accepted | Done::JobResult { .. }) | None => {
                match self.values().call(&http.call, &http.endpoint, status, same_key, &self.run.steps) {
                    Ok(task) => self.asks(Task::Http(task)),
                    Err(_) => self.undone(index),
                }
            }
        }
    }

    /// Takes in what the call of a step that is undone had as its effect.
    fn learn(&mut self, step: &CompiledStep, http: &CompiledHttp, index: usize, answer: &Answer) -> Left {
        if is_overloaded(answer.status) {
            return self.not_undone(index, step.backoff, words::undo_answer(answer.status));
        }
        let outputs = self.values().about(answer, &self.run.steps).outputs(&http.outputs);
        let status = &mut self.run.steps[index];
        // Without the expected outputs it had no effect that could be undone.
        status.answered = true;
        status.outputs.extend(outputs.unwrap_or_default());
        self.look_again(SignedDuration::ZERO);
        Left::Something
    }

    fn asks(&mut self, task: Task) -> Left {
        self.tasks.push(task);
        Left::Something
    }

    fn undone(&mut self, index: usize) -> Left {
        let status = &mut self.run.steps[index];
        (status.undone, status.next_at, status.undo_message) = (true, None, None);
        Left::Nothing
    }

    /// Tries again later. Why the step failed stays in its status.
    fn not_undone(&mut self, index: usize, backoff: i64, message: String) -> Left {
        let pause = doubled(backoff, self.run.steps[index].undo_attempts).min(LONGEST.max(backoff));
        let next = self.after(pause);
        let status = &mut self.run.steps[index];
        (status.next_at, status.undo_message) = (Some(next), Some(message));
        status.undo_attempts = status.undo_attempts.saturating_add(1);
        self.look_again(SignedDuration::from_secs(pause));
        Left::Something
    }
}
