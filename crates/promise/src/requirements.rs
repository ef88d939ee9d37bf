//! Requirements of a promise that a workspace lacks, and how they read.

use std::fmt;

use crate::api::{MissingRequirement, Requirement};
use crate::problem::Problem;
use crate::wording::all_of;

/// What is available.
pub struct Present<'a> {
    /// Promises with a healthy instance in the workspace, each with the running version.
    pub promises: &'a [(String, String)],
    /// Whether a kind of a group is served: `(group, kind, destination)`. Without a destination, by the workspace itself.
    pub serves: &'a dyn Fn(&str, &str, Option<&str>) -> bool,
}

/// Returns the requirements that aren't met, in order.
pub fn missing(requires: &[Requirement], present: &Present<'_>) -> Vec<MissingRequirement> {
    requires.iter().filter_map(|requirement| unmet(requirement, present)).collect()
}

/// Returns why nothing new is created while a requirement is missing.
pub fn problem(missing: &[MissingRequirement]) -> Option<Problem> {
    let phrases: Vec<String> = missing.iter().map(ToString::to_string).collect();
    (!phrases.is_empty())
        .then(|| Problem { path: ".promise".to_owned(), message: format!("This promise needs {} first.", all_of(&phrases)) })
}

/// A phrase that follows “This promise needs”.
impl fmt::Display for MissingRequirement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Instance { promise, version: None } => write!(f, "a working instance of {promise}"),
            Self::Instance { promise, version: Some(version) } => write!(f, "a working instance of {promise} in version {version}"),
            Self::Api { group, kind, destination: None } => write!(f, "the kind {kind} of {group}"),
            Self::Api { group, kind, destination: Some(destination) } => write!(f, "the kind {kind} of {group} at {destination}"),
        }
    }
}

fn unmet(requirement: &Requirement, present: &Present<'_>) -> Option<MissingRequirement> {
    if let Some(promise) = &requirement.promise {
        // An invalid constraint was refused when the promise was published; here it matches nothing.
        let constraint = requirement.version.as_deref().map(semver::VersionReq::parse).transpose();
        let fits = |version: &str| match (&constraint, semver::Version::parse(version)) {
            (Ok(None), _) => true,
            (Ok(Some(constraint)), Ok(version)) => constraint.matches(&version),
            (Err(_), _) | (_, Err(_)) => false,
        };
        let met = present.promises.iter().any(|(name, version)| name == promise && fits(version));
        return (!met).then(|| MissingRequirement::Instance { promise: promise.clone(), version: requirement.version.clone() });
    }
    let (group, kind) = requirement.api.as_ref()?.split_once('/')?;
    let destination = requirement.destination.as_deref();
    (!(present.serves)(group, kind, destination)).then(|| MissingRequirement::Api {
        group: group.to_owned(),
        kind: kind.to_owned(),
        destination: destination.map(str::to_owned),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn instance(promise: &str, version: Option<&str>) -> MissingRequirement {
        MissingRequirement::Instance { promise: promise.into(), version: version.map(str::to_owned) }
    }

    fn api(destination: Option<&str>) -> MissingRequirement {
        let (group, kind) = ("postgresql.cnpg.io".into(), "Cluster".into());
        MissingRequirement::Api { group, kind, destination: destination.map(str::to_owned) }
    }

    #[test]
    fn what_is_missing_is_returned_as_data() {
        let promise = |name: &str, version: Option<&str>| Requirement {
            promise: Some(name.into()),
            version: version.map(str::to_owned),
            ..Requirement::default()
        };
        let of_api = |destination: Option<&str>| Requirement {
            api: Some("postgresql.cnpg.io/Cluster".into()),
            destination: destination.map(str::to_owned),
            ..Requirement::default()
        };
        let requires = [
            promise("cert-manager", Some(">=1")),
            promise("cert-manager", Some(">=2")),
            promise("redis", None),
            of_api(Some("eu-1")),
            of_api(Some("eu-2")),
        ];
        let promises = [("cert-manager".to_owned(), "1.4.0".to_owned())];
        let serves = |group: &str, kind: &str, place: Option<&str>| (group, kind, place) == ("postgresql.cnpg.io", "Cluster", Some("eu-1"));
        assert_eq!(
            missing(&requires, &Present { promises: &promises, serves: &serves }),
            [instance("cert-manager", Some(">=2")), instance("redis", None), api(Some("eu-2"))]
        );
    }

    #[test]
    fn every_missing_requirement_has_a_phrase() {
        for (missing, phrase) in [
            (instance("redis", None), "a working instance of redis"),
            (instance("cert-manager", Some(">=2")), "a working instance of cert-manager in version >=2"),
            (api(None), "the kind Cluster of postgresql.cnpg.io"),
            (api(Some("eu-2")), "the kind Cluster of postgresql.cnpg.io at eu-2"),
        ] {
            assert_eq!(missing.to_string(), phrase);
        }
        let message = problem(&[instance("redis", None), api(Some("eu-2"))]).map(|problem| problem.message);
        assert_eq!(
            message.as_deref(),
            Some("This promise needs a working instance of redis and the kind Cluster of postgresql.cnpg.io at eu-2 first.")
        );
        assert_eq!(problem(&[]), None);
    }
}
