//! The architecture, held by tests: who may import whom, what must not occur where, how long files may be.

mod circles;
mod scenarios;
mod writes;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use cargo_metadata::{DependencyKind, Metadata, MetadataCommand, Package};

/// Longest file of code, in lines. Longer ones are split.
const MAX_LINES: usize = 500;

/// What each package may import of ours.
const OURS: &[(&str, &[&str])] = &[
    ("schema", &[]),
    ("promise", &["schema"]),
    ("cluster", &["promise"]),
    ("devplane", &["schema"]),
    ("store", &["promise"]),
    ("ledger", &["cluster", "notify", "promise", "store"]),
    ("notify", &["cluster", "promise", "store"]),
    // Knows neither the product nor its planes.
    ("oidc", &[]),
    ("app", &["promise"]),
    ("hydrate", &["app"]),
    ("live", &["app"]),
    ("opm-portal", &["app", "cluster", "devplane", "ledger", "notify", "oidc", "promise", "schema", "store"]),
    ("xtask", &[]),
    // For tests alone: nothing imports them.
    ("testdata", &[]),
    ("testplane", &[]),
    ("witness", &[]),
    ("fuzz", &["devplane", "schema"]),
    ("opm", &["oidc", "promise"]),
];

/// What each package must not import of others, because the package exists to keep it out.
const FORBIDDEN: [(&str, &[&str]); 9] = [
    ("schema", &["tokio", "kube", "sqlx", "axum", "leptos", "getrandom", "rand"]),
    ("promise", &["tokio", "kube", "sqlx", "axum", "leptos", "getrandom", "rand"]),
    ("cluster", &["sqlx", "axum", "leptos"]),
    ("devplane", &["leptos", "kube", "sqlx"]),
    ("store", &["kube", "axum", "leptos"]),
    ("ledger", &["kube", "sqlx", "axum", "leptos"]),
    ("notify", &["kube", "sqlx", "axum", "leptos"]),
    ("app", &["sqlx", "kube"]),
    ("oidc", &["kube", "sqlx", "axum", "leptos", "getrandom", "rand"]),
];

fn metadata() -> Metadata {
    MetadataCommand::new().manifest_path(root().join("Cargo.toml")).no_deps().exec().expect("cargo metadata")
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace").to_owned()
}

fn imports(package: &Package) -> BTreeSet<&str> {
    package.dependencies.iter().filter(|d| d.kind == DependencyKind::Normal).map(|d| d.name.as_str()).collect()
}

#[test]
fn packages_import_only_what_the_table_says() {
    let metadata = metadata();
    let ours: BTreeSet<&str> = metadata.packages.iter().map(|package| package.name.as_str()).collect();
    let allowed: BTreeMap<&str, &[&str]> = OURS.iter().copied().collect();
    for package in &metadata.packages {
        let name = package.name.as_str();
        let allowed = allowed.get(name).unwrap_or_else(|| panic!("package {name} is not in the table: decide what it may import"));
        for import in imports(package).intersection(&ours) {
            assert!(allowed.contains(import), "{name} imports {import}, which the table does not allow");
        }
    }
}

#[test]
fn packages_keep_out_what_they_exist_to_keep_out() {
    let metadata = metadata();
    for (name, forbidden) in FORBIDDEN {
        let package = metadata.packages.iter().find(|package| package.name.as_str() == name).expect(name);
        for import in imports(package) {
            // Whole names: kube-cel is an expression language, not a client, and leptos_axum the one door between pages and the web server.
            let broken = forbidden.iter().find(|word| import == **word);
            assert!(broken.is_none(), "{name} imports {import}");
        }
    }
}

#[test]
fn the_browser_builds_know_no_rules() {
    let metadata = metadata();
    let app = metadata.packages.iter().find(|package| package.name.as_str() == "app").expect("app");
    let promise = app.dependencies.iter().find(|d| d.name == "promise").expect("app imports promise");
    assert!(promise.optional, "app imports promise for every build");
    for feature in ["hydrate", "live"] {
        let parts = app.features.get(feature).expect(feature);
        assert!(
            !parts.iter().any(|part| part == "dep:promise" || part == "ssr"),
            "feature {feature} of app brings the rules into the browser"
        );
    }
}

#[test]
fn every_package_takes_the_workspaces_lints() {
    for package in &metadata().packages {
        let manifest = std::fs::read_to_string(&package.manifest_path).expect("a manifest");
        assert!(manifest.contains("[lints]\nworkspace = true\n"), "{} does not take the lints of the workspace", package.name);
    }
}

#[test]
fn the_plane_knows_nothing_of_the_product() {
    for file in sources(&root().join("crates/devplane")) {
        let text = std::fs::read_to_string(&file).expect("a source file");
        assert!(!text.contains("opmodel"), "{} names the product", file.display());
    }
}

#[test]
fn sql_stands_in_the_store_alone() {
    let others =
        ["app", "server", "crates/cluster", "crates/devplane", "crates/ledger", "crates/notify", "crates/promise", "crates/schema"];
    for package in others {
        for file in sources(&root().join(package).join("src")) {
            let text = std::fs::read_to_string(&file).expect("a source file");
            assert!(!text.contains("sqlx::"), "{} speaks SQL", file.display());
        }
    }
}

/// Fields of the API that nothing fills in yet: a page that showed them would promise something.
#[test]
fn what_nothing_fills_in_yet_is_on_no_page() {
    for file in ["app", "server"].iter().flat_map(|package| sources(&root().join(package).join("src"))) {
        let text = std::fs::read_to_string(&file).expect("a source file");
        for name in ["external_id", "externalID"] {
            assert!(!text.contains(name), "{} shows {name}", file.display());
        }
    }
}

#[test]
fn files_have_one_subject() {
    let mut long = Vec::new();
    for folder in ["app", "server", "crates"] {
        for file in sources(&root().join(folder)) {
            let lines = std::fs::read_to_string(&file).expect("a source file").lines().count();
            if lines > MAX_LINES {
                long.push(format!("{} has {lines} lines", file.display()));
            }
            assert_ne!(file.file_name().and_then(|name| name.to_str()), Some("mod.rs"), "{}: name.rs and name/ instead", file.display());
        }
    }
    assert!(long.is_empty(), "longer than {MAX_LINES} lines: {long:#?}");
}

/// The Rust files below a folder.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let Ok(entries) = std::fs::read_dir(folder) else { return found };
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() && path.file_name().is_none_or(|name| name != "target" && name != "node_modules") {
            found.extend(sources(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
    found
}
