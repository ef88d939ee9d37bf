//! Probes: alive is one word, ready names each part and what is wrong with it.

use http::StatusCode;

use crate::browser::Product;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn readiness_follows_controller_database_and_process() {
    let product = Product::open().await;
    let mut probe = product.browser().from("127.0.0.1");
    let ready = probe.until("/readyz", |answer| answer.status == StatusCode::OK).await;
    assert_eq!(ready.text, "ok\n");
    let verbose = probe.get("/readyz?verbose").await;
    for part in ["process", "database", "controller", "workspaces", "requests", "promises", "revisions", "policies", "destinations"] {
        assert!(verbose.text.contains(&format!("[+] {part}: ok\n")), "{part} is missing in {}", verbose.text);
    }

    product.running.portal.store.close().await;
    let broken = probe.get("/readyz").await;
    assert_eq!(broken.status, StatusCode::SERVICE_UNAVAILABLE);
    assert!(broken.text.contains("[-] database: no response\n") && broken.text.ends_with("not ready\n"), "{}", broken.text);
    assert_eq!(probe.get("/healthz").await.text, "ok\n", "alive all the same");

    product.running.portal.shutdown.cancel();
    let ending = probe.until("/readyz", |answer| answer.text.to_lowercase().contains("[-] controller: the controller stopped")).await;
    assert!(ending.text.contains("[-] process: shutting down\n"), "{}", ending.text);
    product.running.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn readiness_follows_the_plane_of_this_process() {
    let product = Product::quiet().await;
    let mut probe = product.browser();
    let verbose = probe.get("/readyz?verbose").await;
    assert!(verbose.status == StatusCode::OK && verbose.text.contains("[+] plane: ok\n"), "{}", verbose.text);

    let supervisor = product.running.portal.embedded.as_ref().unwrap().state().supervisor.clone();
    supervisor.clone().run("expiry", async || Err(devplane::store::WriteError::Disk("no space left".to_owned()))).await;
    let broken = probe.get("/readyz").await;
    assert_eq!(broken.status, StatusCode::SERVICE_UNAVAILABLE);
    // Details are shown only to local requests, and the test browser has no peer address.
    assert!(broken.text.contains("[-] plane: not ready, see the log\n"), "{}", broken.text);

    supervisor.works("expiry");
    assert_eq!(probe.get("/readyz").await.status, StatusCode::OK);
    product.running.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_controller_that_runs_elsewhere_is_not_asked() {
    let product = Product::quiet().await;
    let verbose = product.browser().get("/readyz?verbose").await;
    assert_eq!(verbose.status, StatusCode::OK, "{}", verbose.text);
    assert!(!verbose.text.contains("controller"), "{}", verbose.text);
    product.running.close().await;
}
