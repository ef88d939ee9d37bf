//! Why a sign-in, or a new token, didn't work out.

use std::fmt::Display;

use openidconnect::{ClaimsVerificationError, DiscoveryError, ErrorResponseType, RequestTokenError, StandardErrorResponse};

use crate::http_client::HttpError;
use crate::names::NameProblem;

/// The code with which a provider refuses a code or refresh token that doesn't count any more (RFC 6749, section 5.2).
const INVALID_GRANT: &str = "invalid_grant";
/// Error code for a device sign-in that wasn't finished in time (RFC 8628, section 3.5).
const EXPIRED_TOKEN: &str = "expired_token";

/// Why the provider's part of a sign-in failed. No text contains a token, a code or a secret.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The provider doesn't respond, or not over a connection that can be trusted.
    #[error("the identity provider can't be reached")]
    Unreachable(#[source] HttpError),
    /// The provider's answer isn't what the protocol says.
    #[error("the identity provider's answer can't be used: {0}")]
    Answer(String),
    /// The provider refused the code or the refresh token.
    #[error("the identity provider refused: {code} {description}")]
    Refused {
        /// The error code of the protocol.
        code: String,
        /// What the provider says about it.
        description: String,
    },
    /// The answer to the browser came from another issuer than the one that was asked (RFC 9207).
    #[error("the answer doesn't come from the issuer {0}")]
    OtherIssuer(String),
    /// The id token isn't valid.
    #[error("the id token isn't valid")]
    IdToken(#[source] ClaimsVerificationError),
    /// The id token was issued to another application.
    #[error("the id token was issued to another application, {0:?}")]
    OtherParty(String),
    /// The new id token is about another person than the session.
    #[error("the new id token is about another person")]
    OtherPerson,
    /// The id token lacks the claim that usernames are made of.
    #[error("the id token has no claim {0}, of which the control plane makes usernames")]
    NoClaim(String),
    /// The id token doesn't say when the person authenticated, although the provider was asked for it.
    #[error("the id token doesn't say when the person authenticated (claim auth_time)")]
    NoAuthenticationTime,
    /// The provider was asked to authenticate the person again and didn't.
    #[error("the person authenticated too long ago (claim auth_time)")]
    AuthenticatedTooLongAgo,
    /// A claim of the id token has a name that the portal doesn't impersonate.
    #[error("the portal doesn't impersonate anyone with the claim {claim}: {problem}")]
    NotImpersonated {
        /// The claim.
        claim: String,
        /// What is wrong with it.
        problem: NameProblem,
    },
    /// The logout token isn't valid.
    #[error("the logout token isn't valid: {0}")]
    LogoutToken(&'static str),
}

impl Error {
    /// Checks whether the code for another device has expired.
    pub fn is_expired(&self) -> bool {
        matches!(self, Self::Refused { code, .. } if code == EXPIRED_TOKEN)
    }

    /// Checks whether a session can't continue: the provider, or its new token, says that it is over.
    pub fn ends_session(&self) -> bool {
        match self {
            Self::Unreachable(_) | Self::Answer(_) => false,
            Self::Refused { code, .. } => code == INVALID_GRANT,
            _ => true,
        }
    }
}

impl From<DiscoveryError<HttpError>> for Error {
    fn from(error: DiscoveryError<HttpError>) -> Self {
        match error {
            DiscoveryError::Request(error) => Self::Unreachable(error),
            DiscoveryError::Parse(error) => Self::Answer(format!("the field {} isn't as it should be", error.path())),
            error => Self::Answer(error.to_string()),
        }
    }
}

impl<T: ErrorResponseType + Display + 'static> From<RequestTokenError<HttpError, StandardErrorResponse<T>>> for Error {
    fn from(error: RequestTokenError<HttpError, StandardErrorResponse<T>>) -> Self {
        match error {
            RequestTokenError::Request(error) => Self::Unreachable(error),
            RequestTokenError::ServerResponse(response) => {
                Self::Refused { code: response.error().to_string(), description: response.error_description().cloned().unwrap_or_default() }
            }
            // The body could contain tokens, and so could the text of the error.
            RequestTokenError::Parse(error, _) => Self::Answer(format!("the field {} isn't as it should be", error.path())),
            RequestTokenError::Other(text) => Self::Answer(text),
        }
    }
}
