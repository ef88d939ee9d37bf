//! Watches that wait, and watches that nobody reads.

use std::sync::Weak;
use std::time::Duration;

use axum::body::Body;
use devplane::Options;
use devplane::registry::GroupResource;
use devplane::store::Change;
use http::{Request, header};
use http_body_util::BodyExt;
use serde_json::{Value, json};

use crate::device::storage;
use crate::plane::{Server, tokens};

fn map(name: &str, size: usize) -> Value {
    json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": {"a": "x".repeat(size)}})
}

async fn watch(server: &Server, path: &str) -> Body {
    let request = Request::builder().uri(path).header(header::AUTHORIZATION, "Bearer admin").body(Body::empty()).unwrap();
    let answer = server.answer(request).await;
    assert_eq!(answer.status(), 200);
    answer.into_body()
}

#[tokio::test]
async fn watches_share_the_text_of_long_objects() {
    let server = Server::start();
    let maps = "/api/v1/namespaces/default/configmaps";
    let (mut one, mut other) = (watch(&server, &format!("{maps}?watch=true")).await, watch(&server, &format!("{maps}?watch=true")).await);
    let created = server.create("admin", maps, map("large", 900_000)).await;
    server.send("admin", "DELETE", &format!("{maps}/large"), "application/json", Value::Null).await;
    for kind in ["ADDED", "DELETED"] {
        let mut long = Vec::new();
        for body in [&mut one, &mut other] {
            // The pieces up to the end of the event.
            let mut text = Vec::new();
            while !text.ends_with(b"\n") {
                let piece = body.frame().await.unwrap().unwrap().into_data().unwrap();
                text.extend_from_slice(&piece);
                long.extend((piece.len() > 800_000).then_some(piece));
            }
            let event: Value = serde_json::from_slice(&text).unwrap();
            assert_eq!((&event["type"], &event["object"]["data"]), (&json!(kind), &created["data"]));
        }
        assert_eq!(long.len(), 2, "{kind}");
        assert_eq!(long[0].as_ptr(), long[1].as_ptr(), "{kind}: both are told from the same memory");
    }
}

/// The history keeps 12 MiB of a kind. What a watch that stands still holds beside it is one step.
#[tokio::test]
async fn a_watch_that_is_not_read_keeps_no_more_than_a_step() {
    const SIZE: usize = 500_000;
    let server = Server::start();
    let maps = "/api/v1/namespaces/default/configmaps";
    let store = &server.plane.state().store;
    let resource = [GroupResource::new("", "configmaps")];
    let mut follower = store.follow(store.revision());
    let mut unread = watch(&server, &format!("{maps}?watch=true")).await;
    let mut changes: Vec<Weak<Change>> = Vec::new();
    for number in 0..60 {
        server.create("admin", maps, map(&format!("m{number}"), SIZE)).await;
        changes.extend(follower.next(&resource).await.unwrap().iter().map(std::sync::Arc::downgrade));
        if number == 19 {
            // It takes a step of what there is, tells the first piece of it, and is not asked for more.
            let piece = unread.frame().await.unwrap().unwrap().into_data().unwrap();
            assert!(piece.starts_with(br#"{"type":"ADDED""#));
        }
    }
    assert_eq!(changes.len(), 60);
    let kept: usize = changes.iter().filter_map(Weak::upgrade).map(|change| change.json().len()).sum();
    assert!(kept <= (12 << 20) + 2 * SIZE, "{kept} bytes");
    drop(unread);
}

#[tokio::test]
async fn bookmarks_come_however_busy_others_are() {
    let options = Options { bookmarks: Duration::from_millis(300), ..Options::new(storage(), tokens(), "https://plane.test") };
    let server = Server::with(options);
    server.create("admin", "/api/v1/namespaces", json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "busy"}})).await;
    let mut quiet = watch(&server, "/api/v1/namespaces/default/configmaps?watch=true&allowWatchBookmarks=true").await;
    // Another namespace of the same kind changes more often than bookmarks come.
    let mut changes = tokio::time::interval(Duration::from_millis(50));
    let (mut bookmarks, mut changed) = (Vec::new(), 0);
    while bookmarks.len() < 3 {
        tokio::select! {
            frame = quiet.frame() => {
                let text = frame.unwrap().unwrap().into_data().unwrap();
                let event: Value = serde_json::from_slice(&text).unwrap();
                assert_eq!(event["type"], "BOOKMARK", "nothing of this namespace changes");
                bookmarks.push(event["object"]["metadata"]["resourceVersion"].as_str().unwrap().parse::<u64>().unwrap());
            }
            _ = changes.tick() => {
                changed += 1;
                server.create("admin", "/api/v1/namespaces/busy/configmaps", map(&format!("m{changed}"), 1)).await;
                assert!(changed < 400, "{} bookmarks after {changed} changes", bookmarks.len());
            }
        }
    }
    assert!(bookmarks.is_sorted_by(|one, next| one < next), "they tell of newer versions: {bookmarks:?}");
}
