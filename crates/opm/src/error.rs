//! Errors of commands.

use http::Uri;

/// Why a command failed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file can't be read.
    #[error("{file}: {error}")]
    File {
        /// Name of the file.
        file: String,
        /// The I/O error.
        error: std::io::Error,
    },
    /// The kubeconfig can't be used.
    #[error("can't use the kubeconfig: {0}")]
    Kubeconfig(#[from] kube::config::KubeconfigError),
    /// The token would be sent unencrypted.
    #[error(
        "--portal {0}: your token is only sent to https:// addresses, or to http:// on this machine; use the portal's https:// address"
    )]
    ClearText(Uri),
    /// No workspace was given.
    #[error("the kubeconfig's context has no workspace; set one with --workspace")]
    NoWorkspace,
    /// The connection can't be made, or broke.
    #[error("can't reach the portal at {portal}: {error}")]
    Unreachable {
        /// Address of the portal.
        portal: Uri,
        /// The connection error.
        error: kube::Error,
    },
    /// The response is incomplete, or isn't from a portal.
    #[error("the server at {0} isn't a portal, or runs a different version")]
    NoPortal(Uri),
    /// The portal rejects the call.
    #[error("{0}")]
    Refused(String),
}
