//! A request from its first call to its last, and what programs are told when something is wrong.

use http::{Method, StatusCode, header};
use opm_portal::clock::Clock as _;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::{Program, SHOP, json_of, manifest, problem};
use crate::access::version;
use crate::browser::Product;
use crate::hands::Hands;

/// What is sent as a secret; no other text of the product contains it.
const MARKER: &str = "correct-horse-2b9e";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_request_is_created_changed_and_deleted() {
    let product = Product::open().await;
    product.publishes_samples().await;
    let program = Program::of(&product, "dev-shop");
    let (requests, carts) = (format!("{SHOP}/requests"), format!("{SHOP}/requests/default/carts"));

    let small = manifest("carts", "redis", &json!({"size": "small"}));
    let tried = program.send(Method::POST, &format!("{requests}?dryRun=true"), &[], &small).await;
    assert_eq!((tried.status, json_of(&tried)["name"].clone()), (StatusCode::OK, json!("carts")), "{}", tried.text);
    assert_eq!(program.send(Method::GET, &carts, &[], "").await.status, StatusCode::NOT_FOUND, "nothing was written");
    let created = program.send(Method::POST, &requests, &[], &small).await;
    assert_eq!(created.status, StatusCode::CREATED, "{}", created.text);
    assert_eq!(created.headers[header::LOCATION], carts);
    let told = json_of(&created);
    assert_eq!(
        (&told["owner"], &told["generation"], &told["spec"]["parameters"]),
        (&json!("dev-shop"), &json!(1), &json!({"size": "small"}))
    );

    let ready = program.until(&carts, |request| request["state"] == "ready").await;
    assert_eq!((&ready["actor"], ready.get("reason")), (&json!("noOne"), None), "{ready:#}");
    assert_eq!(ready["cost"]["currency"], "EUR", "{ready:#}");
    assert!(ready["resources"].as_array().is_some_and(|all| all.iter().all(|one| one["health"] == "Healthy")), "{ready:#}");
    assert!(ready["conditions"].as_array().is_some_and(|all| all.iter().any(|one| one["type"] == "Ready" && one["status"] == "True")));

    let read = program.send(Method::GET, &carts, &[], "").await;
    let tag = read.headers[header::ETAG].to_str().expect("text").to_owned();
    let again = program.send(Method::GET, &carts, &[("if-none-match", &tag)], "").await;
    assert_eq!((again.status, again.text.as_str()), (StatusCode::NOT_MODIFIED, ""));
    let created_tag = created.headers[header::ETAG].to_str().expect("text");
    assert_ne!(created_tag, tag, "its state changed");

    let medium = manifest("carts", "redis", &json!({"size": "medium"}));
    let change = async |tag: Option<&str>, body: &str| {
        let headers: Vec<(&str, &str)> = tag.iter().map(|tag| ("if-match", *tag)).collect();
        program.send(Method::PUT, &carts, &headers, body).await
    };
    let missing = change(None, &medium).await;
    assert_eq!(problem(&missing), (428, "conflict".to_owned(), Vec::new()));
    assert_eq!(json_of(&missing)["reason"]["reason"], "noEdition");
    // The state has changed since the first answer, and the spec hasn't: a program that knows the former may change the request.
    let changed = change(Some(created_tag), &medium).await;
    assert_eq!((changed.status, json_of(&changed)["generation"].clone()), (StatusCode::OK, json!(2)), "{}", changed.text);
    let stale = change(Some(&tag), &small).await;
    assert_eq!(problem(&stale), (412, "conflict".to_owned(), Vec::new()));
    assert_eq!(json_of(&stale)["reason"]["reason"], "otherEdition");
    let other = change(Some("*"), &manifest("other", "redis", &json!({}))).await;
    assert_eq!(problem(&other), (422, "invalid".to_owned(), vec!["/metadata/name".to_owned()]));
    assert_eq!(program.read(&carts).await["spec"]["parameters"], json!({"size": "medium"}));

    let releases = json_of(&program.send(Method::GET, &format!("{carts}/releases"), &[], "").await);
    let oldest = releases["items"].as_array().and_then(|items| items.last()).cloned().unwrap_or_default();
    assert_eq!((&oldest["parameters"], &oldest["changedBy"]), (&json!({"size": "small"}), &json!("dev-shop")), "{releases:#}");
    assert!(oldest["constraint"].as_str().is_some_and(|constraint| constraint.starts_with('=')), "{releases:#}");

    let stale = program.send(Method::DELETE, &carts, &[("if-match", &tag)], "").await;
    assert_eq!(stale.status, StatusCode::PRECONDITION_FAILED, "{}", stale.text);
    let deleted = program.send(Method::DELETE, &carts, &[], "").await;
    assert!(matches!(deleted.status, StatusCode::ACCEPTED | StatusCode::NO_CONTENT) && deleted.text.is_empty(), "{deleted:?}");
    let gone = async {
        while program.send(Method::GET, &carts, &[], "").await.status != StatusCode::NOT_FOUND {
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(std::time::Duration::from_secs(60), gone).await.expect("it goes");
    assert_eq!(program.send(Method::DELETE, &carts, &[], "").await.status, StatusCode::NOT_FOUND);
    product.running.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_call_with_a_key_is_made_once() {
    let product = Product::quiet().await;
    let program = Program::of(&product, "dev-shop");
    let requests = format!("{SHOP}/requests");
    let carts = manifest("carts", "redis", &json!({"size": "small"}));
    let send =
        async |program: &Program<'_>, key: &str, body: &str| program.send(Method::POST, &requests, &[("idempotency-key", key)], body).await;
    let first = send(&program, "key-1", &carts).await;
    assert_eq!((first.status, first.headers.get("idempotency-replayed")), (StatusCode::CREATED, None), "{}", first.text);
    let written = version(&product).await;
    let second = send(&program, "key-1", &carts).await;
    assert_eq!((second.status, &second.text), (StatusCode::CREATED, &first.text));
    assert_eq!(
        (&second.headers["idempotency-replayed"], &second.headers[header::ETAG]),
        (&"true".parse().unwrap(), &first.headers[header::ETAG])
    );
    let other = send(&program, "key-1", &manifest("orders", "redis", &json!({"size": "small"}))).await;
    assert_eq!(problem(&other).0, 422);
    assert_eq!(json_of(&other)["reason"]["reason"], "keyOfOtherCall");
    // Without a key, or with another one, the name is taken.
    for taken in [program.send(Method::POST, &requests, &[], &carts).await, send(&program, "key-2", &carts).await] {
        assert_eq!(problem(&taken).0, 409);
        assert_eq!(json_of(&taken)["reason"]["reason"]["alreadyExists"]["what"], "request carts");
    }
    // Keys of different people are different keys: somebody else gets no answer that isn't theirs.
    let viewer = send(&Program::of(&product, "viewer-shop"), "key-1", &carts).await;
    assert_ne!(viewer.text, first.text);
    assert_eq!(version(&product).await, written, "nothing was written again");
    // A call that was refused can be corrected.
    assert_eq!(problem(&send(&program, "key-3", &manifest("Not A Name", "redis", &json!({}))).await).0, 422);
    assert_eq!(send(&program, "key-3", &manifest("orders", "redis", &json!({"size": "small"}))).await.status, StatusCode::CREATED);
    for wrong in ["", "a b", &"k".repeat(256)] {
        assert_eq!(problem(&send(&program, wrong, &carts).await).0, 422, "{wrong:?}");
    }
    product.running.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_call_that_its_process_left_behind_is_never_made_again() {
    let clock = Hands::at("2026-11-26T10:00:00Z");
    let product = Product::at(clock.clone()).await;
    product.publishes_samples().await;
    let program = Program::of(&product, "dev-shop");
    let requests = format!("{SHOP}/requests");
    let body = manifest("carts", "redis", &json!({"size": "small"}));
    // What a process leaves that is killed after it began the call.
    let mut digest = Sha256::new();
    for part in [b"POST".as_slice(), requests.as_bytes(), body.as_bytes()] {
        digest.update((part.len() as u64).to_be_bytes());
        digest.update(part);
    }
    let digest: [u8; 32] = digest.finalize().into();
    let (store, random) = (&product.running.portal.store, &*product.running.portal.random);
    let begun = store.begin_keyed_call("dev-shop", "key-1", &digest, clock.now(), random).await.expect("begun");
    assert_eq!(begun, store::KeyedCall::New);
    let again = async |key: &str| {
        let answer = program.send(Method::POST, &requests, &[("idempotency-key", key)], &body).await;
        (answer.status, json_of(&answer)["reason"]["reason"].clone())
    };
    assert_eq!(again("key-1").await, (StatusCode::CONFLICT, json!("callInProgress")));
    clock.put_forward(45);
    store.renew_keyed_call("dev-shop", "key-1", clock.now()).await.expect("renewed");
    clock.put_forward(30);
    assert_eq!(again("key-1").await, (StatusCode::CONFLICT, json!("callInProgress")), "its process lives");
    clock.put_forward(60);
    for _ in 0..2 {
        assert_eq!(again("key-1").await, (StatusCode::CONFLICT, json!("callInterrupted")));
    }
    let absent = program.send(Method::GET, &format!("{requests}/default/carts"), &[], "").await;
    assert_eq!(absent.status, StatusCode::NOT_FOUND, "it wasn't made by the repeated calls");
    assert_eq!(again("key-2").await.0, StatusCode::CREATED);
    product.running.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_wrong_is_told_by_field() {
    let product = Product::open().await;
    product.publishes_samples().await;
    let program = Program::of(&product, "dev-shop");
    let requests = format!("{SHOP}/requests");
    let before = program.read(&requests).await["total"].clone();
    for (body, pointer) in [
        ("kind: Promise".to_owned(), "/apiVersion"),
        ("a: [".to_owned(), ""),
        (manifest("Not A Name", "redis", &json!({})), "/metadata/name"),
        (manifest("carts", "no-such-promise", &json!({})), "/spec/promise/name"),
        (manifest("carts", "redis", &json!({"size": "giant"})), "/spec/parameters/size"),
        (manifest("orders", "postgresql", &json!({"tier": "production", "replicas": 1})), "/spec/parameters/replicas"),
    ] {
        let answer = program.send(Method::POST, &requests, &[], &body).await;
        let (status, kind, pointers) = problem(&answer);
        assert_eq!((status, kind.as_str()), (422, "invalid"), "{body}");
        assert!(pointers.iter().any(|one| one == pointer), "{pointer} in {}", answer.text);
        let messages: Vec<Value> =
            json_of(&answer)["errors"].as_array().expect("errors").iter().map(|one| one["message"].clone()).collect();
        assert!(messages.iter().all(|message| message.as_str().is_some_and(|text| !text.is_empty())), "{}", answer.text);
    }
    for query in ["limit=0", "limit=many", "continue=x", "state=done", "mine=1", "fields=a,,b", "limit=1&limit=2"] {
        let answer = program.send(Method::GET, &format!("{requests}?{query}"), &[], "").await;
        assert_eq!(problem(&answer), (422, "invalid".to_owned(), vec![String::new()]), "{query}");
    }
    let absent = program.send(Method::GET, &format!("{requests}/default/absent"), &[], "").await;
    assert_eq!(problem(&absent), (404, "notFound".to_owned(), Vec::new()));
    assert_eq!(program.read(&requests).await["total"], before, "nothing was written");
    product.running.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn secrets_are_taken_and_never_given() {
    let product = Product::open().await;
    product.publishes_samples().await;
    let program = Program::of(&product, "dev-shop");
    let (requests, orders) = (format!("{SHOP}/requests"), format!("{SHOP}/requests/default/orders"));
    let body = manifest("orders", "postgresql", &json!({"adminPassword": MARKER}));
    let mut answers = vec![
        program.send(Method::POST, &format!("{SHOP}/preflight"), &[], &body).await,
        program.send(Method::POST, &format!("{requests}?dryRun=true"), &[], &body).await,
        program.send(Method::POST, &requests, &[("idempotency-key", "secret")], &body).await,
    ];
    assert_eq!(answers.iter().map(|answer| answer.status.as_u16()).collect::<Vec<_>>(), [200, 200, 201], "{answers:?}");
    answers.push(program.send(Method::POST, &requests, &[("idempotency-key", "secret")], &body).await);
    program.until(&orders, |request| request["state"] == "ready").await;
    for address in [&orders, &requests, &format!("{SHOP}/resources"), &format!("{SHOP}/cost")] {
        answers.push(program.send(Method::GET, address, &[], "").await);
    }
    let request = json_of(&answers[4]);
    assert_eq!(request["spec"]["parameters"]["adminPassword"], json!({"name": "orders-inputs", "key": "adminPassword"}), "{request:#}");
    // A change that sends what was read keeps the secret.
    let kept = json!({"apiVersion": "platform.opmodel.dev/v1alpha1", "kind": "PromiseRequest", "metadata": {"name": "orders"}, "spec": request["spec"]});
    answers.push(program.send(Method::PUT, &orders, &[("if-match", "*")], &kept.to_string()).await);
    let outputs = request["outputs"].as_array().expect("outputs");
    let secret: Vec<&Value> = outputs.iter().filter(|output| output["secret"] == true).collect();
    assert!(!secret.is_empty() && secret.iter().all(|output| output.get("value").is_none()), "{outputs:?}");
    assert!(outputs.iter().any(|output| output["secret"] == false && output["value"].is_string()), "{outputs:?}");
    for answer in answers {
        assert!(answer.status.is_success(), "{}", answer.text);
        assert!(!answer.text.contains(MARKER), "{}", answer.text);
    }
    product.running.close().await;
}
