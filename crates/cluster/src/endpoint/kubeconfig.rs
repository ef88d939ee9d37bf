//! Reads a kubeconfig without trusting it.

use std::time::Duration;

use http::Uri;
use kube::config::{AuthInfo, Config, Kubeconfig};
use secrecy::ExposeSecret;

use super::Token;

/// A server that doesn't accept a connection within this time counts as not responding.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// The content of a kubeconfig besides the server's address.
#[derive(Clone, Debug, Default)]
pub struct Credential {
    /// Bearer token; `None` if the transport carries a client certificate.
    pub token: Option<Token>,
    /// Path of the server address, such as `/clusters/root:acme`.
    pub prefix: String,
}

/// Why a kubeconfig can't be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum KubeconfigError {
    /// Not a kubeconfig. The parser's message is left out because it repeats the input, which might be a credential.
    #[error("it isn't a valid YAML kubeconfig")]
    Unreadable,
    /// A required entry is missing.
    #[error("the kubeconfig has no {0}")]
    Missing(&'static str),
    /// It asks for something that a kubeconfig from another party isn't trusted with.
    #[error("the kubeconfig uses {0}, which isn't accepted; include the data itself instead")]
    Refused(&'static str),
    /// The connection can't be prepared.
    #[error("can't set up the connection: {0}")]
    Transport(String),
}

/// Opens a connection pool for the current context, without sending anything.
pub(super) fn open(yaml: &str) -> Result<(kube::Client, Credential), KubeconfigError> {
    let file = Kubeconfig::from_yaml(yaml).map_err(|_| KubeconfigError::Unreadable)?;
    let current = file.current_context.as_deref().ok_or(KubeconfigError::Missing("current-context"))?;
    let context = file.contexts.iter().find(|c| c.name == current).and_then(|c| c.context.as_ref());
    let context = context.ok_or(KubeconfigError::Missing("context with the name in current-context"))?;
    let cluster = file.clusters.iter().find(|c| c.name == context.cluster).and_then(|c| c.cluster.as_ref());
    let cluster = cluster.ok_or(KubeconfigError::Missing("cluster of the current context"))?;
    let user = file.auth_infos.iter().find(|u| Some(&u.name) == context.user.as_ref()).and_then(|u| u.auth_info.as_ref());

    if cluster.certificate_authority.is_some() {
        return Err(KubeconfigError::Refused("a file as certificate-authority"));
    }
    if cluster.insecure_skip_tls_verify == Some(true) {
        return Err(KubeconfigError::Refused("insecure-skip-tls-verify"));
    }
    if cluster.proxy_url.is_some() {
        return Err(KubeconfigError::Refused("proxy-url"));
    }
    let server = cluster.server.as_deref().ok_or(KubeconfigError::Missing("server"))?;
    let server: Uri = server.parse().map_err(|_| KubeconfigError::Missing("valid server address"))?;
    if server.scheme_str() != Some("https") {
        return Err(KubeconfigError::Refused("a server address without https"));
    }
    let authority = server.authority().ok_or(KubeconfigError::Missing("host in the server address"))?;
    let origin = Uri::builder().scheme("https").authority(authority.clone()).path_and_query("/").build();
    let origin = origin.map_err(|e| KubeconfigError::Transport(e.to_string()))?;

    let token = match user {
        Some(user) => {
            refuse_indirect(user)?;
            user.token.as_ref().map(|token| Token::new(token.expose_secret()))
        }
        None => None,
    };
    let prefix = server.path().trim_end_matches('/').to_owned();

    let mut config = Config::try_from(file).map_err(|_| KubeconfigError::Unreadable)?;
    config.cluster_url = origin;
    config.connect_timeout = Some(CONNECT_TIMEOUT);
    // The transport is anonymous: the client created for the token sends it.
    config.auth_info.token = None;
    let client = kube::Client::try_from(config).map_err(|e| KubeconfigError::Transport(e.to_string()))?;
    Ok((client, Credential { token, prefix }))
}

fn refuse_indirect(user: &AuthInfo) -> Result<(), KubeconfigError> {
    let refused = [
        (user.exec.is_some(), "a command (exec)"),
        (user.auth_provider.is_some(), "an auth-provider"),
        (user.token_file.is_some(), "a token file"),
        (user.client_certificate.is_some(), "a file as client-certificate"),
        (user.client_key.is_some(), "a file as client-key"),
        (user.impersonate.is_some() || user.impersonate_groups.is_some(), "impersonation"),
        (user.username.is_some() || user.password.is_some(), "a password"),
    ];
    match refused.into_iter().find(|(set, _)| *set) {
        Some((_, what)) => Err(KubeconfigError::Refused(what)),
        None => Ok(()),
    }
}
