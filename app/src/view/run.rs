//! Day-2 actions of a request, and their runs.

use promise::api::{ActionPhase, StepKind};
use promise::form::Form;
use promise::path::Path;
use promise::{DeniedReason, Error};
use serde::{Deserialize, Serialize};

use super::request::{ParameterLine, RequestRow, ResourceLine};
use super::workflow::{PolicyLink, WorkflowView};

/// An action that a promise has for its requests.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ActionLine {
    /// Name in the promise.
    pub name: String,
    /// Name for people.
    pub title: String,
    /// What it does, in one sentence, or empty.
    pub description: String,
    /// Whether the user can run it. The error is the reason why not.
    pub allowed: Result<(), Error>,
}

/// A run of an action in a list.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RunLine {
    /// Name.
    pub name: String,
    /// Title of its action.
    pub title: String,
    /// State.
    pub phase: ActionPhase,
    /// Who started it, by username. Empty if that isn't known.
    pub requester: String,
    /// RFC 3339 time of its creation.
    pub created: String,
    /// RFC 3339 time at which it ended, or empty.
    pub finished: String,
    /// Seconds from its start to its end. Absent if it isn't over, or never started.
    pub took: Option<i64>,
}

/// A page of the runs of a request, newest first.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RunsPage {
    /// Rows of this page.
    pub runs: Vec<RunLine>,
    /// This page, from 1.
    pub page: usize,
    /// Number of pages.
    pub pages: usize,
    /// Why the user can't list runs. Absent if the user can.
    pub refused: Option<DeniedReason>,
}

/// The form of an action.
#[derive(Clone, Debug, PartialEq)]
pub struct ActionForm {
    /// The request.
    pub row: RequestRow,
    /// The action.
    pub action: ActionLine,
    /// Whether people are asked to confirm it.
    pub confirm: bool,
    /// What people should know before they run it.
    pub before: BeforeRun,
    /// The other actions of the request.
    pub others: Vec<ActionLine>,
    /// Its latest runs.
    pub history: ActionHistory,
    /// Number of objects of the request.
    pub resources: usize,
    /// Whether pods can belong to them.
    pub has_pods: bool,
    /// Number of policy rules of the request.
    pub policies: usize,
    /// Its parameters.
    pub form: Form,
    /// Runs of other actions that parameters can name, by the name of the action.
    pub choices: Vec<RunChoices>,
    /// The window that the run would wait for. Absent if the windows of policies are open.
    pub window: Option<RunWindow>,
    /// Rules that it breaks and that only warn, as sentences.
    pub warnings: Vec<String>,
    /// Identity of the workspace.
    pub cluster: String,
    /// Identity of the run that the form starts: sent twice, it starts one.
    pub nonce: String,
    /// Id of the draft that is shown. `None` without one.
    pub draft: Option<String>,
    /// Whether problems are shown.
    pub checked: bool,
    /// Whether the confirmation is missing.
    pub unconfirmed: bool,
    /// Id of the input that gets the focus.
    pub focus: Option<String>,
}

/// What an action does, and when and for how long it runs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BeforeRun {
    /// Its steps, in the order of the promise.
    pub steps: Vec<StepOutline>,
    /// Groups and users who can run it. Empty if everyone can who can run actions in the workspace.
    pub people: Vec<String>,
    /// How long it usually takes. Absent until a run succeeded.
    pub usual: Option<TypicalTime>,
    /// What a run would wait for before it starts. Empty if it would start right away.
    pub waits: String,
    /// Approvals that policies require before its steps run, by the parameters that are known.
    pub approvals: Vec<RunApproval>,
    /// Whether more approvals might be required once all parameters are known.
    pub undecided: bool,
}

/// A window that isn't open.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RunWindow {
    /// When it opens, such as `Saturday, 28 November at 22:00 (Europe/Berlin)`. Empty if it doesn't.
    pub opens: String,
    /// When a run that needs no approval would be carried out, as a sentence.
    pub sentence: String,
}

/// An approval that a policy requires of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RunApproval {
    /// Who has to approve, as a sentence without a full stop.
    pub who: String,
    /// The policy.
    pub policy: PolicyLink,
}

/// A step of an action that hasn't started.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StepOutline {
    /// Id.
    pub id: String,
    /// Title, or empty.
    pub title: String,
    /// Type.
    pub kind: StepKind,
    /// Longest duration of one attempt, such as `30m`, or empty.
    pub timeout: String,
}

/// How long runs of an action took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TypicalTime {
    /// Median in seconds.
    pub median: i64,
    /// Number of runs that were measured.
    pub measured: usize,
}

/// The latest runs of one action of a request.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ActionHistory {
    /// The latest runs, newest first.
    pub runs: Vec<RunLine>,
    /// Number of all runs of the action.
    pub total: usize,
    /// Why the user can't list runs. Absent if the user can.
    pub refused: Option<DeniedReason>,
}

/// The runs of an action that a parameter of another one can name.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RunChoices {
    /// Path of the parameter.
    pub path: Path,
    /// Title of the action whose runs they are.
    pub title: String,
    /// Runs that succeeded, newest first.
    pub runs: Vec<RunLine>,
}

/// What follows from a posted form of an action.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ActionOutcome {
    /// The form is shown again, with this draft.
    Again {
        /// Id of the draft.
        draft: String,
    },
    /// A run was started.
    Started {
        /// Its name.
        run: String,
    },
}

/// A value that a run returned.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RunOutput {
    /// Name.
    pub name: String,
    /// Description in one sentence, or empty.
    pub description: String,
    /// Value.
    pub value: String,
}

/// One run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RunPage {
    /// The request.
    pub row: RequestRow,
    /// The run.
    pub run: RunLine,
    /// What its action does, or empty.
    pub description: String,
    /// What it waits for, how it ended or why it failed, as a sentence, or empty.
    pub sentence: String,
    /// Its parameters.
    pub parameters: Vec<ParameterLine>,
    /// Its steps. Absent before it started.
    pub workflow: Option<WorkflowView>,
    /// Values that it returned.
    pub outputs: Vec<RunOutput>,
    /// Objects of the run itself.
    pub resources: Vec<ResourceLine>,
    /// Name of the release that it runs against, or empty.
    pub release: String,
    /// Whether the user can cancel it. Absent once it is over.
    pub cancel: Option<Result<(), Error>>,
    /// Whether the user can retry it. Absent unless it failed.
    pub retry: Option<Result<(), Error>>,
    /// Address of the form that runs the action again. Absent if the user can't run it.
    pub again: Option<String>,
    /// Identifies the data that the page was rendered from, for the change stream.
    pub seen: String,
}
