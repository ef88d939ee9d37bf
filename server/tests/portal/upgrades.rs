//! A request moves to another version of its promise, and back to an earlier release.

use cluster::kinds::PromiseRequest;
use http::StatusCode;
use kube::api::{Patch, PatchParams};
use serde_json::{Value, json};

use crate::browser::{Answer, Browser, Product};
use crate::review::{between, by_kubectl, inputs, promises, publish, requests, service, submit, words};

const PAGE: &str = "/w/root:acme:shop/requests/default/notes";

/// A promise with a field that its next version no longer has.
fn first() -> Value {
    let mut promise = service();
    let properties = json!({"replicas": {"type": "integer", "default": 1}, "window": {"type": "string"}});
    promise["spec"]["parameters"] = json!({"type": "object", "properties": properties});
    promise
}

/// Its next version, which requires a zone instead.
fn second() -> Value {
    let zone = json!({"type": "string", "enum": ["a", "b"]});
    let properties = json!({"replicas": {"type": "integer", "default": 1}, "zone": zone, "window": null});
    json!({"spec": {"version": "2.0.0", "parameters": {"type": "object", "required": ["zone"], "properties": properties}}})
}

async fn running(product: &Product, version: &str) -> PromiseRequest {
    let runs = |request: Option<&PromiseRequest>| {
        let status = request.and_then(|request| request.status.as_ref());
        status.and_then(|status| status.current.as_ref()).is_some_and(|current| current.version == version)
    };
    let waiting = kube::runtime::wait::await_condition(requests(product), "notes", runs);
    let found = tokio::time::timeout(std::time::Duration::from_secs(60), waiting).await.expect("in time").expect("a request");
    found.expect("it runs")
}

/// Posts the form on a page with some values, and returns the answer.
async fn send(browser: &mut Browser, page: &Answer, pairs: &[(&str, &str)]) -> Answer {
    let mut all = inputs(&page.text);
    all.retain(|(name, _)| !pairs.iter().any(|(other, _)| other == name) && name != "_op");
    let all: Vec<(&str, &str)> = all.iter().map(|(name, value)| (name.as_str(), value.as_str())).chain(pairs.iter().copied()).collect();
    let action = between(&page.text, "<form method=\"post\" action=\"/do/requests/", "\"").to_owned();
    browser.post(&format!("/do/requests/{action}"), &all).await
}

