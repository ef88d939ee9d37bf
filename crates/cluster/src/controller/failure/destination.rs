//! Why a Destination, or a kind beside a request, can't be used.

use std::fmt;

use promise::publish::claimed_kinds;

use crate::endpoint::KubeconfigError;

/// Why a Destination can't be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DestinationFailure {
    /// Name of the Destination.
    pub name: String,
    /// What is wrong with it.
    pub kind: DestinationFailureKind,
}

/// What is wrong with a Destination.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DestinationFailureKind {
    /// The place of its home in the tree isn't known.
    HomeUnverified,
    /// It is in a home whose Destinations aren't used.
    HomeNotTrusted {
        /// Path of its home.
        home: String,
    },
    /// Its home has none of this name.
    Missing {
        /// Path of the home.
        home: String,
    },
    /// Promises of this home have none of this name.
    NotOffered {
        /// Path of the promise's home.
        home: String,
    },
    /// The promise's home isn't known, so its Destinations aren't either.
    PromiseHomeUnknown,
    /// It has no uid.
    NoUid,
    /// It names no Secret.
    NoCredential,
    /// Its Secret has no such key.
    NoKubeconfig {
        /// The key.
        key: &'static str,
    },
    /// The kubeconfig in its Secret isn't accepted.
    InvalidKubeconfig(KubeconfigError),
    /// The client was created again since the cluster was identified.
    CredentialChanged,
    /// It didn't respond before, and one caller checks whether it is back.
    NoResponse,
    /// It didn't respond in time.
    TimedOut {
        /// How long the controller waited.
        seconds: u64,
    },
    /// It doesn't serve a kind.
    KindNotServed {
        /// The kind.
        kind: String,
        /// Its group and version.
        api_version: String,
    },
}

impl DestinationFailureKind {
    /// Returns the failure of the Destination of this name.
    pub fn of(self, name: &str) -> DestinationFailure {
        DestinationFailure { name: name.to_owned(), kind: self }
    }
}

impl fmt::Display for DestinationFailure {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        use DestinationFailureKind as Kind;
        let name = &self.name;
        match &self.kind {
            Kind::HomeUnverified => write!(to, "The home workspace of the destination {name} isn't verified."),
            Kind::HomeNotTrusted { home } => {
                write!(to, "The destination {name} isn't used because {home} isn't a trusted home of this platform.")
            }
            Kind::Missing { home } => write!(to, "There is no destination {name} in {home}."),
            Kind::NotOffered { home } => {
                write!(to, "There is no destination {name} for promises of {home}. Ask the platform team to create it.")
            }
            Kind::PromiseHomeUnknown => {
                write!(to, "The home workspace of the promise isn't known, so the destination {name} isn't either.")
            }
            Kind::NoUid => write!(to, "The destination {name} has no uid."),
            Kind::NoCredential => write!(to, "The destination {name} has no credential. Its owner must set secretRef."),
            Kind::NoKubeconfig { key } => write!(to, "The credential of the destination {name} has no key {key}."),
            Kind::InvalidKubeconfig(error) => write!(to, "The credential of the destination {name} isn't accepted: {error}."),
            Kind::CredentialChanged => write!(to, "The credential of the destination {name} has changed. The controller tries again."),
            Kind::NoResponse => write!(to, "The destination {name} doesn't respond. The controller tries again."),
            Kind::TimedOut { seconds } => write!(to, "The destination {name} didn't respond within {seconds} seconds."),
            Kind::KindNotServed { kind, api_version } => {
                write!(to, "The destination {name} doesn't serve the kind {kind} of {api_version}.")
            }
        }
    }
}

impl std::error::Error for DestinationFailure {}

/// Why a kind can't be created beside a request.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum KindFailure {
    /// The requests export doesn't claim it.
    #[error("A {kind} can't be created in a workspace, only {} and PromiseRequest can. Name a destination for it.", claimed_kinds())]
    NotClaimed {
        /// The kind.
        kind: String,
    },
    /// The cluster doesn't serve it.
    #[error("This cluster doesn't serve the kind {kind} of {api_version}. Install its API, or name a destination for it.")]
    NotServed {
        /// The kind.
        kind: String,
        /// Its group and version.
        api_version: String,
    },
    /// It has no namespace.
    #[error("A {kind} has no namespace, and only objects in the request's namespace can be created beside it. Name a destination for it.")]
    ClusterScoped {
        /// The kind.
        kind: String,
    },
}

#[cfg(test)]
mod tests {
    use super::{DestinationFailureKind as Kind, KindFailure};
    use crate::endpoint::KubeconfigError;

    #[test]
    fn every_failure_names_the_destination() {
        let text = str::to_owned;
        for (kind, sentence) in [
            (Kind::HomeUnverified, "The home workspace of the destination eu-1 isn't verified."),
            (
                Kind::HomeNotTrusted { home: text("root:acme") },
                "The destination eu-1 isn't used because root:acme isn't a trusted home of this platform.",
            ),
            (Kind::Missing { home: text("root:acme") }, "There is no destination eu-1 in root:acme."),
            (
                Kind::NotOffered { home: text("root:acme") },
                "There is no destination eu-1 for promises of root:acme. Ask the platform team to create it.",
            ),
            (Kind::PromiseHomeUnknown, "The home workspace of the promise isn't known, so the destination eu-1 isn't either."),
            (Kind::NoUid, "The destination eu-1 has no uid."),
            (Kind::NoCredential, "The destination eu-1 has no credential. Its owner must set secretRef."),
            (Kind::NoKubeconfig { key: "kubeconfig" }, "The credential of the destination eu-1 has no key kubeconfig."),
            (
                Kind::InvalidKubeconfig(KubeconfigError::Missing("server")),
                "The credential of the destination eu-1 isn't accepted: the kubeconfig has no server.",
            ),
            (Kind::CredentialChanged, "The credential of the destination eu-1 has changed. The controller tries again."),
            (Kind::NoResponse, "The destination eu-1 doesn't respond. The controller tries again."),
            (Kind::TimedOut { seconds: 10 }, "The destination eu-1 didn't respond within 10 seconds."),
            (
                Kind::KindNotServed { kind: text("Deployment"), api_version: text("apps/v1") },
                "The destination eu-1 doesn't serve the kind Deployment of apps/v1.",
            ),
        ] {
            assert_eq!(kind.of("eu-1").to_string(), sentence);
        }
    }

    #[test]
    fn a_kind_that_cannot_be_created_beside_a_request_needs_a_destination() {
        let kind = || "Deployment".to_owned();
        for failure in [
            KindFailure::NotClaimed { kind: kind() },
            KindFailure::NotServed { kind: kind(), api_version: "apps/v1".to_owned() },
            KindFailure::ClusterScoped { kind: kind() },
        ] {
            let sentence = failure.to_string();
            assert!(sentence.contains("Deployment") && sentence.to_lowercase().contains("name a destination for it."), "{sentence}");
        }
    }
}
