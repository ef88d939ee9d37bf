//! Modification times of unchanged files. Cargo compiles everything that is newer than its last build, and in a new clone that is every
//! file. Files that are the same as in the previous clone get back the times they had there, so that only real changes are compiled.
//!
//! This is for builds in folders that nothing else writes to, such as those of `.ci/run`. The clone of the last call isn't touched: people
//! edit and build there, and its times are correct.

use std::collections::BTreeMap;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result};
use serde_json::{Value, json};

use crate::steps::step;
use crate::workspace::Workspace;

/// A file in git, and when it was last written.
#[derive(Debug, PartialEq, Eq)]
struct Source {
    /// Id of its content.
    blob: String,
    modified: Duration,
}

/// Gives the files of a new clone the times they had in the previous clone in the same folder, if their content is the same. Files with
/// uncommitted changes are left alone.
pub fn restore(workspace: &Workspace) -> Result<()> {
    step("restoring the times of unchanged files", || {
        // Each folder has its own builds.
        let folder = workspace.root.to_string_lossy().replace('/', "_");
        let memory = workspace.target.join(format!("sources{folder}.json"));
        let remembered: Value = std::fs::read(&memory).ok().and_then(|text| serde_json::from_slice(&text).ok()).unwrap_or_default();
        // Without creation times in the file system, one clone can't be distinguished from the next.
        let clone = std::fs::metadata(workspace.root.join(".git")).and_then(|git| git.created()).ok();
        let clone = clone.map(|created| json!(since_epoch(created).as_nanos().to_string()));
        let is_new = clone.as_ref().is_some_and(|clone| *clone != remembered["clone"]);
        let before = if is_new { read(&remembered["sources"]) } else { BTreeMap::new() };
        let mut now = BTreeMap::new();
        for (path, blob) in committed(&workspace.root)? {
            let file = File::open(workspace.root.join(&path)).with_context(|| path.display().to_string())?;
            let mut modified = since_epoch(file.metadata()?.modified()?);
            if let Some(known) = before.get(&path).filter(|known| known.blob == blob) {
                file.set_modified(UNIX_EPOCH + known.modified)?;
                modified = known.modified;
            }
            now.insert(path, Source { blob, modified });
        }
        std::fs::create_dir_all(&workspace.target)?;
        std::fs::write(&memory, json!({"clone": clone, "sources": written(&now)}).to_string())?;
        Ok(())
    })
}

/// Returns the unchanged files on disk that git tracks: paths from the top, with the ids of their contents.
fn committed(root: &Path) -> Result<BTreeMap<PathBuf, String>> {
    let git = |arguments: &[&str]| {
        let output = Command::new("git").current_dir(root).args(arguments).output().context("cannot start git")?;
        // Outside of a clone nothing is known, and everything is compiled.
        if output.status.success() { String::from_utf8(output.stdout).context("paths that aren't valid UTF-8") } else { Ok(String::new()) }
    };
    let mut all: BTreeMap<PathBuf, String> = git(&["ls-files", "--stage", "-z"])?.split('\0').filter_map(entry).collect();
    for changed in git(&["ls-files", "--modified", "--deleted", "-z"])?.split('\0') {
        all.remove(Path::new(changed));
    }
    Ok(all)
}

/// Parses a line of `git ls-files --stage`: mode, id and stage, then a tab and the path. Links have no times of their own.
fn entry(line: &str) -> Option<(PathBuf, String)> {
    let (about, path) = line.split_once('\t')?;
    let mut about = about.split(' ');
    let is_file = about.next()?.starts_with("100");
    is_file.then_some((PathBuf::from(path), about.next()?.to_owned()))
}

fn since_epoch(time: SystemTime) -> Duration {
    time.duration_since(UNIX_EPOCH).unwrap_or_default()
}

fn written(sources: &BTreeMap<PathBuf, Source>) -> Value {
    let of = |(path, source): (&PathBuf, &Source)| {
        let modified = (source.modified.as_secs(), source.modified.subsec_nanos());
        (path.to_string_lossy().into_owned(), json!([source.blob, modified.0, modified.1]))
    };
    Value::Object(sources.iter().map(of).collect())
}

fn read(sources: &Value) -> BTreeMap<PathBuf, Source> {
    let Value::Object(sources) = sources else { return BTreeMap::new() };
    let of = |(path, source): (&String, &Value)| {
        let modified = Duration::new(source[1].as_u64()?, u32::try_from(source[2].as_u64()?).ok()?);
        Some((PathBuf::from(path), Source { blob: source[0].as_str()?.to_owned(), modified }))
    };
    sources.iter().filter_map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_remembered_is_read_as_it_was() {
        let source = Source { blob: "ab12".into(), modified: Duration::new(1_700_000_000, 123_456_789) };
        let sources = BTreeMap::from([(PathBuf::from("app/src/lib.rs"), source)]);
        assert_eq!(read(&written(&sources)), sources);
        assert_eq!(read(&json!({"broken": 1})), BTreeMap::new());
    }

    #[test]
    fn files_are_told_from_links() {
        assert_eq!(entry("100644 ab12 0\tapp/my file.rs"), Some((PathBuf::from("app/my file.rs"), "ab12".to_owned())));
        assert_eq!(entry("120000 ab12 0\tlink"), None);
        assert_eq!(entry(""), None);
    }
}
