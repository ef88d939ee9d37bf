//! Policies for times and for actions, as programs see them: schedules of a request, and runs that are refused or held.

use http::{Method, StatusCode};
use serde_json::{Value, json};

use super::{Program, SHOP, json_of, manifest, problem};
use crate::browser::Product;
use crate::policies::write_policy;

const ORDERS: &str = "/api/v1/workspaces/root:acme:shop/requests/default/orders";

/// Creates a request of a database, and waits until it runs.
async fn running<'p>(product: &'p Product) -> Program<'p> {
    product.publishes_samples().await;
    let developer = Program::of(product, "dev-shop");
    let created = developer.send(Method::POST, &format!("{SHOP}/requests"), &[], &manifest("orders", "postgresql", &json!({}))).await;
    assert_eq!(created.status, StatusCode::CREATED, "{}", created.text);
    developer.until(ORDERS, |request| request["state"] == "ready").await;
    developer
}

/// Sets a policy for databases, and waits until the controller has checked it and the portal knows.
async fn govern(product: &Product, name: &str, actions: Value, rule: Value) {
    let policies = &product.running.portal.world.policies;
    let mut changes = policies.changes();
    let mut rule = rule;
    rule["name"] = json!("rule");
    let spec = json!({"title": "Careful", "appliesTo": {"promises": ["postgresql"], "actions": actions}, "rules": [rule]});
    write_policy(product, "root:platform", name, spec).await;
    let is_known = || {
        let rows = policies.snapshot();
        rows.iter().any(|(key, row)| key.name == name && row.status.as_ref().is_some_and(|status| status.observed_generation > 0))
    };
    while !is_known() {
        changes.recv().await.expect("a change");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_request_lists_its_schedules_with_their_next_runs() {
    let product = Product::open().await;
    let developer = running(&product).await;
    let read = developer.read(ORDERS).await;
    assert!(read["schedules"].as_array().is_none_or(Vec::is_empty), "{read:#}");
    let schedule = json!({"action": "backup", "cron": "0 2 * * *", "timezone": "Europe/Berlin", "parameters": {"note": "nightly"}});
    govern(&product, "backups", json!([]), json!({"schedule": schedule})).await;
    let listed = developer.until(ORDERS, |request| request["schedules"][0]["nextAt"].is_string()).await;
    let schedule = &listed["schedules"][0];
    assert_eq!(
        (&schedule["policy"], &schedule["rule"], &schedule["action"], &schedule["cron"], &schedule["timezone"]),
        (&json!("backups"), &json!("rule"), &json!("backup"), &json!("0 2 * * *"), &json!("Europe/Berlin")),
        "{schedule:#}"
    );
    assert_eq!((&schedule["source"], &schedule["lastRun"]), (&json!("root:platform"), &Value::Null), "{schedule:#}");
    let next: jiff::Timestamp = schedule["nextAt"].as_str().and_then(|time| time.parse().ok()).expect("a time");
    let ahead = next.duration_since(product.running.portal.clock.now());
    assert!(ahead.is_positive() && ahead <= jiff::SignedDuration::from_hours(25), "{next}");
    let only = developer.read(&format!("{ORDERS}?fields=schedules")).await;
    assert_eq!(only, json!({"schedules": listed["schedules"]}));
    product.running.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_policy_for_an_action_refuses_a_run_at_its_field_and_holds_one_until_its_window() {
    let product = Product::open().await;
    let developer = running(&product).await;
    let run =
        async |action: &str, body: Value| developer.send(Method::POST, &format!("{ORDERS}/actions/{action}"), &[], &body.to_string()).await;
    let message = "Say what the backup is for.";
    let careful = json!({"validate": {"expression": "has(action.parameters.note)", "message": message, "parameter": ".note"}});
    govern(&product, "careful", json!(["backup"]), careful).await;
    let refused = run("backup", json!({})).await;
    let (status, kind, pointers) = problem(&refused);
    assert_eq!((status, kind.as_str(), pointers), (422, "invalid", vec!["/spec/parameters/note".to_owned()]), "{}", refused.text);
    assert!(refused.text.contains(message) && refused.text.contains("Careful"), "{}", refused.text);
    let started = run("backup", json!({"parameters": {"note": "before the migration"}})).await;
    assert_eq!(started.status, StatusCode::CREATED, "{}", started.text);
    let location = started.headers["location"].to_str().expect("an address").to_owned();
    developer.until(&location, |run| run["phase"] == "Succeeded").await;

    let now = product.running.portal.clock.now();
    let hour = |hours: i64| (now + jiff::SignedDuration::from_hours(hours)).strftime("%H:00").to_string();
    govern(&product, "nights", json!(["back*"]), json!({"window": {"from": hour(10), "to": hour(12)}})).await;
    let held = run("backup", json!({"parameters": {"note": "at night"}})).await;
    assert_eq!(held.status, StatusCode::CREATED, "{}", held.text);
    let location = held.headers["location"].to_str().expect("an address").to_owned();
    let waiting = developer.until(&location, |run| run["waitingOn"]["reason"] == "ChangeWindow").await;
    assert_eq!((&waiting["phase"], &waiting["waitingOn"]["object"]), (&json!("Pending"), &json!("nights")), "{waiting:#}");
    let cancelled = developer.send(Method::POST, &format!("{location}/cancel"), &[], "").await;
    assert_eq!((cancelled.status, json_of(&cancelled)["cancel"].clone()), (StatusCode::OK, json!(true)), "{}", cancelled.text);
    product.running.close().await;
}
