//! What a provider issues.

use std::fmt;

use jiff::Timestamp;
use openidconnect::core::CoreClient;
use openidconnect::{EndpointMaybeSet, EndpointNotSet, EndpointSet};

/// The portal as a client of a provider that was discovered.
pub(crate) type Client = CoreClient<EndpointSet, EndpointNotSet, EndpointNotSet, EndpointNotSet, EndpointMaybeSet, EndpointMaybeSet>;

/// What a provider issued for a person. The id token is verified.
#[derive(Clone, PartialEq, Eq)]
pub struct Tokens {
    /// The id token, a bearer token of planes that trust the issuer.
    pub id_token: String,
    /// When it expires.
    pub expires: Timestamp,
    /// Gets the next tokens, once.
    pub refresh_token: Option<String>,
    /// The provider's id of the person.
    pub subject: String,
    /// The provider's id of the session.
    pub sid: Option<String>,
    /// When the person proved who they are, as far as the provider says it.
    pub authenticated: Option<Timestamp>,
}

impl fmt::Debug for Tokens {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tokens").field("expires", &self.expires).finish_non_exhaustive()
    }
}
