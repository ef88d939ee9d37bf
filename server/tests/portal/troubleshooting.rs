//! Events about the objects of a request, and logs of their pods: read as the person, about what the request owns, and nothing else.

use cluster::{Scope, WorkspacePath};
use http::{Method, StatusCode};
use k8s_openapi::api::core::v1::{ConfigMap, Event};
use kube::api::{Api, DeleteParams, DynamicObject, PostParams};
use kube::core::{ApiResource, GroupVersionKind};
use opm_portal::config::SignInConfig;
use opm_portal::serve::Edges;
use serde_json::{Value, json};

use crate::access::write_request;
use crate::browser::{Product, fill};
use crate::kubernetes::{Site, signed_in};
use crate::objects::{ask_for_notes, publish_notes};
use crate::rest::Program;

const REQUESTS: &str = "/w/root:acme:shop/requests/default";
const API: &str = "/api/v1/workspaces/root:acme:shop/requests/default";

fn client(product: &Product) -> kube::Client {
    let scope = Scope::Workspace(WorkspacePath::parse("root:acme:shop").expect("a path"));
    product.running.portal.endpoint.client(product.admin(), &scope)
}

/// Reports something about a ConfigMap.
async fn report(product: &Product, name: &str, uid: &str, message: &str) {
    let event: Event = serde_json::from_value(json!({
        "metadata": {"name": format!("{name}.{}", message.len()), "namespace": "default"}, "type": "Warning", "reason": "TooLong", "message": message,
        "involvedObject": {"apiVersion": "v1", "kind": "ConfigMap", "name": name, "namespace": "default", "uid": uid},
        "count": 4, "lastTimestamp": "2026-11-21T10:00:00Z", "source": {"component": "checker"},
    }))
    .expect("an event");
    let events: Api<Event> = Api::namespaced(client(product), "default");
    events.create(&PostParams::default(), &event).await.expect("reported");
}

async fn uid(product: &Product, name: &str) -> String {
    let maps: Api<ConfigMap> = Api::namespaced(client(product), "default");
    maps.get(name).await.expect("a ConfigMap").metadata.uid.expect("a uid")
}

