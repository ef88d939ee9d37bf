use std::convert::Infallible;

use bytes::Bytes;
use http::{Request, Response};
use http_body_util::Full;
use jiff::Timestamp;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::client::Body;
use kube::core::GroupVersionKind;
use serde_json::json;

use super::*;
use crate::endpoint::{Endpoint, Scope, Token};

const REQUEST: &str = "r-1";

fn resource() -> ApiResource {
    ApiResource::from_gvk(&GroupVersionKind::gvk("", "v1", "ConfigMap"))
}

fn reach(session: u64) -> Reach {
    let silent = tower::service_fn(|_: Request<Body>| std::future::pending::<Result<Response<Full<Bytes>>, Infallible>>());
    let client = Endpoint::in_process("test", silent).client(&Token::new("t"), &Scope::Root);
    Reach { client, resource: resource(), namespaced: true, applies: true, within: None, session }
}

fn place() -> Place {
    Place::Workspace(ClusterId::of_namespace("shop").unwrap())
}

fn key(name: &str) -> ObjectKey {
    ObjectKey {
        destination: None,
        group: String::new(),
        version: "v1".to_owned(),
        kind: "ConfigMap".to_owned(),
        namespace: Some("shop".to_owned()),
        name: name.to_owned(),
    }
}

/// Returns an object as a list contains it.
fn object(uid: &str, version: &str, level: &str) -> DynamicObject {
    let metadata = json!({
        "name": "web", "namespace": "shop", "uid": uid, "resourceVersion": version, "labels": {names::REQUEST_UID_LABEL: REQUEST},
        "managedFields": [{"manager": names::MANAGER_FULFIL, "operation": "Apply", "fieldsV1": {"f:data": {"f:level": {}}}}],
    });
    serde_json::from_value(json!({"metadata": metadata, "data": {"level": level}})).unwrap()
}

/// Objects of one kind that a watch fills.
struct Watched {
    caches: ObjectCaches,
    reach: Reach,
    rows: Cache<ObjectRow>,
}

impl Watched {
    /// Opens the watch, which hasn't shown anything yet.
    fn open() -> Self {
        let (caches, reach) = (ObjectCaches::default(), reach(1));
        let (rows, _) = caches.open(&place(), &reach);
        Self { caches, reach, rows }
    }

    /// Opens the watch, which shows an object.
    fn with(version: &str, level: &str) -> Self {
        let watched = Self::open();
        watched.lists(version, level);
        watched
    }

    fn lists(&self, version: &str, level: &str) {
        self.rows.replace(vec![Self::row("u-1", version, level)]);
        self.rows.set_synced();
    }

    fn row(uid: &str, version: &str, level: &str) -> (Key, ObjectRow) {
        (
            located(&place(), &key("web"), &reach(1)).1,
            ObjectRow::of(object(uid, version, level), &resource(), &Compressor::default()).unwrap(),
        )
    }

    /// Reports a change of the object.
    fn reports(&self, uid: &str, version: &str, level: &str) {
        let (key, row) = Self::row(uid, version, level);
        self.rows.put(key, row);
    }

    async fn level(&self) -> Option<String> {
        let shown = self.caches.shown(&place(), &key("web"), &self.reach, REQUEST).await?;
        shown["data"]["level"].as_str().map(str::to_owned)
    }

    fn begin_write(&self) -> OwnWrite {
        self.caches.begin_write(&place(), &key("web"), &self.reach)
    }

    fn begin_read(&self) -> OwnRead {
        self.caches.begin_read(&place(), &key("web"), &self.reach)
    }
}

fn level(text: &str) -> Option<String> {
    Some(text.to_owned())
}

#[tokio::test]
async fn an_object_is_shown_as_it_would_be_read() {
    let watched = Watched::with("7", "5");
    let shown = watched.caches.shown(&place(), &key("web"), &watched.reach, REQUEST).await.unwrap();
    let mut read = object("u-1", "7", "5");
    (read.types, read.metadata.managed_fields.as_mut().unwrap()[0].fields_v1) = (Some(TypeMeta::resource::<ConfigMap>()), None);
    assert_eq!(shown, serde_json::to_value(read).unwrap());
    assert_eq!(watched.caches.shown(&place(), &key("other"), &watched.reach, REQUEST).await, None, "an absent object is read");
    assert_eq!(watched.caches.shown(&place(), &key("web"), &watched.reach, "r-2").await, None, "so is one of another request");
    assert_eq!(watched.caches.shown(&place(), &key("web"), &reach(2), REQUEST).await, None, "the client leads somewhere else");
    watched.caches.close(&place(), &resource());
    assert_eq!(watched.level().await, None);
}

