//! The other servers of a control plane: each shard of a kcp serves the objects of its consumers under its own host.

use http::Uri;
use kube::config::{AuthInfo, Config, KubeConfigOptions, Kubeconfig};

use super::OwnError;
use super::own::{CONNECT_TIMEOUT, origin};

/// Opens connections to servers that the control plane names, with the CA that the operator's kubeconfig has for each.
pub(super) struct Hosts {
    file: Kubeconfig,
    context: String,
    /// Scheme, host and port that the context leads to.
    own: Uri,
}

impl Hosts {
    pub(super) fn new(file: Kubeconfig, context: String, server: &Uri) -> Self {
        Self { file, context, own: origin(server) }
    }

    /// Returns the server that the context leads to, as `https://host:port`.
    pub(super) fn address(&self) -> String {
        self.own.to_string().trim_end_matches('/').to_owned()
    }

    /// Checks whether an address is on the server that the context leads to.
    pub(super) fn is_own(&self, server: &Uri) -> bool {
        origin(server) == self.own
    }

    /// Opens a connection without an identity. The CA is that of the kubeconfig's cluster entry with this host and port, or that of the
    /// context if there is no such entry.
    pub(super) async fn open(&self, server: &Uri) -> Result<kube::Client, OwnError> {
        if server.scheme_str() != Some("https") {
            return Err(OwnError::NotSecure(server.to_string()));
        }
        let address = origin(server);
        let known = self.file.clusters.iter().find(|known| {
            let at = known.cluster.as_ref().and_then(|cluster| cluster.server.as_deref()).and_then(|at| at.parse::<Uri>().ok());
            at.is_some_and(|at| origin(&at) == address)
        });
        let cluster = known.map(|known| known.name.clone());
        let options = KubeConfigOptions { context: Some(self.context.clone()), cluster, user: None };
        let config = Config::from_custom_kubeconfig(self.file.clone(), &options).await;
        let mut config = config.map_err(|error| OwnError::Unreadable(error.to_string()))?;
        if known.is_none() {
            // This name belongs to another server.
            config.tls_server_name = None;
        }
        config.cluster_url = address;
        config.connect_timeout = Some(CONNECT_TIMEOUT);
        config.auth_info = AuthInfo::default();
        kube::Client::try_from(config).map_err(|error| OwnError::Transport { server: server.to_string(), why: error.to_string() })
    }
}
