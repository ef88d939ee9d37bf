//! Requirements of a promise that a workspace lacks, in words that follow "This promise needs".

use crate::api::Requirement;
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
pub fn missing(requires: &[Requirement], present: &Present<'_>) -> Vec<String> {
    requires.iter().filter_map(|requirement| unmet(requirement, present)).collect()
}

/// Returns why nothing new is created while a requirement is missing.
pub fn problem(missing: &[String]) -> Option<Problem> {
    (!missing.is_empty())
        .then(|| Problem { path: ".promise".to_owned(), message: format!("This promise needs {} first.", all_of(missing)) })
}

fn unmet(requirement: &Requirement, present: &Present<'_>) -> Option<String> {
    if let Some(promise) = &requirement.promise {
        // An invalid constraint was refused when the promise was published; here it matches nothing.
        let constraint = requirement.version.as_deref().map(semver::VersionReq::parse).transpose();
        let fits = |version: &str| match (&constraint, semver::Version::parse(version)) {
            (Ok(None), _) => true,
            (Ok(Some(constraint)), Ok(version)) => constraint.matches(&version),
            (Err(_), _) | (_, Err(_)) => false,
        };
        let met = present.promises.iter().any(|(name, version)| name == promise && fits(version));
        let version = requirement.version.as_ref().map(|version| format!(" in version {version}")).unwrap_or_default();
        return (!met).then(|| format!("a working instance of {promise}{version}"));
    }
    let (group, kind) = requirement.api.as_ref()?.split_once('/')?;
    let destination = requirement.destination.as_deref();
    let place = destination.map(|name| format!(" at {name}")).unwrap_or_default();
    (!(present.serves)(group, kind, destination)).then(|| format!("the kind {kind} of {group}{place}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_there_is_named() {
        let promise = |name: &str, version: Option<&str>| Requirement {
            promise: Some(name.into()),
            version: version.map(str::to_owned),
            ..Requirement::default()
        };
        let api = |destination: Option<&str>| Requirement {
            api: Some("postgresql.cnpg.io/Cluster".into()),
            destination: destination.map(str::to_owned),
            ..Requirement::default()
        };
        let requires = [
            promise("cert-manager", Some(">=1")),
            promise("cert-manager", Some(">=2")),
            promise("redis", None),
            api(Some("eu-1")),
            api(Some("eu-2")),
        ];
        let promises = [("cert-manager".to_owned(), "1.4.0".to_owned())];
        let serves = |group: &str, kind: &str, place: Option<&str>| (group, kind, place) == ("postgresql.cnpg.io", "Cluster", Some("eu-1"));
        assert_eq!(
            missing(&requires, &Present { promises: &promises, serves: &serves }),
            [
                "a working instance of cert-manager in version >=2",
                "a working instance of redis",
                "the kind Cluster of postgresql.cnpg.io at eu-2"
            ]
        );
    }
}
