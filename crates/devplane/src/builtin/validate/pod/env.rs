//! Variables of containers.
//! Source: kubernetes `pkg/apis/core/validation` (`ValidateEnv`, `ValidateEnvFrom`, `validateObjectFieldSelector`).

use serde_json::Value;

use super::super::{
    faults::unsupported,
    names,
    reading::{is_blank, items, text},
};
use crate::{objects::metadata, registry::NameRule, status::Cause};

const NAME: &str = "a valid environment variable name must consist only of printable ASCII characters other than '='";
const SEVERAL: &str = "may not have more than one field specified at a time";
/// Fields of a pod that its variables can hold.
const FIELDS: [&str; 9] = [
    "metadata.name",
    "metadata.namespace",
    "metadata.uid",
    "spec.nodeName",
    "spec.serviceAccountName",
    "status.hostIP",
    "status.hostIPs",
    "status.podIP",
    "status.podIPs",
];
/// Fields of a pod that anything can refer to.
const LABELS: [&str; 14] = [
    "metadata.annotations",
    "metadata.labels",
    "metadata.name",
    "metadata.namespace",
    "metadata.uid",
    "spec.nodeName",
    "spec.restartPolicy",
    "spec.schedulerName",
    "spec.serviceAccountName",
    "status.hostIP",
    "status.hostIPs",
    "status.phase",
    "status.podIP",
    "status.podIPs",
];
const RESOURCES: [&str; 6] =
    ["limits.cpu", "limits.ephemeral-storage", "limits.memory", "requests.cpu", "requests.ephemeral-storage", "requests.memory"];
const DIVISORS: [&str; 13] = ["1", "1k", "1M", "1G", "1T", "1P", "1E", "1Ki", "1Mi", "1Gi", "1Ti", "1Pi", "1Ei"];

pub(super) fn env(variables: &Value, path: &str, causes: &mut Vec<Cause>) {
    for (index, variable) in items(variables) {
        let field = format!("{path}[{index}].name");
        if is_blank(&variable["name"]) {
            causes.push(Cause::required(&field, ""));
        } else {
            name(&field, &variable["name"], causes);
        }
        if !variable["valueFrom"].is_null() {
            value_from(variable, &format!("{path}[{index}].valueFrom"), causes);
        }
    }
}

fn name(field: &str, value: &Value, causes: &mut Vec<Cause>) {
    if !text(value).bytes().all(|byte| (b' '..=b'~').contains(&byte) && byte != b'=') {
        causes.push(Cause::invalid(field, value, NAME));
    }
}

fn value_from(variable: &Value, path: &str, causes: &mut Vec<Cause>) {
    let from = &variable["valueFrom"];
    let field = |part: &str| format!("{path}.{part}");
    if !from["fieldRef"].is_null() {
        field_ref(&from["fieldRef"], &field("fieldRef"), &FIELDS, causes);
    }
    if !from["resourceFieldRef"].is_null() {
        resource_ref(&from["resourceFieldRef"], &field("resourceFieldRef"), false, causes);
    }
    for source in ["configMapKeyRef", "secretKeyRef"].into_iter().filter(|source| !from[*source].is_null()) {
        names::subdomain(&field(&format!("{source}.name")), text(&from[source]["name"]), causes);
        names::key_of(&field(&format!("{source}.key")), &from[source]["key"], causes);
    }
    if !from["fileKeyRef"].is_null() {
        for part in ["key", "volumeName", "path"].into_iter().filter(|part| is_blank(&from["fileKeyRef"][*part])) {
            causes.push(Cause::required(&field(&format!("fileKeyRef.{part}")), ""));
        }
    }
    let known = ["fieldRef", "resourceFieldRef", "configMapKeyRef", "secretKeyRef", "fileKeyRef"];
    let sources = known.iter().filter(|source| !from[**source].is_null()).count();
    let detail = match sources {
        0 => "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`",
        _ if !is_blank(&variable["value"]) => "may not be specified when `value` is not empty",
        1 => return,
        _ => SEVERAL,
    };
    causes.push(Cause::invalid(path, &"".into(), detail));
}

