//! Event streams: a change is told to whoever may see it, and the stream ends with the session.

use std::time::Duration;

use axum::body::Body;
use http::Response;
use http_body_util::BodyExt as _;
use k8s_openapi::api::rbac::v1::ClusterRoleBinding;
use kube::Api;
use kube::api::{DeleteParams, ListParams, Patch, PatchParams};

use opm_portal::portal::topic::{Topic, seen};

use serde_json::json;

use crate::access::{requests, write_request};
use crate::browser::Product;
use crate::hands::Hands;
use crate::policies::client;

const SHOP: &str = "root:acme:shop";

/// Reads frames until one contains `wanted`, or the stream ends.
pub async fn read_until(stream: &mut Response<Body>, wanted: &str) -> Option<String> {
    let reading = async {
        while let Some(Ok(frame)) = stream.body_mut().frame().await {
            let text = frame.data_ref().map(|data| String::from_utf8_lossy(data).into_owned()).unwrap_or_default();
            if text.contains(wanted) {
                return Some(text);
            }
        }
        None
    };
    tokio::time::timeout(Duration::from_secs(30), reading).await.expect("in time")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_change_is_told_by_name_and_signing_out_ends_the_stream() {
    let product = Product::open().await;
    let mut browser = product.signed_in("dev-shop").await;
    let mut stream = browser.stream(&format!("/live?topic=requests&workspace={SHOP}")).await;
    assert_eq!(stream.headers()["content-type"], "text/event-stream");
    assert!(read_until(&mut stream, "event: ready").await.is_some());
    write_request(&product, "followed").await;
    let told = read_until(&mut stream, "event: change").await.expect("a change");
    assert!(told.contains("requests/default/followed"), "{told}");

    let token = browser.get("/").await.hidden("_token");
    browser.post("/do/account/sign-out", &[("_token", &token)]).await;
    write_request(&product, "unseen").await;
    assert_eq!(read_until(&mut stream, "unseen").await, None, "the stream ended without telling");
    product.running.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn summed_pages_hear_without_names_and_only_of_what_one_may_see() {
    let product = Product::open().await;
    let browser = product.signed_in("org-owner").await;
    let mut streams = Vec::new();
    for topic in ["home", "platform", "requests&workspace=root:acme&below=true"] {
        let mut stream = browser.stream(&format!("/live?topic={topic}")).await;
        assert_eq!(stream.headers()["content-type"], "text/event-stream");
        assert!(read_until(&mut stream, "event: ready").await.is_some());
        streams.push(stream);
    }
    let (owner, stranger) = (browser.caller(&product).await, product.signed_in("dev-data").await.caller(&product).await);
    let topics = [Topic::Home, Topic::Platform, Topic::Decisions];
    let mut before = Vec::new();
    for topic in &topics {
        before.push((seen(&owner, topic).await.expect("a name"), seen(&stranger, topic).await.expect("a name")));
    }
    write_request(&product, "followed").await;
    for stream in &mut streams {
        let told = read_until(stream, "event: change").await.expect("a change");
        assert!(told.contains("data: []"), "{told}");
    }
    for (topic, (of_owner, of_stranger)) in topics.iter().zip(before) {
        let is_of_requests = *topic != Topic::Decisions;
        assert_eq!(seen(&owner, topic).await.expect("a name") != of_owner, is_of_requests, "{topic:?}");
        assert_eq!(seen(&stranger, topic).await.expect("a name"), of_stranger, "{topic:?}: nothing of it is theirs");
    }
    product.running.close().await;
}

/// The stream checks access again before each event.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_loses_the_right_to_a_workspace_hears_of_nothing_more_in_it() {
    let hands = Hands::of_the_machine();
    let product = Product::at(hands.clone()).await;
    let browser = product.signed_in("dev-shop").await;
    write_request(&product, "followed").await;
    let topics = ["requests&workspace=root:acme:shop", "request&workspace=root:acme:shop&namespace=default&name=followed"];
    let mut streams = Vec::new();
    for topic in topics {
        let mut stream = browser.stream(&format!("/live?topic={topic}")).await;
        assert!(read_until(&mut stream, "event: ready").await.is_some());
        streams.push(stream);
    }
    let note = |text: &str| Patch::Merge(json!({"metadata": {"annotations": {"note": text}}}));
    let requests = requests(&product);
    requests.patch("followed", &PatchParams::default(), &note("seen")).await.expect("a note");
    for stream in &mut streams {
        assert!(read_until(stream, "requests/default/followed").await.is_some());
    }

    let bindings: Api<ClusterRoleBinding> = Api::all(client(&product, SHOP));
    bindings.delete_collection(&DeleteParams::default(), &ListParams::default()).await.expect("they go");
    hands.put_forward(60);
    requests.patch("followed", &PatchParams::default(), &note("unseen")).await.expect("a note");
    for stream in &mut streams {
        assert_eq!(read_until(stream, "event: change").await, None, "the stream ended without telling");
    }
    product.running.close().await;
}
