//! What a refusal of the plane means for the people who read conditions.

use promise::names;

use crate::error::is_denied;
use crate::install::content_mend;
use crate::kinds::Export;

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

/// The same about our own kinds: they need no consent of a workspace, only the right to the content of their export.
pub fn told_of(export: Export, error: &kube::Error, doing: &str) -> String {
    let why = told(error, doing);
    if is_denied(error) { format!("{why} {}", content_mend(export)) } else { why }
}

/// The same about a call into the workspace of a request, where our rights are claims that its people accept.
pub fn told_in_workspace(error: &kube::Error, doing: &str) -> String {
    let why = told(error, doing);
    let mend = format!("Whoever administers this workspace can accept the permission claim in its APIBinding {}.", names::EXPORT_REQUESTS);
    if is_denied(error) { format!("{why} {mend}") } else { why }
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

fn missing(message: &str) -> &str {
    match message.trim() {
        "404 page not found" | "" => "its kind is not served there",
        text => text.trim_end_matches('.'),
    }
}
