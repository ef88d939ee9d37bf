//! Policies as those see them who set them: where each is in force, whom it hits, what it refused, and what it makes of sample values.

use serde::{Deserialize, Serialize};

use super::catalog::Facet;
use super::policy::PolicyLine;
use super::sort::{Column, Sort};
use crate::api::{Enforcement, PolicyCategory};

/// What the list of policies can be sorted by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PolicyColumn {
    /// Name for people.
    Title,
    /// Where it is set.
    Workspace,
    /// What a violation does, the strictest first.
    Enforcement,
    /// How many instances it concerns.
    Instances,
}

impl Column for PolicyColumn {
    const ALL: &'static [(Self, &'static str)] =
        &[(Self::Title, "title"), (Self::Workspace, "workspace"), (Self::Enforcement, "enforcement"), (Self::Instances, "instances")];

    fn is_descending_first(self) -> bool {
        self == Self::Instances
    }
}

/// What narrows the list of policies; as in the address.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PoliciesQuery {
    /// Words.
    pub q: String,
    /// One category.
    pub category: String,
    /// One enforcement.
    pub enforcement: String,
    /// Path of the one workspace where they are set.
    pub workspace: String,
    /// Order; as usual by workspace and name.
    pub sort: Sort<PolicyColumn>,
    /// Page, from 1.
    pub page: usize,
}

/// A policy in a list.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PolicyRow {
    /// Path of the workspace where it is set.
    pub workspace: String,
    /// Name.
    pub name: String,
    /// Name for people.
    pub title: String,
    /// Its rules in words.
    pub sentences: Vec<String>,
    /// What it protects.
    pub category: PolicyCategory,
    /// What a violation does.
    pub enforcement: Enforcement,
    /// Who set it; may be empty.
    pub owner: String,
    /// For which promises and workspaces it is meant, in words.
    pub range: String,
    /// How many promises it concerns, of those that the person may know of.
    pub promises: usize,
    /// How many running instances it concerns, of those that the person may see.
    pub instances: usize,
    /// For how many of them one of its rules came, changed or went since they were accepted.
    pub outdated: usize,
    /// Whether it can be applied.
    pub compiled: Compiled,
}

/// Whether the rules of a policy can be applied, as the controller said.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Compiled {
    /// They can.
    Yes,
    /// They cannot: everything in its range is refused until it is mended. A sentence with the places.
    No(String),
    /// Nobody has looked yet.
    #[default]
    NotYet,
}

/// A page of the list of policies.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PoliciesPage {
    /// Rows of this page, by workspace and name.
    pub rows: Vec<PolicyRow>,
    /// Rows of all pages with the filters in force.
    pub fit: usize,
    /// Rows without any filter.
    pub total: usize,
    /// How many pages there are.
    pub pages: usize,
    /// Categories.
    pub categories: Facet,
    /// What violations do.
    pub enforcements: Facet,
    /// Where they are set.
    pub places: Facet,
    /// What is in force.
    pub query: PoliciesQuery,
    /// Instances for which a rule of a policy that the person may read came, changed or went, each counted once.
    pub outdated: usize,
    /// Instances of which the price alone is another today, newest first; at most as many as are shown.
    pub priced: Vec<ConcernedLine>,
    /// How many there are.
    pub priced_total: usize,
    /// Instances for which a rule came, changed or went that is of no policy that is there; at most as many as are shown.
    pub others: Vec<ConcernedLine>,
    /// How many there are.
    pub others_total: usize,
    /// Workspaces in which the person may write policies.
    pub writable: Vec<String>,
    /// RFC 3339 time since when nothing new is known; absent while everything is up to date.
    pub as_of: Option<String>,
}

/// A rule of a policy.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PolicyRule {
    /// Its name.
    pub name: String,
    /// What it does, in words.
    pub sentence: String,
    /// Its kind, such as `constrain`.
    pub kind: String,
}

/// A promise that a policy concerns.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct HitLine {
    /// Path of the promise's home.
    pub home: String,
    /// Its name.
    pub promise: String,
    /// Its name for people.
    pub title: String,
    /// Its running instances in range, of those that the person may see.
    pub instances: usize,
}

