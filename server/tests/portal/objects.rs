//! The page of one object: read as the person where it lies beside the request, the release's text where it lies at a Destination; never the
//! value of a Secret, and the same answer for what is absent and what is closed.

use cluster::kinds::{Promise, PromiseRequest};
use cluster::{Scope, WorkspacePath};
use http::StatusCode;
use kube::api::{Api, PostParams};
use serde_json::json;

use crate::access::write_request;
use crate::browser::Product;

const REQUESTS: &str = "/w/root:acme:shop/requests/default";

/// A promise that makes a ConfigMap and a Secret beside the request, and a ConfigMap that names the first.
pub async fn publish_notes(product: &Product) {
    let text = |name: &str| json!({"apiVersion": "v1", "metadata": {"name": format!("${{request.name}}-{name}")}});
    let (mut note, mut login, mut index) = (text("note"), text("login"), text("index"));
    (note["kind"], note["data"]) = (json!("ConfigMap"), json!({"greeting": "hello-from-here"}));
    (login["kind"], login["stringData"]) = (json!("Secret"), json!({"password": "swordfish-1c2b"}));
    (index["kind"], index["data"]) = (json!("ConfigMap"), json!({"first": "${resources.note.metadata.name}"}));
    let resources = json!([{"id": "note", "template": note}, {"id": "login", "template": login}, {"id": "index", "template": index}]);
    let promise = json!({
        "apiVersion": promise::names::API_VERSION, "kind": "Promise", "metadata": {"name": "notes"},
        "spec": {
            "version": "1.0.0", "lifecycle": "published", "visibility": "descendants",
            "presentation": {"displayName": "Notes", "summary": "A text.", "category": "data", "maintainer": {"team": "Platform"}},
            "parameters": {"type": "object", "properties": {}},
            "implementation": {"resources": resources},
        },
    });
    let scope = Scope::Workspace(WorkspacePath::parse("root:platform").expect("a path"));
    let api: Api<Promise> = Api::all(product.running.portal.endpoint.client(product.admin(), &scope));
    api.create(&PostParams::default(), &serde_json::from_value(promise).expect("a promise")).await.expect("published");
}

