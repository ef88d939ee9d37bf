//! Objects at a Destination, reached over https with the credential of its home.

use std::sync::Arc;

use axum::extract::Request;
use axum::middleware::{Next, from_fn};
use cluster::install;
use cluster::{Scope, kinds};
use k8s_openapi::api::core::v1::{ConfigMap, Namespace, Secret, Service};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::api::{DeleteParams, DynamicObject, ListParams, Patch, PatchParams};
use kube::core::{ApiResource, GroupVersionKind};
use kube::{Api, Client};
use parking_lot::Mutex;
use promise::names;
use serde_json::{Value, json};

use crate::own_rights::{is_for_what_is_lost, rights_in};
use crate::tls;
use crate::world::{PATIENCE, Plane, apply, condition, token, wait};

crate::world::on_every_plane_in_full![
    objects_come_and_go_in_a_namespace_of_their_own,
    objects_in_a_namespace_that_does_not_exist_yet_are_not_read,
    a_kind_that_is_not_allowed_stops_the_whole_release,
    a_kind_with_a_spec_and_no_status_becomes_healthy,
    what_is_of_a_kind_that_is_gone_does_not_keep_its_request,
    a_destination_that_is_replaced_during_a_long_deletion_loses_its_objects,
];

/// A promise of a config map, a secret and a service, as the speed of fulfilment is measured with.
pub fn trio() -> Value {
    let object = |kind: &str, rest: Value| {
        let mut object = json!({"apiVersion": "v1", "kind": kind, "metadata": {"name": "${request.name}"}});
        object.as_object_mut().unwrap().extend(rest.as_object().unwrap().clone());
        object
    };
    json!({
        "version": "1.0.0", "lifecycle": "published",
        "parameters": {"type": "object", "properties": {"port": {"type": "integer", "default": 80}}},
        "implementation": {"resources": [
            {"id": "config", "destination": "sandbox", "template": object("ConfigMap", json!({"data": {"port": "${string(parameters.port)}"}}))},
            {"id": "secret", "destination": "sandbox", "template": object("Secret", json!({"stringData": {"key": "hunter"}}))},
            {"id": "service", "destination": "sandbox", "template": object("Service", json!({"spec": {
                "selector": {"app": "${request.name}"}, "ports": [{"name": "http", "port": "${parameters.port}"}],
            }}))},
        ]},
        "outputs": [{"name": "key", "secretRef": {"resource": "secret", "key": "key"}}],
    })
}

/// A Destination that takes these kinds of the core group.
pub async fn sandbox(plane: &Plane, allowed_kinds: &[&str]) -> Client {
    sandbox_over(plane, plane.router(), json!([{"group": "", "kinds": allowed_kinds}])).await
}

/// A Destination behind this router; the answer is its administrator's client.
pub async fn sandbox_over(plane: &Plane, router: axum::Router, allowed_kinds: Value) -> Client {
    let root = plane.endpoint.client(&token("admin"), &Scope::Root);
    let role = json!({
        "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "metadata": {"name": "sandbox"},
        "rules": [{"apiGroups": ["*"], "resources": ["*"], "verbs": ["*"]}, {"nonResourceURLs": ["*"], "verbs": ["get"]}],
    });
    let binding = json!({
        "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding", "metadata": {"name": "sandbox"},
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "sandbox"},
        "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": "sandbox"}],
    });
    apply(&root, &role).await.unwrap();
    apply(&root, &binding).await.unwrap();
    let kubeconfig = tls::serve(router, &token("sandbox").expose()).await;
    let home = plane.client("admin", "root:platform");
    let namespace = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "opm-system"}});
    let secret = json!({
        "apiVersion": "v1", "kind": "Secret", "stringData": {"kubeconfig": kubeconfig},
        "metadata": {"name": "sandbox", "namespace": "opm-system", "labels": {names::SECRET_ROLE_LABEL: install::ROLE_DESTINATION}},
    });
    let destination = json!({
        "apiVersion": "platform.opmodel.dev/v1alpha1", "kind": "Destination", "metadata": {"name": "sandbox"},
        "spec": {
            "secretRef": {"namespace": "opm-system", "name": "sandbox"}, "allowedWorkspaces": ["root:acme:**", "cluster:*"],
            "allowedKinds": allowed_kinds, "namespace": "opm-${workspace.name}-${hash}",
        },
    });
    for object in [namespace, secret, destination] {
        apply(&home, &object).await.unwrap();
    }
    root
}

