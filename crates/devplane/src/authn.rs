//! Who is asking: bearer tokens, anonymous requests and impersonation headers. Tokens are known here, made by the plane for a service account,
//! or made by an issuer of the configuration.
//! Source: apiserver `endpoints/filters/authentication.go`, `authentication/request`.
//!
//! A request with a bearer token that is not known is refused, whatever it asks for. A request without one, or with another
//! scheme, is the anonymous user. Impersonation is decided in [`impersonation`], after authentication and before everything else.

pub mod configuration;
pub mod impersonation;
pub mod issuers;
pub mod service_accounts;

use std::collections::{BTreeMap, HashMap};

use http::HeaderMap;
use http::header::AUTHORIZATION;
use sha2::{Digest, Sha256};

use crate::plane::Token;
use crate::request::User;

/// The group of everybody who presented a valid token.
pub const AUTHENTICATED: &str = "system:authenticated";
/// The group of everybody who did not.
pub const UNAUTHENTICATED: &str = "system:unauthenticated";
/// The name of everybody who did not.
pub const ANONYMOUS: &str = "system:anonymous";
/// Members may do everything and are not subject to role rules.
pub const MASTERS: &str = "system:masters";
/// Administrators of all workspaces; their rights come from a built-in binding.
pub const WORKSPACES_ADMIN: &str = "system:kcp:admin";

/// The request carries a bearer token that nobody owns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("Unauthorized")]
pub struct UnknownToken;

/// Knows all tokens. Their digests are the keys, so that looking one up tells nothing by its duration.
#[derive(Debug, Default)]
pub struct Authenticator {
    users: HashMap<[u8; 32], User>,
}

impl Authenticator {
    /// An authenticator for these tokens; of two equal ones the last counts.
    pub fn new(tokens: impl IntoIterator<Item = Token>) -> Self {
        let users = tokens.into_iter().map(|token| {
            let mut groups = token.groups;
            if !groups.iter().any(|group| group == AUTHENTICATED) {
                groups.push(AUTHENTICATED.into());
            }
            (digest(&token.token), User { name: token.username, uid: token.uid, groups, extra: BTreeMap::new() })
        });
        Self { users: users.collect() }
    }

    /// The user that a bearer token stands for.
    pub fn user_of(&self, token: &str) -> Option<&User> {
        self.users.get(&digest(token))
    }

    /// The user behind a request, before impersonation. Tokens that are not known here are asked of `others`.
    ///
    /// # Errors
    /// [`UnknownToken`] when a bearer token is sent that nobody owns.
    pub fn authenticate(&self, headers: &HeaderMap, others: impl FnOnce(&str) -> Option<User>) -> Result<User, UnknownToken> {
        match bearer(headers) {
            None => Ok(User::anonymous()),
            Some(token) => self.user_of(token).cloned().or_else(|| others(token)).ok_or(UnknownToken),
        }
    }
}

/// The bearer token of a request: the word after the scheme. Other schemes count as none, and so does a second space.
pub fn bearer(headers: &HeaderMap) -> Option<&str> {
    let mut words = headers.get(AUTHORIZATION)?.to_str().ok()?.trim().split(' ');
    let scheme = words.next()?;
    words.next().filter(|token| scheme.eq_ignore_ascii_case("bearer") && !token.is_empty())
}

fn digest(token: &str) -> [u8; 32] {
    Sha256::digest(token.as_bytes()).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn authenticator() -> Authenticator {
        Authenticator::new([Token { token: "t".into(), username: "alice".into(), uid: "1".into(), groups: vec!["team-a".into()] }])
    }

    fn headers(value: &str) -> HeaderMap {
        HeaderMap::from_iter([(AUTHORIZATION, value.parse().unwrap())])
    }

    #[test]
    fn a_known_token_is_its_user_and_authenticated() {
        let user = authenticator().authenticate(&headers("Bearer t"), |_| None).unwrap();
        assert_eq!((user.name.as_str(), user.uid.as_str()), ("alice", "1"));
        assert_eq!(user.groups, ["team-a", AUTHENTICATED]);
    }

    #[test]
    fn an_unknown_token_is_refused_and_another_scheme_is_anonymous() {
        assert_eq!(authenticator().authenticate(&headers("Bearer wrong"), |_| None), Err(UnknownToken));
        assert_eq!(authenticator().authenticate(&headers("Basic YTpi"), |_| None), Ok(User::anonymous()));
        assert_eq!(authenticator().authenticate(&HeaderMap::new(), |_| None), Ok(User::anonymous()));
        assert_eq!(authenticator().authenticate(&headers("Bearer  t"), |_| None), Ok(User::anonymous()));
        assert_eq!(authenticator().authenticate(&headers("bearer t x"), |_| None).unwrap().name, "alice");
    }
}
