//! Records that are lost: what runs stays as it is, and the request says what is missing.

use cluster::endpoint::Target;
use cluster::kinds::{Export, PromiseRelease, PromiseRequest, PromiseRevision};
use cluster::{ClusterId, Endpoint, Scope};
use futures::StreamExt as _;
use http::Method;
use kube::Client;
use kube::api::{Api, DeleteParams, DynamicObject, Patch, PatchParams, PostParams};
use kube::core::{ApiResource, GroupVersionKind};
use kube::runtime::WatchStreamExt as _;
use kube::runtime::watcher::{Config, watcher};
use promise::api::Phase;
use serde_json::{Value, json};

use crate::patience::Busy;
use crate::trust::refused;
use crate::world::{PATIENCE, Plane, condition, on_every_plane, on_kubernetes, settings};

on_kubernetes![
    a_lost_revision_upgrades_nothing_and_the_request_goes_on_once_it_is_back,
    a_revision_of_other_content_under_the_name_of_a_lost_one_is_not_run,
    what_is_to_be_orphaned_stays_while_a_lost_revision_keeps_from_judging_it,
];
on_every_plane![
    a_lost_release_is_recorded_again_with_the_same_content,
    a_lost_release_is_held_while_the_request_wants_another_content,
    a_lost_release_comes_back_from_a_backup,
];

crate::world::on_every_plane_in_full![a_moment_in_which_a_release_cannot_be_read_is_told_to_nobody,];

/// A request that runs the first version while the second is published, and no controller.
async fn pinned(plane: &Plane) -> PromiseRequest {
    let controller = plane.controller().await;
    plane.offer().await;
    plane.publish("settings", settings("1.0.0")).await;
    plane.ask("web", "settings", json!({"level": 5})).await;
    let ready = plane.ready("web").await;
    plane.publish("settings", settings("2.0.0")).await;
    controller.stop().await;
    ready
}

fn release(request: &PromiseRequest) -> (String, String) {
    let current = request.status.clone().unwrap().current.unwrap();
    (current.release, current.revision)
}

/// A client of the controller in the shop: on kcp it has rights there through the export alone.
async fn as_controller(plane: &Plane) -> Client {
    if plane.has_namespaces() {
        return plane.client("opm-controller", "root:acme:shop");
    }
    let kind = ApiResource::from_gvk(&GroupVersionKind::gvk("tenancy.kcp.io", "v1alpha1", "Workspace"));
    let shop = Api::<DynamicObject>::all_with(plane.client("admin", "root:acme"), &kind).get("shop").await.unwrap();
    let shop = ClusterId::parse(shop.data.pointer("/spec/cluster").and_then(Value::as_str).unwrap()).unwrap();
    let export = Export::Requests.name().to_owned();
    let scope = Scope::Export { cluster: plane.installed().provider.clone(), export, target: Target::Workspace(shop) };
    plane.endpoint.client(&plane.token("opm-controller"), &scope)
}

/// Removes the release that runs; only the controller may.
pub async fn lose_release(plane: &Plane, name: &str) -> Api<PromiseRelease> {
    let releases: Api<PromiseRelease> = Api::namespaced(as_controller(plane).await, plane.namespace());
    releases.delete(name, &DeleteParams::default()).await.unwrap();
    releases
}

async fn held(plane: &Plane) -> PromiseRequest {
    plane.until("web", "held", |request| condition(request, "Ready").starts_with("False RecordMissing")).await
}

async fn level(plane: &Plane) -> String {
    plane.config_maps().get("web-config").await.unwrap().data.unwrap()["level"].clone()
}

async fn lose_revision(plane: &Plane, name: &str) {
    let revisions: Api<PromiseRevision> = Api::all(plane.client("admin", "root:platform"));
    revisions.delete(name, &DeleteParams::default()).await.unwrap();
}

