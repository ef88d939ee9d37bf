//! The operator's own kubeconfig. It is believed as kubectl believes it: files, commands and client certificates included.
//!
//! One that comes from a Secret is read by [`Endpoint::from_kubeconfig`] instead, which believes nothing.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use http::Uri;
use http::uri::PathAndQuery;
use kube::config::{AuthInfo, Config, KubeConfigOptions, Kubeconfig};
use secrecy::ExposeSecret;

use super::hosts::Hosts;
use super::{Credential, Endpoint, Scope, Token};
use crate::topology::Topology;

/// A server that does not take a connection for so long does not answer.
pub(super) const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// Why the operator's kubeconfig cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum OwnError {
    /// There is none, or it is not one.
    #[error("the kubeconfig cannot be read: {0} (name another with --kubeconfig)")]
    Unreadable(String),
    /// No context is chosen, or one that is not there.
    #[error("the kubeconfig has no context {0}; `kubectl config get-contexts` lists what it has")]
    NoContext(String),
    /// Tokens of people would travel in clear text, and a proxy such as `kubectl proxy` would make everybody its own user.
    #[error("the server {0} is not reached by https; people's tokens are sent to no other")]
    NotSecure(String),
    /// The connection cannot be prepared.
    #[error("the connection to {server} cannot be prepared: {why}")]
    Transport {
        /// Address.
        server: String,
        /// Why.
        why: String,
    },
    /// An identity of ours needs a token that can be sent.
    #[error("the user of the context {0} has no token (token or tokenFile) in the kubeconfig")]
    NoToken(String),
}

/// A server as a context of the operator's kubeconfig reaches it.
#[derive(Clone, Debug)]
pub struct Own {
    /// Name of the context.
    pub context: String,
    /// The server as the context's user: the connection itself is that user's.
    pub operator: Endpoint,
    /// What [`Endpoint::client_at`] needs beside it.
    pub credential: Credential,
    /// The server without any identity.
    nobody: Endpoint,
    file: Kubeconfig,
}

impl Own {
    /// Reads `file`, or what kubectl would read without one (`KUBECONFIG`, then `~/.kube/config`), and prepares the connection of `context`,
    /// or of the current one. Nothing is sent.
    ///
    /// # Errors
    /// There is no such file or context, or its server cannot be used.
    pub async fn open(file: Option<&Path>, context: Option<&str>) -> Result<Self, OwnError> {
        let file = file.map_or_else(Kubeconfig::read, Kubeconfig::read_from).map_err(|error| OwnError::Unreadable(error.to_string()))?;
        let chosen = context.or(file.current_context.as_deref()).ok_or_else(|| OwnError::NoContext("that is current".to_owned()))?;
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
        // What people ask is asked with their tokens alone: neither token nor certificate of the operator may stand behind it.
        config.auth_info = AuthInfo::default();
        let nobody = kube::Client::try_from(config).map_err(transport)?;
        let operator = Endpoint::over(&context, operator);
        let nobody = Endpoint { hosts: Some(hosts), ..Endpoint::over(&context, nobody) };
        Ok(Self { context, operator, credential: Credential { token: None, prefix }, nobody, file })
    }

    /// The server for whoever has a token.
    pub fn endpoint(&self, topology: &Topology) -> Endpoint {
        Endpoint { base: Arc::from(topology.base(&self.credential.prefix)), ..self.nobody.clone() }
    }

    /// A client that acts as the user of the context.
    pub fn client_at(&self, topology: &Topology, scope: &Scope) -> kube::Client {
        self.operator.client_at(&self.credential, topology, scope)
    }

    /// The address of a place on the server, such as that of a workspace.
    pub fn address_of(&self, topology: &Topology, scope: &Scope) -> String {
        let server = self.nobody.hosts.as_ref().map(|hosts| hosts.address()).unwrap_or_default();
        format!("{server}{}{}", topology.base(&self.credential.prefix), scope.prefix())
    }

    /// The token of the user of another context of the same file; none where there is no such context.
    ///
    /// # Errors
    /// The user has none that can be sent, or its file cannot be read.
    pub fn token_of(&self, context: &str) -> Result<Option<Token>, OwnError> {
        let Some(user) = self.file.contexts.iter().find(|known| known.name == context).and_then(|known| known.context.as_ref()) else {
            return Ok(None);
        };
        let info =
            self.file.auth_infos.iter().find(|known| Some(&known.name) == user.user.as_ref()).and_then(|known| known.auth_info.as_ref());
        let none = || OwnError::NoToken(context.to_owned());
        let info = info.ok_or_else(none)?;
        match (&info.token, &info.token_file) {
            (Some(token), _) => Ok(Some(Token::new(token.expose_secret()))),
            (None, Some(file)) => {
                let text = std::fs::read_to_string(file).map_err(|error| OwnError::Unreadable(format!("{file}: {error}")))?;
                Ok(Some(Token::new(text.trim())))
            }
            (None, None) => Err(none()),
        }
    }
}

/// Scheme, host and port of an address.
pub(super) fn origin(server: &Uri) -> Uri {
    let mut parts = server.clone().into_parts();
    parts.path_and_query = Some(PathAndQuery::from_static("/"));
    Uri::from_parts(parts).unwrap_or_else(|_| server.clone())
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::{Own, OwnError};

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
        assert_eq!(own.token_of("opm-portal").unwrap().unwrap().expose().as_ref(), "t2");
        assert!(own.token_of("other").unwrap().is_none());
        assert!(matches!(own.token_of("cert"), Err(OwnError::NoToken(_))));
        assert!(matches!(Own::open(Some(file.path()), Some("other")).await, Err(OwnError::NoContext(_))));
    }

    #[tokio::test]
    async fn tokens_are_not_sent_in_clear_text() {
        let file = kubeconfig("http://127.0.0.1:1");
        assert!(matches!(Own::open(Some(file.path()), None).await, Err(OwnError::NotSecure(_))));
    }
}
