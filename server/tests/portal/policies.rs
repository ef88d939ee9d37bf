//! Policies as pages show and take them: by none of them does anybody learn of a workspace or a promise that is closed to them, and a policy
//! has to fit only what is offered where it holds.

use cluster::kinds::{Policy, PolicyKind, Promise, object};
use cluster::{Scope, WorkspacePath};
use http::StatusCode;
use k8s_openapi::api::rbac::v1::{ClusterRole, ClusterRoleBinding};
use kube::api::{Api, PostParams};
use promise::api::PolicySpec;
use serde_json::{Value, json};

use crate::access::comparable;
use crate::browser::{Answer, Browser, Product};

/// The name of a policy that there is not yet.
const NEW: &str = "";
/// A promise that not everybody may know of.
const SECRET: &str = "merger-db";

/// The administrator's client in a workspace.
pub fn client(product: &Product, path: &str) -> kube::Client {
    product.running.portal.endpoint.client(product.admin(), &Scope::Workspace(WorkspacePath::parse(path).expect("a path")))
}

/// Writes a policy as the administrator.
pub async fn write_policy(product: &Product, path: &str, name: &str, spec: Value) {
    let api: Api<Policy> = Api::all(client(product, path));
    let spec: PolicySpec = serde_json::from_value(spec).expect("a policy");
    api.create(&PostParams::default(), &object::<PolicyKind>(name, None, spec)).await.expect("written");
}

/// Publishes the promise somewhere, and waits until the portal knows it.
async fn publish(product: &Product, path: &str) {
    let promise = json!({
        "apiVersion": promise::names::API_VERSION, "kind": "Promise", "metadata": {"name": SECRET},
        "spec": {
            "version": "1.0.0", "lifecycle": "published", "visibility": "descendants",
            "presentation": {"displayName": "Merger database", "summary": "A text.", "category": "data", "maintainer": {"team": "Mergers"}},
            "parameters": {"type": "object", "properties": {"level": {"type": "string"}, "replicas": {"type": "string"}}},
            "implementation": {"resources": [{"id": "note", "template": {
                "apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "${request.name}"}, "data": {"level": "high"},
            }}]},
        },
    });
    let promises = &product.running.portal.world.promises;
    let mut changes = promises.changes();
    let api: Api<Promise> = Api::all(client(product, path));
    api.create(&PostParams::default(), &serde_json::from_value(promise).expect("a promise")).await.expect("published");
    while !promises.snapshot().keys().any(|key| key.name == SECRET) {
        changes.recv().await.expect("a change");
    }
}

/// Lets dev-shop look after the policies of Acme.
async fn let_govern(product: &Product) {
    const RBAC: &str = "rbac.authorization.k8s.io";
    let client = client(product, "root:acme");
    let rules = json!([
        {"nonResourceURLs": ["/"], "verbs": ["access"]},
        {"apiGroups": ["platform.opmodel.dev"], "resources": ["policies"], "verbs": ["get", "list", "create", "update"]},
    ]);
    let role: ClusterRole = serde_json::from_value(json!({"metadata": {"name": "governs"}, "rules": rules})).expect("a role");
    Api::<ClusterRole>::all(client.clone()).create(&PostParams::default(), &role).await.expect("written");
    let binding = json!({"metadata": {"name": "governs"}, "roleRef": {"apiGroup": RBAC, "kind": "ClusterRole", "name": "governs"},
        "subjects": [{"apiGroup": RBAC, "kind": "User", "name": "dev-shop"}]});
    let binding: ClusterRoleBinding = serde_json::from_value(binding).expect("a binding");
    Api::<ClusterRoleBinding>::all(client).create(&PostParams::default(), &binding).await.expect("written");
}

/// A policy with an upper bound for a parameter.
fn bound(promises: &str, parameter: &str) -> String {
    format!(
        "apiVersion: platform.opmodel.dev/v1alpha1
kind: Policy
metadata:
  name: probe
spec:
  title: Probe
  owner:
    team: Probe
  enforcement: block
  appliesTo:
    promises: [{promises}]
  rules:
  - name: probe
    constrain:
      parameter: {parameter}
      maximum: 5
"
    )
}

