//! Why a release, or the revision that it was made from, can't be used.

use crate::workspaces::InvalidClusterId;

/// Why a release, or the revision that it was made from, can't be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReleaseFailure {
    /// The request has none.
    #[error("The request has no release.")]
    None,
    /// The release is gone.
    #[error(
        "The release {release} is missing, so nothing is changed. Restore the PromiseRelease {release} from a backup with the \
         controller's credential, or delete the request and create it again."
    )]
    Missing {
        /// Its name.
        release: String,
    },
    /// The release isn't the one that was accepted.
    #[error(
        "The release {release} differs from the one that was accepted, so nothing is changed. Restore the PromiseRelease {release} \
         from a backup with the controller's credential, or delete the request and create it again."
    )]
    Differs {
        /// Its name.
        release: String,
    },
    /// Something else has the name of the release that would be recorded.
    #[error("The release {release} already exists with different content. Make a small change to the request.")]
    NameTaken {
        /// Its name.
        release: String,
    },
    /// The process ends before the release is recorded.
    #[error("The controller is shutting down and hasn't recorded the release yet.")]
    ShuttingDown,
    /// It names a home that can't exist.
    #[error("{0}.")]
    InvalidHome(#[from] InvalidClusterId),
    /// The place of the promise's home in the tree isn't known.
    #[error("The home workspace of the promise isn't verified.")]
    HomeUnverified,
    /// The revision can't be read now.
    #[error("The revision of the promise can't be read now.")]
    RevisionUnread,
    /// The revision can't be read now, and a request is held until it can.
    #[error("The revision {revision} of the promise can't be read now, so nothing is changed.")]
    HeldByRevision {
        /// Its name.
        revision: String,
    },
    /// The revision is gone.
    #[error(
        "The revision {revision} of the promise is missing, so nothing is changed. The promise's team can publish version {version} \
         again with the same content. Or restore the PromiseRevision {revision} from a backup with the controller's credential."
    )]
    RevisionMissing {
        /// Its name.
        revision: String,
        /// Version of the promise.
        version: String,
    },
    /// The revision is being recorded.
    #[error("The promise {promise} is being published.")]
    BeingPublished {
        /// Name of the promise.
        promise: String,
    },
}

#[cfg(test)]
mod tests {
    use super::ReleaseFailure;
    use crate::workspaces::ClusterId;

    #[test]
    fn every_failure_is_one_or_more_sentences() {
        let text = str::to_owned;
        let release = || text("web-1");
        for (failure, words) in [
            (ReleaseFailure::None, "has no release."),
            (ReleaseFailure::Missing { release: release() }, "The release web-1 is missing"),
            (ReleaseFailure::Differs { release: release() }, "The release web-1 differs from the one that was accepted"),
            (ReleaseFailure::NameTaken { release: release() }, "The release web-1 already exists with different content."),
            (ReleaseFailure::ShuttingDown, "shutting down"),
            (ReleaseFailure::InvalidHome(ClusterId::parse("A").unwrap_err()), "\"A\" isn't a workspace ID"),
            (ReleaseFailure::HomeUnverified, "isn't verified."),
            (ReleaseFailure::RevisionUnread, "can't be read now."),
            (ReleaseFailure::HeldByRevision { revision: text("redis-1") }, "The revision redis-1 of the promise can't be read now"),
            (
                ReleaseFailure::RevisionMissing { revision: text("redis-1"), version: text("1.2.0") },
                "can publish version 1.2.0 again with the same content.",
            ),
            (ReleaseFailure::BeingPublished { promise: text("redis") }, "The promise redis is being published."),
        ] {
            let sentence = failure.to_string();
            assert!(sentence.contains(words) && sentence.ends_with('.'), "{sentence}");
        }
    }
}
