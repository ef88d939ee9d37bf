//! What is peculiar to plain Kubernetes: installing, namespaces as workspaces, their ServiceAccounts, and namespaces that go.

mod rights;

use std::sync::Arc;

use cluster::projection::Reader;
use cluster::world::{Access, World};
use cluster::{ClusterId, Scope, Topology, install};
use k8s_openapi::api::admissionregistration::v1::ValidatingAdmissionPolicyBinding;
use k8s_openapi::api::core::v1::{ConfigMap, Namespace, Secret, ServiceAccount};
use k8s_openapi::api::rbac::v1::{ClusterRole, RoleBinding};
use kube::Client;
use kube::api::{Api, DeleteParams, Patch, PatchParams, PostParams};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::running::Machine;
use crate::world::{PATIENCE, Plane, apply, condition, request, settings, wait};

crate::world::on_kubernetes![
    what_is_missing_is_found_and_mended,
    the_files_of_deploy_install_the_same,
    the_portal_sees_a_tree_of_namespaces,
    the_same_names_in_two_namespaces_are_two,
    what_belongs_to_no_namespace_needs_a_destination,
    a_namespace_that_does_not_agree_is_named,
    a_namespace_that_goes_takes_its_requests_along,
    requests_among_the_system_are_not_served,
    the_credential_of_a_destination_is_one,
];

fn admin(plane: &Plane) -> Client {
    plane.client("admin", "cluster")
}

async fn findings(plane: &Plane) -> Vec<String> {
    let found = install::doctor(&plane.endpoint, &plane.administrator(), &plane.topology, &install::Options::default()).await.unwrap();
    found.into_iter().map(|finding| format!("{} -> {}", finding.what, finding.remedy)).collect()
}

async fn what_is_missing_is_found_and_mended(plane: Plane) {
    assert_eq!(findings(&plane).await, Vec::<String>::new());
    let roles: Api<ClusterRole> = Api::all(admin(&plane));
    let before = roles.get("opm-controller").await.unwrap();
    plane.bootstrap(&["shop"]).await;
    let again = roles.get("opm-controller").await.unwrap();
    assert_eq!(before.metadata.resource_version, again.metadata.resource_version, "a second run changes nothing");

    roles.delete("opm-portal", &DeleteParams::default()).await.unwrap();
    let less = json!({"rules": [{"apiGroups": [""], "resources": ["namespaces"], "verbs": ["list"]}]});
    roles.patch("opm-controller", &PatchParams::default(), &Patch::Merge(&less)).await.unwrap();
    let guards: Api<ValidatingAdmissionPolicyBinding> = Api::all(admin(&plane));
    let toothless = json!({"spec": {"validationActions": ["Audit"]}});
    guards.patch("records-guard.platform.opmodel.dev", &PatchParams::default(), &Patch::Merge(&toothless)).await.unwrap();
    let bindings: Api<RoleBinding> = Api::namespaced(admin(&plane), "shop");
    bindings.delete(install::FULFILLER, &DeleteParams::default()).await.unwrap();
    plane.ask("web", "no-such-promise", json!({})).await;
    let found = findings(&plane).await;
    for expected in [
        "ClusterRole opm-portal is missing. -> opm-portal bootstrap",
        "ClusterRole opm-controller differs from what this build installs. -> opm-portal bootstrap",
        "ValidatingAdmissionPolicyBinding records-guard.platform.opmodel.dev differs from what this build installs. -> opm-portal bootstrap",
        "Requests in the namespace shop can't be fulfilled: there is no RoleBinding opm-fulfiller. -> opm-portal bootstrap --namespace shop",
    ] {
        assert!(found.iter().any(|line| line == expected), "{expected}: {found:#?}");
    }
    assert_eq!(found.len(), 4, "{found:#?}");
    plane.bootstrap(&["shop"]).await;
    assert_eq!(findings(&plane).await, Vec::<String>::new());
}

