//! Explains refusals of the control plane to the people who read conditions.

use std::fmt;

use promise::names;

use crate::error::{is_unanswered, upstream};
use crate::install::{ROLE_DESTINATION, SYSTEM_NAMESPACE, content_remedy, fulfiller_remedy, remedy};
use crate::kinds::Export;
use crate::topology::Topology;
use crate::workspaces::ClusterId;

/// Why a call of the controller failed. Its text is one or two sentences.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallFailure {
    /// What the call was for: a verb with its object, such as `read Secret orders-db`.
    pub doing: String,
    /// What went wrong.
    pub kind: CallFailureKind,
    /// What helps, and who can do it.
    pub remedy: Option<CallRemedy>,
}

/// What went wrong with a call. Messages are those of the server, without the full stop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CallFailureKind {
    /// The control plane doesn't accept the controller's credential.
    CredentialRefused,
    /// A Destination doesn't accept its credential.
    DestinationCredentialRefused {
        /// Name of the Destination.
        destination: String,
    },
    /// A permission is missing. The message names it.
    Denied {
        /// Message of the server.
        message: String,
    },
    /// The object doesn't exist.
    Missing {
        /// Message of the server; `None` if it doesn't serve the kind.
        message: Option<String>,
    },
    /// Someone else changed the object.
    Conflict {
        /// Message of the server.
        message: String,
    },
    /// The server doesn't take what was sent.
    Rejected {
        /// Message of the server.
        message: String,
    },
    /// The server refuses something about a Secret. Its message might repeat a secret, so it isn't kept.
    RejectedInSecret,
    /// The server can't do it now.
    Unavailable,
    /// The server doesn't respond.
    NoResponse,
    /// The answer can't be read.
    NotUnderstood,
}

/// What helps when a call was refused, and who can do it. Its text is one or two sentences.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CallRemedy {
    /// The installation lacks a permission.
    Install(Topology),
    /// The installation lacks a permission for our own kinds.
    ContentPermission {
        /// How workspaces are represented.
        topology: Topology,
        /// The export that shows them.
        export: Export,
    },
    /// An APIBinding doesn't accept a claim of the requests export.
    AcceptClaim,
    /// The APIBinding of a home doesn't accept the claim on access reviews.
    AcceptReviews {
        /// The home.
        home: String,
    },
    /// The ServiceAccount of a namespace lacks a permission.
    GrantToFulfiller {
        /// The namespace.
        namespace: String,
    },
    /// The credential of a Destination lacks a permission.
    GrantToDestination,
    /// A Secret needs the label of credentials, and has to be where the controller can read it.
    LabelCredential(Topology),
}

impl CallFailure {
    /// Creates the failure of a call that was answered with `error`. `doing` is a verb with its object, such as `read Secret orders-db`.
    ///
    /// The control plane's own message about a refusal is kept, because it names the missing permission.
    pub fn new(error: &kube::Error, doing: impl Into<String>) -> Self {
        let doing = doing.into();
        let kind = match error {
            kube::Error::Api(status) => {
                let message = || status.message.trim_end_matches('.').to_owned();
                match status.code {
                    401 => CallFailureKind::CredentialRefused,
                    403 => CallFailureKind::Denied { message: message() },
                    404 => CallFailureKind::Missing { message: missing(status) },
                    409 => CallFailureKind::Conflict { message: message() },
                    // An apply that doesn't match the schema is answered as if the server had failed.
                    500 if let Some(misfit) = upstream::schema_misfit(&status.message) => {
                        CallFailureKind::Rejected { message: misfit.trim_end_matches('.').to_owned() }
                    }
                    429 | 500..=599 => CallFailureKind::Unavailable,
                    _ => CallFailureKind::Rejected { message: message() },
                }
            }
            kube::Error::HyperError(_) | kube::Error::Service(_) | kube::Error::ReadEvents(_) => {
                tracing::info!(%error, doing, "no response");
                CallFailureKind::NoResponse
            }
            other => {
                tracing::warn!(error = %other, doing, "unexpected response");
                CallFailureKind::NotUnderstood
            }
        };
        Self { doing, kind, remedy: None }
    }

    /// Like [`Self::new`], for our own kinds: they need no consent of a workspace, only the permission that an installation grants.
    pub fn own(topology: &Topology, export: Export, error: &kube::Error, doing: impl Into<String>) -> Self {
        Self::new(error, doing).or_denied(|| CallRemedy::ContentPermission { topology: topology.clone(), export })
    }

