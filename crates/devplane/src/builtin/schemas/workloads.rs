//! Workloads: the groups `apps`, `batch`, `autoscaling` and `policy`, and pods themselves.

use serde_json::{Value, json};

use super::{
    Row,
    core::{claim_spec, claim_status},
    pod,
    shapes::{
        boolean, conditions, extended, integer, integer_or_text, kind, list, long, object, open, or, retain_keys, selector, set, text, time,
    },
};

pub(super) const KINDS: &[Row] = &[
    ("", "Pod", || {
        let mut spec = pod::spec();
        spec["properties"]["enableServiceLinks"]["default"] = true.into();
        kind(spec, pod::status())
    }),
    ("", "PodTemplate", || object([("template", pod::template())])),
    ("apps", "ControllerRevision", || object([("data", open()), ("revision", long())])),
    ("apps", "DaemonSet", || kind(daemon_set(), open())),
    ("apps", "Deployment", || kind(deployment(), deployment_status())),
    ("apps", "ReplicaSet", || kind(replica_set(), replica_status())),
    ("apps", "StatefulSet", || kind(stateful_set(), stateful_set_status())),
    ("autoscaling", "HorizontalPodAutoscaler", || {
        let target = object([("apiVersion", text()), ("kind", text()), ("name", text())]);
        let spec = object([
            ("scaleTargetRef", target),
            ("minReplicas", or(integer(), 1)),
            ("maxReplicas", integer()),
            ("metrics", list(open())),
            ("behavior", open()),
        ]);
        kind(spec, extended(open(), [("conditions", conditions())]))
    }),
    ("batch", "CronJob", || kind(cron_job(), open())),
    ("batch", "Job", || kind(job(), job_status())),
    ("policy", "PodDisruptionBudget", || {
        let spec = object([
            ("minAvailable", integer_or_text()),
            ("maxUnavailable", integer_or_text()),
            ("selector", selector()),
            ("unhealthyPodEvictionPolicy", text()),
        ]);
        kind(spec, extended(open(), [("conditions", conditions())]))
    }),
];

fn deployment() -> Value {
    let rolling = object([("maxSurge", integer_or_text()), ("maxUnavailable", integer_or_text())]);
    object([
        ("replicas", or(integer(), 1)),
        ("selector", selector()),
        ("template", pod::template()),
        ("strategy", retain_keys(object([("type", text()), ("rollingUpdate", rolling)]))),
        ("minReadySeconds", integer()),
        ("revisionHistoryLimit", or(integer(), 10)),
        ("paused", boolean()),
        ("progressDeadlineSeconds", or(integer(), 600)),
    ])
}

fn deployment_status() -> Value {
    object([
        ("availableReplicas", integer()),
        ("collisionCount", integer()),
        ("conditions", conditions()),
        ("observedGeneration", long()),
        ("readyReplicas", integer()),
        ("replicas", integer()),
        ("terminatingReplicas", integer()),
        ("unavailableReplicas", integer()),
        ("updatedReplicas", integer()),
    ])
}

fn replica_set() -> Value {
    object([("replicas", or(integer(), 1)), ("minReadySeconds", integer()), ("selector", selector()), ("template", pod::template())])
}

fn replica_status() -> Value {
    object([
        ("availableReplicas", integer()),
        ("conditions", conditions()),
        ("fullyLabeledReplicas", integer()),
        ("observedGeneration", long()),
        ("readyReplicas", integer()),
        ("replicas", integer()),
        ("terminatingReplicas", integer()),
    ])
}

fn daemon_set() -> Value {
    let rolling = object([("maxSurge", integer_or_text()), ("maxUnavailable", integer_or_text())]);
    object([
        ("selector", selector()),
        ("template", pod::template()),
        ("updateStrategy", object([("type", text()), ("rollingUpdate", rolling)])),
        ("minReadySeconds", integer()),
        ("revisionHistoryLimit", or(integer(), 10)),
    ])
}

