//! Workloads, storage and scaling.

use serde_json::{Value, json};

use super::fixture::{condition, conditions, degraded, healthy, object, progressing};
use super::{NOW, ago};
use crate::api::Health;
use crate::health::of;

#[test]
fn a_deployment_says_what_its_rollout_lacks() {
    let with = |spec: Value, status: Value| object("apps/v1", "Deployment", spec, status);
    let available = condition("Available", "True", "MinimumReplicasAvailable", "Deployment has minimum availability.");
    let done = json!({"observedGeneration": 1, "replicas": 2, "updatedReplicas": 2, "readyReplicas": 2, "availableReplicas": 2, "conditions": [available]});
    healthy("all replicas are available", &with(json!({"replicas": 2}), done.clone()));
    healthy("scaled to zero", &with(json!({"replicas": 0}), json!({"observedGeneration": 1, "conditions": [available]})));
    let paused = json!({"observedGeneration": 1, "replicas": 2, "updatedReplicas": 1, "availableReplicas": 2});
    progressing(
        "paused",
        &with(json!({"replicas": 2, "paused": true}), paused),
        "Its rollout is paused: 1 of 2 replicas run the new version",
    );
    progressing("scaled down", &with(json!({"replicas": 1}), done), "1 replica still to be removed");
    let quota = condition("ReplicaFailure", "True", "FailedCreate", "pods \"a-1\" is forbidden: exceeded quota");
    degraded("over quota", &with(json!({"replicas": 1}), conditions([quota])), "pods \"a-1\" is forbidden: exceeded quota");
}

#[test]
fn a_stateful_set_rolls_out_down_to_its_partition() {
    let with =
        |strategy: Value, status: Value| object("apps/v1", "StatefulSet", json!({"replicas": 3, "updateStrategy": strategy}), status);
    let status = |ready: i64, updated: Option<i64>, current: &str| json!({"observedGeneration": 1, "replicas": 3, "readyReplicas": ready, "updatedReplicas": updated, "currentRevision": current, "updateRevision": "a-2"});
    let rolling = |partition: i64| json!({"type": "RollingUpdate", "rollingUpdate": {"partition": partition}});
    healthy("finished", &with(rolling(0), status(3, Some(3), "a-2")));
    progressing("nothing is updated yet", &with(rolling(0), status(3, None, "a-1")), "0 of 3 replicas run the new version");
    progressing("one is restarting", &with(rolling(0), status(2, Some(2), "a-1")), "2 of 3 replicas are ready");
    progressing("not in force", &with(rolling(0), status(3, Some(3), "a-1")), "The new version isn't in force for all replicas yet");
    healthy("as far as the partition allows", &with(rolling(2), status(3, Some(1), "a-1")));
    progressing("above the partition", &with(rolling(1), status(3, Some(1), "a-1")), "1 of 2 replicas run the new version");
    healthy("updated by hand", &with(json!({"type": "OnDelete"}), status(3, None, "a-1")));
}

#[test]
fn daemon_sets_and_replica_sets_count_what_is_available() {
    let daemons = |strategy: &str, updated: i64, available: i64| {
        let status = json!({"observedGeneration": 1, "desiredNumberScheduled": 3, "currentNumberScheduled": 3, "updatedNumberScheduled": updated, "numberAvailable": available});
        object("apps/v1", "DaemonSet", json!({"updateStrategy": {"type": strategy}}), status)
    };
    healthy("on all nodes", &daemons("RollingUpdate", 3, 3));
    progressing("being updated", &daemons("RollingUpdate", 1, 3), "1 of 3 nodes run it");
    healthy("updated by hand", &daemons("OnDelete", 0, 3));
    progressing("one pod is down", &daemons("OnDelete", 0, 2), "2 of 3 nodes run it");
    healthy("no node matches", &object("apps/v1", "DaemonSet", json!({}), json!({"observedGeneration": 1, "desiredNumberScheduled": 0})));

    let replicas = |status: Value| object("apps/v1", "ReplicaSet", json!({"replicas": 2}), status);
    healthy("available", &replicas(json!({"observedGeneration": 1, "replicas": 2, "availableReplicas": 2})));
    progressing("starting", &replicas(json!({"observedGeneration": 1, "replicas": 2})), "0 of 2 replicas are available");
    let failed = condition("ReplicaFailure", "True", "FailedCreate", "serviceaccount \"x\" not found");
    degraded("no pods", &replicas(conditions([failed])), "serviceaccount \"x\" not found");
}

