//! Converts errors of the control plane into the product's error. No other code does.

use kube::core::Status;
use kube::core::response::StatusCause;
use promise::{BusyReason, ConflictReason, Contested, DeniedReason, Error, Problem};

pub(crate) mod upstream;

/// Reason of a refusal by the portal itself: the change has no record in the audit log, so it wasn't sent.
pub const NOT_AUDITED: &str = "AuditLogUnavailable";

/// Extension that names the object in question, because messages of the control plane don't always name it.
pub trait PlaneResult<T> {
    /// Converts an error of the control plane. `what` is a noun and a name, such as `request orders-db`.
    fn about(self, what: &str) -> promise::Result<T>;
}

impl<T> PlaneResult<T> for Result<T, kube::Error> {
    fn about(self, what: &str) -> promise::Result<T> {
        self.map_err(|error| from_plane(&error, what))
    }
}

/// Converts an error of the control plane. `what` is the noun and name of the object in question.
///
/// Messages of the control plane reach users only where they were written for people: refusals, validation causes, conflicts.
pub fn from_plane(error: &kube::Error, what: &str) -> Error {
    match error {
        kube::Error::Api(status) => from_status(status, what),
        kube::Error::HyperError(_) | kube::Error::Service(_) | kube::Error::ReadEvents(_) | kube::Error::RustlsTls(_) => {
            tracing::warn!(%error, what, "the control plane does not respond");
            Error::Unreachable { what: "the control plane".to_owned() }
        }
        other => {
            tracing::error!(error = %other, what, "unexpected response from the control plane");
            Error::Internal
        }
    }
}

/// Converts a Kubernetes Status.
pub fn from_status(status: &Status, what: &str) -> Error {
    match status.code {
        401 => Error::Unauthenticated,
        403 if is_terminating_namespace(status) => BusyReason::NamespaceTerminating { message: status.message.clone() }.into(),
        403 if upstream::is_of_authorizer(status) => DeniedReason::Authorizer { message: status.message.clone() }.into(),
        403 => DeniedReason::ControlPlane { message: status.message.clone() }.into(),
        404 if !upstream::is_status(status) => Error::NotEnabled { what: what.to_owned() },
        404 | 410 => Error::NotFound { what: what.to_owned() },
        409 if status.reason == "AlreadyExists" => ConflictReason::AlreadyExists { what: what.to_owned() }.into(),
        409 => match owned_by_others(status) {
            fields if fields.is_empty() => ConflictReason::ChangedByOthers.into(),
            fields => Error::Contested { fields },
        },
        400 | 422 => Error::Invalid { problems: problems(status) },
        429 => BusyReason::ControlPlane.into(),
        503 if status.reason == NOT_AUDITED => Error::Unreachable { what: "the audit log".to_owned() },
        502..=504 => Error::Unreachable { what: "the control plane".to_owned() },
        _ => {
            tracing::error!(
                code = status.code,
                reason = status.reason,
                message = status.message,
                what,
                "unexpected response from the control plane"
            );
            Error::Internal
        }
    }
}

/// Checks whether the control plane answered that there is no such object (as opposed to no such API).
pub fn is_missing(error: &kube::Error) -> bool {
    matches!(error, kube::Error::Api(status) if status.code == 404 && upstream::is_status(status) && !upstream::is_missing_kind(status))
}

/// Checks whether the control plane answered that there is no such API here.
pub fn is_missing_api(error: &kube::Error) -> bool {
    matches!(error, kube::Error::Api(status) if status.code == 404 && (!upstream::is_status(status) || upstream::is_missing_kind(status)))
}

/// Checks whether the object was changed or created by someone else first.
pub fn is_conflict(error: &kube::Error) -> bool {
    matches!(error, kube::Error::Api(status) if status.code == 409)
}

/// Checks whether the control plane answered that a permission is missing.
pub fn is_denied(error: &kube::Error) -> bool {
    matches!(error, kube::Error::Api(status) if status.code == 403)
}

/// Checks whether the control plane accepts nothing new in a namespace because it is being deleted.
pub fn is_terminating(error: &kube::Error) -> bool {
    matches!(error, kube::Error::Api(status) if status.code == 403 && is_terminating_namespace(status))
}

fn is_terminating_namespace(status: &Status) -> bool {
    causes(status).iter().any(|cause| cause.reason == "NamespaceTerminating")
}

fn causes(status: &Status) -> &[StatusCause] {
    status.details.as_ref().map(|details| details.causes.as_slice()).unwrap_or_default()
}

/// Checks whether the server gave no answer at all: it can't be reached, or doesn't respond in time.
pub fn is_unanswered(error: &kube::Error) -> bool {
    matches!(error, kube::Error::HyperError(_) | kube::Error::Service(_) | kube::Error::ReadEvents(_))
}

