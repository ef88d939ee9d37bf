//! Policies for their authors: where each applies, which requests it affects, what it refused, and its result for sample values.

use serde::{Deserialize, Serialize};

use super::catalog::Facet;
use super::policy::PolicyLine;
use super::sort::{Column, Sort};
use promise::api::{Enforcement, PolicyCategory};
use promise::form::Form;

/// Columns that the list of policies can be sorted by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PolicyColumn {
    /// Display name.
    Title,
    /// Workspace that defines it.
    Workspace,
    /// Enforcement, strictest first.
    Enforcement,
    /// Number of instances it applies to.
    Instances,
}

impl Column for PolicyColumn {
    const ALL: &'static [(Self, &'static str)] =
        &[(Self::Title, "title"), (Self::Workspace, "workspace"), (Self::Enforcement, "enforcement"), (Self::Instances, "instances")];

    fn is_descending_first(self) -> bool {
        self == Self::Instances
    }
}

/// Filters and position of the list of policies, as in the URL.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PoliciesQuery {
    /// Search text.
    pub q: String,
    /// A category.
    pub category: String,
    /// An enforcement.
    pub enforcement: String,
    /// Path of the workspace that defines them.
    pub workspace: String,
    /// Sort order. By default, by workspace and name.
    pub sort: Sort<PolicyColumn>,
    /// Page number, starting at 1.
    pub page: usize,
}

/// A policy in a list.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PolicyRow {
    /// Path of the workspace that defines it.
    pub workspace: String,
    /// Name.
    pub name: String,
    /// Display name.
    pub title: String,
    /// Its rules in words.
    pub sentences: Vec<String>,
    /// Area that it protects.
    pub category: PolicyCategory,
    /// What happens when a rule is violated.
    pub enforcement: Enforcement,
    /// Owner, or empty.
    pub owner: String,
    /// Promises and workspaces that it applies to, in words.
    pub range: String,
    /// Number of promises it applies to, among those that the user can see.
    pub promises: usize,
    /// Number of running instances it applies to, among those that the user can see.
    pub instances: usize,
    /// Number of these for which a rule was added, changed or removed since they were accepted.
    pub outdated: usize,
    /// Whether its rules can be applied.
    pub compiled: Compiled,
}

/// Whether the rules of a policy can be applied, as reported by the controller.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Compiled {
    /// The rules can be applied.
    Yes,
    /// The policy is disabled: none of its rules is in force.
    Off,
    /// The rules can't be applied: every request in scope is refused until they are fixed. A sentence that lists the errors.
    No(String),
    /// The controller hasn't checked the policy yet.
    #[default]
    NotYet,
}

/// A page of the list of policies.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PoliciesPage {
    /// Rows of this page, by workspace and name.
    pub rows: Vec<PolicyRow>,
    /// Number of rows on all pages that match the filters.
    pub fit: usize,
    /// Number of rows without filters.
    pub total: usize,
    /// Number of pages.
    pub pages: usize,
    /// Facet of categories.
    pub categories: Facet,
    /// Facet of enforcements.
    pub enforcements: Facet,
    /// Facet of workspaces.
    pub places: Facet,
    /// The query in effect.
    pub query: PoliciesQuery,
    /// Number of instances for which a rule was added, changed or removed, in policies that the user can read. Each instance is counted
    /// once.
    pub outdated: usize,
    /// Instances for which only the price changed, newest first, up to the display limit.
    pub priced: Vec<ConcernedLine>,
    /// Total number of these instances.
    pub priced_total: usize,
    /// Instances for which a rule changed that belongs to no existing policy, up to the display limit.
    pub others: Vec<ConcernedLine>,
    /// Total number of these instances.
    pub others_total: usize,
    /// Workspaces in which the user can write policies.
    pub writable: Vec<String>,
    /// RFC 3339 time of the last update. Absent while everything is up to date.
    pub as_of: Option<String>,
}

