//! Through the virtual workspace of an export: writes as the controller makes them, where an apply does not count on removing anything, and
//! lists and watches of all workspaces, by which the caches live.

use cluster::kinds::PromiseRequest;
use futures::StreamExt as _;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::{Api, DeleteParams, ListParams, Patch, PatchParams, PostParams, WatchParams};
use kube::{Resource, ResourceExt};
use serde_json::{Value, json};

use crate::behaviours;
use crate::ground::{Ground, refused, request};
use crate::watching::change;

behaviours![
    what_is_left_out_goes,
    a_status_field_goes,
    a_patch_for_an_older_version_is_a_conflict,
    a_name_that_is_taken_is_a_conflict,
    what_we_write_is_noted_as_ours,
    a_list_of_all_workspaces_names_that_of_each_object,
    a_watch_of_all_workspaces_goes_on_where_their_list_ended,
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
    let waiting = json!({"phase": "Provisioning", "waitingOn": {"kind": "controller", "reason": "Applying", "message": "Creating resources"}, "conditions": []});
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

/// Whether it is in our namespace, and the id of its workspace.
fn place<K: Resource>(ground: &Ground, object: &K) -> (bool, String) {
    let is_here = object.meta().namespace.as_ref() == Some(&ground.namespace);
    (is_here, object.annotations().get("kcp.io/cluster").cloned().unwrap_or_default())
}

async fn a_list_of_all_workspaces_names_that_of_each_object(ground: Ground) {
    let map = made(&ground, json!({"x": "1"})).await.unwrap();
    let asked = ground.requests("opm-controller").create(&PostParams::default(), &request("a")).await.unwrap();
    let (client, id) = ground.everywhere();
    let maps = Api::<ConfigMap>::all(client.clone()).list(&ListParams::default()).await.unwrap();
    let requests = Api::<PromiseRequest>::all(client).list(&ListParams::default()).await.unwrap();
    let of_map = maps.iter().find(|other| other.uid() == map.uid()).map(|found| place(&ground, found));
    let of_request = requests.iter().find(|other| other.uid() == asked.uid()).map(|found| place(&ground, found));
    assert_eq!((of_map, of_request), (Some((true, id.to_string())), Some((true, id.to_string()))));
}

async fn a_watch_of_all_workspaces_goes_on_where_their_list_ended(ground: Ground) {
    let (client, id) = ground.everywhere();
    let everywhere = Api::<PromiseRequest>::all(client);
    let version = everywhere.list(&ListParams::default()).await.unwrap().metadata.resource_version.unwrap();
    let api = ground.requests("opm-controller");
    api.create(&PostParams::default(), &request("a")).await.unwrap();
    api.patch_status("a", &params(), &Patch::Merge(json!({"status": {"phase": "Ready"}}))).await.unwrap();
    api.delete("a", &DeleteParams::default()).await.unwrap();
    let mut events = everywhere.watch(&WatchParams::default(), &version).await.unwrap().boxed();
    for expected in ["added", "modified", "deleted"] {
        let (what, object) = change(&mut events).await;
        assert_eq!((what, place(&ground, &object)), (expected, (true, id.to_string())));
    }
}
