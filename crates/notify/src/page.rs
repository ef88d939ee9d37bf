//! The pages that notifications link to.

/// A page of the portal. Its address is the portal's to know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Page {
    /// The page of a request.
    Request {
        /// Path of its workspace.
        workspace: String,
        /// Its namespace.
        namespace: String,
        /// Its name.
        name: String,
    },
    /// The page on which people decide about a request and comment on it.
    Approval {
        /// Uid of the request.
        uid: String,
    },
    /// The same page, with what has changed since a content.
    ApprovalSince {
        /// Uid of the request.
        uid: String,
        /// Hash of the content.
        hash: String,
    },
    /// The costs of a workspace.
    Cost {
        /// Path of the workspace; empty for everything that the reader can see.
        workspace: String,
    },
    /// The reader's notification settings.
    Settings,
}

/// Returns the address of a page, without scheme and host.
pub type Links = fn(&Page) -> String;
