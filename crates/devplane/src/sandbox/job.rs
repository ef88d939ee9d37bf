//! Jobs: they start, run for a moment and are complete. Their pod says what the annotation [`RESULT`] of its template says.

use serde_json::json;

use super::{
    RESULT,
    conditions::{Condition, Extra, conditions, simulated},
    kinds::{JOB, POD},
    step::{Action, Step, View},
    world::{Behaviour, Key},
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
        let pod = pod(view).into_iter().collect();
        return view.write_and(0.3, pod, json!({"active": active, "ready": active, "startTime": view.now, "conditions": null}));
    }
    if view.world.get(&pod_key(view)).is_some_and(|pod| pod["status"]["containerStatuses"].is_null()) {
        return None;
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

/// The only pod of a Job, if it isn't there yet.
fn pod(view: &View<'_>) -> Option<Action> {
    let template = &view.object["spec"]["template"];
    template["spec"]["containers"][0]["name"].as_str()?;
    let mut content = json!({"metadata": {}, "spec": template["spec"]});
    let annotations = &template["metadata"]["annotations"];
    if annotations.is_object() {
        content["metadata"]["annotations"] = annotations.clone();
    }
    content["metadata"]["labels"] = json!({"batch.kubernetes.io/job-name": view.key.name, "job-name": view.key.name});
    view.create(&POD, &pod_key(view).name, content)
}

fn pod_key(view: &View<'_>) -> Key {
    view.key.beside(&POD, &format!("{}-0", view.key.name))
}

/// What comes next for the pod of a Job: it ends when its Job does, with the message that its annotation has.
pub(super) fn next_of_pod(view: &View<'_>) -> Option<Step> {
    let object = view.object;
    let name = object["metadata"]["labels"]["batch.kubernetes.io/job-name"].as_str()?;
    let fails = view.world.behaviour(&view.key.beside(&JOB, name)) == Behaviour::Failing;
    let result = object["metadata"]["annotations"][RESULT].as_str().unwrap_or_default();
    let (phase, code) = if fails { ("Failed", 1) } else { ("Succeeded", 0) };
    let message = if fails { simulated("the last container exited with code 1") } else { result.to_owned() };
    let container = &object["spec"]["containers"][0];
    let text = |name: &str| container[name].as_str().unwrap_or_default();
    let ended = json!({"exitCode": code, "reason": if fails { "Error" } else { "Completed" }, "message": message, "finishedAt": view.now});
    if !object["status"]["containerStatuses"].is_null() {
        return None;
    }
    view.write(
        1.0,
        json!({
            "phase": phase,
            "containerStatuses": [{
                "name": text("name"), "image": text("image"), "imageID": "", "ready": false, "restartCount": 0,
                "state": {"terminated": ended},
            }],
        }),
    )
}
