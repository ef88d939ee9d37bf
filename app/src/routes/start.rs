//! What a form starts from, as its address names it.

use super::{request, request_edit, request_from, with_query};

/// The form of an existing request that starts from a version or a release.
pub fn request_edit_from(workspace: &str, namespace: &str, name: &str, start: &str) -> String {
    with_query(&request_edit(workspace, namespace, name), &[("start", start)])
}

/// The start of a form that is for a version.
pub fn start_of_version(version: &str) -> String {
    format!("{VERSION_START}{version}")
}

/// The start of a form that goes back to a release.
pub fn start_of_release(release: &str) -> String {
    format!("{RELEASE_START}{release}")
}

/// The start of a form that renews a request.
pub const RENEWAL_START: &str = "renewal";
/// Prefix of a start that names a version.
pub const VERSION_START: &str = "version:";
/// Prefix of a start that names a release.
pub const RELEASE_START: &str = "release:";

/// Two releases of a request, compared.
pub fn releases_compared(workspace: &str, namespace: &str, name: &str, from: &str, to: &str) -> String {
    let view = crate::view::RequestPart::Releases.word();
    with_query(&request(workspace, namespace, name), &[("view", view), ("from", from), ("to", to)])
}

/// The form of a new request, filled in from another request; `home` is that of its promise.
pub fn request_copy(workspace: &str, promise: &str, home: Option<&str>, namespace: &str, name: &str) -> String {
    request_from(workspace, promise, home, &copy_of(namespace, name))
}

/// The start of a form that is filled in from another request.
pub fn copy_of(namespace: &str, name: &str) -> String {
    format!("request:{namespace}/{name}")
}
