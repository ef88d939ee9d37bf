//! Writes through the virtual workspace of an export, as the controller makes them. An apply does not count on removing anything there.

use k8s_openapi::api::core::v1::ConfigMap;
use kube::ResourceExt;
use kube::api::{Patch, PatchParams, PostParams};
use serde_json::{Value, json};

use crate::behaviours;
use crate::ground::{Ground, refused, request};

behaviours![
    what_is_left_out_goes,
    a_status_field_goes,
    a_patch_for_an_older_version_is_a_conflict,
    a_name_that_is_taken_is_a_conflict,
    what_we_write_is_noted_as_ours,
];

const MANAGER: &str = "opm-fulfil";

fn params() -> PatchParams {
    PatchParams { field_manager: Some(MANAGER.to_owned()), ..PatchParams::default() }
}

async fn made(ground: &Ground, data: Value) -> Result<ConfigMap, kube::Error> {
    let object = serde_json::from_value(json!({"metadata": {"name": "a"}, "data": data})).unwrap();
    let params = PostParams { field_manager: Some(MANAGER.to_owned()), ..PostParams::default() };
    ground.config_maps_of_the_controller().create(&params, &object).await
}

async fn what_is_left_out_goes(ground: Ground) {
    let map = made(&ground, json!({"title": "x", "extra": "y"})).await.unwrap();
    let patch = json!({"metadata": {"uid": map.uid(), "resourceVersion": map.resource_version()}, "data": {"title": "z", "extra": null}});
    let left = ground.config_maps_of_the_controller().patch("a", &params(), &Patch::Merge(patch)).await.unwrap();
    assert_eq!(json!(left.data), json!({"title": "z"}));
}

async fn a_status_field_goes(ground: Ground) {
    let api = ground.requests("opm-controller");
    let made = api.create(&PostParams::default(), &request("a")).await.unwrap();
    let waiting = json!({"phase": "Provisioning", "waitingOn": {"kind": "controller", "what": "it is made"}, "conditions": []});
    let patch = |version: Option<String>, status: Value| Patch::Merge(json!({"metadata": {"resourceVersion": version}, "status": status}));
    let told = api.patch_status("a", &params(), &patch(made.resource_version(), waiting)).await.unwrap();
    assert!(told.status.as_ref().is_some_and(|status| status.waiting_on.is_some()));
    let done = json!({"phase": "Ready", "waitingOn": null});
    let told = api.patch_status("a", &params(), &patch(told.resource_version(), done)).await.unwrap();
    let status = serde_json::to_value(told.status).unwrap();
    assert_eq!((status["phase"].as_str(), status.get("waitingOn")), (Some("Ready"), None));
}

async fn a_patch_for_an_older_version_is_a_conflict(ground: Ground) {
    let map = made(&ground, json!({"x": "1"})).await.unwrap();
    let patch = || Patch::Merge(json!({"metadata": {"resourceVersion": map.resource_version()}, "data": {"x": "2"}}));
    let api = ground.config_maps_of_the_controller();
    let changed = api.patch("a", &params(), &Patch::Merge(json!({"data": {"y": "1"}}))).await.unwrap();
    assert_eq!(refused(api.patch("a", &params(), &patch()).await).0, 409);
    let requests = ground.requests("opm-controller");
    let asked = requests.create(&PostParams::default(), &request("a")).await.unwrap();
    requests.patch("a", &params(), &Patch::Merge(json!({"metadata": {"labels": {"seen": "yes"}}}))).await.unwrap();
    let late = Patch::Merge(json!({"metadata": {"resourceVersion": asked.resource_version()}, "status": {"phase": "Ready"}}));
    assert_eq!(refused(requests.patch_status("a", &params(), &late).await).0, 409);
    let other = Patch::Merge(json!({"metadata": {"uid": "another", "resourceVersion": changed.resource_version()}, "data": {"x": "2"}}));
    let code = refused(api.patch("a", &params(), &other).await).0;
    assert!(matches!(code, 409 | 422), "whatever came in its place is not changed: {code}");
}

async fn a_name_that_is_taken_is_a_conflict(ground: Ground) {
    made(&ground, json!({"x": "1"})).await.unwrap();
    assert_eq!(refused(made(&ground, json!({"x": "2"})).await), (409, "AlreadyExists".to_owned()));
}

/// By this a field of another manager is told from ours.
async fn what_we_write_is_noted_as_ours(ground: Ground) {
    made(&ground, json!({"ours": "1"})).await.unwrap();
    let theirs = PatchParams { field_manager: Some("another".to_owned()), ..PatchParams::default() };
    let api = ground.config_maps_of_the_controller();
    let map = api.patch("a", &theirs, &Patch::Merge(json!({"data": {"theirs": "1"}}))).await.unwrap();
    let of = |manager: &str| {
        let entries = map.metadata.managed_fields.clone().unwrap_or_default();
        let entry = entries.into_iter().find(|entry| entry.manager.as_deref() == Some(manager)).unwrap();
        entry.fields_v1.unwrap().0["f:data"].as_object().unwrap().keys().filter(|key| *key != ".").cloned().collect::<Vec<_>>()
    };
    assert_eq!((of(MANAGER), of("another")), (vec!["f:ours".to_owned()], vec!["f:theirs".to_owned()]));
}