async fn reviewed(browser: &mut Browser, page: &Answer, pairs: &[(&str, &str)]) -> Answer {
    let answer = send(browser, page, &[pairs, &[("_op", "review")]].concat()).await;
    let address = answer.location().to_owned();
    let shown = browser.get(&address).await;
    assert!(address.contains("/review?"), "{address}: {}", words(&shown.text));
    shown
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_upgrade_names_what_it_needs_and_loses_and_a_release_brings_it_back() {
    let product = Product::open().await;
    product.publishes_samples().await;
    publish(&product, first()).await;
    by_kubectl(&product, "notes", json!({"replicas": 2, "window": "02:00"})).await;
    running(&product, "1.0.0").await;
    let mut browser = product.signed_in("dev-shop").await;
    let page = browser.get(PAGE).await;
    assert!(!page.text.contains("is available"), "{}", words(&page.text));

    promises(&product).patch("service", &PatchParams::default(), &Patch::Merge(&second())).await.expect("changed");
    let page = browser.until(PAGE, |answer| answer.text.contains("Version 2.0.0 is available")).await;
    assert!(page.text.contains("New required field: Zone") && page.text.contains("/edit?start=version:2.0.0"), "{}", words(&page.text));
    let same = browser.get(&format!("{PAGE}/edit")).await;
    assert!(same.text.contains("name=\"/parameters/window\"") && !same.text.contains("Version 1.0.0 →"), "the form stays with its version");

    let form = browser.get(&format!("{PAGE}/edit?start=version:2.0.0")).await;
    let text = words(&form.text);
    assert_eq!(form.status, StatusCode::OK, "{text}");
    for said in ["Version 1.0.0 → 2.0.0", "1 field needs your input:", "aren&#39;t submitted: Window : 02:00"] {
        assert!(text.contains(said) || text.contains(&said.replace("&#39;", "'")), "{said}: {text}");
    }
    assert!(form.text.contains("name=\"/parameters/zone\"") && !form.text.contains("name=\"/parameters/window\""), "{text}");
    let again = send(&mut browser, &form, &[("_op", "review")]).await;
    assert!(!again.location().contains("/review"), "the zone is missing: {}", again.location());
    let again = browser.get(again.location()).await;
    assert!(again.text.contains("name=\"/parameters/zone\""), "it is still the form of the new version: {}", words(&again.text));

    let review = reviewed(&mut browser, &again, &[("/parameters/zone", "a")]).await;
    let text = words(&review.text);
    let changes = between(&text, "Changes ", "Show all");
    for said in ["Version Before: 1.0.0 After: 2.0.0", "Zone", "Window"] {
        assert!(changes.contains(said), "{said}: {changes}");
    }
    let submitted = submit(&mut browser, &review).await;
    assert_eq!(submitted.location(), PAGE, "{}", submitted.text);
    let moved = running(&product, "2.0.0").await;
    assert_eq!(moved.spec.promise.version.as_deref(), Some("=2.0.0"));
    assert_eq!(moved.spec.parameters, Some(json!({"replicas": 2, "zone": "a"})));
    browser.until(PAGE, |answer| !answer.text.contains("is available")).await;

    let releases = browser.until(&format!("{PAGE}?view=releases"), |answer| answer.text.contains("Version 1.0.0 → 2.0.0")).await;
    let back = between(&releases.text, "start=release:", "\"").to_owned();
    let current = moved.status.and_then(|status| status.current).map(|current| current.release).unwrap_or_default();
    let compared = browser.get(&format!("{PAGE}?view=releases&from={back}&to={current}")).await;
    let text = words(&compared.text);
    for said in ["Version Before: 1.0.0 After: 2.0.0", "Window", "Zone", "The same policy rules apply."] {
        assert!(text.contains(said), "{said}: {text}");
    }

    let form = browser.get(&format!("{PAGE}/edit?start=release:{back}")).await;
    let text = words(&form.text);
    assert!(text.contains("Roll back to an earlier release") && form.text.contains("value=\"02:00\""), "{text}");
    let review = reviewed(&mut browser, &form, &[]).await;
    assert!(words(&review.text).contains("Version Before: 2.0.0 After: 1.0.0"), "{}", words(&review.text));
    submit(&mut browser, &review).await;
    let back = running(&product, "1.0.0").await;
    assert_eq!(back.spec.parameters, Some(json!({"replicas": 2, "window": "02:00"})));
    product.running.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn terms_are_set_in_the_form_and_another_version_is_shown_as_soon_as_it_is_chosen() {
    let product = Product::open().await;
    product.publishes_samples().await;
    publish(&product, first()).await;
    by_kubectl(&product, "notes", json!({"window": "02:00"})).await;
    running(&product, "1.0.0").await;
    promises(&product).patch("service", &PatchParams::default(), &Patch::Merge(&second())).await.expect("changed");
    let mut browser = product.signed_in("dev-shop").await;
    browser.until(PAGE, |answer| answer.text.contains("Version 2.0.0 is available")).await;

    let form = browser.get(&format!("{PAGE}/edit")).await;
    let terms = [("/terms/version", "unchanged"), ("/terms/upgrade", "minor"), ("/terms/deletionPolicy", "Orphan")];
    let review = reviewed(&mut browser, &form, &terms).await;
    let text = words(&review.text);
    assert!(text.contains("Upgrades Before: Manual After: Minor and patch releases automatically"), "{text}");
    assert!(text.contains("Deletion policy Before: Delete"), "{text}");
    submit(&mut browser, &review).await;
    let changed = requests(&product).get("notes").await.expect("the request");
    assert_eq!(json!(changed.spec.deletion_policy), json!("Orphan"));
    assert_eq!((json!(changed.spec.upgrade), changed.spec.promise.version), (json!("minor"), None));

    let form = browser.get(&format!("{PAGE}/edit")).await;
    let terms = [("/terms/version", "=2.0.0"), ("/terms/upgrade", "minor"), ("/terms/deletionPolicy", "Orphan"), ("_op", "check")];
    let checked = send(&mut browser, &form, &terms).await;
    let checked = browser.get(checked.location()).await;
    assert!(checked.text.contains("name=\"/parameters/zone\""), "{}", words(&checked.text));
    let review = reviewed(&mut browser, &checked, &[&terms[..3], &[("/parameters/zone", "b")]].concat()).await;
    submit(&mut browser, &review).await;
    let moved = running(&product, "2.0.0").await;
    assert_eq!(moved.spec.promise.version.as_deref(), Some("^2.0.0"), "minor releases still roll out");

    let new = browser.get("/w/root:acme:shop/promises/service/request").await;
    assert!(new.text.contains("Newest (2.0.0)") && !new.text.contains("/terms/paused"), "{}", words(&new.text));
    let made =
        send(&mut browser, &new, &[("/name", "second"), ("/terms/version", "=1.0.0"), ("/parameters/zone", "a"), ("_op", "check")]).await;
    let made = browser.get(made.location()).await;
    assert!(made.text.contains("name=\"/parameters/window\"") && !made.text.contains("name=\"/parameters/zone\""), "{}", words(&made.text));
    product.running.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_changelog_is_written_without_a_new_version_and_read_before_the_upgrade() {
    let product = Product::open().await;
    product.publishes_samples().await;
    publish(&product, first()).await;
    by_kubectl(&product, "notes", json!({"replicas": 2})).await;
    running(&product, "1.0.0").await;
    promises(&product).patch("service", &PatchParams::default(), &Patch::Merge(&second())).await.expect("changed");
    let mut browser = product.signed_in("dev-shop").await;
    browser.until(PAGE, |answer| answer.text.contains("Version 2.0.0 is available")).await;

    let entries = json!([{"version": "2.0.0", "changes": ["Services run in the zone of their users."]}, {"version": "1.0.0", "changes": ["The start."]}]);
    let described = json!({"spec": {"presentation": {"changelog": entries}}});
    promises(&product).patch("service", &PatchParams::default(), &Patch::Merge(&described)).await.expect("changed");
    let page = browser.until(PAGE, |answer| answer.text.contains("Services run in the zone of their users.")).await;
    assert!(page.text.contains("New in 2.0.0") && !page.text.contains("The start."), "{}", words(&page.text));
    let form = browser.get(&format!("{PAGE}/edit?start=version:2.0.0")).await;
    assert!(form.text.contains("Services run in the zone of their users."), "{}", words(&form.text));
    let versions = browser.get("/w/root:acme:shop/promises/service?tab=versions").await;
    for change in ["Services run in the zone of their users.", "The start."] {
        assert!(versions.text.contains(change), "{change}: {}", words(&versions.text));
    }
    product.running.close().await;
}
