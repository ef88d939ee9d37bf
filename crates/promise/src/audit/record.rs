//! What a record says.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::ChainHead;
use crate::revision::{CanonicalError, digest};

/// Operations of records about changes that were made past the portal, and of the log about itself.
pub mod seen {
    /// Someone created an object.
    pub const CREATED: &str = "create";
    /// Someone changed an object.
    pub const CHANGED: &str = "change";
    /// Someone deleted an object.
    pub const DELETED: &str = "delete";
    /// The log begins: objects of a kind that exist already aren't recorded one by one.
    pub const BEGUN: &str = "begin-log";
    /// Old records were removed.
    pub const CUT: &str = "cut-log";

    /// All of them.
    pub const ALL: [&str; 5] = [CREATED, CHANGED, DELETED, BEGUN, CUT];
}

/// Where a change came from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AuditSource {
    /// A page of the portal.
    #[default]
    Portal,
    /// A program that calls the REST API.
    Rest,
    /// The command line `opm`, as far as it says so itself.
    Cli,
    /// The control plane: the portal saw a change that wasn't made through it.
    Plane,
    /// The audit log itself.
    Log,
}

impl AuditSource {
    /// All sources.
    pub const ALL: [Self; 5] = [Self::Portal, Self::Rest, Self::Cli, Self::Plane, Self::Log];

    /// Returns its name in records.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Portal => "portal",
            Self::Rest => "rest",
            Self::Cli => "cli",
            Self::Plane => "plane",
            Self::Log => "log",
        }
    }

    /// Returns the source with this name.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|source| source.word() == word)
    }
}

/// What came of a change.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AuditOutcome {
    /// It was made.
    Done,
    /// It was refused or failed.
    Failed,
    /// The portal stopped waiting or was stopped: it might have been made.
    #[default]
    Unknown,
}

impl AuditOutcome {
    /// All outcomes.
    pub const ALL: [Self; 3] = [Self::Done, Self::Failed, Self::Unknown];

    /// Returns its name in records.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Failed => "failed",
            Self::Unknown => "unknown",
        }
    }

    /// Returns the outcome with this name.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|outcome| outcome.word() == word)
    }
}

/// What a record says. Texts that don't apply are empty.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AuditEntry {
    /// When it was begun, or seen; microseconds count.
    pub at: Timestamp,
    /// Where it came from.
    pub source: AuditSource,
    /// Who did it: the text of a `PersonId`. Empty if unknown.
    pub actor: String,
    /// What was done.
    pub operation: String,
    /// Kind of the object, or the portal's name for it.
    pub kind: String,
    /// Id of the object's workspace.
    pub cluster: String,
    /// Path of the object's workspace at that time.
    pub workspace: String,
    /// Namespace of the object.
    pub namespace: String,
    /// Name or id of the object.
    pub name: String,
    /// Hash of the object's content before, if the log knows it.
    pub before: Option<String>,
    /// Hash of the object's content afterwards.
    pub after: Option<String>,
    /// The id of the HTTP request.
    pub request_id: String,
    /// What came of it.
    pub outcome: AuditOutcome,
    /// HTTP status with which the control plane refused it.
    pub code: Option<u16>,
    /// For records of the log about itself: what it did.
    pub detail: String,
}

/// A record in its chain.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AuditRecord {
    /// Name of the chain: the instance of the portal that wrote it.
    pub chain: String,
    /// Position in the chain, from 1.
    pub sequence: u64,
    /// Hash of the record before; empty for the first.
    pub previous: String,
    /// What it says.
    #[serde(flatten)]
    pub entry: AuditEntry,
    /// Hash of all of the above.
    pub hash: String,
}

impl AuditRecord {
    /// Returns the record that says something after `head`, the present end of the chain.
    ///
    /// # Errors
    /// If the record has no canonical form, which its types prevent.
    pub fn after(head: &ChainHead, mut entry: AuditEntry) -> Result<Self, CanonicalError> {
        // As precisely as databases keep it.
        entry.at = Timestamp::from_microsecond(entry.at.as_microsecond()).unwrap_or(entry.at);
        let sequence = head.sequence + 1;
        let mut record = Self { chain: head.chain.clone(), sequence, previous: head.hash.clone(), entry, hash: String::new() };
        record.hash = record.computed_hash()?;
        Ok(record)
    }

    /// Returns the hash that the record must have: the hex-encoded SHA-256 of its canonical JSON (RFC 8785) with an empty `hash`.
    ///
    /// # Errors
    /// See [`AuditRecord::after`].
    pub fn computed_hash(&self) -> Result<String, CanonicalError> {
        digest(&Self { hash: String::new(), ..self.clone() })
    }

    /// Returns the end of the chain if this is its last record.
    pub fn head(&self) -> ChainHead {
        ChainHead { chain: self.chain.clone(), sequence: self.sequence, hash: self.hash.clone() }
    }

    /// Returns the record as a line of an export.
    ///
    /// # Errors
    /// If JSON fails, which its types prevent.
    pub fn to_line(&self) -> Result<String, serde_json::Error> {
        serde_json::to_string(self)
    }

    /// Reads a line of an export. A line with anything that the hash doesn't cover is refused.
    ///
    /// # Errors
    /// If it isn't such a line.
    pub fn of_line(line: &str) -> Result<Self, serde_json::Error> {
        let value: serde_json::Value = serde_json::from_str(line)?;
        let record: Self = serde_json::from_value(value.clone())?;
        if serde_json::to_value(&record)? == value {
            Ok(record)
        } else {
            Err(serde::de::Error::custom("it has fields or notations that no record of the portal has"))
        }
    }
}

/// Records that were removed because they were too old: all of a chain up to one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuditCut {
    /// Name of the chain.
    pub chain: String,
    /// Position of the last record that was removed.
    pub through: u64,
    /// Its hash.
    pub hash: String,
}

impl AuditCut {
    /// Returns the record that says so.
    pub fn entry(&self, at: Timestamp) -> AuditEntry {
        AuditEntry {
            at,
            source: AuditSource::Log,
            operation: seen::CUT.to_owned(),
            outcome: AuditOutcome::Done,
            detail: format!("{} {} {}", self.chain, self.through, self.hash),
            ..AuditEntry::default()
        }
    }

    /// Reads a record that says so.
    pub fn of(entry: &AuditEntry) -> Option<Self> {
        if entry.source != AuditSource::Log || entry.operation != seen::CUT {
            return None;
        }
        let mut parts = entry.detail.split(' ');
        let (chain, through, hash) = (parts.next()?, parts.next()?, parts.next()?);
        Some(Self { chain: chain.to_owned(), through: through.parse().ok()?, hash: hash.to_owned() })
    }
}
