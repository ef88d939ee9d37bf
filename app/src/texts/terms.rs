//! Texts about the terms of a request, and about versions that it can move to.

use promise::api::{DeletionPolicy, UpgradePolicy};
use promise::wording::all_of;

use crate::view::{VersionOption, VersionOptionKind};

pub(crate) const TERMS: &str = "Terms";
pub(crate) const ALL_TERMS: &str = "Version, upgrades, deletion and expiry";
pub(crate) const VERSION: &str = "Version";
pub(crate) const UPGRADES: &str = "Upgrades";
pub(crate) const UPGRADES_HINT: &str = "Newer versions that roll out automatically. Policies and approvals apply to them, too.";
pub(crate) const DELETION: &str = "When the request is deleted";
pub(crate) const EXPIRES: &str = "Expires on";
pub(crate) const EXPIRES_HINT: &str =
    "Optional. We remind you a week and a day before, and you can renew it for three more days. Then it's deleted.";
pub(crate) const RENEW: &str = "Renew";
pub(crate) const EXPIRES_SOON: &str = "This request expires soon";
pub(crate) const HAS_EXPIRED: &str = "This request has expired";
pub(crate) const RENEW_BEFORE: &str = "It's deleted unless it's renewed before";
pub(crate) const EXPIRES_AT: &str = "It expires on";
pub(crate) const PAUSED: &str = "Pause this request";
pub(crate) const PAUSED_HINT: &str = "Nothing is created, changed or repaired while it's paused.";

/// Upgrade policies in the order of the select, each with its word in posts.
pub(crate) const UPGRADE_POLICIES: [(UpgradePolicy, &str, &str); 3] = [
    (UpgradePolicy::Manual, "manual", "Manual: only when you upgrade"),
    (UpgradePolicy::Patch, "patch", "Patch releases automatically"),
    (UpgradePolicy::Minor, "minor", "Minor and patch releases automatically"),
];

/// Deletion policies in the order of the select, each with its word in posts.
pub(crate) const DELETION_POLICIES: [(DeletionPolicy, &str, &str); 2] = [
    (DeletionPolicy::Delete, "Delete", "Delete its resources"),
    (DeletionPolicy::Orphan, "Orphan", "Keep its resources, no longer managed"),
];

/// An option in the list of versions.
pub(crate) fn version_option(option: &VersionOption) -> String {
    let version = match option.version.as_str() {
        "" => "not published",
        version => version,
    };
    let marks: Vec<&str> = [(option.is_prerelease, "pre-release"), (option.is_breaking, "breaking")]
        .into_iter()
        .filter(|(is, _)| *is)
        .map(|(_, mark)| mark)
        .collect();
    let name = match option.kind {
        VersionOptionKind::Version => version.to_owned(),
        VersionOptionKind::Newest => format!("Newest ({version})"),
        VersionOptionKind::Unchanged => format!("No change ({version})"),
        VersionOptionKind::Constraint => format!("{} ({version})", option.value),
    };
    if marks.is_empty() { name } else { format!("{name} – {}", marks.join(", ")) }
}

// An upgrade, on the page of the request and in its form.
pub(crate) const WHAT_CHANGES: &str = "What changes";
pub(crate) const BREAKING: &str = "This is a new major version. Some of your values might not be valid any more.";
pub(crate) const NOT_IN_THIS_VERSION: &str = "This version has no fields for these values, so they aren't submitted:";
pub(crate) const RESTORED: &str = "The form starts with the version, values and terms of an earlier release, recorded";
pub(crate) const VERSION_UNPUBLISHED: &str = "Its version is no longer published, so the form is for the present one.";

/// Above the changes of a version.
pub(crate) fn new_in(version: &str) -> String {
    format!("New in {version}")
}

pub(crate) fn available(version: &str) -> String {
    format!("Version {version} is available")
}

pub(crate) fn upgrade_to(version: &str) -> String {
    format!("Upgrade to {version}")
}

/// The title above a form for another version.
pub(crate) fn moves(from: &str, to: &str) -> String {
    format!("Version {from} → {to}")
}

/// The title above a form that starts with an earlier release.
pub(crate) const ROLL_BACK: &str = "Roll back to an earlier release";

/// How many fields need input.
pub(crate) fn needs_input(count: usize) -> String {
    if count == 1 { "1 field needs your input:".to_owned() } else { format!("{count} fields need your input:") }
}

pub(crate) fn secrets_stay(labels: &[String]) -> String {
    let verb = if labels.len() == 1 { "was" } else { "were" };
    format!("{} {verb} different then. Releases don't contain secrets, so the present values stay.", all_of(labels))
}

pub(crate) const NOTHING_LOST: &str = "Your values move to this version unchanged.";

// A deprecated promise.
pub(crate) const USE_INSTEAD: &str = "Use instead:";

pub(crate) fn deprecated(is_retired: bool, remove_after: Option<&str>) -> String {
    match (is_retired, remove_after) {
        (true, _) => "This service is retired".to_owned(),
        (false, Some(day)) => format!("This service is deprecated and ends on {day}"),
        (false, None) => "This service is deprecated".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_say_which_version_they_select() {
        let option = |kind, value: &str, version: &str| VersionOption {
            kind,
            value: value.into(),
            version: version.into(),
            ..VersionOption::default()
        };
        assert_eq!(version_option(&option(VersionOptionKind::Newest, "", "1.3.0")), "Newest (1.3.0)");
        assert_eq!(version_option(&option(VersionOptionKind::Constraint, ">=9", "")), ">=9 (not published)");
        let marked =
            VersionOption { is_prerelease: true, is_breaking: true, ..option(VersionOptionKind::Version, "=2.0.0-rc.1", "2.0.0-rc.1") };
        assert_eq!(version_option(&marked), "2.0.0-rc.1 – pre-release, breaking");
    }
}
