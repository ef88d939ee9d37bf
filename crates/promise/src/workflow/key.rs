//! Idempotency keys: the same for every attempt that means the same effect.

use sha2::{Digest as _, Sha256};

use crate::api::{StepStatus, WorkflowStatus};

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
    let text = format!("{uid}\n{}\n{}\n{}\n{effect}", run.run, step.id, step.round);
    hex::encode(&Sha256::digest(text)[..16])
}

/// Returns what decisions about a step have to name, 32 hexadecimal digits. Its time tells apart runs with one number: a release without a
/// workflow starts the count again.
pub(super) fn question_hash(uid: &str, run: &WorkflowStatus, step: &StepStatus) -> String {
    let WorkflowStatus { name, release, run, started_at, .. } = run;
    let (name, started_at) = (name.word(), started_at.as_deref().unwrap_or_default());
    let text = format!("decide\n{uid}\n{name}\n{release}\n{run}\n{started_at}\n{}\n{}", step.id, step.round);
    hex::encode(&Sha256::digest(text)[..16])
}