/// Sends the form of a new policy, or of the one called `name`; what is not written is shown by the page that follows.
async fn posted(browser: &mut Browser, name: &str, workspace: &str, text: &str, button: &str) -> Answer {
    let token = browser.get("/").await.hidden("_token");
    let pairs = [("_token", token.as_str()), ("workspace", workspace), ("name", name), ("text", text), ("_op", button)];
    let answer = browser.post("/do/policies/save", &pairs).await;
    if !answer.location().contains("draft=") {
        return answer;
    }
    let draft = answer.location().rsplit('=').next().unwrap_or_default().to_owned();
    let mut page = browser.follow(answer).await;
    page.text = page.text.replace(&draft, "DRAFT");
    page
}

/// The page of a refusal, without its id.
async fn refused(browser: &mut Browser, answer: Answer) -> Answer {
    let id = answer.location().rsplit('=').next().unwrap_or_default().to_owned();
    let mut page = browser.follow(answer).await;
    page.text = page.text.replace(&id, "REFUSAL");
    page
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_workspace_that_is_closed_is_as_one_that_is_not_there() {
    let product = Product::quiet().await;
    publish(&product, "root:globex").await;
    let mut stranger = product.signed_in("dev-data").await;
    let text = bound("'m*'", ".level");
    for button in ["check", "write"] {
        for policy in [NEW, "fair-share"] {
            let mut answers = Vec::new();
            for name in ["globex", "globey"] {
                let answer = posted(&mut stranger, policy, &format!("root:{name}"), &text, button).await;
                let answer = if answer.location().contains("refused") { refused(&mut stranger, answer).await } else { answer };
                assert_eq!(answer.status, StatusCode::NOT_FOUND, "{policy}: {}", answer.text);
                assert!(!answer.text.contains(SECRET), "{policy}: {}", answer.text);
                answers.push(comparable(&answer, name));
            }
            assert_eq!(answers[0], answers[1], "{button} {policy}");
        }
    }
    for address in ["/platform/policies/root:WHERE/fair-share", "/platform/policies/root:WHERE/fair-share/edit"] {
        let there = stranger.get(&address.replace("WHERE", "globex")).await;
        let absent = stranger.get(&address.replace("WHERE", "globey")).await;
        assert_eq!(there.status, StatusCode::NOT_FOUND, "{address}");
        assert_eq!(comparable(&there, "globex"), comparable(&absent, "globey"), "{address}");
    }
    product.running.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_may_not_write_a_policy_is_told_so_before_anything_is_checked() {
    let product = Product::quiet().await;
    let mut viewer = product.signed_in("viewer-shop").await;
    for button in ["check", "write"] {
        let answer = posted(&mut viewer, NEW, "root:acme:shop", &bound("redis", ".size"), button).await;
        assert_eq!(answer.status, StatusCode::UNPROCESSABLE_ENTITY, "{}", answer.text);
        assert!(answer.text.contains("You can't create policies in root:acme:shop."), "{}", answer.text);
        assert!(!answer.text.contains("for the promise") && answer.text.contains("parameter: .size"), "{}", answer.text);
    }
    product.running.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn promises_of_closed_homes_are_neither_named_nor_counted() {
    let product = Product::quiet().await;
    publish(&product, "root:acme:lab").await;
    let_govern(&product).await;
    let page = "/platform/policies/root:acme/european-data";
    let (closed, offered) = ("value=\"root:acme:lab/merger-db\"", "value=\"root:platform/redis\"");
    let mut owner = product.signed_in("org-owner").await;
    let seen = owner.get(page).await;
    assert!(seen.text.contains(closed) && seen.text.contains(offered), "{}", seen.text);
    assert!(owner.get("/platform/policies").await.text.contains("of 6 promises"));

    // May look after the same policies, and not enter the laboratory. What the platform offers is offered in the shop.
    let mut other = product.signed_in("dev-shop").await;
    let seen = other.get(page).await;
    assert_eq!(seen.status, StatusCode::OK, "{}", seen.text);
    assert!(seen.text.contains(offered), "{}", seen.text);
    assert!(!seen.text.contains(SECRET) && !seen.text.contains("Merger database"), "{}", seen.text);
    let list = other.get("/platform/policies").await.text;
    assert!(list.contains("of 5 promises") && !list.contains("of 6 promises"), "{list}");
    let checked = posted(&mut other, NEW, "root:acme", &bound("'m*'", ".level"), "check").await;
    assert!(checked.text.contains("This policy is valid") && !checked.text.contains(SECRET), "{}", checked.text);
    product.running.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_policy_has_to_fit_what_is_offered_to_its_workspace_and_not_what_is_below() {
    let product = Product::quiet().await;
    publish(&product, "root:acme:lab").await;
    let mut owner = product.signed_in("org-owner").await;
    let checked = posted(&mut owner, NEW, "root:acme", &bound("", ".replicas"), "check").await;
    assert!(checked.text.contains("This policy is valid") && checked.text.contains("Valid for 5 promises"), "{}", checked.text);
    let checked = posted(&mut owner, NEW, "root:acme:lab", &bound("", ".replicas"), "check").await;
    assert!(checked.text.contains("(for the promise merger-db)"), "{}", checked.text);
    let checked = posted(&mut owner, NEW, "root:acme", &bound("redis", ".size"), "check").await;
    assert!(checked.text.contains("(for the promise redis)"), "{}", checked.text);
    product.running.close().await;
}

/// A policy with two limits, as YAML.
const TWO_LIMITS: &str = "apiVersion: platform.opmodel.dev/v1alpha1
kind: Policy
metadata:
  name: probe
spec:
  title: Probe
  appliesTo:
    promises: [redis]
  rules:
  - name: few
    limit: {count: 90, per: workspace}
  - name: more
    limit: {count: 95, per: workspace}
";

/// Posts a form of a policy as the page that is open shows it, and once more with the warnings that it shows then.
async fn saved(browser: &mut Browser, pairs: &[(&str, &str)]) -> Answer {
    let token = browser.get("/").await.hidden("_token");
    let posted = |warned: String| {
        let mut all: Vec<(String, String)> = pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        all.extend([("_token".to_owned(), token.clone()), ("_op".to_owned(), "write".to_owned()), ("warned".to_owned(), warned)]);
        all
    };
    let mut warned = String::new();
    loop {
        let all = posted(warned.clone());
        let all: Vec<(&str, &str)> = all.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        let answer = browser.post("/do/policies/save", &all).await;
        if !answer.location().contains("draft=") {
            return answer;
        }
        let page = browser.follow(answer).await;
        let next = page.hidden("warned");
        assert!(page.status == StatusCode::OK && next != warned, "only new warnings stand in the way: {}", page.text);
        warned = next;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_form_changes_one_rule_and_the_page_says_who_did() {
    let product = Product::quiet().await;
    let mut owner = product.signed_in("org-owner").await;
    let written = saved(&mut owner, &[("workspace", "root:acme"), ("text", TWO_LIMITS)]).await;
    assert_eq!(written.location(), "/platform/policies/root:acme/probe", "{}", written.text);
    let api: Api<Policy> = Api::all(client(&product, "root:acme"));

    let form = owner.get("/platform/policies/root:acme/probe/edit").await;
    assert_eq!(form.status, StatusCode::OK, "{}", form.text);
    for shown in [
        "Limit on instances",
        "At most 90 requests of this promise are allowed in each workspace.",
        "Affects 0 of 0 instances",
        "Edit rule more",
    ] {
        assert!(form.text.contains(shown), "{shown}: {}", form.text);
    }
    let version = form.hidden("version");
    let fields = [
        ("workspace", "root:acme"),
        ("name", "probe"),
        ("version", version.as_str()),
        ("text", TWO_LIMITS),
        ("rule", "0"),
        ("kind", "limit"),
        ("/parameters/rule/count", "80"),
        ("/parameters/rule/per", "workspace"),
        ("/parameters/title", "Fewer"),
    ];
    let answer = saved(&mut owner, &fields).await;
    assert_eq!(answer.location(), "/platform/policies/root:acme/probe", "{}", answer.text);
    let policy = api.get("probe").await.expect("the policy");
    let counts: Vec<u64> = policy.spec.rules.iter().filter_map(|rule| rule.limit.as_ref()).map(|limit| limit.count).collect();
    assert_eq!((counts, policy.spec.title.as_deref()), (vec![80, 95], Some("Fewer")));

    // A wrong value is shown at its field, and nothing is written.
    let token = owner.get("/").await.hidden("_token");
    let wrong: Vec<(&str, &str)> =
        fields.iter().map(|(name, value)| (*name, if *name == "/parameters/rule/count" { "many" } else { *value })).collect();
    let wrong: Vec<(&str, &str)> = wrong.into_iter().chain([("_token", token.as_str()), ("_op", "write")]).collect();
    let answer = owner.post("/do/policies/save", &wrong).await;
    let page = owner.follow(answer).await;
    assert_eq!(page.status, StatusCode::UNPROCESSABLE_ENTITY, "{}", page.text);
    assert!(page.text.contains("as a whole number") && page.text.contains("value=\"many\""), "{}", page.text);

    let page = owner.until("/platform/policies/root:acme/probe", |answer| answer.text.contains("Fewer")).await;
    for told in
        ["org-owner created the policy", "org-owner changed the policy", "Changed rule: At most 80 requests", "Before: At most 90 requests"]
    {
        assert!(page.text.contains(told), "{told}: {}", page.text);
    }
    product.running.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_disabled_policy_applies_to_nothing_and_a_deleted_one_leaves_its_history() {
    let product = Product::open().await;
    product.publishes_samples().await;
    let none = json!([{"name": "none", "constrain": {"parameter": ".replicas", "maximum": 1}}]);
    let spec = json!({"title": "Tiny caches", "appliesTo": {"promises": ["redis"]}, "rules": none});
    write_policy(&product, "root:acme", "tiny", spec).await;
    let (page, mut owner) = ("/platform/policies/root:acme/tiny", product.signed_in("org-owner").await);
    owner.until(page, |answer| answer.text.contains("Tiny caches")).await;
    let tried = format!("{page}?promise=root:platform/redis&in=root:acme:shop&try=replicas:+2");
    owner.until(&tried, |answer| answer.text.contains("Would be blocked")).await;

    let token = owner.get("/").await.hidden("_token");
    let switch = |disabled| [("_token", token.as_str()), ("workspace", "root:acme"), ("name", "tiny"), ("disabled", disabled)];
    assert_eq!(owner.post("/do/policies/switch", &switch("true")).await.location(), page);
    owner.until(&tried, |answer| answer.text.contains("This policy is disabled") && answer.text.contains("Would pass")).await;
    let kept: Api<Policy> = Api::all(client(&product, "root:acme"));
    assert_eq!(kept.get("tiny").await.expect("the policy").spec.written_rules().len(), 1);
    assert_eq!(owner.post("/do/policies/switch", &switch("false")).await.location(), page);
    owner.until(&tried, |answer| answer.text.contains("Would be blocked")).await;

    let confirm = owner.get(&format!("{page}/delete")).await;
    assert!(confirm.text.contains("Copies must be at most 1.") && confirm.text.contains("Type tiny to confirm"), "{}", confirm.text);
    let delete = |typed| [("_token", token.as_str()), ("workspace", "root:acme"), ("name", "tiny"), ("confirmation", typed)];
    let answer = owner.post("/do/policies/delete", &delete("other")).await;
    assert_eq!(owner.follow(answer).await.status, StatusCode::UNPROCESSABLE_ENTITY);
    assert!(kept.get("tiny").await.is_ok());
    let answer = owner.post("/do/policies/delete", &delete("tiny")).await;
    assert!(owner.follow(answer).await.text.contains("tiny was deleted from root:acme"));
    assert!(kept.get("tiny").await.is_err());

    write_policy(&product, "root:acme", "tiny", json!({"title": "Again"})).await;
    let again = owner.until(page, |answer| answer.text.contains("Again")).await;
    for told in ["org-owner disabled the policy", "org-owner enabled the policy", "org-owner deleted an earlier policy of this name"] {
        assert!(again.text.contains(told), "{told}: {}", again.text);
    }
    product.running.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_may_only_read_policies_changes_none() {
    let product = Product::quiet().await;
    let mut engineer = product.signed_in("dev-shop").await;
    let_govern(&product).await;
    let page = "/platform/policies/root:acme/european-data";
    let seen = engineer.until(page, |answer| answer.status == StatusCode::OK).await;
    assert!(
        seen.text.contains("You can&#x27;t delete policies in root:acme.") || seen.text.contains("You can't delete policies in root:acme."),
        "{}",
        seen.text
    );
    let token = engineer.get("/").await.hidden("_token");
    let pairs = [("_token", token.as_str()), ("workspace", "root:acme"), ("name", "european-data"), ("confirmation", "european-data")];
    assert_eq!(engineer.act("/do/policies/delete", &pairs).await.status, StatusCode::FORBIDDEN);
    let mut viewer = product.signed_in("viewer-shop").await;
    let token = viewer.get("/").await.hidden("_token");
    let pairs = [("_token", token.as_str()), ("workspace", "root:acme"), ("name", "european-data"), ("disabled", "true")];
    let answer = viewer.act("/do/policies/switch", &pairs).await;
    assert!(matches!(answer.status, StatusCode::FORBIDDEN | StatusCode::NOT_FOUND), "{}", answer.text);
    let api: Api<Policy> = Api::all(client(&product, "root:acme"));
    assert!(!api.get("european-data").await.expect("the policy").spec.is_disabled());
    product.running.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn everything_that_is_wrong_is_said_at_once_and_warnings_come_before_saving() {
    let product = Product::quiet().await;
    let mut owner = product.signed_in("org-owner").await;
    let text = bound("redis", ".size").replace("enforcement: block", "enforcement: refuse").replace("maximum: 5", "maximum: five");
    let wrong = posted(&mut owner, NEW, "root:acme", &text, "check").await;
    assert_eq!(wrong.status, StatusCode::UNPROCESSABLE_ENTITY, "{}", wrong.text);
    for line in ["Line 9.", "Line 16."] {
        assert!(wrong.text.contains(line), "{line}: {}", wrong.text);
    }
    let nothing = posted(&mut owner, NEW, "root:acme", &bound("kafka", ".replicas"), "write").await;
    assert_eq!(nothing.status, StatusCode::OK, "{}", nothing.text);
    assert!(nothing.text.contains("No promise that you can see matches kafka."), "{}", nothing.text);

    let few = json!([{"name": "few", "constrain": {"parameter": ".replicas", "maximum": 2}}]);
    write_policy(&product, "root:acme", "few", json!({"title": "Few copies", "appliesTo": {"promises": ["redis"]}, "rules": few})).await;
    owner.until("/platform/policies", |answer| answer.text.contains("Few copies")).await;
    let many = bound("redis", ".replicas").replace("maximum: 5", "minimum: 3");
    let against = posted(&mut owner, NEW, "root:acme:lab", &many, "check").await;
    for told in ["No value is possible for", "Few copies at root:acme"] {
        assert!(against.text.contains(told), "{told}: {}", against.text);
    }
    product.running.close().await;
}

/// A policy with one rule, as YAML.
fn with_rule(rule: &str) -> String {
    format!(
        "apiVersion: platform.opmodel.dev/v1alpha1
kind: Policy
metadata:
  name: probe
spec:
  title: Probe
  appliesTo:
    promises: [postgresql]
  rules:
  - name: probe
{rule}"
    )
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_schedule_and_a_window_are_edited_in_forms_that_say_when_they_apply_next() {
    let product = Product::quiet().await;
    let mut owner = product.signed_in("org-owner").await;
    let token = owner.get("/").await.hidden("_token");
    let mut enter = async |rule: &str, typed: &[(&str, &str)]| {
        let text = with_rule(rule);
        let common = [("_token", token.as_str()), ("workspace", "root:acme"), ("text", text.as_str()), ("rule", "0"), ("_op", "check")];
        let pairs: Vec<(&str, &str)> = common.iter().chain(typed).copied().collect();
        let answer = owner.post("/do/policies/save", &pairs).await;
        owner.follow(answer).await.text
    };
    let schedule = "    schedule:\n      action: backup\n      cron: 0 1 * * *\n";
    let berlin = ("/parameters/rule/timezone", "Europe/Berlin");
    let page = enter(schedule, &[("/parameters/rule/cron", "30 2 * * *"), berlin]).await;
    assert!(page.contains("The platform runs backup every day at 02:30 (Europe/Berlin)."), "{page}");
    assert!(page.contains("Next: ") && page.contains(" 02:30 (Europe/Berlin)."), "{page}");
    assert!(page.contains("value=\"backup\"") && page.contains("Back up (backup)"), "actions of the promise are offered: {page}");
    let page = enter(schedule, &[("/parameters/rule/cron", "30 2 * *"), berlin]).await;
    assert!(page.contains("isn&#39;t a cron schedule") || page.contains("isn't a cron schedule"), "{page}");
    assert!(page.contains("aria-invalid=\"true\"") && !page.contains("Next: "), "{page}");
    let page = enter(schedule, &[("/parameters/rule/parameters", "notes: nightly\n")]).await;
    assert!(page.contains("the action backup accepts: there is no parameter .notes."), "{page}");

    let window = "    window:\n      from: \"22:00\"\n      to: \"06:00\"\n";
    let page = enter(window, &[("/parameters/rule/to", "05:00"), berlin]).await;
    assert!(page.contains("every day between 22:00 and 05:00 on the next day (Europe/Berlin)."), "{page}");
    assert!(page.contains("Opens next on ") || page.contains("Open now, until "), "{page}");
    product.running.close().await;
}
