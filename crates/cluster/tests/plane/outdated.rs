//! Policies and prices that change under what runs: it is told what would change, and nothing is rolled out by itself.

use k8s_openapi::api::core::v1::ConfigMap;
use kube::Api;
use kube::api::{DeleteParams, Patch, PatchParams};
use promise::api::{Phase, RuleChange};
use promise::names;
use serde_json::{Value, json};

use crate::world::{Plane, apply, condition, on_every_plane_in_full, settings, wait};

on_every_plane_in_full![
    a_changed_policy_is_told_and_rolled_out_by_name,
    a_changed_price_touches_nothing,
    a_policy_that_does_not_fit_says_so_and_fails_closed,
    a_request_made_while_the_way_up_is_closed_goes_on_when_it_opens,
];

fn policy(name: &str, spec: Value) -> Value {
    json!({"apiVersion": "platform.opmodel.dev/v1alpha1", "kind": "Policy", "metadata": {"name": name}, "spec": spec})
}

async fn annotate(plane: &Plane, name: &str, digest: &str) {
    let annotated = json!({"metadata": {"annotations": {names::ROLL_OUT_ANNOTATION: digest}}});
    plane.requests("dana").patch(name, &PatchParams::default(), &Patch::Merge(annotated)).await.unwrap();
}

async fn level_is(plane: &Plane, level: &str) {
    let is = |map: &ConfigMap| map.data.as_ref().is_some_and(|data| data["level"] == level);
    wait(plane.config_maps(), "web-config", "as it should be", is).await;
}

async fn a_changed_policy_is_told_and_rolled_out_by_name(plane: Plane) {
    let controller = plane.controller().await;
    plane.offer().await;
    plane.publish("settings", settings("1.0.0")).await;
    plane.ask("web", "settings", json!({"level": 2})).await;
    let ready = plane.ready("web").await;
    let release = ready.status.unwrap().current.unwrap().release;
    let platform = plane.client("admin", "root:platform");
    let fixed = |level: u64| {
        policy("fixed", json!({"title": "Fixed", "rules": [{"name": "level", "set": {"parameter": ".level", "value": level}}]}))
    };
    apply(&platform, &fixed(5)).await.unwrap();
    let outdated = |reason: &'static str| move |r: &cluster::kinds::PromiseRequest| condition(r, "PolicyOutdated").starts_with(reason);
    let told = plane.until("web", "outdated", outdated("True PoliciesChanged")).await;
    let status = told.status.as_ref().unwrap();
    let today = status.outdated.clone().unwrap();
    assert_eq!((today.rules[0].policy.as_str(), today.rules[0].change), ("fixed", RuleChange::Added));
    let words = condition(&told, "PolicyOutdated");
    assert!(words.contains("Level is always 5") && words.contains(&today.digest), "{words}");
    assert_eq!((status.phase, status.current.as_ref().unwrap().release.as_str()), (Phase::Ready, release.as_str()));

    // What is put back is what runs, and another digest rolls out nothing.
    annotate(&plane, "web", "yes").await;
    plane.config_maps().patch("web-config", &PatchParams::default(), &Patch::Merge(json!({"data": {"level": "9"}}))).await.unwrap();
    level_is(&plane, "2").await;
    apply(&platform, &fixed(6)).await.unwrap();
    let later = plane.until("web", "outdated anew", |r| condition(r, "PolicyOutdated").contains("always 6")).await;
    annotate(&plane, "web", &today.digest).await;
    plane.config_maps().patch("web-config", &PatchParams::default(), &Patch::Merge(json!({"data": {"level": "8"}}))).await.unwrap();
    level_is(&plane, "2").await;

    annotate(&plane, "web", &later.status.unwrap().outdated.unwrap().digest).await;
    level_is(&plane, "6").await;
    let rolled = plane.until("web", "up to date", outdated("False UpToDate")).await;
    assert_ne!(rolled.status.unwrap().current.unwrap().release, release);

    // A policy that goes changes nothing by itself either; an edit takes what holds today.
    let policies: Api<cluster::kinds::Policy> = Api::all(platform);
    policies.delete("fixed", &DeleteParams::default()).await.unwrap();
    let gone = plane.until("web", "outdated by a removal", outdated("True PoliciesChanged")).await;
    let went = gone.status.unwrap().outdated.unwrap().rules[0].clone();
    assert_eq!((went.change, &went.source), (RuleChange::Removed, &today.rules[0].source), "it went where it had come from");
    assert!(went.source.is_some());
    level_is(&plane, "6").await;
    let edit = json!({"spec": {"reason": "take what holds"}});
    plane.requests("dana").patch("web", &PatchParams::default(), &Patch::Merge(edit)).await.unwrap();
    level_is(&plane, "2").await;
    plane.until("web", "up to date again", outdated("False UpToDate")).await;
    controller.stop().await;
}

