//! What is read of a control plane for a request, and what never is.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::sync::Arc;

use http::{Request, Response};
use http_body_util::Full;
use kube::client::Body;
use parking_lot::Mutex;
use promise::rest::NotRead;
use promise::troubleshooting::{LOG_BYTES, LOG_LINES};
use serde_json::{Value, json};

use super::*;
use crate::portal::place::Namespaces;

const PODS: &str = "/api/v1/namespaces/shop/pods";
const EVENTS: &str = "/api/v1/namespaces/shop/events";
const DEPLOYMENT: &str = "/apis/apps/v1/namespaces/shop/deployments/web";
const REPLICA_SETS: &str = "/apis/apps/v1/namespaces/shop/replicasets";

/// A control plane that answers some paths, and notes every call. Others don't exist.
#[derive(Clone, Default)]
struct Plane {
    answers: BTreeMap<String, (u16, String)>,
    calls: Arc<Mutex<Vec<String>>>,
    /// Path that it never answers.
    silent: &'static str,
}

impl Plane {
    fn with(mut self, path: &str, answer: &Value) -> Self {
        self.answers.insert(path.to_owned(), (200, answer.to_string()));
        self
    }

    fn with_list(self, path: &str, items: &[Value]) -> Self {
        self.with(path, &json!({"apiVersion": "v1", "kind": "List", "metadata": {}, "items": items}))
    }

    fn with_text(mut self, path: &str, text: &str) -> Self {
        self.answers.insert(path.to_owned(), (200, text.to_owned()));
        self
    }

    fn refusing(mut self, path: &str, code: u16, reason: &str, message: &str) -> Self {
        self.answers.insert(path.to_owned(), (code, status(code, reason, message)));
        self
    }

    /// Answers a log of which only 20 lines are wanted.
    fn with_short_log(self, path: &str, text: &str) -> Self {
        self.with_text(&format!("{path}?tailLines=20"), text)
    }

    fn client(&self) -> kube::Client {
        let plane = self.clone();
        let service = tower::service_fn(move |request: Request<Body>| {
            plane.calls.lock().push(request.uri().to_string());
            let path = request.uri().path();
            let is_short = request.uri().query().is_some_and(|query| query.split('&').any(|part| part == "tailLines=20"));
            let short = if is_short { plane.answers.get(&format!("{path}?tailLines=20")) } else { None };
            let found = short.or_else(|| plane.answers.get(path)).cloned();
            let (code, text) = found.unwrap_or_else(|| (404, status(404, "NotFound", "it was not found")));
            let is_silent = path == plane.silent;
            async move {
                if is_silent {
                    std::future::pending::<()>().await;
                }
                Ok::<_, Infallible>(Response::builder().status(code).body(Full::from(text)).unwrap())
            }
        });
        kube::Client::new(service, "default")
    }

    fn called(&self) -> Vec<String> {
        self.calls.lock().clone()
    }

    async fn log(&self, inventory: &[InventoryItem], query: &LogQuery) -> RequestLog {
        logs::read(&self.reader(), inventory, query).await.unwrap()
    }

    async fn events(&self, inventory: &[InventoryItem]) -> RequestEvents {
        events::read(&self.reader(), inventory).await.unwrap()
    }

    fn reader(&self) -> Reader<'static> {
        static SHOP: std::sync::LazyLock<Namespaces> = std::sync::LazyLock::new(|| Namespaces::One("shop".to_owned()));
        Reader { client: self.client(), workspace: "shop", namespaces: &SHOP, deadline: Instant::now() + PATIENCE }
    }
}

fn status(code: u16, reason: &str, message: &str) -> String {
    let details = json!({"name": "x", "kind": "pods"});
    json!({"apiVersion": "v1", "kind": "Status", "status": "Failure", "code": code, "reason": reason, "message": message, "details": details})
        .to_string()
}

fn item(group: &str, kind: &str, name: &str, uid: &str) -> InventoryItem {
    InventoryItem {
        group: group.into(),
        version: "v1".into(),
        kind: kind.into(),
        name: name.into(),
        namespace: Some("shop".into()),
        uid: Some(uid.into()),
        ..InventoryItem::default()
    }
}

fn deployment() -> [InventoryItem; 1] {
    [item("apps", "Deployment", "web", "d1")]
}

