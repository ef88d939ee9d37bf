//! ServiceAccounts of two workspaces with the same name are two people: each decides about what the other asked for or changed.

use cluster::endpoint::ServiceAccount;
use cluster::kinds::PromiseRequest;
use k8s_openapi::api::core::v1::Namespace;
use kube::api::{Api, DeleteParams, Patch, PatchParams, PostParams};
use kube::{Client, ResourceExt};
use promise::api::{DecisionReason, DecisionState};
use promise::names;
use serde_json::{Value, json};

use super::stages::told;
use super::{about, approvals, asked, decide, governed, level, platform};
use crate::world::{Plane, apply, request};

const ROBOT: &str = "system:serviceaccount:default:robot";

/// A ServiceAccount of this name in a workspace, known to the test as `who`.
async fn robot(plane: &mut Plane, who: &'static str, at: &str) {
    let admin = plane.client("admin", at);
    let account = json!({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "robot", "namespace": "default"}});
    apply(&admin, &account).await.unwrap();
    let account = ServiceAccount { namespace: "default".to_owned(), name: "robot".to_owned() };
    plane.accounts.insert(who, account.issue(&admin).await.unwrap().token);
}

/// Everyone may do this in a workspace, ServiceAccounts of other workspaces included.
async fn let_everyone(admin: &Client, rules: Value) {
    let role = json!({"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "metadata": {"name": "all"}, "rules": rules});
    let binding = json!({
        "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding", "metadata": {"name": "all"},
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "all"},
        "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "Group", "name": "system:authenticated"}],
    });
    apply(admin, &role).await.unwrap();
    apply(admin, &binding).await.unwrap();
}

async fn id_of(plane: &Plane, at: &str) -> String {
    let namespace: Namespace = Api::all(plane.client("admin", at)).get("default").await.unwrap();
    namespace.annotations()["kcp.io/cluster"].clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn service_accounts_of_two_workspaces_decide_about_each_others_requests_and_not_about_their_own() {
    let mut plane = Plane::open().await;
    robot(&mut plane, "robot of shop", "root:acme:shop").await;
    robot(&mut plane, "robot of platform", "root:platform").await;
    let enter = json!({"nonResourceURLs": ["/"], "verbs": ["access"]});
    let own = |resource: &str, verbs: &[&str]| json!({"apiGroups": ["platform.opmodel.dev"], "resources": [resource], "verbs": verbs});
    let_everyone(&plane.client("admin", "root:acme:shop"), json!([enter, own("promiserequests", &["*"])])).await;
    let decides = json!([enter, own("approvals", &["get", "create", "delete"]), own("policies", &["approve"])]);
    let_everyone(&platform(&plane), decides).await;
    let (shop, home) = (id_of(&plane, "root:acme:shop").await, id_of(&plane, "root:platform").await);
    // The rule means the robot of its own workspace.
    let controller = governed(&plane, json!({"approvers": {"users": [ROBOT], "groups": ["operations"]}})).await;

    // What one robot asked for.
    let mut asks = request("web", "settings", json!({"level": 2}));
    asks.metadata.namespace = Some(plane.namespace().to_owned());
    asks.spec.requester = Some(promise::api::Requester { username: ROBOT.into(), groups: Vec::new(), cluster: Some(home.clone()) });
    let made = plane.requests("robot of shop").create(&PostParams::default(), &asks).await.unwrap();
    let stamp = made.spec.requester.unwrap();
    assert_eq!((stamp.username.as_str(), stamp.cluster.as_deref()), (ROBOT, Some(shop.as_str())), "whatever was sent");
    let waiting = asked(&plane, "web").await;
    decide(&plane, "robot of shop", &about("a-own", &waiting, "approve")).await;
    told(&plane, "a-own", DecisionState::Void, DecisionReason::OwnRequest).await;
    let refused = approvals(&plane, "robot of platform").delete("a-own", &DeleteParams::default()).await.unwrap_err();
    assert!(refused.to_string().contains("only the person who made a decision can withdraw it"), "{refused}");
    approvals(&plane, "robot of shop").delete("a-own", &DeleteParams::default()).await.unwrap();
    assert_eq!(level(&plane, "web").await, None);
    decide(&plane, "robot of platform", &about("a-yes", &waiting, "approve")).await;
    told(&plane, "a-yes", DecisionState::Counts, None).await;
    let ready = plane.ready("web").await;
    let given = &ready.status.unwrap().approvals[0].given;
    assert_eq!((given[0].by.as_str(), given[0].by_cluster.as_deref()), (ROBOT, Some(home.as_str())));

    // What one robot changed, and somebody else asked for.
    plane.ask("other", "settings", json!({"level": 2})).await;
    let edit = json!({"spec": {"parameters": {"level": 3}}});
    let changed: PromiseRequest =
        plane.requests("robot of shop").patch("other", &PatchParams::default(), &Patch::Merge(&edit)).await.unwrap();
    let noted = |name: &str| changed.annotations().get(name).map(String::as_str);
    assert_eq!((noted(names::CHANGED_BY_ANNOTATION), noted(names::CHANGED_BY_CLUSTER_ANNOTATION)), (Some(ROBOT), Some(shop.as_str())));
    let generation = changed.metadata.generation;
    let waiting = plane
        .until("other", "asked about the change", |request| {
            let candidate = request.status.as_ref().and_then(|status| status.candidate.as_ref());
            candidate.is_some_and(|candidate| candidate.is_open() && candidate.generation == generation)
        })
        .await;
    decide(&plane, "robot of shop", &about("b-own", &waiting, "approve")).await;
    told(&plane, "b-own", DecisionState::Void, DecisionReason::OwnChange).await;
    decide(&plane, "robot of platform", &about("b-yes", &waiting, "approve")).await;
    told(&plane, "b-yes", DecisionState::Counts, None).await;
    plane.ready("other").await;

    // What neither of them has to do with: only the one that the rule means decides.
    plane.ask("third", "settings", json!({"level": 2})).await;
    let waiting = asked(&plane, "third").await;
    decide(&plane, "robot of shop", &about("c-no", &waiting, "approve")).await;
    told(&plane, "c-no", DecisionState::Void, DecisionReason::NotAnApprover).await;
    decide(&plane, "robot of platform", &about("c-yes", &waiting, "approve")).await;
    plane.ready("third").await;
    controller.stop().await;
}

/// The right to decide is that of the account which decided, and not of the one with its name in the workspace of the rule.
#[tokio::test(flavor = "multi_thread")]
async fn a_service_account_does_not_decide_by_the_rights_of_its_namesake() {
    let mut plane = Plane::open().await;
    robot(&mut plane, "robot of shop", "root:acme:shop").await;
    robot(&mut plane, "robot of platform", "root:platform").await;
    let enter = json!({"nonResourceURLs": ["/"], "verbs": ["access"]});
    let own = |resource: &str, verbs: &[&str]| json!({"apiGroups": ["platform.opmodel.dev"], "resources": [resource], "verbs": verbs});
    let_everyone(&platform(&plane), json!([enter, own("approvals", &["get", "create", "delete"])])).await;
    let role = json!({
        "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "metadata": {"name": "decides"},
        "rules": [own("policies", &["approve"])],
    });
    let binding = json!({
        "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding", "metadata": {"name": "decides"},
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "decides"},
        "subjects": [{"kind": "ServiceAccount", "name": "robot", "namespace": "default"}],
    });
    apply(&platform(&plane), &role).await.unwrap();
    apply(&platform(&plane), &binding).await.unwrap();
    let controller = governed(&plane, json!({})).await;
    plane.ask("web", "settings", json!({"level": 2})).await;
    let waiting = asked(&plane, "web").await;
    decide(&plane, "robot of shop", &about("a-no", &waiting, "approve")).await;
    told(&plane, "a-no", DecisionState::Void, DecisionReason::NotPermitted).await;
    assert_eq!(level(&plane, "web").await, None);
    decide(&plane, "robot of platform", &about("b-yes", &waiting, "approve")).await;
    plane.ready("web").await;
    controller.stop().await;
}
