//! What tests of several packages read: the sample world of the repository, and the shared data beside it.
//!
//! It is a dev-dependency alone. It ends a test at the first surprise, because a test that reads nothing shows nothing.
#![expect(clippy::unwrap_used, clippy::panic, reason = "it runs in tests alone, which end at the first surprise")]

pub mod corpus;

use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use serde_json::Value;

/// A file or folder of the shared data: below `OPM_SHARED`, else beside the workspace. Without it there is nothing to test, which is
/// said; where `CI=true` it has to be there.
#[expect(clippy::disallowed_methods, reason = "tests have no configuration module; this is the only place that looks for the data")]
pub fn shared(name: &str) -> Option<PathBuf> {
    let folder = std::env::var_os("OPM_SHARED").map_or_else(|| root().join("../shared"), PathBuf::from);
    let path = folder.join(name);
    if path.exists() {
        return Some(path);
    }
    assert!(std::env::var_os("CI").is_none_or(|value| value != "true"), "shared data not found at {}", path.display());
    println!("skipped: shared data not found");
    None
}

/// A YAML file; `None` when it cannot be read as one document. Prints why, so that no test skips files silently.
pub fn yaml(file: &Path) -> Option<Value> {
    let options = serde_saphyr::options! { emit_comments: false };
    let text = std::fs::read_to_string(file).map_err(|error| error.to_string());
    let read = text.and_then(|text| serde_saphyr::from_str_with_options(&text, options).map_err(|error| error.to_string()));
    read.inspect_err(|error| println!("left out {}: {error}", file.display())).ok()
}

/// The objects of a folder of `examples/`, or the one in a file of it: name and spec, sorted by file.
pub fn samples<S: DeserializeOwned>(name: &str) -> Vec<(String, S)> {
    #[derive(serde::Deserialize)]
    struct Object<S> {
        metadata: Metadata,
        spec: S,
    }
    #[derive(serde::Deserialize)]
    struct Metadata {
        name: String,
    }
    let at = root().join("examples").join(name);
    let mut files: Vec<PathBuf> =
        if at.is_dir() { std::fs::read_dir(&at).unwrap().map(|entry| entry.unwrap().path()).collect() } else { vec![at] };
    files.sort();
    assert!(!files.is_empty(), "{name} is empty");
    let read = |file: &PathBuf| {
        let text = std::fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        let object: Object<S> = serde_saphyr::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        (object.metadata.name, object.spec)
    };
    files.iter().map(read).collect()
}

/// How much a check does: the first number in CI, the second with `--full` (`OPM_FULL`), which takes minutes.
#[expect(clippy::disallowed_methods, reason = "tests have no configuration module")]
pub fn size<T>(ci: T, full: T) -> T {
    if std::env::var_os("OPM_FULL").is_some_and(|value| value == "true") { full } else { ci }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}
