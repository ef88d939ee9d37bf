//! Volumes of a pod.
//! Source: kubernetes `pkg/apis/core/validation` (`ValidateVolumes`, `validateVolumeSource`).

use std::collections::BTreeMap;

use serde_json::Value;

use super::super::{
    amounts,
    faults::{blank_or_one_of, duplicate, unsupported},
    names,
    reading::{is_blank, items, text},
};
use super::{containers::PULL_POLICIES, env, file_mode, no_backsteps, own_path, projected};
use crate::{objects::metadata, registry::NameRule, status::Cause};

/// The volumes that containers can mount, by name: those with nothing wrong about them.
pub(super) type Volumes<'a> = BTreeMap<&'a str, &'a Value>;

const HOST_PATH_TYPES: [&str; 8] = ["", "BlockDevice", "CharDevice", "Directory", "DirectoryOrCreate", "File", "FileOrCreate", "Socket"];
/// Fields of a pod that files can hold.
const FIELDS: [&str; 5] = ["metadata.annotations", "metadata.labels", "metadata.name", "metadata.namespace", "metadata.uid"];

/// Sources in the order in which they are looked at, each with how a second one is told, and with what it cannot do without.
const SOURCES: [(&str, &str, &[&str]); 30] = [
    ("emptyDir", "emptyDir", &[]),
    ("hostPath", "hostPath", &[]),
    ("gitRepo", "gitRepo", &["repository"]),
    ("gcePersistentDisk", "gcePersistentDisk", &[]),
    ("awsElasticBlockStore", "awsElasticBlockStore", &["volumeID"]),
    ("secret", "secret", &["secretName"]),
    ("nfs", "nfs", &["server", "path"]),
    ("iscsi", "iscsi", &["targetPortal", "iqn"]),
    ("glusterfs", "glusterfs", &["endpoints", "path"]),
    ("flocker", "flocker", &[]),
    ("persistentVolumeClaim", "persistentVolumeClaim", &["claimName"]),
    ("rbd", "rbd", &["monitors", "image"]),
    ("cinder", "cinder", &["volumeID"]),
    ("cephfs", "cephFS", &["monitors"]),
    ("quobyte", "quobyte", &["volume"]),
    ("downwardAPI", "downwarAPI", &[]),
    ("fc", "fc", &[]),
    ("flexVolume", "flexVolume", &["driver"]),
    ("configMap", "configMap", &["name"]),
    ("azureFile", "azureFile", &["secretName", "shareName"]),
    ("vsphereVolume", "vsphereVolume", &["volumePath"]),
    ("photonPersistentDisk", "photonPersistentDisk", &["pdID"]),
    ("portworxVolume", "portworxVolume", &["volumeID"]),
    ("azureDisk", "azureDisk", &["diskName", "diskURI"]),
    ("storageos", "storageos", &[]),
    ("projected", "projected", &[]),
    ("scaleIO", "scaleIO", &["gateway", "system", "volumeName"]),
    ("csi", "csi", &["driver"]),
    ("ephemeral", "ephemeral", &[]),
    ("image", "image", &[]),
];

/// All volumes at `path`; `pod` is the name of the pod.
pub(super) fn check<'a>(volumes: &'a Value, path: &str, pod: Option<&str>, causes: &mut Vec<Cause>) -> Volumes<'a> {
    let mut good = Volumes::new();
    for (index, volume) in items(volumes) {
        let at = format!("{path}[{index}]");
        let (name, field) = (text(&volume["name"]), format!("{at}.name"));
        let mut faults = Vec::new();
        source(volume, &at, pod, &mut faults);
        names::label(&field, &volume["name"], &mut faults);
        if good.contains_key(name) {
            faults.push(duplicate(&field, &volume["name"]));
        }
        if faults.is_empty() {
            good.insert(name, volume);
        }
        causes.extend(faults);
    }
    good
}

fn source(volume: &Value, at: &str, pod: Option<&str>, causes: &mut Vec<Cause>) {
    let mut found = false;
    for (name, told, needed) in SOURCES {
        let source = &volume[name];
        if source.is_null() {
            continue;
        }
        if found {
            causes.push(Cause::forbidden(&format!("{at}.{told}"), "may not specify more than 1 volume type"));
            continue;
        }
        found = true;
        let path = format!("{at}.{name}");
        for part in needed.iter().filter(|part| is_blank(&source[**part])) {
            causes.push(Cause::required(&format!("{path}.{part}"), ""));
        }
        details(name, source, &path, causes);
        if name == "ephemeral"
            && let Some(pod) = pod
        {
            claim_name(pod, &volume["name"], at, causes);
        }
    }
    if !found {
        causes.push(Cause::required(at, "must specify a volume type"));
    }
}

