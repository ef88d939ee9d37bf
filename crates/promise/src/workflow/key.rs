//! Idempotency keys: the same for every attempt that means the same effect.

use sha2::{Digest as _, Sha256};

use crate::api::{StepStatus, WorkflowPhase, WorkflowStatus};

/// What a call does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Effect {
    Do,
    Undo,
}

/// Returns the key of a call, 32 hexadecimal digits. `uid` is that of the request or action.
pub(super) fn idempotency_key(uid: &str, run: &WorkflowStatus, step: &StepStatus, effect: Effect) -> String {
    let effect = match effect {
        Effect::Do => "do",
        Effect::Undo => "undo",
    };
    digest(effect, uid, run, step)
}

/// Returns what decisions about a step have to name, 32 hexadecimal digits. In a rollback they are about its undo: who skipped the step
/// doesn't skip that.
pub(super) fn question_hash(uid: &str, run: &WorkflowStatus, step: &StepStatus) -> String {
    let what = if run.phase == WorkflowPhase::RollingBack { "decide undo" } else { "decide" };
    digest(what, uid, run, step)
}

/// The time tells apart runs with one number: a release without a workflow starts the count again.
fn digest(what: &str, uid: &str, run: &WorkflowStatus, step: &StepStatus) -> String {
    let WorkflowStatus { name, release, run, started_at, .. } = run;
    let (name, started_at) = (name.word(), started_at.as_deref().unwrap_or_default());
    let text = format!("{what}\n{uid}\n{name}\n{release}\n{run}\n{started_at}\n{}\n{}", step.id, step.round);
    hex::encode(&Sha256::digest(text)[..16])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::WorkflowName;

    #[test]
    fn the_first_run_of_another_workflow_has_effects_of_its_own() {
        let step = StepStatus { id: "ticket".into(), ..StepStatus::default() };
        let run = |name, release: &str| WorkflowStatus { name, release: release.into(), run: 1, ..WorkflowStatus::default() };
        let key = |run: &WorkflowStatus, effect| idempotency_key("u1", run, &step, effect);
        let first = run(WorkflowName::Provision, "a");
        // Between the two was a release without a workflow.
        let second = run(WorkflowName::Deprovision, "b");
        assert_ne!(key(&first, Effect::Do), key(&second, Effect::Do));
        assert_ne!(key(&first, Effect::Do), key(&first, Effect::Undo));
        let retried = WorkflowStatus { attempt: 3, ..first.clone() };
        assert_eq!(key(&first, Effect::Do), key(&retried, Effect::Do), "another attempt means the same effect");
    }
}
