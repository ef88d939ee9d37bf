//! Delegation of approvals.

use serde::{Deserialize, Serialize};

use promise::Problem;
use promise::notify::Away;

/// A user's delegation, and the users for whom they are a delegate.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StandInPage {
    /// Delegation that is active or scheduled.
    pub named: Option<NamedLine>,
    /// Texts of the form's inputs: `deputy`, `from` and `to`.
    pub texts: std::collections::BTreeMap<String, String>,
    /// Invalid inputs, by name of the input.
    pub problems: Vec<Problem>,
    /// Time zone of the dates.
    pub zone: String,
    /// Users for whom this user is a delegate.
    pub covers: Vec<CoverLine>,
}

/// A user's delegate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct NamedLine {
    /// The delegate and the dates.
    pub away: Away,
    /// Whether it is active now.
    pub now: bool,
    /// What the delegate isn't allowed to decide on, as of their last visit.
    pub lacks: Vec<String>,
    /// RFC 3339 time of their last visit. Absent before the first one.
    pub looked: Option<String>,
}

/// A user for whom this user is a delegate.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CoverLine {
    /// The user who is away.
    pub person: String,
    /// The last day, in that user's time zone.
    pub until: String,
    /// Whether it is active now.
    pub now: bool,
    /// What the delegate isn't allowed to decide on.
    pub lacks: Vec<String>,
}