/// Whoever applies the files has what the command installs.
async fn the_files_of_deploy_install_the_same(plane: Plane) {
    assert_eq!(Topology::detect(&plane.endpoint, &plane.administrator()).await.unwrap(), Topology::Namespaces);
    let roles: Api<ClusterRole> = Api::all(admin(&plane));
    roles.delete("opm-controller", &DeleteParams::default()).await.unwrap();
    let guards: Api<ValidatingAdmissionPolicyBinding> = Api::all(admin(&plane));
    guards.delete("finalizer-guard.platform.opmodel.dev", &DeleteParams::default()).await.unwrap();
    let bindings: Api<RoleBinding> = Api::namespaced(admin(&plane), "shop");
    bindings.delete(install::FULFILLER, &DeleteParams::default()).await.unwrap();
    plane.ask("web", "no-such-promise", json!({})).await;
    assert_eq!(findings(&plane).await.len(), 3);
    let files = install::files().unwrap();
    let ours = files.iter().filter(|(file, _)| file.starts_with("deploy/crds/") || file.starts_with("deploy/kubernetes/"));
    for (_, text) in ours {
        let objects: Vec<Value> = serde_saphyr::from_multiple(&text.replace("${NAMESPACE}", "shop")).unwrap();
        for object in objects {
            apply(&admin(&plane), &object).await.unwrap();
        }
    }
    assert_eq!(findings(&plane).await, Vec::<String>::new());
}

/// The caches of the portal, with the rights of its own ServiceAccount.
async fn the_portal_sees_a_tree_of_namespaces(plane: Plane) {
    plane.ask("web", "no-such-promise", json!({})).await;
    let access = Access { endpoint: plane.endpoint.clone(), token: plane.token("opm-portal"), topology: plane.topology.clone() };
    let (tasks, shutdown) = (TaskTracker::new(), CancellationToken::new());
    let world = World::start(access, Reader::Portal, Arc::new(Machine::default()), &tasks, &shutdown);
    tokio::time::timeout(PATIENCE, world.synced()).await.unwrap_or_else(|_| panic!("{:?}", world.gaps("the portal")));
    assert_eq!(world.gaps("the portal"), Vec::<String>::new());
    let shop = ClusterId::of_namespace("shop").unwrap();
    let paths: Vec<String> = world.tree().all().iter().map(|node| node.path.to_string()).collect();
    assert!(paths.contains(&"cluster".to_owned()) && paths.contains(&"cluster:shop".to_owned()), "{paths:?}");
    assert!(!paths.iter().any(|path| path.contains("kube-") || path.contains("opm-system")), "{paths:?}");
    let keys: Vec<String> = world.requests.snapshot().keys().map(ToString::to_string).collect();
    assert_eq!(keys, ["cluster:shop|shop/web"]);
    assert_eq!(world.standing().lineage(&world.tree(), &shop).unwrap().len(), 2);
    let mut changes = world.workspaces.changes();
    apply(&admin(&plane), &json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "later", "labels": {"team": "b"}}}))
        .await
        .unwrap();
    let told = tokio::time::timeout(PATIENCE, changes.recv()).await.expect("it is told in time").unwrap();
    assert_eq!(told.to_string(), "cluster|later");
    shutdown.cancel();
    tasks.close();
    tasks.wait().await;
}

async fn the_same_names_in_two_namespaces_are_two(plane: Plane) {
    apply(&admin(&plane), &json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "cluster"}})).await.unwrap();
    plane.bootstrap(&["shop", "cluster"]).await;
    let controller = plane.controller().await;
    plane.offer().await;
    plane.publish("settings", settings("1.0.0")).await;
    plane.ask("web", "settings", json!({"level": 2})).await;
    let other: Api<cluster::kinds::PromiseRequest> = Api::namespaced(admin(&plane), "cluster");
    let mut second = request("web", "settings", json!({"level": 6}));
    second.metadata.namespace = Some("cluster".to_owned());
    second.spec.promise.workspace = Some("cluster".to_owned());
    other.create(&PostParams::default(), &second).await.unwrap();
    plane.ready("web").await;
    wait(other.clone(), "web", "ready", |r| r.status.as_ref().is_some_and(|s| s.phase == promise::api::Phase::Ready)).await;
    let level = |namespace: &str| {
        let maps: Api<ConfigMap> = Api::namespaced(admin(&plane), namespace);
        async move { maps.get("web-config").await.unwrap().data.unwrap()["level"].clone() }
    };
    assert_eq!((level("shop").await.as_str(), level("cluster").await.as_str()), ("2", "6"));
    plane.requests("dana").delete("web", &DeleteParams::default()).await.unwrap();
    plane.gone(plane.requests("dana"), "web").await;
    assert_eq!(level("cluster").await, "6", "it is another one's");
    controller.stop().await;
}

