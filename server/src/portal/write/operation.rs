//! The changes that users can make through the portal.

/// A kind of change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum WriteOperation {
    /// Starts a session.
    SignIn,
    /// Ends a session.
    SignOut,
    /// Creates a PromiseRequest.
    CreateRequest,
    /// Changes the spec of a PromiseRequest.
    ChangeRequest,
    /// Deletes a PromiseRequest.
    DeleteRequest,
    /// Writes the entered secrets of a PromiseRequest.
    WriteInputs,
    /// Restores the previous secrets of a PromiseRequest that was rejected.
    RestoreInputs,
    /// Rolls out the present rules to a PromiseRequest.
    RollOut,
    /// Retries the workflow of a PromiseRequest.
    RetryWorkflow,
    /// Cancels the workflow of a PromiseRequest.
    CancelWorkflow,
    /// Creates a PromiseAction.
    RunAction,
    /// Cancels a PromiseAction.
    CancelRun,
    /// Retries a PromiseAction.
    RetryRun,
    /// Withdraws a PromiseRequest from approval.
    Withdraw,
    /// Resubmits a PromiseRequest for approval.
    Resubmit,
    /// Creates an Approval.
    Decide,
    /// Creates an Approval that skips a step of a workflow.
    SkipStep,
    /// Applies a Promise.
    PublishPromise,
    /// Has a Promise no longer offered.
    RetirePromise,
    /// Creates a Policy.
    CreatePolicy,
    /// Changes the text of a Policy.
    ChangePolicy,
    /// Disables or enables a Policy.
    SwitchPolicy,
    /// Deletes a Policy.
    DeletePolicy,
    /// Comments on a PromiseRequest.
    Comment,
    /// Marks notifications as read.
    MarkRead,
    /// Changes a user's notification settings.
    ChangeNotificationSettings,
    /// Names a user's delegate.
    NameStandIn,
    /// Ends a delegation.
    EndStandIn,
    /// Sends failed messages again.
    RetryDelivery,
    /// Saves a view.
    SaveView,
    /// Changes the title of a saved view.
    RenameView,
    /// Deletes a saved view.
    DeleteView,
    /// Saves a preset.
    SavePreset,
    /// Deletes a preset.
    DeletePreset,
    /// Hides a hint.
    DismissHint,
    /// Add or remove a favourite workspace.
    SetFavourite,
    /// Saves a draft of a form.
    SaveDraft,
    /// Deletes a draft of a form.
    DeleteDraft,
    /// Shares a draft of a form, or stops sharing it.
    ShareDraft,
    /// Keeps a form that was posted after its session had ended.
    LeaveForm,
    /// Gives such a form to the person who signs in.
    TakeForm,
    /// Reveals a secret output.
    RevealOutput,
    /// Notes who deleted a PromiseRequest.
    NoteDeletion,
    /// Notes who changed a Policy.
    NotePolicyChange,
    /// Verifies the audit log.
    VerifyAuditLog,
    /// Starts to upgrade requests in waves.
    StartRollout,
    /// Stops such a rollout.
    StopRollout,
    /// Resumes it.
    ResumeRollout,
    /// Tries a request that failed in it again.
    RetryInRollout,
    /// Leaves a request that failed in it as it is.
    SkipInRollout,
}

impl WriteOperation {
    /// All operations.
    pub const ALL: [Self; 50] = [
        Self::SignIn,
        Self::SignOut,
        Self::CreateRequest,
        Self::ChangeRequest,
        Self::DeleteRequest,
        Self::WriteInputs,
        Self::RestoreInputs,
        Self::RollOut,
        Self::RetryWorkflow,
        Self::CancelWorkflow,
        Self::RunAction,
        Self::CancelRun,
        Self::RetryRun,
        Self::Withdraw,
        Self::Resubmit,
        Self::Decide,
        Self::SkipStep,
        Self::PublishPromise,
        Self::RetirePromise,
        Self::CreatePolicy,
        Self::ChangePolicy,
        Self::SwitchPolicy,
        Self::DeletePolicy,
        Self::Comment,
        Self::MarkRead,
        Self::ChangeNotificationSettings,
        Self::NameStandIn,
        Self::EndStandIn,
        Self::RetryDelivery,
        Self::SaveView,
        Self::RenameView,
        Self::DeleteView,
        Self::SavePreset,
        Self::DeletePreset,
        Self::DismissHint,
        Self::SetFavourite,
        Self::SaveDraft,
        Self::DeleteDraft,
        Self::ShareDraft,
        Self::LeaveForm,
        Self::TakeForm,
        Self::RevealOutput,
        Self::NoteDeletion,
        Self::NotePolicyChange,
        Self::VerifyAuditLog,
        Self::StartRollout,
        Self::StopRollout,
        Self::ResumeRollout,
        Self::RetryInRollout,
        Self::SkipInRollout,
    ];

    /// Returns the operation's name in records.
    pub const fn name(self) -> &'static str {
        match self {
            Self::SignIn => "sign-in",
            Self::SignOut => "sign-out",
            Self::CreateRequest => "create-request",
            Self::ChangeRequest => "change-request",
            Self::DeleteRequest => "delete-request",
            Self::WriteInputs => "write-inputs",
            Self::RestoreInputs => "restore-inputs",
            Self::RollOut => "roll-out",
            Self::RetryWorkflow => "retry-workflow",
            Self::CancelWorkflow => "cancel-workflow",
            Self::RunAction => "run-action",
            Self::CancelRun => "cancel-run",
            Self::RetryRun => "retry-run",
            Self::Withdraw => "withdraw",
            Self::Resubmit => "resubmit",
            Self::Decide => "decide",
            Self::SkipStep => "skip-step",
            Self::PublishPromise => "publish-promise",
            Self::RetirePromise => "retire-promise",
            Self::CreatePolicy => "create-policy",
            Self::ChangePolicy => "change-policy",
            Self::SwitchPolicy => "switch-policy",
            Self::DeletePolicy => "delete-policy",
            Self::Comment => "comment",
            Self::MarkRead => "mark-read",
            Self::ChangeNotificationSettings => "change-notification-settings",
            Self::NameStandIn => "name-stand-in",
            Self::EndStandIn => "end-stand-in",
            Self::RetryDelivery => "retry-delivery",
            Self::SaveView => "save-view",
            Self::RenameView => "rename-view",
            Self::DeleteView => "delete-view",
            Self::SavePreset => "save-preset",
            Self::DeletePreset => "delete-preset",
            Self::DismissHint => "dismiss-hint",
            Self::SetFavourite => "set-favourite",
            Self::SaveDraft => "save-draft",
            Self::DeleteDraft => "delete-draft",
            Self::ShareDraft => "share-draft",
            Self::LeaveForm => "leave-form",
            Self::TakeForm => "take-form",
            Self::RevealOutput => "reveal-output",
            Self::NoteDeletion => "note-deletion",
            Self::NotePolicyChange => "note-policy-change",
            Self::VerifyAuditLog => "verify-audit-log",
            Self::StartRollout => "start-rollout",
            Self::StopRollout => "stop-rollout",
            Self::ResumeRollout => "resume-rollout",
            Self::RetryInRollout => "retry-in-rollout",
            Self::SkipInRollout => "skip-in-rollout",
        }
    }
}
