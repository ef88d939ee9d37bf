//! Jobs: they start, run for a moment and are complete.

use serde_json::json;

use super::{
    conditions::{Condition, Extra, conditions, simulated},
    step::{Action, Step, View},
};

pub(super) fn next(view: &View<'_>) -> Option<Step> {
    let (object, status) = (view.object, &view.object["status"]);
    let spec = &object["spec"];
    let ended = status["conditions"]
        .as_array()
        .into_iter()
        .flatten()
        .any(|condition| condition["status"] == "True" && (condition["type"] == "Complete" || condition["type"] == "Failed"));
    if ended {
        let seconds = spec["ttlSecondsAfterFinished"].as_f64()?;
        return Some(Step::new(seconds, vec![Action::Delete(view.key.clone())]));
    }
    let conditions = |wanted| conditions(object, view.now, Extra::ProbeTime, wanted);
    if spec["suspend"] == true {
        let suspended = Condition::new("Suspended", true, "JobSuspended", simulated("the Job is suspended"));
        return view.write(0.2, json!({"active": null, "startTime": null, "conditions": conditions(vec![suspended])}));
    }
    let parallelism = spec["parallelism"].as_i64().unwrap_or(1);
    let completions = spec["completions"].as_i64().unwrap_or(1);
    if status["startTime"].is_null() {
        let active = parallelism.min(completions);
        return view.write(0.3, json!({"active": active, "ready": active, "startTime": view.now, "conditions": null}));
    }
    if view.fails() {
        let text = simulated("the Job reached its retry limit; the last container exited with code 1");
        let failed = spec["backoffLimit"].as_i64().unwrap_or(6) + 1;
        let wanted = vec![
            Condition::new("FailureTarget", true, "BackoffLimitExceeded", text.clone()),
            Condition::new("Failed", true, "BackoffLimitExceeded", text),
        ];
        return view.write(2.0, json!({"active": null, "ready": 0, "failed": failed, "conditions": conditions(wanted)}));
    }
    let text = simulated("the Job reached its number of completions");
    let wanted = vec![
        Condition::new("SuccessCriteriaMet", true, "CompletionsReached", text.clone()),
        Condition::new("Complete", true, "CompletionsReached", text),
    ];
    view.write(
        2.0,
        json!({
            "active": null,
            "ready": 0,
            "succeeded": completions,
            "completionTime": view.now,
            "uncountedTerminatedPods": {},
            "conditions": conditions(wanted),
        }),
    )
}
