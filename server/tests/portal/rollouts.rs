//! Instances are upgraded in waves by the person who started it, as far as that person can, and while their session lasts.

mod replaced;

use cluster::{Scope, WorkspacePath};
use futures::future::join_all;
use http::StatusCode;
use k8s_openapi::api::rbac::v1::ClusterRoleBinding;
use kube::api::{Api, Patch, PatchParams, PostParams};
use serde_json::{Value, json};

use crate::browser::{Answer, Browser, Product};
use crate::rest::Program;
use crate::review::{between, by_kubectl, promises, publish, requests, service, words};

const AUTHOR: &str = "/platform/promises/root:platform/service";
const FLEET: &str = "/platform/promises/root:platform/service/fleet";
/// The fleet for programs.
const FLEET_DATA: &str = "/api/v1/workspaces/root:platform/promises/service/fleet";

/// Lets platform engineers change the requests of the shop.
async fn maintained(product: &Product) {
    let scope = Scope::Workspace(WorkspacePath::parse("root:acme:shop").expect("a path"));
    let bindings: Api<ClusterRoleBinding> = Api::all(product.running.portal.endpoint.client(product.admin(), &scope));
    let binding = json!({
        "metadata": {"name": "maintainers"},
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "opm-requests-editor"},
        "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "Group", "name": "platform-engineers"}],
    });
    bindings.create(&PostParams::default(), &serde_json::from_value(binding).expect("a binding")).await.expect("written");
}

/// A promise whose next version limits its replicas, and requests of it with these replicas.
async fn fleet(product: &Product, replicas: &[i64]) {
    product.publishes_samples().await;
    let mut first = service();
    first["spec"]["parameters"] = json!({"type": "object", "properties": {"replicas": {"type": "integer", "default": 1}}});
    publish(product, first).await;
    for (index, replicas) in replicas.iter().enumerate() {
        by_kubectl(product, &format!("notes-{index}"), json!({"replicas": replicas})).await;
    }
    join_all((0..replicas.len()).map(|index| running(product, index, "1.0.0"))).await;
    let limited = json!({"replicas": {"type": "integer", "default": 1, "maximum": 2}});
    let second = json!({"spec": {"version": "2.0.0", "parameters": {"properties": limited}}});
    promises(product).patch("service", &PatchParams::default(), &Patch::Merge(&second)).await.expect("changed");
}

async fn running(product: &Product, index: usize, version: &str) {
    let runs = |request: Option<&cluster::kinds::PromiseRequest>| {
        let status = request.and_then(|request| request.status.as_ref());
        let ready = status.is_some_and(|status| status.phase == promise::api::Phase::Ready);
        ready && status.and_then(|status| status.current.as_ref()).is_some_and(|current| current.version == version)
    };
    let name = format!("notes-{index}");
    let waiting = kube::runtime::wait::await_condition(requests(product), &name, runs);
    tokio::time::timeout(std::time::Duration::from_secs(60), waiting).await.expect("in time").expect("a request");
}

async fn version(product: &Product, index: usize) -> Option<String> {
    requests(product).get(&format!("notes-{index}")).await.expect("a request").spec.promise.version
}

/// The fleet once its next version is published.
async fn opened(browser: &mut Browser) -> Answer {
    browser.until(FLEET, |answer| answer.text.contains("name=\"to\" value=\"2.0.0\"")).await
}

async fn start(browser: &mut Browser, page: &Answer, pairs: &[(&str, &str)]) -> Answer {
    let token = page.hidden("_token");
    let fixed = [("_token", token.as_str()), ("place", "root:platform"), ("promise", "service"), ("to", "2.0.0"), ("minutes", "30")];
    browser.post("/do/rollouts/start", &[&fixed[..], pairs].concat()).await
}

