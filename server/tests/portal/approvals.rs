//! Decisions through pages: who sees what waits, what is refused with which sentence, and what comes of a decision.

mod emergencies;
mod said;
mod shown;
mod states;
pub mod steps;

use cluster::kinds::{Policy, PromiseRequest, PromiseRequestKind, object};
use cluster::{Scope, WorkspacePath};
use http::{Method, StatusCode};
use kube::Api;
use kube::api::{Patch, PatchParams, PostParams};
use opm_portal::routes::{self, Access};
use promise::api::{CandidateState, PromiseRef, PromiseRequestSpec};
use serde_json::{Value, json};

use crate::access::without_id;
use crate::browser::{Answer, Browser, Product};

const SHOP: &str = "root:acme:shop";
/// A uid of the right length that nothing has.
const ABSENT: &str = "00000000-0000-4000-8000-000000000000";

/// A client of the administrator in a workspace.
pub fn client(product: &Product, path: &str) -> kube::Client {
    product.running.portal.endpoint.client(product.admin(), &Scope::Workspace(WorkspacePath::parse(path).expect("a path")))
}

fn requests(product: &Product) -> Api<PromiseRequest> {
    Api::namespaced(client(product, SHOP), "default")
}

/// Asks for a production database, of which somebody has to agree; `person` is who asks.
pub async fn asked(product: &Product, person: &Browser, name: &str, storage: u32) -> (String, String) {
    ask(product, person, name, "postgresql", json!({"tier": "production", "replicas": 2, "storage": storage})).await;
    waits(product, name, "").await
}

/// Asks for something in the shop.
pub async fn ask(product: &Product, person: &Browser, name: &str, promise: &str, parameters: Value) {
    let promise = PromiseRef { name: promise.into(), workspace: Some("root:platform".into()), version: None };
    let (parameters, reason) = (Some(parameters), Some("For the season".into()));
    let spec = PromiseRequestSpec { promise, parameters, reason, ..PromiseRequestSpec::default() };
    let caller = person.caller(product).await;
    let cluster = product.running.portal.world.tree().cluster(&WorkspacePath::parse(SHOP).expect("a path")).expect("the shop");
    let api: Api<PromiseRequest> = Api::namespaced(caller.client(&cluster), "default");
    api.create(&PostParams::default(), &object::<PromiseRequestKind>(name, Some("default"), spec)).await.expect("a request");
}

/// Waits until people are asked about another content than `before`; uid and hash.
async fn waits(product: &Product, name: &str, before: &str) -> (String, String) {
    let found = until(product, name, |request| {
        let candidate = request.status.as_ref().and_then(|status| status.candidate.as_ref());
        candidate.is_some_and(|candidate| candidate.state == CandidateState::AwaitingApproval && candidate.content_hash != before)
    });
    let request = found.await;
    let hash = request.status.and_then(|status| status.candidate).expect("a candidate").content_hash;
    (request.metadata.uid.expect("a uid"), hash)
}

