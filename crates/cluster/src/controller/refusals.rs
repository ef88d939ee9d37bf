//! Explains refusals of the control plane to the people who read conditions.

use promise::names;

use crate::error::{is_denied, is_unanswered, upstream};
use crate::install::{content_mend, fulfiller_mend, mend};
use crate::kinds::Export;
use crate::topology::Topology;
use crate::workspaces::ClusterId;

/// Returns a sentence about a failed call. `doing` is a verb with its object, such as `read Secret orders-db`.
///
/// The control plane's own message about a refusal is kept, because it names the missing permission.
pub fn describe(error: &kube::Error, doing: &str) -> String {
    match error {
        kube::Error::Api(status) => match status.code {
            401 => format!("The controller's credential isn't accepted, so it can't {doing}."),
            403 => format!("The controller isn't allowed to {doing}: {}.", status.message.trim_end_matches('.')),
            404 => format!("The controller can't {doing}: {}.", missing(status)),
            409 => format!("The controller can't {doing} because someone else changed it: {}.", status.message.trim_end_matches('.')),
            // An apply that doesn't match the schema is answered as if the server had failed.
            500 if let Some(misfit) = upstream::schema_misfit(&status.message) => {
                format!("The controller can't {doing}: {}.", misfit.trim_end_matches('.'))
            }
            429 | 500..=599 => format!("The controller can't {doing} now; it tries again."),
            _ => format!("The controller can't {doing}: {}.", status.message.trim_end_matches('.')),
        },
        kube::Error::HyperError(_) | kube::Error::Service(_) | kube::Error::ReadEvents(_) => {
            tracing::info!(%error, doing, "no response");
            format!("The controller can't {doing}: no response. It tries again.")
        }
        other => {
            tracing::warn!(error = %other, doing, "unexpected response");
            format!("The controller can't {doing}: the response wasn't understood.")
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

/// Like [`describe`], for our own kinds: they need no consent of a workspace, only the permission that an installation grants.
pub fn describe_own(topology: &Topology, export: Export, error: &kube::Error, doing: &str) -> String {
    let why = describe(error, doing);
    if is_denied(error) { format!("{why} {}", content_mend(topology, export)) } else { why }
}

/// Like [`describe`], for objects beside a request, where our permissions are what the people of its workspace agreed to: claims of a binding,
/// or the permissions of their namespace's ServiceAccount.
pub fn describe_beside(cluster: &ClusterId, error: &kube::Error, doing: &str) -> String {
    let why = describe(error, doing);
    if !is_denied(error) {
        return why;
    }
    match cluster.namespace() {
        None => format!("{why} An admin of this workspace can accept the permission claim in its APIBinding {}.", names::EXPORT_REQUESTS),
        // The missing permission is the controller's, or that of the ServiceAccount it acts as.
        Some(_) if upstream::is_of_impersonation(error) => format!("{why} {}", mend(&Topology::Namespaces)),
        Some(namespace) => format!("{why} {}", fulfiller_mend(namespace)),
    }
}

/// Like [`describe`], for a call to a Destination, where our permissions are those of its credential.
pub fn describe_at(destination: &str, error: &kube::Error, doing: &str) -> String {
    match error {
        kube::Error::Api(status) if status.code == 401 => format!(
            "The destination {destination} doesn't accept its credential, so the controller can't {doing} there. The destination's \
             owner must put a valid one into the Secret that it refers to."
        ),
        _ => {
            let why = describe(error, &format!("{doing} at {destination}"));
            if is_denied(error) {
                format!("{why} The destination's owner can grant this permission to the destination's credential.")
            } else {
                why
            }
        }
    }
}

fn missing(status: &kube::core::Status) -> &str {
    match status.message.trim().trim_end_matches('.') {
        message if upstream::is_status(status) && !message.is_empty() => message,
        _ => "its kind isn't served there",
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{describe, is_passing};

    #[test]
    fn an_apply_that_does_not_fit_says_why_and_a_failure_of_the_server_does_not() {
        let failed = |message: &str| {
            let status = json!({"status": "Failure", "code": 500, "reason": "", "message": message});
            kube::Error::Api(Box::new(serde_json::from_value(status).unwrap()))
        };
        let said = |message: &str| describe(&failed(message), "apply Widget web");
        let misfit =
            "failed to create typed patch object (ns/web; example.dev/v1, Kind=Widget): .spec.colour: field not declared in schema";
        assert_eq!(said(misfit), "The controller can't apply Widget web: .spec.colour: field not declared in schema.");
        assert_eq!(said("etcdserver: at 10.0.0.7"), "The controller can't apply Widget web now; it tries again.");
        assert!(is_passing(&failed("etcdserver: at 10.0.0.7")) && !is_passing(&failed(misfit)));
    }
}