async fn direct(browser: &mut Browser, rollout: &str, command: &str, position: &str) {
    let token = browser.get(rollout).await.hidden("_token");
    let id = rollout.rsplit('/').next().unwrap_or_default();
    let pairs = [("_token", token.as_str()), ("place", "root:platform"), ("promise", "service"), ("rollout", id)];
    let answer = browser.post("/do/rollouts/direct", &[&pairs[..], &[("command", command), ("position", position)]].concat()).await;
    assert_eq!(answer.location(), rollout, "{}", answer.text);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_fleet_says_what_is_in_the_way_of_each_instance() {
    let product = Product::open().await;
    fleet(&product, &[1, 3]).await;
    let mut engineer = product.signed_in("platform-engineer").await;
    let page = engineer.until(FLEET, |answer| answer.text.contains("name=\"to\" value=\"2.0.0\"") || answer.text.contains("Blocked")).await;
    let text = words(&page.text);
    assert_eq!(text.matches("Blocked").count(), 2, "it can't be changed: {text}");
    maintained(&product).await;
    let mut engineer = product.signed_in("platform-engineer").await;
    let page = engineer.until(FLEET, |answer| answer.text.contains("Ready to upgrade")).await;
    let text = words(&page.text);
    assert_eq!((text.matches("Ready to upgrade").count(), text.matches("Blocked").count()), (1, 1), "{text}");
    assert!(between(&text, "Blocked", "Upgrade in waves").contains("1 field needs input."), "{text}");
    let author = words(&engineer.get(AUTHOR).await.text);
    assert!(author.contains("Breaking: maximum decreases to 2"), "{author}");

    let mut developer = product.signed_in("dev-shop").await;
    for page in [AUTHOR, FLEET] {
        assert_eq!(
            developer.get(page).await.status,
            StatusCode::NOT_FOUND,
            "{page} is for people who can read the promise in its workspace"
        );
    }
    let token = developer.get("/").await.hidden("_token");
    let pairs = [("_token", token.as_str()), ("place", "root:platform"), ("promise", "service"), ("to", "2.0.0"), ("which", "all")];
    let refused = developer.post("/do/rollouts/start", &pairs).await;
    assert!(refused.location().starts_with("/refused"), "{}", refused.location());
    product.running.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn programs_of_authors_read_which_instances_can_be_upgraded() {
    let product = Product::open().await;
    maintained(&product).await;
    fleet(&product, &[1, 3]).await;
    let mut engineer = product.signed_in("platform-engineer").await;
    opened(&mut engineer).await;
    let program = Program::of(&product, "platform-engineer");
    let all = program.read(FLEET_DATA).await;
    let verdicts: Vec<&Value> = all["items"].as_array().expect("items").iter().map(|one| &one["verdict"]).collect();
    assert_eq!(verdicts, [&json!("ready"), &json!("blocked")], "{all:#}");
    assert_eq!((&all["items"][0]["version"], &all["items"][0]["to"], &all["total"]), (&json!("1.0.0"), &json!("2.0.0"), &json!(2)));
    assert!(all["items"][1]["reason"].as_str().is_some_and(|reason| reason.starts_with("1 field needs input.")), "{all:#}");

    let first = program.read(&format!("{FLEET_DATA}?to=1.0.0&limit=1")).await;
    assert_eq!((&first["items"][0]["name"], &first["items"][0]["verdict"]), (&json!("notes-0"), &json!("upToDate")), "{first:#}");
    let next = first["continue"].as_str().expect("there is more");
    let second = program.read(&format!("{FLEET_DATA}?to=1.0.0&limit=1&continue={next}")).await;
    assert_eq!((&second["items"][0]["name"], &second["continue"]), (&json!("notes-1"), &Value::Null), "{second:#}");
    let named = program.read(&format!("{FLEET_DATA}?q=notes-1&version=1.0.0")).await;
    assert_eq!(named["total"], 1, "{named:#}");
    let unknown = program.send(http::Method::GET, &format!("{FLEET_DATA}?to=9.0.0"), &[], "").await;
    assert_eq!(unknown.status, StatusCode::UNPROCESSABLE_ENTITY, "{}", unknown.text);

    // An instance that was chosen and isn't ready for the version stops the rollout.
    let page = engineer.get(FLEET).await;
    let started = start(&mut engineer, &page, &[("wave", "1"), ("which", "selected"), ("item", "root:acme:shop/default/notes-1")]).await;
    let id = started.location().rsplit('/').next().unwrap_or_default().to_owned();
    let rollouts = FLEET_DATA.replace("/fleet", "/rollouts");
    let listed = program.read(&rollouts).await;
    assert_eq!((&listed["items"][0]["id"], &listed["items"][0]["version"]), (&json!(id), &json!("2.0.0")), "{listed:#}");
    let stopped = program.until(&format!("{rollouts}/{id}"), |rollout| rollout["state"] == "stopped").await;
    assert_eq!((&stopped["instances"][0]["name"], &stopped["instances"][0]["state"]), (&json!("notes-1"), &json!("failed")), "{stopped:#}");
    assert!(stopped["instances"][0]["reason"].as_str().is_some_and(|reason| reason.starts_with("1 field needs input.")), "{stopped:#}");
    assert_eq!((&stopped["progress"]["total"], &stopped["progress"]["failed"]), (&json!(1), &json!(1)), "{stopped:#}");
    assert_eq!(stopped["continue"], Value::Null, "{stopped:#}");
    let again = program.send(http::Method::POST, &format!("{rollouts}/{id}/stop"), &[], "").await;
    assert_eq!(again.status, StatusCode::OK, "{}", again.text);
    let other = Program::of(&product, "plane-admin").send(http::Method::GET, &format!("{rollouts}/{id}"), &[], "").await;
    assert_eq!(other.status, StatusCode::NOT_FOUND, "a rollout is for its person: {}", other.text);
    let developer = Program::of(&product, "dev-shop").send(http::Method::GET, FLEET_DATA, &[], "").await;
    assert_eq!(developer.status, StatusCode::NOT_FOUND, "{}", developer.text);
    product.running.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn programs_read_the_instances_of_a_rollout_in_parts_and_its_progress_counts_all_of_them() {
    const SIZE: usize = 205;
    let product = Product::open().await;
    fleet(&product, &[]).await;
    let mut engineer = product.signed_in("platform-engineer").await;
    // They don't exist, so the rollout stops at the first one: what it has counts.
    let caller = engineer.caller(&product).await;
    let portal = &product.running.portal;
    let path = WorkspacePath::parse("root:platform").expect("a path");
    let home = portal.world.tree().cluster(&path).expect("a workspace").to_string();
    let new = store::NewRollout {
        home: &home,
        promise: "service",
        version: "2.0.0",
        person: &caller.identity().person,
        session: caller.session(),
        wave_size: 5,
        minutes: 30,
        skips: false,
    };
    let names: Vec<String> = (0..SIZE).map(|number| format!("gone-{number}")).collect();
    let members: Vec<store::NewMember<'_>> =
        names.iter().map(|name| store::NewMember { cluster: &home, namespace: "default", name, uid: "gone", from: "1.0.0" }).collect();
    let id = portal.store.begin_rollout(&new, &members, portal.clock.now(), &*portal.random).await.expect("stored");
    let program = Program::of(&product, "platform-engineer");
    let address = format!("{}/{id}", FLEET_DATA.replace("/fleet", "/rollouts"));
    let mut part = program.read(&address).await;
    assert_eq!(part["instances"].as_array().map(Vec::len), Some(100), "{part:#}");
    let (mut sizes, mut read) = (Vec::new(), 0);
    loop {
        let states = part["progress"].as_object().expect("numbers").iter().filter(|(state, _)| *state != "total");
        assert_eq!(states.map(|(_, count)| count.as_u64().expect("a number")).sum::<u64>(), SIZE as u64, "{part:#}");
        assert_eq!(part["progress"]["total"], SIZE, "{part:#}");
        sizes.push(part["instances"].as_array().expect("instances").len());
        read += sizes.last().expect("a part");
        let Some(next) = part["continue"].as_str() else { break };
        part = program.read(&format!("{address}?limit=80&continue={next}")).await;
    }
    assert_eq!((sizes, read), (vec![100, 80, 25], SIZE));
    let wrong = program.send(http::Method::GET, &format!("{address}?limit=0"), &[], "").await;
    assert_eq!(wrong.status, StatusCode::UNPROCESSABLE_ENTITY, "{}", wrong.text);
    let page = engineer.get(&format!("/platform/promises/root:platform/service/rollouts/{id}")).await;
    assert!(words(&page.text).contains(&format!("0 of {SIZE} instances upgraded")), "{}", words(&page.text));
    product.running.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn instances_that_are_not_ready_are_skipped_if_all_are_upgraded_and_stop_the_rollout_if_they_were_chosen() {
    let product = Product::open().await;
    maintained(&product).await;
    fleet(&product, &[1, 3, 2]).await;
    let mut engineer = product.signed_in("platform-engineer").await;
    let page = opened(&mut engineer).await;
    let none = start(&mut engineer, &page, &[("wave", "1"), ("which", "selected")]).await;
    let none = engineer.get(none.location()).await;
    assert_eq!(none.status, StatusCode::UNPROCESSABLE_ENTITY);
    assert!(words(&none.text).contains("Select at least one instance."), "{}", words(&none.text));

    let key = |index: usize| format!("root:acme:shop/default/notes-{index}");
    let (second, third) = (key(1), key(2));
    let chosen = [("wave", "1"), ("which", "selected"), ("item", second.as_str()), ("item", third.as_str())];
    let rollout = start(&mut engineer, &page, &chosen).await.location().to_owned();
    let stopped = engineer.until(&rollout, |answer| answer.text.contains("An instance stopped this rollout")).await;
    let text = words(&stopped.text);
    assert!(text.contains("1 field needs input.") && text.contains("0 of 2 instances upgraded"), "{text}");
    assert_eq!(version(&product, 2).await, None, "its wave hasn't begun");
    let mut other = product.signed_in("org-owner").await;
    assert_eq!(other.get(&rollout).await.status, StatusCode::NOT_FOUND, "it is of the person who started it");

    let all = start(&mut engineer, &page, &[("wave", "1"), ("which", "all")]).await.location().to_owned();
    let done = engineer.until(&all, |answer| answer.text.contains("Completed")).await;
    assert!(words(&done.text).contains("2 of 3 instances upgraded · 1 skipped"), "{}", words(&done.text));
    for index in [0, 2] {
        assert_eq!(version(&product, index).await.as_deref(), Some("=2.0.0"), "as the form of an upgrade writes it");
    }
    assert_eq!(version(&product, 1).await, None);
    direct(&mut engineer, &rollout, "skip", "0").await;
    let done = engineer.until(&rollout, |answer| answer.text.contains("Completed")).await;
    assert!(words(&done.text).contains("1 of 2 instances upgraded · 1 skipped"), "{}", words(&done.text));
    product.running.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_rollout_pauses_with_its_session_and_goes_on_in_another_one_of_the_person() {
    let product = Product::open().await;
    maintained(&product).await;
    fleet(&product, &[1, 2]).await;
    // The first upgrade doesn't get ready: nothing of it can be written.
    let hold = json!({"spec": {"paused": true}});
    requests(&product).patch("notes-0", &PatchParams::default(), &Patch::Merge(&hold)).await.expect("paused");
    let mut engineer = product.signed_in("platform-engineer").await;
    let page = opened(&mut engineer).await;
    let items = ["root:acme:shop/default/notes-0", "root:acme:shop/default/notes-1"].map(|item| ("item", item));
    let rollout = start(&mut engineer, &page, &[&[("wave", "1"), ("which", "selected")], &items[..]].concat()).await.location().to_owned();
    let stopped = engineer.until(&rollout, |answer| answer.text.contains("An instance stopped this rollout")).await;
    assert!(words(&stopped.text).contains("It's paused."), "{}", words(&stopped.text));

    // It is resumed in a session that ends before the next step.
    let mut ending = product.signed_in("platform-engineer").await;
    let caller = ending.caller(&product).await;
    let token = ending.get(&rollout).await.hidden("_token");
    let store = &product.running.portal.store;
    let (id, now) = (rollout.rsplit('/').next().unwrap_or_default(), product.running.portal.clock.now());
    let (person, session) = (caller.identity().person.clone(), caller.session());
    ending.post("/do/account/sign-out", &[("_token", &token)]).await;
    let reason = promise::rollout::MemberReason::ByPerson;
    let to = promise::rollout::MemberState::Skipped;
    let skip = store::MemberAnswer { rollout: id, person: &person, position: 0, to, reason: Some(&reason), session };
    assert!(store.answer_member(&skip, now).await.expect("stored"));
    let paused = engineer.until(&rollout, |answer| answer.text.contains("Your session ended")).await;
    assert!(paused.text.contains(">Continue<"), "{}", words(&paused.text));
    assert_eq!(version(&product, 1).await, None, "nothing is written without a session");

    direct(&mut engineer, &rollout, "resume", "").await;
    let done = engineer.until(&rollout, |answer| answer.text.contains("Completed")).await;
    assert!(words(&done.text).contains("1 of 2 instances upgraded · 1 skipped"), "{}", words(&done.text));
    let request = requests(&product).get("notes-1").await.expect("a request");
    let changed_by = request.metadata.annotations.unwrap_or_default().get(promise::names::CHANGED_BY_ANNOTATION).cloned();
    assert_eq!(changed_by.as_deref(), Some("platform-engineer"), "as the person: {}", Value::from(changed_by.clone()));
    product.running.close().await;
}