fn stateful_set() -> Value {
    let claim = object([
        ("apiVersion", text()),
        ("kind", text()),
        ("metadata", pod::metadata()),
        ("spec", claim_spec()),
        ("status", claim_status()),
    ]);
    let retention = object([("whenDeleted", or(text(), "Retain")), ("whenScaled", or(text(), "Retain"))]);
    let rolling = object([("maxUnavailable", integer_or_text()), ("partition", integer())]);
    object([
        ("replicas", or(integer(), 1)),
        ("selector", selector()),
        ("template", pod::template()),
        ("volumeClaimTemplates", list(claim)),
        ("serviceName", or(text(), "")),
        ("podManagementPolicy", or(text(), "OrderedReady")),
        ("updateStrategy", object([("type", text()), ("rollingUpdate", rolling)])),
        ("revisionHistoryLimit", or(integer(), 10)),
        ("minReadySeconds", integer()),
        ("persistentVolumeClaimRetentionPolicy", or(retention, json!({}))),
        ("ordinals", object([("start", integer())])),
    ])
}

fn stateful_set_status() -> Value {
    object([
        ("availableReplicas", integer()),
        ("collisionCount", integer()),
        ("conditions", conditions()),
        ("currentReplicas", integer()),
        ("currentRevision", text()),
        ("observedGeneration", long()),
        ("readyReplicas", integer()),
        ("replicas", integer()),
        ("updateRevision", text()),
        ("updatedReplicas", integer()),
    ])
}

fn job() -> Value {
    let mut template = pod::template();
    // A Job must say whether its pods restart; the default of pods would be none for it.
    if let Some(policy) = template["properties"]["spec"]["properties"]["restartPolicy"].as_object_mut() {
        policy.remove("default");
    }
    let condition = object([("type", text()), ("status", or(text(), "True"))]);
    let codes = object([("containerName", text()), ("operator", text()), ("values", set(integer()))]);
    let rule = object([("action", text()), ("onExitCodes", codes), ("onPodConditions", list(condition))]);
    object([
        ("parallelism", or(integer(), 1)),
        ("completions", integer()),
        ("activeDeadlineSeconds", long()),
        ("podFailurePolicy", object([("rules", list(rule))])),
        ("successPolicy", open()),
        ("backoffLimit", or(integer(), 6)),
        ("backoffLimitPerIndex", integer()),
        ("maxFailedIndexes", integer()),
        ("selector", selector()),
        ("manualSelector", or(boolean(), false)),
        ("template", template),
        ("ttlSecondsAfterFinished", integer()),
        ("completionMode", or(text(), "NonIndexed")),
        ("suspend", or(boolean(), false)),
        ("podReplacementPolicy", or(text(), "TerminatingOrFailed")),
        ("managedBy", text()),
    ])
}

/// A Job that is yet to be made: what its pods are is completed, what it does itself is not.
fn job_of_template() -> Value {
    let mut job = job();
    for name in ["parallelism", "backoffLimit", "manualSelector", "completionMode", "suspend", "podReplacementPolicy"] {
        if let Some(field) = job["properties"][name].as_object_mut() {
            field.remove("default");
        }
    }
    job
}

fn job_status() -> Value {
    let uncounted = object([("failed", set(text())), ("succeeded", set(text()))]);
    object([
        ("active", integer()),
        ("completedIndexes", text()),
        ("completionTime", time()),
        ("conditions", conditions()),
        ("failed", integer()),
        ("failedIndexes", text()),
        ("ready", integer()),
        ("startTime", time()),
        ("succeeded", integer()),
        ("terminating", integer()),
        ("uncountedTerminatedPods", uncounted),
    ])
}

fn cron_job() -> Value {
    object([
        ("schedule", text()),
        ("timeZone", text()),
        ("startingDeadlineSeconds", long()),
        ("concurrencyPolicy", or(text(), "Allow")),
        ("suspend", or(boolean(), false)),
        ("jobTemplate", object([("metadata", pod::metadata()), ("spec", job_of_template())])),
        ("successfulJobsHistoryLimit", or(integer(), 3)),
        ("failedJobsHistoryLimit", or(integer(), 1)),
    ])
}
