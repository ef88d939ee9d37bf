//! Brings bindings into force: the export is looked up, its resources are served unless their names are taken, and the claims
//! that both sides agree on hold. A binding that is deleted takes its objects with it.
//! Source: kcp `pkg/reconciler/apis/{apibinding,apibindingdeletion}`.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};
use sha2::{Digest, Sha224};

use super::{FINALIZER, bound_resources, claims};
use crate::authored::{self, Fault, is_being_deleted, set_condition};
use crate::clock::seconds;
use crate::document::Document;
use crate::kinds::{self, APIS, BINDINGS, LOGICAL_CLUSTERS, SCHEMAS};
use crate::registry::{DEFINITIONS, GroupResource, custom};
use crate::store::{Key, Range, WriteError};
use crate::workspaces::{PATH, logical_cluster_key, told_path};
use crate::{ClusterId, State, document, exports};

/// The annotation of a LogicalCluster that keeps which binding or definition holds the name of a resource. A name that a definition
/// once held stays taken.
const LOCKS: &str = "internal.apis.kcp.io/resource-bindings";

/// Makes the binding of a default export, all claims accepted, and brings it into force.
///
/// # Errors
/// When the storage takes no writes.
pub fn bind_by_default(state: &State, cluster: &ClusterId, path: &str, export: &str) -> Result<(), WriteError> {
    let digest = Sha224::digest(format!("{path}:{export}@{cluster}").as_bytes());
    let name = format!("{export}-{}", &hex::encode(digest)[..5]);
    let asked =
        super::admission::provider(state, cluster, path).and_then(|provider| exports::load(state, &provider, export)).unwrap_or_default();
    let mut spec = json!({"reference": {"export": {"path": path, "name": export}}});
    let accepted = claims::accept_all(list(&asked["spec"]["permissionClaims"]));
    if !accepted.is_empty() {
        spec["permissionClaims"] = json!(accepted);
    }
    let binding = json!({
        "apiVersion": format!("{APIS}/v1alpha2"), "kind": "APIBinding",
        "metadata": {"name": name, "generation": 1, "finalizers": [FINALIZER], "annotations": {PATH: told_path(state, cluster)}},
        "spec": spec,
    });
    authored::create(state, &BINDINGS, cluster, binding)?;
    reconcile(state, &Key::new(cluster, "", &name))
}

/// Accepts all claims of an export in a binding that is maintained.
///
/// # Errors
/// When the storage takes no writes.
pub fn accept_claims(state: &State, key: &Key, export: &Value) -> Result<(), WriteError> {
    let accepted = claims::accept_all(list(&export["spec"]["permissionClaims"]));
    authored::change(state, &BINDINGS, key, |binding| {
        if accepted.is_empty() {
            binding.remove(["spec", "permissionClaims"]);
        } else {
            binding.set(["spec", "permissionClaims"], accepted.clone());
        }
    })?;
    Ok(())
}

/// Brings one binding up to date.
///
/// # Errors
/// When the storage takes no writes.
pub fn reconcile(state: &State, key: &Key) -> Result<(), WriteError> {
    let Some(binding) = state.store.peek(&BINDINGS, key).map(|stored| stored.object()) else { return Ok(()) };
    if is_being_deleted(&binding) {
        return delete(state, key, &binding);
    }
    let reference = &binding["spec"]["reference"]["export"];
    let (path, name) = (text(&reference["path"]), text(&reference["name"]));
    let provider = super::admission::provider(state, &key.cluster, &path);
    let found = provider.and_then(|provider| exports::load(state, &provider, &name).map(|export| (provider, export)));
    let now = seconds(state.clock.now());
    let Some((provider, export)) = found else {
        let message = format!("APIExport {}|{name} not found", if path.is_empty() { key.cluster.as_str() } else { &path });
        let fault = Fault { reason: "APIExportNotFound", severity: "Error", message };
        authored::change(state, &BINDINGS, key, |binding| {
            set_condition(binding, "APIExportValid", Some(&fault), &now);
            summarise(binding, &now);
        })?;
        return Ok(());
    };
    let wanted = wanted(state, &provider, &export);
    let conflict = lock(state, key, &binding, &wanted)?;
    let asked = list(&export["spec"]["permissionClaims"]).to_vec();
    authored::change(state, &BINDINGS, key, |binding| {
        binding.set(["status", "apiExportClusterName"], provider.as_str());
        note_resources(binding, &wanted, conflict.as_deref(), &now);
        note_claims(binding, &asked, &now);
        set_condition(binding, "APIExportValid", None, &now);
        summarise(binding, &now);
    })?;
    Ok(())
}