    /// Like [`Self::new`], for the controller's own objects beside its Lease.
    pub fn installed(topology: &Topology, error: &kube::Error, doing: impl Into<String>) -> Self {
        Self::new(error, doing).or_denied(|| CallRemedy::Install(topology.clone()))
    }

    /// Like [`Self::new`], for objects beside a request, where our permissions are what the people of its workspace agreed to: claims of a
    /// binding, or the permissions of their namespace's ServiceAccount.
    pub fn beside(cluster: &ClusterId, error: &kube::Error, doing: impl Into<String>) -> Self {
        Self::new(error, doing).or_denied(|| match cluster.namespace() {
            None => CallRemedy::AcceptClaim,
            // The missing permission is the controller's, or that of the ServiceAccount it acts as.
            Some(_) if upstream::is_of_impersonation(error) => CallRemedy::Install(Topology::Namespaces),
            Some(namespace) => CallRemedy::GrantToFulfiller { namespace: namespace.to_owned() },
        })
    }

    /// Like [`Self::new`], for a call to a Destination, where our permissions are those of its credential.
    pub fn at(destination: &str, error: &kube::Error, doing: &str) -> Self {
        match error {
            kube::Error::Api(status) if status.code == 401 => Self {
                doing: doing.to_owned(),
                kind: CallFailureKind::DestinationCredentialRefused { destination: destination.to_owned() },
                remedy: None,
            },
            _ => Self::new(error, format!("{doing} at {destination}")).or_denied(|| CallRemedy::GrantToDestination),
        }
    }

    /// Adds what helps in any case.
    #[must_use]
    pub fn with(self, remedy: CallRemedy) -> Self {
        Self { remedy: Some(remedy), ..self }
    }

    /// Hides what a server finds wrong with a Secret: its message might repeat a secret, even when the Secret is deleted, and conditions
    /// are read by more people.
    #[must_use]
    pub fn about_secret(self, error: &kube::Error) -> Self {
        match error {
            kube::Error::Api(status) if may_repeat(status) => Self { kind: CallFailureKind::RejectedInSecret, remedy: None, ..self },
            _ => self,
        }
    }

    fn or_denied(self, remedy: impl FnOnce() -> CallRemedy) -> Self {
        if matches!(self.kind, CallFailureKind::Denied { .. }) { self.with(remedy()) } else { self }
    }
}

impl fmt::Display for CallFailure {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        let doing = &self.doing;
        match &self.kind {
            CallFailureKind::CredentialRefused => write!(to, "The controller's credential isn't accepted, so it can't {doing}.")?,
            CallFailureKind::DestinationCredentialRefused { destination } => write!(
                to,
                "The destination {destination} doesn't accept its credential, so the controller can't {doing} there. The destination's \
                 owner must put a valid one into the Secret that it refers to."
            )?,
            CallFailureKind::Denied { message } => write!(to, "The controller isn't allowed to {doing}: {message}.")?,
            CallFailureKind::Missing { message: None } => {
                write!(to, "The controller can't {doing}: its kind isn't served there.")?;
            }
            CallFailureKind::Missing { message: Some(message) } | CallFailureKind::Rejected { message } => {
                write!(to, "The controller can't {doing}: {message}.")?;
            }
            CallFailureKind::Conflict { message } => {
                write!(to, "The controller can't {doing} because someone else changed it: {message}.")?;
            }
            CallFailureKind::RejectedInSecret => {
                write!(to, "The controller can't {doing}: the server refused. Its message is hidden because it might repeat a secret.")?
            }
            CallFailureKind::Unavailable => write!(to, "The controller can't {doing} now; it tries again.")?,
            CallFailureKind::NoResponse => write!(to, "The controller can't {doing}: no response. It tries again.")?,
            CallFailureKind::NotUnderstood => write!(to, "The controller can't {doing}: the response wasn't understood.")?,
        }
        self.remedy.as_ref().map_or(Ok(()), |remedy| write!(to, " {remedy}"))
    }
}

impl std::error::Error for CallFailure {}

