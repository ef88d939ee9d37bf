//! Versions of a promise for a request: which one fulfils it, which ones it can move to, and what moves with it (`domain.md` 3).

mod carry;
mod mismatch;
mod select;

pub use carry::{Carried, Lost, carried, changed_secrets, requested};
pub use mismatch::VersionMismatch;
pub use select::{VersionChoice, constraint_for, newer, versions};

use semver::{Version, VersionReq};

use crate::api::UpgradePolicy;

/// A published version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Published<'a> {
    /// Name of the PromiseRevision.
    pub revision: &'a str,
    /// Version of the promise.
    pub version: &'a str,
}

/// Returns the version to use: the running version, as long as it matches, upgraded as far as the request's own upgrade policy allows; if
/// nothing is running, the newest that matches. An empty `constraint` matches any version; pre-releases are used only if it names one.
///
/// # Errors
/// If no version matches.
pub fn choose<'a>(
    published: &[Published<'a>],
    constraint: &str,
    running: Option<&str>,
    policy: UpgradePolicy,
) -> Result<Published<'a>, VersionMismatch> {
    let wanted = requirement(constraint)?;
    let mut fitting: Vec<(Version, Published<'a>)> = published
        .iter()
        .filter_map(|p| Some((Version::parse(p.version).ok()?, *p)))
        .filter(|(version, _)| fits(wanted.as_ref(), version))
        .collect();
    fitting.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.revision.cmp(b.1.revision)));
    let running = running.and_then(|text| Version::parse(text).ok()).filter(|version| fitting.iter().any(|(v, _)| v == version));
    let reachable = fitting.iter().rev().find(|(version, _)| running.as_ref().is_none_or(|from| reaches(policy, from, version)));
    reachable.map(|(_, published)| *published).ok_or_else(|| nothing_fits(published, constraint))
}

fn requirement(constraint: &str) -> Result<Option<VersionReq>, VersionMismatch> {
    match constraint.trim() {
        "" => Ok(None),
        text => VersionReq::parse(text).map(Some).map_err(|_| VersionMismatch::InvalidConstraint { constraint: text.to_owned() }),
    }
}

fn fits(wanted: Option<&VersionReq>, version: &Version) -> bool {
    wanted.map_or(version.pre.is_empty(), |wanted| wanted.matches(version))
}

fn reaches(policy: UpgradePolicy, from: &Version, to: &Version) -> bool {
    match policy {
        UpgradePolicy::Manual => from == to,
        UpgradePolicy::Patch => (from.major, from.minor) == (to.major, to.minor) && from <= to,
        UpgradePolicy::Minor => from.major == to.major && from <= to,
    }
}

fn nothing_fits(published: &[Published<'_>], constraint: &str) -> VersionMismatch {
    let published: Vec<String> = published.iter().map(|p| p.version.to_owned()).collect();
    match (published.as_slice(), constraint.trim()) {
        ([], _) => VersionMismatch::Unpublished,
        (_, "") => VersionMismatch::OnlyPreReleases { published },
        (_, text) => VersionMismatch::NoMatch { constraint: text.to_owned(), published },
    }
}

#[cfg(test)]
mod tests {
    use super::{Published, VersionMismatch, choose};
    use crate::api::UpgradePolicy;

    const ALL: [&str; 5] = ["1.2.0", "1.10.0", "1.2.3", "2.0.0", "2.1.0-rc.1"];

    fn chosen(constraint: &str, running: Option<&str>, policy: UpgradePolicy) -> Result<String, VersionMismatch> {
        let published: Vec<_> = ALL.iter().map(|version| Published { revision: version, version }).collect();
        choose(&published, constraint, running, policy).map(|p| p.version.to_owned())
    }

    #[test]
    fn the_newest_that_fits() {
        assert_eq!(chosen("", None, UpgradePolicy::Manual).as_deref(), Ok("2.0.0"));
        assert_eq!(chosen("1.2", None, UpgradePolicy::Manual).as_deref(), Ok("1.10.0"), "as cargo reads it: 1.2 and up, below 2");
        assert_eq!(chosen("=1.2.0", None, UpgradePolicy::Manual).as_deref(), Ok("1.2.0"));
        assert_eq!(chosen("2.1.0-rc.1", None, UpgradePolicy::Manual).as_deref(), Ok("2.1.0-rc.1"));
    }

    #[test]
    fn what_runs_stays_unless_the_request_lets_it_rise() {
        assert_eq!(chosen("", Some("1.2.0"), UpgradePolicy::Manual).as_deref(), Ok("1.2.0"));
        assert_eq!(chosen("", Some("1.2.0"), UpgradePolicy::Patch).as_deref(), Ok("1.2.3"));
        assert_eq!(chosen("", Some("1.2.0"), UpgradePolicy::Minor).as_deref(), Ok("1.10.0"));
        assert_eq!(chosen("2", Some("1.2.0"), UpgradePolicy::Manual).as_deref(), Ok("2.0.0"), "an explicit wish is followed");
    }

    #[test]
    fn no_match_says_what_is_published() {
        let none = |constraint: &str| chosen(constraint, None, UpgradePolicy::Manual).unwrap_err();
        let published = ALL.map(str::to_owned).to_vec();
        assert_eq!(none(" 9 "), VersionMismatch::NoMatch { constraint: "9".to_owned(), published });
        assert_eq!(none("x.y"), VersionMismatch::InvalidConstraint { constraint: "x.y".to_owned() });
        assert_eq!(choose(&[], "", None, UpgradePolicy::Manual), Err(VersionMismatch::Unpublished));
        let beta = Published { revision: "r", version: "2.0.0-rc.1" };
        let only = VersionMismatch::OnlyPreReleases { published: vec!["2.0.0-rc.1".to_owned()] };
        assert_eq!(choose(&[beta], "", None, UpgradePolicy::Manual), Err(only));
    }
}