/// A rule of a policy.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PolicyRule {
    /// Name.
    pub name: String,
    /// What the rule does, in words.
    pub sentence: String,
    /// Kind of the rule, such as `constrain`.
    pub kind: String,
    /// Whether there is a form for its kind.
    pub has_form: bool,
}

/// A promise that a policy applies to.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct HitLine {
    /// Path of the promise's home workspace.
    pub home: String,
    /// Name of the promise.
    pub promise: String,
    /// Display name of the promise.
    pub title: String,
    /// Number of its running instances in scope, among those that the user can see.
    pub instances: usize,
}

/// A request that a policy affects.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ConcernedLine {
    /// Path of the request's workspace.
    pub workspace: String,
    /// Namespace.
    pub namespace: String,
    /// Name.
    pub name: String,
    /// Explanation, as a sentence.
    pub what: String,
    /// RFC 3339 time, or empty.
    pub at: String,
}

/// An option of a select.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Pick {
    /// Posted value.
    pub value: String,
    /// Display label.
    pub label: String,
    /// Whether the option is selected.
    pub chosen: bool,
}

/// Trial of one policy with sample values.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Tryout {
    /// Promises in scope, among those that the user can see.
    pub promises: Vec<Pick>,
    /// Workspaces in scope, among those that the user can enter.
    pub places: Vec<Pick>,
    /// Sample values as entered, in YAML.
    pub text: String,
    /// Result. Absent before the first trial.
    pub tried: Option<Tried>,
}

/// Result of a trial with sample values.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Tried {
    /// Error that prevented the trial, such as invalid YAML.
    pub unreadable: Option<String>,
    /// Whether all policies together would accept the values.
    pub passes: bool,
    /// Results of this policy.
    pub lines: Vec<PolicyLine>,
    /// Problems reported by any policy.
    pub problems: Vec<String>,
}

/// Details of a policy.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PolicyPage {
    /// The row in the list.
    pub row: PolicyRow,
    /// Purpose, or empty.
    pub description: String,
    /// Contact, or empty.
    pub contact: String,
    /// Rules of the policy.
    pub rules: Vec<PolicyRule>,
    /// Promises that it applies to, in words.
    pub for_promises: String,
    /// Workspaces that it applies to, in words.
    pub for_workspaces: String,
    /// Details for users who can read the Policy object. The others see only the summary.
    pub inside: Option<PolicyInside>,
}

/// Details of a policy for users who can read the object.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PolicyInside {
    /// Promises that it applies to.
    pub hits: Vec<HitLine>,
    /// Number of workspaces in which instances were counted.
    pub counted_in: usize,
    /// Requests that it refuses now, newest first, up to the display limit.
    pub denials: Vec<ConcernedLine>,
    /// Total number of requests that it refuses.
    pub denials_total: usize,
    /// Requests that it accepted with a warning, or recorded, at their last evaluation, newest first, up to the display limit.
    pub warned: Vec<ConcernedLine>,
    /// Total number of these requests.
    pub warned_total: usize,
    /// Instances for which one of its rules was added, changed or removed, up to the display limit.
    pub outdated: Vec<ConcernedLine>,
    /// Total number of these instances.
    pub outdated_total: usize,
    /// YAML of the object.
    pub yaml: String,
    /// Whether the user can change it.
    pub can_edit: bool,
    /// Whether the user can delete it.
    pub can_delete: bool,
    /// Display names of the promises that refer to it by name.
    pub referrers: Vec<String>,
    /// Who changed it, newest first.
    pub history: Vec<PolicyHistoryLine>,
    /// Whether the database with the history can be read.
    pub history_known: bool,
    /// Trial with sample values.
    pub tryout: Tryout,
}

/// A change of a policy.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PolicyHistoryLine {
    /// RFC 3339 time.
    pub at: String,
    /// Username of the person. Empty if it isn't known.
    pub by: String,
    /// What happened.
    pub did: PolicyDeed,
    /// What changed, a sentence each.
    pub changes: Vec<String>,
}

