//! Catalogs: promises offered to workspaces, and their prices (`domain.md` 2).

use std::collections::BTreeMap;

use serde_json::Value;

/// Offers promises to workspaces and sets their prices.
#[derive(Clone, Debug, PartialEq, Default, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct PromiseCatalogSpec {
    /// Display name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Description in one sentence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Position among catalogs. Higher values come first.
    #[serde(default)]
    pub weight: i32,
    /// Names or globs of promises in the same home workspace.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub promises: Vec<String>,
    /// Workspace path globs that the catalog applies to: `*` matches one level, `**` any number.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub workspaces: Vec<String>,
    /// ISO 4217 code of the prices.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub currency: Option<String>,
    /// Price lists, each effective from a date.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub prices: Vec<PriceList>,
}

/// Prices that are effective from a date.
#[derive(Clone, Debug, PartialEq, Default, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct PriceList {
    /// First day on which the prices are effective, as `YYYY-MM-DD`.
    pub from: String,
    /// Prices, as nested maps of decimal strings.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[cfg_attr(feature = "schemars", schemars(schema_with = "super::opaque::object"))]
    pub values: BTreeMap<String, Value>,
}
