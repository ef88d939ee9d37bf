//! The token with which the portal acts for a person: the one that they brought, or the portal's own, impersonating them on a control plane
//! that doesn't trust their identity provider.

use cluster::{ImpersonationError, Token};

use crate::portal::Portal;

/// Why a token has names that the portal doesn't act as.
#[derive(Debug, thiserror::Error)]
pub(crate) enum BearerError {
    /// The identity provider sends a name that isn't impersonated.
    #[error(transparent)]
    Claims(#[from] oidc::Error),
    /// The control plane's own names aren't impersonated.
    #[error(transparent)]
    Name(#[from] ImpersonationError),
}

/// Returns the token with which the portal acts for the holder of `text`, which the identity provider `provider` issued, if any.
///
/// # Errors
/// If the portal impersonates people of the provider, and not with these names. Nothing is sent then.
pub(crate) fn token(portal: &Portal, provider: Option<&str>, text: &str) -> Result<Token, BearerError> {
    let provider = provider.and_then(|name| portal.sign_in.provider(name));
    match provider.map(|provider| provider.impersonated(text)).transpose()?.flatten() {
        Some(person) => Ok(portal.token.impersonating(&person.username, &person.groups)?),
        None => Ok(Token::new(text)),
    }
}
