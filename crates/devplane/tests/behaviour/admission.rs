//! Admission policies against those who would slip past them.

use std::{sync::Arc, time::Duration};

use serde_json::{Value, json};
use tokio::time::Instant;

use crate::plane::Server;

const POLICIES: &str = "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies";
const BINDINGS: &str = "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings";
const MAPS: &str = "/api/v1/namespaces/default/configmaps";

fn boxes(version: &str) -> String {
    format!("/apis/shop.dev/{version}/boxes")
}

fn one(version: &str, name: &str, size: u64) -> Value {
    json!({"apiVersion": format!("shop.dev/{version}"), "kind": "Box", "metadata": {"name": name}, "spec": {"size": size}})
}

/// A server with boxes in two versions.
async fn server() -> Server {
    let server = Server::start();
    let open = json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true});
    let version = |name: &str| json!({"name": name, "served": true, "storage": name == "v1", "schema": {"openAPIV3Schema": open}});
    let names = json!({"plural": "boxes", "singular": "box", "kind": "Box", "listKind": "BoxList"});
    let spec = json!({"group": "shop.dev", "scope": "Cluster", "names": names, "versions": [version("v1"), version("v2")]});
    let definition = json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": "boxes.shop.dev"}, "spec": spec,
    });
    server.create("admin", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", definition).await;
    server
}

/// Puts a policy for boxes of version v1 into force.
async fn enforce(server: &Server, name: &str, constraints: Value, validations: Value, more: Value) {
    let rule = json!({"apiGroups": ["shop.dev"], "apiVersions": ["v1"], "operations": ["*"], "resources": ["boxes"]});
    let mut constraints = constraints;
    constraints["resourceRules"] = json!([rule]);
    let mut spec = json!({"matchConstraints": constraints, "validations": validations});
    let mut binding = json!({"policyName": name, "validationActions": ["Deny"]});
    for field in ["paramKind", "failurePolicy"] {
        spec[field] = more[field].clone();
    }
    for field in ["paramRef", "validationActions"].into_iter().filter(|field| !more[*field].is_null()) {
        binding[field] = more[field].clone();
    }
    let object = |kind: &str, spec: &Value| json!({"apiVersion": "admissionregistration.k8s.io/v1", "kind": kind, "metadata": {"name": name}, "spec": spec});
    server.create("admin", POLICIES, object("ValidatingAdmissionPolicy", &spec)).await;
    server.create("admin", BINDINGS, object("ValidatingAdmissionPolicyBinding", &binding)).await;
}

fn denied((status, answer): (u16, Value)) -> String {
    assert_eq!(status, 422, "{answer}");
    answer["message"].as_str().unwrap().split(" denied request: ").nth(1).unwrap().to_owned()
}

#[tokio::test]
async fn a_label_that_locks_cannot_be_taken_away_nor_the_object_deleted() {
    let server = server().await;
    let mut locked = one("v1", "locked", 1);
    locked["metadata"]["labels"] = json!({"locked": "yes"});
    server.create("admin", &boxes("v1"), locked).await;
    server.create("admin", &boxes("v1"), one("v1", "free", 1)).await;
    let selector = json!({"objectSelector": {"matchLabels": {"locked": "yes"}}});
    enforce(&server, "lock", selector, json!([{"expression": "false", "message": "locked"}]), json!({})).await;
    let path = |name: &str| format!("{}/{name}", boxes("v1"));
    let unlock = json!({"metadata": {"labels": {"locked": null}}});
    assert_eq!(denied(server.merge("admin", &path("locked"), unlock).await), "locked");
    assert_eq!(denied(server.send("admin", "DELETE", &path("locked"), "application/json", Value::Null).await), "locked");
    assert_eq!(denied(server.merge("admin", &path("free"), json!({"metadata": {"labels": {"locked": "yes"}}})).await), "locked");
    assert_eq!(server.merge("admin", &path("free"), json!({"spec": {"size": 2}})).await.0, 200);
}

