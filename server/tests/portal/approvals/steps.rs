//! Steps of workflows that wait for people: they are decided where requests are decided, and skipped from the page that shows them.

use cluster::kinds::{PromiseAction, PromiseActionKind};
use k8s_openapi::api::rbac::v1::{ClusterRole, ClusterRoleBinding};
use promise::api::{ActionPhase, Phase, PromiseActionSpec, StepKind, StepPhase, WorkflowPhase};

use super::*;
use crate::policies::write_policy;
use crate::rest::Program;
use crate::review::words;

/// Publishes a promise whose objects wait for a step. Nobody but the approver has the verb on it.
pub async fn with_gate(product: &Product, gate: &Value, verb: &str) {
    let steps = json!([gate, {"id": "note", "dependsOn": [gate["id"]], "apply": {"resources": ["note"]}}]);
    with_site(product, json!({"provision": {"steps": steps}}), json!({}), verb).await;
}

/// Publishes a promise with workflows and actions. Nobody but the approver has the verb on it.
async fn with_site(product: &Product, workflows: Value, actions: Value, verb: &str) {
    let platform = client(product, "root:platform");
    let promise = json!({
        "apiVersion": promise::names::API_VERSION, "kind": "Promise", "metadata": {"name": "site"},
        "spec": {
            "version": "1.0.0", "lifecycle": "published", "visibility": "descendants",
            "presentation": {"displayName": "Site", "summary": "A site.", "category": "data", "maintainer": {"team": "Platform"}},
            "parameters": {"type": "object", "properties": {"host": {"type": "string", "default": "docs"}}},
            "implementation": {"resources": [{"id": "note", "template": {
                "apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "${request.name}"}, "data": {"host": "${parameters.host}"},
            }}]},
            "workflows": workflows, "actions": actions,
        },
    });
    let promises: Api<cluster::kinds::Promise> = Api::all(platform.clone());
    promises.create(&PostParams::default(), &serde_json::from_value(promise).expect("a promise")).await.expect("written");
    let own = |resource: &str, verbs: Value| json!({"apiGroups": ["platform.opmodel.dev"], "resources": [resource], "verbs": verbs});
    let mut decides = own("promises", json!([verb]));
    decides["resourceNames"] = json!(["site"]);
    let access = json!({"nonResourceURLs": ["/"], "verbs": ["access"]});
    let role = json!({"metadata": {"name": "sites"}, "rules": [access, own("approvals", json!(["create"])), decides]});
    let roles: Api<ClusterRole> = Api::all(platform.clone());
    roles.create(&PostParams::default(), &serde_json::from_value(role).expect("a role")).await.expect("written");
    let binding = json!({
        "metadata": {"name": "sites"},
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "sites"},
        "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": "approver"}],
    });
    let bindings: Api<ClusterRoleBinding> = Api::all(platform);
    bindings.create(&PostParams::default(), &serde_json::from_value(binding).expect("a binding")).await.expect("written");
}

fn board() -> Value {
    json!({"id": "board", "title": "Change board", "approve": {"approvers": {"users": ["approver"]}, "message": "Check the plan"}})
}

/// A step that fails unless the host is `web`.
pub fn check() -> Value {
    json!({"id": "check", "title": "Check the host", "validate": {"expression": "${parameters.host == 'web'}", "message": "It's taken."}})
}

