//! How workspaces are represented on a control plane: as workspaces of kcp, or as the namespaces of one Kubernetes cluster.
//!
//! Everything that differs between the two is decided here, or by an id or a path that knows whether it belongs to a cluster of namespaces.
//! To portal and controller both look alike: a tree of workspaces, and our kinds in each.

use kube::Client;

use crate::endpoint::{Credential, Endpoint, Scope};
use crate::error::from_plane;
use crate::install::SYSTEM_NAMESPACE;
use crate::workspaces::{ClusterId, WorkspacePath};

/// Groups that only kcp serves: the first in every workspace, the second wherever workspaces can be created.
const OF_KCP: [&str; 2] = ["core.kcp.io", "tenancy.kcp.io"];
/// A group that every Kubernetes cluster serves and kcp never does.
const OF_KUBERNETES: &str = "apps";
/// Where providers are installed by default.
const PROVIDER: &str = "root:opm";
/// The default trusted home of a kcp.
const PLATFORM: &str = "root:platform";

/// How workspaces are represented on this control plane.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Topology {
    /// kcp. The tree is made of Workspace objects below `root`; our kinds are shown by the exports of a provider workspace, where
    /// the controller's own objects live.
    Workspaces {
        /// Path of the provider workspace.
        provider: WorkspacePath,
    },
    /// One plain Kubernetes cluster. The tree is `cluster` with one workspace below it for each namespace that is not the system's;
    /// our kinds are CustomResourceDefinitions. Cluster-scoped kinds belong to `cluster`, the only home; namespaced kinds to the
    /// workspace of their namespace.
    Namespaces,
}

impl Topology {
    /// Determines what the server of a kubeconfig context is, wherever on the server its address leads. On kcp the provider workspace is
    /// taken to be `root:opm`.
    ///
    /// # Errors
    /// If the server doesn't respond, refuses the credential, or is neither kcp nor Kubernetes.
    pub async fn detect(operator: &Endpoint, credential: &Credential) -> promise::Result<Self> {
        let kcp = Self::Workspaces { provider: WorkspacePath::parse(PROVIDER).map_err(|_| promise::Error::Internal)? };
        let here = groups(&operator.client_with(credential)).await;
        match &here {
            Ok(groups) if is_kcp(groups) => return Ok(kcp),
            Ok(groups) if groups.iter().any(|group| group == OF_KUBERNETES) => return Ok(Self::Namespaces),
            Err(promise::Error::Unreachable { .. } | promise::Error::Unauthenticated) => return here.map(|_| kcp),
            Ok(_) | Err(_) => {}
        }
        // The address of a kcp without a workspace answers no discovery, and a workspace serves what its type binds. Root has everything.
        let root = operator.client_at(credential, &kcp, &Scope::Workspace(WorkspacePath::root()));
        match groups(&root).await {
            Ok(groups) if is_kcp(&groups) => Ok(kcp),
            Ok(_) | Err(_) => {
                if let Err(error) = here
                    && !matches!(error, promise::Error::NotFound { .. } | promise::Error::NotEnabled { .. })
                {
                    return Err(error);
                }
                Err(promise::Error::NotFound { what: format!("API group of kcp ({}) or of Kubernetes ({OF_KUBERNETES})", OF_KCP[0]) })
            }
        }
    }

    /// Returns the id of the top of the tree.
    pub fn root(&self) -> ClusterId {
        match self {
            Self::Workspaces { .. } => ClusterId::root(),
            Self::Namespaces => ClusterId::cluster(),
        }
    }

    /// Returns the workspaces that can offer across the tree and own Destinations by default. On Kubernetes there is no other than
    /// `cluster`.
    ///
    /// # Errors
    /// None in practice: the default is a path.
    pub fn default_homes(&self) -> Result<Vec<WorkspacePath>, crate::workspaces::InvalidPath> {
        match self {
            Self::Workspaces { .. } => Ok(vec![WorkspacePath::parse(PLATFORM)?]),
            Self::Namespaces => Ok(vec![WorkspacePath::cluster()]),
        }
    }

    /// Returns where the controller keeps its Lease and its key.
    pub fn own(&self) -> Scope {
        match self {
            Self::Workspaces { provider } => Scope::Workspace(provider.clone()),
            Self::Namespaces => Scope::Root,
        }
    }

    /// Returns what people call one of the controller's own objects, such as `Lease opm-system/opm-controller of the provider workspace`.
    pub fn own_object(&self, kind: &str, name: &str) -> String {
        match self {
            Self::Workspaces { .. } => format!("{kind} {SYSTEM_NAMESPACE}/{name} of the provider workspace"),
            Self::Namespaces => format!("{kind} {SYSTEM_NAMESPACE}/{name}"),
        }
    }

