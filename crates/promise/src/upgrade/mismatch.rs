//! Why no published version matches a request.

use crate::wording::all_of;

/// Why no published version matches a request.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum VersionMismatch {
    /// The constraint isn't one.
    #[error("Enter a version such as 1.2.0, 1.2 or >=1.2, <2: {constraint} isn't valid.")]
    InvalidConstraint {
        /// What the request says.
        constraint: String,
    },
    /// Nothing is published.
    #[error("Its team has not published a version yet.")]
    Unpublished,
    /// The request names no version, and pre-releases are used only if they are named.
    #[error("Enter a version: only pre-releases are published, {}.", all_of(.published))]
    OnlyPreReleases {
        /// The published versions.
        published: Vec<String>,
    },
    /// No published version is the one that the request names.
    #[error("Choose another version: no published version matches {constraint}. Published: {}.", all_of(.published))]
    NoMatch {
        /// What the request says.
        constraint: String,
        /// The published versions.
        published: Vec<String>,
    },
}

#[cfg(test)]
mod tests {
    use super::VersionMismatch;

    #[test]
    fn every_mismatch_says_what_to_enter() {
        let published = || vec!["1.0.0-rc.1".to_owned(), "1.0.0-rc.2".to_owned()];
        for (mismatch, sentence) in [
            (
                VersionMismatch::InvalidConstraint { constraint: "x.y".to_owned() },
                "Enter a version such as 1.2.0, 1.2 or >=1.2, <2: x.y isn't valid.",
            ),
            (VersionMismatch::Unpublished, "Its team has not published a version yet."),
            (
                VersionMismatch::OnlyPreReleases { published: published() },
                "Enter a version: only pre-releases are published, 1.0.0-rc.1 and 1.0.0-rc.2.",
            ),
            (
                VersionMismatch::NoMatch { constraint: "9".to_owned(), published: published() },
                "Choose another version: no published version matches 9. Published: 1.0.0-rc.1 and 1.0.0-rc.2.",
            ),
        ] {
            assert_eq!(mismatch.to_string(), sentence);
        }
    }
}
