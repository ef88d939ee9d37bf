//! Errors in a sample world; each names file, line and field as far as known.

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
    /// The content of a file is invalid.
    #[error("{file}:{line}:{column}: {field}{}{message}", if field.is_empty() { "" } else { ": " })]
    Content {
        /// Path below the examples.
        file: String,
        /// Line, counted from 1.
        line: usize,
        /// Column, counted from 1.
        column: usize,
        /// Path of the field, such as `.spec.parameters`; empty for the whole object.
        field: String,
        /// What is wrong.
        message: String,
    },
    /// Several errors.
    #[error("{} problems found:{}", .0.len(), .0.iter().map(|error| format!("\n{error}")).collect::<String>())]
    Several(Vec<SampleError>),
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

impl SampleError {
    /// Combines all errors into one.
    ///
    /// # Errors
    /// If there is at least one.
    pub fn several(mut errors: Vec<Self>) -> Result<(), Self> {
        match errors.len() {
            0 => Ok(()),
            1 => errors.pop().map_or(Ok(()), Err),
            _ => {
                errors.sort_by(|one, other| one.place().cmp(&other.place()));
                Err(Self::Several(errors))
            }
        }
    }

    /// Returns file, line and column, as far as known.
    fn place(&self) -> (&str, usize, usize) {
        match self {
            Self::File { file, .. } => (file, 0, 0),
            Self::Content { file, line, column, .. } => (file, *line, *column),
            Self::Several(_) | Self::Plane { .. } | Self::Install { .. } | Self::Timeout { .. } => ("", 0, 0),
        }
    }
}