    /// Returns the part of a server's path that comes before every scope, such as the path of a proxy: on kcp without the workspace that it
    /// ends in.
    pub(crate) fn base<'p>(&self, path: &'p str) -> &'p str {
        match self {
            Self::Workspaces { .. } => path.rfind("/clusters/").map_or(path, |at| path.get(..at).unwrap_or_default()),
            Self::Namespaces => path,
        }
    }
}

/// Returns the names of the API groups that a client is served.
async fn groups(client: &Client) -> promise::Result<Vec<String>> {
    let list = client.list_api_groups().await.map_err(|error| from_plane(&error, "the API groups of the control plane"))?;
    Ok(list.groups.into_iter().map(|group| group.name).collect())
}

fn is_kcp(groups: &[String]) -> bool {
    groups.iter().any(|group| OF_KCP.contains(&group.as_str()))
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use http::{Request, Response};
    use http_body_util::Full;
    use kube::client::Body;
    use serde_json::json;

    use super::Topology;
    use crate::endpoint::{Credential, Endpoint, Token};
    use crate::workspaces::WorkspacePath;

    /// A server that answers discovery below some prefixes, and 403 below all others, as kcp and Kubernetes do.
    fn server(serves: &'static [(&'static str, &'static [&'static str])]) -> Endpoint {
        let service = tower::service_fn(move |request: Request<Body>| {
            let known = serves.iter().find(|(prefix, _)| request.uri().path() == format!("{prefix}/apis"));
            let (code, body) = match known {
                Some((_, groups)) => {
                    let version = |group: &&str| json!({"groupVersion": format!("{group}/v1"), "version": "v1"});
                    let group = |group: &&str| json!({"name": group, "versions": [version(group)], "preferredVersion": version(group)});
                    (200, json!({"kind": "APIGroupList", "apiVersion": "v1", "groups": groups.iter().map(group).collect::<Vec<_>>()}))
                }
                None => {
                    let message = format!("forbidden: User \"a\" cannot get path \"{}\"", request.uri().path());
                    (
                        403,
                        json!({"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "Forbidden", "message": message, "code": 403}),
                    )
                }
            };
            let answer = Response::builder().status(code).body(Full::from(body.to_string())).unwrap();
            async move { Ok::<_, Infallible>(answer) }
        });
        Endpoint::in_process("server", service)
    }

    #[tokio::test]
    async fn kcp_is_recognised_in_every_context_and_a_kubernetes_cluster_behind_a_proxy_is_none() {
        let kcp = server(&[
            ("/clusters/root", &["tenancy.kcp.io", "core.kcp.io", "apis.kcp.io"]),
            ("/clusters/root:universal", &["core.kcp.io", "apis.kcp.io", "rbac.authorization.k8s.io"]),
            ("/clusters/system:admin", &["rbac.authorization.k8s.io", "apiextensions.k8s.io"]),
            ("/clusters/root:syncs", &["core.kcp.io", "apps"]),
        ]);
        let kubernetes = server(&[("/k8s/clusters/c-1", &["apps", "rbac.authorization.k8s.io"]), ("", &["apps", "operator.kcp.io"])]);
        let neither = server(&[("", &["metrics.example.com"])]);
        let detect = async |server: &Endpoint, prefix: &str| {
            let credential = Credential { token: Some(Token::new("t")), prefix: prefix.to_owned() };
            Topology::detect(server, &credential).await.map(|found| found == Topology::Namespaces)
        };
        for prefix in
            ["/clusters/root", "/clusters/root:universal", "/clusters/system:admin", "/clusters/root:syncs", "", "/clusters/root:closed"]
        {
            assert_eq!(detect(&kcp, prefix).await, Ok(false), "kcp at {prefix:?}");
        }
        for prefix in ["/k8s/clusters/c-1", ""] {
            assert_eq!(detect(&kubernetes, prefix).await, Ok(true), "Kubernetes at {prefix:?}");
        }
        assert!(matches!(detect(&kubernetes, "/k8s/clusters/c-2").await, Err(promise::Error::Denied { .. })));
        assert!(matches!(detect(&neither, "").await, Err(promise::Error::NotFound { .. })));
    }

    #[test]
    fn what_stands_before_every_scope_is_kept() {
        let kcp = Topology::Workspaces { provider: WorkspacePath::parse("root:opm").unwrap() };
        assert_eq!(kcp.base("/clusters/root:acme"), "");
        assert_eq!(kcp.base("/proxy/clusters/root"), "/proxy");
        assert_eq!(kcp.base(""), "");
        assert_eq!(Topology::Namespaces.base("/k8s/clusters/c-1"), "/k8s/clusters/c-1", "a proxy before plain Kubernetes");
    }
}