impl fmt::Display for CallRemedy {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Install(topology) => to.write_str(remedy(topology)),
            Self::ContentPermission { topology, export } => to.write_str(&content_remedy(topology, *export)),
            Self::AcceptClaim => {
                write!(to, "An admin of this workspace can accept the permission claim in its APIBinding {}.", names::EXPORT_REQUESTS)
            }
            Self::AcceptReviews { home } => {
                write!(to, "An admin of {home} can accept the claim on subjectaccessreviews in its APIBinding {}.", names::EXPORT_CATALOG)
            }
            Self::GrantToFulfiller { namespace } => to.write_str(&fulfiller_remedy(namespace)),
            Self::GrantToDestination => to.write_str("The destination's owner can grant this permission to the destination's credential."),
            Self::LabelCredential(Topology::Workspaces { .. }) => {
                write!(to, "It needs the label {}={ROLE_DESTINATION}.", names::SECRET_ROLE_LABEL)
            }
            Self::LabelCredential(Topology::Namespaces) => write!(
                to,
                "It needs the label {}={ROLE_DESTINATION} and must be in the namespace {SYSTEM_NAMESPACE}.",
                names::SECRET_ROLE_LABEL
            ),
        }
    }
}

/// Checks whether the same call might succeed a moment later although no one does anything: there was no answer, or the server wasn't able
/// to give one.
pub fn is_passing(error: &kube::Error) -> bool {
    match error {
        kube::Error::Api(status) => {
            status.code == 429 || (500..=599).contains(&status.code) && upstream::schema_misfit(&status.message).is_none()
        }
        other => is_unanswered(other),
    }
}

/// Checks whether the message of a refusal might repeat what an object contains. That is so for checks of the content, whatever code they
/// answer with. Missing permissions and owners of fields are reported without it.
fn may_repeat(status: &kube::core::Status) -> bool {
    upstream::is_of_admission(status) || matches!(status.code, 400 | 422 | 500)
}

