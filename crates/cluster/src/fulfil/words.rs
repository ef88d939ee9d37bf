//! What a refusal of the plane means for the people who read conditions.

use promise::names;

use crate::error::{is_denied, is_unanswered};
use crate::install::{content_mend, fulfiller_mend, mend};
use crate::kinds::Export;
use crate::topology::Topology;
use crate::workspaces::ClusterId;

/// A sentence about a failed call. `doing` is a verb with its object, such as `read Secret orders-db`.
///
/// The plane's own words on a refusal are kept: they name the right that is missing.
pub fn told(error: &kube::Error, doing: &str) -> String {
    match error {
        kube::Error::Api(status) => match status.code {
            401 => format!("The controller's credential is not accepted, so it cannot {doing}."),
            403 => format!("The controller may not {doing}: {}.", status.message.trim_end_matches('.')),
            404 => format!("The controller cannot {doing}: {}.", missing(&status.message)),
            409 => format!("The controller cannot {doing}, because somebody else changed it: {}.", status.message.trim_end_matches('.')),
            // An apply that does not fit the schema is answered as if the server had failed.
            500 if misfit(&status.message).is_some() => {
                format!("The controller cannot {doing}: {}.", misfit(&status.message).unwrap_or_default().trim_end_matches('.'))
            }
            429 | 500..=599 => format!("The controller cannot {doing} now; it tries again."),
            _ => format!("The controller cannot {doing}: {}.", status.message.trim_end_matches('.')),
        },
        kube::Error::HyperError(_) | kube::Error::Service(_) | kube::Error::ReadEvents(_) => {
            tracing::info!(%error, doing, "no answer");
            format!("The controller cannot {doing}: there is no answer. It tries again.")
        }
        other => {
            tracing::warn!(error = %other, doing, "unexpected answer");
            format!("The controller cannot {doing}: the answer was not understood.")
        }
    }
}

/// Whether the same call may succeed a moment later although nobody does anything: there was no answer, or the server was not able to.
pub fn is_passing(error: &kube::Error) -> bool {
    match error {
        kube::Error::Api(status) => status.code == 429 || (500..=599).contains(&status.code) && misfit(&status.message).is_none(),
        other => is_unanswered(other),
    }
}

/// The same about our own kinds: they need no consent of a workspace, only the right that an installation gives.
pub fn told_of(topology: &Topology, export: Export, error: &kube::Error, doing: &str) -> String {
    let why = told(error, doing);
    if is_denied(error) { format!("{why} {}", content_mend(topology, export)) } else { why }
}

/// The same about what stands beside a request, where our rights are what the people of its workspace agreed to: claims of a binding, or
/// the rights of their namespace's ServiceAccount.
pub fn told_beside(cluster: &ClusterId, error: &kube::Error, doing: &str) -> String {
    let why = told(error, doing);
    if !is_denied(error) {
        return why;
    }
    match cluster.namespace() {
        None => format!(
            "{why} Whoever administers this workspace can accept the permission claim in its APIBinding {}.",
            names::EXPORT_REQUESTS
        ),
        // The plane names the right that is missing: of the controller, or of the ServiceAccount that it acts as.
        Some(_) if why.contains("impersonate") => format!("{why} {}", mend(&Topology::Namespaces)),
        Some(namespace) => format!("{why} {}", fulfiller_mend(namespace)),
    }
}

/// The same about a call to a Destination, where our rights are those of its credential.
pub fn told_at(destination: &str, error: &kube::Error, doing: &str) -> String {
    match error {
        kube::Error::Api(status) if status.code == 401 => format!(
            "The destination {destination} does not accept its credential, so the controller cannot {doing} there. The destination's \
             owner has to put a valid one into the Secret that it names."
        ),
        _ => {
            let why = told(error, &format!("{doing} at {destination}"));
            if is_denied(error) { format!("{why} The destination's owner can grant it to the destination's credential.") } else { why }
        }
    }
}

/// What an apply says that does not fit the schema of its kind, without the machinery's words around it.
fn misfit(message: &str) -> Option<&str> {
    let rest = message.strip_prefix("failed to create typed patch object (")?;
    rest.split_once("): ").map(|(_, problem)| problem)
}

fn missing(message: &str) -> &str {
    match message.trim() {
        "404 page not found" | "" => "its kind is not served there",
        text => text.trim_end_matches('.'),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{is_passing, told};

    #[test]
    fn an_apply_that_does_not_fit_says_why_and_a_failure_of_the_server_does_not() {
        let failed = |message: &str| {
            let status = json!({"status": "Failure", "code": 500, "reason": "", "message": message});
            kube::Error::Api(Box::new(serde_json::from_value(status).unwrap()))
        };
        let said = |message: &str| told(&failed(message), "apply Widget web");
        let misfit =
            "failed to create typed patch object (ns/web; example.dev/v1, Kind=Widget): .spec.colour: field not declared in schema";
        assert_eq!(said(misfit), "The controller cannot apply Widget web: .spec.colour: field not declared in schema.");
        assert_eq!(said("etcdserver: at 10.0.0.7"), "The controller cannot apply Widget web now; it tries again.");
        assert!(is_passing(&failed("etcdserver: at 10.0.0.7")) && !is_passing(&failed(misfit)));
    }
}