/// What happened to a policy.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum PolicyDeed {
    /// It was created.
    Created,
    /// It was changed through the portal.
    #[default]
    Changed,
    /// It was disabled.
    Disabled,
    /// It was enabled.
    Enabled,
    /// A policy of this name was deleted.
    Deleted,
    /// It was changed with another tool, given by its field manager.
    ChangedWith(String),
}

/// The form to write a policy as YAML.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PolicyForm {
    /// Path of the workspace that contains or will contain it.
    pub workspace: String,
    /// Name of the existing policy. Absent for a new one.
    pub name: Option<String>,
    /// Workspaces in which the user can write policies.
    pub writable: Vec<Pick>,
    /// YAML as entered.
    pub text: String,
    /// Resource version at which it was opened.
    pub version: String,
    /// Problems of the policy.
    pub problems: Vec<TextProblem>,
    /// What the author should know before saving.
    pub warnings: Vec<TextProblem>,
    /// Identifies these warnings. Empty without warnings. The policy is saved once it is posted with it.
    pub warned: String,
    /// What someone else changed since it was opened.
    pub conflict: Option<PolicyConflict>,
    /// Effect on existing instances. Absent if it is unknown.
    pub effect: Option<PolicyEffect>,
    /// Result of the check. Absent before the first check.
    pub checked: Option<String>,
    /// Title of the policy. Empty for one without a title.
    pub title: String,
    /// The rules of the policy.
    pub rules: Vec<RuleRow>,
    /// The form of one rule. Absent if the YAML is edited.
    pub editor: Option<RuleEditor>,
    /// Id of the draft in which typing is saved.
    pub save: String,
    /// Whether what was typed was saved. Absent if nothing was typed.
    pub saved: Option<bool>,
    /// Whether it was posted after the session had ended.
    pub posted: bool,
}

/// A policy that someone changed while a form was open. The form can be saved all the same.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PolicyConflict {
    /// The last change.
    pub last: Option<PolicyHistoryLine>,
    /// What the text of the form changes in the policy as it is now, as sentences.
    pub changes: Vec<String>,
}

/// A rule in the form of its policy.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RuleRow {
    /// Name.
    pub name: String,
    /// What the rule does, in words. Empty as long as it isn't complete.
    pub sentence: String,
    /// Whether there is a form for its kind.
    pub has_form: bool,
    /// When it applies next, as a sentence. Absent for rules that aren't about times, or aren't complete.
    pub next: Option<String>,
}

/// The form of one rule of a policy.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RuleEditor {
    /// Position of the rule.
    pub index: usize,
    /// Kinds of rules.
    pub kinds: Vec<Pick>,
    /// Name of a new policy, as entered.
    pub name: String,
    /// Problem with the name.
    pub name_problem: Option<String>,
    /// The fields.
    pub form: Form,
    /// Id of the input to focus.
    pub focus: Option<String>,
    /// Whether problems are shown.
    pub checked: bool,
}

/// What a policy would do to existing instances, among those that the user can see.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PolicyEffect {
    /// Number of workspaces in which instances were counted.
    pub workspaces: usize,
    /// Number of running instances.
    pub total: usize,
    /// Number of these in scope.
    pub affected: usize,
    /// Number of these that were evaluated. Less than `affected` if there are very many.
    pub evaluated: usize,
    /// Number of evaluated instances that it would block if they were submitted again.
    pub blocked: usize,
    /// Number of evaluated instances that it would allow with a warning.
    pub warned: usize,
    /// Some of the blocked instances.
    pub named: Vec<ConcernedLine>,
}

/// A problem in a text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TextProblem {
    /// Path such as `.rules[0].validate.expression`, or empty.
    pub path: String,
    /// Line in the text, starting at 1, if known.
    pub line: Option<usize>,
    /// Message, as a sentence.
    pub message: String,
}

/// Outcome of a posted policy.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum PolicyFormOutcome {
    /// Show the form again because it was checked or can't be saved.
    Again {
        /// Id of the draft with the text.
        draft: String,
    },
    /// The policy was saved.
    Written {
        /// Path of the policy's workspace.
        workspace: String,
        /// Name of the policy.
        name: String,
    },
}
