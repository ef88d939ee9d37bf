//! Why the controller can't do something.

use jiff::Timestamp;
use promise::Problem;
use promise::action::FieldConflict;
use promise::lifecycle::RequesterUnknown;
use promise::placement::{DestinationMoved, DestinationRefusal};
use promise::plan::MarkError;
use promise::wording::upper_first;

use super::destination::{DestinationFailure, KindFailure};
use super::release::ReleaseFailure;
use super::secret::SecretFailure;
use crate::controller::refusals::CallFailure;
use crate::requirements::UnaskedApi;
use crate::workspaces::Unproven;
use crate::world::ExportsNotServed;

/// Why the controller can't do something. Its text is one or more sentences for people, and code decides by the variant alone.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FailureCause {
    /// A call failed.
    #[error(transparent)]
    Call(#[from] CallFailure),
    /// A Destination can't be used.
    #[error(transparent)]
    Destination(#[from] DestinationFailure),
    /// A Destination doesn't serve the request.
    #[error(transparent)]
    DestinationRefusal(#[from] DestinationRefusal),
    /// A Destination might no longer be the one where objects were created.
    #[error(transparent)]
    DestinationMoved(#[from] DestinationMoved),
    /// A Destination wasn't asked yet for an API that the promise requires.
    #[error(transparent)]
    Unasked(#[from] UnaskedApi),
    /// A kind can't be created beside a request.
    #[error(transparent)]
    Kind(#[from] KindFailure),
    /// A Secret can't be used.
    #[error(transparent)]
    Secret(#[from] SecretFailure),
    /// A release or its revision can't be used.
    #[error(transparent)]
    Release(#[from] ReleaseFailure),
    /// The requester isn't known.
    #[error(transparent)]
    RequesterUnknown(#[from] RequesterUnknown),
    /// The exports aren't served yet.
    #[error(transparent)]
    ExportsNotServed(#[from] ExportsNotServed),
    /// The rules above the workspace aren't known.
    #[error("{}", upper_first(&format!("{}.", .0)))]
    Unproven(#[from] Unproven),
    /// A list of what is above the workspace can't be read.
    #[error("The {lists} above this workspace haven't been readable since {}.", .since.strftime("%H:%M:%S UTC"))]
    ListsUnreadable {
        /// What is listed, in the plural.
        lists: &'static str,
        /// Since when.
        since: Timestamp,
    },
    /// A list of what is above the workspace wasn't read yet.
    #[error("The {lists} above this workspace haven't been read yet.")]
    ListsUnread {
        /// What is listed, in the plural.
        lists: &'static str,
    },
    /// The lists of orphaned objects can't be read, so nothing counts what is handed over.
    #[error("The lists of orphaned objects haven't been readable since {}.", .since.strftime("%H:%M:%S UTC"))]
    OrphansUnreadable {
        /// Since when.
        since: Timestamp,
    },
    /// The list of approvals can't be read.
    #[error("The approvals haven't been readable since {}.", .since.strftime("%H:%M:%S UTC"))]
    ApprovalsUnreadable {
        /// Since when.
        since: Timestamp,
    },
    /// The list of approvals wasn't read yet.
    #[error("The approvals haven't been read yet.")]
    ApprovalsUnread,
    /// What decides whether the objects of a deleted request stay can't be read.
    #[error("{cause} Until then, the controller can't decide whether the objects stay. Set deletionPolicy to Delete to remove them now.")]
    DeletionUndecided {
        /// What can't be read.
        cause: Box<Self>,
    },
    /// The control plane doesn't say who the controller is.
    #[error("The control plane didn't return the controller's user name.")]
    OwnNameUnknown,
    /// An evaluation panicked, or the process ends.
    #[error("The controller couldn't evaluate the request. See its log for details.")]
    NotEvaluated,
    /// The expressions of a promise can't be compiled.
    #[error("The promise can't be used: {}", Problem::in_words(.0))]
    PromiseUnusable(Vec<Problem>),
    /// Something that the promise, its policies or the request say isn't accepted.
    #[error("{}", Problem::in_words(.0))]
    Problems(Vec<Problem>),
    /// The promise has no such action.
    #[error("{}", promise::action::unknown_action(.action))]
    UnknownAction {
        /// Name of the action.
        action: String,
    },
    /// The request has no such object.
    #[error("The request has no object {resource}.")]
    NoObject {
        /// Id of the resource.
        resource: String,
    },
    /// An object that has to be changed isn't there now.
    #[error("{object} doesn't exist at the moment.")]
    ObjectAbsent {
        /// Kind and name.
        object: String,
    },
    /// Someone else owns a field that an action sets.
    #[error(transparent)]
    FieldConflict(#[from] FieldConflict),
    /// A rendered object has no kind or no name.
    #[error("{resource} has no kind or name.")]
    NoKindOrName {
        /// Id of the resource.
        resource: String,
    },
    /// A rendered object can't get the marks of its owner.
    #[error("{resource} can't be created: {error}.")]
    NotMarked {
        /// Id of the resource.
        resource: String,
        /// Why.
        error: MarkError,
    },
    /// A rendered object isn't allowed where it goes.
    #[error("{}", .0.message)]
    NotAllowed(Problem),
    /// Several things are wrong.
    #[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join(" "))]
    Several(Vec<Self>),
}

#[cfg(test)]
mod tests {
    use promise::Problem;
    use promise::action::FieldConflict;
    use promise::plan::MarkError;

    use super::FailureCause;
    use crate::requirements::UnaskedApi;
    use crate::workspaces::Unproven;
    use crate::world::ExportsNotServed;

    #[test]
    fn every_cause_is_a_sentence() {
        let text = str::to_owned;
        let since = "2026-05-01T08:00:07Z".parse().unwrap();
        let problems = || vec![Problem { path: ".a".to_owned(), message: "Enter a number.".to_owned() }];
        for (cause, sentence) in [
            (ExportsNotServed.into(), "The exports aren't served yet."),
            (
                UnaskedApi { destination: text("eu-1"), api: text("apps/Deployment") }.into(),
                "It isn't known yet whether the destination eu-1 serves apps/Deployment.",
            ),
            (
                Unproven::Reserved { namespace: text("kube-system") }.into(),
                "Requests in the namespace kube-system aren't served: it belongs to the cluster itself; use your own namespace.",
            ),
            (
                FailureCause::ListsUnreadable { lists: "policies", since },
                "The policies above this workspace haven't been readable since 08:00:07 UTC.",
            ),
            (FailureCause::ListsUnread { lists: "policies" }, "The policies above this workspace haven't been read yet."),
            (FailureCause::OrphansUnreadable { since }, "The lists of orphaned objects haven't been readable since 08:00:07 UTC."),
            (FailureCause::ApprovalsUnreadable { since }, "The approvals haven't been readable since 08:00:07 UTC."),
            (FailureCause::ApprovalsUnread, "The approvals haven't been read yet."),
            (
                FailureCause::DeletionUndecided { cause: Box::new(ExportsNotServed.into()) },
                "The exports aren't served yet. Until then, the controller can't decide whether the objects stay. Set deletionPolicy to \
                 Delete to remove them now.",
            ),
            (FailureCause::OwnNameUnknown, "The control plane didn't return the controller's user name."),
            (FailureCause::NotEvaluated, "The controller couldn't evaluate the request. See its log for details."),
            (FailureCause::PromiseUnusable(problems()), "The promise can't be used: .a: Enter a number."),
            (FailureCause::Problems(problems()), ".a: Enter a number."),
            (FailureCause::UnknownAction { action: text("backup") }, "The promise has no action backup."),
            (FailureCause::NoObject { resource: text("database") }, "The request has no object database."),
            (FailureCause::ObjectAbsent { object: text("Secret web") }, "Secret web doesn't exist at the moment."),
            (
                FieldConflict { path: text(".spec.size"), manager: text("kubectl") }.into(),
                ".spec.size is set by kubectl, so the action doesn't change it.",
            ),
            (FailureCause::NoKindOrName { resource: text("database") }, "database has no kind or name."),
            (
                FailureCause::NotMarked { resource: text("database"), error: MarkError::Unidentified { id: text("database") } },
                "database can't be created: the resource database has no apiVersion, kind or metadata.name.",
            ),
            (FailureCause::NotAllowed(Problem { path: text(".a"), message: text("Add it to allowedKinds.") }), "Add it to allowedKinds."),
            (
                FailureCause::Several(vec![ExportsNotServed.into(), FailureCause::NotEvaluated]),
                "The exports aren't served yet. The controller couldn't evaluate the request. See its log for details.",
            ),
        ] {
            assert_eq!(cause.to_string(), sentence);
        }
    }
}
