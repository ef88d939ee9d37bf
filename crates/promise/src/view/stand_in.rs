//! Who stands in for whom.

use serde::{Deserialize, Serialize};

use crate::Problem;
use crate::notify::Away;

/// What a person said about an absence, and for whom they stand in.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StandInPage {
    /// What is in force, or will be.
    pub named: Option<NamedLine>,
    /// Texts of the form's inputs: `deputy`, `from` and `to`.
    pub texts: std::collections::BTreeMap<String, String>,
    /// What does not fit, by name of the input.
    pub problems: Vec<Problem>,
    /// Time zone in which days are days.
    pub zone: String,
    /// For whom the person stands in.
    pub covers: Vec<CoverLine>,
}

/// Who stands in for a person.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct NamedLine {
    /// Who, and when.
    pub away: Away,
    /// Whether it is so now.
    pub now: bool,
    /// What the deputy may not decide about, found when they looked last.
    pub lacks: Vec<String>,
    /// RFC 3339 time at which they looked last; absent before.
    pub looked: Option<String>,
}

/// For whom a person stands in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CoverLine {
    /// Who is away.
    pub person: String,
    /// The last day, in their zone.
    pub until: String,
    /// Whether it is so now.
    pub now: bool,
    /// What the person who stands in may not decide about.
    pub lacks: Vec<String>,
}
