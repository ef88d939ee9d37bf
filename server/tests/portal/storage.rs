//! What goes wrong with the data folder: a sentence and exit code 1, never a panic; and what losing a part of it costs.

use std::path::Path;
use std::process::{Command, Output, Stdio};

use cluster::kinds::PromiseRequest;
use cluster::{Scope, WorkspacePath};
use http::StatusCode;
use kube::Api;

use crate::access::write_request;
use crate::browser::Product;
use crate::process::Process;

/// Runs the program until it ends by itself, after `before` in the same shell.
fn run(before: &str, data: &Path) -> Output {
    let script = format!("{before}; exec \"$0\" serve --plane embedded --empty --port 0 --plane-port 0 --data \"$1\"");
    let mut command = Command::new("sh");
    command.arg("-c").arg(script).arg(env!("CARGO_BIN_EXE_opm-portal")).arg(data).stdin(Stdio::null());
    command.output().expect("the program runs")
}

/// The last line of a program that ended with exit code 1.
fn complaint(output: &Output) -> String {
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(!said.contains("panicked"), "{said}");
    let last = said.lines().last().unwrap_or_default().to_owned();
    assert!(last.starts_with("error: "), "{said}");
    last
}

/// A copy of a data folder, as a backup is, without some of its files.
pub fn copied(data: &Path, without: &[&str]) -> tempfile::TempDir {
    fn copy(from: &Path, to: &Path, without: &[&str]) {
        for entry in std::fs::read_dir(from).expect("a folder").map(|entry| entry.expect("an entry")) {
            let target = to.join(entry.file_name());
            if entry.path().is_dir() {
                std::fs::create_dir(&target).expect("a folder");
                copy(&entry.path(), &target, without);
            } else if !without.contains(&entry.file_name().to_string_lossy().as_ref()) {
                std::fs::copy(entry.path(), target).expect("a copy");
            }
        }
    }
    let folder = tempfile::tempdir().expect("a folder");
    copy(data, folder.path(), without);
    folder
}

#[test]
fn a_data_folder_that_cannot_be_used_is_said_with_the_way_out() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("file");
    std::fs::write(&file, "not a folder").expect("written");
    assert!(complaint(&run("true", &file)).contains("data directory"));
    assert!(complaint(&run("true", Path::new("/proc/opm-portal"))).contains("data directory"), "a folder that nothing can be written to");

    let corrupt = folder.path().join("corrupt");
    std::fs::create_dir(&corrupt).expect("a folder");
    std::fs::write(corrupt.join("portal.sqlite"), [7; 8192]).expect("written");
    let said = complaint(&run("true", &corrupt));
    assert!(said.contains("portal.sqlite") && said.contains("move the file away"), "{said}");

    // No file may grow: the disk is as good as full.
    let full = folder.path().join("full");
    let said = complaint(&run("trap '' XFSZ; ulimit -f 8", &full));
    assert!(!said.contains("Os {"), "{said}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_second_process_on_the_same_folder_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let first = Process::start(folder.path()).await;
    let data = folder.path().to_owned();
    let second = tokio::task::spawn_blocking(move || run("true", &data)).await.expect("it ends");
    let said = complaint(&second);
    assert!(said.contains("process") || said.contains("use"), "{said}");
    assert!(!first.log().contains("panicked"));
    first.kill();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn losing_the_database_costs_sessions_and_drafts_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    let product = Product::in_folder(folder.path()).await;
    write_request(&product, "kept").await;
    let mut browser = product.signed_in("dev-shop").await;
    product.running.close().await;

    // The key first: sessions that it sealed are worth nothing, and people sign in again.
    let folder = copied(folder.path(), &["session.key"]);
    let product = Product::in_folder(folder.path()).await;
    browser.moves_to(&product);
    assert_eq!(browser.get("/workspaces").await.status, StatusCode::SEE_OTHER);
    let mut browser = product.signed_in("dev-shop").await;
    product.running.close().await;

    // With all files the session goes on.
    let whole = copied(folder.path(), &[]);
    let product = Product::in_folder(whole.path()).await;
    browser.moves_to(&product);
    assert_eq!(browser.get("/workspaces").await.status, StatusCode::OK);
    product.running.close().await;

    let without = copied(folder.path(), &["portal.sqlite", "portal.sqlite-wal", "portal.sqlite-shm"]);
    let product = Product::in_folder(without.path()).await;
    browser.moves_to(&product);
    assert_eq!(browser.get("/workspaces").await.status, StatusCode::SEE_OTHER);
    let mut browser = product.signed_in("dev-shop").await;
    assert_eq!(browser.get("/w/root:acme:shop/requests/default/kept").await.status, StatusCode::OK);
    let admin = product.admin();
    let scope = Scope::Workspace(WorkspacePath::parse("root:acme:shop").expect("a path"));
    let api: Api<PromiseRequest> = Api::namespaced(product.running.portal.endpoint.client(admin, &scope), "default");
    assert!(api.get("kept").await.is_ok());
    product.running.close().await;
}