fn waits_at_gate(request: &PromiseRequest) -> bool {
    let steps = request.status.iter().flat_map(|status| &status.steps);
    steps.into_iter().any(|step| step.kind == StepKind::Approve && step.phase == StepPhase::Running && step.approval.is_some())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_step_that_waits_is_decided_where_requests_are() {
    let product = Product::open().await;
    with_gate(&product, &board(), "approve").await;
    let mut requester = product.signed_in("dev-shop").await;
    ask(&product, &requester, "docs", "site", json!({})).await;
    let waiting = until(&product, "docs", waits_at_gate).await;
    let uid = waiting.metadata.uid.expect("a uid");

    let detail = "/w/root:acme:shop/requests/default/docs";
    let page = requester.until(detail, |answer| answer.text.contains("Change board")).await;
    assert!(page.text.contains("approver must approve. Check the plan"), "{}", page.text);
    let mut approver = product.signed_in("approver").await;
    let list = approver.until("/approvals", |answer| answer.text.contains("docs")).await;
    assert_eq!(list.status, StatusCode::OK);
    let review = approver.get(&format!("/approvals/{uid}")).await;
    for said in ["Step “Change board” of docs: new Site", "approver must approve. Check the plan"] {
        assert!(review.text.contains(said), "{said}: {}", review.text);
    }
    let decided = decide(&mut approver, &uid, &[("decision", "approve")]).await;
    assert_eq!(decided.status, StatusCode::SEE_OTHER, "{}", decided.text);
    let done = |request: &PromiseRequest| {
        let run = request.status.as_ref().and_then(|status| status.workflow.as_ref());
        run.is_some_and(|run| run.phase == WorkflowPhase::Succeeded)
    };
    let done = until(&product, "docs", done).await;
    let board = &done.status.expect("a status").steps[0];
    assert_eq!(board.message.as_deref(), Some("approver approved it."));
    product.running.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_step_of_an_action_is_decided_where_requests_are() {
    let product = Product::open().await;
    let mark = json!({"id": "mark", "dependsOn": ["board"], "patch": {"resource": "note", "merge": {"data": {"marked": "yes"}}}});
    let parameters = json!({"type": "object", "properties": {"season": {"type": "string"}}});
    let action = json!({"title": "Publish", "parameters": parameters, "steps": [board(), mark]});
    with_site(&product, json!({}), json!({"publish": action}), "approve").await;
    let mut requester = product.signed_in("dev-shop").await;
    ask(&product, &requester, "docs", "site", json!({})).await;
    until(&product, "docs", |request| request.status.as_ref().is_some_and(|status| status.phase == Phase::Ready)).await;
    let cluster = product.running.portal.world.tree().cluster(&WorkspacePath::parse(SHOP).expect("a path")).expect("the shop");
    let own: Api<PromiseAction> = Api::namespaced(requester.caller(&product).await.client(&cluster), "default");
    let parameters = Some(json!({"season": "midsummer"}));
    let spec = PromiseActionSpec { request: "docs".into(), action: "publish".into(), parameters, ..PromiseActionSpec::default() };
    own.create(&PostParams::default(), &object::<PromiseActionKind>("docs-1", Some("default"), spec)).await.expect("a run");

    let program = Program::of(&product, "approver");
    let list = program.until("/api/v1/approvals", |list| list["total"] == 1).await;
    let item = &list["items"][0];
    assert_eq!(
        (&item["name"], &item["step"], &item["run"], &item["owner"]),
        (&json!("docs"), &json!("board"), &json!("docs-1"), &json!("dev-shop"))
    );
    let (uid, hash) = (item["uid"].as_str().expect("a uid"), item["contentHash"].as_str().expect("a hash"));
    let id = format!("{uid}.{hash}");
    let mut approver = product.signed_in("approver").await;
    let inbox = approver.get("/approvals").await;
    for text in [id.as_str(), "Publish · docs", "Step “Change board”", "Publish docs", "Step “Change board” of the action"] {
        assert!(inbox.text.contains(text), "{text}: {}", inbox.text);
    }
    let review = approver.get(&format!("/approvals/{id}")).await;
    for text in ["Publish docs", "Step “Change board” of the action", "midsummer", "approver must approve. Check the plan"] {
        assert!(review.text.contains(text), "{text}: {}", review.text);
    }
    let run = requester.get("/w/root:acme:shop/requests/default/docs/runs/docs-1").await;
    assert!(run.text.contains(&format!("/approvals/{id}")), "{}", run.text);
    let refused = requester.get(&format!("/approvals/{id}")).await;
    assert!(refused.text.contains("someone else decides"), "{}", refused.text);
    let stranger = product.signed_in("dev-data").await.get(&format!("/approvals/{id}")).await;
    assert_eq!(stranger.status, StatusCode::NOT_FOUND);

    let decided = decide(&mut approver, &id, &[("decision", "approve")]).await;
    assert_eq!(decided.status, StatusCode::SEE_OTHER, "{}", decided.text);
    let done =
        |run: Option<&PromiseAction>| run.and_then(|run| run.status.as_ref()).is_some_and(|status| status.phase == ActionPhase::Succeeded);
    kube::runtime::wait::await_condition(own, "docs-1", done).await.expect("the run succeeds");
    program.until("/api/v1/approvals", |list| list["total"] == 0).await;
    product.running.close().await;
}

/// A policy of the platform that requires an approval of runs of `publish`, by a user who has the verb on it.
async fn with_careful_publishing(product: &Product) {
    let platform = client(product, "root:platform");
    let policy = json!({
        "apiVersion": promise::names::API_VERSION, "kind": "Policy", "metadata": {"name": "publishing"},
        "spec": {
            "title": "Careful publishing", "description": "Everyone reads it", "appliesTo": {"promises": ["site"], "actions": ["publish"]},
            "rules": [{"name": "look", "approve": {
                "when": "action.parameters.season != 'autumn'", "approvers": {"users": ["approver"]}, "expiresAfter": "24h",
            }}],
        },
    });
    let policies: Api<Policy> = Api::all(platform.clone());
    policies.create(&PostParams::default(), &serde_json::from_value(policy).expect("a policy")).await.expect("written");
    let decides = json!({
        "apiGroups": ["platform.opmodel.dev"], "resources": ["policies"], "resourceNames": ["publishing"], "verbs": ["approve"],
    });
    let role = json!({"metadata": {"name": "publishing"}, "rules": [decides]});
    let roles: Api<ClusterRole> = Api::all(platform.clone());
    roles.create(&PostParams::default(), &serde_json::from_value(role).expect("a role")).await.expect("written");
    let binding = json!({
        "metadata": {"name": "publishing"},
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "publishing"},
        "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": "approver"}],
    });
    let bindings: Api<ClusterRoleBinding> = Api::all(platform);
    bindings.create(&PostParams::default(), &serde_json::from_value(binding).expect("a binding")).await.expect("written");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_empty_form_says_who_approves_and_what_depends_on_its_values() {
    const FORM: &str = "/w/root:acme:shop/requests/default/docs/actions/publish";
    let product = Product::open().await;
    let mark = json!({"id": "mark", "patch": {"resource": "note", "merge": {"data": {"marked": "yes"}}}});
    let parameters = json!({"type": "object", "required": ["season"], "properties": {"season": {"type": "string"}}});
    let action = json!({"title": "Publish", "parameters": parameters, "steps": [mark]});
    with_site(&product, json!({}), json!({"publish": action}), "override").await;
    let mut requester = product.signed_in("dev-shop").await;
    ask(&product, &requester, "docs", "site", json!({})).await;
    until(&product, "docs", |request| request.status.as_ref().is_some_and(|status| status.phase == Phase::Ready)).await;
    let free = requester.until(FORM, |answer| answer.text.contains("Before you start")).await;
    assert!(free.text.contains("Starts right away"), "{}", free.text);

    with_careful_publishing(&product).await;
    let form = requester.until(FORM, |answer| answer.text.contains("Approvals depend on the values you enter")).await;
    assert!(!form.text.contains("Starts right away") && !form.text.contains("must approve first"), "{}", form.text);

    let rule = json!({"name": "sign", "approve": {"approvers": {"users": ["approver"]}}});
    let applies_to = json!({"promises": ["site"], "actions": ["publish"]});
    write_policy(&product, "root:platform", "signed", json!({"title": "Signed", "appliesTo": applies_to, "rules": [rule]})).await;
    let form = requester.until(FORM, |answer| answer.text.contains("approver must approve first")).await;
    assert!(form.text.contains("Approvals depend on the values you enter"), "one of two rules is known: {}", form.text);
    product.running.close().await;
}

