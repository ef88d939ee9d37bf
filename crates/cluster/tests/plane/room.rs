//! Limits and budgets: how many there may be, and what they may cost together.

use std::sync::atomic::Ordering;

use cluster::controller::ControllerState;
use cluster::kinds::PromiseRequest;
use cluster::usage::in_force;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::ResourceExt;
use kube::api::{DeleteParams, Patch, PatchParams, PostParams};
use promise::api::{CandidateState, Phase, WaitingKind};
use serde_json::{Value, json};

use crate::running::Running;
use crate::world::{PATIENCE, Plane, apply, condition, on_every_plane_in_full, request, settings, wait};

on_every_plane_in_full![
    the_last_place_goes_to_one,
    the_last_money_goes_to_one,
    the_last_place_goes_to_one_although_another_controller_takes_over,
    an_edit_has_to_find_room_as_well,
    what_is_being_made_counts_after_a_refused_edit,
    who_approves_late_may_find_no_room,
    what_cannot_be_recorded_takes_no_room_away,
];

/// As many as race for one place.
const RIVALS: usize = 8;

pub async fn governed(plane: &Plane, rule: Value) -> Running {
    let controller = plane.controller().await;
    let mut promise = settings("1.0.0");
    promise["cost"] = json!({"items": [{"name": "level", "monthly": "${prices.level * parameters.level}"}]});
    plane.publish("settings", promise).await;
    let shelf = json!({
        "apiVersion": "platform.opmodel.dev/v1alpha1", "kind": "PromiseCatalog", "metadata": {"name": "standard"},
        "spec": {
            "title": "Standard", "promises": ["*"], "workspaces": ["root:acme:**", "cluster:*"], "currency": "EUR",
            "prices": [{"from": "2020-01-01", "values": {"level": "10.00"}}],
        },
    });
    apply(&plane.client("admin", "root:platform"), &shelf).await.unwrap();
    limit(plane, rule).await;
    controller
}

async fn limit(plane: &Plane, rule: Value) {
    let policy = json!({
        "apiVersion": "platform.opmodel.dev/v1alpha1", "kind": "Policy", "metadata": {"name": "modest"},
        "spec": {"title": "Modest", "owner": {"team": "finance"}, "rules": [rule]},
    });
    plane.govern(&policy).await;
}

fn phase(request: &PromiseRequest) -> Phase {
    request.status.as_ref().map(|status| status.phase).unwrap_or_default()
}

pub fn is_full(request: &PromiseRequest) -> bool {
    let waits = request.status.as_ref().and_then(|status| status.waiting_on.as_ref());
    condition(request, "PoliciesSatisfied").starts_with("False NoRoom") && waits.is_some_and(|waits| waits.kind == WaitingKind::Capacity)
}

fn is_being_made(request: &PromiseRequest) -> bool {
    let candidate = request.status.as_ref().and_then(|status| status.candidate.as_ref());
    candidate.is_some_and(|candidate| candidate.state == CandidateState::Accepted)
}

/// All rivals at once, each for itself.
async fn race(plane: &Plane, level: u64) {
    let asking = (0..RIVALS).map(|index| {
        let mut rival = request(&format!("rival-{index}"), "settings", json!({"level": level}));
        rival.metadata.namespace = Some(plane.namespace().to_owned());
        let api = plane.requests("dana");
        async move { api.create(&PostParams::default(), &rival).await.unwrap() }
    });
    futures::future::join_all(asking).await;
}

/// Waits until everybody has an answer, and says who got a place.
async fn winners(plane: &Plane) -> Vec<String> {
    let rivals = plane.requests("dana").list(&Default::default()).await.unwrap();
    let mut ready = Vec::new();
    for rival in rivals {
        let name = rival.name_any();
        let answered = plane.until(&name, "answered", |r| phase(r) == Phase::Ready || is_full(r)).await;
        if phase(&answered) == Phase::Ready {
            ready.push(name);
        }
    }
    ready
}