async fn a_changed_price_touches_nothing(plane: Plane) {
    let controller = plane.controller().await;
    let mut promise = settings("1.0.0");
    promise["cost"] = json!({"items": [{"name": "level", "monthly": "${prices.level * parameters.level}"}]});
    plane.publish("settings", promise).await;
    let shelf = |price: &str| {
        json!({
            "apiVersion": "platform.opmodel.dev/v1alpha1", "kind": "PromiseCatalog", "metadata": {"name": "standard"},
            "spec": {
                "title": "Standard", "promises": ["*"], "workspaces": ["root:acme:**", "cluster:*"], "currency": "EUR",
                "prices": [{"from": "2020-01-01", "values": {"level": price}}],
            },
        })
    };
    let platform = plane.client("admin", "root:platform");
    apply(&platform, &shelf("10.00")).await.unwrap();
    plane.ask("web", "settings", json!({"level": 2})).await;
    let ready = plane.ready("web").await;
    let release = ready.status.as_ref().unwrap().current.clone().unwrap().release;
    assert_eq!(ready.status.unwrap().cost.unwrap().monthly.as_deref(), Some("20.00"));
    apply(&platform, &shelf("11.50")).await.unwrap();
    let told = plane.until("web", "dearer", |r| condition(r, "PolicyOutdated").starts_with("True PricesChanged")).await;
    assert!(condition(&told, "PolicyOutdated").contains("23.00"), "{}", condition(&told, "PolicyOutdated"));
    let status = told.status.unwrap();
    assert_eq!(status.cost.unwrap().monthly.as_deref(), Some("20.00"), "what was accepted is what counts");
    assert_eq!(status.current.unwrap().release, release);
    controller.stop().await;
}

