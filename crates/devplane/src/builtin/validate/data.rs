//! ConfigMaps, Secrets and leases.
//! Source: kubernetes `pkg/apis/core/validation` (`ValidateConfigMap`, `ValidateSecret`), `pkg/apis/coordination/validation`.

use base64::{Engine, engine::general_purpose::STANDARD};
use serde_json::{Map, Value};

use super::{
    faults::immutable,
    names, numbers,
    reading::{entries, is_blank, text},
};
use crate::status::Cause;

/// What a ConfigMap or a Secret may hold in all.
const MAX_BYTES: usize = 1 << 20;

const FROZEN: &str = "field is immutable when `immutable` is set";

/// All rules of a ConfigMap.
pub(super) fn config_map(object: &Value, old: Option<&Value>, causes: &mut Vec<Cause>) {
    let binary = object["binaryData"].as_object();
    for (key, _) in entries(&object["data"]) {
        names::key("data", key, causes);
        if binary.is_some_and(|binary| binary.contains_key(key)) {
            let detail = "duplicate of key present in binaryData";
            causes.push(Cause::invalid(&format!("data[{key}]"), &key.as_str().into(), detail));
        }
    }
    for (key, _) in entries(&object["binaryData"]) {
        names::key("binaryData", key, causes);
    }
    let texts = entries(&object["data"]).map(|(_, value)| text(value).len());
    if texts.sum::<usize>() + decoded(&object["binaryData"]).map(|(_, bytes)| bytes.len()).sum::<usize>() > MAX_BYTES {
        causes.push(Cause::too_long("[]", MAX_BYTES));
    }
    frozen(object, old, &["data", "binaryData"], causes);
}

/// All rules of a Secret.
pub(super) fn secret(object: &Value, old: Option<&Value>, causes: &mut Vec<Cause>) {
    if let Some(old) = old
        && old["type"] != object["type"]
    {
        causes.push(immutable("type", &object["type"]));
    }
    for (key, _) in entries(&object["data"]) {
        names::key("data", key, causes);
    }
    if decoded(&object["data"]).map(|(_, bytes)| bytes.len()).sum::<usize>() > MAX_BYTES {
        causes.push(Cause::too_long("data", MAX_BYTES));
    }
    let has = |key: &str| object["data"].get(key).is_some();
    let account = &object["metadata"]["annotations"]["kubernetes.io/service-account.name"];
    match text(&object["type"]) {
        "kubernetes.io/basic-auth" if !has("username") && !has("password") => {
            causes.extend(["password", "username"].map(|key| Cause::required(&format!("data[{key}]"), "")));
        }
        "kubernetes.io/service-account-token" if is_blank(account) => {
            causes.push(Cause::required("metadata.annotations[kubernetes.io/service-account.name]", ""));
        }
        "kubernetes.io/dockerconfigjson" => docker(object, ".dockerconfigjson", causes),
        "kubernetes.io/dockercfg" => docker(object, ".dockercfg", causes),
        _ => {}
    }
    let needed: &[&str] = match text(&object["type"]) {
        "kubernetes.io/tls" => &["tls.crt", "tls.key"],
        "kubernetes.io/dockerconfigjson" => &[".dockerconfigjson"],
        "kubernetes.io/dockercfg" => &[".dockercfg"],
        "kubernetes.io/ssh-auth" => &["ssh-privatekey"],
        _ => &[],
    };
    for key in needed {
        if object["data"].get(key).is_none() {
            causes.push(Cause::required(&format!("data[{key}]"), ""));
        }
    }
    frozen(object, old, &["data"], causes);
}

/// The bytes behind the values of a map.
fn decoded(map: &Value) -> impl Iterator<Item = (&str, Vec<u8>)> {
    let texts = entries(map).filter_map(|(key, text)| Some((key.as_str(), text.as_str()?)));
    texts.map(|(key, text)| (key, STANDARD.decode(text).unwrap_or_default()))
}

/// Credentials of registries are a JSON object.
fn docker(object: &Value, wanted: &str, causes: &mut Vec<Cause>) {
    let found = decoded(&object["data"]).find(|(key, _)| *key == wanted);
    let Some((_, bytes)) = found.filter(|(_, bytes)| serde_json::from_slice::<Map<String, Value>>(bytes).is_err()) else { return };
    let why = match bytes.iter().find(|byte| !byte.is_ascii_whitespace()) {
        None | Some(b'{') => "unexpected end of JSON input".to_owned(),
        Some(byte) => format!("invalid character '{}' looking for beginning of value", char::from(*byte)),
    };
    causes.push(Cause::invalid(&format!("data[{wanted}]"), &"<secret contents redacted>".into(), &why));
}

/// What says that it is immutable keeps these fields, and keeps saying so.
fn frozen(object: &Value, old: Option<&Value>, fields: &[&str], causes: &mut Vec<Cause>) {
    let Some(old) = old.filter(|old| old["immutable"] == true) else { return };
    if object["immutable"] != true {
        causes.push(Cause::forbidden("immutable", FROZEN));
    }
    for field in fields {
        if old[*field] != object[*field] {
            causes.push(Cause::forbidden(field, FROZEN));
        }
    }
}

/// All rules of a lease.
pub(super) fn lease(object: &Value, causes: &mut Vec<Cause>) {
    let spec = &object["spec"];
    if spec["leaseDurationSeconds"].as_i64().is_some_and(|seconds| seconds <= 0) {
        causes.push(Cause::invalid("spec.leaseDurationSeconds", &spec["leaseDurationSeconds"], "must be greater than 0"));
    }
    numbers::not_negative("spec.leaseTransitions", &spec["leaseTransitions"], causes);
    if !is_blank(&spec["preferredHolder"]) && is_blank(&spec["strategy"]) {
        causes.push(Cause::forbidden("spec.preferredHolder", "may only be specified if `strategy` is defined"));
    }
}