#[tokio::test]
async fn an_object_that_is_large_or_known_in_part_is_read() {
    let watched = Watched::with("7", &"x".repeat(LARGEST));
    assert_eq!(watched.level().await, None);
    watched.reports("u-1", "8", "5");
    assert_eq!(watched.level().await, level("5"));
    let (key, row) = Watched::row("u-1", "9", "6");
    watched.rows.put(key, row.in_part());
    assert_eq!(watched.level().await, None);
}

#[tokio::test(start_paused = true)]
async fn a_watch_that_was_just_opened_is_waited_for() {
    let (watched, begun) = (Watched::open(), Instant::now());
    let listed = async {
        tokio::time::sleep(Duration::from_secs(2)).await;
        watched.lists("7", "5");
    };
    let (shown, ()) = tokio::join!(watched.level(), listed);
    assert_eq!((shown, begun.elapsed().as_secs()), (level("5"), 2));
}

#[tokio::test(start_paused = true)]
async fn a_watch_that_shows_nothing_is_waited_for_once() {
    let (watched, begun) = (Watched::open(), Instant::now());
    assert_eq!(watched.level().await, None);
    assert!(begun.elapsed() >= PATIENCE && begun.elapsed() < PATIENCE * 2);
    let begun = Instant::now();
    assert_eq!(watched.level().await, None);
    assert!(begun.elapsed() < PATIENCE / 2);
}

#[tokio::test(start_paused = true)]
async fn a_list_that_is_refused_ends_the_wait() {
    let (watched, begun) = (Watched::open(), Instant::now());
    let refused =
        async { watched.rows.set_unreachable(Timestamp::UNIX_EPOCH, promise::Error::Unreachable { what: "configmaps".to_owned() }) };
    let (shown, ()) = tokio::join!(watched.level(), refused);
    assert!(shown.is_none() && begun.elapsed() < PATIENCE / 2);
}

#[tokio::test]
async fn what_a_watch_showed_before_it_broke_is_read() {
    let watched = Watched::with("7", "5");
    watched.rows.set_current(false);
    assert_eq!(watched.level().await, None);
    watched.rows.set_current(true);
    assert_eq!(watched.level().await, level("5"));
}

#[tokio::test]
async fn what_we_wrote_counts_at_once_and_no_earlier_state_takes_its_place() {
    let watched = Watched::with("7", "5");
    let write = watched.begin_write();
    assert_eq!(watched.level().await, None, "it might arrive although there is no answer");
    write.made(&object("u-1", "10", "6"));
    assert_eq!(watched.level().await, level("6"));
    watched.reports("u-1", "9", "forged");
    watched.lists("9", "forged");
    assert_eq!(watched.level().await, level("6"));
    watched.reports("u-1", "11", "7");
    assert_eq!(watched.level().await, level("7"));
}

#[tokio::test]
async fn the_watch_alone_counts_once_it_shows_what_we_wrote() {
    let watched = Watched::with("7", "5");
    watched.begin_write().made(&object("u-1", "10", "6"));
    let mut changes = watched.rows.changes();
    watched.reports("u-1", "10", "6");
    assert!(changes.try_recv().is_err(), "it was reported when it was written");
    // The server was restored from a backup.
    watched.lists("4", "3");
    assert_eq!(watched.level().await, level("3"));
}

#[tokio::test]
async fn the_answer_to_a_write_is_no_news_when_the_watch_is_ahead_of_it() {
    let watched = Watched::with("7", "5");
    let write = watched.begin_write();
    watched.reports("u-1", "11", "7");
    write.made(&object("u-1", "10", "6"));
    assert_eq!(watched.level().await, level("7"));
    let write = watched.begin_write();
    watched.rows.remove(Watched::row("u-1", "11", "7").0);
    write.made(&object("u-1", "12", "8"));
    assert_eq!(watched.level().await, None, "it was deleted after the write");
}

#[tokio::test]
async fn an_object_is_read_after_a_write_that_failed() {
    let watched = Watched::with("7", "5");
    drop(watched.begin_write());
    assert_eq!(watched.level().await, None);
    let mut changes = watched.rows.changes();
    watched.rows.remove(Watched::row("u-1", "7", "5").0);
    assert!(changes.try_recv().is_ok(), "its end is still reported");
}

