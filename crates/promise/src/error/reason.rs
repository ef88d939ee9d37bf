//! The reasons of errors, with their arguments. Workspaces are named by their paths.

use serde::{Deserialize, Serialize};

/// What is done to a request or a policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum DeniedOperation {
    /// It is created.
    Create,
    /// It is changed.
    Change,
    /// It is deleted.
    Delete,
    /// A request is taken back from approval.
    Withdraw,
    /// Approval of a request is asked for again.
    Resubmit,
}

/// What a session can do only if the person authenticated recently.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum GuardedOperation {
    /// Overriding all approvers in an emergency.
    Override,
    /// Deleting a request or a policy in a production workspace.
    DeleteInProduction,
}

/// Why a user isn't allowed to do something.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum DeniedReason {
    /// The control plane's authorizer denies it.
    Authorizer {
        /// The control plane's message, which names the missing permission.
        message: String,
    },
    /// The control plane refuses it for another reason, such as an exceeded quota.
    ControlPlane {
        /// Its message, which explains what to do.
        message: String,
    },
    /// A form was posted from another site.
    OtherSite,
    /// A browser doesn't say from which page a form was posted.
    NoOrigin,
    /// A form was opened in another session.
    OtherSession,
    /// The permission to write requests in a workspace is missing.
    WriteRequests {
        /// The operation.
        operation: DeniedOperation,
        /// The workspace.
        workspace: String,
        /// Who can give the permission.
        owner: String,
    },
    /// The permission to create requests in a workspace, and so to use its presets, is missing.
    UsePresets {
        /// The workspace.
        workspace: String,
        /// Who can give the permission.
        owner: String,
    },
    /// The permission to run actions, or to cancel and retry their runs, is missing.
    RunActions {
        /// The workspace.
        workspace: String,
        /// Who can give the permission.
        owner: String,
    },
    /// The permission to list runs of actions is missing.
    ListRuns {
        /// The workspace.
        workspace: String,
        /// Who can give the permission.
        owner: String,
    },
    /// An action is for other people.
    NotAllowedToRun {
        /// A sentence with the people who can run it.
        people: String,
    },
    /// The permission to change a request is missing.
    ChangeRequest {
        /// The workspace, if the reader might not know it.
        workspace: Option<String>,
    },
    /// The permission to list requests is missing.
    ListRequests {
        /// The workspace.
        workspace: String,
        /// Whether it is missing in all child workspaces, too.
        below: bool,
        /// Who can give the permission.
        owner: String,
    },
    /// The permission to write policies in a workspace is missing.
    WritePolicies {
        /// What the user wants to do.
        operation: DeniedOperation,
        /// The workspace.
        workspace: String,
    },
    /// The permission to publish promises in a workspace is missing.
    PublishPromises {
        /// The workspace.
        workspace: String,
    },
    /// There is no workspace in which the user can create policies.
    CreatePoliciesAnywhere,
    /// The members of a workspace can't be listed.
    ListMembers {
        /// The workspace.
        workspace: String,
        /// Who can give the permission.
        owner: String,
    },
    /// The Secret with an output can't be read.
    ReadSecret {
        /// The workspace.
        workspace: String,
        /// The output.
        output: String,
    },
    /// Deliveries of notifications are only for people who operate the platform.
    ViewDeliveries,
    /// The audit log is only for people who operate the platform.
    ViewAuditLog,
    /// The permission to decide about an approval is missing.
    Decide {
        /// Whether it is an emergency override, which has a permission of its own.
        emergency: bool,
        /// Name of the policy or promise that it is about.
        object: String,
        /// The workspace of that object. Empty if it isn't known.
        workspace: String,
    },
    /// A step needs someone other than the requester to approve it, so the requester can't skip it either.
    SkipOwnStep,
    /// The rule doesn't name the user as an approver.
    NotAnApprover {
        /// The approvers, as a sentence without a full stop.
        approvers: String,
    },
    /// Only the requester can do this.
    NotTheRequester {
        /// The operation.
        operation: DeniedOperation,
    },
    /// The person authenticated with their identity provider too long ago.
    AuthenticationTooOld {
        /// The operation.
        operation: GuardedOperation,
        /// The portal's name for the identity provider.
        provider: String,
        /// Seconds within which the person has to have authenticated.
        within: u64,
    },
}