fn controlled(name: &str, uid: &str, controller: &str) -> Value {
    let owners = json!([{"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "x", "uid": controller, "controller": true}]);
    json!({
        "metadata": {"name": name, "namespace": "shop", "uid": uid, "labels": {"app": "web"}, "ownerReferences": owners,
            "creationTimestamp": "2026-11-21T10:00:00Z"},
        "spec": {"containers": [{"name": "app"}, {"name": "proxy"}]},
        "status": {"phase": "Running", "containerStatuses": [
            {"name": "app", "restartCount": 2, "state": {"running": {}}}, {"name": "proxy", "restartCount": 0, "state": {"running": {}}},
        ]},
    })
}

/// A Deployment with a pod, beside pods of others with the same labels.
fn world() -> Plane {
    let selector = json!({"matchLabels": {"app": "web"}});
    let web = json!({"metadata": {"name": "web", "namespace": "shop", "uid": "d1"}, "spec": {"selector": selector}});
    let mut labelled = controlled("labelled", "p3", "r1");
    labelled["metadata"]["ownerReferences"][0]["controller"] = json!(false);
    Plane::default()
        .with(DEPLOYMENT, &web)
        .with_list(REPLICA_SETS, &[controlled("web-1", "r1", "d1"), controlled("other-1", "r9", "d9")])
        .with_list(PODS, &[controlled("web-1-a", "p1", "r1"), controlled("other-1-a", "p2", "r9"), labelled])
        .with_text(&format!("{PODS}/web-1-a/log"), "one\ntwo\n")
        .with_text(&format!("{PODS}/other-1-a/log"), "a secret of someone else\n")
        .with_text(&format!("{PODS}/labelled/log"), "a secret of someone else\n")
}

fn query(pod: &str, container: &str) -> LogQuery {
    LogQuery { pod: pod.into(), container: container.into(), ..LogQuery::default() }
}

fn denied(verb: &str, resource: &str) -> NotReadReason {
    NotReadReason::Denied { verb: verb.into(), resource: resource.into(), workspace: "shop".into() }
}

fn missing(object: &str) -> NotReadReason {
    NotReadReason::Missing { object: object.into() }
}

fn reasons(not_read: &[NotRead]) -> Vec<NotReadReason> {
    not_read.iter().map(|one| one.reason.clone()).collect()
}

#[tokio::test]
async fn the_pods_of_a_deployment_are_those_of_its_own_replica_sets() {
    let plane = world();
    let log = plane.log(&deployment(), &LogQuery::default()).await;
    let pods: Vec<&str> = log.pods.iter().map(|pod| pod.name.as_str()).collect();
    assert_eq!(pods, ["web-1-a"], "labels prove nothing");
    assert_eq!((log.pods[0].owner_kind.as_str(), log.pods[0].owner.as_str(), log.pods[0].restarts()), ("Deployment", "web", 2));
    assert_eq!((log.pod.as_deref(), log.container.as_deref()), (Some("web-1-a"), Some("app")));
    assert_eq!((log.lines, log.truncated, log.log_not_read, log.not_read), (vec!["one".into(), "two".into()], false, None, vec![]));
    let calls = plane.called();
    assert!(calls.iter().any(|call| call.contains("labelSelector=app%3Dweb")), "{calls:?}");
    let read = calls.iter().find(|call| call.contains("/log?")).unwrap();
    for part in ["container=app", "tailLines=200", "limitBytes=1048576"] {
        assert!(read.contains(part), "{part}: {read}");
    }
}

#[tokio::test]
async fn the_pods_of_a_cron_job_are_those_of_its_jobs() {
    let job = |uid: &str, owner: &str| {
        let mut job = controlled(uid, uid, owner);
        job["spec"] = json!({"selector": {"matchLabels": {"batch.kubernetes.io/controller-uid": uid}}});
        job
    };
    let plane = Plane::default()
        .with("/apis/batch/v1/namespaces/shop/cronjobs/backup", &json!({"metadata": {"name": "backup", "namespace": "shop", "uid": "c1"}}))
        .with_list("/apis/batch/v1/namespaces/shop/jobs", &[job("j1", "c1"), job("j2", "c1"), job("j9", "c9")])
        .with_list(PODS, &[controlled("backup-1-a", "p1", "j1"), controlled("backup-2-a", "p2", "j2"), controlled("other-a", "p9", "j9")])
        .with_text(&format!("{PODS}/backup-1-a/log"), "saved\n");
    let log = plane.log(&[item("batch", "CronJob", "backup", "c1")], &query("backup-1-a", "")).await;
    let pods: Vec<_> = log.pods.iter().map(|pod| (pod.name.as_str(), pod.owner_kind.as_str(), pod.owner.as_str())).collect();
    assert_eq!(pods, [("backup-1-a", "CronJob", "backup"), ("backup-2-a", "CronJob", "backup")]);
    assert_eq!((log.lines, log.not_read), (vec!["saved".into()], vec![]));
    let calls = plane.called();
    assert!(calls.iter().any(|call| call.contains("controller-uid+in+%28j1%2Cj2%29")), "{calls:?}");

    let mut many: Vec<Value> = (10..40).map(|number| job(&format!("j{number}"), "c1")).collect();
    many[5]["metadata"]["creationTimestamp"] = json!("2026-11-20T10:00:00Z");
    let plane = plane.with_list("/apis/batch/v1/namespaces/shop/jobs", &many);
    let log = plane.log(&[item("batch", "CronJob", "backup", "c1")], &LogQuery::default()).await;
    assert_eq!(reasons(&log.not_read), [NotReadReason::Limited { noun: "job".to_owned(), count: 20 }]);
    let asked = plane.called().into_iter().rfind(|call| call.contains("controller-uid")).unwrap_or_default();
    assert!(asked.contains("j10%2C") && !asked.contains("j15%2C") && asked.matches("%2C").count() == 19, "{asked}");

    let denied_jobs = Plane::default()
        .with("/apis/batch/v1/namespaces/shop/cronjobs/backup", &json!({"metadata": {"name": "backup", "namespace": "shop", "uid": "c1"}}))
        .refusing("/apis/batch/v1/namespaces/shop/jobs", 403, "Forbidden", "no");
    let log = denied_jobs.log(&[item("batch", "CronJob", "backup", "c1")], &LogQuery::default()).await;
    assert_eq!(reasons(&log.not_read), [denied("list", "jobs")]);
}

#[tokio::test]
async fn the_log_of_a_pod_of_someone_else_is_never_read() {
    for (pod, container) in [("other-1-a", ""), ("labelled", "app"), ("not-there", ""), ("../secrets/x", "")] {
        let plane = world();
        let log = plane.log(&deployment(), &query(pod, container)).await;
        assert_eq!(log.log_not_read.map(|one| one.reason), Some(missing(&format!("Pod/{pod}"))), "{pod}");
        assert!(log.lines.is_empty() && log.pod.is_none());
        assert!(!plane.called().iter().any(|call| call.contains("/log")), "{pod}: {:?}", plane.called());
    }
    let plane = world();
    let log = plane.log(&deployment(), &query("", "debugger")).await;
    assert_eq!(log.log_not_read.map(|one| one.reason), Some(missing("Container/debugger")));
    assert!(!plane.called().iter().any(|call| call.contains("/log")));
}

#[tokio::test]
async fn a_container_and_its_earlier_run_can_be_chosen() {
    let plane = world();
    let log = plane.log(&deployment(), &LogQuery { previous: true, ..query("web-1-a", "app") }).await;
    assert!(log.previous && log.log_not_read.is_none());
    assert!(plane.called().iter().any(|call| call.contains("/log?") && call.contains("previous=true")));
    let plane = world();
    let log = plane.log(&deployment(), &LogQuery { previous: true, ..query("web-1-a", "proxy") }).await;
    let reason = log.log_not_read.map(|one| one.reason);
    assert_eq!(reason, Some(NotReadReason::NoEarlierRun { container: "proxy".into() }));
    assert!(!plane.called().iter().any(|call| call.contains("/log")), "the status of the pod says so");
}

#[tokio::test]
async fn a_container_that_never_ran_says_what_it_waits_for() {
    let mut pod = controlled("web-1-a", "p1", "r1");
    pod["status"]["containerStatuses"][1]["state"] = json!({"waiting": {"reason": "ImagePullBackOff"}});
    let plane = world().with_list(PODS, &[pod]);
    let log = plane.log(&deployment(), &query("", "proxy")).await;
    let waits = NotReadReason::NotStarted { container: "proxy".into(), waiting: "ImagePullBackOff".into() };
    assert_eq!(log.log_not_read.map(|one| one.reason), Some(waits));
    assert_eq!(log.container.as_deref(), Some("proxy"));
}

#[tokio::test]
async fn long_logs_are_cut_to_their_end() {
    let path = format!("{PODS}/web-1-a/log");
    let many: String = (1..=1_000).map(|number| format!("line {number}\n")).collect();
    let log = world().with_text(&path, &many).log(&deployment(), &LogQuery::default()).await;
    assert_eq!((log.lines.len(), log.truncated), (LOG_LINES as usize, true));
    assert_eq!(log.lines.last().map(String::as_str), Some("line 1000"));
    let long = "x".repeat(3 << 20);
    let log = world().with_text(&path, &long).log(&deployment(), &LogQuery::default()).await;
    assert!(log.truncated && log.lines.iter().map(String::len).sum::<usize>() <= LOG_BYTES);
    let log = world().with_text(&path, "").log(&deployment(), &LogQuery::default()).await;
    assert!(log.lines.is_empty() && log.log_not_read.is_none() && !log.truncated, "nothing is invented");
}

#[tokio::test]
async fn of_a_log_with_long_lines_fewer_are_read_because_the_limit_cuts_off_its_end() {
    let path = format!("{PODS}/web-1-a/log");
    let plane = world().with_text(&path, &"x".repeat(3 << 20)).with_short_log(&path, "the last line\n");
    let log = plane.log(&deployment(), &LogQuery::default()).await;
    assert_eq!((log.lines, log.truncated), (vec!["the last line".to_owned()], true));
    assert_eq!(plane.called().iter().filter(|call| call.contains("/log?")).count(), 2);
}

#[tokio::test]
async fn a_missing_permission_is_named_with_its_verb_and_resource() {
    let no = |plane: Plane, path: &str| plane.refusing(path, 403, "Forbidden", "it is forbidden: User \"dana\" cannot do it");
    for (path, expected) in
        [(DEPLOYMENT, denied("get", "deployments")), (REPLICA_SETS, denied("list", "replicasets")), (PODS, denied("list", "pods"))]
    {
        let log = no(world(), path).log(&deployment(), &LogQuery::default()).await;
        assert_eq!((reasons(&log.not_read), log.pods.len(), log.log_not_read), (vec![expected], 0, None), "{path}");
    }
    let log = no(world(), &format!("{PODS}/web-1-a/log")).log(&deployment(), &LogQuery::default()).await;
    assert_eq!(log.log_not_read.map(|one| one.reason), Some(denied("get", "pods/log")));
    assert_eq!(log.pods.len(), 1, "the pods are still shown");
}

#[tokio::test]
async fn what_the_control_plane_says_about_a_log_is_no_error_of_the_page() {
    let path = format!("{PODS}/web-1-a/log");
    for (code, reason, expected) in [
        (400, "BadRequest", NotReadReason::LogRefused { message: "as it is".into() }),
        (404, "NotFound", missing("Pod/web-1-a")),
        (500, "InternalError", NotReadReason::NodeUnreachable { pod: "web-1-a".into() }),
    ] {
        let log = world().refusing(&path, code, reason, "as it is").log(&deployment(), &LogQuery::default()).await;
        assert_eq!(log.log_not_read.map(|one| one.reason), Some(expected), "{code}");
    }
}

#[tokio::test(start_paused = true)]
async fn what_the_control_plane_does_not_return_is_named_and_the_rest_is_shown() {
    let unreachable = |object: &str| NotReadReason::Unreachable { object: object.into() };
    let log_path = "/api/v1/namespaces/shop/pods/web-1-a/log";
    for silent in [DEPLOYMENT, PODS] {
        let object = if silent == PODS { "pods" } else { "Deployment/web" };
        let log = Plane { silent, ..world() }.log(&deployment(), &LogQuery::default()).await;
        assert_eq!((reasons(&log.not_read), log.pods.len()), (vec![unreachable(object)], 0), "{silent}");
        let events = Plane { silent, ..world().with_list(EVENTS, &[event("d1", "web", 1)]) }.events(&deployment()).await;
        assert_eq!((reasons(&events.not_read), events.items.len()), (vec![unreachable(object)], 1), "{silent}");
    }
    let log = Plane { silent: log_path, ..world() }.log(&deployment(), &LogQuery::default()).await;
    assert_eq!((log.log_not_read.map(|one| one.reason), log.pods.len()), (Some(unreachable("Pod/web-1-a")), 1));
    let failing = world().refusing(DEPLOYMENT, 500, "InternalError", "it failed");
    assert_eq!(reasons(&failing.log(&deployment(), &LogQuery::default()).await.not_read), [unreachable("Deployment/web")]);
    let failing = world().refusing(EVENTS, 503, "ServiceUnavailable", "it failed");
    assert_eq!(reasons(&failing.events(&deployment()).await.not_read), [unreachable("events")]);
}

#[tokio::test]
async fn an_object_that_someone_created_again_has_no_pods_here() {
    let plane = world();
    let log = plane.log(&[item("apps", "Deployment", "web", "d0")], &LogQuery::default()).await;
    assert_eq!((reasons(&log.not_read), log.pods.len()), (vec![missing("Deployment/web")], 0));
    assert_eq!(plane.called().len(), 1, "its pods aren't listed: {:?}", plane.called());
}

#[tokio::test]
async fn pods_of_an_inventory_count_by_their_uid() {
    let path = format!("{PODS}/other-1-a");
    let plane = world().with(&path, &controlled("other-1-a", "p2", "r9"));
    let log = plane.log(&[item("", "Pod", "other-1-a", "p2")], &LogQuery::default()).await;
    assert_eq!((log.pod.as_deref(), log.lines.len()), (Some("other-1-a"), 1));
    let log = plane.log(&[item("", "Pod", "other-1-a", "p1")], &LogQuery::default()).await;
    assert_eq!((reasons(&log.not_read), log.lines.len()), (vec![missing("Pod/other-1-a")], 0));
}

#[tokio::test]
async fn nothing_is_read_at_destinations_in_other_namespaces_or_before_it_exists() {
    let mut elsewhere = item("apps", "Deployment", "web", "d1");
    elsewhere.destination = Some("eu-1".into());
    let mut beside = item("apps", "Deployment", "web", "d1");
    beside.namespace = Some("other".into());
    let mut unborn = item("apps", "Deployment", "web", "");
    unborn.uid = None;
    let inventory = [elsewhere, beside, unborn];
    let plane = world();
    let at = NotReadReason::AtDestination { destination: "eu-1".into() };
    let log = plane.log(&inventory, &LogQuery::default()).await;
    assert_eq!((reasons(&log.not_read), log.pods.len()), (vec![at.clone(), missing("Deployment/web")], 0));
    let events = plane.events(&inventory).await;
    assert_eq!((reasons(&events.not_read), events.items.len()), (vec![at, missing("Deployment/web")], 0));
    assert_eq!(plane.called(), Vec::<String>::new());
}

#[tokio::test]
async fn a_workspace_without_these_kinds_says_so() {
    let mut plane = world();
    plane.answers.insert(DEPLOYMENT.to_owned(), (404, "404 page not found\n".to_owned()));
    let not_served = |resource: &str| NotReadReason::NotServed { resource: resource.into(), workspace: "shop".into() };
    assert_eq!(reasons(&plane.log(&deployment(), &LogQuery::default()).await.not_read), [not_served("deployments")]);
    plane.answers.insert(EVENTS.to_owned(), (404, "404 page not found\n".to_owned()));
    let events = plane.events(&[item("", "ConfigMap", "settings", "c1")]).await;
    assert_eq!(reasons(&events.not_read), [not_served("events")]);
}

fn event(uid: &str, name: &str, second: usize) -> Value {
    json!({
        "metadata": {"name": format!("{name}.{second}"), "namespace": "shop"}, "type": "Warning", "reason": "Failed", "message": format!("at {second}"),
        "involvedObject": {"kind": "ConfigMap", "name": name, "namespace": "shop", "uid": uid}, "count": 3,
        "lastTimestamp": format!("2026-11-21T{:02}:{:02}:{:02}Z", second / 3_600, second / 60 % 60, second % 60),
        "source": {"component": "tester"},
    })
}

#[tokio::test]
async fn events_are_those_of_the_objects_newest_first_and_no_more_than_a_page_can_show() {
    let mut all: Vec<Value> = (0..250).map(|second| event("c1", "settings", second)).collect();
    all.push(event("c9", "other", 9_999));
    let plane = Plane::default().with_list(EVENTS, &all);
    let events = plane.events(&[item("", "ConfigMap", "settings", "c1")]).await;
    assert_eq!((events.items.len(), events.left_out, events.not_read), (200, 50, vec![]));
    assert_eq!((events.items[0].message.as_str(), events.items[199].message.as_str()), ("at 249", "at 50"));
    let first = &events.items[0];
    assert_eq!((first.r#type.as_str(), first.reason.as_str(), first.count), ("Warning", "Failed", 3));
    assert_eq!((first.kind.as_str(), first.name.as_str(), first.source.as_deref()), ("ConfigMap", "settings", Some("tester")));
    assert!(plane.called()[0].contains("fieldSelector=involvedObject.uid%3Dc1"), "{:?}", plane.called());
}

#[tokio::test]
async fn more_events_about_an_object_than_are_read_are_mentioned() {
    let part = json!({"apiVersion": "v1", "kind": "List", "metadata": {"continue": "next"}, "items": [event("c1", "settings", 1)]});
    let plane = Plane::default().with(EVENTS, &part);
    let events = plane.events(&[item("", "ConfigMap", "settings", "c1"), item("", "ConfigMap", "other", "c2")]).await;
    let limited = NotReadReason::Limited { noun: "event".into(), count: 500 };
    assert_eq!((reasons(&events.not_read), events.items.len()), (vec![limited], 1));
    assert_eq!(plane.called().len(), 2, "other objects are read all the same");
}

#[tokio::test]
async fn events_about_pods_are_shown_with_those_of_their_object() {
    let mut about = event("p1", "web-1-a", 1);
    about["involvedObject"]["kind"] = json!("Pod");
    let plane = world().with_list(EVENTS, &[about, event("d1", "web", 2), event("p2", "other-1-a", 3)]);
    let events = plane.events(&deployment()).await;
    let names: Vec<&str> = events.items.iter().map(|event| event.name.as_str()).collect();
    assert_eq!(names, ["web", "web-1-a"]);
}

#[tokio::test]
async fn a_namespace_whose_events_are_closed_is_tried_once() {
    let plane = Plane::default().refusing(EVENTS, 403, "Forbidden", "events is forbidden: User \"dana\" cannot list resource \"events\"");
    let inventory: Vec<InventoryItem> = (0..40).map(|number| item("", "ConfigMap", &format!("c{number}"), &format!("c{number}"))).collect();
    let events = plane.events(&inventory).await;
    assert_eq!((reasons(&events.not_read), events.items.len()), (vec![denied("list", "events")], 0));
    assert_eq!(plane.called().len(), 1);
}

#[tokio::test]
async fn the_events_of_many_objects_are_read_from_one_list() {
    let inventory: Vec<InventoryItem> = (0..9).map(|number| item("", "ConfigMap", &format!("c{number}"), &format!("c{number}"))).collect();
    let all = [event("c0", "c0", 1), event("c8", "c8", 2), event("c9", "other", 3)];
    let plane = Plane::default().with_list(EVENTS, &all);
    let events = plane.events(&inventory).await;
    let names: Vec<&str> = events.items.iter().map(|event| event.name.as_str()).collect();
    assert_eq!((names, events.not_read), (vec!["c8", "c0"], vec![]));
    let calls = plane.called();
    assert!(calls.len() == 1 && calls[0].contains("limit=500") && !calls[0].contains("fieldSelector"), "{calls:?}");

    let part = json!({"apiVersion": "v1", "kind": "List", "metadata": {"continue": "next"}, "items": all});
    let plane = Plane::default().with(EVENTS, &part);
    let events = plane.events(&inventory).await;
    assert_eq!(reasons(&events.not_read), [NotReadReason::Limited { noun: "event".into(), count: 2_000 }]);
    assert_eq!((plane.called().len(), events.items.len()), (4, 8));
}

#[tokio::test]
async fn events_in_a_namespace_outside_the_workspace_are_not_read() {
    let mut wide = item("rbac.authorization.k8s.io", "ClusterRole", "reader", "r0");
    wide.namespace = None;
    let plane = Plane::default().with_list(EVENTS, &[event("c1", "settings", 1)]);
    let events = plane.events(&[wide, item("", "ConfigMap", "settings", "c1")]).await;
    let reason = NotReadReason::ClusterScoped { workspace: "shop".into() };
    assert_eq!((reasons(&events.not_read), events.items.len()), (vec![reason], 1));
    assert!(plane.called().iter().all(|call| call.contains(EVENTS)), "{:?}", plane.called());
}

#[tokio::test]
async fn a_uid_adds_no_condition_to_the_query() {
    let plane = Plane::default().with_list(EVENTS, &[]);
    let events = plane.events(&[item("", "ConfigMap", "a", "c1,reason=Other"), item("", "ConfigMap", "b", "")]).await;
    assert!(events.items.is_empty() && plane.called().is_empty(), "{:?}", plane.called());
}
