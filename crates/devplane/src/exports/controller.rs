//! Completes exports: identity, the endpoint slice with the address of the virtual workspace, and the bindings that follow them.
//! Source: kcp `pkg/reconciler/apis/{apiexport,apiexportendpointslice}`.

use serde_json::{Value, json};

use super::{bindings_of, identity, is_of};
use crate::authored::{self, Fault, is_being_deleted, set_condition};
use crate::clock::seconds;
use crate::kinds::{APIS, ENDPOINT_SLICES, EXPORTS, TENANCY};
use crate::store::{Key, Range, WriteError};
use crate::workspaces::types::Type;
use crate::workspaces::{PATH, logical_cluster, resolve, told_path};
use crate::{ClusterId, State, bindings};

/// With this annotation an export gets no endpoint slice of its own.
const SKIP_SLICE: &str = "apis.kcp.io/skip-endpointslice";

/// Makes the exports of the root workspace that every workspace binds by default.
///
/// # Errors
/// When the storage takes no writes.
pub fn system_exports(state: &State) -> Result<(), WriteError> {
    let root = ClusterId::root();
    for (export, plurals) in [(TENANCY, ["workspaces", "workspacetypes"]), ("topology.kcp.io", ["partitions", "partitionsets"])] {
        let resource =
            |plural: &&str| json!({"group": export, "name": plural, "schema": format!("v1.{plural}.{export}"), "storage": {"crd": {}}});
        let resources: Vec<Value> = plurals.iter().map(resource).collect();
        let object = json!({
            "apiVersion": format!("{APIS}/v1alpha2"), "kind": "APIExport",
            "metadata": {"name": export, "generation": 1, "annotations": {PATH: "root"}},
            "spec": {"resources": resources},
        });
        authored::create(state, &EXPORTS, &root, object)?;
        reconcile(state, &Key::new(&root, "", export))?;
    }
    Ok(())
}

/// Brings one export, its slices and its bindings up to date.
///
/// # Errors
/// When the storage takes no writes.
pub fn reconcile(state: &State, key: &Key) -> Result<(), WriteError> {
    if let Some(export) = super::load(state, &key.cluster, &key.name) {
        let hash = identity::ensure(state, &key.cluster, &key.name)?;
        let now = seconds(state.clock.now());
        authored::change(state, &EXPORTS, key, |export| {
            if export["spec"]["identity"]["secretRef"].is_null() {
                let reference = json!({"name": &*key.name, "namespace": identity::NAMESPACE});
                export.set(["spec", "identity", "secretRef"], reference);
            }
            export.set(["status", "identityHash"], hash.as_str());
            set_condition(export, "IdentityValid", None, &now);
        })?;
        if export["metadata"]["annotations"][SKIP_SLICE].is_null() {
            let slice = json!({
                "apiVersion": format!("{APIS}/v1alpha1"), "kind": "APIExportEndpointSlice",
                "metadata": {"name": &*key.name, "generation": 1},
                "spec": {"export": {"name": &*key.name, "path": told_path(state, &key.cluster)}},
            });
            authored::create(state, &ENDPOINT_SLICES, &key.cluster, slice)?;
        }
    }
    for (binding, _) in bindings_of(state, &key.cluster, &key.name) {
        bindings::controller::reconcile(state, &binding)?;
    }
    reconcile_slices(state, &key.cluster)
}

/// Brings the endpoint slices of a workspace up to date: the address appears with the first binding.
///
/// # Errors
/// When the storage takes no writes.
pub fn reconcile_slices(state: &State, cluster: &ClusterId) -> Result<(), WriteError> {
    let now = seconds(state.clock.now());
    for (key, stored) in state.store.peek_list(&ENDPOINT_SLICES, &Range::Cluster(cluster.clone())).0 {
        let slice = stored.object();
        let export = &slice["spec"]["export"];
        let (path, name) = (export["path"].as_str().unwrap_or_default(), export["name"].as_str().unwrap_or_default());
        let provider = bindings::admission::provider(state, cluster, path).filter(|provider| super::load(state, provider, name).is_some());
        let missing = Fault { reason: "APIExportNotFound", severity: "Error", message: format!("APIExport {path}|{name} not found") };
        // An address that was told stays: consumers may come back. So bindings are looked for until there is one, and no longer.
        let told = !slice["status"]["endpoints"].is_null();
        let bound = provider.as_ref().filter(|provider| !told && super::is_bound(state, provider, name));
        let url = bound.map(|provider| format!("{}/services/apiexport/{provider}/{name}", state.external_url.trim_end_matches('/')));
        authored::change(state, &ENDPOINT_SLICES, &key, |slice| {
            set_condition(slice, "APIExportValid", provider.is_none().then_some(&missing), &now);
            set_condition(slice, "PartitionValid", None, &now);
            if let Some(url) = &url {
                slice.set(["status", "endpoints"], json!([{"url": url}]));
            }
        })?;
    }
    Ok(())
}

/// Keeps the default bindings of a workspace whose type maintains them: they come back, and accept all claims of their exports.
///
/// # Errors
/// When the storage takes no writes.
pub fn maintain(state: &State, consumer: &ClusterId) -> Result<(), WriteError> {
    // Before a workspace is ready, its creator's rights decide about its bindings.
    let is_ready =
        logical_cluster(state, consumer).is_some_and(|object| object["status"]["phase"] == "Ready" && !is_being_deleted(&object));
    let own_type = is_ready.then(|| Type::of_workspace(state, consumer)).flatten().filter(Type::maintains_bindings);
    for (path, name) in own_type.iter().flat_map(|own_type| &own_type.default_bindings) {
        let Some(provider) = resolve(state, path).ok() else { continue };
        let Some(export) = super::load(state, &provider, name) else { continue };
        match bindings::list(state, consumer).into_iter().find(|(_, binding)| is_of(binding, &provider, name)) {
            Some((binding, _)) => {
                bindings::controller::accept_claims(state, &binding, &export)?;
                bindings::controller::reconcile(state, &binding)?;
            }
            None => bindings::controller::bind_by_default(state, consumer, path, name)?,
        }
    }
    Ok(())
}