async fn until_reachable(plane: &Plane) {
    let destinations: Api<kinds::Destination> = Api::all(plane.client("admin", "root:platform"));
    wait(destinations, "sandbox", "reachable", |d: &kinds::Destination| {
        d.status.as_ref().is_some_and(|s| s.conditions.iter().any(|c| c.reason == "Reachable"))
    })
    .await;
}

async fn objects_come_and_go_in_a_namespace_of_their_own(plane: Plane) {
    let root = sandbox(&plane, &["ConfigMap", "Secret", "Service"]).await;
    let controller = plane.controller().await;
    plane.offer().await;
    plane.publish("trio", trio()).await;
    until_reachable(&plane).await;

    plane.ask("web", "trio", json!({"port": 8080})).await;
    let ready = plane.ready("web").await;
    let own = ListParams::default().labels(&format!("{}={}", names::REQUEST_UID_LABEL, ready.metadata.uid.clone().unwrap()));
    let namespaces = Api::<Namespace>::all(root.clone()).list(&own).await.unwrap();
    let namespace = namespaces.items[0].metadata.name.clone().unwrap();
    assert!(namespace.starts_with("opm-shop-"), "{namespace}");
    let services: Api<Service> = Api::namespaced(root.clone(), &namespace);
    assert_eq!(services.get("web").await.unwrap().spec.unwrap().ports.unwrap()[0].port, 8080);
    let outputs: Api<Secret> = plane.in_shop("dana");
    assert_eq!(outputs.get("web-outputs").await.unwrap().data.unwrap()["key"].0, b"hunter");

    let maps: Api<ConfigMap> = Api::namespaced(root.clone(), &namespace);
    let drift = json!({"data": {"port": "1"}});
    maps.patch("web", &PatchParams::default(), &Patch::Merge(&drift)).await.unwrap();
    wait(maps.clone(), "web", "put back", |map: &ConfigMap| map.data.as_ref().is_some_and(|d| d["port"] == "8080")).await;

    plane.requests("dana").delete("web", &DeleteParams::default()).await.unwrap();
    plane.gone(plane.requests("dana"), "web").await;
    assert!(Api::<Service>::all(root.clone()).list(&own).await.unwrap().items.is_empty());
    assert!(Api::<Namespace>::all(root).list(&own).await.unwrap().items.is_empty());
    controller.stop().await;
}

async fn objects_in_a_namespace_that_does_not_exist_yet_are_not_read(plane: Plane) {
    let not_found = Arc::<Mutex<Vec<String>>>::default();
    let paths = not_found.clone();
    let router = plane.router().layer(from_fn(move |request: Request, next: Next| {
        let paths = paths.clone();
        async move {
            let path = request.uri().path().to_owned();
            let is_read = request.method() == http::Method::GET && path.contains("/namespaces/opm-shop-");
            let response = next.run(request).await;
            if is_read && response.status() == http::StatusCode::NOT_FOUND {
                paths.lock().push(path);
            }
            response
        }
    }));
    sandbox_over(&plane, router, json!([{"group": "", "kinds": ["ConfigMap", "Secret", "Service"]}])).await;
    let controller = plane.controller().await;
    plane.offer().await;
    plane.publish("trio", trio()).await;
    // Its first probe makes a new connection, which a reconcile would have to wait for.
    until_reachable(&plane).await;
    plane.ask("web", "trio", json!({})).await;
    plane.ready("web").await;
    controller.stop().await;
    let not_found = not_found.lock();
    let (inside, namespaces): (Vec<&String>, Vec<&String>) = not_found.iter().partition(|path| path.split('/').count() > 5);
    assert!(!namespaces.is_empty() && inside.is_empty(), "{namespaces:?} and {inside:?}");
}

