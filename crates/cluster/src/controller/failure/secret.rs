//! Why a Secret can't be used.

use promise::keyed::DigestKey;
use promise::names;
use promise::revision::CanonicalError;

use crate::controller::refusals::CallRemedy;
use crate::install::{KEYS, ROLE_INPUTS};
use crate::topology::Topology;

/// Why a Secret can't be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SecretFailure {
    /// A Secret that secret parameters refer to doesn't exist.
    #[error("The Secret {secret} that {path} refers to doesn't exist in the namespace {namespace}. Create it.")]
    Missing {
        /// Its name.
        secret: String,
        /// Path of the parameter.
        path: String,
        /// Namespace of the request.
        namespace: String,
    },
    /// A Secret that secret parameters refer to has no such key.
    #[error("The Secret {secret} has no key {key}, which {path} refers to. Add it.")]
    MissingKey {
        /// Its name.
        secret: String,
        /// The key.
        key: String,
        /// Path of the parameter.
        path: String,
    },
    /// The value of a key that was typed is gone.
    #[error("The Secret {secret} has no key {key}. Enter the secret again.")]
    NoLongerTyped {
        /// Its name.
        secret: String,
        /// The key.
        key: String,
    },
    /// Its owner didn't label it as inputs.
    #[error("The Secret {secret} isn't labeled for requests. Its owner must add the label {}={}.", names::SECRET_ROLE_LABEL, ROLE_INPUTS)]
    NotLabeled {
        /// Its name.
        secret: String,
    },
    /// It was typed for another request.
    #[error("The Secret {secret} belongs to the request {other}. Create a Secret for {request} instead.")]
    OfOtherRequest {
        /// Its name.
        secret: String,
        /// The other request.
        other: String,
        /// The request that refers to it.
        request: String,
    },
    /// A value has no digest.
    #[error("The Secret {secret} can't be used: {error}.")]
    NoDigest {
        /// Its name.
        secret: String,
        /// Why.
        error: CanonicalError,
    },
    /// It holds another value than the accepted one.
    #[error("The Secret {secret} has changed.")]
    Changed {
        /// Its name.
        secret: String,
    },
    /// Its owner didn't label it as the credential of a Destination or an Endpoint.
    #[error("The Secret {secret} isn't the credential of a destination or an endpoint. {}", CallRemedy::LabelCredential(.topology.clone()))]
    NotACredential {
        /// Its name.
        secret: String,
        /// How workspaces are represented.
        topology: Topology,
    },
    /// The controller's own Secret has no key for digests.
    #[error(
        "The {} has no key {key} of {} bytes. The platform team can delete it: the controller then creates a new one and applies \
         every object again.",
        .topology.own_object("Secret", KEYS), DigestKey::LENGTH
    )]
    NoDigestKey {
        /// The key in its data.
        key: &'static str,
        /// How workspaces are represented.
        topology: Topology,
    },
}

#[cfg(test)]
mod tests {
    use super::SecretFailure;
    use crate::topology::Topology;

    #[test]
    fn every_failure_names_the_secret_and_the_fix() {
        let text = str::to_owned;
        let (secret, topology) = (|| text("web"), || Topology::Namespaces);
        for (failure, words) in [
            (
                SecretFailure::Missing { secret: secret(), path: text(".password"), namespace: text("shop") },
                "The Secret web that .password refers to doesn't exist in the namespace shop. Create it.",
            ),
            (
                SecretFailure::MissingKey { secret: secret(), key: text("a"), path: text(".password") },
                "The Secret web has no key a, which .password refers to. Add it.",
            ),
            (SecretFailure::NoLongerTyped { secret: secret(), key: text("a") }, "The Secret web has no key a. Enter the secret again."),
            (SecretFailure::NotLabeled { secret: secret() }, "The Secret web isn't labeled for requests. Its owner must add the label "),
            (
                SecretFailure::OfOtherRequest { secret: secret(), other: text("orders"), request: text("shop") },
                "The Secret web belongs to the request orders. Create a Secret for shop instead.",
            ),
            (SecretFailure::Changed { secret: secret() }, "The Secret web has changed."),
            (
                SecretFailure::NotACredential { secret: secret(), topology: topology() },
                "The Secret web isn't the credential of a destination or an endpoint. It needs the label ",
            ),
            (
                SecretFailure::NoDigestKey { key: "digests", topology: topology() },
                "The Secret opm-system/opm-controller-keys has no key digests of 32 bytes.",
            ),
        ] {
            let sentence = failure.to_string();
            assert!(sentence.starts_with(words) && sentence.ends_with('.'), "{sentence}");
        }
    }
}
