//! From asking to taking away.

use std::collections::BTreeSet;

use cluster::install;
use cluster::kinds::{Export, PromiseRelease, PromiseRequest};
use futures::StreamExt as _;
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube::api::{DeleteParams, ListParams, Patch, PatchParams};
use kube::runtime::WatchStreamExt as _;
use kube::runtime::watcher::{Config, watcher};
use kube::{Api, ResourceExt};
use promise::api::{CandidateState, Phase};
use promise::names;
use serde_json::{Value, json};

use crate::world::{PATIENCE, Plane, apply, condition, on_every_plane, settings, wait};

on_every_plane![
    a_request_becomes_ready_changes_and_goes,
    what_others_hold_says_that_nothing_of_it_is_left,
    what_is_to_be_handed_over_stays_although_the_deletion_follows_at_once,
    what_is_handed_over_takes_the_first_apply_of_its_next_owner,
    what_does_not_fit_is_said_and_nothing_is_made,
    what_is_asked_for_while_it_is_published_never_fails,
    a_promise_that_is_deprecated_or_presented_otherwise_leaves_its_instances_as_they_are,
    what_never_gets_healthy_leaves_ten_releases_however_often_it_is_edited,
];

crate::world::on_every_plane_in_full![a_policy_that_does_not_fit_says_where_and_lets_nothing_pass,];

async fn a_request_becomes_ready_changes_and_goes(plane: Plane) {
    let controller = plane.controller().await;
    plane.offer().await;
    plane.publish("settings", settings("1.0.0")).await;
    let secrets: Api<Secret> = plane.in_shop("dana");

    plane.ask("web", "settings", json!({"level": 5, "extra": true})).await;
    let ready = plane.ready("web").await;
    assert!(condition(&ready, "Ready").starts_with("True Ready: "), "{}", condition(&ready, "Ready"));
    let status = ready.status.unwrap();
    let current = status.current.as_ref().unwrap();
    assert_eq!(current.version, "1.0.0");
    assert!(current.accepted_at.is_some() && current.accepted_at <= current.ready_at, "{current:?}");
    let ids: Vec<&str> = status.inventory.iter().map(|item| item.id.as_str()).collect();
    assert_eq!(ids, ["config", "more", "access", "outputs-secret"], "in the order of making");
    let config = plane.config_maps().get("web-config").await.unwrap().data.unwrap();
    assert_eq!((config["level"].as_str(), config["who"].as_str()), ("5", "dana"));
    let outputs = secrets.get("web-outputs").await.unwrap().data.unwrap();
    assert_eq!(outputs["password"].0, b"hunter-5");
    let shown: Vec<&str> = status.outputs.iter().map(|output| output.name.as_str()).collect();
    assert_eq!(shown, ["config", "password"]);
    assert!(status.outputs.iter().all(|output| !format!("{:?}", output.value).contains("hunter")));

    let edit = json!({"spec": {"parameters": {"level": 7, "extra": false}}});
    plane.requests("dana").patch("web", &PatchParams::default(), &Patch::Merge(&edit)).await.unwrap();
    let changed = plane.ready("web").await;
    assert!(condition(&changed, "Ready").starts_with("True Ready: "), "{}", condition(&changed, "Ready"));
    wait(plane.config_maps(), "web-config", "changed", |map: &ConfigMap| map.data.as_ref().is_some_and(|d| d["level"] == "7")).await;
    wait(secrets.clone(), "web-outputs", "changed", |s: &Secret| s.data.as_ref().is_some_and(|d| d["password"].0 == b"hunter-7")).await;
    plane.gone(plane.config_maps(), "web-more").await;

    let drift = json!({"data": {"level": "forged"}});
    plane.config_maps().patch("web-config", &PatchParams::default(), &Patch::Merge(&drift)).await.unwrap();
    wait(plane.config_maps(), "web-config", "put back", |map: &ConfigMap| map.data.as_ref().is_some_and(|d| d["level"] == "7")).await;

    plane.requests("dana").delete("web", &DeleteParams::default()).await.unwrap();
    plane.gone(plane.requests("dana"), "web").await;
    plane.gone(plane.config_maps(), "web-config").await;
    plane.gone(secrets.clone(), "web-access").await;
    plane.gone(secrets, "web-outputs").await;
    controller.stop().await;
}