async fn a_kind_that_is_not_allowed_stops_the_whole_release(plane: Plane) {
    let root = sandbox(&plane, &["ConfigMap", "Secret"]).await;
    let controller = plane.controller().await;
    plane.offer().await;
    plane.publish("trio", trio()).await;
    plane.ask("web", "trio", json!({})).await;
    let stopped = plane.until("web", "refused", |r| condition(r, "Applied").contains("allowedKinds")).await;
    let own = ListParams::default().labels(&format!("{}={}", names::REQUEST_UID_LABEL, stopped.metadata.uid.unwrap()));
    assert!(Api::<ConfigMap>::all(root).list(&own).await.unwrap().items.is_empty());
    controller.stop().await;
}

async fn deleting(plane: &Plane, name: &str) {
    plane.requests("dana").delete(name, &DeleteParams::default()).await.unwrap();
}

/// The definition of a kind with this schema.
fn widgets(schema: Value) -> Value {
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": "widgets.example.dev"},
        "spec": {
            "group": "example.dev", "scope": "Namespaced",
            "names": {"plural": "widgets", "singular": "widget", "kind": "Widget", "listKind": "WidgetList"},
            "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": schema}}],
        },
    })
}

/// A promise of one object of that kind.
fn widget(more: Value) -> Value {
    let mut template = json!({"apiVersion": "example.dev/v1", "kind": "Widget", "metadata": {"name": "${request.name}"}});
    template.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    json!({
        "version": "1.0.0", "lifecycle": "published", "parameters": {"type": "object"},
        "implementation": {"resources": [{"id": "widget", "destination": "sandbox", "template": template}]},
    })
}

/// Nothing announces it: that no operator reports about the object is known after a while alone.
async fn a_kind_with_a_spec_and_no_status_becomes_healthy(plane: Plane) {
    let root = sandbox_over(&plane, plane.router(), json!([{"group": "example.dev", "kinds": ["Widget"]}])).await;
    let spec = json!({"type": "object", "properties": {"size": {"type": "integer"}}});
    apply(&root, &widgets(json!({"type": "object", "properties": {"spec": spec}}))).await.unwrap();
    let controller = plane.controller().await;
    plane.offer().await;
    plane.publish("widget", widget(json!({"spec": {"size": 3}}))).await;
    plane.ask("web", "widget", json!({})).await;
    plane.until("web", "made", |request| condition(request, "Healthy").starts_with("False Progressing")).await;
    let ready = plane.ready("web").await;
    assert!(condition(&ready, "Healthy").starts_with("True"), "{}", condition(&ready, "Healthy"));
    controller.stop().await;
}

