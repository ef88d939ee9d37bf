//! Which steps people can skip now, and what follows: for pages and programs. The controller judges each skip again.

use std::collections::BTreeSet;

use crate::api::{Step, StepPhase, StepStatus};
use crate::error::{ConflictReason, Error, Result};

/// What happens without a step.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SkipEffect<'a> {
    /// Steps that haven't begun and need this one, in the order of the promise.
    pub later: Vec<&'a StepStatus>,
    /// Names of the outputs that it hasn't returned.
    pub missing: Vec<&'a str>,
}

/// Returns the hash that a skip of a step has to name.
///
/// # Errors
/// [`Error::Conflict`] if it can't be skipped now, or never can.
pub fn skip_hash(step: &StepStatus) -> Result<&str> {
    if !step.kind.can_be_skipped() {
        return Err(ConflictReason::StepNotSkippable { step: step.id.clone() }.into());
    }
    step.content_hash.as_deref().ok_or_else(|| Error::from(ConflictReason::NothingToSkip { step: step.id.clone() }))
}

/// Returns what happens without a step; nothing if only its undo is skipped. `steps` are those of its workflow, and `states` those of the run.
pub fn skip_effect<'a>(steps: &'a [Step], states: &'a [StepStatus], id: &str) -> SkipEffect<'a> {
    // After a rollback no step of the run begins.
    if states.iter().any(|step| step.id == id && step.waits_for_undo()) {
        return SkipEffect::default();
    }
    let mut behind = BTreeSet::from([id]);
    // Steps can be listed before those that they depend on.
    loop {
        let follows =
            |step: &&Step| !behind.contains(step.id.as_str()) && step.depends_on.iter().any(|needed| behind.contains(needed.as_str()));
        let more: Vec<&str> = steps.iter().filter(follows).map(|step| step.id.as_str()).collect();
        if more.is_empty() {
            break;
        }
        behind.extend(more);
    }
    // All steps of the promise come after those that policies require.
    let is_required = states.iter().any(|step| step.id == id && step.policy.is_some());
    let follows = |step: &StepStatus| behind.contains(step.id.as_str()) || (is_required && step.policy.is_none());
    let waits = |step: &&StepStatus| step.id != id && follows(step) && step.phase == StepPhase::Pending;
    let known = states.iter().find(|step| step.id == id);
    let is_missing = |name: &&str| known.is_none_or(|known| !known.outputs.contains_key(*name));
    let declared = steps.iter().filter(|step| step.id == id).flat_map(outputs);
    SkipEffect { later: states.iter().filter(waits).collect(), missing: declared.filter(is_missing).collect() }
}

/// Returns the names of the outputs of a step.
fn outputs(step: &Step) -> impl Iterator<Item = &str> {
    let http = step.http.iter().flat_map(|http| http.outputs.keys().chain(http.poll.iter().flat_map(|poll| poll.outputs.keys())));
    http.chain(step.job.iter().flat_map(|job| job.outputs.keys())).map(String::as_str)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::api::StepKind;

    fn steps() -> Vec<Step> {
        serde_json::from_value(json!([
            {"id": "record", "dependsOn": ["ticket"], "apply": {"resources": ["record"]}},
            {"id": "ticket", "http": {"endpoint": "tickets", "path": "/tickets", "outputs": {"id": "${answer.body.id}"},
                "poll": {"path": "/tickets/1", "until": "${true}", "outputs": {"address": "${answer.body.address}"}}}},
            {"id": "reachable", "dependsOn": ["record"], "wait": {"resources": ["record"]}},
            {"id": "room", "capacity": {"resources": ["record"]}},
        ]))
        .unwrap()
    }

    fn state(id: &str, kind: StepKind, phase: StepPhase) -> StepStatus {
        StepStatus { id: id.into(), kind, phase, ..StepStatus::default() }
    }

    #[test]
    fn the_steps_behind_a_skipped_one_run_without_its_outputs() {
        let mut ticket = state("ticket", StepKind::Http, StepPhase::Failed);
        ticket.outputs.insert("id".into(), json!(7));
        let states = [
            state("record", StepKind::Apply, StepPhase::Pending),
            ticket,
            state("reachable", StepKind::Wait, StepPhase::Pending),
            state("room", StepKind::Capacity, StepPhase::Pending),
        ];
        let steps = steps();
        let effect = skip_effect(&steps, &states, "ticket");
        assert_eq!(effect.later.iter().map(|step| step.id.as_str()).collect::<Vec<_>>(), ["record", "reachable"]);
        assert_eq!(effect.missing, ["address"]);
        assert_eq!(skip_effect(&steps, &states, "reachable"), SkipEffect::default());
    }

    #[test]
    fn only_a_step_that_is_in_question_can_be_skipped() {
        let reason = |step: &StepStatus| match skip_hash(step) {
            Err(Error::Conflict { reason }) => Some(reason),
            Ok(_) | Err(_) => None,
        };
        let failed = StepStatus { content_hash: Some("41f0".into()), ..state("ticket", StepKind::Http, StepPhase::Failed) };
        assert_eq!(skip_hash(&failed).unwrap(), "41f0");
        let over = state("ticket", StepKind::Http, StepPhase::Succeeded);
        assert_eq!(reason(&over), Some(ConflictReason::NothingToSkip { step: "ticket".into() }));
        for kind in [StepKind::Apply, StepKind::Delete, StepKind::Request, StepKind::Patch] {
            let step = state("record", kind, StepPhase::Failed);
            assert_eq!(reason(&step), Some(ConflictReason::StepNotSkippable { step: "record".into() }));
        }
    }
}
