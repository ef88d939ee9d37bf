//! The operator's own kubeconfig. It is trusted as kubectl trusts it, including files, commands and client certificates.
//!
//! A kubeconfig from a Secret is read by [`Endpoint::from_kubeconfig`] instead, which trusts none of these.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use http::Uri;
use http::uri::PathAndQuery;
use kube::config::{AuthInfo, Config, KubeConfigOptions, Kubeconfig};
use secrecy::ExposeSecret;
use tokio_util::sync::CancellationToken;

use super::hosts::Hosts;
use super::{Credential, Endpoint, Scope, Token};
use crate::topology::Topology;

/// How often a token's file is read again: a kubelet renews it when at least a fifth of its lifetime, 10 minutes or more, is left.
const READ_AGAIN: Duration = Duration::from_secs(60);

/// A server that doesn't accept a connection within this time counts as not responding.
pub(super) const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// Why the operator's kubeconfig can't be used.
#[derive(Debug, thiserror::Error)]
pub enum OwnError {
    /// The file is missing, or it isn't a kubeconfig.
    #[error("can't read the kubeconfig: {0} (choose another with --kubeconfig)")]
    Unreadable(String),
    /// No context is selected, or the selected one doesn't exist.
    #[error("the kubeconfig has no context {0}; `kubectl config get-contexts` lists the contexts it has")]
    NoContext(String),
    /// The connection isn't secure. Users' tokens would be sent in clear text, and a proxy such as `kubectl proxy` would turn every user
    /// into its own.
    #[error("the server {0} doesn't use https; user tokens are only sent over https")]
    NotSecure(String),
    /// The connection can't be prepared.
    #[error("can't set up the connection to {server}: {why}")]
    Transport {
        /// Address of the server.
        server: String,
        /// Reason.
        why: String,
    },
    /// One of our own identities has no token that can be sent, and needs one.
    #[error("the user of the context {0} has no token (token or tokenFile) in the kubeconfig")]
    NoToken(String),
}

/// The token of a context's user.
#[derive(Clone, Debug)]
pub struct ContextToken {
    /// The token.
    pub token: Token,
    /// The file that it is in, if it is in one.
    file: Option<PathBuf>,
}

impl ContextToken {
    /// Takes over what is written to the token's file, until `shutdown`. The token of a pod is replaced there before it expires.
    pub async fn keep(self, shutdown: CancellationToken) {
        let Some(file) = self.file else { return };
        loop {
            tokio::select! {
                () = shutdown.cancelled() => return,
                () = tokio::time::sleep(READ_AGAIN) => {}
            }
            match tokio::fs::read_to_string(&file).await {
                // A file that is being replaced can be empty for a moment.
                Ok(text) if text.trim().is_empty() => {}
                Ok(text) => self.token.renew(text.trim()),
                Err(error) => tracing::warn!(file = %file.display(), %error, "cannot read a token again, retrying"),
            }
        }
    }
}

/// A server as reached through a context of the operator's kubeconfig.
#[derive(Clone, Debug)]
pub struct Own {
    /// Name of the context.
    pub context: String,
    /// The server as the context's user: the connection itself carries that identity.
    pub operator: Endpoint,
    /// The credential that [`Endpoint::client_at`] needs with `operator`.
    pub credential: Credential,
    /// The server without any identity.
    nobody: Endpoint,
    file: Kubeconfig,
}

impl Own {
    /// Reads `file`, or without one what kubectl would read (`KUBECONFIG`, then `~/.kube/config`), and prepares the connection of
    /// `context`, or of the current context. Nothing is sent.
    ///
    /// # Errors
    /// If there is no such file or context, or its server can't be used.
    pub async fn open(file: Option<&Path>, context: Option<&str>) -> Result<Self, OwnError> {
        let file = file.map_or_else(Kubeconfig::read, Kubeconfig::read_from).map_err(|error| OwnError::Unreadable(error.to_string()))?;
        let chosen = context.or(file.current_context.as_deref()).ok_or_else(|| OwnError::NoContext("set as current".to_owned()))?;
        let context = chosen.to_owned();
        if !file.contexts.iter().any(|known| known.name == context) {
            return Err(OwnError::NoContext(context));
        }
        let options = KubeConfigOptions { context: Some(context.clone()), ..KubeConfigOptions::default() };
        let config = Config::from_custom_kubeconfig(file.clone(), &options).await;
        let mut config = config.map_err(|error| OwnError::Unreadable(error.to_string()))?;
        let server = config.cluster_url.to_string();
        if config.cluster_url.scheme_str() != Some("https") {
            return Err(OwnError::NotSecure(server));
        }
        let prefix = config.cluster_url.path().trim_end_matches('/').to_owned();
        let hosts = Arc::new(Hosts::new(file.clone(), context.clone(), &config.cluster_url));
        config.cluster_url = origin(&config.cluster_url);
        config.connect_timeout = Some(CONNECT_TIMEOUT);
        let transport = |error: kube::Error| OwnError::Transport { server: server.clone(), why: error.to_string() };
        let operator = kube::Client::try_from(config.clone()).map_err(transport)?;
        // Users' requests carry only their own tokens: no token or certificate of the operator must be sent with them.
        config.auth_info = AuthInfo::default();
        let nobody = kube::Client::try_from(config).map_err(transport)?;
        let operator = Endpoint::over(&context, operator);
        let nobody = Endpoint { hosts: Some(hosts), ..Endpoint::over(&context, nobody) };
        Ok(Self { context, operator, credential: Credential { token: None, prefix }, nobody, file })
    }

