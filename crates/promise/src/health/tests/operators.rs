//! Operators that many clusters have.

use serde_json::{Value, json};

use super::fixture::{condition, conditions, degraded, healthy, object, progressing};

#[test]
fn a_certificate_is_usable_while_it_is_renewed() {
    let with = |status: Value| object("cert-manager.io/v1", "Certificate", json!({}), status);
    let ready = |status: &str| condition("Ready", status, "DoesNotExist", "Issuing certificate as Secret does not exist");
    let issuing = |status: &str, reason: &str, message: &str| condition("Issuing", status, reason, message);
    healthy("issued", &with(conditions([ready("True")])));
    healthy("renewed", &with(conditions([issuing("True", "Renewing", "Renewing certificate"), ready("True")])));
    let new = conditions([ready("False"), issuing("True", "DoesNotExist", "Issuing certificate as Secret does not exist")]);
    progressing("new", &with(new), "Issuing certificate as Secret does not exist");
    let failure = "The certificate request has failed to complete and will be retried: order is invalid";
    degraded("refused", &with(conditions([ready("False"), issuing("False", "Failed", failure)])), failure);

    let request = |condition: Value| object("cert-manager.io/v1", "CertificateRequest", json!({}), conditions([condition]));
    healthy("a request", &request(condition("Ready", "True", "Issued", "")));
    progressing(
        "a new request",
        &request(condition("Ready", "False", "Pending", "Waiting on certificate issuance")),
        "Waiting on certificate issuance",
    );
    progressing(
        "only approved",
        &request(condition("Approved", "True", "cert-manager.io", "")),
        "Its controller hasn't reported that it is ready",
    );
    degraded("a denied request", &request(condition("Denied", "True", "policy", "Domain not allowed")), "Domain not allowed");
    degraded("an invalid request", &request(condition("InvalidRequest", "True", "Bad", "Bad CSR")), "Bad CSR");
    let issuer = object(
        "cert-manager.io/v1",
        "ClusterIssuer",
        json!({}),
        conditions([condition("Ready", "False", "ErrRegisterACMEAccount", "No such host")]),
    );
    degraded("an issuer", &issuer, "No such host");
    let order =
        |state: &str, reason: &str| object("acme.cert-manager.io/v1", "Order", json!({}), json!({"state": state, "reason": reason}));
    healthy("an order", &order("valid", ""));
    progressing("an open order", &order("pending", ""), "Reports the state pending");
    degraded("a failed order", &order("invalid", "DNS problem"), "DNS problem");
}

#[test]
fn prometheus_is_reconciled_and_available() {
    for kind in ["Prometheus", "Alertmanager"] {
        let with =
            |available: Value, reconciled: Value| object("monitoring.coreos.com/v1", kind, json!({}), conditions([available, reconciled]));
        let [available, reconciled] = ["Available", "Reconciled"].map(|name| condition(name, "True", "", ""));
        healthy(kind, &with(available.clone(), reconciled.clone()));
        let some = condition("Available", "Degraded", "SomePodsNotReady", "shard 0: pod a-1: 0/2 containers ready");
        progressing(kind, &with(some, reconciled.clone()), "shard 0: pod a-1: 0/2 containers ready");
        let refused = condition("Reconciled", "False", "ReconciliationFailed", "creating config failed");
        degraded(kind, &with(available, refused), "creating config failed");
    }
    for kind in ["ServiceMonitor", "PodMonitor", "PrometheusRule"] {
        healthy(kind, &object("monitoring.coreos.com/v1", kind, json!({}), Value::Null));
    }
}

#[test]
fn secrets_that_cannot_be_synced_are_degraded() {
    let external = |status: &str, message: &str| {
        object(
            "external-secrets.io/v1",
            "ExternalSecret",
            json!({}),
            conditions([condition("Ready", status, "SecretSyncedError", message)]),
        )
    };
    healthy("synced", &external("True", "secret synced"));
    degraded("not synced", &external("False", "could not get secret data from provider"), "could not get secret data from provider");
    let sealed = |status: &str| {
        object(
            "bitnami.com/v1alpha1",
            "SealedSecret",
            json!({}),
            conditions([condition("Synced", status, "", "no key could decrypt secret")]),
        )
    };
    healthy("unsealed", &sealed("True"));
    degraded("a wrong key", &sealed("False"), "no key could decrypt secret");
}

#[test]
fn knative_keda_and_tekton_report_failures_as_false() {
    let knative = |status: &str| {
        object(
            "serving.knative.dev/v1",
            "Service",
            json!({}),
            conditions([condition("Ready", status, "RevisionMissing", "Configuration a is waiting")]),
        )
    };
    healthy("ready", &knative("True"));
    progressing("rolling out", &knative("Unknown"), "Configuration a is waiting");
    degraded("failed", &knative("False"), "Configuration a is waiting");

    let keda = |ready: &str, fallback: &str| {
        let ready = condition("Ready", ready, "ScaledObjectCheckFailed", "Failed to get metrics");
        object(
            "keda.sh/v1alpha1",
            "ScaledObject",
            json!({}),
            conditions([
                ready,
                condition("Active", "False", "", ""),
                condition("Fallback", fallback, "FallbackExists", "At least one trigger is falling back"),
            ]),
        )
    };
    healthy("scaling", &keda("True", "False"));
    degraded("no metrics", &keda("False", "False"), "Failed to get metrics");
    degraded("in fallback", &keda("True", "True"), "At least one trigger is falling back");

    let run = |status: &str| {
        object("tekton.dev/v1", "PipelineRun", json!({}), conditions([condition("Succeeded", status, "Running", "Tasks Completed: 1")]))
    };
    healthy("done", &run("True"));
    progressing("running", &run("Unknown"), "Tasks Completed: 1");
    degraded("failed", &run("False"), "Tasks Completed: 1");
}

#[test]
fn databases_and_brokers_say_what_they_need() {
    let postgres = |phase: &str, ready: &str| {
        let ready = condition("Ready", ready, "ClusterIsNotReady", "Cluster Is Not Ready");
        object(
            "postgresql.cnpg.io/v1",
            "Cluster",
            json!({}),
            json!({"phase": phase, "phaseReason": "Disk a is full.", "conditions": [ready]}),
        )
    };
    healthy("a cluster", &postgres("Cluster in healthy state", "True"));
    progressing("a new cluster", &postgres("Setting up primary", "False"), "Cluster Is Not Ready");
    degraded("a full disk", &postgres("Not enough disk space", "False"), "Not enough disk space: Disk a is full");
    let backup = |phase: &str| object("postgresql.cnpg.io/v1", "Backup", json!({}), json!({"phase": phase}));
    healthy("a backup", &backup("completed"));
    progressing("a running backup", &backup("running"), "Reports the phase running");
    degraded("a failed backup", &backup("failed"), "Reports the phase failed");

    let kafka = |conditions: Value| {
        object("kafka.strimzi.io/v1beta2", "Kafka", json!({}), json!({"observedGeneration": 1, "conditions": conditions}))
    };
    healthy("a broker", &kafka(json!([condition("Warning", "True", "KafkaStorage", ""), condition("Ready", "True", "", "")])));
    progressing(
        "a new broker",
        &kafka(json!([condition("NotReady", "True", "Creating", "Kafka cluster is being deployed")])),
        "Kafka cluster is being deployed",
    );
    degraded("a broken broker", &kafka(json!([condition("NotReady", "True", "InvalidResourceException", "No listeners")])), "No listeners");
}
