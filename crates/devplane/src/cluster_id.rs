//! Names of logical clusters.
//! Source: kcp `sdk/apis/core/v1alpha1` (names of logical clusters).

use std::{fmt, sync::Arc};

/// The id of a logical cluster: `root`, the sandbox, or the random word of a workspace. Cheap to clone.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ClusterId(Arc<str>);

impl ClusterId {
    /// The plain Kubernetes cluster at the top of the plane's paths. No workspace has this id.
    pub fn sandbox() -> Self {
        Self("sandbox".into())
    }

    /// The root of the tree of workspaces.
    pub fn root() -> Self {
        Self("root".into())
    }

    /// An id that nothing ever has: requests that lead nowhere end there.
    pub fn nowhere() -> Self {
        Self("nowhere".into())
    }

    /// The id with this text, or none where it is not one: `[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?`.
    pub fn parse(text: &str) -> Option<Self> {
        let bytes = text.as_bytes();
        let inner = |b: &u8| b.is_ascii_lowercase() || b.is_ascii_digit() || *b == b'-';
        let fits = (1..=63).contains(&bytes.len()) && bytes.iter().all(inner) && !text.starts_with('-') && !text.ends_with('-');
        fits.then(|| Self(text.into()))
    }

    /// The id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether this is the plain Kubernetes cluster, where nothing of kcp is served.
    pub fn is_sandbox(&self) -> bool {
        &*self.0 == "sandbox"
    }

    /// Whether this is the root workspace.
    pub fn is_root(&self) -> bool {
        &*self.0 == "root"
    }
}

impl fmt::Display for ClusterId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for ClusterId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ClusterId({})", self.0)
    }
}
