//! A shelf: which promises for which workspaces, and prices (`domain.md` 2).

use std::collections::BTreeMap;

use serde_json::Value;

/// A shelf.
#[derive(Clone, Debug, PartialEq, Default, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct PromiseCatalogSpec {
    /// Name for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// One sentence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Order among shelves; larger comes first.
    #[serde(default)]
    pub weight: i32,
    /// Names or globs of promises of the same home.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub promises: Vec<String>,
    /// Path globs: `*` one level, `**` any.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub workspaces: Vec<String>,
    /// ISO 4217 code of the prices.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub currency: Option<String>,
    /// Effective-dated price lists.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub prices: Vec<PriceList>,
}

/// Prices from a day on.
#[derive(Clone, Debug, PartialEq, Default, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct PriceList {
    /// Date, `YYYY-MM-DD`.
    pub from: String,
    /// Nested decimal strings.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[cfg_attr(feature = "schemars", schemars(schema_with = "super::opaque::object"))]
    pub values: BTreeMap<String, Value>,
}
