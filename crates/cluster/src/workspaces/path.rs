//! Names of workspaces as people and URLs write them.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::ClusterId;
use super::id::is_segment;

/// Path of a workspace such as `root:acme:shop`. Parsing prevents `*`, `/` and `..` of a URL from reaching the control plane.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct WorkspacePath(String);

/// Text that isn't the path of a workspace.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("\"{0}\" isn't a workspace path: use names joined by colons, such as root:acme:shop")]
pub struct InvalidPath(pub String);

impl WorkspacePath {
    /// Parses a path in kcp's grammar: segments of lower-case letters, digits and inner hyphens, joined by colons; `user:<name>` is a home
    /// workspace. Errors on anything else.
    pub fn parse(text: &str) -> Result<Self, InvalidPath> {
        if text.len() <= 1024 && text.split(':').all(is_segment) { Ok(Self(text.to_owned())) } else { Err(InvalidPath(text.to_owned())) }
    }

    /// Returns the top of a kcp's tree.
    pub fn root() -> Self {
        Self("root".to_owned())
    }

    /// Returns the top of the tree of a plain Kubernetes cluster; its namespaces are `cluster:<namespace>`.
    pub fn cluster() -> Self {
        Self(ClusterId::cluster().as_str().to_owned())
    }

    /// Checks whether this is a plain Kubernetes cluster or one of its namespaces.
    pub fn is_of_kubernetes(&self) -> bool {
        Self::cluster().contains(self)
    }

    /// Returns the path as used in URLs.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the last segment.
    pub fn name(&self) -> &str {
        self.0.rsplit(':').next().unwrap_or_default()
    }

    /// Returns the workspace one level up; `None` at the top.
    pub fn parent(&self) -> Option<Self> {
        self.0.rsplit_once(':').map(|(parent, _)| Self(parent.to_owned()))
    }

    /// Returns a workspace one level down. Errors if `name` isn't a single segment.
    pub fn child(&self, name: &str) -> Result<Self, InvalidPath> {
        if is_segment(name) { Ok(Self(format!("{}:{name}", self.0))) } else { Err(InvalidPath(format!("{}:{name}", self.0))) }
    }

    /// Checks whether `other` is this workspace or is below it.
    pub fn contains(&self, other: &Self) -> bool {
        other.0.strip_prefix(&self.0).is_some_and(|rest| rest.is_empty() || rest.starts_with(':'))
    }
}

impl fmt::Display for WorkspacePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::str::FromStr for WorkspacePath {
    type Err = InvalidPath;

    fn from_str(text: &str) -> Result<Self, InvalidPath> {
        Self::parse(text)
    }
}

impl TryFrom<String> for WorkspacePath {
    type Error = InvalidPath;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::parse(&text)
    }
}

impl From<WorkspacePath> for String {
    fn from(path: WorkspacePath) -> Self {
        path.0
    }
}

#[cfg(test)]
mod tests {
    use super::WorkspacePath;

    #[test]
    fn reads_what_kcp_reads_and_nothing_else() {
        for good in ["root", "root:acme:shop", "2abc9d0e1f2g3h4i:child", "user:alice", "a-b:c"] {
            assert!(WorkspacePath::parse(good).is_ok(), "{good}");
        }
        for bad in ["", "*", "root:*", "root:", ":root", "root::a", "root/acme", "..", "Root", "root:-a", "root:a-", "root:a b", "root%3Aa"]
        {
            assert!(WorkspacePath::parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn contains_whole_segments_only() {
        let acme = WorkspacePath::parse("root:acme").unwrap();
        assert!(acme.contains(&WorkspacePath::parse("root:acme").unwrap()));
        assert!(acme.contains(&WorkspacePath::parse("root:acme:shop").unwrap()));
        assert!(!acme.contains(&WorkspacePath::parse("root:acmeology").unwrap()));
        assert!(!acme.contains(&WorkspacePath::root()));
    }
}