    /// Returns the server without an identity, for callers that have a token.
    pub fn endpoint(&self, topology: &Topology) -> Endpoint {
        Endpoint { base: Arc::from(topology.base(&self.credential.prefix)), ..self.nobody.clone() }
    }

    /// Returns a client that acts as the user of the context.
    pub fn client_at(&self, topology: &Topology, scope: &Scope) -> kube::Client {
        self.operator.client_at(&self.credential, topology, scope)
    }

    /// Returns the address of a scope on the server, such as a workspace.
    pub fn address_of(&self, topology: &Topology, scope: &Scope) -> String {
        let server = self.nobody.hosts.as_ref().map(|hosts| hosts.address()).unwrap_or_default();
        format!("{server}{}{}", topology.base(&self.credential.prefix), scope.prefix())
    }

    /// Returns the token of the user of another context in the same file, or `None` if there is no such context.
    ///
    /// # Errors
    /// If the user has no token that can be sent, or its file can't be read.
    pub fn token_of(&self, context: &str) -> Result<Option<ContextToken>, OwnError> {
        let Some(user) = self.file.contexts.iter().find(|known| known.name == context).and_then(|known| known.context.as_ref()) else {
            return Ok(None);
        };
        let info =
            self.file.auth_infos.iter().find(|known| Some(&known.name) == user.user.as_ref()).and_then(|known| known.auth_info.as_ref());
        let none = || OwnError::NoToken(context.to_owned());
        let info = info.ok_or_else(none)?;
        match (&info.token, &info.token_file) {
            (Some(token), _) => Ok(Some(ContextToken { token: Token::new(token.expose_secret()), file: None })),
            (None, Some(file)) => {
                let text = std::fs::read_to_string(file).map_err(|error| OwnError::Unreadable(format!("{file}: {error}")))?;
                Ok(Some(ContextToken { token: Token::new(text.trim()), file: Some(PathBuf::from(file)) }))
            }
            (None, None) => Err(none()),
        }
    }
}

/// Returns scheme, host and port of an address.
pub(super) fn origin(server: &Uri) -> Uri {
    let mut parts = server.clone().into_parts();
    parts.path_and_query = Some(PathAndQuery::from_static("/"));
    Uri::from_parts(parts).unwrap_or_else(|_| server.clone())
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use tokio_util::sync::CancellationToken;

    use super::{ContextToken, Own, OwnError, READ_AGAIN};
    use crate::Token;

    fn kubeconfig(server: &str) -> tempfile::NamedTempFile {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        let text = serde_json::json!({
            "apiVersion": "v1", "kind": "Config", "current-context": "admin",
            "clusters": [{"name": "c", "cluster": {"server": server, "insecure-skip-tls-verify": true}}],
            "users": [{"name": "admin", "user": {"token": "t1"}}, {"name": "opm-portal", "user": {"token": "t2"}}, {"name": "cert", "user": {}}],
            "contexts": [
                {"name": "admin", "context": {"cluster": "c", "user": "admin"}},
                {"name": "opm-portal", "context": {"cluster": "c", "user": "opm-portal"}},
                {"name": "cert", "context": {"cluster": "c", "user": "cert"}},
            ],
        });
        file.write_all(text.to_string().as_bytes()).unwrap();
        file
    }

    #[tokio::test]
    async fn contexts_are_found_by_name_and_the_current_one_without() {
        let file = kubeconfig("https://127.0.0.1:1/clusters/root");
        let own = Own::open(Some(file.path()), None).await.unwrap();
        assert_eq!((own.context.as_str(), own.credential.prefix.as_str()), ("admin", "/clusters/root"));
        assert_eq!(own.token_of("opm-portal").unwrap().unwrap().token.expose().as_ref(), "t2");
        assert!(own.token_of("other").unwrap().is_none());
        assert!(matches!(own.token_of("cert"), Err(OwnError::NoToken(_))));
        assert!(matches!(Own::open(Some(file.path()), Some("other")).await, Err(OwnError::NoContext(_))));
    }

    #[tokio::test]
    async fn tokens_are_not_sent_in_clear_text() {
        let file = kubeconfig("http://127.0.0.1:1");
        assert!(matches!(Own::open(Some(file.path()), None).await, Err(OwnError::NotSecure(_))));
    }
    #[tokio::test(start_paused = true)]
    async fn a_token_in_a_file_is_read_again() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("token");
        let token = Token::new("first");
        let kept = ContextToken { token: token.clone(), file: Some(file.clone()) };
        let shutdown = CancellationToken::new();
        let task = tokio::spawn(kept.keep(shutdown.clone()));
        for (written, expected) in [(None, "first"), (Some(" second\n"), "second"), (Some(""), "second"), (Some("third"), "third")] {
            if let Some(written) = written {
                std::fs::write(&file, written).unwrap();
            }
            // Reading takes real time, during which the paused clock moves on by itself.
            let changed = async {
                tokio::time::sleep(READ_AGAIN * 2).await;
                while token.expose().as_ref() != expected {
                    tokio::task::yield_now().await;
                }
            };
            tokio::time::timeout(READ_AGAIN * 100_000, changed).await.unwrap();
        }
        shutdown.cancel();
        task.await.unwrap();
        ContextToken { token, file: None }.keep(CancellationToken::new()).await;
    }
}
