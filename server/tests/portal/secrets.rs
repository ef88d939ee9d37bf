//! Secret parameters: typed in the review, kept in a Secret, and seen nowhere else on their way to the sandbox.

use std::io;
use std::sync::Mutex;
use std::time::Duration;

use cluster::kinds::{PromiseRelease, PromiseRequest};
use cluster::{Scope, WorkspacePath};
use http::StatusCode;
use k8s_openapi::api::core::v1::Secret;
use kube::api::ListParams;
use kube::{Api, Client};

use crate::browser::{Answer, Browser, Product};

const SHOP: &str = "root:acme:shop";
const FORM: &str = "/w/root:acme:shop/promises/postgresql/request";
/// What is typed; no other text of the product contains it.
const MARKER: &str = "correct-horse-7c1f";
const SECOND: &str = "battery-staple-93ad";
const INPUT: &str = "/parameters/adminPassword";

/// Everything that the tests of this binary log, from the first call of [`follow_log`] on.
static LOG: Mutex<Vec<u8>> = Mutex::new(Vec::new());

struct Log;

impl io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        LOG.lock().expect("the log").extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn follow_log() {
    let filter = "opm_portal=trace,cluster=trace,promise=trace,store=trace,devplane=trace,sqlx=trace,kube=trace,tower_http=trace";
    tracing_subscriber::fmt().with_env_filter(filter).with_ansi(false).with_writer(|| Log).try_init().expect("nobody else logs");
}

fn client(product: &Product, scope: &Scope) -> Client {
    product.running.portal.endpoint.client(product.admin(), scope)
}

fn shop(product: &Product) -> Client {
    client(product, &Scope::Workspace(WorkspacePath::parse(SHOP).expect("a path")))
}

/// The pairs of a form's hidden inputs, with others.
fn filled<'a>(page: &'a Answer, hidden: &[&'a str], pairs: &[(&'a str, &'a str)]) -> Vec<(&'a str, String)> {
    let hidden = hidden.iter().map(|name| (*name, page.hidden(name)));
    hidden.chain(pairs.iter().map(|(name, value)| (*name, (*value).to_owned()))).collect()
}

async fn send(browser: &mut Browser, address: &str, pairs: &[(&str, String)]) -> Answer {
    let pairs: Vec<(&str, &str)> = pairs.iter().map(|(name, value)| (*name, value.as_str())).collect();
    browser.send_form(address, &pairs).await
}

/// From the form to its review.
async fn review(browser: &mut Browser, form: &str, hidden: &[&str], pairs: &[(&str, &str)]) -> Answer {
    let page = browser.get(form).await;
    assert!(page.status.is_success() && !page.text.contains(&format!("name=\"{INPUT}\"")), "the form has no input for it: {}", page.text);
    assert!(page.text.contains("in the last step"), "{}", page.text);
    let answer = send(browser, form, &filled(&page, hidden, pairs)).await;
    assert!(answer.location().contains("/review?draft="), "{answer:?}");
    let review = browser.get(answer.location()).await;
    assert!(review.text.contains(&format!("name=\"{INPUT}\"")), "the review has an input: {}", review.text);
    review
}

