//! Annotations that every object of a workspace carries: its logical cluster, and its path where one is asked for.
//! Source: kcp `pkg/admission/pathannotation`, `sdk/apis/core`.

use serde_json::{Value, json};

use super::Admission;
use crate::State;
use crate::authored::CLUSTER;
use crate::workspaces::{PATH, told_path};

/// Kinds whose objects always say their path: others refer to them by it.
const ALWAYS: [&str; 4] = ["apiexports", "apibindings", "workspacetypes", "cachedresources"];

/// Sets both, whatever the request says. A dry run stores nothing, so its object is in no cluster yet.
pub fn stamp(state: &State, admission: &Admission<'_>, object: &mut Value) {
    let (cluster, resource) = (&admission.attributes.target.cluster, admission.resource);
    if cluster.is_sandbox() || resource.traits.review {
        return;
    }
    let wants_path = object["metadata"]["annotations"].get(PATH).is_some() || ALWAYS.contains(&resource.plural.as_str());
    // The LogicalCluster itself is where the path is told.
    if wants_path && resource.plural != "logicalclusters" {
        object["metadata"]["annotations"][PATH] = json!(told_path(state, cluster));
    }
    if admission.dry_run {
        if let Some(annotations) = object["metadata"]["annotations"].as_object_mut().filter(|_| admission.old.is_none()) {
            annotations.remove(CLUSTER);
        }
    } else {
        object["metadata"]["annotations"][CLUSTER] = json!(cluster.as_str());
    }
}