/// What is asked of sources beside the fields that have to be there.
fn details(name: &str, source: &Value, path: &str, causes: &mut Vec<Cause>) {
    match name {
        "emptyDir" if amounts::nanos(&source["sizeLimit"]) < 0 => {
            let detail = "SizeLimit field must be a valid resource quantity";
            causes.push(Cause::forbidden(&format!("{path}.sizeLimit"), detail));
        }
        "hostPath" => host_path(source, path, causes),
        "nfs" if !text(&source["path"]).starts_with('/') => {
            causes.push(Cause::invalid(&format!("{path}.path"), &text(&source["path"]).into(), "must be an absolute path"));
        }
        "secret" | "configMap" => {
            file_mode(&format!("{path}.defaultMode"), &source["defaultMode"], causes);
            for (index, item) in items(&source["items"]) {
                key_to_path(item, &format!("{path}.items[{index}]"), causes);
            }
        }
        "downwardAPI" => {
            file_mode(&format!("{path}.defaultMode"), &source["defaultMode"], causes);
            for (_, file) in items(&source["items"]) {
                downward_file(file, path, causes);
            }
        }
        "projected" => projected::check(source, path, causes),
        "gcePersistentDisk" if is_blank(&source["pdName"]) => {
            // The real server says it so.
            let path = path.replace("gcePersistentDisk", "persistentDisk");
            causes.push(Cause::required(&format!("{path}.pdName"), ""));
        }
        "csi" => csi(source, path, causes),
        "ephemeral" => claim_template(&source["volumeClaimTemplate"], &format!("{path}.volumeClaimTemplate"), causes),
        "image" => image(source, path, causes),
        _ => {}
    }
}

fn host_path(source: &Value, path: &str, causes: &mut Vec<Cause>) {
    if is_blank(&source["path"]) {
        causes.push(Cause::required(&format!("{path}.path"), ""));
        return;
    }
    no_backsteps(&format!("{path}.path"), &source["path"], causes);
    if !HOST_PATH_TYPES.contains(&text(&source["type"])) {
        causes.push(unsupported(&format!("{path}.type"), &source["type"], &HOST_PATH_TYPES));
    }
}

/// A key that becomes a file.
pub(super) fn key_to_path(item: &Value, path: &str, causes: &mut Vec<Cause>) {
    for part in ["key", "path"].into_iter().filter(|part| is_blank(&item[*part])) {
        causes.push(Cause::required(&format!("{path}.{part}"), ""));
    }
    own_path(&format!("{path}.path"), &item["path"], causes);
    file_mode(&format!("{path}.mode"), &item["mode"], causes);
}

/// A file with something of the pod itself; faults are told of the whole list.
pub(super) fn downward_file(file: &Value, path: &str, causes: &mut Vec<Cause>) {
    let field = format!("{path}.path");
    if is_blank(&file["path"]) {
        causes.push(Cause::required(&field, ""));
    }
    own_path(&field, &file["path"], causes);
    match (file["fieldRef"].is_null(), file["resourceFieldRef"].is_null()) {
        (false, other_missing) => {
            env::field_ref(&file["fieldRef"], &format!("{path}.fieldRef"), &FIELDS, causes);
            if !other_missing {
                let detail = "fieldRef and resourceFieldRef can not be specified simultaneously";
                causes.push(Cause::invalid(path, &"resource".into(), detail));
            }
        }
        (true, false) => env::resource_ref(&file["resourceFieldRef"], &format!("{path}.resourceFieldRef"), true, causes),
        (true, true) => causes.push(Cause::required(path, "one of fieldRef and resourceFieldRef is required")),
    }
    file_mode(&format!("{path}.mode"), &file["mode"], causes);
}

fn csi(source: &Value, path: &str, causes: &mut Vec<Cause>) {
    let secret = &source["nodePublishSecretRef"];
    if !secret.is_null() && is_blank(&secret["name"]) {
        causes.push(Cause::required(&format!("{path}.nodePublishSecretRef.name"), ""));
    }
}

/// The claim that a volume makes for itself.
fn claim_template(template: &Value, path: &str, causes: &mut Vec<Cause>) {
    if template.is_null() {
        causes.push(Cause::required(path, ""));
        return;
    }
    let spec = &template["spec"];
    if is_blank(&spec["accessModes"]) {
        causes.push(Cause::required(&format!("{path}.spec.accessModes"), "at least 1 access mode is required"));
    }
    let storage = spec["resources"]["requests"].get("storage");
    match storage {
        None => causes.push(Cause::required(&format!("{path}.spec.resources[storage]"), "")),
        Some(size) => amounts::positive(&format!("{path}.spec.resources[storage]"), size, causes),
    }
}

/// The name of the claim that a volume makes for itself.
fn claim_name(pod: &str, volume: &Value, at: &str, causes: &mut Vec<Cause>) {
    if pod.is_empty() || is_blank(volume) {
        return;
    }
    let claim = format!("{pod}-{}", text(volume));
    let faults = metadata::name_faults(NameRule::Subdomain, &claim);
    causes.extend(faults.iter().map(|fault| Cause::invalid(&format!("{at}.name"), volume, &format!("PVC name {claim:?}: {fault}"))));
}

fn image(source: &Value, path: &str, causes: &mut Vec<Cause>) {
    if is_blank(&source["reference"]) {
        causes.push(Cause::required(&format!("{path}.reference"), ""));
    }
    blank_or_one_of(&format!("{path}.pullPolicy"), &source["pullPolicy"], &PULL_POLICIES, causes);
}
