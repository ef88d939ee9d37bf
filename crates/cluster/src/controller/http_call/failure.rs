//! Why a call has no answer, and the words for it.

use std::net::IpAddr;

use promise::Problem;
use promise::endpoint::PathError;

use crate::controller::failure::Failure;
use crate::controller::governance::problems_in_words;

/// Why a call has no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::controller) enum HttpFailure {
    /// The place of a home in the tree isn't known.
    HomeUnknown,
    /// There is no Endpoint of this name.
    Missing { home: String },
    /// The Endpoint is in a home whose Endpoints aren't used.
    OwnerNotTrusted { owner: String },
    /// The Endpoint doesn't list the promise's home.
    HomeNotAllowed { home: String, owner: String },
    /// The Endpoint isn't well-formed.
    Invalid { problems: Vec<Problem> },
    /// The certificates of the Endpoint can't be read.
    InvalidCertificates,
    /// The Secret with the credential can't be read.
    CredentialUnread(Failure),
    /// The Secret is the credential of a Destination.
    CredentialOfDestination { secret: String },
    /// The Secret has no such key.
    CredentialKey { secret: String, key: String },
    /// The value of the key can't be sent.
    CredentialText { secret: String, key: String },
    /// The Endpoint doesn't list the method.
    Method { method: String },
    /// The Endpoint doesn't list the path.
    Path { path: String },
    /// The path can't be used anywhere.
    InvalidPath { path: String, error: PathError },
    /// The key of the call can't be sent.
    InvalidKey,
    /// The host has no address.
    Unresolved { host: String },
    /// The host has an address that the Endpoint doesn't list.
    Address { host: String, address: IpAddr },
    /// The host doesn't accept connections.
    Unreachable { host: String },
    /// The certificate of the server isn't accepted, with the error of the TLS library.
    Untrusted { host: String, error: Option<String> },
    /// The server closed the connection.
    Closed { host: String },
    /// The call took too long.
    TimedOut { seconds: u64 },
    /// The answer is too large.
    TooLarge,
    /// The server redirects to another address.
    Redirected { status: u16 },
}

impl HttpFailure {
    /// Whether the same call might succeed although no one does anything.
    pub(in crate::controller) fn is_transient(&self) -> bool {
        match self {
            Self::HomeUnknown | Self::Unresolved { .. } | Self::Unreachable { .. } | Self::Closed { .. } | Self::TimedOut { .. } => true,
            Self::CredentialUnread(failure) => failure.transient,
            _ => false,
        }
    }

    /// Returns the reason of the condition `Valid` of an Endpoint that can't be called.
    pub(in crate::controller) fn reason(&self) -> &'static str {
        match self {
            Self::HomeUnknown | Self::OwnerNotTrusted { .. } => "NotTrusted",
            _ if self.is_about_credential() => "NoCredential",
            _ => "Invalid",
        }
    }

    /// Whether only the credential is wrong.
    pub(in crate::controller) fn is_about_credential(&self) -> bool {
        matches!(
            self,
            Self::CredentialUnread(_) | Self::CredentialOfDestination { .. } | Self::CredentialKey { .. } | Self::CredentialText { .. }
        )
    }
}

/// Returns sentences about a failed call to the Endpoint of this name.
pub(in crate::controller) fn describe(name: &str, failure: &HttpFailure) -> String {
    match failure {
        HttpFailure::HomeUnknown => format!("The home workspace of the endpoint {name} isn't verified."),
        HttpFailure::Missing { home } => {
            format!("There is no endpoint {name} for promises of {home}. Ask the platform team to create it.")
        }
        HttpFailure::OwnerNotTrusted { owner } => {
            format!("The endpoint {name} isn't used because {owner} isn't a trusted home of this platform.")
        }
        HttpFailure::HomeNotAllowed { home, owner } => {
            format!("The endpoint {name} doesn't serve promises of {home}. Its owner, {owner}, can add it to allowedHomes.")
        }
        HttpFailure::Invalid { problems } => format!("The endpoint {name} is invalid. {}", problems_in_words(problems)),
        HttpFailure::InvalidCertificates => format!("The certificates in caBundle of the endpoint {name} can't be read."),
        HttpFailure::CredentialUnread(failure) => failure.to_string(),
        HttpFailure::CredentialOfDestination { secret } => {
            format!(
                "The Secret {secret} is the credential of a destination, which isn't sent to the endpoint {name}. Create another Secret."
            )
        }
        HttpFailure::CredentialKey { secret, key } => format!("The Secret {secret} of the endpoint {name} has no key {key}."),
        HttpFailure::CredentialText { secret, key } => {
            format!("The value of the key {key} in the Secret {secret} of the endpoint {name} can't be sent in a header.")
        }
        HttpFailure::Method { method } => {
            format!("The endpoint {name} doesn't allow the method {method}. Its owner can add it to methods.")
        }
        HttpFailure::Path { path } => format!("The endpoint {name} doesn't allow the path {path}. Its owner can add it to paths."),
        HttpFailure::InvalidPath { path, error } => format!("{path} can't be called at the endpoint {name}: {error}."),
        HttpFailure::InvalidKey => format!("The endpoint {name} wasn't called because the key of the call can't be sent in a header."),
        HttpFailure::Unresolved { host } => format!("{host}, the host of the endpoint {name}, has no address."),
        HttpFailure::Address { host, address } => format!(
            "{host}, the host of the endpoint {name}, has the address {address}, which isn't public or isn't reached by https. Its owner \
             can add it to addresses."
        ),
        HttpFailure::Unreachable { host } => format!("{host}, the host of the endpoint {name}, doesn't accept connections."),
        HttpFailure::Untrusted { host, error } => {
            let error = error.as_ref().map(|error| format!(": {}", error.trim_end_matches('.'))).unwrap_or_default();
            format!("The certificate of {host}, the host of the endpoint {name}, isn't accepted{error}.")
        }
        HttpFailure::Closed { host } => format!("{host}, the host of the endpoint {name}, closed the connection."),
        HttpFailure::TimedOut { seconds } => format!("The endpoint {name} didn't answer within {seconds} seconds."),
        HttpFailure::TooLarge => format!("The answer of the endpoint {name} is larger than 64 KiB."),
        HttpFailure::Redirected { status } => {
            format!("The endpoint {name} answered with a redirect ({status}), which isn't followed. Its owner can correct url.")
        }
    }
}