async fn the_last_place_goes_to_one(plane: Plane) {
    let controller = governed(&plane, json!({"name": "three", "limit": {"count": 3, "per": "workspace"}})).await;
    race(&plane, 1).await;
    let winners_at_first = winners(&plane).await;
    assert_eq!(winners_at_first.len(), 3, "{winners_at_first:?}");
    let loser = plane.requests("dana").list(&Default::default()).await.unwrap().into_iter().find(is_full).unwrap();
    let why = condition(&loser, "PoliciesSatisfied");
    assert!(why.contains("Modest") && why.contains("finance"), "{why}");
    assert_eq!(phase(&loser), Phase::Pending, "what lacks room is queued");
    let denied = loser.status.as_ref().unwrap().policies.iter().any(|outcome| outcome.rule == "three");
    assert!(denied, "{:?}", loser.status.as_ref().unwrap().policies);

    // A place that gets free goes to one of those who wait for it.
    plane.requests("dana").delete(&winners_at_first[0], &DeleteParams::default()).await.unwrap();
    plane.gone(plane.requests("dana"), &winners_at_first[0]).await;
    let waiting = async {
        while plane.requests("dana").list(&Default::default()).await.unwrap().iter().filter(|r| phase(r) == Phase::Ready).count() < 3 {
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(PATIENCE, waiting).await.expect("somebody gets it");
    assert_eq!(winners(&plane).await.len(), 3);

    // More room is room for all.
    limit(&plane, json!({"name": "three", "limit": {"count": 20, "per": "subtree"}})).await;
    for index in 0..RIVALS {
        let name = format!("rival-{index}");
        if name != winners_at_first[0] {
            plane.ready(&name).await;
        }
    }
    controller.stop().await;
}

async fn the_last_money_goes_to_one(plane: Plane) {
    let rule = json!({"name": "purse", "budget": {"monthly": "70.00", "currency": "EUR", "per": "workspace"}});
    let controller = governed(&plane, rule).await;
    race(&plane, 3).await;
    assert_eq!(winners(&plane).await.len(), 2, "two of 30.00 fit into 70.00");
    let ready = plane.requests("dana").list(&Default::default()).await.unwrap().into_iter().find(|r| phase(r) == Phase::Ready).unwrap();
    let cost = ready.status.unwrap().cost.unwrap();
    assert_eq!((cost.monthly.as_deref(), cost.currency.as_deref()), (Some("30.00"), Some("EUR")));
    plane.ask("small", "settings", json!({"level": 1})).await;
    plane.ready("small").await;
    controller.stop().await;
}

async fn the_last_place_goes_to_one_although_another_controller_takes_over(plane: Plane) {
    let first = governed(&plane, json!({"name": "three", "limit": {"count": 3, "per": "workspace"}})).await;
    let mut second = plane.beginning_rival("another", plane.endpoint.clone());
    second.until("waiting", |state| matches!(state, ControllerState::Standby { why } if why.contains("test"))).await;
    race(&plane, 1).await;
    // Someone who is being made can be ready before anyone looks.
    let begun = |one: &PromiseRequest| is_being_made(one) || phase(one) == Phase::Ready;
    let any = async |plane: &Plane| plane.requests("dana").list(&Default::default()).await.unwrap().iter().any(begun);
    tokio::time::timeout(PATIENCE, async {
        while !any(&plane).await {
            tokio::task::yield_now().await;
        }
    })
    .await
    .expect("the race begins");
    first.crash();
    second.until("working", |state| *state == ControllerState::Ready).await;
    let winners = winners(&plane).await;
    assert_eq!(winners.len(), 3, "{winners:?}");
    second.stop().await;
}

async fn an_edit_has_to_find_room_as_well(plane: Plane) {
    let rule = json!({"name": "purse", "budget": {"monthly": "50.00", "currency": "EUR", "per": "workspace"}});
    let controller = governed(&plane, rule).await;
    plane.ask("web", "settings", json!({"level": 3})).await;
    plane.ready("web").await;
    plane.ask("other", "settings", json!({"level": 1})).await;
    plane.ready("other").await;
    edit(&plane, "web", 5).await;
    let full = plane.until("web", "without room", is_full).await;
    assert_eq!(phase(&full), Phase::Ready, "what runs goes on");
    assert!(condition(&full, "PoliciesSatisfied").contains("50"), "{}", condition(&full, "PoliciesSatisfied"));
    edit(&plane, "web", 4).await;
    wait(plane.config_maps(), "web-config", "changed", is_of_level("4")).await;
    controller.stop().await;
}

/// Settings whose config map works from level 2 on once somebody says so, and the rest is made then.
fn slow_settings() -> Value {
    let works = "${parameters.level < 2 || (has(self.data.works) && self.data.works == string(parameters.level))}";
    let mut promise = settings("1.0.1");
    promise["cost"] = json!({"items": [{"name": "level", "monthly": "${prices.level * parameters.level}"}]});
    promise["implementation"]["resources"][0]["readyWhen"] = json!(works);
    promise
}

async fn edit(plane: &Plane, name: &str, level: u64) {
    let edit = json!({"spec": {"parameters": {"level": level}}});
    plane.requests("dana").patch(name, &PatchParams::default(), &Patch::Merge(&edit)).await.unwrap();
}

fn is_of_level(level: &'static str) -> impl Fn(&ConfigMap) -> bool {
    move |map| map.data.as_ref().is_some_and(|data| data.get("level").is_some_and(|known| known == level))
}

async fn what_is_being_made_counts_after_a_refused_edit(plane: Plane) {
    let rule = json!({"name": "purse", "budget": {"monthly": "50.00", "currency": "EUR", "per": "workspace"}});
    let controller = governed(&plane, rule).await;
    plane.publish("settings", slow_settings()).await;
    plane.ask("old", "settings", json!({"level": 1})).await;
    plane.ready("old").await;
    edit(&plane, "old", 2).await;
    plane.ask("new", "settings", json!({"level": 2})).await;
    for name in ["old", "new"] {
        wait(plane.config_maps(), &format!("{name}-config"), "made", is_of_level("2")).await;
        plane.until(name, "said to be accepted", is_being_made).await;
    }

    for name in ["old", "new"] {
        edit(&plane, name, 9).await;
        let full = plane.until(name, "without room", is_full).await;
        assert!(!condition(&full, "Healthy").starts_with("True"), "{name} is still being made: {}", condition(&full, "Healthy"));
    }
    plane.ask("third", "settings", json!({"level": 2})).await;
    let answered = plane.until("third", "answered", |request| phase(request) == Phase::Provisioning || is_full(request)).await;
    assert!(is_full(&answered), "of 50.00 20.00 and 20.00 are taken: {:?}", phase(&answered));

    // What was accepted goes on, and not what was there before.
    for name in ["old", "new"] {
        let map = format!("{name}-config");
        let says = json!({"data": {"works": "2"}});
        plane.config_maps().patch(&map, &PatchParams::default(), &Patch::Merge(&says)).await.unwrap();
        plane.until(name, "working", |request| condition(request, "Healthy").starts_with("True")).await;
        wait(plane.config_maps(), &map, "as it was accepted", is_of_level("2")).await;
    }
    controller.stop().await;
}

async fn what_cannot_be_recorded_takes_no_room_away(plane: Plane) {
    let (controller, fails) = plane.failing_controller("/promisereleases").await;
    plane.publish("settings", slow_settings()).await;
    plane.offer().await;
    plane.ask("web", "settings", json!({"level": 2})).await;
    wait(plane.config_maps(), "web-config", "made", is_of_level("2")).await;
    let made = plane.until("web", "said to be accepted", is_being_made).await;

    fails.store(true, Ordering::SeqCst);
    edit(&plane, "web", 3).await;
    let told = plane.until("web", "told", |request| request.status.as_ref().is_some_and(|status| status.observed_generation == 2)).await;
    assert_eq!(in_force(&told), in_force(&made), "what is being made is accepted as before: {}", condition(&told, "Ready"));

    fails.store(false, Ordering::SeqCst);
    wait(plane.config_maps(), "web-config", "changed", is_of_level("3")).await;
    controller.stop().await;
}

async fn who_approves_late_may_find_no_room(plane: Plane) {
    let controller = governed(&plane, json!({"name": "one", "limit": {"count": 1, "per": "workspace"}})).await;
    let careful = json!({
        "apiVersion": "platform.opmodel.dev/v1alpha1", "kind": "Policy", "metadata": {"name": "careful"},
        "spec": {"title": "Careful", "rules": [{"name": "look", "approve": {"when": "parameters.level > 5"}}]},
    });
    let platform = plane.client("admin", "root:platform");
    plane.govern(&careful).await;
    plane.ask("large", "settings", json!({"level": 7})).await;
    let held = plane.until("large", "waiting for an approval", |r| condition(r, "Approved").contains("AwaitingApproval")).await;
    plane.ask("small", "settings", json!({"level": 1})).await;
    plane.ready("small").await;
    let decision = json!({
        "apiVersion": "platform.opmodel.dev/v1alpha1", "kind": "Approval", "metadata": {"name": "large"},
        "spec": {
            "request": {"namespace": held.namespace(), "name": "large", "uid": held.uid()}, "rule": {"policy": "careful", "name": "look"},
            "contentHash": held.status.unwrap().candidate.unwrap().content_hash, "decision": "approve",
        },
    });
    apply(&platform, &decision).await.unwrap();
    plane.until("large", "without room", is_full).await;
    plane.requests("dana").delete("small", &DeleteParams::default()).await.unwrap();
    plane.ready("large").await;
    controller.stop().await;
}