pub async fn ask_for_notes(product: &Product, name: &str) {
    let request = json!({
        "apiVersion": promise::names::API_VERSION, "kind": "PromiseRequest", "metadata": {"name": name, "namespace": "default"},
        "spec": {"promise": {"name": "notes", "workspace": "root:platform"}},
    });
    let scope = Scope::Workspace(WorkspacePath::parse("root:acme:shop").expect("a path"));
    let api: Api<PromiseRequest> = Api::namespaced(product.running.portal.endpoint.client(product.admin(), &scope), "default");
    api.create(&PostParams::default(), &serde_json::from_value(request).expect("a request")).await.expect("asked for");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_lies_beside_the_request_is_read_as_the_person_and_secrets_stay_hidden() {
    let product = Product::open().await;
    publish_notes(&product).await;
    ask_for_notes(&product, "diary").await;
    let mut browser = product.signed_in("dev-shop").await;
    let note = format!("{REQUESTS}/diary/objects/ConfigMap/diary-note");
    let page = browser.until(&note, |answer| answer.text.contains("hello-from-here") && answer.text.contains("Healthy")).await;
    for said in [
        "<title>ConfigMap/diary-note of diary",
        "read with your permissions",
        "Healthy",
        "opm-fulfil",
        "kubectl get configmap diary-note -n default -o yaml",
    ] {
        assert!(page.text.contains(said), "{said}: {}", page.text);
    }
    for link in [
        "href=\"/w/root:acme:shop/requests/default/diary\"",
        "href=\"/w/root:acme:shop/promises/notes\"",
        "requests/default/diary?view=resources",
    ] {
        assert!(page.text.contains(link), "{link}: {}", page.text);
    }
    let login = format!("{REQUESTS}/diary/objects/Secret/diary-login");
    let hidden = |text: &str| !text.contains("swordfish") && !text.contains("c3dvcmRmaXNo");
    let page = browser.until(&login, |answer| answer.text.contains("read with your permissions")).await;
    assert!(page.text.contains("********") && page.text.contains("password") && hidden(&page.text), "{}", page.text);

    // Who may see the request and not what lies beside it reads that, and what the release made of it.
    let mut viewer = product.signed_in("viewer-shop").await;
    for (address, kind) in [(&note, "ConfigMap"), (&login, "Secret")] {
        let page = viewer.get(address).await;
        assert_eq!(page.status, StatusCode::OK, "{}", page.text);
        assert!(page.text.contains(&format!("You can't read {kind} objects in root:acme:shop")), "{}", page.text);
        assert!(page.text.contains("As stored in the release") && hidden(&page.text), "{}", page.text);
    }
    // The lists lead to it.
    for address in ["/w/root:acme:shop/resources", &format!("{REQUESTS}/diary?view=resources")] {
        assert!(browser.get(address).await.text.contains("/requests/default/diary/objects/ConfigMap/diary-note?in=default\""), "{address}");
    }
    // The one that reads another is said to need it, and an arrow leads there.
    let all = format!("{REQUESTS}/diary?view=resources");
    let page = browser.until(&all, |answer| answer.text.contains("Depends on diary-note (ConfigMap)")).await;
    assert_eq!(page.text.matches("<g class=\"graph-arrow\"").count(), 2, "one, and what explains it: {}", page.text);
    product.running.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_lies_at_a_destination_is_not_read_and_the_page_says_so() {
    let product = Product::open().await;
    write_request(&product, "zebra").await;
    let mut browser = product.signed_in("dev-shop").await;
    let address = format!("{REQUESTS}/zebra/objects/StatefulSet/zebra?group=apps&at=sandbox");
    let page = browser.until(&address, |answer| answer.text.contains("redis:7") && answer.text.contains("Healthy")).await;
    for said in
        ["This object is at the destination sandbox", "the controller", "As stored in the release", "resources?q=sandbox", "apps/v1"]
    {
        assert!(page.text.contains(said), "{said}: {}", page.text);
    }
    let secret = browser.get(&format!("{REQUESTS}/zebra/objects/Secret/zebra-connection")).await;
    assert!(secret.status == StatusCode::OK && !secret.text.contains("redis://zebra"), "{}", secret.text);

    // What only sounds like it is not there.
    for other in ["zebra/objects/StatefulSet/zebra?at=elsewhere", "zebra/objects/Cluster/zebra", "zebra/objects/StatefulSet/..%2Fzebra"] {
        let answer = browser.get(&format!("{REQUESTS}/{other}")).await;
        assert_eq!(answer.status, StatusCode::NOT_FOUND, "{other}");
    }
    let mut stranger = product.signed_in("dev-data").await;
    assert_eq!(stranger.get(&address).await.status, StatusCode::NOT_FOUND);
    product.running.close().await;
}

/// The answer without what is new each time, and without the name that was asked for.
fn comparable(text: &str, name: &str) -> String {
    let nonce = text.split("nonce=\"").nth(1).and_then(|rest| rest.split('"').next()).unwrap_or("no nonce");
    text.replace(nonce, "NONCE").replace(name, "NAME")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_same_bytes_for_what_is_absent_and_what_is_closed() {
    let product = Product::open().await;
    write_request(&product, "zebra").await;
    let mut browser = product.signed_in("dev-shop").await;
    browser.until(&format!("{REQUESTS}/zebra/objects/StatefulSet/zebra"), |answer| answer.status == StatusCode::OK).await;
    // The request is there, and the object is not; neither is there; the person may not enter.
    let of = |request: &str| format!("{REQUESTS}/{request}/objects/StatefulSet/nothing");
    let (there, absent) = (browser.get(&of("zebra")).await, browser.get(&of("zorro")).await);
    assert_eq!((there.status, comparable(&there.text, "zebra")), (absent.status, comparable(&absent.text, "zorro")));
    let mut stranger = product.signed_in("dev-data").await;
    let of = |request: &str| format!("{REQUESTS}/{request}/objects/StatefulSet/{request}");
    let (there, absent) = (stranger.get(&of("zebra")).await, stranger.get(&of("zorro")).await);
    assert_eq!((there.status, comparable(&there.text, "zebra")), (absent.status, comparable(&absent.text, "zorro")));
    product.running.close().await;
}
