//! What can be wrong with a sample world; each names file, line and field as far as they are known.

/// Why the sample world cannot be loaded.
#[derive(Debug, thiserror::Error)]
pub enum SampleError {
    /// A file that is named is not there.
    #[error("{file}: {message}")]
    File {
        /// Path below the examples.
        file: String,
        /// What is wrong, with the fix.
        message: String,
    },
    /// Something inside a file does not fit.
    #[error("{file}:{line}:{column}: {field}{}{message}", if field.is_empty() { "" } else { ": " })]
    Content {
        /// Path below the examples.
        file: String,
        /// Line, counted from 1.
        line: usize,
        /// Column, counted from 1.
        column: usize,
        /// Path of the field, such as `.spec.parameters`; empty for the whole.
        field: String,
        /// What is wrong.
        message: String,
    },
    /// More than one thing is wrong.
    #[error("{} things are wrong:{}", .0.len(), .0.iter().map(|error| format!("\n{error}")).collect::<String>())]
    Several(Vec<SampleError>),
    /// The plane refuses, and not because of a file.
    #[error("{what}: {source}")]
    Plane {
        /// What was being done.
        what: String,
        /// What the plane said.
        source: Box<kube::Error>,
    },
    /// The API cannot be installed or enabled.
    #[error("{workspace}: {message}")]
    Install {
        /// Where.
        workspace: String,
        /// What the installation said.
        message: String,
    },
    /// The plane does not get something done.
    #[error("{what} is not ready after {seconds} s")]
    Timeout {
        /// What was waited for.
        what: String,
        /// For how long.
        seconds: u64,
    },
}

impl SampleError {
    /// Everything that is wrong as one error.
    ///
    /// # Errors
    /// There is at least one.
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

    /// File, line and column, as far as they are known.
    fn place(&self) -> (&str, usize, usize) {
        match self {
            Self::File { file, .. } => (file, 0, 0),
            Self::Content { file, line, column, .. } => (file, *line, *column),
            Self::Several(_) | Self::Plane { .. } | Self::Install { .. } | Self::Timeout { .. } => ("", 0, 0),
        }
    }
}
