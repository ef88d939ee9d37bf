//! Lists: read to their end, filtered, narrowed to fields, and the same as the pages say.

use std::collections::BTreeSet;

use http::Method;
use serde_json::{Value, json};

use super::{Program, SHOP, manifest};
use crate::access::write_request;
use crate::browser::Product;

/// All items of a list, in parts of `limit`, each with its total.
async fn all(program: &Program<'_>, address: &str, limit: usize) -> Vec<Value> {
    let (mut found, mut token) = (Vec::new(), String::new());
    let mut totals = BTreeSet::new();
    loop {
        let joined = if address.contains('?') { '&' } else { '?' };
        let part = program.read(&format!("{address}{joined}limit={limit}{token}")).await;
        let items = part["items"].as_array().expect("items").clone();
        assert!(items.len() <= limit, "{part:#}");
        totals.insert(part["total"].as_u64().expect("an exact total"));
        found.extend(items);
        match part["continue"].as_str() {
            Some(next) => token = format!("&continue={next}"),
            None => break,
        }
    }
    assert_eq!(totals, BTreeSet::from([found.len() as u64]), "{address}: the total is that of all parts");
    found
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn lists_are_read_to_their_end_in_parts_of_any_size() {
    let product = Product::quiet().await;
    for number in 0..7 {
        write_request(&product, &format!("request-{number}")).await;
    }
    let program = Program::of(&product, "dev-shop");
    program.until(&format!("{SHOP}/requests"), |list| list["total"] == 7).await;
    for address in [format!("{SHOP}/requests"), format!("{SHOP}/promises"), "/api/v1/workspaces".to_owned()] {
        let whole = all(&program, &address, 500).await;
        assert!(whole.len() > 1, "{address}");
        for limit in [1, 2, 3] {
            assert_eq!(all(&program, &address, limit).await, whole, "{address} in parts of {limit}");
        }
    }
    let names: Vec<Value> = all(&program, &format!("{SHOP}/requests?fields=name"), 3).await;
    assert_eq!(names[..2], [json!({"name": "request-0"}), json!({"name": "request-1"})], "in the order of names, and nothing else of them");

    // Requests that come and go between two parts neither repeat nor hide others.
    let first = program.read(&format!("{SHOP}/requests?limit=3&fields=name")).await;
    write_request(&product, "request-00").await;
    let requests = crate::access::requests(&product);
    requests.delete("request-2", &kube::api::DeleteParams::default()).await.expect("deleted");
    program.until(&format!("{SHOP}/requests"), |list| list["items"].to_string().contains("request-00")).await;
    let token = first["continue"].as_str().expect("more");
    let rest = program.read(&format!("{SHOP}/requests?limit=500&fields=name&continue={token}")).await;
    let rest: Vec<&str> = rest["items"].as_array().expect("items").iter().filter_map(|item| item["name"].as_str()).collect();
    assert_eq!(rest, ["request-3", "request-4", "request-5", "request-6"]);
    let foreign = program.send(Method::GET, &format!("{SHOP}/promises?continue=WyJhIl0"), &[], "").await;
    assert_eq!(foreign.status, 422, "a token of another list: {}", foreign.text);
    product.running.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_list_is_kept_for_the_person_who_asked_and_until_something_changes() {
    let product = Product::quiet().await;
    let (developer, engineer) = (Program::of(&product, "dev-shop"), Program::of(&product, "platform-engineer"));
    let (requests, mine) = (format!("{SHOP}/requests"), format!("{SHOP}/requests?mine=true"));
    let ask = async |program: &Program<'_>, address: &str, headers: &[(&str, &str)]| {
        let answer = program.send(Method::GET, address, headers, "").await;
        (answer.status.as_u16(), answer.headers["etag"].to_str().expect("text").to_owned())
    };
    let (_, empty) = ask(&developer, &requests, &[]).await;
    assert_eq!(ask(&developer, &requests, &[("if-none-match", &empty)]).await, (304, empty.clone()));
    let created = developer.send(Method::POST, &requests, &[], &manifest("carts", "redis", &json!({"size": "small"}))).await;
    assert_eq!(created.status.as_u16(), 201, "{}", created.text);
    developer.until(&mine, |list| list["total"] == 1).await;
    assert_eq!(engineer.read(&mine).await["total"], 0, "the same address, and someone else's answer");
    let (status, changed) = ask(&developer, &requests, &[("if-none-match", &empty)]).await;
    assert!(status == 200 && changed != empty, "{status} {changed}");
    product.running.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn requests_are_filtered_as_on_pages() {
    let product = Product::open().await;
    product.publishes_samples().await;
    let program = Program::of(&product, "dev-shop");
    for name in ["carts", "orders"] {
        write_request(&product, name).await;
    }
    program.until(&format!("{SHOP}/requests?state=ready"), |list| list["total"] == 2).await;
    for (query, total) in [
        ("q=cart", 1),
        ("q=redis", 2),
        ("promise=redis", 2),
        ("promise=postgresql", 0),
        ("state=Ready", 2),
        ("state=failed", 0),
        ("mine=true", 0),
        ("attention=true", 0),
        ("label=team%3Dshop", 0),
    ] {
        assert_eq!(program.read(&format!("{SHOP}/requests?{query}")).await["total"], total, "{query}");
    }
    let owner = Program::of(&product, "org-owner");
    let below = owner.read("/api/v1/workspaces/root:acme/requests?below=true").await;
    let paths: BTreeSet<&str> = below["items"].as_array().expect("items").iter().filter_map(|item| item["workspace"].as_str()).collect();
    assert_eq!((below["total"].as_u64(), paths), (Some(2), BTreeSet::from(["root:acme:shop"])));

    let resources = program.read(&format!("{SHOP}/resources")).await;
    let detail = program.read(&format!("{SHOP}/requests/default/carts")).await;
    let of_carts = resources["items"].as_array().expect("items").iter().filter(|item| item["request"] == "carts").count();
    assert_eq!(Some(of_carts), detail["resources"].as_array().map(Vec::len));
    assert_eq!(program.read(&format!("{SHOP}/resources?health=Missing")).await["total"], 0);
    let cost = program.read(&format!("{SHOP}/cost?by=promise")).await;
    assert_eq!(
        (&cost["by"], &cost["current"], &cost["workspace"]),
        (&json!("promise"), &json!(true), &json!("root:acme:shop")),
        "{cost:#}"
    );
    let found = program.read("/api/v1/search?q=carts&kind=requests&workspace=root:acme:shop").await;
    assert_eq!((&found["items"][0]["name"], &found["items"][0]["state"], &found["total"]), (&json!("carts"), &json!("ready"), &json!(1)));
    product.running.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_promise_has_what_a_request_of_it_needs() {
    let product = Product::open().await;
    product.publishes_samples().await;
    let program = Program::of(&product, "dev-shop");
    let list = program.read(&format!("{SHOP}/promises?q=postgres")).await;
    let postgresql = &list["items"][0];
    assert_eq!((&postgresql["name"], &postgresql["home"]), (&json!("postgresql"), &json!("root:platform")), "{list:#}");
    assert_eq!(postgresql["availability"]["state"], "available", "{postgresql:#}");
    assert_eq!(postgresql["price"]["from"]["currency"], "EUR", "{postgresql:#}");
    let detail = program.read(&format!("{SHOP}/promises/postgresql")).await;
    assert_eq!(detail["versions"][0], detail["version"], "{detail:#}");
    assert_eq!(detail["secretParameters"], json!([".adminPassword"]));
    assert!(detail["schema"]["properties"]["tier"]["enum"].is_array(), "{:#}", detail["schema"]);
    let rules = detail["rules"].as_array().expect("rules");
    assert!(rules.iter().any(|rule| rule["policy"] == "production-databases" && rule["source"] == "root:acme"), "{rules:#?}");
    assert!(rules.iter().all(|rule| !rule["message"].as_str().unwrap_or_default().is_empty()));
    assert!(detail["outputs"].as_array().is_some_and(|all| all.iter().any(|output| output["secret"] == true)));
    let redis = program.read(&format!("{SHOP}/promises/redis")).await;
    assert_eq!(redis["published"][0]["changes"], json!(["Redis 7.4.1 fixes a crash when the memory is full."]), "{redis:#}");
    // What the workspace shows to a viewer says why it can't be requested.
    let viewer = Program::of(&product, "viewer-shop").read(&format!("{SHOP}/promises/postgresql?fields=availability")).await;
    assert_eq!(viewer["availability"]["state"], "denied", "{viewer:#}");
    assert!(viewer["availability"]["message"].as_str().is_some_and(|text| !text.is_empty()) && viewer.get("name").is_none());
    product.running.close().await;
}
