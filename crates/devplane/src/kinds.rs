//! The kinds that every workspace serves on top of Kubernetes' own: workspaces, exports, bindings.
//! Source: kcp `sdk/apis/{tenancy,apis,core}` and `config/crds`.
//!
//! They are defined as custom resources are, in `kinds/*.yaml`; a new kind is an entry there. What happens when one is written
//! is in [`crate::workspaces`], [`crate::exports`] and [`crate::bindings`].

pub mod conversion;

use std::sync::{Arc, LazyLock};

use serde_json::{Value, json};

use crate::registry::{GroupResource, Resource, custom};

/// Group of workspaces and their types.
pub const TENANCY: &str = "tenancy.kcp.io";
/// Group of the logical cluster.
pub const CORE: &str = "core.kcp.io";
/// Group of exports and bindings.
pub const APIS: &str = "apis.kcp.io";

macro_rules! resources {
    ($($(#[$doc:meta])* $name:ident = $group:expr, $plural:literal;)*) => {
        $($(#[$doc])* pub static $name: LazyLock<GroupResource> = LazyLock::new(|| GroupResource::new($group, $plural));)*
    };
}

resources! {
    /// Where Workspaces are stored.
    WORKSPACES = TENANCY, "workspaces";
    /// Where WorkspaceTypes are stored.
    WORKSPACE_TYPES = TENANCY, "workspacetypes";
    /// Where LogicalClusters are stored.
    LOGICAL_CLUSTERS = CORE, "logicalclusters";
    /// Where APIResourceSchemas are stored.
    SCHEMAS = APIS, "apiresourceschemas";
    /// Where APIExports are stored.
    EXPORTS = APIS, "apiexports";
    /// Where APIExportEndpointSlices are stored.
    ENDPOINT_SLICES = APIS, "apiexportendpointslices";
    /// Where APIBindings are stored.
    BINDINGS = APIS, "apibindings";
    /// Where Namespaces are stored.
    NAMESPACES = "", "namespaces";
    /// Where ConfigMaps are stored.
    CONFIG_MAPS = "", "configmaps";
    /// Where ServiceAccounts are stored.
    SERVICE_ACCOUNTS = "", "serviceaccounts";
    /// Where Secrets are stored.
    SECRETS = "", "secrets";
}

/// All kinds, in the order of discovery. The definitions are part of the program: a fault in them shows in the first test.
pub fn resources() -> &'static [Arc<Resource>] {
    static RESOURCES: LazyLock<Vec<Arc<Resource>>> = LazyLock::new(|| {
        let sources = [include_str!("kinds/apis.yaml"), include_str!("kinds/tenancy.yaml")];
        sources.into_iter().flat_map(|source| definitions(source).unwrap_or_default()).flat_map(|entry| served(&entry)).collect()
    });
    &RESOURCES
}

fn definitions(source: &str) -> Result<Vec<Value>, serde_saphyr::Error> {
    serde_saphyr::from_str(source)
}

/// The resources of one entry, one for each version.
fn served(entry: &Value) -> Vec<Arc<Resource>> {
    let versions: Vec<Value> = entry["versions"].as_array().into_iter().flatten().map(definition_version).collect();
    let definition = json!({"spec": {"group": entry["group"], "scope": "Cluster", "versions": versions}});
    versions.iter().map(|version| Arc::new(custom::resource(&definition, &entry["names"], version, 0))).collect()
}

/// A version of an entry in the words of a CustomResourceDefinition.
fn definition_version(version: &Value) -> Value {
    let mut full = json!({
        "name": version["name"],
        "served": true,
        "storage": version["served-only"] != true,
        "schema": {"openAPIV3Schema": version["schema"]},
        "additionalPrinterColumns": version["columns"],
    });
    if version["status"] == true {
        full["subresources"] = json!({"status": {}});
    }
    full
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_definitions_are_read_and_structural() {
        for source in [include_str!("kinds/apis.yaml"), include_str!("kinds/tenancy.yaml")] {
            for version in definitions(source).unwrap().iter().flat_map(|entry| entry["versions"].as_array().unwrap()) {
                schema::structural::Schema::parse(&version["schema"]).unwrap_or_else(|errors| panic!("{errors:?}"));
            }
        }
        assert!(resources().iter().any(|resource| resource.plural == "workspaces" && resource.short_names == ["ws"]));
    }
}
