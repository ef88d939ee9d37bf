//! Kinds of platforms: APIs, Crossplane, Cluster API, kcp and Kratix.

use serde_json::{Value, json};

use super::fixture::{condition, conditions, degraded, healthy, object, progressing};

#[test]
fn a_definition_is_established_once_its_names_are_accepted() {
    let with = |accepted: Value, established: Value| {
        object("apiextensions.k8s.io/v1", "CustomResourceDefinition", json!({}), conditions([accepted, established]))
    };
    let accepted = || condition("NamesAccepted", "True", "NoConflicts", "no conflicts found");
    healthy("established", &with(accepted(), condition("Established", "True", "InitialNamesAccepted", "")));
    progressing(
        "being installed",
        &with(accepted(), condition("Established", "False", "Installing", "the initial names have been accepted")),
        "the initial names have been accepted",
    );
    let conflict = condition("NamesAccepted", "False", "PluralConflict", "\"widgets\" is already in use");
    degraded(
        "in conflict",
        &with(conflict, condition("Established", "False", "NotAccepted", "not all names are accepted")),
        "\"widgets\" is already in use",
    );
    let service = |status: &str| {
        object(
            "apiregistration.k8s.io/v1",
            "APIService",
            json!({}),
            conditions([condition("Available", status, "MissingEndpoints", "no endpoints")]),
        )
    };
    healthy("an API service", &service("True"));
    progressing("an API service without a server", &service("False"), "no endpoints");
}

#[test]
fn managed_resources_and_packages_of_crossplane() {
    let managed = |conditions: Value| object("s3.aws.upbound.io/v1beta2", "Bucket", json!({}), json!({"conditions": conditions}));
    let synced = |status: &str, reason: &str| condition("Synced", status, reason, "cannot resolve references");
    let ready = |status: &str, reason: &str| condition("Ready", status, reason, "");
    healthy("available", &managed(json!([synced("True", "ReconcileSuccess"), ready("True", "Available")])));
    progressing("creating", &managed(json!([synced("True", "ReconcileSuccess"), ready("False", "Creating")])), "Reports Creating");
    degraded("not synced", &managed(json!([synced("False", "ReconcileError"), ready("False", "Creating")])), "cannot resolve references");
    progressing("paused", &managed(json!([synced("False", "ReconcilePaused")])), "Paused");
    let last = condition("LastAsyncOperation", "False", "AsyncCreateFailure", "async create failed: AccessDenied");
    degraded("refused by the cloud", &managed(json!([last, ready("False", "Creating")])), "async create failed: AccessDenied");

    let package = |conditions: Value| object("pkg.crossplane.io/v1", "Provider", json!({}), json!({"conditions": conditions}));
    let installed = |status: &str, reason: &str, message: &str| condition("Installed", status, reason, message);
    healthy(
        "a package",
        &package(json!([installed("True", "ActivePackageRevision", ""), condition("Healthy", "True", "HealthyPackageRevision", "")])),
    );
    progressing("a package that is being fetched", &package(json!([installed("False", "UnpackingPackage", "fetching")])), "fetching");
    let unknown = condition("Healthy", "Unknown", "UnknownPackageRevisionHealth", "");
    progressing(
        "a new package",
        &package(json!([installed("True", "ActivePackageRevision", ""), unknown])),
        "Reports UnknownPackageRevisionHealth",
    );
    let unhealthy = condition("Healthy", "False", "UnhealthyPackageRevision", "incompatible Crossplane version");
    degraded(
        "a package that cannot run",
        &package(json!([installed("True", "ActivePackageRevision", ""), unhealthy])),
        "incompatible Crossplane version",
    );
}

#[test]
fn machines_say_whether_a_false_condition_is_a_failure() {
    let with = |severity: &str, phase: &str| {
        let mut ready = condition("Ready", "False", "Provisioning", "1 of 2 completed");
        ready["severity"] = json!(severity);
        object("cluster.x-k8s.io/v1beta1", "Machine", json!({}), json!({"phase": phase, "conditions": [ready]}))
    };
    progressing("in progress", &with("Info", "Provisioning"), "1 of 2 completed");
    degraded("an error", &with("Error", "Provisioning"), "1 of 2 completed");
    degraded("a failed phase", &with("Info", "Failed"), "1 of 2 completed");
    let gone =
        json!({"phase": "Failed", "failureReason": "UpdateError", "failureMessage": "EC2 instance state \"terminated\" is unexpected"});
    degraded(
        "a final failure",
        &object("cluster.x-k8s.io/v1beta1", "Machine", json!({}), gone),
        "EC2 instance state \"terminated\" is unexpected",
    );
    let cluster = json!({"phase": "Provisioned", "conditions": [condition("Available", "True", "Available", "")]});
    healthy("a cluster", &object("cluster.x-k8s.io/v1beta2", "Cluster", json!({}), cluster));
}

#[test]
fn workspaces_and_bindings_of_kcp() {
    let workspace = |phase: &str| {
        object(
            "tenancy.kcp.io/v1alpha1",
            "Workspace",
            json!({}),
            json!({"phase": phase, "conditions": [condition("WorkspaceScheduled", "True", "", "")]}),
        )
    };
    healthy("ready", &workspace("Ready"));
    progressing("initializing", &workspace("Initializing"), "Reports the phase Initializing");
    degraded("unavailable", &workspace("Unavailable"), "Reports the phase Unavailable");

    let binding = |valid: Value, completed: Value| {
        object("apis.kcp.io/v1alpha2", "APIBinding", json!({}), json!({"phase": "Binding", "conditions": [valid, completed]}))
    };
    let valid = || condition("APIExportValid", "True", "", "");
    healthy("bound", &binding(valid(), condition("InitialBindingCompleted", "True", "", "")));
    let waits = condition("InitialBindingCompleted", "False", "WaitingForEstablished", "Waiting for API(s) to be established");
    progressing("being bound", &binding(valid(), waits.clone()), "Waiting for API(s) to be established");
    let missing = condition("APIExportValid", "False", "APIExportNotFound", "APIExport root:a|b not found");
    degraded("no export", &binding(missing, waits), "APIExport root:a|b not found");
}

#[test]
fn requests_of_kratix_are_done_when_their_workflows_are() {
    let with = |status: &str, reason: &str| {
        let workflow = condition("ConfigureWorkflowCompleted", status, reason, "");
        object("marketplace.kratix.io/v1alpha1", "redis", json!({}), json!({"message": "Pending", "conditions": [workflow]}))
    };
    healthy("done", &with("True", "PipelinesExecutedSuccessfully"));
    progressing("running", &with("False", "PipelinesInProgress"), "Reports PipelinesInProgress");
    degraded("failed", &with("False", "ConfigureWorkflowFailed"), "Reports ConfigureWorkflowFailed");
}
