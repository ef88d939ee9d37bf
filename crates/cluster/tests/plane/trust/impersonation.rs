//! Impersonation inside a workspace: its admin can act there as any user, and must not become the requester, an approver or the controller.

use cluster::endpoint::ServiceAccount;
use cluster::kinds::{Approval, Export, PromiseRequest, object};
use cluster::{Scope, install};
use k8s_openapi::api::core::v1::Namespace;
use kube::api::{Api, DeleteParams, ListParams, Patch, PatchParams, PostParams};
use kube::{Client, ResourceExt};
use serde_json::json;

use super::{Missing, attacks, refused};
use crate::world::{Plane, apply, path, request, settings, workspace};

attacks![
    an_admin_asks_edits_and_deletes_as_somebody_else,
    a_service_account_is_impersonated_with_the_groups_of_people:
        Missing::InNamespaces("who can impersonate groups is the cluster's to say, and no admin of a namespace can"),
    an_admin_publishes_decides_and_takes_back_as_somebody_else:
        Missing::InNamespaces("the catalog and what is decided about it are the platform's alone"),
];

/// A requester, an approver, the controller in both topologies, and what the plane itself works as.
const PEOPLE: &[&str] = &[
    "erin",
    "admin",
    "opm-controller",
    "system:serviceaccount:opm-system:opm-controller",
    "system:kube-controller-manager",
    "system:serviceaccount:kube-system:generic-garbage-collector",
];

/// Gives everyone who is impersonated every right in a workspace, as its admin can, so that nothing but the impersonation is refused.
async fn let_everyone_in(admin: &Client) {
    let mut subjects: Vec<_> = PEOPLE.iter().map(|user| json!({"kind": "User", "name": user})).collect();
    subjects.push(json!({"kind": "User", "name": "dana"}));
    subjects.push(json!({"kind": "Group", "name": "system:serviceaccounts"}));
    let binding = json!({
        "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding", "metadata": {"name": "everyone"},
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "dana"},
        "subjects": subjects,
    });
    apply(admin, &binding).await.unwrap();
}

fn forged(plane: &Plane, name: &str) -> PromiseRequest {
    let mut forged = request(name, "no-such-promise", json!({}));
    forged.metadata.namespace = Some(plane.namespace().to_owned());
    forged
}

async fn an_admin_asks_edits_and_deletes_as_somebody_else(plane: &Plane) {
    // An admin of a namespace can impersonate no user, whatever rights they have.
    if !plane.has_namespaces() {
        let_everyone_in(&plane.client("dana", "root:acme:shop")).await;
    }
    let params = PatchParams::default();
    for user in PEOPLE {
        let client = plane.impersonating("dana", "root:acme:shop", user, &[]);
        let api: Api<PromiseRequest> = Api::namespaced(client, plane.namespace());
        refused(user, api.create(&PostParams::default(), &forged(plane, "forged")).await);
        refused(user, api.patch("web", &params, &Patch::Merge(json!({"spec": {"parameters": {"level": 9}}}))).await);
        refused(user, api.patch("web", &params, &Patch::Merge(json!({"metadata": {"finalizers": null}}))).await);
        refused(user, api.patch("web", &PatchParams::apply("forger").force(), &Patch::Apply(&forged(plane, "web"))).await);
        refused(user, api.delete("web", &DeleteParams::default()).await);
        refused(user, api.delete_collection(&DeleteParams::default(), &ListParams::default()).await);
    }
    let kept = plane.requests("dana").get("web").await.unwrap();
    assert!(kept.metadata.deletion_timestamp.is_none() && kept.metadata.finalizers.is_some(), "{:?}", kept.metadata);
    assert!(plane.requests("dana").get_opt("forged").await.unwrap().is_none());
}