/// The password of the superuser in the sandbox, once it is `expected`.
async fn arrives(product: &Product, expected: &str) {
    let secrets: Api<Secret> = Api::all(client(product, &Scope::Root));
    let looking = async {
        loop {
            let all = secrets.list(&ListParams::default()).await.expect("a list").items;
            let found = all.iter().find(|secret| secret.metadata.name.as_deref() == Some("orders-administrator"));
            let password = found.and_then(|secret| secret.data.as_ref()).and_then(|data| data.get("password"));
            if password.is_some_and(|password| password.0 == expected.as_bytes()) {
                return;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    assert!(tokio::time::timeout(Duration::from_secs(60), looking).await.is_ok(), "{expected} never arrives");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_typed_secret_reaches_the_sandbox_and_is_seen_nowhere_else() {
    follow_log();
    let folder = tempfile::tempdir().expect("a folder");
    let product = Product::in_folder(folder.path()).await;
    let mut browser = product.signed_in("dev-shop").await;
    let new = ["_token", "_cluster"];
    let mut seen = Vec::new();

    let shown = review(&mut browser, FORM, &new, &[("_op", "review"), ("/name", "orders"), (INPUT, MARKER)]).await;
    seen.push(shown.text.clone());
    let submit = filled(&shown, &["_token", "_cluster", "_draft"], &[("_op", "submit"), (INPUT, MARKER)]);
    let written = send(&mut browser, FORM, &submit).await;
    assert_eq!(written.location(), format!("/w/{SHOP}/requests/default/orders"), "{}", written.text);
    arrives(&product, MARKER).await;

    // Another one in its place; the spec stays the same.
    let edit = format!("/w/{SHOP}/requests/default/orders/edit");
    let shown = review(&mut browser, &edit, &["_token", "_cluster", "_version"], &[("_op", "review")]).await;
    assert!(shown.text.contains("to keep the stored value"), "{}", shown.text);
    seen.push(shown.text.clone());
    let kept = filled(&shown, &["_token", "_cluster", "_version", "_draft"], &[("_op", "submit"), (INPUT, "")]);
    assert!(send(&mut browser, &edit, &kept).await.location().ends_with("/requests/default/orders"));
    arrives(&product, MARKER).await;
    let shown = review(&mut browser, &edit, &["_token", "_cluster", "_version"], &[("_op", "review")]).await;
    let changed = filled(&shown, &["_token", "_cluster", "_version", "_draft"], &[("_op", "submit"), (INPUT, SECOND)]);
    assert!(send(&mut browser, &edit, &changed).await.location().ends_with("/requests/default/orders"));
    arrives(&product, SECOND).await;

    let requests: Api<PromiseRequest> = Api::namespaced(shop(&product), "default");
    let releases: Api<PromiseRelease> = Api::namespaced(shop(&product), "default");
    let request = requests.get("orders").await.expect("the request");
    assert_eq!(request.spec.parameters.as_ref().expect("parameters")["adminPassword"]["name"], "orders-inputs");
    seen.push(serde_json::to_string(&request).expect("a text"));
    let all = releases.list(&ListParams::default()).await.expect("releases").items;
    assert!(!all.is_empty());
    seen.push(serde_json::to_string(&all).expect("a text"));
    for address in ["/", "/w/root:acme:shop/requests", "/w/root:acme:shop/requests/default/orders"] {
        seen.push(browser.get(address).await.text);
    }
    let audited = product.signed_in("platform-engineer").await.get("/platform/audit/export.jsonl").await.text;
    assert!(audited.contains("\"operation\":\"write-inputs\"") && audited.contains("orders-inputs"), "{audited}");
    seen.push(audited);
    for part in ["portal.sqlite", "portal.sqlite-wal"] {
        seen.push(String::from_utf8_lossy(&std::fs::read(folder.path().join(part)).expect("the database")).into_owned());
    }
    assert!(
        seen.iter().any(|text| text.contains("adminPassword/~")) || seen.iter().any(|text| text.contains("\"checked\"")),
        "drafts are among it"
    );
    seen.push(String::from_utf8_lossy(&LOG.lock().expect("the log")).into_owned());
    assert!(seen.last().is_some_and(|log| log.contains("/promises/postgresql/request")), "requests are logged");
    for text in &seen {
        assert!(!text.contains(MARKER) && !text.contains(SECOND), "a secret is seen in {text}");
        let encoded = [MARKER, SECOND].map(|text| base64::Engine::encode(&base64::engine::general_purpose::STANDARD, text));
        assert!(encoded.iter().all(|encoded| !text.contains(encoded.as_str())), "a secret is seen in {text}");
    }

    // The typed secret goes with its request.
    requests.delete("orders", &Default::default()).await.expect("deleted");
    let secrets: Api<Secret> = Api::namespaced(shop(&product), "default");
    let gone = kube::runtime::wait::await_condition(secrets, "orders-inputs", |secret: Option<&Secret>| secret.is_none());
    assert!(matches!(tokio::time::timeout(Duration::from_secs(30), gone).await, Ok(Ok(_))), "the typed secret stays behind");
    product.running.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_refused_submit_keeps_no_secret_and_says_so() {
    let product = Product::quiet().await;
    let mut browser = product.signed_in("dev-shop").await;
    let secrets: Api<Secret> = Api::namespaced(shop(&product), "default");
    let shown = review(&mut browser, FORM, &["_token", "_cluster"], &[("_op", "review"), ("/name", "orders")]).await;
    // Somebody takes the name meanwhile.
    crate::access::write_request(&product, "orders").await;
    let submit = filled(&shown, &["_token", "_cluster", "_draft"], &[("_op", "submit"), (INPUT, MARKER)]);
    let refused = send(&mut browser, FORM, &submit).await;
    assert_eq!(refused.status, StatusCode::SEE_OTHER, "{}", refused.text);
    let again = browser.get(refused.location()).await;
    assert!(again.text.contains("orders is taken") && again.text.contains("Enter the secrets again"), "{}", again.text);
    assert!(secrets.get_opt("orders-inputs").await.expect("an answer").is_none(), "taken back");

    // A change that comes too late leaves the former value.
    let form = FORM.to_owned();
    let shown = review(&mut browser, &form, &["_token", "_cluster"], &[("_op", "review"), ("/name", "other")]).await;
    let submit = filled(&shown, &["_token", "_cluster", "_draft"], &[("_op", "submit"), (INPUT, MARKER)]);
    assert!(send(&mut browser, FORM, &submit).await.location().ends_with("/other"));
    let edit = format!("/w/{SHOP}/requests/default/other/edit");
    let shown = review(&mut browser, &edit, &["_token", "_cluster", "_version"], &[("_op", "review")]).await;
    let requests: Api<PromiseRequest> = Api::namespaced(shop(&product), "default");
    let patch = kube::api::Patch::Merge(serde_json::json!({"spec": {"reason": "somebody else"}}));
    requests.patch("other", &Default::default(), &patch).await.expect("changed");
    let late = filled(&shown, &["_token", "_cluster", "_version", "_draft"], &[("_op", "submit"), (INPUT, SECOND)]);
    let refused = send(&mut browser, &edit, &late).await;
    assert!(refused.location().contains("/edit?draft="), "{refused:?}");
    let secret = secrets.get("other-inputs").await.expect("the Secret");
    assert_eq!(secret.data.expect("data")["adminPassword"].0, MARKER.as_bytes(), "as before");
    product.running.close().await;
}
