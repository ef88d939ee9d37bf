//! One transport-independent error for the whole product. Every edge renders it (HTTP problem, page, exit code, condition).
//!
//! Errors carry reasons with arguments, and code decides by these; [`texts`] words them.

mod reason;
mod texts;

use serde::{Deserialize, Serialize};

use crate::problem::Problem;

pub use reason::{BusyReason, ConflictReason, DeniedOperation, DeniedReason, GuardedOperation, TooManyReason};

/// Result of any operation of the product.
pub type Result<T> = std::result::Result<T, Error>;

/// What went wrong. Internal details never go in here: log them and use [`Error::Internal`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase")]
pub enum Error {
    /// No one is signed in, or the session ended.
    Unauthenticated,
    /// The user isn't allowed to do this.
    Denied {
        /// The missing permission, or the rule of the portal.
        reason: DeniedReason,
    },
    /// It doesn't exist, or the user isn't allowed to know whether it does.
    NotFound {
        /// Noun and name, such as `request orders-db`.
        what: String,
    },
    /// The workspace doesn't serve the kind of the object.
    NotEnabled {
        /// Noun and name, such as `request orders-db`.
        what: String,
    },
    /// Invalid input. Each problem names a field and the fix.
    Invalid {
        /// At least one.
        problems: Vec<Problem>,
    },
    /// Someone else changed it first, or the name is taken.
    Conflict {
        /// What changed.
        reason: ConflictReason,
    },
    /// Other field managers own parts of it. A caller who confirms exactly these can take them over.
    Contested {
        /// At least one.
        fields: Vec<Contested>,
    },
    /// The plane, or a part of it, didn't respond.
    Unreachable {
        /// The component that didn't respond.
        what: String,
    },
    /// Temporarily unavailable. The caller can retry.
    Busy {
        /// What isn't ready.
        reason: BusyReason,
    },
    /// Too many requests from one user, token or address. The caller can retry after `seconds`.
    TooManyRequests {
        /// What there were too many of.
        reason: TooManyReason,
        /// Seconds to wait, at least 1.
        seconds: u64,
    },
    /// The request took too long to arrive.
    Timeout,
    /// The request exceeds a size limit.
    TooLarge {
        /// The limit in bytes.
        limit: usize,
    },
    /// A bug. The log has the details under the request id.
    Internal,
}

impl std::error::Error for Error {}

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

impl From<DeniedReason> for Error {
    fn from(reason: DeniedReason) -> Self {
        Self::Denied { reason }
    }
}

impl From<ConflictReason> for Error {
    fn from(reason: ConflictReason) -> Self {
        Self::Conflict { reason }
    }
}

impl From<BusyReason> for Error {
    fn from(reason: BusyReason) -> Self {
        Self::Busy { reason }
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
