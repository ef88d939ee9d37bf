//! What a request is waiting for.

/// What a request is waiting for.
#[derive(Clone, Debug, PartialEq, Default, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "utoipa", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct WaitingOn {
    /// Type of what it is waiting for.
    #[serde(default)]
    pub kind: WaitingKind,
    /// Machine-readable reason.
    #[serde(default)]
    pub reason: WaitingReason,
    /// Groups and users who have to decide, while an approval is missing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub who: Vec<String>,
    /// Object, step or field concerned, such as `StatefulSet cache`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub object: Option<String>,
    /// Finalizers that hold the object although it is being deleted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub finalizers: Vec<String>,
    /// RFC 3339 time since when it is waiting.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
    /// Human-readable reason: a sentence without a full stop.
    #[serde(default)]
    pub message: String,
}

/// Reason why a request is waiting.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "utoipa", derive(utoipa::ToSchema))]
pub enum WaitingReason {
    /// Values of the request have to be corrected.
    InvalidRequest,
    /// The promise renders invalid objects from valid values.
    InvalidPromise,
    /// Some policies can't be read.
    PoliciesNotVisible,
    /// A policy refuses the request.
    PolicyViolation,
    /// A quota or budget has no room.
    NoRoom,
    /// Approvers have to decide.
    ApprovalNeeded,
    /// Approvers have to decide before an action begins.
    RunApprovalNeeded,
    /// An approver requested changes.
    ChangesRequested,
    /// The change was rejected or withdrawn, or its approval has expired.
    NotApproved,
    /// The change is carried out when the windows of policies are open.
    ChangeWindow,
    /// The controller evaluates it.
    Evaluating,
    /// The controller hasn't reconciled it yet.
    Reconciling,
    /// Objects are being applied.
    Applying,
    /// The last attempt failed, and there will be another.
    Retrying,
    /// The request is paused.
    Paused,
    /// An object of that name belongs to someone else.
    Conflict,
    /// A plane can't be reached.
    Unreachable,
    /// An object isn't healthy yet.
    Unhealthy,
    /// A step waits for an output of another one.
    Dependency,
    /// An object has to be deleted first.
    Terminating,
    /// Finalizers of other owners hold an object that should have been deleted by now.
    HeldByFinalizer,
    /// Objects are being deleted.
    Deleting,
    /// A step of the workflow is running.
    StepRunning,
    /// A step of the workflow failed. It can be retried.
    StepFailed,
    /// The request returns to its former release because a step failed.
    RollingBack,
    /// A change was rolled back because a step failed.
    RolledBack,
    /// Another action of the request is first.
    OtherAction,
    /// A rollout of the request has to finish first.
    RolloutRunning,
    /// The request has expired. It is deleted unless it is renewed.
    Expired,
    /// The record of the running release is missing.
    RecordMissing,
    /// The record of the running release can't be read.
    RecordNotReadable,
    /// An unknown reason, from a newer version.
    #[default]
    #[serde(other)]
    Unknown,
}

/// Type of what a request is waiting for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "utoipa", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum WaitingKind {
    /// Nothing.
    #[default]
    Nothing,
    /// An approver, requester or other person.
    Person,
    /// A running step.
    Step,
    /// The controller.
    Controller,
    /// Quota or budget.
    Capacity,
}
