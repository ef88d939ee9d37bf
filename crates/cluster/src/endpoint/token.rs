//! Bearer tokens, which never show in logs and can be renewed while they are in use.

use std::fmt;
use std::sync::Arc;

use http::header::HeaderValue;
use parking_lot::RwLock;

/// A bearer token. Clones share it: renewing a token renews it for every client that was created with it.
#[derive(Clone)]
pub struct Token(Arc<RwLock<Kept>>);

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
        Self(Arc::new(RwLock::new(Kept::new(token.into()))))
    }

    /// Returns the text of the token, for the one place that sends it and the one that seals it.
    pub fn expose(&self) -> Arc<str> {
        self.0.read().text.clone()
    }

    /// Replaces the token with another one of the same identity.
    pub fn renew(&self, token: impl Into<Arc<str>>) {
        *self.0.write() = Kept::new(token.into());
    }

    /// Returns the value of the `Authorization` header.
    pub(super) fn header(&self) -> HeaderValue {
        self.0.read().header.clone()
    }
}

impl PartialEq for Token {
    fn eq(&self, other: &Self) -> bool {
        self.expose() == other.expose()
    }
}

impl Eq for Token {}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(…)")
    }
}