/// What an export offers: `{group, resource, schema: {name, UID, identityHash}, storageVersions}` for each resource.
fn wanted(state: &State, provider: &ClusterId, export: &Value) -> Vec<Value> {
    let identity = &export["status"]["identityHash"];
    let offered = list(&export["spec"]["resources"]).iter().filter_map(|resource| {
        let (group, name, schema) = (text(&resource["group"]), text(&resource["name"]), text(&resource["schema"]));
        let (uid, version) = match state.store.peek(&SCHEMAS, &Key::new(provider, "", &schema)) {
            Some(stored) => {
                let object = stored.object();
                let version = list(&object["spec"]["versions"]).iter().find(|version| version["storage"] == true)?["name"].clone();
                (object["metadata"]["uid"].clone(), version)
            }
            // The plane's own kinds have no schema object.
            None => {
                let kind = kinds::resources().iter().find(|kind| kind.group == group && kind.plural == name)?;
                (json!(""), json!(kind.storage_version))
            }
        };
        Some(json!({"group": group, "resource": name, "schema": {"name": schema, "UID": uid, "identityHash": identity}, "storageVersions": [version]}))
    });
    offered.collect()
}

fn note_resources(binding: &mut Document, wanted: &[Value], conflict: Option<&str>, now: &str) {
    let fault = conflict.map(|message| Fault { reason: "NamingConflicts", severity: "Error", message: message.to_owned() });
    set_condition(binding, "BindingUpToDate", fault.as_ref(), now);
    if fault.is_none() {
        binding.set(["status", "boundResources"], wanted.to_vec());
        binding.set(["status", "phase"], "Bound");
    } else if binding["status"]["phase"] != "Bound" {
        binding.set(["status", "phase"], "Binding");
    }
    if binding["status"]["phase"] != "Bound" || fault.is_none() {
        set_condition(binding, "InitialBindingCompleted", fault.as_ref(), now);
    }
}

fn note_claims(binding: &mut Document, asked: &[Value], now: &str) {
    let answered = list(&binding["spec"]["permissionClaims"]).to_vec();
    let applied = claims::applied(asked, &answered);
    for (field, claims) in [("exportPermissionClaims", asked.to_vec()), ("appliedPermissionClaims", applied)] {
        if claims.is_empty() {
            binding.remove(["status", field]);
        } else {
            binding.set(["status", field], claims);
        }
    }
    let unexpected = claims::unexpected(asked, &answered);
    let fault = if unexpected.is_empty() {
        claims::mismatch(asked, &answered).map(|message| Fault { reason: "PermissionClaimsMismatch", severity: "Warning", message })
    } else {
        let message = format!("unexpected/invalid claims for {} that the export does not make", unexpected.join(", "));
        Some(Fault { reason: "InvalidPermissionClaims", severity: "Error", message })
    };
    set_condition(binding, "PermissionClaimsValid", fault.as_ref(), now);
    set_condition(binding, "PermissionClaimsApplied", None, now);
}

/// `Ready` repeats the first condition, by name, that is false and an error.
fn summarise(binding: &mut Document, now: &str) {
    let failed = list(&binding["status"]["conditions"])
        .iter()
        .find(|condition| condition["type"] != "Ready" && condition["status"] == "False" && condition["severity"] == "Error")
        .cloned();
    set_condition(binding, "Ready", None, now);
    // `Ready` comes first.
    if let (Some(failed), Some(ready)) = (failed, binding.list_mut(["status", "conditions"]).and_then(|list| list.first_mut())) {
        for field in ["status", "reason", "severity", "message"] {
            document::set(ready, [field], failed[field].clone());
        }
    }
}

