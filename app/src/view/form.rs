//! The form of a request, its drafts, and what a change does.

use serde::{Deserialize, Serialize};

use super::catalog::{Availability, OfferRow};
use super::policy::PolicyLine;
use super::preflight::PreflightView;
use super::release::{TermsForm, VersionMove};
use super::request::ParameterLine;
use super::required::{NeededFor, RequiredLine};
use promise::form::Form;
use promise::workflow::PlannedStep;

/// The form for a new or changed request.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RequestForm {
    /// The promise.
    pub offer: OfferRow,
    /// Name as entered.
    pub name: String,
    /// Problem with the name.
    pub name_problem: Option<String>,
    /// Namespace.
    pub namespace: String,
    /// Reason as entered.
    pub reason: String,
    /// The fields.
    pub form: Form,
    /// Policy rules that apply, with their results.
    pub policies: Vec<PolicyLine>,
    /// Result of the preflight.
    pub preflight: PreflightView,
    /// Whether the values were checked, so that problems are shown.
    pub checked: bool,
    /// Whether the request can be submitted as it is.
    pub ready: bool,
    /// Whether the user is allowed to submit at all.
    pub submit: Availability,
    /// Resource version that is being edited. Absent for a new request.
    pub editing: Option<String>,
    /// Cluster id of the workspace. The post is refused if the path has a different one by then.
    pub cluster: String,
    /// Id of the draft that is shown.
    pub draft: Option<String>,
    /// Starting point of a form without a draft, as parsed by [`promise::form::starts_from`].
    pub start: Option<String>,
    /// Id of the input to focus.
    pub focus: Option<String>,
    /// What someone else has changed in the meantime.
    pub conflict: Option<String>,
    /// What an approver requested to change, as a sentence. Absent if no one did.
    pub objection: Option<String>,
    /// The tool that applies the request from a file and so can undo changes. Absent if there is none.
    pub applied_by: Option<String>,
    /// Whether secrets were entered that weren't stored, so that the user has to enter them again.
    pub retype: bool,
    /// Values that someone else changed meanwhile, to choose between. Absent if there are none.
    pub merge: Option<MergeView>,
    /// Defaults that were replaced because of policies, a sentence each.
    pub adjusted: Vec<String>,
    /// The values that replace them, as the form posts them.
    pub given: Vec<String>,
    /// What the values change in what is running. Absent for a new request.
    pub change: Option<ChangeView>,
    /// Id of the draft in which typing is saved.
    pub save: String,
    /// Whether what was typed was saved. Absent if nothing was typed.
    pub saved: Option<bool>,
    /// Who shared the draft that is shown. Absent for the user's own.
    pub shared: Option<SharedBy>,
    /// Namespace and name of the request that the user created last with this form, if the draft doesn't exist any more.
    pub submitted: Option<(String, String)>,
    /// Whether the form was posted after the session had ended.
    pub posted: bool,
    /// Values to be submitted, in words.
    pub review: Vec<ParameterLine>,
    /// Presets of the workspace that a new form can start from.
    pub saved_presets: Vec<super::SavedPreset>,
    /// The manifest, if it is shown instead of the fields.
    pub yaml: Option<YamlView>,
    /// Version, upgrades, deletion and pause.
    pub terms: TermsForm,
    /// What moves, if the form is about another version or starts with an earlier release. Absent for a new request.
    pub moved: Option<VersionMove>,
    /// What the promise requires and the workspace lacks. Empty if nothing prevents the request.
    pub required: Vec<RequiredLine>,
    /// What the request is needed for, if its form was opened for something else.
    pub needed_for: Option<NeededFor>,
    /// Steps of the workflow that will run.
    pub steps: Vec<PlannedStep>,
}

/// The manifest of a request, to be edited as text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct YamlView {
    /// The text, as it was entered.
    pub text: String,
    /// What is wrong with it, in the order of lines. Problems of the whole come first.
    pub problems: Vec<YamlLine>,
    /// Fields that stay in the text and aren't submitted.
    pub unsent: Vec<YamlLine>,
    /// Labels of the secrets that were taken out of the text.
    pub removed: Vec<String>,
    /// Labels of the secret parameters.
    pub secrets: Vec<String>,
    /// Address of a new form with these values. Absent for a change, and for values that don't fit into an address.
    pub link: Option<String>,
}

/// A place in a manifest.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct YamlLine {
    /// Line and column, counted from 1. Absent for the whole text.
    pub at: Option<(usize, usize)>,
    /// Path such as `.spec.parameters.replicas`, or empty.
    pub path: String,
    /// The same sentence as at the field, or empty.
    pub message: String,
}

/// Outcome of a posted form. Invalid input never fails the post: it becomes a draft, and the form is shown again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum FormOutcome {
    /// Show the form again with this draft.
    Again {
        /// Id of the draft.
        draft: String,
    },
    /// Show the review page for this draft.
    Review {
        /// Id of the draft.
        draft: String,
    },
    /// Show everything that would be created from this draft.
    Adds {
        /// Id of the draft.
        draft: String,
    },
    /// Show the page that saves the values of this draft as a preset.
    Preset {
        /// Id of the draft.
        draft: String,
    },
    /// Show the form of a promise that is required first.
    Required {
        /// Name of that promise.
        promise: String,
        /// What it is needed for: this form, with its draft.
        needed_for: NeededFor,
    },
    /// The request was saved: show it.
    Written {
        /// Namespace of the request.
        namespace: String,
        /// Name of the request.
        name: String,
        /// What it is needed for, if its form was opened for something else.
        needed_for: Option<NeededFor>,
    },
}

/// What a change does to what is running.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ChangeView {
    /// Values that differ.
    pub changes: Vec<super::ValueChange>,
    /// The price before and after.
    pub price: super::PriceStep,
    /// What happens to objects.
    pub effects: Vec<super::CheckLine>,
}

/// Values that someone else changed while the user edited the request.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MergeView {
    /// Who made the last change, or empty.
    pub by: String,
    /// Whether that is the user, in another tab or with another tool.
    pub own: bool,
    /// RFC 3339 time of it, or empty.
    pub at: String,
    /// The values, one line each.
    pub lines: Vec<MergeLine>,
}

/// A value to choose.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MergeLine {
    /// Path of the parameter.
    pub path: String,
    /// Label.
    pub label: String,
    /// The value that the user saw first, in words. Absent if there was none.
    pub before: Option<String>,
    /// The value that it has now. Absent if there is none.
    pub theirs: Option<String>,
    /// The value that the user entered. Absent if there is none.
    pub mine: Option<String>,
    /// Whether theirs is chosen unless the user says otherwise.
    pub keeps_theirs: bool,
}

/// Who shared a draft.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SharedBy {
    /// Username.
    pub by: String,
    /// RFC 3339 time at which it was saved.
    pub at: String,
}

/// A draft in a list.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DraftLine {
    /// Its id.
    pub id: String,
    /// Address of the form with its values.
    pub address: String,
    /// Name of the request, or empty.
    pub name: String,
    /// Display name of the promise, or empty.
    pub promise: String,
    /// Icon of the promise.
    pub icon: String,
    /// Path of the workspace.
    pub workspace: String,
    /// Whether it changes an existing request.
    pub editing: bool,
    /// RFC 3339 time at which it was saved.
    pub saved: String,
    /// Address for other people. Absent if it isn't shared.
    pub shared: Option<String>,
}
