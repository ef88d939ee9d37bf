//! The audit log: one record for each change through the portal, and for each that the portal sees on the control plane.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Output};
use std::time::Duration;

use cluster::kinds::{Policy, PolicyKind, PromiseRequest, object};
use cluster::{Scope, WorkspacePath};
use http::StatusCode;
use kube::Api;
use kube::api::{DeleteParams, Patch, PatchParams, PostParams};
use opm_portal::audit::AuditConfig;
use promise::api::PolicySpec;
use promise::audit::{AuditBreak, AuditEntry, AuditOutcome, AuditRecord, AuditSource, AuditVerifier, BreakReason};
use serde_json::{Value, json};
use store::AuditFilter;

use crate::access::write_request;
use crate::browser::{Browser, Product, fill};
use crate::logged::logged;
use crate::process::Process;
use crate::views::save;

const FORM: &str = "/w/root:acme:shop/promises/redis/request";
const LOG: &str = "/platform/audit";
const VERIFY: &str = "/do/audit/verify";
const EXPORT: &str = "/platform/audit/export.jsonl";
/// What is typed; no record contains it.
const MARKER: &str = "silent-meadow-77a0";

/// All records, in the order of the chain.
async fn records(product: &Product) -> Vec<AuditEntry> {
    let mut all = product.running.portal.store.audit_page(&AuditFilter::default(), 0, 10_000).await.expect("records");
    all.sort_by_key(|record| record.sequence);
    all.into_iter().map(|record| record.entry).collect()
}

