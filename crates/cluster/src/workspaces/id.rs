//! Stable identity of a workspace.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Id of a logical cluster, such as `2abc9d0e1f2g3h4i` or `root`. Paths can be reused, ids cannot.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ClusterId(String);

/// Text that is no id of a logical cluster.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("\"{0}\" is not the id of a workspace: lower-case letters, digits and inner hyphens, at most 63")]
pub struct InvalidClusterId(pub String);

impl ClusterId {
    /// Reads an id. Errors: anything outside kcp's grammar of one segment, so that an id can stand in a URL as it is.
    pub fn parse(text: &str) -> Result<Self, InvalidClusterId> {
        if is_segment(text) { Ok(Self(text.to_owned())) } else { Err(InvalidClusterId(text.to_owned())) }
    }

    /// The logical cluster at the top of the tree.
    pub fn root() -> Self {
        Self("root".to_owned())
    }

    /// As it stands in URLs and in the annotation `kcp.io/cluster`.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ClusterId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl TryFrom<String> for ClusterId {
    type Error = InvalidClusterId;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::parse(&text)
    }
}

impl From<ClusterId> for String {
    fn from(id: ClusterId) -> Self {
        id.0
    }
}

/// One segment of kcp's grammar: `[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?`.
pub(super) fn is_segment(text: &str) -> bool {
    let bytes = text.as_bytes();
    let plain = |b: &u8| b.is_ascii_lowercase() || b.is_ascii_digit();
    (1..=63).contains(&bytes.len())
        && bytes.iter().all(|b| plain(b) || *b == b'-')
        && bytes.first().is_some_and(plain)
        && bytes.last().is_some_and(plain)
}
