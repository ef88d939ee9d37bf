//! The texts of errors: clauses or sentences without a full stop, which pages begin with a capital letter, and sentences where there are
//! several.

use std::fmt;

use super::{BusyReason, ConflictReason, Contested, DeniedOperation, DeniedReason, Error, GuardedOperation, TooManyReason};
use crate::names;
use crate::problem::Problem;
use crate::wording::counted;

impl fmt::Display for Error {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unauthenticated => out.write_str("sign in to continue"),
            Self::Denied { reason } => reason.fmt(out),
            Self::NotFound { what } => write!(out, "we couldn't find {what}, or you don't have access to it"),
            Self::NotEnabled { what } => write!(out, "the API of {what} isn't enabled in this workspace"),
            Self::Invalid { problems } => out.write_str(&summary(problems)),
            Self::Conflict { reason } => reason.fmt(out),
            Self::Contested { fields } => out.write_str(&contested(fields)),
            Self::Unreachable { what } => write!(out, "{what} didn't respond"),
            Self::Busy { reason } => reason.fmt(out),
            Self::TooManyRequests { reason, seconds } => out.write_str(&too_many(*reason, *seconds)),
            Self::Timeout => out.write_str("The request took too long to arrive. Send it again."),
            Self::TooLarge { limit } => write!(out, "The request is too large: the maximum is {}.", size(*limit)),
            Self::Internal => out.write_str("something went wrong on our side"),
        }
    }
}

fn contested(fields: &[Contested]) -> String {
    let parts: Vec<String> = fields.iter().map(|field| format!("{} ({})", field.path, field.manager)).collect();
    format!("other tools manage {}", crate::wording::all_of(&parts))
}

fn summary(problems: &[Problem]) -> String {
    problems
        .iter()
        .map(|p| if p.path.is_empty() { p.message.clone() } else { format!("{}: {}", p.path, p.message) })
        .collect::<Vec<_>>()
        .join("; ")
}

fn size(bytes: usize) -> String {
    if bytes >= 1024 * 1024 { format!("{} MiB", bytes / (1024 * 1024)) } else { format!("{} KiB", bytes / 1024) }
}

fn too_many(reason: TooManyReason, seconds: u64) -> String {
    let what = match reason {
        TooManyReason::Requests => "You sent too many requests.",
        TooManyReason::Evaluations => "Too many of your forms are being checked at once.",
        TooManyReason::Tokens => "Too many different tokens were sent from your network.",
        TooManyReason::SignIns => "There were too many sign-in attempts from your network.",
        TooManyReason::Streams => return "Too many of your pages have live updates open. Close some of them.".to_owned(),
    };
    let wait = if seconds == 1 { "a second".to_owned() } else { format!("{seconds} seconds") };
    format!("{what} Wait {wait}, then try again.")
}

impl DeniedOperation {
    fn verb(self) -> &'static str {
        match self {
            Self::Create => "create",
            Self::Change => "change",
            Self::Delete => "delete",
            Self::Withdraw => "withdraw",
            Self::Resubmit => "resubmit",
        }
    }
}

