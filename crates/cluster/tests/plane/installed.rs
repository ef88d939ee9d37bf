//! What the installation guards, and what tenants cannot do.

use cluster::endpoint::Credential;
use cluster::kinds::Export;
use cluster::{Topology, install};
use k8s_openapi::api::rbac::v1::ClusterRole;
use kube::Api;
use kube::api::{ApiResource, DeleteParams, DynamicObject, GroupVersionKind, Patch, PatchParams, PostParams};
use kube::runtime::wait::await_condition;
use serde_json::json;

use crate::world::{PATIENCE, Plane, path, request};

#[tokio::test(flavor = "multi_thread")]
async fn installing_twice_changes_nothing() {
    let plane = Plane::open().await;
    let again = install::provider(&plane.client("admin", "root:opm"), &install::Options::default()).await.unwrap();
    assert_eq!(again, *plane.installed());
}

/// The same by the command, which makes the workspaces as well, and says what somebody changed since.
#[tokio::test(flavor = "multi_thread")]
async fn what_is_missing_is_found_and_mended() {
    let plane = Plane::open().await;
    let options = install::Options { homes: vec![path("root:platform"), path("root:teams:data")], ..Default::default() };
    let examined = async || {
        let found = install::doctor(&plane.endpoint, &plane.administrator(), &plane.topology, &options).await.unwrap();
        found.into_iter().map(|finding| finding.what).collect::<Vec<_>>()
    };
    for prefix in ["/clusters/root", "/clusters/root:acme:shop", "/clusters/root:nowhere"] {
        let operator = Credential { prefix: prefix.to_owned(), ..plane.administrator() };
        assert_eq!(Topology::detect(&plane.endpoint, &operator).await.unwrap(), plane.topology, "{prefix}");
    }
    let found = examined().await;
    assert!(found.iter().any(|line| line.contains("root:teams:data")), "{found:?}");
    install::bootstrap(&plane.endpoint, &plane.administrator(), &plane.topology, &options).await.unwrap();
    assert_eq!(examined().await, Vec::<String>::new());

    let roles: Api<ClusterRole> = Api::all(plane.client("admin", "root:opm"));
    roles.delete("opm-bind-requests", &DeleteParams::default()).await.unwrap();
    let less = json!({"rules": [{"nonResourceURLs": ["/"], "verbs": ["access"]}]});
    roles.patch("opm-portal", &PatchParams::default(), &Patch::Merge(&less)).await.unwrap();
    crate::rights::reject(&plane, "root:teams:data", "secrets").await;
    let expected = [
        "ClusterRole opm-portal in root:opm differs from what this build installs.",
        "ClusterRole opm-bind-requests is missing in root:opm.",
        "root:teams:data doesn't grant secrets to requests.platform.opmodel.dev.",
    ];
    assert_eq!(examined().await, expected);
    install::bootstrap(&plane.endpoint, &plane.administrator(), &plane.topology, &options).await.unwrap();
    assert_eq!(examined().await, Vec::<String>::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn the_requester_is_stamped_and_frozen() {
    let plane = Plane::open().await;
    let mut forged = request("a", "settings", json!({}));
    forged.spec.requester = Some(promise::api::Requester {
        username: "somebody-else".into(),
        groups: vec!["admins".into()],
        cluster: Some("elsewhere".into()),
    });
    let stamped = plane.requests("dana").create(&PostParams::default(), &forged).await.unwrap();
    let requester = stamped.spec.requester.unwrap();
    assert_eq!(requester.username, "dana");
    assert!(requester.groups.contains(&"shop".to_owned()), "{:?}", requester.groups);
    let patch = json!({"spec": {"requester": {"username": "somebody-else"}}});
    let refused = plane.requests("dana").patch("a", &PatchParams::default(), &Patch::Merge(&patch)).await.unwrap_err();
    assert!(cluster::error::from_plane(&refused, "request a").to_string().contains("can't be changed"), "{refused}");

    // It is the policy of the provider workspace that stamps: without it whatever was sent stands.
    let policies: Api<DynamicObject> = Api::all_with(
        plane.client("admin", "root:opm"),
        &ApiResource::from_gvk(&GroupVersionKind::gvk("admissionregistration.k8s.io", "v1", "MutatingAdmissionPolicy")),
    );
    policies.delete("requester-stamp.platform.opmodel.dev", &DeleteParams::default()).await.unwrap();
    let mut forged = request("b", "settings", json!({}));
    forged.spec.requester = Some(promise::api::Requester { username: "somebody-else".into(), groups: Vec::new(), cluster: None });
    let unstamped = plane.requests("dana").create(&PostParams::default(), &forged).await.unwrap();
    assert_eq!(unstamped.spec.requester.unwrap().username, "somebody-else");
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
