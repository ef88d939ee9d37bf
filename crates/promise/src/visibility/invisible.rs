//! Why a promise isn't visible in a workspace.

/// Why a promise isn't visible in a workspace.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotVisible {
    /// The place of the workspace in the tree isn't known.
    #[error("We can't find this workspace in the workspace tree.")]
    WorkspaceUnknown,
    /// It isn't published yet.
    #[error("{promise} is a draft: its team has not published it yet.")]
    Draft {
        /// Name of the promise.
        promise: String,
    },
    /// It is retired, and another promise replaces it.
    #[error("{promise} is retired. Use {replaced_by} instead.")]
    Replaced {
        /// Name of the promise.
        promise: String,
        /// Name of the other promise.
        replaced_by: String,
    },
    /// It is retired.
    #[error("{promise} is retired and doesn't accept new requests.")]
    Retired {
        /// Name of the promise.
        promise: String,
    },
    /// It is being deleted, and stays until its last instance is gone.
    #[error("{promise} is being deleted and doesn't accept new requests.")]
    Deleting {
        /// Name of the promise.
        promise: String,
    },
    /// No catalog lists it for the workspace.
    #[error("{promise} isn't offered in {workspace}: no catalog of {home} lists it there.")]
    NotListed {
        /// Name of the promise.
        promise: String,
        /// Path of the workspace.
        workspace: String,
        /// Path of the promise's home.
        home: String,
    },
}

#[cfg(test)]
mod tests {
    use super::NotVisible;

    #[test]
    fn every_reason_names_the_promise() {
        let text = str::to_owned;
        let promise = || text("redis");
        for (reason, sentence) in [
            (NotVisible::WorkspaceUnknown, "We can't find this workspace in the workspace tree."),
            (NotVisible::Draft { promise: promise() }, "redis is a draft: its team has not published it yet."),
            (NotVisible::Replaced { promise: promise(), replaced_by: text("valkey") }, "redis is retired. Use valkey instead."),
            (NotVisible::Retired { promise: promise() }, "redis is retired and doesn't accept new requests."),
            (NotVisible::Deleting { promise: promise() }, "redis is being deleted and doesn't accept new requests."),
            (
                NotVisible::NotListed { promise: promise(), workspace: text("root:acme:shop"), home: text("root:platform") },
                "redis isn't offered in root:acme:shop: no catalog of root:platform lists it there.",
            ),
        ] {
            assert_eq!(reason.to_string(), sentence);
        }
    }
}
