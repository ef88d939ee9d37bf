//! Texts of the audit log.

use promise::audit::{AuditBreak, AuditOutcome, AuditSource};
use promise::wording::counted;

pub(crate) const AUDIT_LOG: &str = "Audit log";
pub(crate) const EXPORT: &str = "Export JSONL";
pub(crate) const SEARCH_HINT: &str = "Kind or name of the object";
pub(crate) const MORE_FILTERS: &str = "More filters";
pub(crate) const APPLY: &str = "Apply filters";
pub(crate) const ANY: &str = "Any";
pub(crate) const FROM: &str = "First day (UTC)";
pub(crate) const TO: &str = "Last day (UTC)";
pub(crate) const NO_RECORDS: &str = "No records yet";
pub(crate) const NO_RECORDS_TEXT: &str = "Changes through the portal and on the control plane appear here.";
pub(crate) const NO_RECORDS_MATCH: &str = "No records match";

pub(crate) const PERSON: &str = "Person";
pub(crate) const WORKSPACE: &str = "Workspace";
pub(crate) const NAMESPACE: &str = "Namespace";
pub(crate) const OPERATION: &str = "Operation";
pub(crate) const OBJECT: &str = "Object";
pub(crate) const KIND: &str = "Kind";
pub(crate) const NAME: &str = "Name";
pub(crate) const SOURCE: &str = "Source";
pub(crate) const OUTCOME: &str = "Outcome";
pub(crate) const TIME: &str = "Time";
pub(crate) const REQUEST_ID: &str = "Request ID";
pub(crate) const STATUS_CODE: &str = "Status code";
pub(crate) const DETAIL: &str = "Details";
pub(crate) const UNKNOWN_PERSON: &str = "Unknown";
pub(crate) const NONE: &str = "None";

pub(crate) const CHANGE: &str = "Change";
pub(crate) const CONTENT: &str = "Content";
pub(crate) const CONTENT_TEXT: &str =
    "SHA-256 of what people write in the object, without its status. Secrets have no hash, because a short value could be guessed from it.";
pub(crate) const BEFORE: &str = "Before";
pub(crate) const AFTER: &str = "After";
pub(crate) const CHAIN: &str = "Chain";
pub(crate) const VERIFY_LABEL: &str = "Command";
pub(crate) const CHAIN_TEXT: &str = "Each record has the hash of the one before. Check the whole chain with this command:";
pub(crate) const POSITION: &str = "Position";
pub(crate) const PREVIOUS_HASH: &str = "Previous hash";
pub(crate) const HASH: &str = "Hash";
pub(crate) const INTEGRITY: &str = "Integrity";
pub(crate) const NOT_VERIFIED: &str = "Not verified yet";
pub(crate) const VERIFY_LOG: &str = "Verify log";
pub(crate) const VERIFY_NEWER: &str = "Verify newer records";
pub(crate) const CONTINUE: &str = "Continue verification";
pub(crate) const VERIFY_ALL: &str = "Verify from the start";
pub(crate) const VIEW_RECORD: &str = "View record";
pub(crate) const COUNTS_OF_NEWEST: &str = "Counts cover the newest 10,000 records.";
pub(crate) const VERIFY: &str = "opm-portal audit verify --file audit.jsonl";

pub(crate) fn records(total: u64, more: bool) -> String {
    let counted = counted(total, "record");
    if more { format!("More than {counted}") } else { counted }
}

pub(crate) fn source(source: AuditSource) -> &'static str {
    match source {
        AuditSource::Portal => "Portal",
        AuditSource::Rest => "REST API",
        AuditSource::Cli => "Command line",
        AuditSource::Plane => "Control plane",
        AuditSource::Log => "Audit log",
    }
}

pub(crate) fn outcome(outcome: AuditOutcome) -> &'static str {
    match outcome {
        AuditOutcome::Done => "Done",
        AuditOutcome::Failed => "Failed",
        AuditOutcome::Unknown => "Unknown",
    }
}

/// How far the log is verified: up to a record if there is one chain.
pub(crate) fn verified(last: u64, records: u64, chains: usize) -> String {
    match last {
        0 => format!("Verified {} in {}", counted(records, "record"), counted(chains as u64, "chain")),
        last => format!("Verified up to record {last}"),
    }
}

pub(crate) fn newer(records: u64) -> String {
    format!("{} not verified yet", counted(records, "newer record"))
}

pub(crate) fn left(records: u64) -> String {
    format!("{} left", counted(records, "record"))
}

pub(crate) fn broken(at: &AuditBreak) -> String {
    format!("The audit log is broken at record {}", at.sequence)
}

pub(crate) fn broken_text(at: &AuditBreak) -> String {
    format!("Record {} of chain {}: {}. The database was changed, or an older backup was restored.", at.sequence, at.chain, at.reason)
}

pub(crate) fn operation(name: &str, records: usize) -> String {
    format!("{name} ({records})")
}
