//! No object of a tenant ends what the plane does for the others.

use devplane::registry::GroupResource;
use devplane::store::WriteError;
use serde_json::{Value, json};

use crate::plane::Server;

const EXPORTS: &str = "/clusters/root:team/apis/apis.kcp.io/v1alpha1/apiexports";

#[tokio::test]
async fn an_older_version_brings_nothing_that_the_stored_one_refuses() {
    let server = Server::start();
    server.workspace("root", "team", "universal").await;
    let export = |spec: Value| json!({"apiVersion": "apis.kcp.io/v1alpha1", "kind": "APIExport", "metadata": {"name": "e"}, "spec": spec});
    for (spec, field) in [
        (json!({"identity": "x"}), "spec.identity"),
        (json!({"latestResourceSchemas": "x"}), "spec.resources"),
        (json!({"latestResourceSchemas": [1]}), "spec.resources[0]"),
        (json!({"permissionClaims": ["x"]}), "spec.permissionClaims[0]"),
        (json!({"maximalPermissionPolicy": []}), "spec.maximalPermissionPolicy"),
    ] {
        let (code, answer) = server.post("admin", EXPORTS, export(spec.clone())).await;
        assert_eq!((code, &answer["details"]["causes"][0]["field"]), (422, &json!(field)), "{spec}: {answer}");
    }
    server.create("admin", EXPORTS, export(json!({}))).await;
    let (code, answer) = server.merge("admin", &format!("{EXPORTS}/e"), json!({"spec": {"identity": "x"}})).await;
    assert_eq!((code, &answer["details"]["causes"][0]["field"]), (422, &json!("spec.identity")), "{answer}");
    let bindings = "/clusters/root:team/apis/apis.kcp.io/v1alpha1/apibindings";
    let binding = json!({"apiVersion": "apis.kcp.io/v1alpha1", "kind": "APIBinding", "metadata": {"name": "b"}, "spec": {"reference": {"export": "x"}}});
    assert_eq!(server.post("admin", bindings, binding).await.0, 422, "a reference that is no object refers to nothing");
}

/// Objects as an older build may have stored them, of which no schema knows: whatever is read of them, others are attended to.
#[tokio::test(flavor = "multi_thread")]
async fn controllers_go_on_whatever_is_stored() {
    let server = Server::start();
    let team = server.workspace("root", "team", "universal").await;
    let store = &server.plane.state().store;
    let cluster = devplane::ClusterId::parse(&team).unwrap();
    let odd = [
        json!("x"),
        json!(1),
        json!([]),
        json!([[1]]),
        json!({"identity": "x"}),
        json!({"reference": "x"}),
        json!({"cluster": 1}),
        Value::Null,
    ];
    let kinds = [
        ("apis.kcp.io", "apiexports"),
        ("apis.kcp.io", "apibindings"),
        ("apis.kcp.io", "apiexportendpointslices"),
        ("apis.kcp.io", "apiresourceschemas"),
        ("tenancy.kcp.io", "workspaces"),
        ("tenancy.kcp.io", "workspacetypes"),
        ("apiextensions.k8s.io", "customresourcedefinitions"),
        ("", "resourcequotas"),
        ("", "namespaces"),
    ];
    for (number, (group, plural)) in kinds.into_iter().enumerate() {
        for (spec, status) in odd.iter().zip(odd.iter().rev()) {
            for metadata in
                [json!({}), json!({"deletionTimestamp": "2026-01-01T00:00:00Z", "finalizers": "x", "annotations": 1, "labels": []})]
            {
                let name = format!("o{number}-{}", store.revision());
                let object = json!({"metadata": metadata, "spec": spec, "status": status});
                let key = devplane::store::Key::new(&cluster, "", &name);
                store.write_behind(&GroupResource::new(group, plural), &key, 0, Some(object)).unwrap();
            }
        }
    }
    server.workspace("root", "after", "universal").await;
    for check in ["/livez", "/readyz"] {
        assert_eq!(server.get("admin", check).await.0, 200, "{check}");
    }
    let supervisor = &server.plane.state().supervisor;
    assert_eq!((supervisor.failures(), supervisor.panics()), (Vec::new(), 0), "no task was started again, and none gave an object up");
}

