//! What a request is about: who asks, for what, in which logical cluster. Filled by `http`, read by everything after it.
//! Source: apiserver `endpoints/request/requestinfo.go`, `authorization/authorizer/interfaces.go`.

use std::collections::BTreeMap;

use crate::ClusterId;

/// A user as authentication found it (or impersonation made it).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct User {
    /// Name, `system:anonymous` without a token.
    pub name: String,
    /// Uid, may be empty.
    pub uid: String,
    /// Groups, `system:authenticated` or `system:unauthenticated` included.
    pub groups: Vec<String>,
    /// Further facts, as in a SelfSubjectReview.
    pub extra: BTreeMap<String, Vec<String>>,
}

impl User {
    /// The user of a request without a token.
    pub fn anonymous() -> Self {
        Self { name: "system:anonymous".into(), groups: vec!["system:unauthenticated".into()], ..Self::default() }
    }

    /// Whether the user has this group.
    pub fn in_group(&self, group: &str) -> bool {
        self.groups.iter().any(|own| own == group)
    }
}

/// Where a request is addressed to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    /// The logical cluster; for a wildcard request one that no workspace has.
    pub cluster: ClusterId,
    /// The virtual workspace, if the path goes through one.
    pub export: Option<ExportTarget>,
}

/// The virtual workspace of an export: `/services/apiexport/<provider>/<export>/clusters/<* or id>`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExportTarget {
    /// The logical cluster of the export.
    pub provider: ClusterId,
    /// The name of the export.
    pub export: String,
    /// `clusters/*`: all consumers at once, for list and watch.
    pub wildcard: bool,
    /// The whole path of a request to a consumer that is neither `*` nor an id; it is refused with this path.
    pub unresolved: Option<String>,
}

/// What authorisation and admission judge (RequestInfo of the API server).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attributes {
    /// Who asks.
    pub user: User,
    /// Where.
    pub target: Target,
    /// `get`, `list`, `watch`, `create`, `update`, `patch`, `delete`, `deletecollection`; for other paths the method in lower case.
    pub verb: String,
    /// Whether the path is one of resources; the fields below are empty otherwise.
    pub is_resource: bool,
    /// API group, empty for core.
    pub group: String,
    /// API version.
    pub version: String,
    /// Plural resource.
    pub resource: String,
    /// Subresource, may be empty.
    pub subresource: String,
    /// Namespace, empty at the cluster scope. For the resource `namespaces` with a name it is that name.
    pub namespace: String,
    /// Name, empty for collections.
    pub name: String,
    /// The path without the prefix of the workspace, as sent.
    pub path: String,
}

impl Attributes {
    /// `resource` or `resource/subresource`, as roles and messages have it.
    pub fn full_resource(&self) -> String {
        if self.subresource.is_empty() { self.resource.clone() } else { format!("{}/{}", self.resource, self.subresource) }
    }
}

/// What a write does, as admission sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operation {
    /// A new object.
    Create,
    /// A change, patches and subresources included.
    Update,
    /// A deletion, whether or not finalizers delay it.
    Delete,
}

impl Operation {
    /// `CREATE`, `UPDATE`, `DELETE`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Create => "CREATE",
            Self::Update => "UPDATE",
            Self::Delete => "DELETE",
        }
    }
}