/// A request with what a policy has to do with it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ConcernedLine {
    /// Path of its workspace.
    pub workspace: String,
    /// Namespace.
    pub namespace: String,
    /// Name.
    pub name: String,
    /// What there is to say, as a sentence.
    pub what: String,
    /// RFC 3339 time; may be empty.
    pub at: String,
}

/// Something that can be chosen.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Pick {
    /// What is posted.
    pub value: String,
    /// Words.
    pub label: String,
    /// Whether it is chosen.
    pub chosen: bool,
}

/// Sample values tried against one policy.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Tryout {
    /// Promises in range, of those that the person may know of.
    pub promises: Vec<Pick>,
    /// Workspaces in range, of those that the person may enter.
    pub places: Vec<Pick>,
    /// The values as typed, YAML.
    pub text: String,
    /// What came of it; absent while nothing was tried.
    pub tried: Option<Tried>,
}

/// What came of sample values.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Tried {
    /// What stands in the way of trying at all, such as YAML that cannot be read.
    pub unreadable: Option<String>,
    /// Whether all policies together would let the values pass.
    pub passes: bool,
    /// What this policy makes of them.
    pub lines: Vec<PolicyLine>,
    /// What stands against them, by whomever.
    pub problems: Vec<String>,
}

/// A policy in full.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PolicyPage {
    /// What the list shows.
    pub row: PolicyRow,
    /// Why it exists; may be empty.
    pub description: String,
    /// Whom to ask; may be empty.
    pub contact: String,
    /// Its rules.
    pub rules: Vec<PolicyRule>,
    /// For which promises it is meant, in words.
    pub for_promises: String,
    /// For which workspaces it is meant, in words.
    pub for_workspaces: String,
    /// What only those see who may read the policy itself.
    pub inside: Option<PolicyInside>,
    /// Why the person sees no more than the words; absent for who sees everything.
    pub closed: Option<String>,
}

/// What those see of a policy who may read the object.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PolicyInside {
    /// The promises that it concerns.
    pub hits: Vec<HitLine>,
    /// In how many workspaces instances were counted.
    pub counted_in: usize,
    /// Requests that it refuses now, newest first; at most as many as are shown.
    pub denials: Vec<ConcernedLine>,
    /// How many it refuses.
    pub denials_total: usize,
    /// Requests that it let pass with a warning, or recorded, when they were judged last, newest first; at most as many as are shown.
    pub warned: Vec<ConcernedLine>,
    /// How many there are.
    pub warned_total: usize,
    /// Instances for which one of its rules came, changed or went; at most as many as are shown.
    pub outdated: Vec<ConcernedLine>,
    /// How many there are.
    pub outdated_total: usize,
    /// The object.
    pub yaml: String,
    /// Whether the person may change it; else why not.
    pub edit: Option<String>,
    /// Trying sample values.
    pub tryout: Tryout,
}

/// A policy being written, as YAML.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PolicyForm {
    /// Path of the workspace where it is, or is to be.
    pub workspace: String,
    /// Name of the one that is there; absent for a new one.
    pub name: Option<String>,
    /// Workspaces in which the person may write policies.
    pub writable: Vec<Pick>,
    /// The text.
    pub text: String,
    /// Edition with which it was opened.
    pub version: String,
    /// What stands against it.
    pub problems: Vec<TextProblem>,
    /// What was found when it was checked; absent while nobody asked.
    pub checked: Option<String>,
}

/// Something wrong in a text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TextProblem {
    /// Path such as `.rules[0].validate.expression`; may be empty.
    pub path: String,
    /// Line in the text, from 1, where it is known.
    pub line: Option<usize>,
    /// A sentence.
    pub message: String,
}

/// What became of a posted policy.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum PolicyFormOutcome {
    /// Show it again: it was checked, or cannot be written.
    Again {
        /// Id of the draft with the text.
        draft: String,
    },
    /// It was written.
    Written {
        /// Path of its workspace.
        workspace: String,
        /// Its name.
        name: String,
    },
}