fn missing(status: &kube::core::Status) -> Option<String> {
    let message = status.message.trim().trim_end_matches('.');
    (upstream::is_status(status) && !message.is_empty()).then(|| message.to_owned())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{CallFailure, CallFailureKind, CallRemedy, is_passing};
    use crate::kinds::Export;
    use crate::topology::Topology;
    use crate::workspaces::ClusterId;

    fn answer(code: u16, reason: &str, message: &str) -> kube::Error {
        let status = json!({"status": "Failure", "code": code, "reason": reason, "message": message});
        kube::Error::Api(Box::new(serde_json::from_value(status).unwrap()))
    }

    #[test]
    fn an_apply_that_does_not_match_says_why_and_a_failure_of_the_server_does_not() {
        let failed = |message: &str| answer(500, "", message);
        let text = |message: &str| CallFailure::new(&failed(message), "apply Widget web").to_string();
        let misfit =
            "failed to create typed patch object (ns/web; example.dev/v1, Kind=Widget): .spec.colour: field not declared in schema";
        assert_eq!(text(misfit), "The controller can't apply Widget web: .spec.colour: field not declared in schema.");
        assert_eq!(text("etcdserver: at 10.0.0.7"), "The controller can't apply Widget web now; it tries again.");
        assert!(is_passing(&failed("etcdserver: at 10.0.0.7")) && !is_passing(&failed(misfit)));
    }

    #[test]
    fn every_answer_has_a_kind_and_a_sentence() {
        let message = || "no.".to_owned();
        for (code, kind, sentence) in [
            (401, CallFailureKind::CredentialRefused, "The controller's credential isn't accepted, so it can't read Secret web."),
            (403, CallFailureKind::Denied { message: "no".to_owned() }, "The controller isn't allowed to read Secret web: no."),
            (404, CallFailureKind::Missing { message: Some("no".to_owned()) }, "The controller can't read Secret web: no."),
            (
                409,
                CallFailureKind::Conflict { message: "no".to_owned() },
                "The controller can't read Secret web because someone else changed it: no.",
            ),
            (422, CallFailureKind::Rejected { message: "no".to_owned() }, "The controller can't read Secret web: no."),
            (503, CallFailureKind::Unavailable, "The controller can't read Secret web now; it tries again."),
        ] {
            let failure = CallFailure::new(&answer(code, "Reason", &message()), "read Secret web");
            assert_eq!((failure.to_string().as_str(), failure.kind), (sentence, kind), "{code}");
        }
        let plain = CallFailure::new(&answer(404, "Failed to parse error data", "404 page not found"), "read Secret web");
        assert_eq!(plain.to_string(), "The controller can't read Secret web: its kind isn't served there.");
        let hidden = CallFailure { kind: CallFailureKind::RejectedInSecret, ..plain };
        assert_eq!(
            hidden.to_string(),
            "The controller can't read Secret web: the server refused. Its message is hidden because it might repeat a secret."
        );
        let silent = CallFailure::new(&kube::Error::Service("no route".into()), "read Secret web");
        assert_eq!(silent.to_string(), "The controller can't read Secret web: no response. It tries again.");
    }

    #[test]
    fn a_message_that_might_repeat_a_secret_is_hidden_and_a_missing_permission_is_not() {
        let is_hidden = |code: u16, message: &str| {
            let error = answer(code, "", message);
            let failure = CallFailure::new(&error, "delete Secret web").about_secret(&error);
            assert_eq!(failure.kind == CallFailureKind::RejectedInSecret, !failure.to_string().contains(message), "{failure}");
            failure.kind == CallFailureKind::RejectedInSecret
        };
        assert!(is_hidden(403, r#"admission webhook "weak.example.dev" denied the request: hunter2 is too short"#));
        assert!(is_hidden(
            403,
            r#"secrets "web" is forbidden: ValidatingAdmissionPolicy 'weak' with binding 'weak' denied request: hunter2 is too short"#
        ));
        assert!(is_hidden(422, r#"Secret "web" is invalid: data[key]: Invalid value: "hunter2""#));
        let right = r#"secrets "web" is forbidden: User "sandbox" cannot patch resource "secrets" in API group "" in the namespace "a""#;
        assert!(!is_hidden(403, right));
        assert!(!is_hidden(409, r#"Apply failed with 1 conflict: conflict with "kubectl": .data.key"#));
    }

    #[test]
    fn a_missing_permission_says_who_can_grant_it() {
        let denied = answer(403, "Forbidden", "secrets \"web\" is forbidden");
        let shop = ClusterId::of_namespace("shop").unwrap();
        let impersonation = "User \"c\" cannot impersonate resource \"serviceaccounts\" in API group \"\"";
        for (failure, remedy, words) in [
            (
                CallFailure::own(&Topology::Namespaces, Export::Requests, &denied, "read requests"),
                CallRemedy::ContentPermission { topology: Topology::Namespaces, export: Export::Requests },
                "`opm-portal bootstrap`",
            ),
            (
                CallFailure::installed(&Topology::Namespaces, &denied, "save its key"),
                CallRemedy::Install(Topology::Namespaces),
                "`opm-portal bootstrap`",
            ),
            (CallFailure::beside(&ClusterId::root(), &denied, "read Secret web"), CallRemedy::AcceptClaim, "accept the permission claim"),
            (
                CallFailure::beside(&shop, &denied, "read Secret web"),
                CallRemedy::GrantToFulfiller { namespace: "shop".to_owned() },
                "An admin of the namespace shop can grant it",
            ),
            (
                CallFailure::beside(&shop, &answer(403, "Forbidden", impersonation), "read Secret web"),
                CallRemedy::Install(Topology::Namespaces),
                "`opm-portal bootstrap`",
            ),
            (CallFailure::at("eu-1", &denied, "read Secret web"), CallRemedy::GrantToDestination, "read Secret web at eu-1"),
        ] {
            assert!(failure.to_string().contains(words), "{failure}");
            assert_eq!(failure.remedy, Some(remedy));
        }
        let reviews = CallFailure::new(&denied, "check access").with(CallRemedy::AcceptReviews { home: "root:acme".to_owned() });
        let sentence = "An admin of root:acme can accept the claim on subjectaccessreviews in its APIBinding catalog.platform.opmodel.dev.";
        assert!(reviews.to_string().ends_with(sentence), "{reviews}");
        let missing = CallFailure::at("eu-1", &answer(404, "NotFound", "none"), "read Secret web");
        assert_eq!(missing.remedy, None, "no permission is missing");
        let refused = CallFailure::at("eu-1", &answer(401, "Unauthorized", "no"), "read Secret web");
        assert!(refused.to_string().starts_with("The destination eu-1 doesn't accept its credential"), "{refused}");
        let label = CallFailure::new(&denied, "read the credential").with(CallRemedy::LabelCredential(Topology::Namespaces));
        assert!(label.to_string().ends_with("and must be in the namespace opm-system."), "{label}");
    }
}