async fn a_policy_that_does_not_fit_says_so_and_fails_closed(plane: Plane) {
    let controller = plane.controller().await;
    plane.offer().await;
    let platform = plane.client("admin", "root:platform");
    let policies: Api<cluster::kinds::Policy> = Api::all(platform.clone());
    let compiled = |policy: &cluster::kinds::Policy| {
        let status = policy.status.as_ref();
        let found = status.and_then(|status| status.conditions.iter().find(|condition| condition.r#type == "Compiled"));
        found.map(|c| format!("{:?} {}", c.status, c.message)).unwrap_or_default()
    };
    let strict = policy(
        "strict",
        json!({
            "title": "Strict", "owner": {"team": "security"}, "appliesTo": {"promises": ["settings"]},
            "rules": [{"name": "text", "validate": {"expression": "parameters.level.startsWith('a')", "message": "Begin with an a."}}],
        }),
    );
    apply(&platform, &strict).await.unwrap();
    wait(policies.clone(), "strict", "compiled by itself", |policy| compiled(policy).starts_with("True")).await;
    // It breaks when a promise comes that it does not fit.
    plane.publish("settings", settings("1.0.0")).await;
    let broken = wait(policies.clone(), "strict", "broken by the promise", |policy| compiled(policy).starts_with("False")).await;
    assert!(compiled(&broken).contains(".rules[0].validate.expression") && compiled(&broken).contains("settings"), "{}", compiled(&broken));
    plane.ask("web", "settings", json!({})).await;
    let refused = plane.until("web", "refused", |r| condition(r, "PoliciesSatisfied").starts_with("False Refused")).await;
    let why = condition(&refused, "PoliciesSatisfied");
    assert!(why.contains("Strict") && why.contains("security"), "{why}");
    // Mended, it lets pass what it should.
    let mended = policy(
        "strict",
        json!({
            "title": "Strict", "appliesTo": {"promises": ["settings"]},
            "rules": [{"name": "text", "validate": {"expression": "parameters.level < 9", "message": "Stay below 9."}}],
        }),
    );
    apply(&platform, &mended).await.unwrap();
    plane.ready("web").await;
    wait(policies, "strict", "mended", |policy| compiled(policy).starts_with("True")).await;
    controller.stop().await;
}

async fn a_request_made_while_the_way_up_is_closed_goes_on_when_it_opens(plane: Plane) {
    if plane.has_namespaces() {
        // Nobody has to bind anything there.
        return;
    }
    let controller = plane.controller().await;
    plane.offer().await;
    plane.publish("settings", settings("1.0.0")).await;
    plane.ask("before", "settings", json!({"level": 2})).await;
    plane.ready("before").await;
    let bindings = kube::core::ApiResource::from_gvk(&kube::core::GroupVersionKind::gvk("apis.kcp.io", "v1alpha2", "APIBinding"));
    let acme: Api<kube::api::DynamicObject> = Api::all_with(plane.client("admin", "root:acme"), &bindings);
    acme.delete(names::EXPORT_CATALOG, &DeleteParams::default()).await.unwrap();
    plane.gone(acme, names::EXPORT_CATALOG).await;
    // The controller hears of it by watching.
    let is_closed = |r: &cluster::kinds::PromiseRequest| condition(r, "PoliciesSatisfied").starts_with("Unknown PoliciesNotVisible");
    let heard = async {
        for count in 0.. {
            let name = format!("probe-{count}");
            plane.ask(&name, "settings", json!({})).await;
            let is_ready = |r: &cluster::kinds::PromiseRequest| r.status.as_ref().is_some_and(|status| status.phase == Phase::Ready);
            if is_closed(&plane.until(&name, "answered", |r| is_closed(r) || is_ready(r)).await) {
                return;
            }
        }
    };
    tokio::time::timeout(crate::world::PATIENCE, heard).await.expect("it closes");
    plane.ask("web", "settings", json!({"level": 3})).await;
    let held = plane.until("web", "held", is_closed).await;
    let why = condition(&held, "PoliciesSatisfied");
    assert!(why.contains("root:acme") && why.contains("an admin of root:acme"), "{why}");
    assert!(held.status.unwrap().current.is_none());
    let edit = json!({"spec": {"parameters": {"level": 7}}});
    plane.requests("dana").patch("before", &PatchParams::default(), &Patch::Merge(edit)).await.unwrap();
    let running = plane.until("before", "held", |r| condition(r, "PoliciesSatisfied").starts_with("Unknown")).await;
    assert_eq!(running.status.unwrap().phase, Phase::Ready, "what runs holds");
    let is = |map: &ConfigMap| map.data.as_ref().is_some_and(|data| data["level"] == "2");
    wait(plane.config_maps(), "before-config", "as it was", is).await;
    cluster::install::bind(&plane.client("admin", "root:acme"), cluster::kinds::Export::Catalog, plane.installed()).await.unwrap();
    plane.ready("web").await;
    let is = |map: &ConfigMap| map.data.as_ref().is_some_and(|data| data["level"] == "7");
    wait(plane.config_maps(), "before-config", "changed", is).await;
    controller.stop().await;
}