impl fmt::Display for DeniedReason {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Authorizer { message } | Self::ControlPlane { message } => out.write_str(message),
            Self::OtherSite => out.write_str("this request came from another site; open the page here and send it again"),
            Self::NoOrigin => out.write_str("this request doesn't say which page it came from (header Origin)"),
            Self::OtherSession => out.write_str("this form belongs to another session; open the page again and send it from there"),
            Self::WriteRequests { operation, workspace, owner } => {
                write!(out, "You can't {} requests in {workspace}. Ask {owner} for access.", operation.verb())
            }
            Self::UsePresets { workspace, owner } => {
                write!(out, "You can't create requests in {workspace}, so its presets aren't for you. Ask {owner} for access.")
            }
            Self::RunActions { workspace, owner } => write!(out, "You can't run actions in {workspace}. Ask {owner} for access."),
            Self::ListRuns { workspace, owner } => write!(out, "You can't list runs of actions in {workspace}. Ask {owner} for access."),
            Self::NotAllowedToRun { people } => out.write_str(people),
            Self::ChangeRequest { workspace: Some(workspace) } => write!(out, "You can't change requests in {workspace}."),
            Self::ChangeRequest { workspace: None } => out.write_str("You can't change requests here."),
            Self::ListRequests { workspace, below: true, owner } => {
                write!(out, "You can't list requests in {workspace} or below it. Ask {owner} for access.")
            }
            Self::ListRequests { workspace, below: false, owner } => {
                write!(out, "You can enter {workspace} but can't list its requests. Ask {owner} for access.")
            }
            Self::WritePolicies { operation, workspace } => write!(out, "you can't {} policies in {workspace}", operation.verb()),
            Self::PublishPromises { workspace } => {
                write!(out, "You can't publish promises in {workspace}. Choose a workspace where you can, or ask its owner for access.")
            }
            Self::CreatePoliciesAnywhere => out.write_str("you can't create policies in any workspace; ask a workspace owner for access"),
            Self::ListMembers { workspace, owner } => {
                write!(out, "You can't view the members of {workspace}. Ask {owner} for access.")
            }
            Self::ReadSecret { workspace, output } => write!(out, "You can't read Secrets in {workspace}, so {output} stays hidden."),
            Self::ViewDeliveries => {
                out.write_str("You can't view deliveries. Only people who can publish promises for all workspaces can.")
            }
            Self::ViewAuditLog => {
                out.write_str("You can't view the audit log. Only people who can publish promises for all workspaces can.")
            }
            Self::Decide { emergency, object, workspace } => {
                let verb = if *emergency { names::EMERGENCY_VERB } else { names::APPROVE_VERB };
                match workspace.as_str() {
                    "" => write!(out, "You need the permission {verb} on {object}."),
                    workspace => write!(out, "You need the permission {verb} on {object} in {workspace}."),
                }
            }
            Self::SkipOwnStep => out.write_str("This step needs approval from someone else, so someone else has to skip it."),
            Self::NotAnApprover { approvers } => write!(out, "You aren't one of the approvers of this rule. {approvers}."),
            Self::NotTheRequester { operation } => write!(out, "Only the requester can {} it.", operation.verb()),
            Self::AuthenticationTooOld { operation, within, .. } => {
                let what = match operation {
                    GuardedOperation::Override => "Overriding approvers",
                    GuardedOperation::DeleteInProduction => "Deleting in a production workspace",
                };
                let minutes = counted(within.div_ceil(60), "minute");
                write!(out, "{what} needs a sign-in within the last {minutes}. Nothing has changed yet. Sign in again, then confirm.")
            }
        }
    }
}