#[tokio::test]
async fn another_version_is_no_way_around_unless_the_policy_says_so() {
    let server = server().await;
    let seen = "request.kind.version + ' ' + request.requestKind.version + ' ' + object.apiVersion";
    enforce(&server, "small", json!({}), json!([{"expression": "object.spec.size < 5", "messageExpression": seen}]), json!({})).await;
    assert_eq!(denied(server.post("admin", &boxes("v2"), one("v2", "a", 9)).await), "v1 v2 shop.dev/v1");
    let exact = json!({"matchPolicy": "Exact"});
    enforce(&server, "exact", exact, json!([{"expression": "object.spec.size < 3", "message": "exact"}]), json!({})).await;
    assert_eq!(denied(server.post("admin", &boxes("v1"), one("v1", "a", 4)).await), "exact");
    assert_eq!(server.create("admin", &boxes("v2"), one("v2", "a", 4)).await["apiVersion"], "shop.dev/v2");
}

#[tokio::test]
async fn each_parameter_judges_and_missing_ones_deny_or_let_pass() {
    let server = server().await;
    for (name, most) in [("a", "7"), ("b", "3")] {
        let map = json!({"metadata": {"name": name, "labels": {"limits": "boxes"}}, "data": {"max": most}});
        server.create("admin", MAPS, map).await;
    }
    let rule = json!([{"expression": "object.spec.size <= int(params.data.max)", "messageExpression": "'at most ' + params.data.max"}]);
    let with = |reference: Value| json!({"paramKind": {"apiVersion": "v1", "kind": "ConfigMap"}, "paramRef": reference});
    let selected = json!({"selector": {"matchLabels": {"limits": "boxes"}}, "namespace": "default", "parameterNotFoundAction": "Deny"});
    enforce(&server, "selected", json!({}), rule.clone(), with(selected)).await;
    assert_eq!(denied(server.post("admin", &boxes("v1"), one("v1", "x", 5)).await), "at most 3");
    assert_eq!(denied(server.post("admin", &boxes("v1"), one("v1", "x", 9)).await), "at most 7");
    let absent = |action: &str| with(json!({"name": "none", "namespace": "default", "parameterNotFoundAction": action}));
    enforce(&server, "absent", json!({}), rule.clone(), absent("Allow")).await;
    server.create("admin", &boxes("v1"), one("v1", "x", 1)).await;
    let mut lenient = absent("Deny");
    lenient["failurePolicy"] = json!("Ignore");
    enforce(&server, "lenient", json!({}), rule.clone(), lenient).await;
    server.create("admin", &boxes("v1"), one("v1", "y", 1)).await;
    enforce(&server, "zstrict", json!({}), rule, absent("Deny")).await;
    let why = "failed to configure binding: no params found for policy binding with `Deny` parameterNotFoundAction";
    assert_eq!(denied(server.post("admin", &boxes("v1"), one("v1", "z", 1)).await), why);
}

