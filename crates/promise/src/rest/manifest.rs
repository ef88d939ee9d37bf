//! The PromiseRequest that programs send.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::api::PromiseRequestSpec;
use crate::names;

/// A PromiseRequest, as `kubectl apply` takes it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "utoipa", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct RequestManifest {
    /// `platform.opmodel.dev/v1alpha1`.
    pub api_version: String,
    /// `PromiseRequest`.
    pub kind: String,
    /// Name, namespace and labels.
    pub metadata: RequestMetadata,
    /// What is requested.
    pub spec: PromiseRequestSpec,
}

/// The metadata of a PromiseRequest that counts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "utoipa", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct RequestMetadata {
    /// Name.
    pub name: String,
    /// Namespace. The usual one of the workspace if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// Labels. They can't be changed afterwards.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub labels: BTreeMap<String, String>,
}

impl RequestManifest {
    /// Creates a manifest.
    pub fn new(metadata: RequestMetadata, spec: PromiseRequestSpec) -> Self {
        Self { api_version: names::API_VERSION.to_owned(), kind: "PromiseRequest".to_owned(), metadata, spec }
    }
}
