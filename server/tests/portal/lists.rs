//! Lists: pages with exact totals, of what the person may list and nothing else.

use cluster::kinds::{PromiseRequestKind, object};
use cluster::{Scope, WorkspacePath};
use http::StatusCode;
use kube::api::PostParams;
use promise::api::{PromiseRef, PromiseRequestSpec};
use serde_json::{Value, json};

use crate::access::{requests, write_request};
use crate::browser::Product;

const LIST: &str = "/w/root:acme:shop/requests";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn requests_are_cut_into_pages_and_counted_whole() {
    let product = Product::quiet().await;
    for index in 0..60 {
        write_request(&product, &format!("cache-{index:02}")).await;
    }
    let mut browser = product.signed_in("dev-shop").await;
    let first = browser.until(LIST, |answer| answer.text.contains("50 of 60 requests")).await;
    assert_eq!(first.text.matches("/requests/default/cache-").count(), 50);
    let second = browser.get(&format!("{LIST}?page=2")).await;
    assert_eq!(second.text.matches("/requests/default/cache-").count(), 10);
    let one = browser.get(&format!("{LIST}?q=cache-07")).await;
    assert!(one.text.contains("1 of 1 matching, 60 requests in total"), "{}", one.text);
    let delete = "/w/root:acme:shop/requests/default/cache-07/delete";
    let token = browser.get(delete).await.hidden("_token");
    let named = [("workspace", "root:acme:shop"), ("namespace", "default"), ("name", "cache-07")];
    let pairs = [&named[..], &[("_token", &token), ("confirmation", "cache-07")]].concat();
    let deleted = browser.act("/do/requests/delete", &pairs).await;
    assert_eq!(deleted.location(), format!("{LIST}?namespace=default&deleted=cache-07"), "{}", deleted.text);
    browser
        .until(&format!("{LIST}?q=cache-07"), |after| !after.text.contains("/requests/default/cache-07") || after.text.contains("Deleting"))
        .await;
    product.running.close().await;
}

