//! Errors in a sample world; each names file, line and field as far as known.

use promise::manifest::{Defect, Defects};

/// Why the sample world can't be loaded.
#[derive(Debug, thiserror::Error)]
pub enum SampleError {
    /// A referenced file is missing.
    #[error("{file}: {message}")]
    File {
        /// Path below the examples.
        file: String,
        /// What is wrong, with the fix.
        message: String,
    },
    /// The content of files is invalid.
    #[error("{0}")]
    Invalid(#[from] Defects),
    /// The plane refuses a step for a reason that isn't in a file.
    #[error("{what}: {source}")]
    Plane {
        /// What was being done.
        what: String,
        /// The plane's answer.
        source: Box<kube::Error>,
    },
    /// The API can't be installed or enabled.
    #[error("{workspace}: {message}")]
    Install {
        /// The workspace.
        workspace: String,
        /// The installation's error.
        message: String,
    },
    /// The plane doesn't finish a step in time.
    #[error("{what} is not ready after {seconds} s")]
    Timeout {
        /// What was waited for.
        what: String,
        /// For how long.
        seconds: u64,
    },
}

impl From<Defect> for SampleError {
    fn from(defect: Defect) -> Self {
        Self::Invalid(defect.into())
    }
}
