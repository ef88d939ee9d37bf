//! Errors of commands, and their exit codes.

use kube::client::AuthError;
use promise::Problem;

/// Exit code if the answer is no: rejected, failed, different.
pub const NO: u8 = 1;
/// Exit code for invalid arguments or values.
pub const USAGE: u8 = 2;
/// Exit code if there is no answer from the portal.
pub const NO_ANSWER: u8 = 3;
/// Exit code if the portal doesn't accept the token, or the user isn't allowed to.
pub const DENIED: u8 = 4;
/// Exit code if something doesn't exist.
pub const NOT_FOUND: u8 = 5;
/// Exit code if someone else changed it, or the name is taken.
pub const CONFLICT: u8 = 6;
/// Exit code if waiting took too long.
pub const TIMED_OUT: u8 = 7;

/// Why a command failed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file can't be read or written.
    #[error("{file}: {error}")]
    File {
        /// Name of the file.
        file: String,
        /// The I/O error.
        error: std::io::Error,
    },
    /// A terminal or stream is closed.
    #[error("{0}")]
    Stream(#[from] std::io::Error),
    /// The kubeconfig can't be used.
    #[error("can't use the kubeconfig: {0}. Choose one with --kubeconfig, or sign in with `opm login`.")]
    Kubeconfig(Box<kube::config::KubeconfigError>),
    /// The token would be sent unencrypted.
    #[error(
        "--portal {0}: your token is only sent to https:// addresses, or to http:// on this machine; use the portal's https:// address"
    )]
    ClearText(String),
    /// No workspace was given.
    #[error("the kubeconfig's context has no workspace; set one with --workspace, or with `opm workspace use`")]
    NoWorkspace,
    /// The connection can't be made, or broke.
    #[error("can't reach the portal at {portal}: {error}")]
    Unreachable {
        /// Address of the portal.
        portal: String,
        /// The connection error.
        error: Box<kube::Error>,
    },
    /// The kubeconfig gives no token. What a plugin was called with and what it printed can be secret, so only its errors are shown.
    #[error("the kubeconfig gives no token{}", plugin(error))]
    Credential {
        /// What happened.
        error: Box<AuthError>,
    },
    /// The identity provider doesn't sign the user in.
    #[error("{title}: {error}{}", sources(error))]
    SignIn {
        /// Name of the provider.
        title: String,
        /// What happened there.
        error: Box<oidc::Error>,
    },
    /// The response is incomplete, or isn't from a portal.
    #[error("the server at {0} isn't a portal, or runs a different version")]
    NoPortal(String),
    /// The portal rejects the call.
    #[error("{message}{}", listed(problems))]
    Refused {
        /// Exit code.
        code: u8,
        /// What happened and what to do.
        message: String,
        /// Problems with fields, by path such as `.parameters.size`.
        problems: Vec<Problem>,
        /// The same for decisions of commands.
        reason: Option<Box<promise::Error>>,
    },
    /// The arguments are invalid.
    #[error("{0}")]
    Usage(String),
    /// clap has something to say: a usage error, or the help that was asked for.
    #[error("{error}{more}")]
    Clap {
        /// What clap says.
        error: Box<clap::Error>,
        /// Lines after it.
        more: String,
    },
    /// Waiting took too long.
    #[error("{0}")]
    TimedOut(String),
}

impl From<kube::config::KubeconfigError> for Error {
    fn from(error: kube::config::KubeconfigError) -> Self {
        Self::Kubeconfig(Box::new(error))
    }
}

impl Error {
    /// The error of a call to the portal at an address.
    pub fn of_call(portal: &str, error: kube::Error) -> Self {
        // Middleware of the client, such as the one that asks for a token, returns its errors in a box.
        let error = match error {
            kube::Error::Service(error) => match error.downcast::<kube::Error>() {
                Ok(inner) => *inner,
                Err(error) => match error.downcast::<AuthError>() {
                    Ok(error) => return Self::Credential { error },
                    Err(error) => kube::Error::Service(error),
                },
            },
            error => error,
        };
        match error {
            kube::Error::Auth(error) => Self::Credential { error: Box::new(error) },
            error => Self::Unreachable { portal: portal.to_owned(), error: Box::new(error) },
        }
    }

    /// Returns the exit code.
    pub fn code(&self) -> u8 {
        match self {
            Self::Refused { code, .. } => *code,
            Self::Usage(_) | Self::NoWorkspace | Self::ClearText(_) | Self::File { .. } => USAGE,
            Self::Clap { error, .. } => u8::try_from(error.exit_code()).unwrap_or(USAGE),
            Self::TimedOut(_) => TIMED_OUT,
            Self::Credential { .. } => DENIED,
            Self::SignIn { error, .. } => match &**error {
                oidc::Error::Unreachable(_) | oidc::Error::Answer(_) => NO_ANSWER,
                error if error.is_expired() => TIMED_OUT,
                _ => DENIED,
            },
            Self::Stream(_) | Self::Kubeconfig(_) | Self::Unreachable { .. } | Self::NoPortal(_) => NO_ANSWER,
        }
    }

    /// A refusal without a call.
    pub fn refused(code: u8, message: impl Into<String>) -> Self {
        Self::Refused { code, message: message.into(), problems: Vec::new(), reason: None }
    }

    /// Whether the name of a new request is taken.
    pub fn is_taken(&self) -> bool {
        matches!(self, Self::Refused { reason: Some(reason), .. }
            if matches!(&**reason, promise::Error::Conflict { reason: promise::ConflictReason::AlreadyExists { .. } }))
    }

    /// An error about a file.
    pub fn file(file: &std::path::Path) -> impl Fn(std::io::Error) -> Self {
        let file = file.display().to_string();
        move |error| Self::File { file: file.clone(), error }
    }
}

/// What a credential plugin said, after a colon.
fn plugin(error: &AuthError) -> String {
    match error {
        AuthError::AuthExecRun { out, .. } => {
            let said = String::from_utf8_lossy(&out.stderr);
            let said = said.trim();
            if said.is_empty() { format!(": its plugin ended with {}", out.status) } else { format!(": its plugin says: {said}") }
        }
        AuthError::AuthExecStart(error) => format!(": its plugin doesn't start: {error}"),
        AuthError::ReadTokenFile(error, file) => format!(": {}: {error}", file.display()),
        _ => "; run its plugin yourself to see why".to_owned(),
    }
}

/// The reasons behind an error, each after a colon.
fn sources(error: &oidc::Error) -> String {
    let first = std::error::Error::source(error);
    std::iter::successors(first, |error| error.source()).map(|source| format!(": {source}")).collect()
}

fn listed(problems: &[Problem]) -> String {
    let line = |problem: &Problem| match problem.path.as_str() {
        "" => format!("\n  {}", problem.message),
        path => format!("\n  {path}: {}", problem.message),
    };
    problems.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_lists_its_fields() {
        let problem = |path: &str, message: &str| Problem { path: path.into(), message: message.into() };
        let problems = vec![problem("--size", "Choose medium."), problem("", "Fix it.")];
        let refused = Error::Refused { code: NO, message: "Check your input".into(), problems, reason: None };
        assert_eq!(refused.to_string(), "Check your input\n  --size: Choose medium.\n  Fix it.");
        assert!(!refused.is_taken());
        let taken = promise::Error::from(promise::ConflictReason::AlreadyExists { what: "request a".into() });
        let taken = Error::Refused { code: CONFLICT, message: String::new(), problems: Vec::new(), reason: Some(Box::new(taken)) };
        assert_eq!((taken.is_taken(), taken.code()), (true, CONFLICT));
    }
}
