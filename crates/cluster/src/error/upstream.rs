//! What servers and libraries say only in a message. Everything else in the product decides by code, reason, details and causes of a Status;
//! each function here cites the source of the format that it reads.

use kube::core::Status;

/// Checks whether an authorizer denied the call, as opposed to a quota or another admission plugin: both answer 403 with the reason
/// `Forbidden` and no causes.
///
/// Format: `User %q cannot %s resource %q in API group %q …` or `User %q cannot %s path %q`, by `forbiddenMessage` in kubernetes
/// `staging/src/k8s.io/apiserver/pkg/endpoints/handlers/responsewriters/errors.go`.
pub(super) fn is_of_authorizer(status: &Status) -> bool {
    denied_verb(&status.message).is_some()
}

/// Checks whether an authorizer denied that the caller acts as someone else. Format as in [`is_of_authorizer`], with the verb
/// `impersonate`, or with one of constrained impersonation (KEP-5284), such as `impersonate:user-info` and
/// `impersonate-on:serviceaccount:get`.
pub(crate) fn is_of_impersonation(error: &kube::Error) -> bool {
    matches!(error, kube::Error::Api(status) if denied_verb(&status.message).is_some_and(impersonates))
}

fn impersonates(verb: &str) -> bool {
    matches!(verb.split(':').next(), Some("impersonate" | "impersonate-on"))
}

fn denied_verb(message: &str) -> Option<&str> {
    let (_, rest) = message.split_once("User \"")?.1.split_once("\" cannot ")?;
    let (verb, rest) = rest.split_once(' ')?;
    (rest.starts_with("resource \"") || rest.starts_with("path \"")).then_some(verb)
}

/// Checks whether the answer was a Status. A 404 in plain text means that the API isn't served.
///
/// `kube-client` rebuilds a Status around plain text and leaves this reason (`handle_api_errors` in `src/client/mod.rs`).
pub(crate) fn is_status(status: &Status) -> bool {
    status.reason != "Failed to parse error data"
}

/// Checks whether a 404 is about the kind and not about the object.
///
/// Format: `NewGenericServerResponse` in kubernetes `staging/src/k8s.io/apimachinery/pkg/api/errors/errors.go`. Its reason is `NotFound`, as
/// for an object.
pub(super) fn is_missing_kind(status: &Status) -> bool {
    status.message == "the server could not find the requested resource"
}

/// Returns the field manager that a cause of the reason `FieldManagerConflict` names, or the whole message.
///
/// Format: `conflict with %q using %s …`, by `newConflictErrorResponse` in kubernetes
/// `staging/src/k8s.io/apimachinery/pkg/util/managedfields/internal/conflict.go`.
pub(super) fn manager(message: &str) -> &str {
    message.split('"').nth(1).unwrap_or(message)
}

/// Returns what the author of an admission policy wrote about a refusal.
///
/// Format: `ValidatingAdmissionPolicy '%s' with binding '%s' denied request: %s`, or `policy` for a mutating one, by `dispatcher.go` in
/// kubernetes `staging/src/k8s.io/apiserver/pkg/admission/plugin/policy/{validating,mutating}`. The cause has the same message.
pub(super) fn of_admission_policy(message: &str) -> Option<&str> {
    message.split_once(" denied request: ").map(|(_, text)| text)
}

/// Checks whether an admission policy or webhook refused the call. Their messages might repeat what was sent.
///
/// Format: as in [`of_admission_policy`], and `admission webhook %q denied the request…`, by `ToStatusErr` in kubernetes
/// `staging/src/k8s.io/apiserver/pkg/admission/plugin/webhook/errors/statuserror.go`.
pub(crate) fn is_of_admission(status: &Status) -> bool {
    of_admission_policy(&status.message).is_some() || status.message.contains(" denied the request")
}

/// Returns what an apply reports as not matching the schema of its kind. It is answered as if the server had failed, with code 500.
///
/// Format: `failed to create typed patch object (%s; %s): %v`, by `Apply` in kubernetes
/// `staging/src/k8s.io/apimachinery/pkg/util/managedfields/internal/structuredmerge.go`.
pub(crate) fn schema_misfit(message: &str) -> Option<&str> {
    let rest = message.strip_prefix("failed to create typed patch object (")?;
    rest.split_once("): ").map(|(_, problem)| problem)
}

#[cfg(test)]
mod tests {
    use super::{denied_verb, impersonates};

    #[test]
    fn only_an_authorizer_denies_a_verb() {
        for (message, verb) in [
            (
                "secrets is forbidden: User \"system:serviceaccount:a:b\" cannot list resource \"secrets\" in API group \"\" at the cluster scope",
                Some("list"),
            ),
            (
                "serviceaccounts \"opm-fulfiller\" is forbidden: User \"c\" cannot impersonate resource \"serviceaccounts\" in API group \"\" in \
                 the namespace \"shop\"",
                Some("impersonate"),
            ),
            ("forbidden: User \"c\" cannot get path \"/\": access denied", Some("get")),
            ("pods \"a\" is forbidden: exceeded quota: count, requested: pods=1, used: pods=1, limited: pods=1", None),
            ("a webhook says that they cannot create resource", None),
        ] {
            assert_eq!(denied_verb(message), verb, "{message}");
        }
    }

    #[test]
    fn verbs_of_impersonation_have_parts() {
        for verb in ["impersonate", "impersonate:user-info", "impersonate-on:serviceaccount:get"] {
            assert!(impersonates(verb), "{verb}");
        }
        for other in ["get", "impersonated"] {
            assert!(!impersonates(other), "{other}");
        }
    }
}
