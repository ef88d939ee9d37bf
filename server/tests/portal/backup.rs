//! What docs/operating.md says about backups and keys: a copy of a stopped portal's folder continues where it ended, and keys can be
//! replaced while people stay signed in.

use std::path::Path;

use http::StatusCode;
use notify::NotifyConfig;
use opm_portal::config::{Config, Storage};

use crate::browser::{Browser, Product, config, edges, fill};

const FORM: &str = "/w/root:acme:shop/promises/postgresql/request";
const HOME: &str = "/";

/// Copies everything that is in a folder. Each start of the portal in these tests has a copy of its own: the browsers keep the portal
/// before in memory, and with it its locks.
fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).expect("a folder");
    for entry in std::fs::read_dir(from).expect("a folder") {
        let entry = entry.expect("an entry");
        let (path, target) = (entry.path(), to.join(entry.file_name()));
        if path.is_dir() {
            copy(&path, &target);
        } else {
            std::fs::copy(&path, &target).expect("copied");
        }
    }
}

async fn is_signed_in(browser: &mut Browser, product: &Product) -> bool {
    browser.moves_to(product);
    let answer = browser.get(HOME).await;
    assert!(answer.status == StatusCode::OK || answer.location().starts_with("/sign-in"), "{}", answer.text);
    answer.status == StatusCode::OK
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_copy_of_a_stopped_portals_folder_has_everything_and_without_the_database_the_objects() {
    let (original, backup) = (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
    let product = Product::in_folder(original.path()).await;
    product.publishes_samples().await;
    let mut browser = product.signed_in("dev-shop").await;
    let review = fill(&mut browser, FORM, &[("/name", "orders-db"), ("/parameters/storage", "40")], "review").await;
    let draft = review.location().to_owned();
    let submitted = fill(&mut browser, FORM, &[("/name", "other-db"), ("/parameters/storage", "40")], "submit").await;
    let request = submitted.location().to_owned();
    assert!(request.ends_with("/other-db"), "{request}: {}", submitted.text);
    product.running.close().await;
    let copied = backup.path().join("data");
    copy(original.path(), &copied);
    // The original is lost.
    drop(original);

    let product = Product::in_folder(&copied).await;
    assert!(is_signed_in(&mut browser, &product).await);
    let page = browser.get(&draft).await;
    assert!(page.status == StatusCode::OK && page.text.contains("orders-db"), "{}", page.text);
    assert_eq!(browser.get(&request).await.status, StatusCode::OK);
    product.running.close().await;

    // A backup without the database loses sessions and drafts, and no object.
    let without = backup.path().join("without");
    copy(&copied, &without);
    for file in ["portal.sqlite", "portal.sqlite-wal", "portal.sqlite-shm"] {
        // SQLite removes the files beside its own when it is closed.
        let _ = std::fs::remove_file(without.join(file));
    }
    let product = Product::in_folder(&without).await;
    assert!(!is_signed_in(&mut browser, &product).await);
    let mut again = product.signed_in("dev-shop").await;
    assert_eq!(again.get(&request).await.status, StatusCode::OK);
    product.running.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_new_key_seals_while_the_old_one_opens_until_it_is_removed() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("keys");
    let data = ["first", "second", "third"].map(|name| folder.path().join(name));
    let own = |data: &Path| Config {
        session_key_file: Some(file.clone()),
        ..config(Storage::Directory(data.to_owned()), None, false, NotifyConfig::default())
    };
    let write = |keys: &[&str]| {
        std::fs::write(&file, keys.iter().map(|key| format!("{}\n", key.repeat(32))).collect::<String>()).expect("written");
        let mut permissions = std::fs::metadata(&file).expect("the file").permissions();
        std::os::unix::fs::PermissionsExt::set_mode(&mut permissions, 0o440);
        std::fs::set_permissions(&file, permissions).expect("a mode");
    };
    write(&["a1"]);
    let product = Product::configured(own(&data[0]), edges()).await;
    let mut early = product.signed_in("dev-shop").await;
    product.running.close().await;
    assert!(!data[0].join("session.key").exists(), "no other key is made");
    copy(&data[0], &data[1]);

    // Root can write a file that no one else can; others replace it.
    std::fs::remove_file(&file).expect("removed");
    write(&["b2", "a1"]);
    let product = Product::configured(own(&data[1]), edges()).await;
    assert!(is_signed_in(&mut early, &product).await, "the old key still opens");
    let mut late = product.signed_in("org-owner").await;
    product.running.close().await;
    copy(&data[1], &data[2]);

    std::fs::remove_file(&file).expect("removed");
    write(&["b2"]);
    let product = Product::configured(own(&data[2]), edges()).await;
    assert!(is_signed_in(&mut late, &product).await, "sealed with the new key");
    assert!(!is_signed_in(&mut early, &product).await, "without the old key, the session can't be used");
    product.running.close().await;
}