/// The records about an object, once there are this many.
async fn about(product: &Product, name: &str, count: usize) -> Vec<AuditEntry> {
    let looking = async {
        loop {
            let found: Vec<AuditEntry> = records(product).await.into_iter().filter(|entry| entry.name == name).collect();
            if found.len() >= count {
                return found;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    let found = tokio::time::timeout(Duration::from_secs(30), looking).await;
    match found {
        Ok(found) => found,
        Err(_) => panic!("not {count} records about {name}: {:#?}", records(product).await),
    }
}

/// A client of a person in a workspace, as kubectl is one.
fn client(product: &Product, person: &str, workspace: &str) -> kube::Client {
    let sandbox = product.running.sandbox.as_ref().expect("an embedded plane");
    let token = sandbox.identities.token(person).expect("a person");
    product.running.portal.endpoint.client(token, &Scope::Workspace(WorkspacePath::parse(workspace).expect("a path")))
}

/// Verifies the lines of an export.
fn verified(lines: &str) -> Vec<AuditRecord> {
    let records: Vec<AuditRecord> = lines.lines().map(|line| AuditRecord::of_line(line).expect("a record")).collect();
    let mut verifier = AuditVerifier::default();
    for record in &records {
        verifier.add(record).expect("unbroken");
    }
    assert_eq!(verifier.finish().expect("unbroken").records(), records.len() as u64);
    records
}

/// Runs `opm-portal audit`.
fn audit(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_opm-portal")).arg("audit").args(arguments).output().expect("the program runs")
}

/// The records of a data directory, once they fit.
async fn until(data: &str, fits: impl Fn(&[AuditRecord]) -> bool) -> Vec<AuditRecord> {
    let looking = async {
        loop {
            let output = audit(&["export", "--data", data]);
            let records = verified(&String::from_utf8_lossy(&output.stdout));
            if fits(&records) {
                return records;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(180), looking).await.expect("the records")
}

async fn token(browser: &mut Browser) -> String {
    browser.get("/").await.hidden("_token")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_line_of_the_log_about_a_change_has_its_record() {
    let product = Product::quiet().await;
    let mut browser = product.browser();
    let page = browser.get("/sign-in").await;
    let sign_in = page.hidden("_token");
    let work = async {
        browser.post("/do/account/sign-in", &[("_token", &sign_in), ("person", "dev-shop")]).await;
        let pairs = [("/name", "carts"), ("/reason", MARKER)];
        assert!(fill(&mut browser, FORM, &pairs, "submit").await.location().ends_with("/carts"));
        // The control plane refuses it, and the form becomes a draft.
        assert!(fill(&mut browser, FORM, &pairs, "submit").await.location().contains("?draft="));
        assert_eq!(save(&mut browser, "requests", MARKER, &[("q", MARKER)]).await.status, StatusCode::SEE_OTHER);
        let token = token(&mut browser).await;
        let mut request = vec![("_token", token.as_str()), ("workspace", "root:acme:shop"), ("namespace", "default"), ("name", "carts")];
        request.push(("confirmation", "carts"));
        browser.post("/do/requests/delete", &request).await;
        browser.post("/do/workspaces/favourite", &[("_token", &token), ("workspace", "root:acme:shop"), ("favourite", "true")]).await;
        browser.post("/do/account/sign-out", &[("_token", &token)]).await;
    };
    let ((), lines) = logged(work).await;
    let engineer = product.signed_in("platform-engineer").await.get(EXPORT).await;
    assert_eq!(engineer.status, StatusCode::OK, "{}", engineer.text);
    let text = |line: &Value, name: &str| line[name].as_str().unwrap_or_default().to_owned();
    let names = ["operation", "request_id", "actor", "kind", "cluster", "namespace", "name", "outcome"];
    let logged: Vec<Vec<String>> = lines
        .iter()
        .filter(|line| line["target"] == "opm_portal::write")
        .map(|line| names.iter().map(|name| text(line, name)).collect())
        .collect();
    let of_person = |record: &&AuditRecord| record.entry.actor == "dev-shop" && record.entry.source == AuditSource::Portal;
    let recorded: Vec<Vec<String>> = verified(&engineer.text)
        .iter()
        .filter(of_person)
        .map(|AuditRecord { entry, .. }| {
            let outcome = entry.outcome.word().to_owned();
            let fields = [&entry.operation, &entry.request_id, &entry.actor, &entry.kind, &entry.cluster, &entry.namespace, &entry.name];
            fields.into_iter().cloned().chain([outcome]).collect()
        })
        .collect();
    assert_eq!(recorded, logged, "one for each, in order");
    let operations: Vec<&str> = recorded.iter().map(|record| record[0].as_str()).collect();
    for operation in ["sign-in", "create-request", "save-draft", "save-view", "delete-request", "note-deletion", "sign-out"] {
        assert!(operations.contains(&operation), "{operation}: {operations:?}");
    }
    assert!(!engineer.text.contains(MARKER), "{}", engineer.text);
    product.running.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_changed_past_the_portal_is_recorded_with_the_person_whom_the_plane_stamped() {
    let product = Product::quiet().await;
    let requests: Api<PromiseRequest> = Api::namespaced(client(&product, "dev-shop", "root:acme:shop"), "default");
    write_request(&product, "orders").await;
    about(&product, "orders", 1).await;
    let change = json!({"spec": {"reason": MARKER}});
    requests.patch("orders", &PatchParams::default(), &Patch::Merge(&change)).await.expect("changed");
    about(&product, "orders", 2).await;
    // Pausing isn't stamped: nobody knows who it was.
    let paused = json!({"spec": {"paused": true}});
    let admin: Api<PromiseRequest> = Api::namespaced(client(&product, "plane-admin", "root:acme:shop"), "default");
    admin.patch("orders", &PatchParams::default(), &Patch::Merge(&paused)).await.expect("paused");
    about(&product, "orders", 3).await;
    requests.delete("orders", &DeleteParams::default()).await.expect("deleted");
    let seen = about(&product, "orders", 4).await;
    let told: Vec<_> = seen.iter().map(|entry| (entry.operation.as_str(), entry.actor.as_str())).collect();
    assert_eq!(told, [("create", "plane-admin"), ("change", "dev-shop"), ("change", ""), ("delete", "")], "{seen:#?}");
    for (former, later) in seen.iter().zip(&seen[1..]) {
        assert!(former.after.is_some() && former.after == later.before, "{seen:#?}");
    }
    for entry in &seen {
        assert_eq!((entry.source, entry.outcome, entry.kind.as_str()), (AuditSource::Plane, AuditOutcome::Done, "PromiseRequest"));
        assert_eq!((entry.workspace.as_str(), entry.namespace.as_str()), ("root:acme:shop", "default"));
    }

    let policies: Api<Policy> = Api::all(client(&product, "plane-admin", "root:platform"));
    policies.create(&PostParams::default(), &object::<PolicyKind>("quiet", None, PolicySpec::default())).await.expect("a policy");
    let created = about(&product, "quiet", 1).await.remove(0);
    assert_eq!((created.operation.as_str(), created.actor.as_str()), ("create", ""), "policies have no stamp");

    // What is made through the portal isn't seen a second time: a change past it comes right after.
    let mut browser = product.signed_in("dev-shop").await;
    assert!(fill(&mut browser, FORM, &[("/name", "carts")], "submit").await.location().ends_with("/carts"));
    requests.patch("carts", &PatchParams::default(), &Patch::Merge(&change)).await.expect("changed");
    let seen = about(&product, "carts", 2).await;
    let told: Vec<_> = seen.iter().map(|entry| (entry.operation.as_str(), entry.source, entry.actor.as_str())).collect();
    assert_eq!(told, [("create-request", AuditSource::Portal, "dev-shop"), ("change", AuditSource::Plane, "dev-shop")]);
    assert_eq!(seen[0].after, seen[1].before);
    assert!(!format!("{:?}", records(&product).await).contains(MARKER));
    product.running.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn people_who_run_the_platform_read_it_and_no_one_else() {
    let product = Product::quiet().await;
    let mut developer = product.signed_in("dev-shop").await;
    for address in [LOG, EXPORT, "/platform/audit/opm-portal-1/1"] {
        let refused = developer.get(address).await;
        assert_eq!(refused.status, StatusCode::FORBIDDEN, "{address}");
        assert!(refused.text.contains("You can't view the audit log."), "{address}: {}", refused.text);
    }
    assert!(fill(&mut developer, FORM, &[("/name", "carts")], "submit").await.location().ends_with("/carts"));
    let mut engineer = product.signed_in("platform-engineer").await;
    let page = engineer.get(LOG).await;
    assert_eq!(page.status, StatusCode::OK);
    for part in ["Create request", "Dana Shaw", "carts", "root:acme:shop", "Done", "Sign in"] {
        assert!(page.text.contains(part), "{part}: {}", page.text);
    }
    for (query, shows) in [
        ("?operation=create-request", true),
        ("?q=carts&person=DEV-shop&workspace=root:acme&source=portal&outcome=done", true),
        ("?outcome=failed", false),
        ("?source=cli", false),
        ("?workspace=root:globex", false),
        ("?to=2001-01-01", false),
        ("?from=2001-01-01", true),
    ] {
        let page = engineer.get(&format!("{LOG}{query}")).await;
        assert_eq!(page.status, StatusCode::OK, "{query}");
        assert_eq!(page.text.contains(">Create request</a>"), shows, "{query}: {}", page.text);
    }
    assert!(engineer.get(&format!("{LOG}?source=cli")).await.text.contains("No records match"));
    assert_eq!(engineer.get(&format!("{LOG}?from=yesterday")).await.status, StatusCode::UNPROCESSABLE_ENTITY);

    // Facets are counted beside each other, and the one in force stays.
    let page = engineer.get(&format!("{LOG}?source=portal")).await;
    assert!(page.text.contains("Create request (1)"), "{}", page.text);

    let export = engineer.get(EXPORT).await;
    let record = verified(&export.text).into_iter().find(|record| record.entry.operation == "create-request").expect("the record");
    let detail = engineer.get(&format!("{LOG}/{}/{}", record.chain, record.sequence)).await;
    let after = record.entry.after.clone().expect("a hash");
    for part in [&record.hash, &record.previous, &after, &record.entry.request_id, &record.entry.cluster, &"carts".to_owned()] {
        assert!(detail.text.contains(part.as_str()) || *part == record.entry.cluster, "{part}: {}", detail.text);
    }
    assert_eq!(engineer.get(&format!("{LOG}/{}/999999", record.chain)).await.status, StatusCode::NOT_FOUND);
    product.running.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_page_verifies_the_chain_on_demand_and_says_where_it_is_broken() {
    let product = Product::quiet().await;
    let mut engineer = product.signed_in("platform-engineer").await;
    let page = engineer.get(LOG).await;
    assert!(page.text.contains("Not verified yet"), "{}", page.text);
    let token = page.hidden("_token");
    assert_eq!(engineer.post(VERIFY, &[("_token", &token)]).await.location(), LOG);
    let page = engineer.get(LOG).await;
    // The check itself is a record, too.
    for part in ["Verified up to record ", "Verify newer records", "Verify from the start", "Verify audit log"] {
        assert!(page.text.contains(part), "{part}: {}", page.text);
    }
    let mut developer = product.signed_in("dev-shop").await;
    let token_of_other = developer.get("/").await.hidden("_token");
    let refused = developer.post(VERIFY, &[("_token", &token_of_other)]).await;
    assert!(refused.location().starts_with("/refused"), "{}", refused.text);

    let store = &product.running.portal.store;
    let mut check = store.audit_check().await.expect("the check").expect("one was made");
    let broken = AuditBreak { chain: check.heads()[0].chain.clone(), sequence: 1, reason: BreakReason::Altered };
    check.broken = Some(broken);
    store.keep_audit_check(&check).await.expect("kept");
    let page = engineer.get(LOG).await;
    for part in ["The audit log is broken at record 1", "match its hash", "Verify from the start"] {
        assert!(page.text.contains(part), "{part}: {}", page.text);
    }
    assert_eq!(engineer.post(VERIFY, &[("_token", &token), ("start", "true")]).await.location(), LOG);
    assert!(engineer.get(LOG).await.text.contains("Verified up to record "));
    product.running.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_auditor_verifies_database_export_and_anchor() {
    let folder = tempfile::tempdir().expect("a folder");
    let (data, anchor) = (folder.path().join("data"), folder.path().join("anchor.jsonl"));
    let config = AuditConfig { anchor: Some(anchor.clone()), days: None };
    let product = Product::audited(&data, config).await;
    let mut browser = product.signed_in("dev-shop").await;
    assert!(fill(&mut browser, FORM, &[("/name", "carts")], "submit").await.location().ends_with("/carts"));
    product.running.close().await;

    let of = |path: &Path| path.display().to_string();
    let (data, anchor, export) = (of(&data), of(&anchor), of(&folder.path().join("audit.jsonl")));
    let output = audit(&["export", "--data", &data]);
    assert!(output.status.success(), "{output:?}");
    let text = String::from_utf8(output.stdout).expect("text");
    let count = verified(&text).len();
    let verify = |lines: &[&str], more: &[&str]| {
        std::fs::write(&export, lines.join("\n") + "\n").expect("an export");
        let output = audit(&[&["verify", "--file", &export], more].concat());
        (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr))
    };
    let lines: Vec<&str> = text.lines().collect();
    let (code, said) = verify(&lines, &["--anchor", &anchor]);
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains(&format!("verified: {count} records of 1 chain")) && said.contains(" anchor"), "{said}");

    let changed: Vec<String> = lines.iter().map(|line| line.replace("create-request", "delete-request")).collect();
    let position = lines.iter().position(|line| line.contains("create-request")).expect("the record") + 1;
    let (code, said) = verify(&changed.iter().map(String::as_str).collect::<Vec<_>>(), &[]);
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains(&format!("line {position}: ")) && said.contains("its content doesn't match its hash"), "{said}");
    let (code, said) = verify(&[&lines[..1], &lines[2..]].concat(), &[]);
    assert!(code == Some(1) && said.contains("the records from 2 on are missing"), "{said}");
    // The end is missed only by the anchor.
    assert_eq!(verify(&lines[..count - 1], &[]).0, Some(0));
    let (code, said) = verify(&lines[..count - 1], &["--anchor", &anchor]);
    assert!(code == Some(1) && said.contains("an anchor names it, but it is missing"), "{said}");

    let output = audit(&["verify", "--data", &data, "--anchor", &anchor]);
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success() && said.contains(&format!("{count} records")), "{said}");
    let nowhere = audit(&["verify", "--data", &of(folder.path())]);
    assert_eq!(nowhere.status.code(), Some(1), "{nowhere:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_killed_process_leaves_an_unbroken_chain_and_its_successor_sees_what_happened_meanwhile() {
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path().display().to_string();
    let mut process = Process::start(folder.path()).await;
    // What exists before the log begins isn't recorded one by one.
    until(&data, |records| records.iter().any(|record| record.entry.operation == "begin-log" && record.entry.kind == "Policy")).await;
    let mut counts = BTreeMap::new();
    for round in 0..3 {
        let policies: Api<Policy> = Api::all(process.client(&Scope::Workspace(WorkspacePath::parse("root:platform").expect("a path"))));
        for index in 0..5 {
            let policy = object::<PolicyKind>(&format!("p{round}-{index}"), None, PolicySpec::default());
            policies.create(&PostParams::default(), &policy).await.expect("a policy");
        }
        process.kill();
        process = Process::start(folder.path()).await;
        let is_of_round = |record: &&AuditRecord| record.entry.name.starts_with(&format!("p{round}-"));
        let seen = until(&data, |records| records.iter().filter(is_of_round).count() >= 5).await;
        counts.insert(round, seen.iter().filter(is_of_round).count());
    }
    assert_eq!(counts.into_values().collect::<Vec<_>>(), [5, 5, 5], "each once");
    let output = audit(&["verify", "--data", &data]);
    assert!(output.status.success(), "{output:?}");
    process.kill();
}