#[test]
fn a_job_is_done_suspended_running_or_failed() {
    let job = |spec: Value, status: Value| object("batch/v1", "Job", spec, status);
    healthy("complete", &job(json!({}), conditions([condition("Complete", "True", "CompletionsReached", "")])));
    healthy("suspended", &job(json!({"suspend": true}), conditions([condition("Suspended", "True", "JobSuspended", "Job suspended")])));
    progressing("about to be suspended", &job(json!({"suspend": true}), json!({"active": 1})), "Suspended");
    progressing("running", &job(json!({"parallelism": 3}), json!({"active": 2, "succeeded": 1})), "1 of 3 runs are completed");
    let reason = "Job has reached the specified backoff limit";
    degraded("failing", &job(json!({}), conditions([condition("FailureTarget", "True", "BackoffLimitExceeded", reason)])), reason);
    let cron = object("batch/v1", "CronJob", json!({"suspend": true, "schedule": "0 * * * *"}), json!({"active": [{"name": "a-1"}]}));
    healthy("a CronJob", &cron);
}

#[test]
fn claims_volumes_and_snapshots_are_usable_or_say_why_not() {
    let volume = |status: Value| object("v1", "PersistentVolume", json!({}), status);
    for phase in ["Available", "Bound", "Released"] {
        healthy(phase, &volume(json!({"phase": phase})));
    }
    degraded("not reclaimed", &volume(json!({"phase": "Failed", "message": "disk is in use"})), "disk is in use");
    progressing("new", &volume(json!({"phase": "Pending"})), "Not available yet");
    degraded("lost", &object("v1", "PersistentVolumeClaim", json!({}), json!({"phase": "Lost"})), "Its volume is lost");

    let snapshot = |status: Value| object("snapshot.storage.k8s.io/v1", "VolumeSnapshot", json!({}), status);
    healthy("taken", &snapshot(json!({"readyToUse": true})));
    progressing("being taken", &snapshot(json!({"readyToUse": false, "boundVolumeSnapshotContentName": "b"})), "Not ready to use yet");
    let error =
        json!({"readyToUse": false, "error": {"message": "Failed to check and update snapshot content.", "time": "2026-11-20T08:00:00Z"}});
    degraded("refused", &snapshot(error), "Failed to check and update snapshot content");
    let class =
        json!({"apiVersion": "snapshot.storage.k8s.io/v1", "kind": "VolumeSnapshotClass", "metadata": {"name": "a"}, "driver": "x"});
    healthy("a class", &class);
}

#[test]
fn an_autoscaler_that_cannot_do_its_work_is_degraded() {
    let scaler = |able: Value, active: Value| {
        let limited = condition("ScalingLimited", "False", "DesiredWithinRange", "the desired count is within the acceptable range");
        object("autoscaling/v2", "HorizontalPodAutoscaler", json!({}), conditions([able, active, limited]))
    };
    let able = || condition("AbleToScale", "True", "ReadyForNewScale", "recommended size matches current size");
    healthy("working", &scaler(able(), condition("ScalingActive", "True", "ValidMetricFound", "")));
    healthy(
        "disabled",
        &scaler(
            able(),
            condition("ScalingActive", "False", "ScalingDisabled", "scaling is disabled since the replica count of the target is zero"),
        ),
    );
    let metrics = "the HPA was unable to compute the replica count: no metrics returned from resource metrics API";
    let blind = scaler(able(), condition("ScalingActive", "False", "FailedGetResourceMetric", metrics));
    degraded("without metrics", &blind, metrics);
    let missing = "the HPA controller was unable to get the target's current scale: deployments.apps \"a\" not found";
    degraded(
        "without a target",
        &object(
            "autoscaling/v2",
            "HorizontalPodAutoscaler",
            json!({}),
            conditions([condition("AbleToScale", "False", "FailedGetScale", missing)]),
        ),
        missing,
    );

    let mut young = blind.clone();
    young["metadata"]["creationTimestamp"] = json!(ago(20));
    let verdict = of(&young, NOW);
    assert_eq!((verdict.health, verdict.again), (Health::Progressing, Some(40)), "the first metrics take a while");

    let mut old = object("autoscaling/v1", "HorizontalPodAutoscaler", json!({}), json!({"currentReplicas": 1}));
    let noted = json!([condition("ScalingActive", "False", "FailedGetResourceMetric", metrics)]).to_string();
    old["metadata"]["annotations"] = json!({"autoscaling.alpha.kubernetes.io/conditions": noted});
    degraded("the first version of the API", &old, metrics);
}

#[test]
fn a_disruption_budget_is_healthy_although_it_allows_no_disruption() {
    let budget = |reason: &str, message: &str| {
        let status = json!({"observedGeneration": 1, "currentHealthy": 1, "desiredHealthy": 1, "disruptionsAllowed": 0, "conditions": [
            condition("DisruptionAllowed", "False", reason, message),
        ]});
        object("policy/v1", "PodDisruptionBudget", json!({}), status)
    };
    healthy("no disruption allowed", &budget("InsufficientPods", ""));
    degraded(
        "no controller for its pods",
        &budget("SyncFailed", "found no controllers for pod \"a\""),
        "found no controllers for pod \"a\"",
    );
}
