//! What is noted about a request, as its people read it.

use futures::TryStreamExt;
use k8s_openapi::api::core::v1::{ConfigMap, Event};
use kube::api::{Api, DeleteParams, ListParams, Patch, PatchParams};
use kube::runtime::watcher::{self, Config, watcher};
use serde_json::json;

use crate::rights::reject;
use crate::world::{PATIENCE, Plane, settings};

crate::world::on_every_plane_in_full![milestones_are_noted_once_whoever_starts_again, what_is_put_back_is_counted_and_a_refusal_is_told,];

fn events(plane: &Plane) -> Api<Event> {
    plane.in_shop("dana")
}

/// Reasons and counts in the order of the alphabet; asked for as `kubectl describe` and the request page do.
async fn noted(plane: &Plane, uid: &str) -> Vec<(String, i32)> {
    let about = ListParams::default().fields(&format!("involvedObject.uid={uid}"));
    let found = events(plane).list(&about).await.unwrap().items;
    let mut noted: Vec<(String, i32)> = found.into_iter().map(|e| (e.reason.unwrap(), e.count.unwrap())).collect();
    noted.sort();
    noted
}

/// Waits for an event.
pub async fn note(plane: &Plane, uid: &str, holds: impl Fn(&Event) -> bool) -> Event {
    let about = Config::default().fields(&format!("involvedObject.uid={uid}"));
    let seen = watcher(events(plane), about).try_filter_map(|seen| {
        let found = match seen {
            watcher::Event::Apply(event) | watcher::Event::InitApply(event) if holds(&event) => Some(event),
            _ => None,
        };
        std::future::ready(Ok(found))
    });
    let mut seen = Box::pin(seen);
    tokio::time::timeout(PATIENCE, seen.try_next()).await.expect("it is noted in time").unwrap().unwrap()
}

pub fn says(reason: &str) -> impl Fn(&Event) -> bool {
    move |event| event.reason.as_deref() == Some(reason)
}

async fn milestones_are_noted_once_whoever_starts_again(plane: Plane) {
    plane.offer().await;
    let controller = plane.controller().await;
    plane.publish("settings", settings("1.0.0")).await;
    let uid = plane.ask("web", "settings", json!({})).await.metadata.uid.unwrap();
    let release = plane.ready("web").await.status.unwrap().current.unwrap().release;
    let accepted = note(&plane, &uid, says("Accepted")).await;
    assert!(accepted.message.as_ref().unwrap().contains(&release), "{accepted:?}");
    assert_eq!(accepted.type_.as_deref(), Some("Normal"));
    assert_eq!(accepted.involved_object.kind.as_deref(), Some("PromiseRequest"));
    assert_eq!(accepted.involved_object.name.as_deref(), Some("web"));
    assert_eq!(accepted.source.unwrap().component.as_deref(), Some("opm-controller"));
    assert_eq!(accepted.reporting_component.as_deref(), Some("opm-controller"));
    controller.stop().await;
    let once = [("Accepted".to_owned(), 1), ("Applied".to_owned(), 1), ("Ready".to_owned(), 1)];
    assert_eq!(noted(&plane, &uid).await, once, "an orderly end leaves nothing unsaid");

    let controller = plane.controller().await;
    // A second request is looked at after the first, and whoever stops has written what there was.
    plane.ask("second", "settings", json!({})).await;
    plane.ready("second").await;
    controller.stop().await;
    assert_eq!(noted(&plane, &uid).await, once);
}

async fn what_is_put_back_is_counted_and_a_refusal_is_told(plane: Plane) {
    plane.offer().await;
    let controller = plane.controller().await;
    plane.publish("settings", settings("1.0.0")).await;
    let uid = plane.ask("web", "settings", json!({})).await.metadata.uid.unwrap();
    plane.ready("web").await;
    for times in 1..=2 {
        let patch = json!({"data": {"level": format!("wrong {times}")}});
        plane.config_maps().patch("web-config", &PatchParams::default(), &Patch::Merge(&patch)).await.unwrap();
        let found = note(&plane, &uid, |event| says("DriftCorrected")(event) && event.count == Some(times)).await;
        let message = found.message.unwrap();
        assert!(message.contains("changed ConfigMap") && message.contains("web-config"), "{message}");
    }
    plane.config_maps().delete("web-config", &DeleteParams::default()).await.unwrap();
    let found = note(&plane, &uid, |event| event.message.as_ref().is_some_and(|text| text.contains("deleted ConfigMap"))).await;
    assert_eq!((found.type_.as_deref(), found.reason.as_deref()), (Some("Warning"), Some("DriftCorrected")));
    let wrong = json!({"spec": {"parameters": {"level": 99}}});
    plane.requests("dana").patch("web", &PatchParams::default(), &Patch::Merge(&wrong)).await.unwrap();
    let refused = note(&plane, &uid, says("Refused")).await;
    assert!(refused.message.as_ref().unwrap().contains("level"), "{refused:?}");
    controller.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_workspace_that_wants_no_events_gets_what_it_asks_for() {
    let plane = Plane::open().await;
    plane.offer().await;
    let controller = plane.controller().await;
    plane.publish("settings", settings("1.0.0")).await;
    reject(&plane, "root:acme:shop", "events").await;
    let uid = plane.ask("web", "settings", json!({})).await.metadata.uid.unwrap();
    plane.ready("web").await;
    let config: ConfigMap = plane.config_maps().get("web-config").await.unwrap();
    assert_eq!(config.data.unwrap()["level"], "3");
    controller.stop().await;
    assert_eq!(noted(&plane, &uid).await, []);
}
