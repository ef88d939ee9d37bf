//! Resources: numbers and lines that equal what is counted from the plane without the portal.

use cluster::kinds::PromiseRequest;
use cluster::{Scope, WorkspacePath};
use http::StatusCode;
use kube::Api;
use kube::api::ListParams;
use promise::api::{Health, InventoryItem};

use crate::access::write_request;
use crate::browser::{Browser, Product};
use crate::lists::let_in;

const LIST: &str = "/w/root:acme:shop/resources";

/// What was made in the shop, as its administrator reads it from the plane.
async fn made(product: &Product) -> Vec<(String, InventoryItem)> {
    let scope = Scope::Workspace(WorkspacePath::parse("root:acme:shop").expect("a path"));
    let api: Api<PromiseRequest> = Api::all(product.running.portal.endpoint.client(product.admin(), &scope));
    let requests = api.list(&ListParams::default()).await.expect("a list").items;
    let of = |request: PromiseRequest| {
        let name = request.metadata.name.unwrap_or_default();
        request.status.unwrap_or_default().inventory.into_iter().map(move |item| (name.clone(), item))
    };
    requests.into_iter().flat_map(of).collect()
}

/// Lines of the file, without its head.
async fn lines(browser: &mut Browser, query: &str) -> Vec<Vec<String>> {
    let answer = browser.get(&format!("/w/root:acme:shop/resources.csv{query}")).await;
    assert_eq!(answer.status, StatusCode::OK, "{}", answer.text);
    assert!(answer.headers["content-type"].to_str().expect("text").starts_with("text/csv"));
    let mut lines = answer.text.lines();
    assert!(lines.next().is_some_and(|head| head.ends_with(",asOf")), "{}", answer.text);
    assert!(lines.clone().all(|line| line.ends_with(',')), "up to date: {}", answer.text);
    lines.map(|line| line.split(',').map(str::to_owned).collect()).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn totals_equal_what_is_counted_from_the_plane() {
    let product = Product::open().await;
    for name in ["one", "two", "three"] {
        write_request(&product, name).await;
    }
    let mut browser = product.signed_in("dev-shop").await;
    let ready = |text: &str| text.contains("in 3 instances") && text.contains("0 unhealthy, 0 starting or unknown");
    let page = browser.until(LIST, |answer| ready(&answer.text)).await;
    let all = made(&product).await;
    assert!(!all.is_empty());
    assert!(page.text.contains(&format!(">{} of {} resources<", all.len(), all.len())), "{}", page.text);
    assert!(all.iter().all(|(_, item)| item.applied && item.health == Health::Healthy));

    let mut expected: Vec<(String, String, String)> =
        all.iter().map(|(instance, item)| (instance.clone(), item.kind.clone(), item.name.clone())).collect();
    let mut told: Vec<(String, String, String)> =
        lines(&mut browser, "").await.iter().map(|cells| (cells[2].clone(), cells[5].clone(), cells[8].clone())).collect();
    expected.sort();
    told.sort();
    assert_eq!(told, expected);

    let kind = &all[0].1.kind;
    let of_kind = all.iter().filter(|(_, item)| item.kind == *kind).count();
    let narrowed = browser.get(&format!("{LIST}?kind={kind}")).await;
    assert!(narrowed.text.contains(&format!(" of {of_kind} matching, {} resources in total<", all.len())), "{}", narrowed.text);
    assert_eq!(lines(&mut browser, &format!("?kind={kind}&q=two")).await.len(), of_kind / 3);

    // From above the same is seen, by those who may; by others nothing.
    let above = product.signed_in("org-owner").await.get("/w/root:acme/resources?below=true").await;
    assert!(above.text.contains(&format!(">{} of {} resources<", all.len(), all.len())), "{}", above.text);
    assert!(!above.text.contains("<span class=\"chip-label\">Workspace</span>"), "one workspace is no choice: {}", above.text);
    let mut stranger = product.signed_in("dev-data").await;
    for address in [LIST, "/w/root:acme:shop/resources.csv", "/w/root:acme/resources?below=true"] {
        assert_eq!(stranger.get(address).await.status, StatusCode::NOT_FOUND, "{address}");
    }
    product.running.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_may_list_neither_here_nor_below_is_told_so() {
    let product = Product::quiet().await;
    write_request(&product, "secluded").await;
    let mut stranger = product.signed_in("dev-data").await;
    let_in(&product).await;
    let here = stranger.until(LIST, |answer| answer.text.contains("can't list its requests")).await;
    assert!(here.text.contains("View child workspaces"), "{}", here.text);
    let below = stranger.get(&format!("{LIST}?below=true")).await;
    assert!(below.text.contains("You can't list requests in root:acme:shop or below it."), "{}", below.text);
    for text in ["View child workspaces", "No resources yet", "secluded"] {
        assert!(!below.text.contains(text), "{text}: {}", below.text);
    }
    let file = stranger.get("/w/root:acme:shop/resources.csv?below=true").await;
    assert_eq!(file.status, StatusCode::FORBIDDEN, "{}", file.text);
    product.running.close().await;
}