async fn what_others_hold_says_that_nothing_of_it_is_left(plane: Plane) {
    let controller = plane.controller().await;
    plane.offer().await;
    plane.publish("settings", settings("1.0.0")).await;
    plane.ask("web", "settings", json!({})).await;
    plane.ready("web").await;
    let held = json!([{"op": "add", "path": "/metadata/finalizers/-", "value": "example.org/held"}]);
    let held: Patch<()> = Patch::Json(serde_json::from_value(held).unwrap());
    plane.requests("dana").patch("web", &PatchParams::default(), &held).await.unwrap();
    plane.requests("dana").delete("web", &DeleteParams::default()).await.unwrap();
    let left = plane.until("web", "given up by the controller", |request| request.finalizers() == ["example.org/held"]).await;
    let status = left.status.unwrap();
    assert_eq!((status.phase, status.inventory.len()), (Phase::Deleting, 0));
    controller.stop().await;
}

async fn what_is_to_be_handed_over_stays_although_the_deletion_follows_at_once(plane: Plane) {
    let controller = plane.controller().await;
    plane.offer().await;
    plane.publish("settings", settings("1.0.0")).await;
    plane.ask("web", "settings", json!({})).await;
    let uid = plane.ready("web").await.uid().unwrap();
    // No time for the controller to look in between.
    let orphan = json!({"spec": {"deletionPolicy": "Orphan"}});
    plane.requests("dana").patch("web", &PatchParams::default(), &Patch::Merge(&orphan)).await.unwrap();
    plane.requests("dana").delete("web", &DeleteParams::default()).await.unwrap();
    plane.gone(plane.requests("dana"), "web").await;
    let left = plane.config_maps().get("web-config").await.unwrap();
    assert!(!left.labels().contains_key(names::REQUEST_UID_LABEL), "nobody looks after it any more: {:?}", left.labels());
    assert_eq!(left.annotations().get(names::RELEASED_ANNOTATION), Some(&uid));
    let managers: Vec<_> = left.managed_fields().iter().filter_map(|entry| entry.manager.as_deref()).collect();
    assert!(!managers.contains(&names::MANAGER_FULFIL), "{managers:?}");
    controller.stop().await;
}

/// The next owner says something else than we did, and nobody has to force anything.
async fn what_is_handed_over_takes_the_first_apply_of_its_next_owner(plane: Plane) {
    let controller = plane.controller().await;
    plane.offer().await;
    plane.publish("settings", settings("1.0.0")).await;
    plane.ask("web", "settings", json!({})).await;
    plane.ready("web").await;
    let orphan = json!({"spec": {"deletionPolicy": "Orphan"}});
    plane.requests("dana").patch("web", &PatchParams::default(), &Patch::Merge(&orphan)).await.unwrap();
    plane.requests("dana").delete("web", &DeleteParams::default()).await.unwrap();
    plane.gone(plane.requests("dana"), "web").await;
    let next = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "web-config"}, "data": {"level": "9"}});
    let applied = plane.config_maps().patch("web-config", &PatchParams::apply("next-owner"), &Patch::Apply(&next)).await;
    let applied = applied.expect("no owner of fields is in the way");
    let data = applied.data.clone().unwrap();
    assert_eq!((data["level"].as_str(), data["who"].as_str()), ("9", "dana"), "what it does not name stays");
    let managers: Vec<_> = applied.managed_fields().iter().filter_map(|entry| entry.manager.as_deref()).collect();
    assert!(managers.contains(&"next-owner") && !managers.contains(&"before-first-apply"), "{managers:?}");
    controller.stop().await;
}

