//! Which form of a request or action a draft belongs to, as text in the database.

use cluster::ClusterId;

use crate::portal::write::WriteTarget;

/// What the audit log calls the kind.
pub(super) const KIND: &str = "draft";

/// The form of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::portal) enum DraftSubject {
    /// A new request.
    New {
        /// The workspace.
        cluster: ClusterId,
        /// The home of the promise.
        home: ClusterId,
        /// Name of the promise.
        promise: String,
    },
    /// A change of an existing request.
    Edit {
        /// The workspace.
        cluster: ClusterId,
        /// Namespace of the request.
        namespace: String,
        /// Its name.
        name: String,
    },
    /// An action of a request.
    Action {
        /// The workspace.
        cluster: ClusterId,
        /// Namespace of the request.
        namespace: String,
        /// Its name.
        name: String,
        /// Name of the action.
        action: String,
    },
}

impl DraftSubject {
    /// Parses the text. Returns `None` for drafts of other forms.
    pub(in crate::portal) fn parse(text: &str) -> Option<Self> {
        let mut words = text.split(' ');
        let (kind, cluster, second, third) = (words.next()?, words.next()?, words.next()?, words.next()?);
        let fourth = words.next();
        if words.next().is_some() {
            return None;
        }
        let cluster = ClusterId::parse(cluster).ok()?;
        let (namespace, name) = (second.to_owned(), third.to_owned());
        match (kind, fourth) {
            ("new", None) => Some(Self::New { cluster, home: ClusterId::parse(second).ok()?, promise: third.to_owned() }),
            ("edit", None) => Some(Self::Edit { cluster, namespace, name }),
            ("action", Some(action)) => Some(Self::Action { cluster, namespace, name, action: action.to_owned() }),
            _ => None,
        }
    }

    /// Returns the workspace of the request.
    pub(in crate::portal) fn cluster(&self) -> &ClusterId {
        match self {
            Self::New { cluster, .. } | Self::Edit { cluster, .. } | Self::Action { cluster, .. } => cluster,
        }
    }

    /// Returns what the audit log calls the draft: the promise that is requested, or the request that is changed.
    pub(in crate::portal) fn target(&self) -> WriteTarget<'_> {
        match self {
            Self::New { cluster, promise, .. } => WriteTarget::in_workspace(KIND, cluster, promise),
            Self::Edit { cluster, namespace, name } | Self::Action { cluster, namespace, name, .. } => {
                WriteTarget::namespaced(KIND, cluster, namespace, name)
            }
        }
    }
}

impl std::fmt::Display for DraftSubject {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::New { cluster, home, promise } => write!(f, "new {cluster} {home} {promise}"),
            Self::Edit { cluster, namespace, name } => write!(f, "edit {cluster} {namespace} {name}"),
            Self::Action { cluster, namespace, name, action } => write!(f, "action {cluster} {namespace} {name} {action}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_read_as_it_was_written() {
        let id = |text: &str| ClusterId::parse(text).unwrap();
        let new = DraftSubject::New { cluster: id("2hq1x0c4"), home: id("cluster"), promise: "redis".into() };
        let edit = DraftSubject::Edit { cluster: id("2hq1x0c4"), namespace: "default".into(), name: "orders-db".into() };
        let action = DraftSubject::Action {
            cluster: id("2hq1x0c4"),
            namespace: "default".into(),
            name: "orders-db".into(),
            action: "backup".into(),
        };
        for subject in [new, edit, action] {
            assert_eq!(DraftSubject::parse(&subject.to_string()), Some(subject));
        }
        for other in [
            "refusal",
            "posted",
            "policy",
            "new a b",
            "new a b c d",
            "edit 2hq1x0c4 default a b",
            "action 2hq1x0c4 default a",
            "old 2hq1x0c4 cluster redis",
            "",
        ] {
            assert_eq!(DraftSubject::parse(other), None, "{other}");
        }
    }
}