async fn a_lost_revision_upgrades_nothing_and_the_request_goes_on_once_it_is_back(plane: Plane) {
    let before = pinned(&plane).await;
    let (release, revision) = release(&before);
    lose_revision(&plane, &revision).await;
    let controller = plane.controller().await;
    let held = held(&plane).await;
    let said = condition(&held, "Applied");
    assert!(said.contains(&revision) && said.contains("publish version 1.0.0 again"), "{said}");
    let status = held.status.unwrap();
    assert_eq!(status.current, before.status.as_ref().unwrap().current, "nothing else is chosen");
    assert_eq!((status.phase, &status.inventory), (Phase::Degraded, &before.status.as_ref().unwrap().inventory));
    // Nor does an edit choose anything before the revision is back.
    let edit = json!({"spec": {"parameters": {"level": 6}}});
    plane.requests("dana").patch("web", &PatchParams::default(), &Patch::Merge(&edit)).await.unwrap();
    plane.ask("other", "settings", json!({})).await;
    plane.ready("other").await;
    assert_eq!(level(&plane).await, "5");

    plane.publish("settings", settings("1.0.0")).await;
    let ready = plane.ready("web").await;
    assert_eq!(ready.status.unwrap().current.unwrap().version, "1.0.0");
    assert_eq!(level(&plane).await, "6");
    assert_ne!(plane.requests("dana").get("web").await.unwrap().status.unwrap().current.unwrap().release, release);
    controller.stop().await;
}

/// Its name proves nothing, also where it was not published in a regular way.
async fn a_revision_of_other_content_under_the_name_of_a_lost_one_is_not_run(plane: Plane) {
    let before = pinned(&plane).await;
    let (_, revision) = release(&before);
    lose_revision(&plane, &revision).await;
    let forged = crate::revisions::revision(&revision, &crate::revisions::other());
    crate::revisions::of_controller(&plane).create(&PostParams::default(), &forged).await.unwrap();
    let controller = plane.controller().await;
    let held = held(&plane).await;
    assert_eq!(held.status.unwrap().current, before.status.unwrap().current);
    let made = plane.config_maps().get("web-config").await.unwrap().data.unwrap();
    assert_eq!((made["level"].as_str(), made.get("forged")), ("5", None));
    controller.stop().await;
}

async fn a_lost_release_is_recorded_again_with_the_same_content(plane: Plane) {
    let before = pinned(&plane).await;
    let (name, _) = release(&before);
    let releases = lose_release(&plane, &name).await;
    let controller = plane.controller().await;
    let recorded = crate::world::wait(releases, &name, "recorded again", |_: &PromiseRelease| true).await;
    let current = before.status.unwrap().current.unwrap();
    assert_eq!(Some(&recorded.spec.content_hash), current.content_hash.as_ref());
    let ready = plane.ready("web").await;
    assert_eq!(ready.status.unwrap().current, Some(current), "it runs as before");
    controller.stop().await;
}

async fn a_lost_release_is_held_while_the_request_wants_another_content(plane: Plane) {
    let before = pinned(&plane).await;
    let (name, _) = release(&before);
    lose_release(&plane, &name).await;
    let edit = |level: i64| Patch::Merge(json!({"spec": {"parameters": {"level": level}}}));
    plane.requests("dana").patch("web", &PatchParams::default(), &edit(7)).await.unwrap();
    let controller = plane.controller().await;
    let stopped = held(&plane).await;
    let said = condition(&stopped, "Ready");
    assert!(said.contains(&name) && said.contains("Restore the PromiseRelease"), "{said}");
    assert_eq!(stopped.status.unwrap().current, before.status.unwrap().current);
    assert_eq!(level(&plane).await, "5");
    // As it was asked for when the release was made, it is that release again.
    plane.requests("dana").patch("web", &PatchParams::default(), &edit(5)).await.unwrap();
    let ready = plane.ready("web").await;
    assert_eq!(release(&ready).0, name);
    controller.stop().await;
}