#[tokio::test]
async fn a_task_that_has_failed_is_told_by_health_until_it_works_again() {
    let server = Server::start();
    let supervisor = server.plane.state().supervisor.clone();
    supervisor.clone().run("a task", async || Err(WriteError::Disk("no space left".into()))).await;
    for check in ["/livez", "/readyz", "/readyz/informer-sync"] {
        assert_eq!(server.get("admin", check).await.0, 500, "{check}");
    }
    supervisor.works("a task");
    for check in ["/livez", "/readyz", "/readyz/informer-sync"] {
        assert_eq!(server.get("admin", check).await.0, 200, "{check}");
    }
}

const ROLES: &str = "/apis/rbac.authorization.k8s.io/v1";

#[tokio::test]
async fn a_chain_of_roles_is_asked_without_overflow() {
    let server = Server::start();
    let store = &server.plane.state().store;
    for number in 0..1_500 {
        let link = |number: usize| json!({"link": format!("l{number}")});
        let aggregation = json!({"clusterRoleSelectors": [{"matchLabels": link(number + 1)}]});
        let name = format!("r{number}");
        let role = json!({"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "metadata": {"name": name, "labels": link(number)}, "aggregationRule": aggregation});
        let key = devplane::store::Key::new(&devplane::ClusterId::sandbox(), "", &name);
        store.write_behind(&GroupResource::new("rbac.authorization.k8s.io", "clusterroles"), &key, 0, Some(role)).unwrap();
    }
    let binding = json!({"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding", "metadata": {"name": "bob"},
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "r0"},
        "subjects": [{"kind": "User", "apiGroup": "rbac.authorization.k8s.io", "name": "bob"}]});
    server.create("admin", &format!("{ROLES}/clusterrolebindings"), binding).await;
    assert_eq!(server.get("bob", "/api/v1/namespaces/default/configmaps").await.0, 403);
}

#[tokio::test]
async fn a_chain_of_workspace_types_is_refused_with_its_limit() {
    let server = Server::start();
    server.workspace("root", "team", "universal").await;
    let types = "/clusters/root:team/apis/tenancy.kcp.io/v1alpha1/workspacetypes";
    let cluster = server.get("admin", "/clusters/root/apis/tenancy.kcp.io/v1alpha1/workspaces/team").await.1["spec"]["cluster"].clone();
    let cluster = devplane::ClusterId::parse(cluster.as_str().unwrap()).unwrap();
    let extending = |number: usize| {
        let parent = json!({"name": format!("t{}", number + 1), "path": "root:team"});
        json!({"apiVersion": "tenancy.kcp.io/v1alpha1", "kind": "WorkspaceType", "metadata": {"name": format!("t{number}")}, "spec": {"extend": {"with": [parent]}}})
    };
    server.create("admin", types, extending(0)).await;
    let store = &server.plane.state().store;
    for number in 1..1_500 {
        let key = devplane::store::Key::new(&cluster, "", &format!("t{number}"));
        store.write_behind(&GroupResource::new("tenancy.kcp.io", "workspacetypes"), &key, 0, Some(extending(number))).unwrap();
    }
    let workspace = |kind: &str| json!({"apiVersion": "tenancy.kcp.io/v1alpha1", "kind": "Workspace", "metadata": {"name": kind}, "spec": {"type": {"name": kind, "path": "root:team"}}});
    let workspaces = "/clusters/root:team/apis/tenancy.kcp.io/v1alpha1/workspaces";
    let (code, answer) = server.post("admin", workspaces, workspace("t0")).await;
    assert_eq!(code, 403, "{answer}");
    assert!(answer["message"].as_str().unwrap().ends_with("workspace type root:team:t0 extends more than 64 types"), "{answer}");
    server.create("admin", workspaces, workspace("t1450")).await;
}
