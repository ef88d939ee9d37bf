//! Persistent volumes. What stands in their sources is not looked at, but for paths of the host: nothing in the plane mounts them.
//! Source: kubernetes `pkg/apis/core/validation` (`ValidatePersistentVolumeSpec`, `ValidatePersistentVolumeUpdate`).

use serde_json::Value;

use super::{
    amounts, claim,
    faults::{blank_or_one_of, immutable, none_or_one_of, unsupported},
    names::subdomain,
    reading::{is_blank, keys, text},
};
use crate::{builtin::quantity::NANOS, status::Cause};

/// Kinds of volumes, in the order in which they are looked at.
const SOURCES: [&str; 22] = [
    "hostPath",
    "gcePersistentDisk",
    "awsElasticBlockStore",
    "glusterfs",
    "flocker",
    "nfs",
    "rbd",
    "quobyte",
    "cephfs",
    "iscsi",
    "cinder",
    "fc",
    "flexVolume",
    "azureFile",
    "vsphereVolume",
    "photonPersistentDisk",
    "portworxVolume",
    "azureDisk",
    "scaleIO",
    "local",
    "storageos",
    "csi",
];

/// All rules of a volume.
pub(super) fn check(object: &Value, old: Option<&Value>, causes: &mut Vec<Cause>) {
    let spec = &object["spec"];
    if is_blank(&spec["accessModes"]) {
        causes.push(Cause::required("spec.accessModes", ""));
    }
    claim::modes(spec, causes);
    capacity(&spec["capacity"], causes);
    let reclaim = &spec["persistentVolumeReclaimPolicy"];
    blank_or_one_of("spec.persistentVolumeReclaimPolicy", reclaim, &["Delete", "Recycle", "Retain"], causes);
    sources(spec, causes);
    if !is_blank(&spec["storageClassName"]) {
        subdomain("spec.storageClassName", text(&spec["storageClassName"]), causes);
    }
    let mode = &spec["volumeMode"];
    none_or_one_of("spec.volumeMode", mode, &claim::VOLUME_MODES, causes);
    attributes(spec, causes);
    if let Some(old) = old
        && old["spec"]["volumeMode"] != *mode
    {
        causes.push(immutable("volumeMode", mode));
    }
}

fn capacity(capacity: &Value, causes: &mut Vec<Cause>) {
    const FIELD: &str = "spec.capacity";
    let resources = keys(capacity);
    if resources.is_empty() {
        causes.push(Cause::required(FIELD, ""));
    }
    if resources != ["storage"] {
        causes.push(unsupported(FIELD, capacity, &["storage"]));
    }
    for resource in resources {
        let amount = &capacity[resource];
        let field = format!("{FIELD}[{resource}]");
        let whole = amounts::nanos(amount) / NANOS;
        if whole < 0 {
            let shown = Value::from(i64::try_from(whole).unwrap_or(i64::MIN));
            causes.push(Cause::invalid(&field, &shown, "must be a valid resource quantity"));
        }
        amounts::positive(&field, amount, causes);
    }
}

/// A volume is of one kind.
fn sources(spec: &Value, causes: &mut Vec<Cause>) {
    let given: Vec<&str> = SOURCES.into_iter().filter(|name| spec[*name].is_object()).collect();
    for (index, name) in given.iter().enumerate() {
        if index > 0 && *name != "flexVolume" {
            // The one source that upstream calls otherwise here than in the object.
            let shown = if *name == "cephfs" { "cephFS" } else { *name };
            causes.push(Cause::forbidden(&format!("spec.{shown}"), "may not specify more than 1 volume type"));
            continue;
        }
        let path = text(&spec[*name]["path"]);
        if matches!(*name, "hostPath" | "local") {
            if path.is_empty() {
                causes.push(Cause::required(&format!("spec.{name}.path"), ""));
            } else if path.split('/').any(|part| part == "..") {
                causes.push(Cause::invalid(&format!("spec.{name}.path"), &path.into(), "must not contain '..'"));
            }
        }
        if *name == "local" && spec["nodeAffinity"]["required"].is_null() {
            causes.push(Cause::required("spec.nodeAffinity", "Local volume requires node affinity"));
        }
    }
    if given.is_empty() {
        causes.push(Cause::required("spec", "must specify a volume type"));
    }
    let root = text(&spec["hostPath"]["path"]);
    if !root.is_empty() && root.bytes().all(|byte| byte == b'/') && text(&spec["persistentVolumeReclaimPolicy"]) == "Recycle" {
        let why = "may not be 'recycle' for a hostPath mount of '/'";
        causes.push(Cause::forbidden("spec.persistentVolumeReclaimPolicy", why));
    }
}

fn attributes(spec: &Value, causes: &mut Vec<Cause>) {
    const FIELD: &str = "spec.volumeAttributesClassName";
    let Some(name) = spec["volumeAttributesClassName"].as_str() else { return };
    if name.is_empty() {
        causes.push(Cause::required(FIELD, "an empty string is disallowed"));
    } else {
        subdomain(FIELD, name, causes);
    }
    if spec["csi"].is_null() {
        causes.push(Cause::required("spec.csi", "has to be specified when using volumeAttributesClassName"));
    }
}
