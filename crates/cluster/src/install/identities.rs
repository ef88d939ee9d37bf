//! The identities of portal and controller on a control plane, and how roles and admission policies recognise them.

use promise::names;
use serde_json::{Value, json};

use super::SYSTEM_NAMESPACE;
use super::admission::quoted;
use crate::topology::Topology;

/// Names of the identities that an installation grants permissions to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identities {
    /// User name of the controller, as the control plane authenticates it.
    pub controller: String,
    /// User name of the portal's read-only watches.
    pub portal: String,
    /// Group that can bind the catalog export, and so publish promises and govern.
    pub publishers: String,
    /// On kcp: id of the provider workspace, whose ServiceAccounts of these names in `opm-system` are accepted as well.
    pub accounts_of: Option<String>,
}

impl Default for Identities {
    fn default() -> Self {
        Self { controller: "opm-controller".into(), portal: "opm-portal".into(), publishers: "opm-publishers".into(), accounts_of: None }
    }
}

impl Identities {
    /// Returns the default identities: users of a kcp, ServiceAccounts of a Kubernetes cluster.
    pub fn usual(topology: &Topology) -> Self {
        match topology {
            Topology::Workspaces { .. } => Self::default(),
            Topology::Namespaces => Self { controller: account("opm-controller"), portal: account("opm-portal"), ..Self::default() },
        }
    }

    /// Returns the same identities, with the ServiceAccounts of a provider workspace.
    #[must_use]
    pub fn with_accounts_of(&self, provider: &str) -> Self {
        Self { accounts_of: Some(provider.to_owned()), ..self.clone() }
    }

    /// Checks whether a user name is accepted for one of them: its own, or that of its ServiceAccount.
    pub fn accepts(&self, identity: &str, username: &str) -> bool {
        username == identity || (self.accounts_of.is_some() && username == account(identity))
    }

    /// Returns a CEL expression over an admission request that checks whether the controller sends it.
    pub(super) fn is_controller(&self) -> String {
        let user = |name: &str| format!("request.userInfo.username == {}", quoted(name));
        let named = user(&self.controller);
        let Some(provider) = &self.accounts_of else { return named };
        let extra =
            |key: &str, value: &str| format!("'{key}' in request.userInfo.extra && request.userInfo.extra['{key}'] == [{}]", quoted(value));
        format!(
            "({named} || ({} && has(request.userInfo.extra) && {} && {}))",
            user(&account(&self.controller)),
            extra(names::KCP_USER_CLUSTER, provider),
            extra(names::KCP_USER_SCOPES, &format!("cluster:{provider}"))
        )
    }

    /// Returns an identity as the subjects that roles are bound to.
    pub(super) fn subjects(&self, identity: &str) -> Vec<Value> {
        let mut subjects = vec![match service_account(identity) {
            Some((namespace, name)) => json!({"kind": "ServiceAccount", "name": name, "namespace": namespace}),
            None => json!({"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": identity}),
        }];
        if self.accounts_of.is_some() {
            subjects.push(json!({"kind": "ServiceAccount", "name": identity, "namespace": SYSTEM_NAMESPACE}));
        }
        subjects
    }

    /// Returns the ServiceAccounts that have to exist.
    pub(super) fn service_accounts(&self) -> Vec<Value> {
        let account_of = |identity: &String| match (service_account(identity), &self.accounts_of) {
            (Some((namespace, name)), _) => Some((namespace.to_owned(), name.to_owned())),
            (None, Some(_)) => Some((SYSTEM_NAMESPACE.to_owned(), identity.clone())),
            (None, None) => None,
        };
        let object = |(namespace, name): (String, String)| json!({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": name, "namespace": namespace}});
        [&self.controller, &self.portal].into_iter().filter_map(account_of).map(object).collect()
    }
}

/// Returns the user name of one of our ServiceAccounts.
fn account(name: &str) -> String {
    format!("system:serviceaccount:{SYSTEM_NAMESPACE}:{name}")
}

/// Returns namespace and name of a user that is a ServiceAccount.
pub(super) fn service_account(user: &str) -> Option<(&str, &str)> {
    user.strip_prefix("system:serviceaccount:")?.split_once(':')
}