async fn what_belongs_to_no_namespace_needs_a_destination(plane: Plane) {
    let controller = plane.controller().await;
    plane.offer().await;
    let wide = |object: Value| {
        json!({
            "version": "1.0.0", "lifecycle": "published", "visibility": "private", "parameters": {"type": "object"},
            "implementation": {"resources": [{"id": "wide", "template": object}]},
        })
    };
    plane.publish("wide", wide(json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "${request.name}-wide"}}))).await;
    plane
        .publish("unknown", wide(json!({"apiVersion": "example.dev/v1", "kind": "Widget", "metadata": {"name": "${request.name}"}})))
        .await;
    for (promise, says) in [("wide", "has no namespace"), ("unknown", "doesn't serve the kind Widget of example.dev/v1")] {
        plane.ask(promise, promise, json!({})).await;
        let stopped = plane.until(promise, "refused", |r| condition(r, "Applied").contains(says)).await;
        assert!(condition(&stopped, "Applied").contains("destination"), "{}", condition(&stopped, "Applied"));
    }
    let namespaces: Api<Namespace> = Api::all(admin(&plane));
    assert!(namespaces.get_opt("wide-wide").await.unwrap().is_none());
    controller.stop().await;
}

async fn a_namespace_that_does_not_agree_is_named(plane: Plane) {
    let controller = plane.controller().await;
    plane.offer().await;
    plane.publish("settings", settings("1.0.0")).await;
    let bindings: Api<RoleBinding> = Api::namespaced(admin(&plane), "shop");
    let accounts: Api<ServiceAccount> = Api::namespaced(admin(&plane), "shop");
    bindings.delete(install::FULFILLER, &DeleteParams::default()).await.unwrap();
    accounts.delete(install::FULFILLER, &DeleteParams::default()).await.unwrap();
    the_fulfiller_is_shut_out(&plane).await;
    plane.ask("web", "settings", json!({})).await;
    let command =
        "kubectl create rolebinding opm-fulfiller --namespace=shop --clusterrole=opm-fulfiller --serviceaccount=shop:opm-fulfiller";
    let names_it = |r: &cluster::kinds::PromiseRequest| json!(r.status).to_string().contains(command);
    let stopped = plane.until("web", "stopped by name", names_it).await;
    assert!(json!(stopped.status).to_string().contains("system:serviceaccount:shop:opm-fulfiller"), "{:#?}", stopped.status);
    install::serve_namespace(&admin(&plane), "shop").await.unwrap();
    plane.ready("web").await;

    // The same when it goes away while something is to be removed.
    bindings.delete(install::FULFILLER, &DeleteParams::default()).await.unwrap();
    the_fulfiller_is_shut_out(&plane).await;
    plane.requests("dana").delete("web", &DeleteParams::default()).await.unwrap();
    plane.until("web", "stopped by name", names_it).await;
    install::serve_namespace(&admin(&plane), "shop").await.unwrap();
    plane.gone(plane.requests("dana"), "web").await;
    let maps: Api<ConfigMap> = plane.in_shop("admin");
    assert!(maps.get_opt("web-config").await.unwrap().is_none());
    controller.stop().await;
}

