//! Bearer tokens, which never show in logs and can be renewed while they are in use. One can act as another person, by impersonation.

use std::fmt;
use std::sync::Arc;

use http::header::HeaderValue;
use parking_lot::RwLock;

/// A bearer token. Clones share it: renewing a token renews it for every client that was created with it.
#[derive(Clone)]
pub struct Token {
    kept: Arc<RwLock<Kept>>,
    /// The person that its holder acts as; itself if absent.
    acts_as: Option<Arc<Impersonated>>,
}

/// A person as headers name them.
#[derive(PartialEq, Eq)]
struct Impersonated {
    user: HeaderValue,
    groups: Vec<HeaderValue>,
}

/// A name that no token impersonates.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ImpersonationError {
    /// It belongs to the control plane itself, such as `system:masters`, whose members can do everything. RBAC can't exclude these names
    /// from the permission to impersonate, because it has no patterns, so this is what does.
    #[error("{0:?} belongs to the control plane")]
    Reserved(String),
    /// It is empty, or can't be in a header as it is.
    #[error("{0:?} can't be sent as a name")]
    Unsendable(String),
}

/// What names of the control plane's own users and groups begin with.
const RESERVED: &str = "system:";

/// Returns a name as a header, for names that can be impersonated.
fn named(name: &str) -> Result<HeaderValue, ImpersonationError> {
    let start = name.trim_start();
    if start.get(..RESERVED.len()).is_some_and(|start| start.eq_ignore_ascii_case(RESERVED)) {
        return Err(ImpersonationError::Reserved(name.to_owned()));
    }
    // A header loses spaces around its value, and ends with its line.
    let unsendable = || ImpersonationError::Unsendable(name.to_owned());
    if name.is_empty() || name.trim() != name || name.chars().any(char::is_control) {
        return Err(unsendable());
    }
    HeaderValue::from_bytes(name.as_bytes()).map_err(|_| unsendable())
}

struct Kept {
    text: Arc<str>,
    /// Value of the `Authorization` header.
    header: HeaderValue,
}

impl Kept {
    fn new(text: Arc<str>) -> Self {
        // A token that doesn't fit in a header can't belong to anyone. It is sent as an empty one, which the control plane refuses.
        let mut header = HeaderValue::try_from(format!("Bearer {text}")).unwrap_or(HeaderValue::from_static("Bearer"));
        header.set_sensitive(true);
        Self { text, header }
    }
}

impl Token {
    /// Creates a token from its text as the control plane knows it.
    pub fn new(token: impl Into<Arc<str>>) -> Self {
        Self { kept: Arc::new(RwLock::new(Kept::new(token.into()))), acts_as: None }
    }

    /// Returns a token with which its holder acts as a person, with these groups and those that the control plane adds. The control plane
    /// decides whether the holder is allowed to.
    ///
    /// # Errors
    /// If a name belongs to the control plane, or can't be sent. Nothing is sent then.
    pub fn impersonating(&self, user: &str, groups: &[String]) -> Result<Self, ImpersonationError> {
        let groups = groups.iter().map(|group| named(group)).collect::<Result<_, _>>()?;
        Ok(Self { kept: self.kept.clone(), acts_as: Some(Arc::new(Impersonated { user: named(user)?, groups })) })
    }

    /// Checks whether its holder acts as another person.
    pub fn is_impersonating(&self) -> bool {
        self.acts_as.is_some()
    }

    /// Returns the user and the groups that it acts as, as values of headers.
    pub(super) fn acts_as(&self) -> Option<(&HeaderValue, &[HeaderValue])> {
        self.acts_as.as_ref().map(|person| (&person.user, person.groups.as_slice()))
    }

    /// Returns the text of the token, for the one place that sends it and the one that seals it.
    pub fn expose(&self) -> Arc<str> {
        self.kept.read().text.clone()
    }

    /// Replaces the token with another one of the same identity.
    pub fn renew(&self, token: impl Into<Arc<str>>) {
        *self.kept.write() = Kept::new(token.into());
    }

    /// Returns the value of the `Authorization` header.
    pub(super) fn header(&self) -> HeaderValue {
        self.kept.read().header.clone()
    }
}

impl PartialEq for Token {
    fn eq(&self, other: &Self) -> bool {
        self.acts_as == other.acts_as && self.expose() == other.expose()
    }
}

impl Eq for Token {}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_one_of_the_control_plane_is_impersonated() {
        let token = Token::new("t");
        let error = |user: &str, groups: &[&str]| {
            let groups: Vec<String> = groups.iter().map(|group| (*group).to_owned()).collect();
            token.impersonating(user, &groups).unwrap_err()
        };
        for name in ["system:admin", "system:serviceaccount:a:b", "System:Masters", " system:masters", "\tsystem:masters"] {
            assert_eq!(error(name, &[]), ImpersonationError::Reserved(name.to_owned()));
            assert_eq!(error("dana", &["shop", name]), ImpersonationError::Reserved(name.to_owned()));
        }
        for name in ["", "dana ", "dana\r\nImpersonate-Group: system:masters", "dana\0"] {
            assert_eq!(error(name, &[]), ImpersonationError::Unsendable(name.to_owned()));
            assert_eq!(error("dana", &[name]), ImpersonationError::Unsendable(name.to_owned()));
        }
    }

    #[test]
    fn a_token_of_one_person_is_not_that_of_another() {
        let token = Token::new("t");
        let dana = token.impersonating("dana", &["shop".to_owned()]).unwrap();
        assert_eq!(dana, token.impersonating("dana", &["shop".to_owned()]).unwrap());
        for other in [token.clone(), token.impersonating("dana", &[]).unwrap(), token.impersonating("eve", &["shop".to_owned()]).unwrap()] {
            assert_ne!(dana, other);
        }
        assert!(token.impersonating("jürgen", &[]).is_ok());
        token.renew("t2");
        assert_eq!(dana.expose().as_ref(), "t2", "it is renewed with the token of its holder");
        assert!(!format!("{dana:?}").contains("t2"));
    }
}