/// What changed, or is taken.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ConflictReason {
    /// The name is taken.
    AlreadyExists {
        /// Noun and name.
        what: String,
    },
    /// The object was written since it was read.
    ChangedByOthers,
    /// A Secret of the name that the portal needs belongs to someone else.
    SecretTaken {
        /// The name.
        name: String,
    },
    /// The request changed since its form was opened.
    ChangedSinceForm,
    /// The request changed since the edition that a program names.
    OtherEdition,
    /// A program doesn't say which edition of a request it changes.
    NoEdition,
    /// A program used an idempotency key for another call before.
    KeyOfOtherCall,
    /// The call with this idempotency key is still in progress.
    CallInProgress,
    /// The call with this idempotency key was interrupted: whether its change was made is unknown.
    CallInterrupted,
    /// The path of the workspace leads to another one than when the form was opened.
    OtherWorkspace {
        /// The path.
        workspace: String,
    },
    /// The draft was submitted, or has expired.
    DraftGone,
    /// The values to save as a preset were in a draft or a request that no longer exists.
    PresetValuesGone,
    /// The session had ended when a form was posted.
    SessionEnded,
    /// The person had to authenticate again after a form was posted.
    AuthenticationWasTooOld,
    /// An output isn't text.
    NotText {
        /// The output.
        output: String,
    },
    /// The request changed since the page of the approval was opened.
    ChangedSinceReview,
    /// The request changed since it was going to be withdrawn.
    ChangedSinceWithdrawal,
    /// The request isn't in question any more.
    NothingToDecide,
    /// None of the approvals is for this user to decide.
    NothingForYou,
    /// The rule no longer applies.
    DecisionNotNeeded,
    /// The approval was decided, or its stage isn't open yet.
    ApprovalNotOpen,
    /// The request isn't waiting for approval.
    NothingToWithdraw,
    /// No one decided against the request.
    NothingToResubmit,
    /// One of several requests changed since the page was opened.
    OneChanged {
        /// Its name.
        name: String,
    },
    /// The effect of one of several requests isn't known any more.
    OneUnknown {
        /// Its name.
        name: String,
    },
    /// One of several requests has another effect than the others.
    OneDiffers {
        /// Its name.
        name: String,
    },
    /// Only some of several requests could be decided.
    PartlyDecided {
        /// How many are.
        done: usize,
        /// How many there were.
        all: usize,
        /// Name of the first one that isn't.
        name: String,
        /// Why it isn't.
        because: Box<super::Error>,
    },
    /// Policies changed again since the page was opened.
    PoliciesChangedAgain,
    /// The request already has the present policies.
    UpToDate,
    /// No step of the workflow failed, or it was already retried.
    NothingFailed,
    /// No workflow of the request runs.
    NothingRuns,
    /// The step isn't in question: it hasn't begun, is finished, or its run is over.
    NothingToSkip {
        /// Id of the step.
        step: String,
    },
    /// Steps of its type can't be skipped.
    StepNotSkippable {
        /// Id of the step.
        step: String,
    },
    /// The request has nothing yet on which an action could run.
    NotRunningYet,
    /// The request is being deleted.
    BeingDeleted,
}

/// What isn't ready.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum BusyReason {
    /// The control plane can't accept more work.
    ControlPlane,
    /// The namespace is being deleted, and a new one of the same name can exist afterwards.
    NamespaceTerminating {
        /// The control plane's message.
        message: String,
    },
    /// The object is written so often that no change gets through.
    KeepsChanging {
        /// Noun and name.
        what: String,
    },
    /// The portal hasn't loaded yet which workspaces use it.
    LoadingWorkspaces,
    /// The portal hasn't loaded requests yet.
    LoadingRequests {
        /// Whether an attempt failed.
        failed: bool,
    },
    /// The portal doesn't read the shard of a workspace.
    UnreadShard {
        /// Whether policies aren't read; requests otherwise.
        policies: bool,
        /// The workspace.
        workspace: String,
        /// The shards that aren't read.
        shards: Vec<String>,
    },
    /// Not all policies for a workspace can be read.
    PoliciesUnproven {
        /// Why, as a sentence without a full stop.
        why: String,
    },
    /// A published promise has errors.
    BrokenPromise {
        /// Its name.
        promise: String,
    },
    /// The controller hasn't asked approvers yet.
    NotInQuestionYet,
    /// Too many people are signing in.
    SignIns,
    /// Too many forms are being checked.
    Evaluations,
    /// Too many people follow live updates.
    Streams,
    /// The connection broke while the request arrived.
    Interrupted,
}

/// What there were too many of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum TooManyReason {
    /// Requests to the portal.
    Requests,
    /// Forms of one person that are being checked.
    Evaluations,
    /// Different tokens from one network.
    Tokens,
    /// Attempts to sign in from one network.
    SignIns,
    /// Pages of one person with live updates.
    Streams,
}