/// An API that its server no longer serves leaves nothing behind.
async fn what_is_of_a_kind_that_is_gone_does_not_keep_its_request(plane: Plane) {
    let root = sandbox_over(&plane, plane.router(), json!([{"group": "example.dev", "kinds": ["Widget"]}])).await;
    apply(&root, &widgets(json!({"type": "object"}))).await.unwrap();
    let controller = plane.controller().await;
    plane.offer().await;
    plane.publish("widget", widget(json!({}))).await;
    plane.ask("web", "widget", json!({})).await;
    plane.ready("web").await;
    let crds: Api<CustomResourceDefinition> = Api::all(root);
    crds.delete("widgets.example.dev", &DeleteParams::default()).await.unwrap();
    plane.gone(crds, "widgets.example.dev").await;
    deleting(&plane, "web").await;
    plane.gone(plane.requests("dana"), "web").await;
    controller.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_destination_that_is_gone_keeps_a_request_only_for_a_while() {
    let plane = Plane::open().await;
    sandbox(&plane, &["ConfigMap", "Secret", "Service"]).await;
    let controller = plane.controller().await;
    plane.offer().await;
    plane.publish("trio", trio()).await;
    plane.ask("web", "trio", json!({})).await;
    let ready = plane.ready("web").await;
    let destinations: Api<kinds::Destination> = Api::all(plane.client("admin", "root:platform"));
    let workspaces = Patch::Merge(json!({"spec": {"type": "workspaces"}}));
    let refused = destinations.patch("sandbox", &PatchParams::default(), &workspaces).await.unwrap_err();
    assert!(matches!(&refused, kube::Error::Api(status) if status.code == 422 && status.message.contains("spec.type")), "{refused}");
    destinations.delete("sandbox", &DeleteParams::default()).await.unwrap();
    deleting(&plane, "web").await;
    plane.until("web", "held", |r| condition(r, "Applied").contains("There is no destination sandbox")).await;
    // Nothing is forgotten as long as it cannot be recorded what is left.
    let admin = plane.client("admin", "root:opm");
    let rights = rights_in("deploy/kcp/10-rbac.yaml", "User");
    apply(&admin, &rights.iter().find(|right| is_for_what_is_lost(right)).unwrap().role_without).await.unwrap();
    controller.advance(jiff::SignedDuration::from_mins(11));
    let says =
        |request: &kinds::PromiseRequest| request.status.as_ref().and_then(|status| Some(status.waiting_on.as_ref()?.message.clone()));
    let is_named = |said: String| said.contains("ConfigMap opm-system/left-behind-") && said.contains("configmaps");
    plane.until("web", "held for want of a right", |request| says(request).is_some_and(is_named)).await;
    install::provider(&admin, &install::Options::default()).await.unwrap();
    plane.gone(plane.requests("dana"), "web").await;
    let kind = ApiResource::from_gvk(&GroupVersionKind::gvk("tenancy.kcp.io", "v1alpha1", "Workspace"));
    let workspaces: Api<DynamicObject> = Api::all_with(plane.client("admin", "root:acme"), &kind);
    workspaces.delete("shop", &DeleteParams::default()).await.unwrap();
    let is_gone = async {
        while workspaces.get_opt("shop").await.unwrap().is_some() {
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(PATIENCE, is_gone).await.expect("the workspace goes");
    // What nobody could remove is known after the request, and its workspace, are gone.
    let left: Api<ConfigMap> = Api::namespaced(plane.client("admin", "root:opm"), install::SYSTEM_NAMESPACE);
    let of = ListParams::default().labels(&format!("{}={}", names::LEFT_BEHIND_LABEL, ready.metadata.uid.unwrap()));
    let left = left.list(&of).await.unwrap().items.remove(0).data.unwrap();
    assert_eq!((left["workspace"].as_str(), left["request"].as_str(), left["destination"].as_str()), ("root:acme:shop", "web", "sandbox"));
    assert!(["Service web", "Secret web", "Namespace opm-shop-"].iter().all(|object| left["objects"].contains(object)), "{left:?}");
    controller.stop().await;
}

/// However long the request has been waiting: the Destination is gone for a moment only.
async fn a_destination_that_is_replaced_during_a_long_deletion_loses_its_objects(plane: Plane) {
    let root = sandbox(&plane, &["ConfigMap", "Secret", "Service"]).await;
    let controller = plane.controller().await;
    plane.offer().await;
    plane.publish("trio", trio()).await;
    plane.ask("web", "trio", json!({})).await;
    let ready = plane.ready("web").await;
    controller.stop().await;
    let destinations: Api<kinds::Destination> = Api::all(plane.client("admin", "root:platform"));
    destinations.delete("sandbox", &DeleteParams::default()).await.unwrap();
    plane.gone(destinations, "sandbox").await;
    deleting(&plane, "web").await;
    let controller = plane.controller_ahead(jiff::SignedDuration::from_mins(11)).await;
    plane.until("web", "held", |r| condition(r, "Applied").contains("There is no destination sandbox")).await;
    sandbox(&plane, &["ConfigMap", "Secret", "Service"]).await;
    plane.gone(plane.requests("dana"), "web").await;
    let own = ListParams::default().labels(&format!("{}={}", names::REQUEST_UID_LABEL, ready.metadata.uid.unwrap()));
    assert!(Api::<Service>::all(root.clone()).list(&own).await.unwrap().items.is_empty());
    assert!(Api::<Namespace>::all(root).list(&own).await.unwrap().items.is_empty());
    controller.stop().await;
}

/// Whoever may make objects of ours could otherwise have the controller talk to any server.
#[tokio::test(flavor = "multi_thread")]
async fn a_destination_of_a_home_that_is_not_trusted_is_not_used() {
    let plane = Plane::open().await;
    let controller = plane.controller().await;
    let destination = json!({
        "apiVersion": "platform.opmodel.dev/v1alpha1", "kind": "Destination", "metadata": {"name": "theirs"},
        "spec": {"secretRef": {"namespace": "default", "name": "theirs"}, "allowedWorkspaces": ["**"]},
    });
    let acme = plane.client("admin", "root:acme");
    apply(&acme, &destination).await.unwrap();
    wait(Api::all(acme), "theirs", "refused", |d: &kinds::Destination| {
        d.status.as_ref().is_some_and(|s| s.conditions.iter().any(|c| c.message.contains("root:acme isn't a trusted home")))
    })
    .await;
    controller.stop().await;
}

/// Not a threshold but a figure: from the answer to the create until the status says Ready.
#[tokio::test(flavor = "multi_thread")]
async fn a_request_becomes_ready_quickly() {
    let plane = Plane::open().await;
    sandbox(&plane, &["ConfigMap", "Secret", "Service"]).await;
    let controller = plane.controller().await;
    plane.offer().await;
    plane.publish("trio", trio()).await;
    let mut times = Vec::new();
    for round in 0..20 {
        let name = format!("web-{round}");
        let start = tokio::time::Instant::now();
        plane.ask(&name, "trio", json!({})).await;
        plane.ready(&name).await;
        times.push(start.elapsed());
    }
    times.sort();
    println!("submit to Ready: p50 {:?}, worst {:?}", times[times.len() / 2], times[times.len() - 1]);
    assert!(times[times.len() / 2] < PATIENCE / 20);
    controller.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_home_without_trust_uses_what_its_owner_lets_it_use() {
    let plane = Plane::open().await;
    let root = sandbox(&plane, &["ConfigMap", "Secret", "Service"]).await;
    let controller = plane.controller().await;
    let acme = plane.client("admin", "root:acme");
    let mut spec = trio();
    spec["visibility"] = "descendants".into();
    let promise = json!({"apiVersion": "platform.opmodel.dev/v1alpha1", "kind": "Promise", "metadata": {"name": "trio"}, "spec": spec});
    apply(&acme, &promise).await.unwrap();
    let destinations: Api<kinds::Destination> = Api::all(plane.client("admin", "root:platform"));
    let serves = async |homes: Value| {
        let homes = json!({"spec": {"allowedHomes": homes}});
        destinations.patch("sandbox", &PatchParams::default(), &Patch::Merge(&homes)).await.unwrap();
    };

    plane.ask("web", "trio", json!({})).await;
    let stopped = plane.until("web", "refused", |request| condition(request, "Applied").contains("allowedHomes")).await;
    let said = condition(&stopped, "Applied");
    assert!(said.contains("doesn't serve promises of root:acme. Its owner, root:platform, can add it"), "{said}");
    let own = ListParams::default().labels(&format!("{}={}", names::REQUEST_UID_LABEL, stopped.metadata.uid.unwrap()));
    assert!(Api::<ConfigMap>::all(root.clone()).list(&own).await.unwrap().items.is_empty());
    serves(json!(["root:acme"])).await;
    plane.ready("web").await;
    assert_eq!(Api::<ConfigMap>::all(root.clone()).list(&own).await.unwrap().items.len(), 1);

    // Whoever may use it no more still has to clear up there.
    serves(json!([])).await;
    plane.requests("dana").delete("web", &DeleteParams::default()).await.unwrap();
    plane.gone(plane.requests("dana"), "web").await;
    assert!(Api::<Namespace>::all(root).list(&own).await.unwrap().items.is_empty());
    controller.stop().await;
}
