//! What goes with time: the changes that watches read, and Events.

use std::time::Duration;

use axum::body::Body;
use http::{Request, header};
use http_body_util::BodyExt;
use serde_json::{Value, json};

use crate::plane::{Hands, Server};

const MAPS: &str = "/api/v1/namespaces/default/configmaps";
const EVENTS: &str = "/api/v1/namespaces/default/events";

fn map(name: &str) -> Value {
    json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}})
}

fn version(object: &Value) -> &str {
    object["metadata"]["resourceVersion"].as_str().unwrap()
}

/// The first event of a watch.
async fn first(server: &Server, path: &str) -> Value {
    let request = Request::builder().uri(path).header(header::AUTHORIZATION, "Bearer admin").body(Body::empty()).unwrap();
    let answer = server.answer(request).await;
    assert_eq!(answer.status(), 200);
    let frame = answer.into_body().frame().await.unwrap().unwrap().into_data().unwrap();
    serde_json::from_slice(frame.split(|byte| *byte == b'\n').next().unwrap()).unwrap()
}

#[tokio::test]
async fn changes_are_kept_for_five_minutes() {
    let clock = Hands::default();
    let server = Server::at(&clock);
    let before = server.create("admin", MAPS, map("a")).await;
    let changed = server.create("admin", MAPS, map("b")).await;
    let secret = json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "calm"}});
    let calm = server.create("admin", "/api/v1/namespaces/default/secrets", secret.clone()).await;

    clock.forward(Duration::from_secs(299));
    let later = server.create("admin", MAPS, map("c")).await;
    let from = |path: &str, object: &Value| format!("{path}?watch=true&resourceVersion={}", version(object));
    assert_eq!(first(&server, &from(MAPS, &before)).await["object"]["metadata"]["name"], "b");
    let exact = format!("{MAPS}?resourceVersion={}&resourceVersionMatch=Exact", version(&before));
    assert_eq!(server.get("admin", &exact).await.1["items"].as_array().map(Vec::len), Some(1));

    clock.forward(Duration::from_secs(2));
    server.create("admin", MAPS, map("d")).await;
    let expired = first(&server, &from(MAPS, &before)).await;
    assert_eq!(
        (&expired["type"], &expired["object"]["code"], &expired["object"]["reason"]),
        (&json!("ERROR"), &json!(410), &json!("Expired"))
    );
    let (code, refused) = server.get("admin", &exact).await;
    assert_eq!((code, &refused["reason"]), (410, &json!("Expired")));
    // What was missed is what counts: after the last dropped change nothing was.
    assert_eq!(first(&server, &from(MAPS, &changed)).await["object"]["metadata"]["name"], "c");
    assert_eq!(first(&server, &from(MAPS, &later)).await["object"]["metadata"]["name"], "d");

    // A kind that nobody changed is followed from a version that is older than anything that is kept.
    clock.forward(Duration::from_secs(3_000));
    let mut another = secret;
    another["metadata"]["name"] = json!("another");
    server.create("admin", MAPS, map("e")).await;
    server.create("admin", "/api/v1/namespaces/default/secrets", another).await;
    assert_eq!(first(&server, &from("/api/v1/secrets", &calm)).await["object"]["metadata"]["name"], "another");
}

fn event(name: &str) -> Value {
    let about = json!({"apiVersion": "v1", "kind": "ConfigMap", "name": "a", "namespace": "default"});
    json!({"apiVersion": "v1", "kind": "Event", "metadata": {"name": name}, "involvedObject": about, "reason": "Seen", "message": "it was seen", "type": "Normal"})
}

#[tokio::test]
async fn events_go_an_hour_after_their_last_write() {
    let clock = Hands::default();
    let server = Server::at(&clock);
    let old = server.create("admin", EVENTS, event("old")).await;
    server.create("admin", EVENTS, event("again")).await;
    clock.forward(Duration::from_secs(1_800));
    let (code, _) = server.merge("admin", &format!("{EVENTS}/again"), json!({"count": 2})).await;
    assert_eq!(code, 200);
    clock.forward(Duration::from_secs(1_799));
    server.create("admin", EVENTS, event("new")).await;
    assert_eq!(server.get("admin", &format!("{EVENTS}/old")).await.0, 200);

    clock.forward(Duration::from_secs(2));
    let newest = server.create("admin", MAPS, map("a")).await;
    server.until("admin", &format!("{EVENTS}/old"), |code, _| code == 404).await;
    for kept in ["again", "new"] {
        assert_eq!(server.get("admin", &format!("{EVENTS}/{kept}")).await.0, 200, "{kept}");
    }
    // Watches are told.
    let told = first(&server, &format!("{EVENTS}?watch=true&resourceVersion={}", version(&newest))).await;
    assert_eq!((&told["type"], &told["object"]["metadata"]["uid"]), (&json!("DELETED"), &old["metadata"]["uid"]));

    clock.forward(Duration::from_secs(1_800));
    server.create("admin", MAPS, map("b")).await;
    server.until("admin", &format!("{EVENTS}/again"), |code, _| code == 404).await;
    assert_eq!(server.get("admin", &format!("{EVENTS}/new")).await.0, 200);
}

#[tokio::test]
async fn an_event_that_says_it_was_written_later_goes_with_the_others() {
    let clock = Hands::default();
    let server = Server::at(&clock);
    let made = server.create("admin", EVENTS, event("later")).await;
    let invented = json!({"manager": "m", "operation": "Update", "apiVersion": "v1", "time": "2999-01-01T00:00:00Z", "fieldsType": "FieldsV1", "fieldsV1": {"f:message": {}}});
    let managers = json!([made["metadata"]["managedFields"][0], invented]);
    let (code, changed) = server.merge("admin", &format!("{EVENTS}/later"), json!({"metadata": {"managedFields": managers}})).await;
    assert!(code == 200 && changed["metadata"]["managedFields"].as_array().unwrap().contains(&invented), "{changed}");
    // The plane hears of a write a moment later than this test, which moves its clock on: it is hours, and not centuries.
    for hour in 0..1_000 {
        clock.forward(Duration::from_secs(3_601));
        server.create("admin", MAPS, map(&format!("hour-{hour}"))).await;
        tokio::task::yield_now().await;
        if server.get("admin", &format!("{EVENTS}/later")).await.0 == 404 {
            return;
        }
    }
    panic!("it stays");
}
