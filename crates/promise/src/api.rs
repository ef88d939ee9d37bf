//! The spec and status of every kind as JSON, and the response types of the REST API. `cluster::kinds` wraps the kinds in Kubernetes
//! objects.
//!
//! `domain.md` defines the fields. Optional fields that are unset are omitted, never null.

mod action;
mod approval;
mod approve_step;
mod catalog;
mod destination;
mod endpoint;
mod form;
mod inventory;
mod job;
mod opaque;
mod outdated;
mod parameters;
mod policy;
mod preflight;
mod promise;
mod promise_workflow;
mod release;
mod request;
mod required;
mod schedule;
mod step;
mod waiting;
mod workflow;

pub use action::{ActionOutput, ActionOutputStatus, ActionPhase, ActionSpec, AllowedPeople, PromiseActionSpec, PromiseActionStatus};
pub use approval::{
    AnsweredQuestion, ApprovalRule, ApprovalSpec, ApprovalState, ApprovalStatus, ApprovedRequest, Decision, DecisionReason, DecisionState,
    DecisionStatus, GivenApproval, QuestionStatus,
};
pub use approve_step::{ApproveStep, StepPolicy};
pub use catalog::{PriceList, PromiseCatalogSpec};
pub use destination::{AllowedKind, DestinationSpec, DestinationStatus, DestinationType, RequiredApi, SecretRef};
pub use endpoint::{AuthorizationType, EndpointAuthorization, EndpointSecretRef, EndpointSpec, EndpointStatus, HttpMethod};
pub use form::{FieldGroup, FieldHint, FormHints, OptionHint, Preset, ReferenceHint};
pub use inventory::{DestinationId, Health, InventoryItem, Repairs};
pub use job::JobStep;
pub use outdated::{OutdatedPrice, OutdatedRule, OutdatedStatus, RuleChange};
pub use policy::{
    AppliesTo, Approve, Approvers, Budget, Constrain, Enforcement, FIRST_STAGE, Inject, InjectMatch, Limit, Owner, PolicyCategory,
    PolicySpec, PolicyStatus, Rule, SetValue, Validate, Window,
};
pub use preflight::{
    MissingRequirement, PreflightAnswer, PreflightApproval, PreflightDryRun, PreflightObject, PreflightPrice, PreflightPriceItem,
    PreflightUnknown, PreflightVerdict, PreflightWindow,
};
pub use promise::{
    ChangelogEntry, CostItem, CostModel, Deprecation, Example, Implementation, Lifecycle, Link, Maintainer, OutputFormat, OutputSpec,
    PolicyRef, Presentation, PromiseRevisionSpec, PromiseSpec, PromiseStatus, Requirement, ResourceTemplate, SecretOutput, Visibility,
};
pub use promise_workflow::PromiseWorkflowSpec;
pub use release::{PromiseReleaseSpec, ReleaseRevision, ReleaseRule, ReleaseTerms};
pub use request::{
    CandidateState, CandidateStatus, Condition, ConditionStatus, CostStatus, CurrentStatus, DeletionPolicy, OutputStatus, Phase,
    PolicyOutcome, PolicyResult, PromiseRef, PromiseRequestSpec, PromiseRequestStatus, Requester, SecretKeyRef, UpgradePolicy,
};
pub use required::Required;
pub use schedule::{Schedule, ScheduleStatus};
pub use step::{StepKind, StepPhase, StepReason};
pub use waiting::{WaitingKind, WaitingOn, WaitingReason};
pub use workflow::{
    HttpPoll, HttpRequest, HttpStep, OnFailure, PatchStep, ResourcesStep, Retry, Step, StepStatus, ValidateStep, WaitStep, Workflow,
    WorkflowName, WorkflowPhase, WorkflowStatus, Workflows,
};
