//! Why a command on a request is disabled.

use serde::{Deserialize, Serialize};

/// Why a command on a request is disabled. Workspaces are named by their paths.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum DisabledReason {
    /// The request is being deleted.
    BeingDeleted,
    /// The user can't change requests there.
    CannotChange {
        /// The workspace.
        workspace: String,
    },
    /// The user can't change requests there, so someone else has to roll out the present policies.
    CannotRollOut {
        /// The workspace.
        workspace: String,
    },
    /// The user can't delete requests there.
    CannotDelete {
        /// The workspace.
        workspace: String,
    },
    /// The user can't read Secrets there.
    CannotReadSecrets {
        /// The workspace.
        workspace: String,
    },
    /// The version of a release is no longer published.
    VersionUnpublished,
}
