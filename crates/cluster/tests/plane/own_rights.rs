//! Each right that the installation gives to the controller is taken away in turn, and the controller says which one it lacks.

use cluster::controller::ControllerState;
use cluster::install;
use cluster::kinds::Promise;
use kube::Api;
use kube::api::DeleteParams;
use serde_json::{Value, json};

use crate::running::Running;
use crate::world::{PATIENCE, Plane, apply, settings};

const CONTROLLER: &str = "opm-controller";
const REQUESTS: &str = "requests.platform.opmodel.dev of apiexports/content";
const CATALOG: &str = "catalog.platform.opmodel.dev of apiexports/content";
/// What can be done.
const MENDED: &str = "The platform team can fix this";

/// One verb on one thing, and its role without it.
#[derive(Debug)]
pub struct Right {
    pub verb: String,
    pub thing: String,
    pub role_without: Value,
}

/// Every right that the generated manifests give to the controller, so that one added later is taken away too.
fn rights() -> Vec<Right> {
    rights_in("deploy/kcp/10-rbac.yaml", "User")
}

/// The same in one file, where the controller is a subject of this kind.
pub fn rights_in(file: &str, kind: &str) -> Vec<Right> {
    let files = install::files().unwrap();
    let (_, text) = files.iter().find(|(path, _)| path == file).unwrap();
    let objects: Vec<Value> = serde_saphyr::from_multiple(text).unwrap();
    let bound = |role: &Value| {
        let is_ours = |subject: &Value| subject["kind"] == kind && subject["name"] == CONTROLLER;
        objects.iter().any(|binding| {
            binding["roleRef"]["kind"] == role["kind"]
                && binding["roleRef"]["name"] == role["metadata"]["name"]
                && binding["metadata"]["namespace"] == role["metadata"]["namespace"]
                && binding["subjects"].as_array().is_some_and(|subjects| subjects.iter().any(is_ours))
        })
    };
    objects.iter().filter(|object| object["rules"].is_array() && bound(object)).flat_map(rights_of).collect()
}

fn rights_of(role: &Value) -> Vec<Right> {
    let rules = role["rules"].as_array().unwrap();
    let mut rights = Vec::new();
    for (index, rule) in rules.iter().enumerate() {
        for dimension in ["resourceNames", "nonResourceURLs", "resources"] {
            let Some(things) = rule[dimension].as_array() else { continue };
            for (thing, verb) in things.iter().flat_map(|thing| rule["verbs"].as_array().unwrap().iter().map(move |verb| (thing, verb))) {
                // The rule falls into one for the verbs that stay on everything, and one for the verb on everything else.
                let without =
                    |list: &Value, gone: &Value| json!(list.as_array().unwrap().iter().filter(|v| *v != gone).collect::<Vec<_>>());
                let (mut other_verbs, mut other_things) = (rule.clone(), rule.clone());
                other_verbs["verbs"] = without(&rule["verbs"], verb);
                other_things[dimension] = without(&rule[dimension], thing);
                let mut reduced = role.clone();
                let kept = [other_verbs, other_things].into_iter();
                let kept = kept.filter(|rule| rule["verbs"] != json!([]) && rule[dimension] != json!([]));
                reduced["rules"].as_array_mut().unwrap().splice(index..=index, kept);
                let of =
                    if dimension == "resourceNames" { format!(" of {}", rule["resources"][0].as_str().unwrap()) } else { String::new() };
                rights.push(Right {
                    verb: verb.as_str().unwrap().to_owned(),
                    thing: format!("{}{of}", thing.as_str().unwrap()),
                    role_without: reduced,
                });
            }
            // What names objects is not taken apart by kind as well.
            break;
        }
    }
    rights
}

/// What the controller has to say without a right: words that name it.
fn named(right: &Right) -> [&'static str; 2] {
    match (right.verb.as_str(), right.thing.as_str()) {
        ("access", "/") => ["Lease opm-system/opm-controller", "access"],
        ("list" | "watch", "apiexportendpointslices") => ["endpoint slice of requests.platform.opmodel.dev", "apiexportendpointslices"],
        ("list" | "watch", REQUESTS) => ["requests through requests.platform.opmodel.dev", "content"],
        ("list" | "watch", CATALOG) => ["promises through catalog.platform.opmodel.dev", "content"],
        ("get", REQUESTS) => ["read requests", "apiexports/content of requests"],
        ("patch", REQUESTS) => ["update requests", "apiexports/content of requests"],
        ("create", REQUESTS) => ["record the release", "apiexports/content of requests"],
        ("delete", REQUESTS) => ["delete Secret web-outputs", "apiexports/content of requests"],
        ("get", CATALOG) => ["read promises", "apiexports/content of catalog"],
        ("patch", CATALOG) => ["update promises", "apiexports/content of catalog"],
        ("create", CATALOG) => ["record the revision", "apiexports/content of catalog"],
        ("create", "leases") | ("get" | "update", "opm-controller of leases") => ["Lease opm-system/opm-controller", "leases"],
        ("create", "secrets") | ("get", "opm-controller-keys of secrets") => ["Secret opm-system/opm-controller-keys", "secrets"],
        ("list" | "watch", "configmaps") => ["lists of orphaned objects", "configmaps"],
        _ => panic!("say here how the controller names the loss of this right: {right:?}"),
    }
}

