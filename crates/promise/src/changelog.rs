//! What changed in the versions of a promise, as its team describes it for requesters. It is part of the presentation, so it can be
//! written and corrected without a new version.

use semver::Version;

use crate::api::{ChangelogEntry, PromiseSpec};
use crate::problem::Problem;

/// Maximum number of versions in a changelog.
const ENTRIES: usize = 100;
/// Maximum number of changes of one version.
const CHANGES: usize = 20;
/// Maximum length of one change, in characters.
const LONGEST: usize = 300;

/// Checks the changelog of a promise, and returns its problems.
pub fn problems(spec: &PromiseSpec) -> Vec<Problem> {
    let entries = &spec.presentation.changelog;
    let place = ".presentation.changelog";
    if entries.len() > ENTRIES {
        let message = format!("Describe at most {ENTRIES} versions, and leave out the oldest: these are {}.", entries.len());
        return vec![Problem { path: place.to_owned(), message }];
    }
    let mut found = Vec::new();
    for (index, entry) in entries.iter().enumerate() {
        let place = format!("{place}[{index}]");
        let mut wrong = |field: &str, message: String| found.push(Problem { path: format!("{place}.{field}"), message });
        if Version::parse(&entry.version).is_err() {
            wrong("version", format!("Enter a version such as 1.2.0: {} isn't one.", entry.version));
        } else if entries.iter().take(index).any(|before| before.version == entry.version) {
            wrong("version", format!("Describe each version once: {} is described above.", entry.version));
        }
        match entry.changes.len() {
            0 => wrong("changes", "Add a change, or remove the entry.".to_owned()),
            count if count > CHANGES => wrong("changes", format!("List at most {CHANGES} changes: these are {count}.")),
            _ => {}
        }
        for (at, change) in entry.changes.iter().enumerate() {
            if change.trim().is_empty() || change.contains('\n') || change.chars().count() > LONGEST {
                wrong(&format!("changes[{at}]"), format!("Describe the change in one line of at most {LONGEST} characters."));
            }
        }
    }
    found
}

/// Returns the changes of one version. Empty if the changelog doesn't describe it.
pub fn of<'e>(entries: &'e [ChangelogEntry], version: &str) -> &'e [String] {
    entries.iter().find(|entry| entry.version == version).map(|entry| entry.changes.as_slice()).unwrap_or_default()
}

/// Returns what is described of the versions after one, up to and including another, newest first. Empty if the other one isn't newer.
pub fn between(entries: &[ChangelogEntry], from: &str, to: &str) -> Vec<ChangelogEntry> {
    let (Ok(from), Ok(to)) = (Version::parse(from), Version::parse(to)) else { return Vec::new() };
    let versions = entries.iter().filter_map(|entry| Some((Version::parse(&entry.version).ok()?, entry)));
    // A pre-release on the way was never what most requests ran, and its changes are those of the version that it preceded.
    let on_the_way = versions.filter(|(version, _)| *version > from && *version <= to && (version.pre.is_empty() || *version == to));
    let mut found: Vec<(Version, &ChangelogEntry)> = on_the_way.collect();
    found.sort_by(|(one, _), (other, _)| other.cmp(one));
    found.into_iter().map(|(_, entry)| entry.clone()).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{between, of, problems};
    use crate::api::{ChangelogEntry, PromiseSpec};

    fn promise(changelog: &Value) -> PromiseSpec {
        serde_json::from_value(json!({"version": "1.3.0", "presentation": {"changelog": changelog}})).unwrap()
    }

    fn entries(versions: &[&str]) -> Vec<ChangelogEntry> {
        versions.iter().map(|version| ChangelogEntry { version: (*version).into(), changes: vec![format!("To {version}.")] }).collect()
    }

    #[test]
    fn an_upgrade_has_the_changes_of_every_version_on_the_way() {
        let all = entries(&["1.0.0", "1.10.0", "1.2.0", "2.0.0-rc.1", "2.0.0"]);
        let versions = |from, to| between(&all, from, to).into_iter().map(|entry| entry.version).collect::<Vec<_>>();
        assert_eq!(versions("1.0.0", "2.0.0"), ["2.0.0", "1.10.0", "1.2.0"]);
        assert_eq!(versions("1.2.0", "1.11.0"), ["1.10.0"], "a version that isn't described has nothing to say");
        assert_eq!(versions("1.2.0", "2.0.0-rc.1"), ["2.0.0-rc.1", "1.10.0"]);
        assert_eq!(versions("2.0.0", "1.0.0"), Vec::<String>::new());
        assert_eq!(versions("latest", "1.0.0"), Vec::<String>::new());
        assert_eq!((of(&all, "1.2.0"), of(&all, "9.0.0").len()), (["To 1.2.0.".to_owned()].as_slice(), 0));
    }

    #[test]
    fn a_changelog_has_each_version_once_and_each_change_in_one_line() {
        let good =
            json!([{"version": "1.3.0", "changes": ["Adds a region."]}, {"version": "1.2.0", "changes": ["Backups are kept longer."]}]);
        assert_eq!(problems(&promise(&good)), []);
        let bad = json!([
            {"version": "1.3", "changes": ["Adds a region."]}, {"version": "1.2.0", "changes": []},
            {"version": "1.2.0", "changes": ["One\nTwo", " ", "x".repeat(301)]},
        ]);
        let paths: Vec<String> = problems(&promise(&bad)).into_iter().map(|problem| problem.path).collect();
        let wanted = ["[0].version", "[1].changes", "[2].version", "[2].changes[0]", "[2].changes[1]", "[2].changes[2]"];
        assert_eq!(paths, wanted.map(|path| format!(".presentation.changelog{path}")));
        let many: Vec<Value> = (0..101).map(|minor| json!({"version": format!("1.{minor}.0"), "changes": ["More."]})).collect();
        assert_eq!(problems(&promise(&json!(many)))[0].path, ".presentation.changelog");
    }
}