fn owned_by_others(status: &Status) -> Vec<Contested> {
    let of = |cause: &StatusCause| Contested { path: path(&cause.field), manager: upstream::manager(&cause.message).to_owned() };
    causes(status).iter().filter(|cause| cause.reason == "FieldManagerConflict").map(of).collect()
}

fn problems(status: &Status) -> Vec<Problem> {
    let whole = |message: &str| vec![Problem { path: String::new(), message: message.to_owned() }];
    // The causes of such a refusal repeat its message.
    if let Some(refusal) = upstream::of_admission_policy(&status.message) {
        return whole(refusal);
    }
    let told = causes(status).iter().filter(|cause| !cause.message.is_empty());
    let problems: Vec<Problem> = told.map(|cause| Problem { path: path(&cause.field), message: cause.message.clone() }).collect();
    if problems.is_empty() { whole(&status.message) } else { problems }
}

/// Returns a field path as the product writes it, starting with a dot. `<nil>` is the API server's word for the whole object.
fn path(field: &str) -> String {
    match field {
        "" | "<nil>" => String::new(),
        dotted if dotted.starts_with('.') => dotted.to_owned(),
        plain => format!(".{plain}"),
    }
}

#[cfg(test)]
mod tests {
    use kube::core::Status;
    use promise::{BusyReason, Contested, DeniedReason, Error};
    use serde_json::json;

    use super::from_status;

    fn status(code: u16, reason: &str, message: &str, details: serde_json::Value) -> Status {
        serde_json::from_value(json!({"status": "Failure", "code": code, "reason": reason, "message": message, "details": details}))
            .unwrap()
    }

    #[test]
    fn an_unbound_api_is_told_from_a_missing_object() {
        let unbound = status(404, "Failed to parse error data", "404 page not found", json!(null));
        let error = from_status(&unbound, "request a");
        assert_eq!(error, Error::NotEnabled { what: "request a".to_owned() });
        assert_eq!(error.to_string(), "the API of request a isn't enabled in this workspace");
        let missing = status(404, "NotFound", "promiserequests.platform.opmodel.dev \"a\" not found", json!({"name": "a"}));
        let error = from_status(&missing, "request a");
        assert_eq!(error, Error::NotFound { what: "request a".to_owned() });
        assert_eq!(error.to_string(), "we couldn't find request a, or you don't have access to it");
    }

    #[test]
    fn causes_become_problems_with_dotted_paths() {
        let causes = json!({"causes": [{"reason": "FieldValueInvalid", "message": "must be more", "field": "spec.size"}]});
        let Error::Invalid { problems } = from_status(&status(422, "Invalid", "…", causes), "request a") else { panic!("invalid") };
        assert_eq!((problems[0].path.as_str(), problems[0].message.as_str()), (".spec.size", "must be more"));
    }

    #[test]
    fn a_missing_permission_is_told_from_other_refusals() {
        let missing = "promiserequests.platform.opmodel.dev is forbidden: User \"dana\" cannot create resource \"promiserequests\" in API \
                       group \"platform.opmodel.dev\" in the namespace \"default\"";
        let reason = |status: &Status| match from_status(status, "request a") {
            Error::Denied { reason } => reason,
            other => panic!("{other:?}"),
        };
        assert_eq!(reason(&status(403, "Forbidden", missing, json!(null))), DeniedReason::Authorizer { message: missing.to_owned() });
        let quota = "promiserequests.platform.opmodel.dev \"a\" is forbidden: exceeded quota: objects, requested: 1, used: 5, limited: 5";
        assert_eq!(reason(&status(403, "Forbidden", quota, json!(null))), DeniedReason::ControlPlane { message: quota.to_owned() });
        let causes = json!({"causes": [{"reason": "NamespaceTerminating", "message": "…", "field": "metadata.namespace"}]});
        let ends = from_status(&status(403, "Forbidden", "it is being terminated", causes), "request a");
        assert!(matches!(ends, Error::Busy { reason: BusyReason::NamespaceTerminating { .. } }), "{ends:?}");
    }

    #[test]
    fn a_refusing_admission_policy_speaks_for_itself() {
        let message = "promiserequests.platform.opmodel.dev \"a\" is forbidden: ValidatingAdmissionPolicy 'x' with binding 'y' denied request: the requester cannot change";
        let Error::Invalid { problems } =
            from_status(&status(422, "Invalid", message, json!({"causes": [{"message": message}]})), "request a")
        else {
            panic!("invalid")
        };
        assert_eq!(problems[0].message, "the requester cannot change");
    }

    #[test]
    fn an_apply_conflict_names_the_field_and_its_owner() {
        let details = json!({"causes": [{"reason": "FieldManagerConflict", "message": "conflict with \"kubectl\"", "field": ".spec.a"}]});
        assert_eq!(
            from_status(&status(409, "Conflict", "Apply failed", details), "request a"),
            Error::Contested { fields: vec![Contested { path: ".spec.a".to_owned(), manager: "kubectl".to_owned() }] }
        );
    }
}
