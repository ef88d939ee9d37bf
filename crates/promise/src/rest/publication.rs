//! Promises of authors.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::api::{Condition, ConditionStatus};

/// Type of the condition that says whether the control plane publishes a promise.
const PUBLISHED: &str = "Published";

/// A Promise, as `kubectl apply` takes it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "utoipa", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct PromiseManifest {
    /// `platform.opmodel.dev/v1alpha1`.
    pub api_version: String,
    /// `Promise`.
    pub kind: String,
    /// Name, labels and annotations.
    pub metadata: PromiseMetadata,
    /// The promise.
    pub spec: Value,
}

/// The metadata of a Promise that counts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "utoipa", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct PromiseMetadata {
    /// Name.
    pub name: String,
    /// Labels.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub labels: BTreeMap<String, String>,
    /// Annotations.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub annotations: BTreeMap<String, String>,
}

/// A promise in its home workspace, as its author sees it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "utoipa", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct PromisePublication {
    /// Path of its home workspace.
    pub workspace: String,
    /// Name.
    pub name: String,
    /// Version in its spec.
    pub version: String,
    /// Generation of the spec.
    pub generation: i64,
    /// Generation that the conditions describe.
    pub observed_generation: i64,
    /// Name of the PromiseRevision that was published last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revision: Option<String>,
    /// Conditions. `Published` says whether the control plane publishes it, and why not.
    pub conditions: Vec<Condition>,
    /// The spec.
    pub spec: Value,
    /// The spec before it was written, or before the dry run. Absent if it is new, or if it was only read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub former: Option<Value>,
}

impl PromisePublication {
    /// Returns whether this spec is published, with the reason as a sentence. `None` while the controller hasn't looked at it.
    pub fn outcome(&self) -> Option<(bool, &str)> {
        if self.observed_generation < self.generation {
            return None;
        }
        let condition = self.conditions.iter().find(|condition| condition.r#type == PUBLISHED)?;
        match condition.status {
            ConditionStatus::Unknown => None,
            status => Some((status == ConditionStatus::True, condition.message.as_str())),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_outcome_is_about_the_present_spec() {
        let publication = |observed: i64, status: &str| -> PromisePublication {
            let condition = json!({"type": PUBLISHED, "status": status, "reason": "R", "message": "Said."});
            serde_json::from_value(json!({
                "workspace": "root:a", "name": "cache", "version": "1.0.0", "generation": 2, "observedGeneration": observed,
                "conditions": [condition], "spec": {},
            }))
            .unwrap()
        };
        assert_eq!(publication(2, "True").outcome(), Some((true, "Said.")));
        assert_eq!(publication(2, "False").outcome(), Some((false, "Said.")));
        assert_eq!((publication(1, "True").outcome(), publication(2, "Unknown").outcome()), (None, None));
    }
}