#[tokio::test]
async fn what_would_be_ignored_is_refused() {
    let server = Server::start();
    let client = json!({"url": "https://hooks.example"});
    let webhook = json!({"name": "a.example.com", "clientConfig": client, "sideEffects": "None", "admissionReviewVersions": ["v1"]});
    for kind in ["Validating", "Mutating"] {
        let path = format!("/apis/admissionregistration.k8s.io/v1/{}webhookconfigurations", kind.to_lowercase());
        let configuration = |webhooks: Value| json!({"apiVersion": "admissionregistration.k8s.io/v1", "kind": format!("{kind}WebhookConfiguration"), "metadata": {"name": "w"}, "webhooks": webhooks});
        let (code, answer) = server.post("admin", &path, configuration(json!([webhook]))).await;
        assert_eq!((code, &answer["details"]["causes"][0]["field"]), (422, &json!("webhooks")), "{answer}");
        assert!(answer["message"].as_str().unwrap().contains("calls no admission webhooks: write a ValidatingAdmissionPolicy"), "{answer}");
        assert_eq!(server.post("admin", &path, configuration(json!([]))).await.0, 201, "none at all does no harm");
    }
    let limits = |limits: Value| json!({"apiVersion": "v1", "kind": "LimitRange", "metadata": {"name": "l"}, "spec": {"limits": limits}});
    let sound = json!([{"type": "Pod", "max": {"cpu": "1"}}]);
    let path = "/api/v1/namespaces/default/limitranges";
    let (code, answer) = server.post("admin", path, limits(sound.clone())).await;
    assert_eq!((code, &answer["details"]["causes"][0]["field"]), (422, &json!("spec.limits")), "{answer}");
    assert!(answer["message"].as_str().unwrap().contains("applies no LimitRanges: set requests and limits in the pods"), "{answer}");
    server.create("admin", path, limits(json!([]))).await;
    let path = format!("{path}/l");
    assert_eq!(server.merge("admin", &path, json!({"spec": {"limits": sound}})).await.0, 422, "nor does a change bring one");
    // One that an older build stored loses its finalizers.
    let store = &server.plane.state().store;
    let mut kept = limits(sound);
    kept["metadata"] = json!({"name": "kept", "namespace": "default", "finalizers": ["example.org/hold"]});
    let key = devplane::store::Key::new(&devplane::ClusterId::sandbox(), "default", "kept");
    store.write(&devplane::registry::GroupResource::new("", "limitranges"), &key, 0, Some(kept)).await.unwrap();
    let kept = "/api/v1/namespaces/default/limitranges/kept";
    assert_eq!(server.merge("admin", kept, json!({"metadata": {"finalizers": null}})).await.0, 200);
    let open = json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true});
    let version = |name: &str| json!({"name": name, "served": true, "storage": name == "v1", "schema": {"openAPIV3Schema": open}});
    let definition = |plural: &str, versions: Value| {
        let names = json!({"plural": plural, "singular": plural, "kind": plural, "listKind": format!("{plural}list")});
        let conversion = json!({"strategy": "Webhook", "webhook": {"clientConfig": client, "conversionReviewVersions": ["v1"]}});
        let spec = json!({"group": "shop.dev", "scope": "Cluster", "names": names, "versions": versions, "conversion": conversion});
        json!({"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": format!("{plural}.shop.dev")}, "spec": spec})
    };
    let definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    // With one version nothing is to be converted.
    server.create("admin", definitions, definition("ones", json!([version("v1")]))).await;
    let refused = |(code, answer): (u16, Value)| {
        assert_eq!((code, &answer["details"]["causes"][0]["field"]), (422, &json!("spec.conversion.strategy")), "{answer}");
        assert!(answer["message"].as_str().unwrap().contains("calls no conversion webhooks: use the strategy None"), "{answer}");
    };
    refused(server.post("admin", definitions, definition("twos", json!([version("v1"), version("v2")]))).await);
    let second = json!({"spec": {"versions": [version("v1"), version("v2")]}});
    refused(server.merge("admin", &format!("{definitions}/ones.shop.dev"), second).await);
}

/// One thread for all requests: whoever evaluates must not keep it.
#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_long_evaluation_holds_up_no_other_task() {
    let server = Arc::new(server().await);
    let loops = json!({"expression": "object.spec.list.all(a, object.spec.list.all(b, a + b >= 0))"});
    enforce(&server, "slow", json!({}), json!(vec![loops; 20]), json!({})).await;
    let ended = tokio_util::sync::CancellationToken::new();
    let others = tokio::spawn({
        let ended = ended.clone();
        async move {
            let (mut longest, mut last) = (Duration::ZERO, Instant::now());
            while !ended.is_cancelled() {
                tokio::time::sleep(Duration::from_millis(1)).await;
                longest = longest.max(last.elapsed());
                last = Instant::now();
            }
            longest
        }
    });
    let judged = tokio::spawn(async move {
        let mut long = one("v1", "long", 1);
        long["spec"]["list"] = json!((0..300).collect::<Vec<_>>());
        let began = Instant::now();
        let (code, answer) = server.post("admin", &boxes("v1"), long).await;
        assert_eq!(code, 422, "it takes more steps than a policy has: {answer}");
        began.elapsed()
    });
    let took = judged.await.unwrap();
    ended.cancel();
    let longest = others.await.unwrap();
    assert!(longest * 2 < took, "another task waited for {longest:?} of {took:?}");
}

#[tokio::test]
async fn a_policy_is_not_longer_than_what_is_read_at_once() {
    let server = server().await;
    let huge = json!([{"expression": format!("'{}' != ''", "x".repeat(300_000))}]);
    let spec = json!({"matchConstraints": {"resourceRules": [{"apiGroups": ["shop.dev"], "apiVersions": ["v1"], "operations": ["*"], "resources": ["boxes"]}]}, "validations": huge});
    let policy = json!({"apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingAdmissionPolicy", "metadata": {"name": "huge"}, "spec": spec});
    let (code, answer) = server.post("admin", POLICIES, policy).await;
    assert!(code == 422 && answer["message"].as_str().unwrap().contains("may not have more than 262144 bytes together"), "{answer}");
}
