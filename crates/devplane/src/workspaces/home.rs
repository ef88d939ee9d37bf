//! The home workspace `~` of each user: made at the first look, named by the user, seen by nobody else.
//! Source: kcp `pkg/server/home_workspaces.go`.

use serde_json::{Value, json};
use sha2::{Digest, Sha224};

use super::controller::{first_namespaces, logical_cluster, workspace_admin};
use super::{PHASE, url};
use crate::authored;
use crate::document::Document;
use crate::kinds::{LOGICAL_CLUSTERS, TENANCY};
use crate::rbac::GROUP;
use crate::registry::GroupResource;
use crate::request::{Attributes, User};
use crate::status::ApiError;
use crate::{ClusterId, State, bindings, reviews};

/// The logical cluster of a user's home: always the same for the same name.
pub fn cluster_of(user: &str) -> Option<ClusterId> {
    let digest = Sha224::digest(user.as_bytes());
    let number = digest.iter().take(8).fold(0_u64, |number, byte| number << 8 | u64::from(*byte));
    ClusterId::parse(&base36(number))
}

/// Whether a request reads `~` in the root workspace: everybody may, without any right.
pub fn is_asked_for(attributes: &Attributes) -> bool {
    let target = &attributes.target;
    target.cluster.is_root()
        && target.export.is_none()
        && attributes.verb == "get"
        && (attributes.group.as_str(), attributes.resource.as_str(), attributes.name.as_str()) == (TENANCY, "workspaces", "~")
}

/// The answer to a GET of the Workspace `~` in the root workspace.
///
/// # Errors
/// 429 while the home is made, which the first request starts and the next one goes on with; forbidden for anonymous users.
pub fn get(state: &State, user: &User) -> Result<Value, ApiError> {
    if user.in_group(crate::authn::UNAUTHENTICATED) {
        let why = format!(
            "User {:?} cannot create resource \"workspaces\" in API group {TENANCY:?} at the cluster scope: workspace access not permitted",
            user.name
        );
        return Err(ApiError::forbidden(TENANCY, "workspaces", "~", &why));
    }
    let cluster = cluster_of(&user.name).ok_or_else(|| ApiError::internal("a home workspace has no id"))?;
    let Some(object) = super::logical_cluster(state, &cluster).filter(|object| object["status"]["phase"] == "Ready") else {
        make(state, &cluster, user)?;
        return Err(ApiError { plain: true, ..ApiError::too_many_requests("Creating the home workspace", 1) });
    };
    Ok(json!({
        "kind": "Workspace", "apiVersion": format!("{TENANCY}/v1alpha1"),
        "metadata": {"name": super::LOGICAL_CLUSTER, "creationTimestamp": object["metadata"]["creationTimestamp"]},
        "spec": {"cluster": cluster.as_str(), "URL": url(state, cluster.as_str())},
        "status": {"phase": object["status"]["phase"], "conditions": object["status"]["conditions"]},
    }))
}

fn make(state: &State, cluster: &ClusterId, user: &User) -> Result<(), ApiError> {
    let failed = |error: crate::store::WriteError| ApiError::internal(error);
    first_namespaces(state, cluster).map_err(failed)?;
    authored::create(state, &GroupResource::new(GROUP, "clusterrolebindings"), cluster, workspace_admin(user)).map_err(failed)?;
    let mut object = logical_cluster(&format!("user:{}", user.name), "root:home");
    object.set(["spec", "createdBy"], reviews::user_info(user));
    object.set(["status"], json!({"phase": "Initializing", "URL": url(state, cluster.as_str()), "conditions": []}));
    authored::create(state, &LOGICAL_CLUSTERS, cluster, object.into_value()).map_err(failed)?;
    for export in ["tenancy.kcp.io", "topology.kcp.io"] {
        bindings::controller::bind_by_default(state, cluster, "root", export).map_err(failed)?;
    }
    // Last of all: a home that was left half made is made to the end by the next request.
    let ready = |object: &mut Document| {
        object.set(["metadata", "labels", PHASE], "Ready");
        object.set(["status", "phase"], "Ready");
    };
    authored::change(state, &LOGICAL_CLUSTERS, &super::logical_cluster_key(cluster), ready).map_err(failed)?;
    Ok(())
}

fn base36(mut number: u64) -> String {
    let mut digits = Vec::new();
    loop {
        let digit = (number % 36) as u32;
        digits.push(char::from_digit(digit, 36).unwrap_or('0'));
        number /= 36;
        if number == 0 {
            return digits.iter().rev().collect();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_home_has_one_id_for_each_user() {
        let alice = cluster_of("alice").unwrap();
        assert_eq!(cluster_of("alice"), Some(alice.clone()));
        assert_ne!(cluster_of("bob"), Some(alice));
    }
}
