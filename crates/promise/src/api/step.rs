//! Types and states of the steps of workflows.

/// Type of a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "utoipa", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum StepKind {
    /// Checks an expression.
    #[default]
    Validate,
    /// Checks quota, permissions and admission.
    Capacity,
    /// Applies objects.
    Apply,
    /// Waits.
    Wait,
    /// Deletes objects.
    Delete,
    /// Applies requests for other promises.
    Request,
    /// Calls an Endpoint.
    Http,
    /// Runs a Job.
    Job,
    /// Changes fields of an object.
    Patch,
    /// Waits for the decision of approvers.
    Approve,
}

impl StepKind {
    /// Whether someone can skip such a step. Steps that change objects can't be skipped: what they are about has no other way to get into
    /// the wanted state, and later steps build on it.
    pub fn can_be_skipped(self) -> bool {
        match self {
            Self::Validate | Self::Capacity | Self::Wait | Self::Http | Self::Job | Self::Approve => true,
            Self::Apply | Self::Delete | Self::Request | Self::Patch => false,
        }
    }
}

/// State of a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "utoipa", derive(utoipa::ToSchema))]
pub enum StepPhase {
    /// Not started yet.
    #[default]
    Pending,
    /// Running.
    Running,
    /// Finished.
    Succeeded,
    /// Failed, with no further attempts.
    Failed,
    /// Not needed, or someone skipped it.
    Skipped,
}

/// Why a step failed, or what it waits for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "utoipa", derive(utoipa::ToSchema))]
pub enum StepReason {
    /// Its check isn't true.
    NotValid,
    /// A server wouldn't take the objects.
    NoCapacity,
    /// The objects aren't applied yet.
    Applying,
    /// The objects aren't healthy yet, or the expression isn't true yet.
    Waiting,
    /// The objects aren't deleted yet.
    Deleting,
    /// The last answer wasn't the expected one yet.
    Polling,
    /// It took too long.
    TimedOut,
    /// The Endpoint doesn't exist, or the promise is not allowed to call it.
    NotAllowed,
    /// The Endpoint didn't respond.
    Unreachable,
    /// The Endpoint responded with something else than expected.
    UnexpectedAnswer,
    /// The Job isn't finished yet.
    JobRunning,
    /// The Job failed.
    JobFailed,
    /// The Job was deleted before it was finished.
    JobDeleted,
    /// Someone cancelled it.
    Cancelled,
    /// Approvers have to decide.
    ApprovalNeeded,
    /// An approver rejected it.
    Rejected,
    /// Someone skipped it.
    Skipped,
    /// The server didn't take the change, or the promise itself sets one of the fields.
    NotChanged,
    /// An expression of the promise failed.
    InvalidPromise,
    /// An unknown reason, from a newer version.
    #[default]
    #[serde(other)]
    Unknown,
}
