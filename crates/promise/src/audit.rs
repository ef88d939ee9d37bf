//! The audit log: what a record says, how records are chained, and how a chain is verified.
//!
//! A record says who did what, where, when, in which request, and what came of it. It never has a value: an object that was changed is named,
//! and its content before and after is a hash. Each replica of the portal has a chain of its own, in which a record has the hash of the one
//! before, so that a record that was changed, removed, inserted or moved is found. Where a chain ends is written outside of the database, as
//! an [`AuditAnchor`]: the chain alone can't prove that its end is there.

mod chain;
mod check;
mod object;
mod record;

pub use chain::{AuditAnchor, AuditBreak, AuditReport, AuditVerifier, BreakReason, ChainHead, ChainReport};
pub use check::AuditCheck;
pub use object::AuditState;
pub use record::{AuditCut, AuditEntry, AuditOutcome, AuditRecord, AuditSource, seen};