#[tokio::test]
async fn a_write_that_changes_nothing_is_no_change() {
    let watched = Watched::with("7", "5");
    let mut changes = watched.rows.changes();
    watched.begin_write().made(&object("u-1", "7", "5"));
    assert!(changes.try_recv().is_err());
    assert_eq!(watched.level().await, level("5"));
}

#[tokio::test]
async fn where_versions_have_no_order_what_we_wrote_is_read() {
    let watched = Watched::with("a", "5");
    watched.begin_write().made(&object("u-1", "b", "6"));
    assert_eq!(watched.level().await, None);
    watched.reports("u-1", "b", "6");
    assert_eq!(watched.level().await, level("6"));
    watched.begin_read().found(&object("u-1", "c", "7"));
    assert_eq!(watched.level().await, level("6"), "it might be older");
}

/// A request that was found ready must not count as changing again because its watch is late.
#[tokio::test]
async fn nothing_older_is_shown_than_what_was_read() {
    let watched = Watched::with("7", "5");
    let mut changes = watched.rows.changes();
    watched.begin_read().found(&object("u-1", "10", "8"));
    assert!(changes.try_recv().is_ok(), "someone else might have read it");
    watched.reports("u-1", "8", "6");
    watched.lists("9", "7");
    assert_eq!(watched.level().await, level("8"));
    watched.reports("u-1", "10", "8");
    assert!(changes.try_recv().is_err(), "it was reported when it was read");
    watched.reports("u-1", "11", "9");
    assert_eq!(watched.level().await, level("9"));
}

#[tokio::test]
async fn what_was_read_before_the_watch_shows_it_is_shown() {
    let watched = Watched::open();
    watched.rows.replace(Vec::new());
    watched.rows.set_synced();
    watched.begin_read().found(&object("u-1", "10", "8"));
    assert_eq!(watched.level().await, level("8"));
    watched.reports("u-1", "9", "7");
    assert_eq!(watched.level().await, level("8"));
}

#[tokio::test]
async fn what_was_read_is_no_news_when_the_watch_is_as_far() {
    let watched = Watched::with("7", "5");
    let mut changes = watched.rows.changes();
    watched.begin_read().found(&object("u-1", "7", "5"));
    watched.begin_read().found(&object("u-1", "6", "4"));
    assert!(changes.try_recv().is_err());
    assert_eq!(watched.level().await, level("5"));
    let read = watched.begin_read();
    watched.rows.remove(Watched::row("u-1", "7", "5").0);
    read.found(&object("u-1", "8", "6"));
    assert_eq!(watched.level().await, None, "it was deleted after it was read");
}

#[tokio::test]
async fn what_was_not_found_is_read_until_another_object_is_in_its_place() {
    let watched = Watched::with("7", "5");
    watched.begin_read().missing();
    watched.reports("u-1", "8", "5");
    assert_eq!(watched.level().await, None);
    watched.reports("u-2", "9", "6");
    assert_eq!(watched.level().await, level("6"));
    let read = watched.begin_read();
    watched.reports("u-3", "11", "7");
    read.missing();
    watched.reports("u-3", "12", "8");
    assert_eq!(watched.level().await, level("8"), "it was created after the read");
}

#[tokio::test]
async fn what_we_deleted_is_read_until_another_object_is_in_its_place() {
    let watched = Watched::with("7", "5");
    watched.caches.begin_delete(&place(), &key("web"), &watched.reach);
    watched.reports("u-1", "8", "5");
    watched.lists("8", "5");
    assert_eq!(watched.level().await, None);
    watched.reports("u-2", "9", "6");
    assert_eq!(watched.level().await, level("6"));
}

#[tokio::test]
async fn a_write_in_one_version_of_a_kind_is_noticed_in_the_others() {
    let watched = Watched::with("7", "5");
    let other = Reach { resource: ApiResource::from_gvk(&GroupVersionKind::gvk("", "v2", "ConfigMap")), ..reach(1) };
    watched.caches.begin_write(&place(), &key("web"), &other).made(&object("u-1", "8", "6"));
    assert_eq!(watched.level().await, None);
}

#[test]
fn on_kcp_one_watch_serves_all_workspaces() {
    let [shop, data] = ["shop", "data"].map(|id| Place::Workspace(ClusterId::parse(id).unwrap()));
    assert_eq!((watched_at(&shop).0, watched_at(&shop).1.as_str()), (watched_at(&data).0, "shop"));
    assert_eq!(watched_at(&place()).0, place());
}