/// Takes the permission to read events from the developers of the shop.
async fn close_events(product: &Product) {
    let kind = GroupVersionKind::gvk("rbac.authorization.k8s.io", "v1", "ClusterRole");
    let roles: Api<DynamicObject> = Api::all_with(client(product), &ApiResource::from_gvk(&kind));
    let mut role = roles.get("opm-requests-editor").await.expect("a role");
    let rules = role.data["rules"].as_array_mut().expect("rules");
    for rule in rules.iter_mut() {
        let resources = rule["resources"].as_array_mut().expect("resources");
        resources.retain(|resource| resource != "events");
    }
    roles.replace("opm-requests-editor", &PostParams::default(), &role).await.expect("written");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn events_are_those_of_the_objects_of_the_request_read_as_the_person() {
    let product = Product::open().await;
    publish_notes(&product).await;
    ask_for_notes(&product, "diary").await;
    let mut browser = product.signed_in("dev-shop").await;
    let resources = format!("{REQUESTS}/diary?view=resources");
    browser.until(&resources, |answer| answer.text.contains("diary-index") && answer.text.contains("Healthy")).await;
    let page = format!("{REQUESTS}/diary?view=events");
    browser.until(&page, |answer| answer.text.contains("No recent events.")).await;

    report(&product, "diary-note", &uid(&product, "diary-note").await, "The note is longer than a page").await;
    // Someone reports about another object, and about one that had the name before.
    let maps: Api<ConfigMap> = Api::namespaced(client(&product), "default");
    let other: ConfigMap = serde_json::from_value(json!({"metadata": {"name": "ledger"}})).expect("a ConfigMap");
    maps.create(&PostParams::default(), &other).await.expect("created");
    report(&product, "ledger", &uid(&product, "ledger").await, "A secret of the ledger").await;
    report(&product, "diary-note", "00000000-0000-4000-8000-000000000000", "A secret of its predecessor").await;

    let shown = browser.until(&page, |answer| answer.text.contains("The note is longer than a page")).await;
    for text in ["TooLong", "Warning", "4 times", "ConfigMap/diary-note", "checker"] {
        assert!(shown.text.contains(text), "{text}: {}", shown.text);
    }
    assert!(!shown.text.contains("A secret of"), "{}", shown.text);
    let program = Program::of(&product, "dev-shop");
    let events = program.read(&format!("{API}/diary/events")).await;
    assert_eq!(events["items"].as_array().map(Vec::len), Some(1), "{events}");
    assert_eq!((&events["items"][0]["reason"], &events["items"][0]["count"]), (&json!("TooLong"), &json!(4)));
    assert_eq!((&events["leftOut"], &events["notRead"]), (&json!(0), &Value::Null));

    // Who can't enter learns nothing.
    let mut stranger = product.signed_in("dev-data").await;
    assert_eq!(stranger.get(&page).await.status, StatusCode::NOT_FOUND);

    close_events(&product).await;
    let shown = browser.until(&page, |answer| answer.text.contains("You need the permission list on events in root:acme:shop.")).await;
    assert!(shown.status == StatusCode::OK && !shown.text.contains("The note is longer"), "{}", shown.text);
    let events = program.read(&format!("{API}/diary/events")).await;
    let denied = json!({"kind": "denied", "verb": "list", "resource": "events", "workspace": "root:acme:shop"});
    assert_eq!((&events["notRead"][0]["reason"], &events["items"]), (&denied, &json!([])));
    maps.delete("ledger", &DeleteParams::default()).await.expect("deleted");
    product.running.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn events_and_logs_at_a_destination_are_not_read_and_both_pages_say_so() {
    let product = Product::open().await;
    write_request(&product, "zebra").await;
    let mut browser = product.signed_in("dev-shop").await;
    let why = "objects at the destination sandbox";
    for view in ["events", "logs"] {
        // The tab is there with the StatefulSet, which isn't the first object that is made.
        let is_shown = |text: &str| [why, "?view=logs"].iter().all(|part| text.contains(part));
        let page = browser.until(&format!("{REQUESTS}/zebra?view={view}"), |answer| is_shown(&answer.text)).await;
        assert_eq!(page.status, StatusCode::OK);
    }
    let page = browser.get(&format!("{REQUESTS}/zebra?view=logs&previous=perhaps")).await;
    assert!(page.status == StatusCode::OK && page.text.contains(why), "{}", page.text);
    let program = Program::of(&product, "dev-shop");
    let log = program.read(&format!("{API}/zebra/logs?tail=5")).await;
    let at = json!({"kind": "atDestination", "destination": "sandbox"});
    assert_eq!((&log["pods"], &log["notRead"][0]["reason"], &log["logNotRead"]), (&json!([]), &at, &Value::Null), "{log}");
    // A pod that isn't one of the request gets one answer, whether it exists or not.
    let log = program.read(&format!("{API}/zebra/logs?pod=zebra-0")).await;
    assert_eq!(log["logNotRead"]["reason"], json!({"kind": "missing", "object": "Pod/zebra-0"}), "{log}");
    for wrong in ["tail=0", "tail=201", "tail=many", "previous=perhaps"] {
        let answer = program.send(Method::GET, &format!("{API}/zebra/logs?{wrong}"), &[], "").await;
        assert_eq!(answer.status, StatusCode::UNPROCESSABLE_ENTITY, "{wrong}");
    }
    product.running.close().await;
}

/// Lets someone do something in the shop's namespace.
async fn allow(site: &Site, name: &str, subject: Value, rules: Value) {
    let (api, metadata) = ("rbac.authorization.k8s.io/v1", json!({"name": name, "namespace": "shop"}));
    site.apply(json!({"apiVersion": api, "kind": "Role", "metadata": metadata, "rules": rules})).await;
    let role = json!({"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": name});
    site.apply(json!({"apiVersion": api, "kind": "RoleBinding", "metadata": metadata, "roleRef": role, "subjects": [subject]})).await;
}

fn pod(name: &str) -> Value {
    json!({
        "apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "labels": {"app": "run"}},
        "spec": {"containers": [{"name": "app", "image": "registry.example.org/app:1"}]},
    })
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn logs_on_a_cluster_are_read_as_the_person_and_never_of_other_pods() {
    let Some(site) = Site::open().await else { return };
    site.prepared().await;
    let fulfiller = json!({"kind": "ServiceAccount", "name": "opm-fulfiller", "namespace": "shop"});
    allow(&site, "fulfils-pods", fulfiller, json!([{"apiGroups": [""], "resources": ["pods"], "verbs": ["*"]}])).await;
    site.apply(json!({
        "apiVersion": "platform.opmodel.dev/v1alpha1", "kind": "Promise", "metadata": {"name": "runner"},
        "spec": {
            "version": "1.0.0", "lifecycle": "published", "visibility": "descendants",
            "presentation": {"displayName": "Runner", "summary": "A pod.", "category": "Compute"},
            "parameters": {"type": "object", "properties": {}},
            "implementation": {"resources": [{"id": "pod", "template": pod("${request.name}")}]},
        },
    }))
    .await;
    let product = site.serving(SignInConfig { samples: false, tokens: true, ..SignInConfig::default() }, Edges::default()).await;
    let mut dana = signed_in(&product, "dana").await;
    dana.until("/w/cluster:shop/catalog", |page| page.text.contains("/w/cluster:shop/promises/runner")).await;
    let written = fill(&mut dana, "/w/cluster:shop/promises/runner/request", &[("/name", "run")], "submit").await;
    assert_eq!(written.location(), "/w/cluster:shop/requests/shop/run", "{}", written.text);

    let page = "/w/cluster:shop/requests/shop/run?view=logs";
    dana.until(page, |page| page.text.contains("You need the permission get on pods in cluster:shop.")).await;
    let developers = json!({"apiGroup": "rbac.authorization.k8s.io", "kind": "Group", "name": "shop-developers"});
    let pods = json!({"apiGroups": [""], "resources": ["pods"], "verbs": ["get", "list"]});
    allow(&site, "reads-pods", developers.clone(), json!([pods])).await;
    dana.until(page, |page| page.text.contains("You need the permission get on pods/log in cluster:shop.")).await;
    allow(&site, "reads-logs", developers, json!([{"apiGroups": [""], "resources": ["pods/log"], "verbs": ["get"]}])).await;
    // No node runs it, so it has said nothing.
    let shown = dana.until(page, |page| page.text.contains("No log lines yet.")).await;
    assert!(shown.text.contains("?view=logs&amp;pod=run\"") && shown.text.contains("Log of run"), "{}", shown.text);

    // Someone else's pod with the same labels, which dana could read herself, isn't one of the request.
    let mut spy = pod("spy");
    spy["metadata"]["namespace"] = json!("shop");
    site.apply(spy).await;
    let shown = dana.get(&format!("{page}&pod=spy")).await;
    assert_eq!(shown.status, StatusCode::OK);
    assert!(shown.text.contains("Pod/spy") && !shown.text.contains("No log lines yet."), "{}", shown.text);
    assert!(!dana.get(page).await.text.contains("spy"));
    product.running.close().await;
}