async fn until(product: &Product, name: &str, fits: impl Fn(&PromiseRequest) -> bool) -> PromiseRequest {
    let api = requests(product);
    let asking = async {
        loop {
            let request = api.get(name).await.expect("the request");
            if fits(&request) {
                return request;
            }
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(std::time::Duration::from_secs(60), asking).await.unwrap_or_else(|_| panic!("{name} never fits"))
}

/// Opens a decision as soon as the portal knows it, and posts a decision from its form.
pub async fn decide(browser: &mut Browser, uid: &str, pairs: &[(&str, &str)]) -> Answer {
    let page = browser.until(&format!("/approvals/{uid}"), |answer| answer.text.contains("name=\"rule\"")).await;
    let (token, rule, hash) = (page.hidden("_token"), page.hidden("rule"), page.hidden("hash"));
    let mut all = vec![("_token", token.as_str()), ("uid", uid)];
    // What the test says comes first: a form has one of each.
    all.extend(pairs);
    for (name, value) in [("rule", &rule), ("hash", &hash)] {
        if !pairs.iter().any(|(known, _)| *known == name) {
            all.push((name, value));
        }
    }
    browser.act("/do/approvals/decide", &all).await
}

/// Asks for another storage of a production database, as somebody.
async fn edited(product: &Product, person: &Browser, name: &str, storage: u32) {
    let caller = person.caller(product).await;
    let cluster = product.running.portal.world.tree().cluster(&WorkspacePath::parse(SHOP).expect("a path")).expect("the shop");
    let api: Api<PromiseRequest> = Api::namespaced(caller.client(&cluster), "default");
    let patch = json!({"spec": {"parameters": {"tier": "production", "replicas": 2, "storage": storage}}});
    api.patch(name, &PatchParams::default(), &Patch::Merge(&patch)).await.expect("changed");
}

async fn post(client: &kube::Client, path: &str, body: Value) {
    let request = http::Request::post(path).header("content-type", "application/json").body(body.to_string().into_bytes());
    client.request::<Value>(request.expect("a request")).await.expect("written");
}

/// Names people beside the group that production databases of Acme need: who is let decide counts only if a rule names them.
pub async fn name_approvers(product: &Product, people: &[&str]) {
    let api: Api<Policy> = Api::all(client(product, "root:acme"));
    let mut policy = api.get("production-databases").await.expect("a policy");
    for approve in policy.spec.rules.iter_mut().filter_map(|rule| rule.approve.as_mut()) {
        approve.approvers.users = people.iter().map(|person| (*person).to_owned()).collect();
    }
    let patch = json!({"spec": {"rules": policy.spec.rules}});
    let changed = api.patch("production-databases", &PatchParams::default(), &Patch::Merge(&patch)).await.expect("changed");
    let generation = changed.metadata.generation.unwrap_or_default();
    let known = async {
        while api.get("production-databases").await.expect("a policy").status.is_none_or(|status| status.observed_generation < generation) {
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(std::time::Duration::from_secs(30), known).await.expect("the controller looks at the policy");
}

/// Lets dev-data, who has no right in the shop, decide for the policies of Acme, and nothing more.
pub async fn let_decide(product: &Product) {
    let_one_decide(product, "dev-data").await;
}

/// Lets a person decide for the policies of Acme, by a binding of the name `decides-…`.
async fn let_one_decide(product: &Product, person: &str) {
    const RBAC: &str = "rbac.authorization.k8s.io/v1";
    let client = client(product, "root:acme");
    let rules = json!([
        {"nonResourceURLs": ["/"], "verbs": ["access"]},
        {"apiGroups": ["platform.opmodel.dev"], "resources": ["policies"], "verbs": ["approve"]},
        {"apiGroups": ["platform.opmodel.dev"], "resources": ["approvals"], "verbs": ["create"]},
    ]);
    let name = format!("decides-{person}");
    let role = json!({"apiVersion": RBAC, "kind": "ClusterRole", "metadata": {"name": name}, "rules": rules});
    post(&client, &format!("/apis/{RBAC}/clusterroles"), role).await;
    let subject = json!([{"kind": "User", "apiGroup": "rbac.authorization.k8s.io", "name": person}]);
    let binding = json!({"apiVersion": RBAC, "kind": "ClusterRoleBinding", "metadata": {"name": name}, "subjects": subject,
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": name}});
    post(&client, &format!("/apis/{RBAC}/clusterrolebindings"), binding).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_waits_is_seen_by_who_decides_and_absent_for_others() {
    let product = Product::open().await;
    name_approvers(&product, &["dev-data"]).await;
    let requester = product.signed_in("dev-shop").await;
    let (uid, _) = asked(&product, &requester, "orders-db", 50).await;
    let mut approver = product.signed_in("approver").await;
    let inbox = approver.until("/approvals", |answer| answer.text.contains("1 request needs your approval")).await;
    for said in
        ["orders-db", "new PostgreSQL", "For the season", "title=\"dev-shop\"", "Dana Shaw", "+€", "/month", ">Approve</button>", "due in"]
    {
        assert!(inbox.text.contains(said), "the inbox lacks {said}: {}", inbox.text);
    }
    assert!(approver.get("/").await.text.contains("href=\"/approvals\""), "the navigation leads there");

    // A stranger gets for what is there exactly what they get for what is not.
    let mut stranger = product.signed_in("dev-data").await;
    assert!(!stranger.get("/").await.text.contains("href=\"/approvals\""), "who has no part in decisions has no entry");
    assert!(!stranger.get("/approvals?view=all").await.text.contains("orders-db"));
    let token = stranger.get("/").await.hidden("_token");
    let told = |answer: Answer, uid: &str| {
        let policy =
            answer.headers.get("content-security-policy").map(|value| value.to_str().expect("text").to_owned()).unwrap_or_default();
        let nonce = policy.split("'nonce-").nth(1).and_then(|rest| rest.split('\'').next()).unwrap_or("no nonce").to_owned();
        (answer.status, answer.text.replace(uid, "UID").replace(&nonce, "NONCE"))
    };
    let mut compared = 0;
    for route in routes::table().into_iter().filter(|route| route.access == Access::Decisions) {
        let (there, absent) = (route.pattern.replace("{uid}", &uid), route.pattern.replace("{uid}", ABSENT));
        let names_one = there != absent || route.method == Method::POST && !route.pattern.ends_with("-together");
        if !names_one {
            continue;
        }
        let pairs = [
            ("_token", token.as_str()),
            ("decision", "approve"),
            ("rule", "a/b/c"),
            ("hash", "x"),
            ("comment", "x"),
            ("back", "/approvals"),
        ];
        let (there, absent) = if route.method == Method::POST {
            let about = |uid| [&pairs[..], &[("uid", uid)]].concat();
            let there = without_id(&mut stranger, &there, &about(uid.as_str())).await;
            (there, without_id(&mut stranger, &absent, &about(ABSENT)).await)
        } else {
            (stranger.get(&there).await, stranger.get(&absent).await)
        };
        assert_eq!(there.status, StatusCode::NOT_FOUND, "{}", route.pattern);
        assert_eq!(told(there, &uid), told(absent, ABSENT), "{}", route.pattern);
        compared += 1;
    }
    assert!(compared >= 5, "{compared} routes name a request by its uid");

    // Who may decide and nothing else sees what is decided about, and can decide; afterwards there is nothing to see any more.
    let_decide(&product).await;
    let light = stranger.until(&format!("/approvals/{uid}"), |answer| answer.status == StatusCode::OK).await;
    assert!(light.text.contains("For the season") && light.text.contains(">Approve</button>"), "{}", light.text);
    assert_eq!(stranger.get("/w/root:acme:shop/requests/default/orders-db").await.status, StatusCode::NOT_FOUND);
    let answer = decide(&mut stranger, &uid, &[("decision", "approve"), ("back", &format!("/approvals/{uid}"))]).await;
    assert_eq!((answer.status, answer.location()), (StatusCode::SEE_OTHER, &*format!("/approvals?done={uid}")), "{}", answer.text);
    let done = stranger.get(answer.location()).await;
    assert!(done.text.contains("orders-db: you approved"), "{}", done.text);
    until(&product, "orders-db", |request| {
        request
            .status
            .as_ref()
            .and_then(|status| status.candidate.as_ref())
            .is_none_or(|candidate| candidate.state == CandidateState::Accepted)
    })
    .await;
    stranger.until(&format!("/approvals/{uid}"), |answer| answer.status == StatusCode::NOT_FOUND).await;
    product.running.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_does_not_count_is_refused_with_its_sentence_and_what_was_typed_stays() {
    let product = Product::open().await;
    let mut requester = product.signed_in("dev-shop").await;
    let (uid, hash) = asked(&product, &requester, "orders-db", 50).await;
    let mut approver = product.signed_in("approver").await;
    let back = format!("/approvals/{uid}");
    let said = |answer: &Answer, status: StatusCode, sentence: &str| {
        assert_eq!(answer.status, status, "{sentence}: {}", answer.text);
        assert!(answer.text.contains(sentence), "{sentence} is not in {}", answer.text);
    };
    let wrong = decide(&mut approver, &uid, &[("decision", "reject"), ("back", &back)]).await;
    said(&wrong, StatusCode::UNPROCESSABLE_ENTITY, "Add a comment that says why you reject it");
    assert!(wrong.text.contains("<title>Error: "));
    let wrong = decide(&mut approver, &uid, &[("decision", "requestChanges"), ("back", "/approvals?view=waiting")]).await;
    said(&wrong, StatusCode::UNPROCESSABLE_ENTITY, "Add a comment that says what to change");
    let wrong =
        decide(&mut approver, &uid, &[("decision", "approve"), ("emergency", "true"), ("comment", "It burns"), ("back", &back)]).await;
    said(&wrong, StatusCode::FORBIDDEN, "override");
    // More than a draft holds: the reason is shown all the same.
    let long = "x".repeat(300 * 1024);
    let wrong = decide(&mut approver, &uid, &[("decision", "reject"), ("comment", &long), ("back", &back)]).await;
    said(&wrong, StatusCode::UNPROCESSABLE_ENTITY, "Shorten the comment");
    let wrong = decide(&mut approver, &uid, &[("decision", "maybe"), ("back", &back)]).await;
    said(&wrong, StatusCode::UNPROCESSABLE_ENTITY, "Choose whether to approve");
    let wrong = decide(&mut approver, &uid, &[("decision", "approve"), ("rule", "root/other/rule"), ("back", &back)]).await;
    said(&wrong, StatusCode::CONFLICT, "his decision is no longer needed");

    // The requester sees what waits, is asked nothing, and cannot answer all the same.
    let own = requester.until(&back, |answer| answer.status == StatusCode::OK).await;
    assert!(!own.text.contains(">Approve</button>") && own.text.contains("Withdraw</button>"), "{}", own.text);
    let rule = approver.get(&back).await.hidden("rule");
    let token = own.hidden("_token");
    let forged = [("_token", token.as_str()), ("uid", &uid), ("rule", &rule), ("hash", &hash), ("decision", "approve")];
    let forged = requester.act("/do/approvals/decide", &forged).await;
    said(&forged, StatusCode::FORBIDDEN, "You need the permission approve");

    // Another content than the one that was shown: nothing is decided, and the difference is shown.
    let api = requests(&product);
    let patch = json!({"spec": {"parameters": {"tier": "production", "replicas": 2, "storage": 80}}});
    api.patch("orders-db", &PatchParams::default(), &Patch::Merge(&patch)).await.expect("changed");
    let (_, changed) = waits(&product, "orders-db", &hash).await;
    let stale = [("decision", "approve"), ("hash", hash.as_str()), ("comment", "Looks fine"), ("back", back.as_str())];
    let late = decide(&mut approver, &uid, &stale).await;
    said(&late, StatusCode::CONFLICT, "The request changed after you opened this page");
    for part in ["This request changed since you viewed it", "Storage", "<del>50", "<ins>80", "Looks fine", &changed[..10]] {
        assert!(late.text.contains(part), "{part} is not in {}", late.text);
    }
    assert!(product.running.portal.world.approvals.snapshot().is_empty(), "nothing was written");

    // Asked for changes: it is the requester's turn, with the words and the value.
    let asked = decide(
        &mut approver,
        &uid,
        &[("decision", "requestChanges"), ("comment", "Half would do"), ("field", ".storage"), ("back", "/approvals")],
    )
    .await;
    assert_eq!(asked.status, StatusCode::SEE_OTHER, "{}", asked.text);
    requester.until("/w/root:acme:shop/requests/default/orders-db", |answer| answer.text.contains("Half would do")).await;
    let written = product.running.portal.world.approvals.snapshot();
    assert_eq!(written.values().map(|approval| approval.spec.fields.clone()).collect::<Vec<_>>(), [vec![".storage".to_owned()]]);
    product.running.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whoever_asked_for_changes_may_decide_otherwise_and_nobody_else_does() {
    let product = Product::open().await;
    name_approvers(&product, &["dev-data"]).await;
    let requester = product.signed_in("dev-shop").await;
    let (uid, hash) = asked(&product, &requester, "orders-db", 50).await;
    let address = format!("/approvals/{uid}");
    let mut approver = product.signed_in("approver").await;
    let open = approver.until(&address, |answer| answer.text.contains("name=\"rule\"")).await;
    let (token, rule) = (open.hidden("_token"), open.hidden("rule"));
    // Somebody who sees the request for no other reason than that they decide about it.
    let_decide(&product).await;
    let mut holder = product.signed_in("dev-data").await;
    let wish = [("decision", "requestChanges"), ("comment", "Half would do"), ("back", "/approvals")];
    let held = decide(&mut holder, &uid, &wish).await;
    assert_eq!(held.status, StatusCode::SEE_OTHER, "{}", held.text);
    let page = holder.until(&address, |answer| answer.text.contains("You requested changes. You can still decide differently.")).await;
    assert!(page.text.contains(">Approve</button>"), "{}", page.text);
    holder.until("/approvals", |answer| answer.text.contains("No requests need your approval")).await;
    let pairs =
        [("_token", token.as_str()), ("uid", &uid), ("rule", &rule), ("hash", &hash), ("decision", "approve"), ("back", "/approvals")];
    let other = approver.act("/do/approvals/decide", &pairs).await;
    assert!(other.status.is_client_error(), "{}: {}", other.status, other.text);
    assert_eq!(product.running.portal.world.approvals.snapshot().len(), 1, "nothing is written for somebody else");
    let agreed = decide(&mut holder, &uid, &[("decision", "approve"), ("comment", "It will do"), ("back", "/approvals")]).await;
    assert_eq!(agreed.status, StatusCode::SEE_OTHER, "{}", agreed.text);
    until(&product, "orders-db", |request| {
        let candidate = request.status.as_ref().and_then(|status| status.candidate.as_ref());
        candidate.is_none_or(|candidate| candidate.state == CandidateState::Accepted)
    })
    .await;
    product.running.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn remarks_are_read_by_who_sees_the_request() {
    let product = Product::open().await;
    let mut requester = product.signed_in("dev-shop").await;
    let (uid, _) = asked(&product, &requester, "orders-db", 50).await;
    let mut approver = product.signed_in("approver").await;
    let page = approver.until(&format!("/approvals/{uid}"), |answer| answer.status == StatusCode::OK).await;
    let token = page.hidden("_token");
    let address = "/do/approvals/comment";
    let back = format!("/approvals/{uid}");
    let empty = approver.act(address, &[("_token", &token), ("uid", &uid), ("comment", "  "), ("back", &back)]).await;
    assert_eq!(empty.status, StatusCode::UNPROCESSABLE_ENTITY, "{}", empty.text);
    let long = "x".repeat(store::MAX_COMMENT + 1);
    assert_eq!(
        approver.act(address, &[("_token", &token), ("uid", &uid), ("comment", &long), ("back", &back)]).await.status,
        StatusCode::UNPROCESSABLE_ENTITY
    );
    let kept = approver.act(address, &[("_token", &token), ("uid", &uid), ("comment", "Why <now>?"), ("back", &back)]).await;
    assert_eq!((kept.status, kept.location()), (StatusCode::SEE_OTHER, back.as_str()), "{}", kept.text);
    for address in [back.as_str(), "/w/root:acme:shop/requests/default/orders-db", &format!("/approvals?view=all&open={uid}")] {
        let read = requester.get(address).await;
        assert!(read.text.contains("Why &lt;now&gt;?"), "{address}: {}", read.text);
    }
    // Nobody is sent elsewhere.
    let led = approver.act(address, &[("_token", &token), ("uid", &uid), ("comment", "More"), ("back", "//evil.example")]).await;
    assert_eq!(led.location(), "/");
    product.running.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_question_is_taken_back_by_who_asked_it_alone() {
    let product = Product::open().await;
    let mut requester = product.signed_in("dev-shop").await;
    let (uid, hash) = asked(&product, &requester, "orders-db", 50).await;
    let address = "/do/approvals/withdraw";
    let mut approver = product.signed_in("approver").await;
    let token = approver.until(&format!("/approvals/{uid}"), |answer| answer.status == StatusCode::OK).await.hidden("_token");
    let denied = approver.act(address, &[("_token", &token), ("uid", &uid), ("hash", &hash)]).await;
    assert_eq!(denied.status, StatusCode::FORBIDDEN, "{}", denied.text);
    let token = requester.until(&format!("/approvals/{uid}"), |answer| answer.text.contains("Withdraw</button>")).await.hidden("_token");
    let other = requester.act(address, &[("_token", &token), ("uid", &uid), ("hash", "another"), ("back", "/approvals")]).await;
    assert_eq!(other.status, StatusCode::CONFLICT, "{}", other.text);
    let done = requester.act(address, &[("_token", &token), ("uid", &uid), ("hash", &hash), ("back", &format!("/approvals/{uid}"))]).await;
    assert_eq!(done.status, StatusCode::SEE_OTHER, "{}", done.text);
    let turned = until(&product, "orders-db", |request| {
        request
            .status
            .as_ref()
            .and_then(|status| status.candidate.as_ref())
            .is_some_and(|candidate| candidate.state == CandidateState::Withdrawn)
    });
    let message = turned.await.status.and_then(|status| status.candidate).and_then(|candidate| candidate.message).unwrap_or_default();
    assert!(message.contains("dev-shop withdrew it"), "{message}");
    approver.until("/approvals", |answer| answer.text.contains("No requests need your approval")).await;
    // The same content can be asked about again: it is another question.
    let page = requester.until(&format!("/approvals/{uid}"), |answer| answer.text.contains("Resubmit")).await;
    assert!(page.text.contains("Dana Shaw withdrew it"), "{}", page.text);
    let pairs = [("_token", page.hidden("_token")), ("uid", uid.clone()), ("back", "/approvals".to_owned())];
    let pairs: Vec<(&str, &str)> = pairs.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let asked = requester.act("/do/approvals/ask-again", &pairs).await;
    assert_eq!(asked.status, StatusCode::SEE_OTHER, "{}", asked.text);
    assert_eq!(waits(&product, "orders-db", "").await.1, hash);
    product.running.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn requests_of_one_shape_are_decided_together_and_no_others() {
    let product = Product::open().await;
    let requester = product.signed_in("dev-shop").await;
    let mut uids = Vec::new();
    for (name, storage) in [("one", 50), ("two", 50), ("other", 60)] {
        uids.push(asked(&product, &requester, name, storage).await);
    }
    let mut approver = product.signed_in("approver").await;
    approver.until("/approvals", |answer| answer.text.contains("3 requests need your approval")).await;
    let address = format!("/approvals/{}/alike", uids[0].0);
    let page = approver.get(&address).await;
    assert!(page.text.contains("2 similar requests") && page.text.contains("1 more request"), "{}", page.text);
    let (token, rule) = (page.hidden("_token"), page.hidden("rule"));
    let item = |index: usize| format!("{}:{}", uids[index].0, uids[index].1);
    let (one, two, other) = (item(0), item(1), item(2));
    let common = [("_token", token.as_str()), ("rule", rule.as_str()), ("decision", "approve"), ("like", uids[0].0.as_str())];
    let mixed: Vec<(&str, &str)> = common.iter().copied().chain([("item", one.as_str()), ("item", other.as_str())]).collect();
    let refused = approver.act("/do/approvals/decide-together", &mixed).await;
    assert_eq!(refused.status, StatusCode::CONFLICT, "{}", refused.text);
    assert!(
        refused.text.contains("Other differs from the others") || refused.text.contains("other differs from the others"),
        "{}",
        refused.text
    );
    assert!(product.running.portal.world.approvals.snapshot().is_empty(), "all or nothing");
    let same: Vec<(&str, &str)> = common.iter().copied().chain([("item", one.as_str()), ("item", two.as_str())]).collect();
    let decided = approver.act("/do/approvals/decide-together", &same).await;
    let after = "/approvals?view=decided&together=2&decision=approve";
    assert_eq!((decided.status, decided.location()), (StatusCode::SEE_OTHER, after), "{}", decided.text);
    assert!(approver.get(after).await.text.contains("2 requests approved."), "it says what was done");
    for name in ["one", "two"] {
        until(&product, name, |request| {
            request
                .status
                .as_ref()
                .and_then(|status| status.candidate.as_ref())
                .is_none_or(|candidate| candidate.state == CandidateState::Accepted)
        })
        .await;
    }
    approver.until("/approvals", |answer| answer.text.contains("1 request needs your approval")).await;
    product.running.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_person_once_decided_against_is_not_chosen_with_others() {
    let product = Product::open().await;
    let requester = product.signed_in("dev-shop").await;
    let (rejected, first) = asked(&product, &requester, "rejected", 60).await;
    let mut approver = product.signed_in("approver").await;
    let pairs = [("decision", "reject"), ("comment", "Too large"), ("back", "/approvals")];
    let answer = decide(&mut approver, &rejected, &pairs).await;
    assert_eq!(answer.status, StatusCode::SEE_OTHER, "{}", answer.text);
    let is_rejected = |request: &PromiseRequest| {
        let candidate = request.status.as_ref().and_then(|status| status.candidate.as_ref());
        candidate.is_some_and(|candidate| candidate.state == CandidateState::Rejected)
    };
    until(&product, "rejected", is_rejected).await;
    let mut reader = product.signed_in("dev-shop").await;
    let page = reader.until("/w/root:acme:shop/requests/default/rejected", |answer| answer.text.contains("Rejected (version")).await;
    assert!(!page.text.contains("Accepted (version"), "no one accepted it: {}", page.text);
    edited(&product, &requester, "rejected", 50).await;
    waits(&product, "rejected", &first).await;
    approver.until("/approvals", |answer| answer.text.contains("Edited since you rejected it")).await;
    let (other, _) = asked(&product, &requester, "other", 50).await;
    approver.until("/approvals", |answer| answer.text.contains("2 requests need your approval")).await;
    let address = format!("/approvals/{other}/alike");
    let page = approver.until(&address, |answer| answer.text.contains("You rejected it earlier")).await;
    let input = |uid: &str| {
        let (_, rest) = page.text.split_once(&format!("value=\"{uid}:")).expect("a row");
        rest.split_once('>').expect("an input").0.to_owned()
    };
    assert!(input(&other).contains("checked") && !input(&rejected).contains("checked"), "{}", page.text);
    product.running.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_asked_for_besides_values_is_shown_and_parts_what_is_decided_together() {
    let product = Product::open().await;
    let requester = product.signed_in("dev-shop").await;
    let one = asked(&product, &requester, "one", 50).await;
    let two = asked(&product, &requester, "two", 50).await;
    let terms = json!({"spec": {"deletionPolicy": "Orphan"}});
    requests(&product).patch("two", &PatchParams::default(), &Patch::Merge(&terms)).await.expect("edited");
    let two = waits(&product, "two", &two.1).await;
    let mut approver = product.signed_in("approver").await;
    let page = approver.until(&format!("/approvals/{}", two.0), |answer| answer.text.contains("Orphan: resources stay")).await;
    for said in ["Deletion policy", "Upgrades", "Manual"] {
        assert!(page.text.contains(said), "{said}: {}", page.text);
    }
    let (token, rule) = (page.hidden("_token"), page.hidden("rule"));
    let (first, second) = (format!("{}:{}", one.0, one.1), format!("{}:{}", two.0, two.1));
    let pairs = [
        ("_token", token.as_str()),
        ("rule", rule.as_str()),
        ("decision", "approve"),
        ("like", one.0.as_str()),
        ("item", first.as_str()),
        ("item", second.as_str()),
    ];
    let refused = approver.act("/do/approvals/decide-together", &pairs).await;
    assert_eq!(refused.status, StatusCode::CONFLICT, "{}", refused.text);
    assert!(refused.text.contains("differs from the others"), "{}", refused.text);
    assert!(product.running.portal.world.approvals.snapshot().is_empty(), "all or nothing");
    product.running.close().await;
}
