//! Where containers mount volumes, and which they see as devices.
//! Source: kubernetes `pkg/apis/core/validation` (`ValidateVolumeMounts`, `ValidateVolumeDevices`).

use std::collections::BTreeSet;

use serde_json::Value;

use super::super::{
    faults::{none_or_one_of, not_found},
    reading::{is_blank, items, text},
};
use super::{descending, no_backsteps, volumes::Volumes};
use crate::status::Cause;

const PROPAGATIONS: [&str; 3] = ["Bidirectional", "HostToContainer", "None"];

pub(super) fn check(container: &Value, at: &str, volumes: &Volumes<'_>, causes: &mut Vec<Cause>) {
    let mut seen = BTreeSet::new();
    let path = format!("{at}.volumeMounts");
    for (index, mount) in items(&container["volumeMounts"]) {
        let field = |part: &str| format!("{path}[{index}].{part}");
        let (name, place) = (text(&mount["name"]), text(&mount["mountPath"]));
        if name.is_empty() {
            causes.push(Cause::required(&field("name"), ""));
        }
        if !volumes.contains_key(name) {
            causes.push(not_found(&field("name"), name));
        }
        if place.is_empty() {
            causes.push(Cause::required(&field("mountPath"), ""));
        }
        if !seen.insert(place) {
            causes.push(Cause::invalid(&field("mountPath"), &place.into(), "must be unique"));
        }
        if items(&container["volumeDevices"]).any(|(_, device)| text(&device["name"]) == name) {
            causes.push(Cause::invalid(&field("name"), &name.into(), "must not already exist in volumeDevices"));
        }
        if items(&container["volumeDevices"]).any(|(_, device)| text(&device["devicePath"]) == place) {
            causes.push(Cause::invalid(&field("mountPath"), &place.into(), "must not already exist as a path in volumeDevices"));
        }
        let within_image = volumes.get(name).is_some_and(|volume| !volume["image"].is_null());
        for part in ["subPath", "subPathExpr"].into_iter().filter(|part| within_image && !is_blank(&mount[*part])) {
            causes.push(Cause::invalid(&field(part), &mount[part], "not allowed in image volume sources"));
        }
        below(mount, &path, &field("subPathExpr"), causes);
        propagation(container, mount, &path, causes);
    }
    devices(container, at, volumes, causes);
}

/// Which part of a volume is mounted. Faults of paths are told of the list and not of its item.
fn below(mount: &Value, path: &str, expression: &str, causes: &mut Vec<Cause>) {
    if !is_blank(&mount["subPath"]) {
        descending(&format!("{path}.subPath"), &mount["subPath"], causes);
    }
    if !is_blank(&mount["subPathExpr"]) {
        if !is_blank(&mount["subPath"]) {
            causes.push(Cause::invalid(expression, &mount["subPathExpr"], "subPathExpr and subPath are mutually exclusive"));
        }
        descending(&format!("{path}.subPathExpr"), &mount["subPathExpr"], causes);
    }
}

fn propagation(container: &Value, mount: &Value, path: &str, causes: &mut Vec<Cause>) {
    let (propagation, field) = (&mount["mountPropagation"], format!("{path}.mountPropagation"));
    none_or_one_of(&field, propagation, &PROPAGATIONS, causes);
    if propagation == "Bidirectional" && container["securityContext"]["privileged"] != true {
        causes.push(Cause::forbidden(&field, "Bidirectional mount propagation is available only to privileged containers"));
    }
    let (recursive, field) = (&mount["recursiveReadOnly"], format!("{path}.recursiveReadOnly"));
    none_or_one_of(&field, recursive, &["Disabled", "Enabled", "IfPossible"], causes);
    if ["Enabled", "IfPossible"].contains(&text(recursive)) {
        if mount["readOnly"] != true {
            causes.push(Cause::forbidden(&field, "may only be specified when readOnly is true"));
        }
        if !propagation.is_null() && propagation != "None" {
            causes.push(Cause::forbidden(&field, "may only be specified when mountPropagation is None or not specified"));
        }
    }
}

fn devices(container: &Value, at: &str, volumes: &Volumes<'_>, causes: &mut Vec<Cause>) {
    let (mut names, mut paths) = (BTreeSet::new(), BTreeSet::new());
    for (index, device) in items(&container["volumeDevices"]) {
        let field = |part: &str| format!("{at}.volumeDevices[{index}].{part}");
        let (name, place) = (text(&device["name"]), text(&device["devicePath"]));
        if name.is_empty() {
            causes.push(Cause::required(&field("name"), ""));
        } else if !names.insert(name) {
            causes.push(Cause::invalid(&field("name"), &name.into(), "must be unique"));
        }
        match volumes.get(name) {
            Some(volume) if volume["persistentVolumeClaim"].is_null() && volume["ephemeral"].is_null() => {
                let detail = "can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode";
                causes.push(Cause::invalid(&field("name"), &name.into(), detail));
            }
            Some(_) => {}
            None => causes.push(not_found(&field("name"), name)),
        }
        if place.is_empty() {
            causes.push(Cause::required(&field("devicePath"), ""));
        }
        if paths.contains(place) {
            causes.push(Cause::invalid(&field("devicePath"), &place.into(), "must be unique"));
        }
        let mut steps = Vec::new();
        no_backsteps("", &device["devicePath"], &mut steps);
        if steps.is_empty() {
            paths.insert(place);
        } else {
            causes.push(Cause::invalid(&field("devicePath"), &place.into(), "can not contain backsteps ('..')"));
        }
        if items(&container["volumeMounts"]).any(|(_, mount)| text(&mount["name"]) == name) {
            causes.push(Cause::invalid(&field("name"), &name.into(), "must not already exist in volumeMounts"));
        }
        if items(&container["volumeMounts"]).any(|(_, mount)| text(&mount["mountPath"]) == place) {
            causes.push(Cause::invalid(&field("devicePath"), &place.into(), "must not already exist as a path in volumeMounts"));
        }
    }
}