/// Waits until the server knows that the ServiceAccount of the shop has no rights any more.
async fn the_fulfiller_is_shut_out(plane: &Plane) {
    let user = format!("system:serviceaccount:shop:{}", install::FULFILLER);
    let maps: Api<ConfigMap> = Api::namespaced(plane.endpoint.client_as(&plane.token("admin"), &Scope::Root, &user), "shop");
    let shut = |error: kube::Error| matches!(error, kube::Error::Api(status) if status.code == 403);
    let waiting = async {
        while !maps.get("nobody-made-this").await.is_err_and(shut) {
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(PATIENCE, waiting).await.expect("it is shut out in time");
}

async fn a_namespace_that_goes_takes_its_requests_along(plane: Plane) {
    let controller = plane.controller().await;
    plane.offer().await;
    plane.publish("settings", settings("1.0.0")).await;
    plane.ask("web", "settings", json!({})).await;
    plane.ready("web").await;
    let namespaces: Api<Namespace> = Api::all(admin(&plane));
    namespaces.delete("shop", &DeleteParams::default()).await.unwrap();
    wait_gone_or(&namespaces, "shop").await;
    // What the namespace controller of a whole cluster does, in the order that is the worst for us. Where it runs it may have been quicker.
    let bindings: Api<RoleBinding> = Api::namespaced(admin(&plane), "shop");
    let _ = bindings.delete(install::FULFILLER, &DeleteParams::default()).await;
    let requests = plane.requests("admin");
    let _ = requests.delete("web", &DeleteParams::default()).await;
    plane.gone(requests, "web").await;
    controller.stop().await;
}

/// Waits until a namespace is being deleted, or is gone already.
async fn wait_gone_or(api: &Api<Namespace>, name: &str) {
    let leaving = |object: Option<&Namespace>| object.is_none_or(|namespace| namespace.metadata.deletion_timestamp.is_some());
    let waiting = kube::runtime::wait::await_condition(api.clone(), name, leaving);
    tokio::time::timeout(PATIENCE, waiting).await.expect("it is being deleted").unwrap();
}

async fn requests_among_the_system_are_not_served(plane: Plane) {
    let controller = plane.controller().await;
    plane.offer().await;
    plane.publish("settings", settings("1.0.0")).await;
    let requests: Api<cluster::kinds::PromiseRequest> = Api::namespaced(admin(&plane), "opm-system");
    let mut inside = request("web", "settings", json!({}));
    inside.metadata.namespace = Some("opm-system".to_owned());
    requests.create(&PostParams::default(), &inside).await.unwrap();
    let held =
        wait(requests.clone(), "web", "not served", |r| condition(r, "PoliciesSatisfied").contains("namespace opm-system aren't served"))
            .await;
    assert!(held.status.as_ref().unwrap().inventory.is_empty());
    requests.delete("web", &DeleteParams::default()).await.unwrap();
    plane.gone(requests, "web").await;
    controller.stop().await;
}

/// A Destination may not make the controller read any other Secret of its namespace.
async fn the_credential_of_a_destination_is_one(plane: Plane) {
    let controller = plane.controller().await;
    let secret: Secret = serde_json::from_value(json!({"metadata": {"name": "other"}, "stringData": {"kubeconfig": "x"}})).unwrap();
    Api::<Secret>::namespaced(admin(&plane), "opm-system").create(&PostParams::default(), &secret).await.unwrap();
    let destination = |name: &str, namespace: &str| {
        json!({
            "apiVersion": "platform.opmodel.dev/v1alpha1", "kind": "Destination", "metadata": {"name": name},
            "spec": {"title": "One", "type": "cluster", "secretRef": {"namespace": namespace, "name": "other"}},
        })
    };
    let api: Api<cluster::kinds::Destination> = Api::all(admin(&plane));
    for (name, namespace, says) in [
        ("unlabelled", "opm-system", "isn't the credential of a destination"),
        ("elsewhere", "shop", "must be in the namespace opm-system"),
    ] {
        apply(&admin(&plane), &destination(name, namespace)).await.unwrap();
        wait(api.clone(), name, "refused", |d| json!(d.status).to_string().contains(says)).await;
    }
    controller.stop().await;
}
