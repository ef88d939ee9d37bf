//! Versions that a request can select, and the constraint that selects one.

use std::cmp::Reverse;

use semver::Version;

use super::{Published, choose};
use crate::api::UpgradePolicy;

/// A published version, for a request that can select it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VersionChoice {
    /// The version.
    pub version: String,
    /// Whether it is a pre-release, which is used only if it is selected.
    pub is_prerelease: bool,
    /// Whether it has another major version than the running one, so values that are valid now might not be.
    pub is_breaking: bool,
    /// Whether it is running.
    pub is_running: bool,
}

/// Returns all published versions, newest first, for a request that runs `running`.
pub fn versions(published: &[Published<'_>], running: Option<&str>) -> Vec<VersionChoice> {
    let from = running.and_then(|text| Version::parse(text).ok());
    let mut all: Vec<Version> = published.iter().filter_map(|published| Version::parse(published.version).ok()).collect();
    all.sort_by_key(|version| Reverse(version.clone()));
    all.dedup();
    let choice = |version: Version| VersionChoice {
        is_prerelease: !version.pre.is_empty(),
        is_breaking: from.as_ref().is_some_and(|from| from.major != version.major),
        is_running: from.as_ref() == Some(&version),
        version: version.to_string(),
    };
    all.into_iter().map(choice).collect()
}

/// Returns the newest version that a request doesn't move to by itself, with its constraint and upgrade policy. `None` if it runs or would
/// run the newest one. Pre-releases don't count.
pub fn newer(published: &[Published<'_>], constraint: &str, running: Option<&str>, policy: UpgradePolicy) -> Option<String> {
    let chosen = choose(published, constraint, running, policy).ok().and_then(|chosen| Version::parse(chosen.version).ok());
    let from = chosen.or_else(|| running.and_then(|text| Version::parse(text).ok()))?;
    let stable = published.iter().filter_map(|published| Version::parse(published.version).ok()).filter(|version| version.pre.is_empty());
    stable.max().filter(|newest| *newest > from).map(|newest| newest.to_string())
}

/// Returns the constraint that makes a request use this version now. It leaves room for the versions that the upgrade policy rolls out
/// later, as long as it doesn't select one of them already.
pub fn constraint_for(published: &[Published<'_>], version: &str, running: Option<&str>, policy: UpgradePolicy) -> String {
    let range = match policy {
        UpgradePolicy::Manual => None,
        UpgradePolicy::Patch => Some(format!("~{version}")),
        UpgradePolicy::Minor => Some(format!("^{version}")),
    };
    let selects = |constraint: &String| choose(published, constraint, running, policy).is_ok_and(|chosen| chosen.version == version);
    range.filter(selects).unwrap_or_else(|| format!("={version}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [&str; 5] = ["1.2.0", "1.10.0", "1.2.3", "2.0.0", "2.1.0-rc.1"];

    fn published() -> Vec<Published<'static>> {
        ALL.iter().map(|version| Published { revision: version, version }).collect()
    }

    #[test]
    fn versions_are_listed_newest_first_and_marked() {
        let all = versions(&published(), Some("1.2.3"));
        assert_eq!(all.iter().map(|one| one.version.as_str()).collect::<Vec<_>>(), ["2.1.0-rc.1", "2.0.0", "1.10.0", "1.2.3", "1.2.0"]);
        assert_eq!(all.iter().map(|one| one.is_breaking).collect::<Vec<_>>(), [true, true, false, false, false]);
        assert!(all[0].is_prerelease && !all[1].is_prerelease && all[3].is_running && !all[4].is_running);
        assert!(versions(&published(), None).iter().all(|one| !one.is_breaking && !one.is_running), "nothing is running yet");
    }

    #[test]
    fn a_newer_version_is_offered_unless_the_request_takes_it_by_itself() {
        let offered = |constraint: &str, running: &str, policy| newer(&published(), constraint, Some(running), policy);
        assert_eq!(offered("", "1.2.0", UpgradePolicy::Manual).as_deref(), Some("2.0.0"));
        assert_eq!(offered("", "2.0.0", UpgradePolicy::Manual), None, "a pre-release is not offered");
        assert_eq!(offered("", "1.10.0", UpgradePolicy::Minor).as_deref(), Some("2.0.0"));
        assert_eq!(offered("2", "1.2.0", UpgradePolicy::Manual), None, "it moves there already");
        assert_eq!(newer(&[], "", Some("1.0.0"), UpgradePolicy::Manual), None);
        assert_eq!(newer(&published(), "", None, UpgradePolicy::Manual), None, "a new request uses the newest");
    }

    #[test]
    fn the_constraint_selects_exactly_the_version() {
        for policy in [UpgradePolicy::Manual, UpgradePolicy::Patch, UpgradePolicy::Minor] {
            for running in [None, Some("1.2.0"), Some("2.0.0")] {
                for version in ALL {
                    let constraint = constraint_for(&published(), version, running, policy);
                    let chosen = choose(&published(), &constraint, running, policy).map(|chosen| chosen.version);
                    assert_eq!(chosen.as_deref(), Ok(version), "{constraint} {running:?} {policy:?}");
                }
            }
        }
    }

    #[test]
    fn the_constraint_leaves_room_for_what_the_policy_rolls_out() {
        let constraint = |version, policy| constraint_for(&published(), version, Some("1.2.0"), policy);
        assert_eq!(constraint("2.0.0", UpgradePolicy::Minor), "^2.0.0");
        assert_eq!(constraint("1.10.0", UpgradePolicy::Patch), "~1.10.0");
        assert_eq!(constraint("2.0.0", UpgradePolicy::Manual), "=2.0.0");
        assert_eq!(constraint("1.2.0", UpgradePolicy::Minor), "=1.2.0", "a range would select 1.10.0");
    }
}
