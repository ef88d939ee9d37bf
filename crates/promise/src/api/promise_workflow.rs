//! Workflows that several promises share.

use super::workflow::Workflow;

/// A workflow that promises of its workspace refer to by name, instead of repeating its steps.
#[derive(Clone, Debug, PartialEq, Default, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct PromiseWorkflowSpec {
    /// Display name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What the workflow does, in one sentence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The steps, as in the `workflows` of a promise. Ids of resources are those of the promise that refers to it.
    pub workflow: Workflow,
}
