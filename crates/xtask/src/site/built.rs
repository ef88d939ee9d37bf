//! What the files in `site/` were built from, in `site/built.json`. Building them again takes minutes: as long as neither the sources nor the
//! files have changed, comparing their digests is enough.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

/// Everything that the files depend on: sources, versions of libraries and tools, and what builds them.
const SOURCES: [&str; 14] = [
    "Cargo.lock",
    "Cargo.toml",
    "app/Cargo.toml",
    "app/browser",
    "app/hydrate",
    "app/live",
    "app/src",
    "crates/xtask/Cargo.toml",
    "crates/xtask/src/classes",
    "crates/xtask/src/classes.rs",
    "crates/xtask/src/site",
    "end2end/package-lock.json",
    "rust-toolchain.toml",
    "style",
];

const RECORD: &str = "site/built.json";

/// Whether the files are what was built last, from the sources as they are now.
pub fn is_current(root: &Path) -> Result<bool> {
    let Ok(text) = std::fs::read(root.join(RECORD)) else { return Ok(false) };
    let recorded: Value = serde_json::from_slice(&text).context(RECORD)?;
    Ok(recorded == now(root)?)
}

/// Records that the files were built from the sources as they are now.
#[cfg(any(feature = "site", test))]
pub fn record(root: &Path) -> Result<()> {
    let mut text = serde_json::to_string_pretty(&now(root)?)?;
    text.push('\n');
    std::fs::write(root.join(RECORD), text).context(RECORD)
}

/// Returns the SHA-256 digests of all sources together, and of each file in `site/`.
fn now(root: &Path) -> Result<Value> {
    let mut all = Sha256::new();
    for source in SOURCES {
        for path in files(&root.join(source))? {
            let content = read(&path)?;
            let name = path.strip_prefix(root)?.to_string_lossy().into_owned();
            all.update(format!("{name}\n{}\n", content.len()));
            all.update(content);
        }
    }
    let mut built = Map::new();
    for path in files(&root.join("site"))?.into_iter().filter(|path| !path.ends_with(RECORD)) {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        built.insert(name, hex::encode(Sha256::digest(read(&path)?)).into());
    }
    Ok(json!({"sources": hex::encode(all.finalize()), "files": built}))
}

/// Returns a file, or the files below a folder, in the order of their names.
fn files(path: &Path) -> Result<Vec<PathBuf>> {
    if !path.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let entries = std::fs::read_dir(path).with_context(|| path.display().to_string())?;
    let mut entries = entries.map(|entry| Ok(entry?.path())).collect::<Result<Vec<PathBuf>>>()?;
    entries.sort();
    Ok(entries.iter().map(|entry| files(entry)).collect::<Result<Vec<_>>>()?.into_iter().flatten().collect())
}

fn read(path: &Path) -> Result<Vec<u8>> {
    std::fs::read(path).with_context(|| path.display().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_built_is_current_until_a_source_or_a_file_changes() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        let write = |name: &str, text: &str| {
            std::fs::create_dir_all(root.join(name).parent().unwrap()).unwrap();
            std::fs::write(root.join(name), text).unwrap();
        };
        for source in SOURCES {
            write(source, "");
        }
        std::fs::remove_file(root.join("style")).unwrap();
        write("style/main.css", "a {}");
        write("site/portal.css", "a{}");
        assert!(!is_current(root).unwrap());
        record(root).unwrap();
        assert!(is_current(root).unwrap());
        for (name, changed, as_built) in [("style/main.css", "b {}", "a {}"), ("site/portal.css", "b{}", "a{}")] {
            write(name, changed);
            assert!(!is_current(root).unwrap(), "{name}");
            write(name, as_built);
            assert!(is_current(root).unwrap(), "{name}");
        }
        write("style/more.css", "");
        assert!(!is_current(root).unwrap());
    }
}