/// The way the message on the request describes. Only the controller may do it.
async fn a_lost_release_comes_back_from_a_backup(plane: Plane) {
    let (name, _) = release(&pinned(&plane).await);
    let api: Api<PromiseRelease> = Api::namespaced(as_controller(&plane).await, plane.namespace());
    let mut backup = api.get(&name).await.unwrap();
    lose_release(&plane, &name).await;
    let edit = Patch::Merge(json!({"spec": {"parameters": {"level": 7}}}));
    plane.requests("dana").patch("web", &PatchParams::default(), &edit).await.unwrap();
    let controller = plane.controller().await;
    held(&plane).await;

    let metadata = &mut backup.metadata;
    (metadata.uid, metadata.resource_version, metadata.creation_timestamp) = (None, None, None);
    refused("admin", plane.in_shop::<PromiseRelease>("admin").create(&PostParams::default(), &backup).await);
    api.create(&PostParams::default(), &backup).await.unwrap();
    let ready = plane.until("web", "edited", |request| request.status.as_ref().is_some_and(|status| status.phase == Phase::Ready)).await;
    assert_ne!(release(&ready).0, name, "the edit made meanwhile is rolled out");
    assert_eq!(level(&plane).await, "7");
    controller.stop().await;
}

async fn what_is_to_be_orphaned_stays_while_a_lost_revision_keeps_from_judging_it(plane: Plane) {
    let before = pinned(&plane).await;
    let (_, revision) = release(&before);
    lose_revision(&plane, &revision).await;
    let orphan = Patch::Merge(json!({"spec": {"deletionPolicy": "Orphan"}}));
    plane.requests("dana").patch("web", &PatchParams::default(), &orphan).await.unwrap();
    plane.requests("dana").delete("web", &DeleteParams::default()).await.unwrap();
    let controller = plane.controller().await;
    let says = |request: &PromiseRequest| request.status.as_ref().and_then(|status| Some(status.waiting_on.as_ref()?.message.clone()));
    let is_undecided = |said: String| said.contains(&revision) && said.contains("can't decide whether the objects stay");
    plane.until("web", "held", |request| says(request).is_some_and(is_undecided)).await;
    assert_eq!(level(&plane).await, "5", "nothing is removed");

    plane.publish("settings", settings("1.0.0")).await;
    plane.gone(plane.requests("dana"), "web").await;
    assert_eq!(level(&plane).await, "5", "what was asked for is allowed, and the objects stay");
    controller.stop().await;
}

/// Four failed reads of a release that is gone are no news; that it is gone is found out afterwards, and it is recorded again.
async fn a_moment_in_which_a_release_cannot_be_read_is_told_to_nobody(plane: Plane) {
    let (name, _) = release(&pinned(&plane).await);
    let releases = lose_release(&plane, &name).await;
    let busy = Busy::with(Method::GET, &format!("/promisereleases/{name}"));
    busy.begin(4);
    let mut changes = Box::pin(watcher(plane.requests("dana"), Config::default()).applied_objects());
    let controller = plane.controller_over(Endpoint::in_process("busy", Busy::at(plane.router(), [&busy]))).await;
    crate::world::wait(releases, &name, "recorded again", |_: &PromiseRelease| true).await;
    assert!(busy.is_over(), "the server was busy");
    let edit = Patch::Merge(json!({"spec": {"parameters": {"level": 6}}}));
    plane.requests("dana").patch("web", &PatchParams::default(), &edit).await.unwrap();
    loop {
        let request = tokio::time::timeout(PATIENCE, changes.next()).await.expect("it goes on in time").unwrap().unwrap();
        let ready = condition(&request, "Ready");
        assert!(!ready.starts_with("Unknown"), "{ready}");
        if request.metadata.generation == Some(2) && ready.starts_with("True") {
            break;
        }
    }
    controller.stop().await;
}