/// A ServiceAccount asks as itself. Its admin can do so in its place, and gains nothing by it: not the groups of people, and not the
/// place of an account of the same name in another workspace.
async fn a_service_account_is_impersonated_with_the_groups_of_people(plane: &Plane) {
    let shop = plane.client("dana", "root:acme:shop");
    let_everyone_in(&shop).await;
    let name = "system:serviceaccount:default:robot";
    apply(&shop, &json!({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "robot", "namespace": "default"}}))
        .await
        .unwrap();
    let account = ServiceAccount { namespace: "default".to_owned(), name: "robot".to_owned() };
    let token = account.issue(&shop).await.unwrap().token;
    let own: Api<PromiseRequest> =
        Api::namespaced(plane.endpoint.client(&token, &Scope::Workspace(path("root:acme:shop"))), plane.namespace());
    let asked = own.create(&PostParams::default(), &forged(plane, "robots")).await.unwrap();
    assert_eq!(asked.spec.requester.unwrap().username, name);
    own.delete("robots", &DeleteParams::default()).await.unwrap();

    let cluster_of = |namespace: Namespace| namespace.annotations()["kcp.io/cluster"].clone();
    let id_of = async |at: &str| cluster_of(Api::all(plane.client("admin", at)).get("default").await.unwrap());
    let (home, other) = (id_of("root:acme:shop").await, id_of("root:acme").await);
    const GROUP: &str = "impersonate-group";
    const CLUSTER: &str = "impersonate-extra-authentication.kcp.io%2Fcluster-name";
    for others in [
        &[(GROUP, "platform-engineers")][..],
        &[(GROUP, "shop"), (CLUSTER, home.as_str())],
        &[(GROUP, "system:authenticated"), (CLUSTER, other.as_str())],
        &[(CLUSTER, home.as_str()), (CLUSTER, other.as_str())],
    ] {
        let api: Api<PromiseRequest> = Api::namespaced(plane.impersonating("dana", "root:acme:shop", name, others), plane.namespace());
        refused(&format!("{others:?}"), api.create(&PostParams::default(), &forged(plane, "forged")).await);
    }
    // A person with what only ServiceAccounts have is a person still.
    let others = [(CLUSTER, home.as_str())];
    let api: Api<PromiseRequest> = Api::namespaced(plane.impersonating("dana", "root:acme:shop", "erin", &others), plane.namespace());
    refused("erin", api.create(&PostParams::default(), &forged(plane, "forged")).await);
}

async fn an_admin_publishes_decides_and_takes_back_as_somebody_else(plane: &Plane) {
    let at = "root:acme:mine";
    workspace(&plane.client("admin", "root:acme"), "mine").await;
    let admin = plane.client("admin", at);
    for export in [Export::Requests, Export::Catalog] {
        install::bind(&admin, export, plane.installed()).await.unwrap();
    }
    let role = json!({
        "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "metadata": {"name": "dana"},
        "rules": [{"nonResourceURLs": ["/"], "verbs": ["access"]}, {"apiGroups": ["*"], "resources": ["*"], "verbs": ["*"]}],
    });
    apply(&admin, &role).await.unwrap();
    let_everyone_in(&admin).await;
    let spec = json!({
        "request": {"namespace": "default", "name": "web", "uid": "u"}, "rule": {"policy": "careful", "name": "look"},
        "contentHash": "h", "decision": "reject",
    });
    let decision = |name: &str| -> Approval { object(name, None, serde_json::from_value(spec.clone()).unwrap()) };
    Api::<Approval>::all(admin.clone()).create(&PostParams::default(), &decision("theirs")).await.unwrap();
    let promise = json!({
        "apiVersion": "platform.opmodel.dev/v1alpha1", "kind": "Promise", "metadata": {"name": "theirs"}, "spec": settings("1.0.0"),
    });
    for user in PEOPLE {
        let client = plane.impersonating("dana", at, user, &[]);
        let api: Api<Approval> = Api::all(client.clone());
        refused(user, api.create(&PostParams::default(), &decision("forged")).await);
        refused(user, api.delete("theirs", &DeleteParams::default()).await);
        refused(user, apply(&client, &promise).await);
    }
    // An account of the workspace's own kube-system is a tenant's as well.
    apply(&admin, &json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "kube-system"}})).await.unwrap();
    let account = json!({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "collector", "namespace": "kube-system"}});
    apply(&admin, &account).await.unwrap();
    let account = ServiceAccount { namespace: "kube-system".to_owned(), name: "collector".to_owned() };
    let token = account.issue(&admin).await.unwrap().token;
    let own: Api<Approval> = Api::all(plane.endpoint.client(&token, &Scope::Workspace(path(at))));
    refused("kube-system", own.delete("theirs", &DeleteParams::default()).await);
    let made = Api::<Approval>::all(plane.client("dana", at)).list(&ListParams::default()).await.unwrap();
    assert_eq!(made.items.iter().map(ResourceExt::name_any).collect::<Vec<_>>(), ["theirs"]);
}