/// Gives someone what the approver of [`with_site`] has: the verb on the promise.
async fn with_another_decider(product: &Product, person: &str) {
    let binding = json!({
        "metadata": {"name": "other-sites"},
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "sites"},
        "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": person}],
    });
    let bindings: Api<ClusterRoleBinding> = Api::all(client(product, "root:platform"));
    bindings.create(&PostParams::default(), &serde_json::from_value(binding).expect("a binding")).await.expect("written");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_run_that_a_policy_requires_an_approval_of_is_decided_where_requests_are() {
    const OWN: &str = "/w/root:acme:shop/requests/default/docs";
    const API: &str = "/api/v1/workspaces/root:acme:shop/requests/default";
    let product = Product::open().await;
    let mark = json!({"id": "mark", "patch": {"resource": "note", "merge": {"data": {"marked": "yes"}}}});
    let parameters = json!({"type": "object", "properties": {"season": {"type": "string", "default": "midsummer"}}});
    let action = json!({"title": "Publish", "parameters": parameters, "steps": [mark]});
    // The verb on the promise doesn't help with policies.
    with_site(&product, json!({}), json!({"publish": action}), "override").await;
    with_careful_publishing(&product).await;
    let mut requester = product.signed_in("dev-shop").await;
    ask(&product, &requester, "docs", "site", json!({})).await;
    until(&product, "docs", |request| request.status.as_ref().is_some_and(|status| status.phase == Phase::Ready)).await;
    let form = requester.until(&format!("{OWN}/actions/publish"), |answer| answer.text.contains("must approve first")).await;
    for text in ["Before you start", "approver must approve first", "expires after 24", "Careful publishing", "set at root:platform"] {
        assert!(form.text.contains(text), "{text}: {}", form.text);
    }

    let developer = Program::of(&product, "dev-shop");
    let start = async |key: &str, season: &str| {
        let body = json!({"parameters": {"season": season}}).to_string();
        let path = format!("{API}/docs/actions/publish");
        let started = developer.send(Method::POST, &path, &[("idempotency-key", key)], &body).await;
        assert_eq!(started.status, StatusCode::CREATED, "{}", started.text);
        started.headers["location"].to_str().expect("an address").to_owned()
    };
    let autumn = start("k1", "autumn").await;
    let done = developer.until(&autumn, |run| run["phase"] == "Succeeded").await;
    assert_eq!(done["steps"].as_array().map(Vec::len), Some(1), "the condition isn't met: {done:#}");

    let location = start("k2", "midsummer").await;
    let program = Program::of(&product, "approver");
    let list = program.until("/api/v1/approvals", |list| list["total"] == 1).await;
    let item = &list["items"][0];
    assert_eq!((&item["name"], &item["step"]), (&json!("docs"), &json!("policy-1")), "{list:#}");
    let id = format!("{}.{}", item["uid"].as_str().expect("a uid"), item["contentHash"].as_str().expect("a hash"));
    let mut approver = product.signed_in("approver").await;
    let review = approver.get(&format!("/approvals/{id}")).await;
    let policy = "Approval required by Careful publishing , set at root:platform";
    for text in ["Publish docs", policy, "midsummer", "The run is waiting for this approval", "Everyone reads it"] {
        assert!(words(&review.text).contains(text), "{text}: {}", review.text);
    }
    let inbox = approver.get("/approvals").await;
    for text in [id.as_str(), "Publish · docs", "Required by Careful publishing"] {
        assert!(inbox.text.contains(text), "{text}: {}", inbox.text);
    }
    let run = format!("{OWN}/runs/{}", item["run"].as_str().expect("a run"));
    let page = requester.get(&run).await;
    for text in ["Approval required by Careful publishing", "set at root:platform"] {
        assert!(words(&page.text).contains(text), "{text}: {}", page.text);
    }
    assert!(page.text.contains(&format!("/approvals/{id}")), "{}", page.text);
    let refused = requester.get(&format!("/approvals/{id}")).await;
    assert!(refused.text.contains("someone else decides"), "{}", refused.text);
    let stranger = product.signed_in("dev-data").await.get(&format!("/approvals/{id}")).await;
    assert_eq!(stranger.status, StatusCode::NOT_FOUND);

    // Who can override the promise can't skip what a policy requires.
    with_another_decider(&product, "dev-shop").await;
    let skip = format!("{API}/docs/runs/{}/steps/policy-1/skip", item["run"].as_str().expect("a run"));
    let body = json!({"comment": "I want it"}).to_string();
    let denied = developer.send(Method::POST, &skip, &[("idempotency-key", "k3")], &body).await;
    assert_eq!(denied.status, StatusCode::FORBIDDEN, "{}", denied.text);
    assert!(denied.text.contains("override on publishing in root:platform"), "{}", denied.text);

    let decided = decide(&mut approver, &id, &[("decision", "approve"), ("comment", "Looks right")]).await;
    assert_eq!(decided.status, StatusCode::SEE_OTHER, "{}", decided.text);
    let done = developer.until(&location, |run| run["phase"] == "Succeeded").await;
    assert!(done["steps"][0]["message"].as_str().is_some_and(|message| message.starts_with("approver approved it")), "{done:#}");
    let is_over = |answer: &Answer| answer.text.contains("Publish approved: Looks right") && answer.text.contains("Publish succeeded");
    let history = requester.until(&format!("{OWN}?view=history"), is_over).await;
    for text in ["Publish requested", "Publish approved: Looks right", &format!("href=\"{run}\"")] {
        assert!(history.text.contains(text), "{text}: {}", history.text);
    }
    assert_eq!(done["steps"][0]["policy"]["source"], "root:platform", "{done:#}");
    program.until("/api/v1/approvals", |list| list["total"] == 0).await;
    product.running.close().await;
}

