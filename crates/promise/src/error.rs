//! One transport-free error for the whole product; every edge renders it (HTTP problem, page, exit code, condition).

use serde::{Deserialize, Serialize};

/// Outcome of anything the product does.
pub type Result<T> = std::result::Result<T, Error>;

/// What went wrong, in words for the person who asked. Internal text never goes in here: log it and use [`Error::Internal`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase")]
pub enum Error {
    /// Nobody is signed in, or the session ended.
    #[error("sign in to go on")]
    Unauthenticated,
    /// The person may not do this; `why` names the missing right.
    #[error("{why}")]
    Denied {
        /// A sentence.
        why: String,
    },
    /// There is no such thing, or the person may not know whether there is.
    #[error("there is no {what} here that you can see")]
    NotFound {
        /// Noun and name, such as `request orders-db`.
        what: String,
    },
    /// The workspace does not serve the kind of what was wanted.
    #[error("the API of {what} is not enabled in this workspace")]
    NotEnabled {
        /// Noun and name, such as `request orders-db`.
        what: String,
    },
    /// Input that does not fit; each problem names a field and the fix.
    #[error("{}", summary(problems))]
    Invalid {
        /// At least one.
        problems: Vec<Problem>,
    },
    /// Somebody else changed it first, or the name is taken.
    #[error("{message}")]
    Conflict {
        /// A sentence.
        message: String,
    },
    /// Others own parts of it. Whoever confirms exactly these may take them over.
    #[error("{}", contested(fields))]
    Contested {
        /// At least one.
        fields: Vec<Contested>,
    },
    /// The plane, or a part of it, does not answer.
    #[error("{what} does not answer")]
    Unreachable {
        /// Who does not answer.
        what: String,
    },
    /// Not now; trying again helps.
    #[error("{message}")]
    Busy {
        /// A sentence.
        message: String,
    },
    /// Too much at a time from one person, token or address; trying again after `seconds` helps.
    #[error("{message}")]
    TooManyRequests {
        /// A sentence.
        message: String,
        /// How long to wait, at least 1.
        seconds: u64,
    },
    /// What was sent took too long to arrive.
    #[error("{message}")]
    Timeout {
        /// A sentence.
        message: String,
    },
    /// More was sent than is accepted.
    #[error("{message}")]
    TooLarge {
        /// A sentence with the limit.
        message: String,
    },
    /// A defect of ours; the log has the details under the request id.
    #[error("something went wrong on our side")]
    Internal,
}

impl Error {
    /// In how many seconds the same can be tried again, where waiting helps.
    pub fn retry_after(&self) -> Option<u64> {
        match self {
            Self::Busy { .. } => Some(1),
            Self::TooManyRequests { seconds, .. } => Some(*seconds),
            _ => None,
        }
    }
}

/// A part of an object that somebody else wrote last.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Contested {
    /// Path such as `.spec.parameters`.
    pub path: String,
    /// Field manager that owns it, such as `kubectl-create`.
    pub manager: String,
}

fn contested(fields: &[Contested]) -> String {
    let parts: Vec<String> = fields.iter().map(|field| format!("{} (written with {})", field.path, field.manager)).collect();
    format!("somebody else owns {}", crate::wording::all_of(&parts))
}

/// One thing wrong with one field.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Problem {
    /// Path such as `.parameters.replicas`, empty for the whole.
    pub path: String,
    /// A sentence that names the fix.
    pub message: String,
}

fn summary(problems: &[Problem]) -> String {
    problems
        .iter()
        .map(|p| if p.path.is_empty() { p.message.clone() } else { format!("{}: {}", p.path, p.message) })
        .collect::<Vec<_>>()
        .join("; ")
}
