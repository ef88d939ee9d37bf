//! Why a command has nothing to say.

use http::Uri;

/// Why a command has nothing to say.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file cannot be read.
    #[error("{file}: {error}")]
    File {
        /// Its name.
        file: String,
        /// What happened.
        error: std::io::Error,
    },
    /// The kubeconfig cannot be used.
    #[error("the kubeconfig cannot be used: {0}")]
    Kubeconfig(#[from] kube::config::KubeconfigError),
    /// A token would travel in clear text.
    #[error(
        "--portal {0}: your token is sent to https:// addresses only, and to http:// on this machine; use the portal's https:// address"
    )]
    ClearText(Uri),
    /// Nobody said which workspace.
    #[error("the context of the kubeconfig leads to no workspace: name one with --workspace")]
    NoWorkspace,
    /// The connection cannot be made, or broke.
    #[error("the portal at {portal} does not answer: {error}")]
    Unreachable {
        /// Its address.
        portal: Uri,
        /// What happened.
        error: kube::Error,
    },
    /// The answer breaks off, or is none of a portal.
    #[error("what answers at {0} is no portal, or one of another version")]
    NoPortal(Uri),
    /// It refuses to answer.
    #[error("{0}")]
    Refused(String),
}