/// Whether a right is needed only for work that there is to do, and not to begin.
fn is_for_work(right: &Right) -> bool {
    matches!(right.thing.as_str(), REQUESTS | CATALOG) && !matches!(right.verb.as_str(), "list" | "watch")
}

/// Whether a right is needed only where a Destination is gone for good: its test takes it away.
pub fn is_for_what_is_lost(right: &Right) -> bool {
    (right.verb.as_str(), right.thing.as_str()) == ("create", "configmaps")
}

#[tokio::test(flavor = "multi_thread")]
async fn each_right_taken_away_is_named_and_an_installation_gives_it_back() {
    let rights = rights();
    assert!(rights.len() >= 19, "{rights:#?}");
    for right in rights.iter().filter(|right| !is_for_work(right) && !is_for_what_is_lost(right)) {
        // Where an export is served is looked for until the first workspace binds it.
        let plane = if right.thing == "apiexportendpointslices" { Plane::unbound().await } else { Plane::open().await };
        let admin = plane.client("admin", "root:opm");
        apply(&admin, &right.role_without).await.unwrap();
        let words = named(right);
        let names_it = |state: &ControllerState| words.iter().all(|word| state.to_string().contains(word));
        let mut controller = plane.beginning_controller();
        // Some rights are needed only once there is something to take over.
        let first = controller.until(&format!("in want of {right:?}"), |s| names_it(s) || *s == ControllerState::Ready).await;
        if first == ControllerState::Ready {
            controller.stop().await;
            controller = plane.beginning_controller();
            controller.until(&format!("in want of {right:?}"), |s| names_it(s)).await;
        }
        let said = controller.state.borrow().to_string();
        assert!(said.contains(MENDED), "{right:?}: {said}");
        install::provider(&admin, &install::Options::default()).await.unwrap();
        plane.bind().await;
        controller.until("working again", |state| *state == ControllerState::Ready).await;
        controller.stop().await;
    }
}

/// What the controller says of itself, and what it writes where people look: of its promise and its request.
async fn everything_said(plane: &Plane, controller: &Running) -> String {
    let promises: Api<Promise> = Api::all(plane.client("admin", "root:platform"));
    let promise = promises.get("settings").await.unwrap();
    let request = plane.requests("dana").get_opt("web").await.unwrap();
    let state = controller.state.borrow().to_string();
    format!("{state} {} {}", json!(promise.status), json!(request.and_then(|request| request.status)))
}

#[tokio::test(flavor = "multi_thread")]
async fn each_verb_that_work_needs_is_named_where_it_is_missed() {
    for right in rights().iter().filter(|right| is_for_work(right)) {
        let plane = Plane::open().await;
        let admin = plane.client("admin", "root:opm");
        let controller = plane.controller().await;
        plane.offer().await;
        // What a right is for happens only after it was taken away; everything before is there.
        let promise = json!({"apiVersion": "platform.opmodel.dev/v1alpha1", "kind": "Promise", "metadata": {"name": "settings"}, "spec": settings("1.0.0")});
        if right.thing == CATALOG {
            apply(&admin, &right.role_without).await.unwrap();
            apply(&plane.client("admin", "root:platform"), &promise).await.unwrap();
        } else {
            plane.publish("settings", settings("1.0.0")).await;
            if right.verb == "delete" {
                plane.ask("web", "settings", json!({})).await;
                plane.ready("web").await;
            }
            apply(&admin, &right.role_without).await.unwrap();
            if right.verb == "delete" {
                plane.requests("dana").delete("web", &DeleteParams::default()).await.unwrap();
            } else {
                plane.ask("web", "settings", json!({})).await;
            }
        }
        let words = named(right);
        let said = tokio::time::timeout(PATIENCE, async {
            loop {
                let said = everything_said(&plane, &controller).await;
                if words.iter().chain([&MENDED]).all(|word| said.contains(word)) {
                    return said;
                }
                tokio::time::sleep(std::time::Duration::from_millis(20)).await;
            }
        });
        if said.await.is_err() {
            panic!("{right:?} is not named: {}", everything_said(&plane, &controller).await);
        }
        install::provider(&admin, &install::Options::default()).await.unwrap();
        match (right.thing.as_str(), right.verb.as_str()) {
            (CATALOG, _) => plane.publish("settings", settings("1.0.0")).await,
            (_, "delete") => plane.gone(plane.requests("dana"), "web").await,
            _ => drop(plane.ready("web").await),
        }
        controller.stop().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_right_lost_while_working_is_named() {
    let right = rights().into_iter().find(|right| right.thing == REQUESTS && right.verb == "get").unwrap();
    let plane = Plane::open().await;
    let admin = plane.client("admin", "root:opm");
    let mut controller = plane.controller().await;
    plane.offer().await;
    plane.publish("settings", settings("1.0.0")).await;
    apply(&admin, &right.role_without).await.unwrap();
    plane.ask("web", "settings", json!({})).await;
    controller
        .until("hampered", |s| matches!(s, ControllerState::Degraded { why } if why.contains("requests") && why.contains("content")))
        .await;
    install::provider(&admin, &install::Options::default()).await.unwrap();
    plane.ready("web").await;
    controller.until("working again", |state| *state == ControllerState::Ready).await;
    controller.stop().await;
}
