//! Idempotency keys: the same for every attempt that means the same effect.

use sha2::{Digest as _, Sha256};

use crate::api::{StepStatus, WorkflowStatus};

/// What a call does, or what people decide about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Effect {
    Do,
    Undo,
    Decide,
}

/// Returns the key of a call or of a question to people, 32 hexadecimal digits. `uid` is that of the request or action.
pub(super) fn idempotency_key(uid: &str, run: &WorkflowStatus, step: &StepStatus, effect: Effect) -> String {
    let effect = match effect {
        Effect::Do => "do",
        Effect::Undo => "undo",
        Effect::Decide => "decide",
    };
    let text = format!("{uid}\n{}\n{}\n{}\n{effect}", run.run, step.id, step.round);
    hex::encode(&Sha256::digest(text)[..16])
}