/// Where texts stand on a page.
fn places(page: &str, texts: &[&str]) -> Vec<Option<usize>> {
    texts.iter().map(|text| page.find(text)).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_list_is_sorted_by_a_column_in_both_directions_and_keeps_its_filters() {
    let product = Product::quiet().await;
    for name in ["beta", "alpha", "gamma"] {
        write_request(&product, name).await;
    }
    let mut browser = product.signed_in("dev-shop").await;
    let ascending = format!("{LIST}?promise=redis&sort=name");
    let page = browser.until(&ascending, |answer| answer.text.contains("3 of 3 requests")).await;
    let rows = ["default/alpha\"", "default/beta\"", "default/gamma\""];
    assert!(places(&page.text, &rows).is_sorted(), "{}", page.text);
    let turned = "/w/root:acme:shop/requests?promise=redis&amp;sort=-name";
    assert!(page.text.contains(&format!("aria-sort=\"ascending\"><a href=\"{turned}\" class=\"sort\"")), "{}", page.text);
    let page = browser.get(&turned.replace("&amp;", "&")).await;
    assert!(places(&page.text, &rows).iter().rev().is_sorted(), "{}", page.text);
    let unknown = browser.get(&format!("{LIST}?sort=size")).await;
    assert!(!unknown.text.contains("aria-sort"), "the usual order: {}", unknown.text);
    product.running.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_parent_without_requests_names_those_of_its_children_and_includes_them() {
    const PARENT: &str = "/w/root:acme/requests";
    let product = Product::quiet().await;
    write_request(&product, "zebra").await;
    let mut owner = product.signed_in("org-owner").await;
    let parent = owner.until(PARENT, |page| page.text.contains("1 request in child workspaces.")).await;
    assert!(parent.text.contains("Nothing here") && parent.text.contains(&format!("href=\"{PARENT}?below=true\"")), "{}", parent.text);
    for address in [&format!("{PARENT}?below=true"), "/requests"] {
        let page = owner.get(address).await;
        assert!(
            page.text.contains("1 of 1 request<") && page.text.contains("<span class=\"under mono\">root:acme:shop</span>"),
            "{}",
            page.text
        );
        let none = owner.get(&format!("{address}{}q=acme:data", if address.contains('?') { '&' } else { '?' })).await;
        assert!(none.text.contains("No requests match") && !none.text.contains("default/zebra"), "{}", none.text);
    }
    let mut stranger = product.signed_in("dev-data").await;
    let page = stranger.get("/requests").await;
    assert!(page.text.contains("No requests yet") && !page.text.contains("zebra"), "{}", page.text);
    assert!(!stranger.get("/requests.csv").await.text.contains("zebra"));
    assert_eq!(stranger.get(&format!("{PARENT}?below=true")).await.status, StatusCode::NOT_FOUND);
    product.running.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_listed_can_be_saved_as_a_file_that_runs_no_formula() {
    let product = Product::quiet().await;
    write_request(&product, "plain").await;
    let promise = PromiseRef { name: "redis".into(), workspace: Some("root:platform".into()), version: Some("=1.0.0".into()) };
    let mut request =
        object::<PromiseRequestKind>("pinned", Some("default"), PromiseRequestSpec { promise, ..PromiseRequestSpec::default() });
    request.metadata.labels = Some([("team".to_owned(), "shop".to_owned())].into());
    requests(&product).create(&PostParams::default(), &request).await.expect("a request");
    let mut browser = product.signed_in("dev-shop").await;
    let page = browser.until(LIST, |page| page.text.contains("2 of 2 requests")).await;
    assert!(page.text.contains("Needs attention<span class=\"n\">0</span>") && page.text.contains("team=shop<"), "{}", page.text);
    let labelled = browser.get(&format!("{LIST}?label=team%3Dshop")).await;
    assert!(
        labelled.text.contains("1 of 1 matching, 2 requests in total") && !labelled.text.contains("default/plain"),
        "{}",
        labelled.text
    );
    let file = browser.get("/w/root:acme:shop/requests.csv?label=team%3Dshop").await;
    assert_eq!(file.headers["content-disposition"], "attachment; filename=\"requests.csv\"");
    let lines: Vec<&str> = file.text.lines().collect();
    assert!(lines.len() == 2 && lines[0].starts_with("workspace,namespace,name,promise,version,"), "{}", file.text);
    assert!(
        lines[1].starts_with("root:acme:shop,default,pinned,redis,'=1.0.0,Pending,") && lines[1].contains(",team=shop,"),
        "{}",
        file.text
    );
    let all = browser.get("/w/root:acme:shop/requests.csv?sort=name").await;
    assert_eq!(all.text.lines().skip(1).filter_map(|line| line.split(',').nth(2)).collect::<Vec<_>>(), ["pinned", "plain"]);
    product.running.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn promises_are_listed_to_people_who_can_list_them_where_they_are() {
    const PROMISES: &str = "/platform/promises";
    let product = Product::open().await;
    let mut engineer = product.signed_in("platform-engineer").await;
    let all = engineer.until(PROMISES, |page| page.text.contains("5 of 5 promises") && !page.text.contains("Pending")).await;
    for name in ["postgresql", "redis", "object-bucket", "web-application", "background-worker"] {
        assert!(all.text.contains(&format!("href=\"/platform/promises/root:platform/{name}\"")), "{name}: {}", all.text);
    }
    let found = engineer.get(&format!("{PROMISES}?q=redis&state=published")).await;
    assert!(found.text.contains("1 of 5 promises") && !found.text.contains("root:platform/postgresql\""), "{}", found.text);
    let mut stranger = product.signed_in("dev-data").await;
    let none = stranger.get(PROMISES).await;
    assert!(none.text.contains("No promises you can list") && !none.text.contains("redis"), "{}", none.text);
    product.running.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_may_enter_alone_is_told_and_sees_nothing() {
    let product = Product::quiet().await;
    write_request(&product, "secluded").await;
    let mut stranger = product.signed_in("dev-data").await;
    let_in(&product).await;
    let denied = stranger.until(LIST, |answer| answer.text.contains("can't list its requests")).await;
    assert!(!denied.text.contains("secluded"), "{}", denied.text);
    product.running.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_may_list_one_namespace_sees_that_one() {
    let product = Product::quiet().await;
    write_request(&product, "seen").await;
    let client = let_in(&product).await;
    seclude(&client).await;
    let_list(&client).await;

    let mut everybody = product.signed_in("org-owner").await;
    everybody.until(LIST, |answer| answer.text.contains("2 of 2 requests")).await;
    let mut some = product.signed_in("dev-data").await;
    let list = some.until(LIST, |answer| answer.text.contains("/requests/default/seen")).await;
    assert!(list.text.contains("1 of 1 request<") && !list.text.contains("secluded"), "{}", list.text);
    product.running.close().await;
}

const API: &str = "rbac.authorization.k8s.io/v1";

/// dev-data, who has no right in the shop.
fn stranger() -> Value {
    json!([{"kind": "User", "apiGroup": "rbac.authorization.k8s.io", "name": "dev-data"}])
}

/// Lets the stranger enter the shop, and nothing more. The client is its administrator's.
pub async fn let_in(product: &Product) -> kube::Client {
    let admin = product.admin();
    let client = product.running.portal.endpoint.client(admin, &Scope::Workspace(WorkspacePath::parse("root:acme:shop").expect("a path")));
    let role = json!({"apiVersion": API, "kind": "ClusterRole", "metadata": {"name": "enters"},
        "rules": [{"nonResourceURLs": ["/"], "verbs": ["access"]}]});
    post(&client, &format!("/apis/{API}/clusterroles"), role).await;
    let binding = json!({"apiVersion": API, "kind": "ClusterRoleBinding", "metadata": {"name": "enters"}, "subjects": stranger(),
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "enters"}});
    post(&client, &format!("/apis/{API}/clusterrolebindings"), binding).await;
    client
}

/// Makes the namespace `closed` of the shop, with the request `secluded` in it. The client is that of [`let_in`].
pub async fn seclude(client: &kube::Client) {
    let written = "/apis/platform.opmodel.dev/v1alpha1/namespaces/closed/promiserequests";
    post(client, "/api/v1/namespaces", json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "closed"}})).await;
    let secluded = json!({"apiVersion": "platform.opmodel.dev/v1alpha1", "kind": "PromiseRequest", "metadata": {"name": "secluded"},
        "spec": {"promise": {"name": "redis", "workspace": "root:platform"}}});
    post(client, written, secluded).await;
}

/// Lets the stranger list the requests of the shop's namespace `default`, and of no other. The client is that of [`let_in`].
pub async fn let_list(client: &kube::Client) {
    let rule = json!({"apiGroups": ["platform.opmodel.dev"], "resources": ["promiserequests"], "verbs": ["get", "list", "watch"]});
    let role = json!({"apiVersion": API, "kind": "Role", "metadata": {"name": "lists"}, "rules": [rule]});
    post(client, &format!("/apis/{API}/namespaces/default/roles"), role).await;
    let binding = json!({"apiVersion": API, "kind": "RoleBinding", "metadata": {"name": "lists"}, "subjects": stranger(),
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "lists"}});
    post(client, &format!("/apis/{API}/namespaces/default/rolebindings"), binding).await;
}

pub async fn post(client: &kube::Client, path: &str, body: Value) {
    let request = http::Request::post(path).header("content-type", "application/json").body(body.to_string().into_bytes());
    client.request::<Value>(request.expect("a request")).await.expect("written");
}
