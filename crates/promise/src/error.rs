//! One transport-independent error for the whole product. Every edge renders it (HTTP problem, page, exit code, condition).

use serde::{Deserialize, Serialize};

use crate::problem::Problem;

/// Result of any operation of the product.
pub type Result<T> = std::result::Result<T, Error>;

/// What went wrong, in words for the user. Internal details never go in here: log them and use [`Error::Internal`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase")]
pub enum Error {
    /// No one is signed in, or the session ended.
    #[error("sign in to continue")]
    Unauthenticated,
    /// The user isn't allowed to do this. `why` names the missing permission.
    #[error("{why}")]
    Denied {
        /// A sentence.
        why: String,
    },
    /// It doesn't exist, or the user isn't allowed to know whether it does.
    #[error("we couldn't find {what}, or you don't have access to it")]
    NotFound {
        /// Noun and name, such as `request orders-db`.
        what: String,
    },
    /// The workspace doesn't serve the kind of the object.
    #[error("the API of {what} isn't enabled in this workspace")]
    NotEnabled {
        /// Noun and name, such as `request orders-db`.
        what: String,
    },
    /// Invalid input. Each problem names a field and the fix.
    #[error("{}", summary(problems))]
    Invalid {
        /// At least one.
        problems: Vec<Problem>,
    },
    /// Someone else changed it first, or the name is taken.
    #[error("{message}")]
    Conflict {
        /// A sentence.
        message: String,
    },
    /// Other field managers own parts of it. A caller who confirms exactly these can take them over.
    #[error("{}", contested(fields))]
    Contested {
        /// At least one.
        fields: Vec<Contested>,
    },
    /// The plane, or a part of it, didn't respond.
    #[error("{what} didn't respond")]
    Unreachable {
        /// The component that didn't respond.
        what: String,
    },
    /// Temporarily unavailable. The caller can retry.
    #[error("{message}")]
    Busy {
        /// A sentence.
        message: String,
    },
    /// Too many requests from one user, token or address. The caller can retry after `seconds`.
    #[error("{message}")]
    TooManyRequests {
        /// A sentence.
        message: String,
        /// Seconds to wait, at least 1.
        seconds: u64,
    },
    /// The request took too long to arrive.
    #[error("{message}")]
    Timeout {
        /// A sentence.
        message: String,
    },
    /// The request exceeds a size limit.
    #[error("{message}")]
    TooLarge {
        /// A sentence with the limit.
        message: String,
    },
    /// A bug. The log has the details under the request id.
    #[error("something went wrong on our side")]
    Internal,
}

impl Error {
    /// Returns the number of seconds after which the caller can retry, if waiting helps.
    pub fn retry_after(&self) -> Option<u64> {
        match self {
            Self::Busy { .. } => Some(1),
            Self::TooManyRequests { seconds, .. } => Some(*seconds),
            _ => None,
        }
    }
}

/// A part of an object that another field manager wrote last.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Contested {
    /// Path such as `.spec.parameters`.
    pub path: String,
    /// Field manager that owns it, such as `kubectl-create`.
    pub manager: String,
}

fn contested(fields: &[Contested]) -> String {
    let parts: Vec<String> = fields.iter().map(|field| format!("{} (managed by {})", field.path, field.manager)).collect();
    format!("someone else owns {}", crate::wording::all_of(&parts))
}

fn summary(problems: &[Problem]) -> String {
    problems
        .iter()
        .map(|p| if p.path.is_empty() { p.message.clone() } else { format!("{}: {}", p.path, p.message) })
        .collect::<Vec<_>>()
        .join("; ")
}
