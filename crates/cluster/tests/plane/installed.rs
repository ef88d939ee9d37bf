//! What the installation guards, and what tenants cannot do.

use cluster::install;
use cluster::kinds::{Export, PromiseRelease, object};
use kube::Api;
use kube::api::{ApiResource, DeleteParams, DynamicObject, GroupVersionKind, Patch, PatchParams, PostParams};
use kube::runtime::wait::await_condition;
use promise::names;
use serde_json::json;

use crate::world::{PATIENCE, Plane, request, settings};

#[tokio::test(flavor = "multi_thread")]
async fn installing_twice_changes_nothing() {
    let plane = Plane::open().await;
    let again = install::provider(&plane.client("admin", "root:opm"), &install::Options::default()).await.unwrap();
    assert_eq!(again, *plane.installed());
}

#[tokio::test(flavor = "multi_thread")]
async fn the_requester_is_stamped_and_frozen() {
    let plane = Plane::open().await;
    let mut forged = request("a", "settings", json!({}));
    forged.spec.requester = Some(promise::api::Requester { username: "somebody-else".into(), groups: vec!["admins".into()] });
    let stamped = plane.requests("dana").create(&PostParams::default(), &forged).await.unwrap();
    let requester = stamped.spec.requester.unwrap();
    assert_eq!(requester.username, "dana");
    assert!(requester.groups.contains(&"shop".to_owned()), "{:?}", requester.groups);
    let patch = json!({"spec": {"requester": {"username": "somebody-else"}}});
    let refused = plane.requests("dana").patch("a", &PatchParams::default(), &Patch::Merge(&patch)).await.unwrap_err();
    assert!(cluster::error::from_plane(&refused, "request a").to_string().contains("cannot change"), "{refused}");

    // It is the policy of the provider workspace that stamps: without it whatever was sent stands.
    let policies: Api<DynamicObject> = Api::all_with(
        plane.client("admin", "root:opm"),
        &ApiResource::from_gvk(&GroupVersionKind::gvk("admissionregistration.k8s.io", "v1", "MutatingAdmissionPolicy")),
    );
    policies.delete("requester-stamp.platform.opmodel.dev", &DeleteParams::default()).await.unwrap();
    let mut forged = request("b", "settings", json!({}));
    forged.spec.requester = Some(promise::api::Requester { username: "somebody-else".into(), groups: Vec::new() });
    let unstamped = plane.requests("dana").create(&PostParams::default(), &forged).await.unwrap();
    assert_eq!(unstamped.spec.requester.unwrap().username, "somebody-else");
}

#[tokio::test(flavor = "multi_thread")]
async fn tenants_write_neither_status_nor_releases_and_keep_the_finalizer() {
    let plane = Plane::open().await;
    let controller = plane.controller().await;
    plane.offer().await;
    plane.publish("settings", settings("1.0.0")).await;
    plane.ask("a", "settings", json!({})).await;
    plane.ready("a").await;
    let requests = plane.requests("dana");
    let status = json!({"status": {"phase": "Failed"}});
    let refused = requests.patch_status("a", &PatchParams::default(), &Patch::Merge(&status)).await.unwrap_err();
    assert!(matches!(refused, kube::Error::Api(ref status) if status.code == 403), "{refused}");
    let bare = json!({"metadata": {"finalizers": null}});
    let refused = requests.patch("a", &PatchParams::default(), &Patch::Merge(&bare)).await.unwrap_err();
    assert!(refused.to_string().contains("removed by the controller"), "{refused}");
    let releases: Api<PromiseRelease> = Api::namespaced(plane.client("dana", "root:acme:shop"), "default");
    let forged = object("forged", Some("default"), promise::api::PromiseReleaseSpec::default());
    let refused = releases.create(&PostParams::default(), &forged).await.unwrap_err();
    assert!(matches!(refused, kube::Error::Api(ref status) if status.code == 403), "{refused}");
    assert_eq!(plane.requests("dana").get("a").await.unwrap().metadata.finalizers.unwrap(), [names::FINALIZER]);
    controller.stop().await;
}

/// A binding of an earlier build claims in other words, and then nothing is granted.
#[tokio::test(flavor = "multi_thread")]
async fn bindings_of_another_build_are_renewed_and_rejections_stay() {
    let plane = Plane::open().await;
    crate::rights::reject(&plane, "root:acme:shop", "configmaps").await;
    let shop = plane.client("admin", "root:acme:shop");
    let kind = ApiResource::from_gvk(&GroupVersionKind::gvk("apis.kcp.io", "v1alpha2", "APIBinding"));
    let bindings: Api<DynamicObject> = Api::all_with(shop.clone(), &kind);
    let name = install::binding_name(Export::Requests);
    let mut claims = bindings.get(name).await.unwrap().data["spec"]["permissionClaims"].clone();
    for claim in claims.as_array_mut().unwrap().iter_mut().filter(|claim| claim["resource"] == "secrets") {
        claim["verbs"] = json!(["*"]);
    }
    let old = json!({"spec": {"permissionClaims": claims}});
    bindings.patch(name, &PatchParams::default(), &Patch::Merge(&old)).await.unwrap();
    let missing = |names: &'static [&'static str]| {
        move |object: Option<&DynamicObject>| object.is_some_and(|o| install::missing_claims(Export::Requests, &o.data) == names)
    };
    let until = |names| tokio::time::timeout(PATIENCE, await_condition(bindings.clone(), name, missing(names)));
    until(&["configmaps", "secrets"]).await.expect("the old words grant nothing").unwrap();
    install::rebind(&shop, plane.installed()).await.unwrap();
    until(&["configmaps"]).await.expect("what was rejected stays rejected").unwrap();
}
