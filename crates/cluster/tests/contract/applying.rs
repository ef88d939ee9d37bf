//! Server-side apply, by which everything is made and kept.

use cluster::kinds::PromiseRequest;
use k8s_openapi::api::admissionregistration::v1::ValidatingAdmissionPolicyBinding;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::{Patch, PatchParams, PostParams};
use kube::{Api, ResourceExt};
use serde_json::{Value, json};

use crate::behaviours;
use crate::ground::{Ground, refused, request};

behaviours![
    an_apply_makes_and_the_same_again_changes_nothing,
    what_is_left_out_goes_and_what_others_own_stays,
    another_value_of_another_manager_is_a_conflict_that_names_both,
    force_takes_over,
    a_status_for_an_older_version_is_a_conflict,
    parameters_are_one_value,
    what_two_managers_apply_to_a_set_is_joined,
];

fn body(data: Value) -> Value {
    json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "data": data})
}

async fn apply(ground: &Ground, manager: &str, force: bool, data: Value) -> Result<ConfigMap, kube::Error> {
    let params = PatchParams { force, ..PatchParams::apply(manager) };
    ground.config_maps().patch("a", &params, &Patch::Apply(body(data))).await
}

fn data(object: &ConfigMap) -> Value {
    json!(object.data.clone().unwrap_or_default())
}

async fn an_apply_makes_and_the_same_again_changes_nothing(ground: Ground) {
    let made = apply(&ground, "one", false, json!({"x": "1"})).await.unwrap();
    let again = apply(&ground, "one", false, json!({"x": "1"})).await.unwrap();
    assert_eq!((made.uid(), made.resource_version()), (again.uid(), again.resource_version()));
}

async fn what_is_left_out_goes_and_what_others_own_stays(ground: Ground) {
    apply(&ground, "one", false, json!({"x": "1", "y": "1"})).await.unwrap();
    apply(&ground, "two", false, json!({"y": "1", "z": "2"})).await.unwrap();
    let left = apply(&ground, "one", false, json!({})).await.unwrap();
    assert_eq!(data(&left), json!({"y": "1", "z": "2"}));
}

async fn another_value_of_another_manager_is_a_conflict_that_names_both(ground: Ground) {
    apply(&ground, "one", false, json!({"x": "1"})).await.unwrap();
    let kube::Error::Api(status) = apply(&ground, "two", false, json!({"x": "2"})).await.unwrap_err() else { panic!("a Status") };
    assert_eq!((status.code, status.reason.as_str()), (409, "Conflict"));
    let causes = &status.details.as_ref().unwrap().causes;
    assert_eq!((causes.len(), causes[0].reason.as_str(), causes[0].field.as_str()), (1, "FieldManagerConflict", ".data.x"));
    assert!(causes[0].message.contains("\"one\""), "{}", causes[0].message);
}

async fn force_takes_over(ground: Ground) {
    apply(&ground, "one", false, json!({"x": "1"})).await.unwrap();
    let taken = apply(&ground, "two", true, json!({"x": "2"})).await.unwrap();
    assert_eq!(data(&taken), json!({"x": "2"}));
    let left = apply(&ground, "one", false, json!({})).await.unwrap();
    assert_eq!(data(&left), json!({"x": "2"}), "the field is not one's any more");
}

/// The uid guards nothing here: with a status the server takes no other metadata than the version.
async fn a_status_for_an_older_version_is_a_conflict(ground: Ground) {
    let api = ground.requests("admin");
    let made = api.create(&PostParams::default(), &request("a")).await.unwrap();
    let body = |metadata: Value| {
        json!({
            "apiVersion": "platform.opmodel.dev/v1alpha1", "kind": "PromiseRequest", "metadata": metadata,
            "status": {"phase": "Provisioning", "conditions": [{
                "type": "Accepted", "status": "True", "reason": "Valid", "message": "", "observedGeneration": 1, "lastTransitionTime": "2026-11-21T10:00:00Z",
            }]},
        })
    };
    let of = |object: &PromiseRequest| body(json!({"name": "a", "resourceVersion": object.resource_version()}));
    let params = PatchParams::apply("opm-fulfil").force();
    let told = api.patch_status("a", &params, &Patch::Apply(of(&made))).await.unwrap();
    let again = api.patch_status("a", &params, &Patch::Apply(of(&told))).await.unwrap();
    assert_eq!(told.resource_version(), again.resource_version(), "the same status again changes nothing");
    let patch = json!({"spec": {"reason": "changed"}});
    api.patch("a", &PatchParams::default(), &Patch::Merge(patch)).await.unwrap();
    assert_eq!(refused(api.patch_status("a", &params, &Patch::Apply(of(&told))).await).0, 409);
    let other = api.patch_status("a", &params, &Patch::Apply(body(json!({"name": "a", "uid": "another"})))).await.unwrap();
    assert_eq!(other.uid(), made.uid());
}

/// Parameters are replaced as a whole, so that what a person leaves out goes, whoever wrote it.
async fn parameters_are_one_value(ground: Ground) {
    let api = ground.requests("admin");
    api.create(&PostParams::default(), &request("a")).await.unwrap();
    let body = |parameters: Value| {
        json!({
            "apiVersion": "platform.opmodel.dev/v1alpha1", "kind": "PromiseRequest", "metadata": {"name": "a"},
            "spec": {"promise": {"name": "redis", "workspace": "root:platform"}, "parameters": parameters},
        })
    };
    let kube::Error::Api(status) =
        api.patch("a", &PatchParams::apply("opm-portal"), &Patch::Apply(body(json!({"other": 1})))).await.unwrap_err()
    else {
        panic!("a Status")
    };
    assert_eq!(status.details.as_ref().unwrap().causes[0].field, ".spec.parameters");
    let taken = api.patch("a", &PatchParams::apply("opm-portal").force(), &Patch::Apply(body(json!({"other": 1})))).await.unwrap();
    assert_eq!(serde_json::to_value(&taken.spec.parameters).unwrap(), json!({"other": 1}));
}

/// So nobody takes the teeth out of a guard by applying it once more in other words.
async fn what_two_managers_apply_to_a_set_is_joined(ground: Ground) {
    let api: Api<ValidatingAdmissionPolicyBinding> = Api::all(ground.client("admin"));
    let binding = |actions: Value| {
        json!({
            "apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingAdmissionPolicyBinding", "metadata": {"name": "contract"},
            "spec": {"policyName": "there-is-none", "validationActions": actions},
        })
    };
    for (manager, actions) in [("one", json!(["Deny"])), ("two", json!(["Audit"]))] {
        api.patch("contract", &PatchParams::apply(manager).force(), &Patch::Apply(binding(actions))).await.unwrap();
    }
    let mut joined = api.get("contract").await.unwrap().spec.validation_actions;
    joined.sort();
    assert_eq!(joined, ["Audit", "Deny"]);
}