/// Sets a policy whose window for runs of `publish` opens in ten hours, and waits until the controller knows it.
async fn with_nights(product: &Product) {
    let now = product.running.portal.clock.now();
    let hour = |hours: i64| (now + jiff::SignedDuration::from_hours(hours)).strftime("%H:00").to_string();
    let rule = json!({"name": "hours", "window": {"from": hour(10), "to": hour(12)}});
    let applies_to = json!({"promises": ["site"], "actions": ["publish"]});
    write_policy(product, "root:platform", "nights", json!({"title": "Nights", "appliesTo": applies_to, "rules": [rule]})).await;
    let policies: Api<Policy> = Api::all(client(product, "root:platform"));
    let is_known =
        |policy: Option<&Policy>| policy.and_then(|policy| policy.status.as_ref()).is_some_and(|status| status.observed_generation > 0);
    kube::runtime::wait::await_condition(policies, "nights", is_known).await.expect("the controller checks it");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_run_that_is_approved_outside_a_window_says_when_it_continues() {
    const OWN: &str = "/w/root:acme:shop/requests/default/docs";
    let product = Product::open().await;
    let mark = json!({"id": "mark", "patch": {"resource": "note", "merge": {"data": {"marked": "yes"}}}});
    let parameters = json!({"type": "object", "properties": {"season": {"type": "string", "default": "midsummer"}}});
    let action = json!({"title": "Publish", "parameters": parameters, "steps": [mark]});
    with_site(&product, json!({}), json!({"publish": action}), "override").await;
    with_careful_publishing(&product).await;
    let mut requester = product.signed_in("dev-shop").await;
    ask(&product, &requester, "docs", "site", json!({})).await;
    until(&product, "docs", |request| request.status.as_ref().is_some_and(|status| status.phase == Phase::Ready)).await;
    requester.until(&format!("{OWN}/actions/publish"), |answer| answer.text.contains("must approve first")).await;
    let developer = Program::of(&product, "dev-shop");
    let path = "/api/v1/workspaces/root:acme:shop/requests/default/docs/actions/publish";
    let started = developer.send(Method::POST, path, &[("idempotency-key", "k1")], "{}").await;
    assert_eq!(started.status, StatusCode::CREATED, "{}", started.text);
    let location = started.headers["location"].to_str().expect("an address").to_owned();
    let program = Program::of(&product, "approver");
    let list = program.until("/api/v1/approvals", |list| list["total"] == 1).await;
    let item = &list["items"][0];
    let id = format!("{}.{}", item["uid"].as_str().expect("a uid"), item["contentHash"].as_str().expect("a hash"));

    with_nights(&product).await;
    let mut approver = product.signed_in("approver").await;
    let decided = decide(&mut approver, &id, &[("decision", "approve")]).await;
    assert_eq!(decided.status, StatusCode::SEE_OTHER, "{}", decided.text);
    let waiting = developer.until(&location, |run| run["waitingOn"]["reason"] == "ChangeWindow").await;
    assert_eq!((&waiting["phase"], &waiting["waitingOn"]["object"]), (&json!("Running"), &json!("nights")), "{waiting:#}");
    let phases = [&waiting["steps"][0]["phase"], &waiting["steps"][1]["phase"]];
    assert_eq!(phases, [&json!("Succeeded"), &json!("Pending")], "{waiting:#}");
    let run = format!("{OWN}/runs/{}", item["run"].as_str().expect("a run"));
    let page = requester.until(&run, |answer| answer.text.contains("Waits for the window of Nights: opens on ")).await;
    assert!(page.text.contains(":00 (UTC)"), "{}", page.text);
    program.until("/api/v1/approvals", |list| list["total"] == 0).await;
    product.running.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_of_several_steps_that_wait_is_decided_on_its_own() {
    let product = Product::open().await;
    let mut security = board();
    (security["id"], security["title"]) = (json!("security"), json!("Security"));
    let note = json!({"id": "note", "dependsOn": ["board", "security"], "apply": {"resources": ["note"]}});
    with_site(&product, json!({"provision": {"steps": [board(), security, note]}}), json!({}), "approve").await;
    let requester = product.signed_in("dev-shop").await;
    ask(&product, &requester, "docs", "site", json!({})).await;
    let program = Program::of(&product, "approver");
    let list = program.until("/api/v1/approvals", |list| list["total"] == 2).await;
    let items = list["items"].as_array().expect("items");
    let of = |step: &str| items.iter().find(|item| item["step"] == step).unwrap_or_else(|| panic!("{step}: {list:#}"));
    let uid = of("board")["uid"].as_str().expect("a uid").to_owned();
    let mut approver = product.signed_in("approver").await;
    let inbox = approver.get("/approvals").await;
    let second = format!("{uid}.{}", of("security")["contentHash"].as_str().expect("a hash"));
    assert!(inbox.text.contains(&second), "each is an entry: {}", inbox.text);
    let review = approver.get(&format!("/approvals/{second}")).await;
    assert!(review.text.contains("Step “Security” of docs: new Site"), "{}", review.text);

    let body = json!({"contentHash": of("security")["contentHash"], "decision": "approve"}).to_string();
    let decided = program.send(Method::POST, "/api/v1/workspaces/root:acme:shop/requests/default/docs/decisions", &[], &body).await;
    assert_eq!(decided.status, StatusCode::CREATED, "{}", decided.text);
    let left = program.until("/api/v1/approvals", |list| list["total"] == 1).await;
    assert_eq!(left["items"][0]["step"], "board", "{left:#}");
    let decided = decide(&mut approver, &uid, &[("decision", "approve")]).await;
    assert_eq!(decided.status, StatusCode::SEE_OTHER, "{}", decided.text);
    until(&product, "docs", |request| request.status.as_ref().is_some_and(|status| status.phase == Phase::Ready)).await;
    product.running.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_step_that_failed_is_skipped_by_who_can_override_with_a_reason() {
    const OWN: &str = "/w/root:acme:shop/requests/default/docs";
    const SKIP: &str = "/w/root:acme:shop/requests/default/docs/steps/check/skip";
    let product = Product::open().await;
    with_gate(&product, &check(), "override").await;
    let mut requester = product.signed_in("dev-shop").await;
    ask(&product, &requester, "docs", "site", json!({})).await;
    let phase = |request: &PromiseRequest| request.status.as_ref()?.workflow.as_ref().map(|run| run.phase);
    until(&product, "docs", |request| phase(request) == Some(WorkflowPhase::Failed)).await;

    let page = requester.until(OWN, |answer| answer.text.contains("Check the host")).await;
    assert!(!page.text.contains(SKIP), "who can't skip it sees no link: {}", page.text);
    let form = requester.get(SKIP).await;
    assert!(form.text.contains("You need the permission override on site in root:platform."), "{}", form.text);
    let pairs = |form: &Answer, comment: &str| {
        let names = ["_token", "workspace", "namespace", "name", "step", "hash"];
        let hidden = names.map(|name| (name, form.hidden(name)));
        hidden.into_iter().chain([("comment", comment.to_owned())]).collect::<Vec<_>>()
    };
    let post = async |browser: &mut Browser, pairs: &[(&str, String)]| {
        let pairs: Vec<(&str, &str)> = pairs.iter().map(|(name, value)| (*name, value.as_str())).collect();
        browser.act("/do/steps/skip", &pairs).await
    };
    assert_eq!(post(&mut requester, &pairs(&form, "I want it")).await.status, StatusCode::FORBIDDEN);

    let mut approver = product.signed_in("approver").await;
    approver.until(OWN, |answer| answer.text.contains(SKIP)).await;
    let form = approver.get(SKIP).await;
    for text in ["Skip “Check the host” of docs", "Apply note", "These steps then run as if this one had succeeded"] {
        assert!(form.text.contains(text), "{text}: {}", form.text);
    }
    let silent = post(&mut approver, &pairs(&form, " ")).await;
    assert_eq!(silent.status, StatusCode::UNPROCESSABLE_ENTITY, "{}", silent.text);
    let mut other = pairs(&form, "It belongs to us");
    other.iter_mut().filter(|(name, _)| *name == "hash").for_each(|(_, hash)| *hash = "0000".to_owned());
    let changed = post(&mut approver, &other).await;
    assert!(changed.text.contains("changed after you opened this page"), "{}", changed.text);
    let skipped = post(&mut approver, &pairs(&form, "It belongs to us")).await;
    assert_eq!((skipped.status, skipped.location()), (StatusCode::SEE_OTHER, OWN), "{}", skipped.text);

    let done = until(&product, "docs", |request| phase(request) == Some(WorkflowPhase::Succeeded)).await;
    let step = &done.status.expect("a status").steps[0];
    assert_eq!((step.phase, step.message.as_deref()), (StepPhase::Skipped, Some("approver skipped it: It belongs to us.")));
    approver.until(OWN, |answer| !answer.text.contains(SKIP)).await;
    let late = post(&mut approver, &pairs(&form, "Again")).await;
    assert!(late.text.contains("be skipped now"), "{}", late.text);
    product.running.close().await;
}
