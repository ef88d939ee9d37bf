//! Plain Kubernetes: the permission of the portal to impersonate people whose identity provider the server doesn't trust.

use k8s_openapi::api::authorization::v1::{ResourceAttributes, SubjectAccessReview, SubjectAccessReviewSpec};
use kube::api::PostParams;
use kube::{Api, Client};
use serde_json::{Value, json};

use super::apply::{InstallError, Options};
use super::doctor::Finding;
use super::identities::service_account;
use super::{Identities, rbac};
use crate::endpoint::{Credential, Endpoint, Scope};
use crate::error::from_plane;
use crate::topology::Topology;

/// Name of the role and of its binding.
const ROLE: &str = "opm-portal-impersonates";
/// Names of the server itself, one of each kind, that no one should be able to impersonate.
const OF_THE_SERVER: [(&str, &str); 2] = [("groups", "system:masters"), ("users", "system:kube-controller-manager")];

/// Whom the portal impersonates.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Impersonation {
    /// The groups, with their prefix; every group if there are none.
    pub groups: Vec<String>,
}

impl Impersonation {
    /// Returns the role and its binding. RBAC has no patterns, so users can't be limited to those of one issuer.
    pub fn objects(&self, identities: &Identities) -> Vec<Value> {
        let users = json!({"apiGroups": [""], "resources": ["users"], "verbs": ["impersonate"]});
        let mut groups = json!({"apiGroups": [""], "resources": ["groups"], "verbs": ["impersonate"]});
        if !self.groups.is_empty() {
            groups["resourceNames"] = self.groups.clone().into();
        }
        rbac::cluster_role(ROLE, &identities.subjects(&identities.portal), &[users, groups])
    }

    /// Returns the command that grants the permission.
    fn command(&self) -> String {
        let groups = self.groups.iter().map(|group| format!(" --oidc-group {group}"));
        format!("opm-portal bootstrap --oidc-impersonate{}", groups.collect::<String>())
    }

    /// Returns whom the portal can't impersonate, however it could have got the permission.
    pub(super) async fn missing(&self, client: &Client, identities: &Identities) -> Result<Vec<Finding>, InstallError> {
        let groups = self.groups.iter().map(|group| ("groups", Some(group.as_str())));
        let all_groups = self.groups.is_empty().then_some(("groups", None));
        let mut findings = Vec::new();
        for (resource, name) in std::iter::once(("users", None)).chain(all_groups).chain(groups) {
            if !can_impersonate(client, &identities.portal, resource, name).await? {
                let whom = name.map_or_else(|| resource.to_owned(), |name| format!("the group {name}"));
                findings.push(Finding { what: format!("opm-portal can't impersonate {whom}."), remedy: self.command() });
            }
        }
        Ok(findings)
    }
}

/// Returns the names of the server itself that the portal could impersonate with its permissions. The portal refuses to, but anyone with its
/// token could. On kcp it impersonates no one.
///
/// # Errors
/// If the server can't be asked.
pub async fn impersonation_risks(
    endpoint: &Endpoint,
    credential: &Credential,
    topology: &Topology,
    options: &Options,
) -> Result<Vec<Finding>, InstallError> {
    let Topology::Namespaces = topology else { return Ok(Vec::new()) };
    let client = endpoint.client_at(credential, topology, &Scope::Root);
    let identities = options.identities(topology);
    let mut findings = Vec::new();
    for (resource, name) in OF_THE_SERVER {
        if can_impersonate(&client, &identities.portal, resource, Some(name)).await? {
            let remedy = match (resource, &options.impersonation) {
                (_, None) => {
                    "remove the permission to impersonate from opm-portal; if you use impersonation, run doctor with --oidc-impersonate"
                }
                ("groups", Some(_)) => "name the groups that people have: opm-portal bootstrap --oidc-impersonate --oidc-group GROUP",
                (_, Some(_)) => "RBAC can't exclude users by prefix, so keep the token of opm-portal as safe as that of an admin",
            };
            let what = format!("Anyone with the token of opm-portal can impersonate {name}.");
            findings.push(Finding { what, remedy: remedy.to_owned() });
        }
    }
    Ok(findings)
}

/// Asks the server whether a user can impersonate a user or group; all of them without a name.
async fn can_impersonate(client: &Client, user: &str, resource: &str, name: Option<&str>) -> Result<bool, InstallError> {
    let attributes = ResourceAttributes {
        verb: Some("impersonate".to_owned()),
        resource: Some(resource.to_owned()),
        name: name.map(str::to_owned),
        ..ResourceAttributes::default()
    };
    // The groups with which the server authenticates a ServiceAccount.
    let groups = service_account(user).map(|(namespace, _)| {
        vec!["system:serviceaccounts".to_owned(), format!("system:serviceaccounts:{namespace}"), "system:authenticated".to_owned()]
    });
    let spec = SubjectAccessReviewSpec {
        user: Some(user.to_owned()),
        groups: Some(groups.unwrap_or_else(|| vec!["system:authenticated".to_owned()])),
        resource_attributes: Some(attributes),
        ..SubjectAccessReviewSpec::default()
    };
    let reviews: Api<SubjectAccessReview> = Api::all(client.clone());
    let review = SubjectAccessReview { spec, ..SubjectAccessReview::default() };
    let object = "an access review of opm-portal";
    let answer = reviews.create(&PostParams::default(), &review).await;
    let answer = answer.map_err(|error| InstallError::Refused { object: object.to_owned(), error: from_plane(&error, object) })?;
    Ok(answer.status.is_some_and(|status| status.allowed))
}