async fn what_does_not_fit_is_said_and_nothing_is_made(plane: Plane) {
    let controller = plane.controller().await;
    plane.offer().await;
    plane.publish("settings", settings("1.0.0")).await;
    plane.ask("bad", "settings", json!({"level": 12})).await;
    let failed = plane.until("bad", "refused by its field", |r| condition(r, "Accepted").contains(".parameters.level")).await;
    assert_eq!(failed.status.as_ref().unwrap().phase, Phase::Failed);
    assert!(condition(&failed, "Ready").starts_with("False Failed: "), "{}", condition(&failed, "Ready"));
    assert!(failed.status.unwrap().inventory.is_empty());
    let ends = json!({"spec": {"expiresAt": "2020-01-31T00:00:00Z"}});
    plane.ask("dated", "settings", json!({})).await;
    plane.ready("dated").await;
    plane.requests("dana").patch("dated", &PatchParams::default(), &Patch::Merge(&ends)).await.unwrap();
    let dated = plane.until("dated", "refused by its field", |r| condition(r, "Accepted").contains(".expiresAt")).await;
    assert_eq!(dated.status.unwrap().phase, Phase::Ready, "what runs goes on");
    let vague = json!({"spec": {"expiresAt": "yesterday"}});
    let refused = plane.requests("dana").patch("bad", &PatchParams::default(), &Patch::Merge(&vague)).await.unwrap_err();
    assert!(matches!(&refused, kube::Error::Api(status) if status.code == 422 && status.message.contains("spec.expiresAt")), "{refused}");
    plane.ask("nothing", "no-such-promise", json!({})).await;
    let failed = plane.until("nothing", "refused", |r| r.status.as_ref().is_some_and(|s| s.phase == Phase::Failed)).await;
    assert!(condition(&failed, "Accepted").contains("no-such-promise"));
    controller.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_policy_of_the_organisation_binds_its_teams() {
    let plane = Plane::open().await;
    let controller = plane.controller().await;
    plane.offer().await;
    plane.publish("settings", settings("1.0.0")).await;
    let policy = json!({
        "apiVersion": "platform.opmodel.dev/v1alpha1", "kind": "Policy", "metadata": {"name": "modest"},
        "spec": {"title": "Modest levels", "owner": {"team": "Acme"}, "rules": [
            {"name": "low", "constrain": {"parameter": ".level", "maximum": 4}},
        ]},
    });
    apply(&plane.client("admin", "root:acme"), &policy).await.unwrap();
    let policies: Api<cluster::kinds::Policy> = Api::all(plane.client("admin", "root:acme"));
    wait(policies, "modest", "judged", |p: &cluster::kinds::Policy| p.status.is_some()).await;
    plane.ask("high", "settings", json!({"level": 8})).await;
    let refused = plane.until("high", "refused", |r| r.status.as_ref().is_some_and(|s| s.phase == Phase::Rejected)).await;
    let status = refused.status.unwrap();
    assert!(status.policies.iter().any(|outcome| outcome.policy == "modest" && outcome.source == "root:acme"), "{:?}", status.policies);
    plane.ask("low", "settings", json!({"level": 2})).await;
    plane.ready("low").await;
    controller.stop().await;
}

/// What a policy says of its rules as they are written now.
fn said(policy: &cluster::kinds::Policy) -> Option<String> {
    let status = policy.status.as_ref().filter(|status| Some(status.observed_generation) == policy.metadata.generation)?;
    let compiled = status.conditions.iter().find(|condition| condition.r#type == "Compiled")?;
    Some(format!("{} {}", compiled.reason, compiled.message))
}

#[tokio::test(flavor = "multi_thread")]
async fn who_publishes_below_a_policy_does_not_blemish_it() {
    let plane = Plane::open().await;
    install::bind(&plane.client("admin", "root:acme:shop"), Export::Catalog, plane.installed()).await.unwrap();
    let controller = plane.controller().await;
    let own = |version: &str, properties: Value| {
        json!({
            "version": version, "lifecycle": "published", "visibility": "private",
            "parameters": {"type": "object", "properties": properties},
            "implementation": {"resources": [{"id": "config", "template": {
                "apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "${request.name}-own"}, "data": {"a": "b"},
            }}]},
        })
    };
    let size = json!({"size": {"type": "string"}});
    plane.publish_at("root:acme:shop", "own", own("1.0.0", size.clone())).await;
    let acme = plane.client("admin", "root:acme");
    let policy = json!({
        "apiVersion": "platform.opmodel.dev/v1alpha1", "kind": "Policy", "metadata": {"name": "levels"},
        "spec": {"title": "Levels", "owner": {"team": "Acme"}, "appliesTo": {"promises": ["own"]}, "rules": [
            {"name": "low", "constrain": {"parameter": ".level", "maximum": 4}},
        ]},
    });
    apply(&acme, &policy).await.unwrap();
    let policies: Api<cluster::kinds::Policy> = Api::all(acme);
    let says = |start: &'static str| move |policy: &cluster::kinds::Policy| said(policy).is_some_and(|said| said.starts_with(start));
    wait(policies.clone(), "levels", "left alone", says("Compiled ")).await;
    // One of its own workspace it has to fit. Once that fits, the other one is known for sure, and still nothing stands against it.
    plane.publish_at("root:acme", "own", own("1.0.0", size)).await;
    wait(policies.clone(), "levels", "held against it", says("Invalid .rules[0].constrain.parameter: ")).await;
    plane.publish_at("root:acme", "own", own("1.1.0", json!({"size": {"type": "string"}, "level": {"type": "integer"}}))).await;
    wait(policies, "levels", "mended", says("Compiled ")).await;
    controller.stop().await;
}

async fn a_policy_that_does_not_fit_says_where_and_lets_nothing_pass(plane: Plane) {
    let controller = plane.controller().await;
    plane.offer().await;
    plane.publish("settings", settings("1.0.0")).await;
    let acme = plane.client("admin", "root:acme");
    let policies: Api<cluster::kinds::Policy> = Api::all(acme.clone());
    let range = json!({"promises": ["settings"]});
    let list = "[1, 2, 3, 4, 5, 6, 7, 8, 9, 10]";
    let bomb = format!("{list}.all(a, {list}.all(b, {list}.all(c, {list}.all(d, {list}.all(e, a + b + c + d + e > 0)))))");
    let asks = |expression: &str| json!({"validate": {"expression": expression, "message": "Choose less."}});
    for (at, (rule, path)) in [
        (asks("parameters.level <"), ".rules[0].validate.expression"),
        (asks("parameters.level < 'high'"), ".rules[0].validate.expression"),
        (asks("parameters.levle < 3"), ".rules[0].validate.expression"),
        (asks(&bomb), ".rules[0].validate.expression"),
        (json!({"constrain": {"parameter": ".nosuch", "maximum": 4}}), ".rules[0].constrain.parameter"),
        (json!({"constrain": {"parameter": ".level", "pattern": "^x"}}), ".rules[0].constrain"),
        (json!({"default": {"parameter": ".level", "value": "high"}}), ".rules[0].default.value"),
        (json!({"constrain": {"parameter": ".level", "maximum": 4, "when": "parameters.level"}}), ".rules[0].constrain.when"),
    ]
    .into_iter()
    .enumerate()
    {
        let mut rule = rule;
        rule["name"] = json!("r");
        let policy = json!({
            "apiVersion": "platform.opmodel.dev/v1alpha1", "kind": "Policy", "metadata": {"name": "broken"},
            "spec": {"title": "Broken", "owner": {"team": "Acme"}, "appliesTo": range, "rules": [rule]},
        });
        apply(&acme, &policy).await.unwrap();
        let is_told = |policy: &cluster::kinds::Policy| said(policy).is_some_and(|said| said.starts_with(&format!("Invalid {path}: ")));
        wait(policies.clone(), "broken", &format!("wrong at {path}"), is_told).await;
        let name = format!("held-{at}");
        plane.ask(&name, "settings", json!({"level": 2})).await;
        let held = plane.until(&name, "refused", |r| r.status.as_ref().is_some_and(|s| s.phase == Phase::Rejected)).await;
        let words = condition(&held, "PoliciesSatisfied");
        assert!(words.contains(&format!("The policy Broken at {} (Acme)", plane.home("root:acme"))), "{words}");
    }
    // It is judged anew when the promise changes, and mended by either side.
    let mended = json!({
        "apiVersion": "platform.opmodel.dev/v1alpha1", "kind": "Policy", "metadata": {"name": "broken"},
        "spec": {"title": "Mended", "owner": {"team": "Acme"}, "appliesTo": range, "rules": [{"name": "r", "constrain": {"parameter": ".level", "maximum": 4}}]},
    });
    apply(&acme, &mended).await.unwrap();
    wait(policies.clone(), "broken", "mended", |policy| said(policy).is_some_and(|said| said.starts_with("Compiled "))).await;
    plane.ready("held-4").await;
    controller.stop().await;
}

async fn a_promise_that_is_deprecated_or_presented_otherwise_leaves_its_instances_as_they_are(plane: Plane) {
    let controller = plane.controller().await;
    plane.offer().await;
    plane.publish("settings", settings("1.0.0")).await;
    plane.ask("web", "settings", json!({})).await;
    let ready = plane.ready("web").await;
    let promises: Api<cluster::kinds::Promise> = Api::all(plane.client("admin", "root:platform"));
    let before = promises.get("settings").await.unwrap().status.unwrap().revision;
    let change = json!({"spec": {
        "lifecycle": "deprecated", "deprecation": {"message": "Use options instead.", "replacedBy": "options"},
        "presentation": {"displayName": "Old settings"},
    }});
    let (published, revision) = published_after(&promises, &change).await;
    assert_eq!((published.status, &revision), (promise::api::ConditionStatus::True, &before), "{published:?}");
    // What the version itself says is checked when it is published; this can be written at any time.
    let (published, _) = published_after(&promises, &json!({"spec": {"deprecation": {"removeAfter": "yesterday"}}})).await;
    assert_eq!((published.status, &*published.reason), (promise::api::ConditionStatus::False, "Invalid"), "{published:?}");
    assert!(published.message.contains(".deprecation.removeAfter"), "{published:?}");
    let (published, revision) = published_after(&promises, &json!({"spec": {"deprecation": {"removeAfter": "2027-03-01"}}})).await;
    assert_eq!((published.status, revision), (promise::api::ConditionStatus::True, before), "{published:?}");
    // It is judged once more, against what is offered now.
    let edit = json!({"spec": {"parameters": {"level": 4}}});
    plane.requests("dana").patch("web", &PatchParams::default(), &Patch::Merge(&edit)).await.unwrap();
    let edited = plane.ready("web").await;
    let revision = |request: &PromiseRequest| request.status.as_ref().unwrap().current.as_ref().unwrap().revision.clone();
    assert_eq!(revision(&edited), revision(&ready));
    controller.stop().await;
}

/// Its condition `Published` and its revision once the controller has seen `change`.
async fn published_after(promises: &Api<cluster::kinds::Promise>, change: &Value) -> (promise::api::Condition, Option<String>) {
    let changed = promises.patch("settings", &PatchParams::default(), &Patch::Merge(change)).await.unwrap();
    let generation = changed.metadata.generation.unwrap();
    let seen = wait(promises.clone(), "settings", "seen", |promise: &cluster::kinds::Promise| {
        promise.status.as_ref().is_some_and(|status| status.observed_generation == generation)
    });
    let status = seen.await.status.unwrap();
    (status.conditions.into_iter().find(|condition| condition.r#type == "Published").unwrap(), status.revision)
}

/// Promises of the same name and content in two homes have revisions of the same name.
#[tokio::test(flavor = "multi_thread")]
async fn instances_count_for_the_promise_of_their_home_alone() {
    let plane = Plane::open().await;
    let controller = plane.controller().await;
    plane.offer().await;
    for home in ["root:platform", "root:acme"] {
        plane.publish_at(home, "settings", settings("1.0.0")).await;
    }
    let mut asked = crate::world::request("web", "settings", json!({}));
    asked.metadata.namespace = Some(plane.namespace().to_owned());
    asked.spec.promise.workspace = Some("root:platform".to_owned());
    plane.requests("dana").create(&kube::api::PostParams::default(), &asked).await.unwrap();
    plane.ready("web").await;
    let promises = |home: &str| Api::<cluster::kinds::Promise>::all(plane.client("admin", home));
    let instances = |promise: &cluster::kinds::Promise| promise.status.as_ref().map(|status| status.instances);
    wait(promises("root:platform"), "settings", "counted", |promise| instances(promise) == Some(1)).await;
    // Nothing holds the other one.
    let other = promises("root:acme");
    assert_eq!(instances(&other.get("settings").await.unwrap()), Some(0));
    other.delete("settings", &DeleteParams::default()).await.unwrap();
    plane.gone(other, "settings").await;
    controller.stop().await;
}

async fn what_is_asked_for_while_it_is_published_never_fails(plane: Plane) {
    plane.offer().await;
    // Both are there before anybody looks: a folder that is applied at once.
    let home = plane.client("admin", "root:platform");
    for count in 0..5 {
        let name = format!("settings-{count}");
        let promise = json!({"apiVersion": "platform.opmodel.dev/v1alpha1", "kind": "Promise", "metadata": {"name": name}, "spec": settings("1.0.0")});
        apply(&home, &promise).await.unwrap();
        plane.ask(&format!("web-{count}"), &name, json!({})).await;
    }
    let mut changes = std::pin::pin!(watcher(plane.requests("dana"), Config::default()).applied_objects());
    let controller = plane.controller().await;
    let mut ready = BTreeSet::new();
    while ready.len() < 5 {
        let request = changes.next().await.unwrap().unwrap();
        let phase = request.status.as_ref().map(|status| status.phase).unwrap_or_default();
        assert_ne!(phase, Phase::Failed, "{}: {}", request.name_any(), condition(&request, "Accepted"));
        if phase == Phase::Ready {
            ready.insert(request.name_any());
        }
    }
    controller.stop().await;
}

async fn what_never_gets_healthy_leaves_ten_releases_however_often_it_is_edited(plane: Plane) {
    let controller = plane.controller().await;
    plane.offer().await;
    let mut promise = settings("1.0.0");
    promise["implementation"]["resources"][0]["readyWhen"] = "${has(self.data.works)}".into();
    plane.publish("settings", promise).await;
    plane.ask("web", "settings", json!({"level": 9, "extra": true})).await;
    for (level, extra) in (1..=6).flat_map(|level| [(level, true), (level, false)]) {
        let edit = json!({"spec": {"parameters": {"level": level, "extra": extra}}});
        let edited = plane.requests("dana").patch("web", &PatchParams::default(), &Patch::Merge(&edit)).await.unwrap();
        let is_accepted = |request: &PromiseRequest| {
            let candidate = request.status.as_ref().and_then(|status| status.candidate.as_ref());
            candidate.is_some_and(|next| next.state == CandidateState::Accepted && next.generation == edited.metadata.generation)
        };
        plane.until("web", "being made as edited", is_accepted).await;
    }
    let releases: Api<PromiseRelease> = plane.in_shop("dana");
    let kept = async {
        while releases.list(&ListParams::default()).await.unwrap().items.len() > 10 {
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(PATIENCE, kept).await.expect("no more than ten are kept");
    let last = plane.requests("dana").get("web").await.unwrap().status.unwrap().candidate.unwrap().release;
    assert!(releases.get_opt(&last).await.unwrap().is_some(), "what is being made is kept");
    controller.stop().await;
}