/// Takes the names of resources for a binding; answers the text of the conflict if one is taken already.
fn lock(state: &State, key: &Key, binding: &Value, wanted: &[Value]) -> Result<Option<String>, WriteError> {
    let names: Vec<String> =
        wanted.iter().map(|bound| crate::status::qualified(&text(&bound["resource"]), &text(&bound["group"]))).collect();
    let own = json!({"n": &*key.name});
    let held = locks(state, &key.cluster);
    let bound: Vec<String> =
        bound_resources(binding).iter().map(|bound| crate::status::qualified(&text(&bound["resource"]), &text(&bound["group"]))).collect();
    // A definition that came after the binding was refused the name and is in nobody's way.
    let defined = |name: &String| {
        let definition = state.store.peek(&DEFINITIONS, &Key::new(&key.cluster, "", name));
        definition.is_some_and(|stored| !bound.contains(name) || custom::condition(&stored.object(), "Established"))
    };
    let conflicts: Vec<String> = names
        .iter()
        .filter(|name| held.get(*name).is_some_and(|holder| *holder != own) || defined(name))
        .map(|name| {
            let holder = held.get(name).cloned().unwrap_or_else(|| json!({"c": true}));
            format!("{name}:{{{} {}}}", text(&holder["n"]), holder["c"] == true)
        })
        .collect();
    if !conflicts.is_empty() {
        return Ok(Some(format!("Unable to bind APIs because they are bound by other APIBindings or CRDs: map[{}]", conflicts.join(" "))));
    }
    set_locks(state, &key.cluster, |locks| {
        for name in &names {
            locks.insert(name.clone(), own.clone());
        }
    })?;
    Ok(None)
}

/// Notes that a definition holds a name, for good.
///
/// # Errors
/// When the storage takes no writes.
pub fn lock_for_definition(state: &State, key: &Key) -> Result<(), WriteError> {
    set_locks(state, &key.cluster, |locks| {
        locks.entry(&*key.name).or_insert_with(|| json!({"c": true}));
    })
}

fn locks(state: &State, cluster: &ClusterId) -> Map<String, Value> {
    let object = crate::workspaces::logical_cluster(state, cluster).unwrap_or_default();
    parse_locks(&object)
}

fn parse_locks(logical_cluster: &Value) -> Map<String, Value> {
    let noted = logical_cluster["metadata"]["annotations"][LOCKS].as_str().unwrap_or_default();
    serde_json::from_str(noted).unwrap_or_default()
}

fn set_locks(state: &State, cluster: &ClusterId, apply: impl Fn(&mut Map<String, Value>)) -> Result<(), WriteError> {
    authored::change(state, &LOGICAL_CLUSTERS, &logical_cluster_key(cluster), |object| {
        let before = parse_locks(object);
        let mut locks = before.clone();
        apply(&mut locks);
        if locks != before {
            object.set(["metadata", "annotations", LOCKS], Value::Object(locks).to_string());
        }
    })?;
    Ok(())
}

/// Deletes the objects of a binding that is going, then lets it go.
fn delete(state: &State, key: &Key, binding: &Value) -> Result<(), WriteError> {
    // How many objects each finalizer holds.
    let mut held: BTreeMap<String, usize> = BTreeMap::new();
    for bound in bound_resources(binding) {
        let (group, resource) = (text(&bound["group"]), text(&bound["resource"]));
        if kinds::resources().iter().any(|kind| kind.group == group && kind.plural == resource) {
            continue;
        }
        let storage = GroupResource::new(&group, &resource);
        for (object, _) in state.store.peek_list(&storage, &Range::Cluster(key.cluster.clone())).0 {
            if authored::delete(state, &storage, &object)? {
                continue;
            }
            let left = state.store.peek(&storage, &object).map(|stored| stored.object()).unwrap_or_default();
            for finalizer in list(&left["metadata"]["finalizers"]) {
                *held.entry(text(finalizer)).or_default() += 1;
            }
        }
    }
    if held.is_empty() {
        let own = json!({"n": &*key.name});
        set_locks(state, &key.cluster, |locks| locks.retain(|_, holder| *holder != own))?;
        return authored::release(state, &BINDINGS, key, FINALIZER);
    }
    let now = seconds(state.clock.now());
    let held: Vec<String> = held.into_iter().map(|(finalizer, objects)| format!("{finalizer} in {objects} resource instances")).collect();
    let message = format!("Some content in the workspace has finalizers remaining: {}", held.join(", "));
    let fault = Fault { reason: "SomeFinalizersRemain", severity: "Error", message };
    authored::change(state, &BINDINGS, key, |binding| set_condition(binding, "BindingResourceDeleteSuccess", Some(&fault), &now))?;
    Ok(())
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map(Vec::as_slice).unwrap_or_default()
}

pub(super) fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}
