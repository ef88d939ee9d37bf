//! Argo CD, Argo Rollouts and Flux.

use serde_json::{Value, json};

use super::fixture::{condition, conditions, degraded, healthy, object, progressing};

const ARGO: &str = "argoproj.io/v1alpha1";

#[test]
fn an_application_is_in_sync_and_healthy_or_says_what_is_wrong() {
    let with = |health: &str, sync: &str, operation: Value, conditions: Value| {
        let status = json!({"health": {"status": health}, "sync": {"status": sync}, "operationState": operation, "conditions": conditions});
        object(ARGO, "Application", json!({}), status)
    };
    let synced = || json!({"phase": "Succeeded", "message": "successfully synced (all tasks run)"});
    healthy("in sync", &with("Healthy", "Synced", synced(), json!([])));
    progressing("out of sync", &with("Healthy", "OutOfSync", synced(), json!([])), "Its objects aren't in sync with their source");
    progressing("starting", &with("Progressing", "Synced", synced(), json!([])), "Reports the health Progressing");
    let syncing = json!({"phase": "Running", "message": "waiting for healthy state of apps/Deployment/web"});
    progressing("syncing", &with("Missing", "OutOfSync", syncing, json!([])), "waiting for healthy state of apps/Deployment/web");
    let failed = json!({"phase": "Failed", "message": "one or more objects failed to apply."});
    degraded("a failed sync", &with("Healthy", "OutOfSync", failed, json!([])), "one or more objects failed to apply");
    let error = json!([{"type": "ComparisonError", "message": "Failed to load target state: repository not found"}]);
    degraded("no source", &with("Healthy", "Unknown", Value::Null, error), "Failed to load target state: repository not found");
    let warning = json!([{"type": "OrphanedResourceWarning", "message": "Application has 1 orphaned resources"}]);
    healthy("a warning", &with("Healthy", "Synced", synced(), warning));
    progressing("new", &object(ARGO, "Application", json!({}), Value::Null), "Its controller hasn't reported that it is ready");
}

#[test]
fn an_application_set_is_up_to_date_without_errors() {
    let with = |error: Value, current: Value| object(ARGO, "ApplicationSet", json!({}), conditions([error, current]));
    let no_error = || condition("ErrorOccurred", "False", "ApplicationSetUpToDate", "");
    healthy(
        "up to date",
        &with(no_error(), condition("ResourcesUpToDate", "True", "ApplicationSetUpToDate", "All applications have been generated")),
    );
    let error = condition("ErrorOccurred", "True", "ApplicationGenerationFromParamsError", "template: missing key");
    degraded("an error", &with(error, condition("ResourcesUpToDate", "False", "ApplicationSetModified", "")), "template: missing key");
    let rolling = condition("RolloutProgressing", "True", "ApplicationSetModified", "Step 1 of 2");
    progressing("in steps", &with(condition("ResourcesUpToDate", "True", "ApplicationSetUpToDate", ""), rolling), "Step 1 of 2");
    progressing(
        "new",
        &with(no_error(), condition("ParametersGenerated", "True", "", "")),
        "Its controller hasn't reported that it is ready",
    );
}

#[test]
fn a_rollout_is_in_the_phase_that_it_reports() {
    // Its Available replicas are those of the old version.
    let with = |phase: &str, message: &str| {
        let available = condition("Available", "True", "AvailableReason", "Rollout has minimum availability");
        object(
            ARGO,
            "Rollout",
            json!({}),
            json!({"observedGeneration": "1", "phase": phase, "message": message, "conditions": [available]}),
        )
    };
    healthy("done", &with("Healthy", ""));
    progressing("paused", &with("Paused", "CanaryPauseStep"), "CanaryPauseStep");
    progressing("in progress", &with("Progressing", "more replicas need to be updated"), "more replicas need to be updated");
    degraded(
        "aborted",
        &with("Degraded", "RolloutAborted: Rollout aborted update to revision 2"),
        "RolloutAborted: Rollout aborted update to revision 2",
    );
    let mut behind = with("Healthy", "");
    behind["metadata"]["generation"] = json!(2);
    progressing("not processed", &behind, "Its controller hasn't processed the last change yet");
}

#[test]
fn objects_of_flux_are_ready_reconciling_stalled_failed_or_suspended() {
    for (version, kind) in [
        ("kustomize.toolkit.fluxcd.io/v1", "Kustomization"),
        ("helm.toolkit.fluxcd.io/v2", "HelmRelease"),
        ("source.toolkit.fluxcd.io/v1", "GitRepository"),
        ("source.toolkit.fluxcd.io/v1beta2", "OCIRepository"),
        ("source.toolkit.fluxcd.io/v1", "HelmChart"),
    ] {
        let with = |conditions: Value| object(version, kind, json!({}), json!({"observedGeneration": 1, "conditions": conditions}));
        let ready = |status: &str, reason: &str, message: &str| condition("Ready", status, reason, message);
        healthy(kind, &with(json!([ready("True", "Succeeded", "Applied revision: main@sha1:1")])));
        let retries = condition("Reconciling", "True", "ProgressingWithRetry", "Detecting drift");
        let failing = ready("False", "BuildFailed", "kustomize build failed: no such file");
        progressing(kind, &with(json!([retries, failing.clone()])), "kustomize build failed: no such file");
        let begins = condition("Reconciling", "True", "Progressing", "Fulfilling prerequisites");
        progressing(
            kind,
            &with(json!([begins, ready("Unknown", "Progressing", "Reconciliation in progress")])),
            "Fulfilling prerequisites",
        );
        let stalled = condition("Stalled", "True", "RetriesExceeded", "Failed to install after 3 attempt(s)");
        degraded(kind, &with(json!([stalled, failing.clone()])), "Failed to install after 3 attempt(s)");
        degraded(kind, &with(json!([failing])), "kustomize build failed: no such file");
        progressing(
            kind,
            &with(json!([ready("False", "DependencyNotReady", "dependency 'a/b' is not ready")])),
            "dependency 'a/b' is not ready",
        );
        let mut suspended = with(json!([ready("True", "Succeeded", "")]));
        (suspended["spec"], suspended["metadata"]["generation"]) = (json!({"suspend": true}), json!(2));
        progressing(kind, &suspended, "Suspended");
    }
}