/// A reference to a field of the pod, one of `known`.
pub(super) fn field_ref(reference: &Value, path: &str, known: &[&str], causes: &mut Vec<Cause>) {
    let (version, field) = (text(&reference["apiVersion"]), format!("{path}.fieldPath"));
    let said = text(&reference["fieldPath"]);
    if version.is_empty() {
        causes.push(Cause::required(&format!("{path}.apiVersion"), ""));
        return;
    }
    if said.is_empty() {
        causes.push(Cause::required(&field, ""));
        return;
    }
    let (label, subscript) = match said.strip_suffix("']").and_then(|rest| rest.split_once("['")) {
        Some((label, subscript)) if !label.is_empty() => (label, Some(subscript)),
        _ => (said, None),
    };
    let maps = ["metadata.annotations", "metadata.labels"];
    let fault = if version != "v1" {
        Some(format!("unsupported pod version: {version}"))
    } else if subscript.is_some() && !maps.contains(&label) {
        Some(format!("field label does not support subscript: {said}"))
    } else if subscript.is_none() && label != "spec.host" && !LABELS.contains(&label) {
        Some(format!("field label not supported: {label}"))
    } else {
        None
    };
    if let Some(fault) = fault {
        causes.push(Cause::invalid(&field, &reference["fieldPath"], &format!("error converting fieldPath: {fault}")));
        return;
    }
    let found = if label == "spec.host" { "spec.nodeName" } else { label };
    match subscript {
        Some(key) if label == "metadata.annotations" => names::qualified(path, &key.to_lowercase(), causes),
        Some(key) => names::qualified(path, key, causes),
        None if known.contains(&found) => {}
        None => causes.push(unsupported(&field, &found.into(), known)),
    }
}

/// A reference to a number of a container's resources; in a volume it says of which container.
pub(super) fn resource_ref(reference: &Value, path: &str, in_volume: bool, causes: &mut Vec<Cause>) {
    let resource = text(&reference["resource"]);
    let pages = resource.starts_with("requests.hugepages-") || resource.starts_with("limits.hugepages-");
    if in_volume && is_blank(&reference["containerName"]) {
        causes.push(Cause::required(&format!("{path}.containerName"), ""));
    } else if resource.is_empty() {
        causes.push(Cause::required(&format!("{path}.resource"), ""));
    } else if !RESOURCES.contains(&resource) && !pages {
        causes.push(unsupported(&format!("{path}.resource"), &reference["resource"], &RESOURCES));
    }
    let divisor = text(&reference["divisor"]);
    if divisor.is_empty() || divisor == "0" {
        return;
    }
    let (fits, kind) = match resource.split_once('.').map_or("", |(_, kind)| kind) {
        "cpu" => (["1m", "1"].contains(&divisor), "cpu"),
        "memory" => (DIVISORS.contains(&divisor), "memory"),
        "ephemeral-storage" => (DIVISORS.contains(&divisor), "local ephemeral storage"),
        _ if pages => (DIVISORS.contains(&divisor), "hugepages"),
        _ => return,
    };
    if !fits {
        let values = if kind == "cpu" { "1m and 1".to_owned() } else { DIVISORS.join(", ") };
        let detail = format!("only divisor's values {values} are supported with the {kind} resource");
        causes.push(Cause::invalid(&format!("{path}.divisor"), &reference["resource"], &detail));
    }
}

/// All that is in a ConfigMap or a Secret. Two faults are told of the list and not of its item.
pub(super) fn env_from(sources: &Value, path: &str, causes: &mut Vec<Cause>) {
    for (index, source) in items(sources) {
        if !is_blank(&source["prefix"]) {
            name(&format!("{path}[{index}].prefix"), &source["prefix"], causes);
        }
        let mut found = 0;
        for kind in ["configMapRef", "secretRef"].into_iter().filter(|kind| !source[*kind].is_null()) {
            found += 1;
            let field = format!("{path}[{index}].{kind}.name");
            if is_blank(&source[kind]["name"]) {
                causes.push(Cause::required(&field, ""));
            } else {
                // A name that is to be completed may end in a dash.
                let said = text(&source[kind]["name"]);
                let whole = said.strip_suffix('-').map_or_else(|| said.to_owned(), |start| format!("{start}a"));
                let faults = metadata::name_faults(NameRule::Subdomain, &whole);
                causes.extend(faults.iter().map(|fault| Cause::invalid(&field, &source[kind]["name"], fault)));
            }
        }
        match found {
            0 => causes.push(Cause::invalid(path, &"".into(), "must specify one of: `configMapRef` or `secretRef`")),
            1 => {}
            _ => causes.push(Cause::invalid(path, &"".into(), SEVERAL)),
        }
    }
}