impl fmt::Display for ConflictReason {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AlreadyExists { what } => write!(out, "{what} already exists"),
            Self::ChangedByOthers => out.write_str("someone else changed it first; review the changes and try again"),
            Self::SecretTaken { name } => write!(out, "the name {name} is taken by a Secret that is not the portal's"),
            Self::ChangedSinceForm => {
                out.write_str("the request changed after you opened this form; if you submit now, you overwrite that change")
            }
            Self::OtherEdition => {
                out.write_str("the request changed after you read it; read it again, then send your change with its new ETag")
            }
            Self::NoEdition => out.write_str("name the edition that you change: send the ETag of the request in the header If-Match"),
            Self::KeyOfOtherCall => out.write_str("this idempotency key was used for another call; choose a new key"),
            Self::CallInProgress => out.write_str("the call with this idempotency key is still in progress; try again in a moment"),
            Self::CallInterrupted => out.write_str(
                "the portal stopped during the call with this idempotency key, so its outcome is unknown; \
                 read the request to see whether the change was made, and if it wasn't, send it with a new key",
            ),
            Self::OtherWorkspace { workspace } => {
                write!(out, "{workspace} is a different workspace than when you opened this form; open it again")
            }
            Self::DraftGone => out.write_str("This draft was already submitted or is older than a week."),
            Self::PresetValuesGone => out.write_str("the values to save are no longer available; open the form again"),
            Self::SessionEnded => out.write_str("your session had ended, so nothing was saved; check what you entered and send it again"),
            Self::AuthenticationWasTooOld => {
                out.write_str("Nothing has changed yet, because you had to sign in again first. Check the form, then send it again.")
            }
            Self::NotText { output } => write!(out, "{output} isn't text; read it with kubectl"),
            Self::ChangedSinceReview => {
                out.write_str("the request changed after you opened this page, so nothing was saved; review the changes and decide")
            }
            Self::ChangedSinceWithdrawal => {
                out.write_str("the request changed after you opened this page; review it before you withdraw it")
            }
            Self::NothingToDecide => {
                out.write_str("there is nothing left to decide: the request was decided, changed, withdrawn or has expired")
            }
            Self::NothingForYou => out.write_str("there is nothing for you to decide right now"),
            Self::DecisionNotNeeded => out.write_str("this decision is no longer needed"),
            Self::ApprovalNotOpen => out.write_str("this approval isn't open: it was decided, or an earlier stage is still open"),
            Self::NothingToWithdraw => out.write_str("there is nothing to withdraw: the request isn't waiting for approval"),
            Self::NothingToResubmit => out.write_str("no one decided against it, so there is nothing to resubmit"),
            Self::OneChanged { name } => {
                write!(out, "{name} changed after you opened this page, so nothing was saved; review it again")
            }
            Self::OneUnknown { name } => write!(out, "the effect of {name} is no longer known; decide on it separately"),
            Self::OneDiffers { name } => {
                write!(out, "{name} differs from the others, so nothing was saved; decide on it separately")
            }
            Self::PartlyDecided { done, all, name, because } => {
                write!(out, "{done} of {all} are decided; {name} isn't, because {because}")
            }
            Self::PoliciesChangedAgain => out.write_str("policies changed again after you opened this page; review what would change now"),
            Self::NothingToSkip { step } => {
                write!(out, "the step {step} can't be skipped now: it neither failed nor is it waiting, or its run is over")
            }
            Self::StepNotSkippable { step } => {
                write!(out, "the step {step} can't be skipped, because it changes objects that the steps after it build on")
            }
            Self::NothingRuns => out.write_str("no step is running; there is nothing to cancel"),
            Self::NotRunningYet => out.write_str("the request isn't running yet; run the action once it is ready"),
            Self::BeingDeleted => out.write_str("the request is being deleted"),
            Self::NothingFailed => out.write_str("no step has failed since; there is nothing to retry"),
            Self::UpToDate => out.write_str("the request is up to date; there is nothing to roll out"),
        }
    }
}

impl fmt::Display for BusyReason {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ControlPlane => out.write_str("the control plane is busy; try again in a moment"),
            Self::NamespaceTerminating { message } => out.write_str(message),
            Self::KeepsChanging { what } => write!(out, "{what} keeps changing; try again"),
            Self::LoadingWorkspaces => out.write_str("The portal is still loading which workspaces use it. Try again in a moment."),
            Self::LoadingRequests { failed: false } => out.write_str("requests are still loading; try again in a moment"),
            Self::LoadingRequests { failed: true } => {
                out.write_str("requests couldn't be loaded yet, and the portal keeps trying; its operator finds the reason at /readyz")
            }
            Self::UnreadShard { policies, workspace, shards } => write!(
                out,
                "The portal doesn't read {} in {workspace}, because they're on another shard ({}). Ask the platform team.",
                if *policies { "policies" } else { "requests" },
                shards.join(", ")
            ),
            Self::PoliciesUnproven { why } => out.write_str(why),
            Self::BrokenPromise { promise } => write!(out, "the promise {promise} has errors and can't be used; its team can fix it"),
            Self::NotInQuestionYet => out.write_str("the controller hasn't requested approval yet; try again in a moment"),
            Self::SignIns => out.write_str("many people are signing in right now; try again in a moment"),
            Self::Evaluations => out.write_str("many forms are being checked right now; try again in a moment"),
            Self::Streams => out.write_str("many people are following live updates right now; refresh the page instead"),
            Self::Interrupted => out.write_str("the connection was interrupted; send the request again"),
        }
    }
}
