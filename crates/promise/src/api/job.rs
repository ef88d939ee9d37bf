//! Jobs of workflows.

use std::collections::BTreeMap;

use serde_json::Value;

/// A Job that a step runs. Each attempt is another Job, whose name the controller chooses.
#[derive(Clone, Debug, PartialEq, Default, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct JobStep {
    /// Name of the Destination that runs it. If absent, it runs next to the request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub destination: Option<String>,
    /// `spec` of the Job, and optionally labels and annotations in `metadata`. It can contain expressions.
    #[serde(default)]
    #[cfg_attr(feature = "schemars", schemars(schema_with = "super::opaque::value"))]
    pub template: Value,
    /// Name of a ConfigMap in the namespace of the Job that contains its result. It can contain expressions. If absent, the result is the
    /// termination message of its last container, as JSON or else as text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub config_map: Option<String>,
    /// Values that later steps can read as `steps.<id>.<name>`, as expressions over `result`. They are stored in the status of the request.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub outputs: BTreeMap<String, String>,
    /// Number of the last lines of its log that are stored in the status of the request, at most 50. Everyone who can read the request can
    /// read them. If absent, none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub log_lines: Option<u32>,
}
