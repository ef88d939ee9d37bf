//! A server to be measured, with somebody who prepares it and somebody who loads it.

use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::json;
use testplane::{Person, Server};

use crate::client::{Call, Client};
use crate::objects::NAMESPACE;

/// Whose token may do everything.
const ADMIN: &str = "admin";
/// Who loads: an ordinary user, whose rights are looked up in role rules.
const LOADER: &str = "loader";

fn people() -> [Person; 2] {
    [Person { name: ADMIN, groups: &["system:masters"] }, Person { name: LOADER, groups: &["bench"] }]
}

/// A running server.
pub struct Subject {
    /// The server.
    pub server: Server,
    /// From nothing to ready.
    pub first_start: Duration,
    /// Until what was begun has come to rest.
    rest: Duration,
}

impl Subject {
    /// kube-apiserver with etcd; none where their binaries are not named.
    pub async fn kubernetes(rest: Duration) -> Option<Self> {
        let begun = Instant::now();
        let server = testplane::durable_kubernetes(&people()).await?;
        Some(Self { server, first_start: begun.elapsed(), rest })
    }

    /// The embedded plane of this program.
    pub async fn embedded(program: &Path, rest: Duration) -> Self {
        let begun = Instant::now();
        let server = testplane::embedded(program, &people()).await;
        Self { server, first_start: begun.elapsed(), rest }
    }

    /// Who may do everything.
    pub fn admin(&self) -> Client {
        Client::new(&self.server, ADMIN)
    }

    /// Who loads.
    pub fn loader(&self) -> Client {
        Client::new(&self.server, LOADER)
    }

    /// Makes the namespace, and gives the loader the rights to fill it.
    pub async fn prepare(&self) {
        let mut connection = self.admin().connect().await;
        let namespace = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}});
        connection.send(&Call::create("/api/v1/namespaces", namespace.to_string()), &[201]).await;
        let rules = json!([{"apiGroups": [""], "resources": ["configmaps"], "verbs": ["*"]}]);
        self.grant("", rules).await;
        self.until_granted().await;
    }

    /// Waits until the loader may create objects: kube-apiserver's authorizer learns of new rules from watches, a moment after they are stored.
    async fn until_granted(&self) {
        let attributes = json!({"namespace": NAMESPACE, "verb": "create", "resource": "configmaps"});
        let review = json!({
            "apiVersion": "authorization.k8s.io/v1", "kind": "SelfSubjectAccessReview", "spec": {"resourceAttributes": attributes},
        });
        let call = Call::create("/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", review.to_string());
        let mut connection = self.loader().connect().await;
        let granted = async {
            while connection.json(&call, &[201]).await["status"]["allowed"] != true {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        };
        tokio::time::timeout(Duration::from_secs(30), granted).await.expect("the loader's rights, within 30 seconds");
    }

    /// Gives the loader these rights, in a workspace or (empty) in the cluster at the top.
    pub async fn grant(&self, workspace: &str, rules: serde_json::Value) {
        let group = "rbac.authorization.k8s.io";
        let api = format!("{group}/v1");
        let role = json!({"apiVersion": api, "kind": "ClusterRole", "metadata": {"name": "bench"}, "rules": rules});
        let binding = json!({
            "apiVersion": api, "kind": "ClusterRoleBinding", "metadata": {"name": "bench"},
            "roleRef": {"apiGroup": group, "kind": "ClusterRole", "name": "bench"},
            "subjects": [{"kind": "Group", "apiGroup": group, "name": "bench"}],
        });
        let mut connection = self.admin().connect().await;
        for (plural, object) in [("clusterroles", role), ("clusterrolebindings", binding)] {
            connection.send(&Call::create(format!("{workspace}/apis/{api}/{plural}"), object.to_string()), &[201]).await;
        }
    }

    /// Memory once what was begun has come to rest.
    pub async fn resident_at_rest(&self) -> u64 {
        tokio::time::sleep(self.rest).await;
        self.server.resident()
    }
}
