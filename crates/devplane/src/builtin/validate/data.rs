//! ConfigMaps, Secrets and leases.

use base64::{Engine, engine::general_purpose::STANDARD};
use serde_json::{Map, Value};

use super::{immutable, is_blank, names};
use crate::status::Cause;

/// What a ConfigMap or a Secret may hold in all.
const MAX_BYTES: usize = 1 << 20;

const FROZEN: &str = "field is immutable when `immutable` is set";

pub(super) fn config_map(object: &Value, old: Option<&Value>, causes: &mut Vec<Cause>) {
    let binary = object["binaryData"].as_object();
    for key in object["data"].as_object().into_iter().flat_map(|data| data.keys()) {
        names::key("data", key, causes);
        if binary.is_some_and(|binary| binary.contains_key(key)) {
            let detail = "duplicate of key present in binaryData";
            causes.push(Cause::invalid(&format!("data[{key}]"), &key.as_str().into(), detail));
        }
    }
    for key in binary.into_iter().flat_map(|data| data.keys()) {
        names::key("binaryData", key, causes);
    }
    let texts = object["data"].as_object().into_iter().flatten().filter_map(|(_, text)| text.as_str());
    if texts.map(str::len).sum::<usize>() + decoded(&object["binaryData"]).map(|(_, bytes)| bytes.len()).sum::<usize>() > MAX_BYTES {
        causes.push(too_large("[]"));
    }
    frozen(object, old, &["data", "binaryData"], causes);
}

pub(super) fn secret(object: &Value, old: Option<&Value>, causes: &mut Vec<Cause>) {
    if let Some(old) = old
        && old["type"] != object["type"]
    {
        causes.push(immutable("type", &object["type"]));
    }
    for key in object["data"].as_object().into_iter().flat_map(|data| data.keys()) {
        names::key("data", key, causes);
    }
    if decoded(&object["data"]).map(|(_, bytes)| bytes.len()).sum::<usize>() > MAX_BYTES {
        causes.push(too_large("data"));
    }
    let has = |key: &str| object["data"].get(key).is_some();
    let account = &object["metadata"]["annotations"]["kubernetes.io/service-account.name"];
    match object["type"].as_str().unwrap_or_default() {
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
    let needed: &[&str] = match object["type"].as_str().unwrap_or_default() {
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
    let texts = map.as_object().into_iter().flatten().filter_map(|(key, text)| Some((key.as_str(), text.as_str()?)));
    texts.map(|(key, text)| (key, STANDARD.decode(text).unwrap_or_default()))
}

fn too_large(field: &str) -> Cause {
    let message = format!("Too long: may not be more than {MAX_BYTES} bytes");
    Cause { reason: "FieldValueTooLong".into(), message, field: field.into() }
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

pub(super) fn lease(object: &Value, causes: &mut Vec<Cause>) {
    let spec = &object["spec"];
    let number = |name: &str| spec[name].as_i64();
    if number("leaseDurationSeconds").is_some_and(|seconds| seconds <= 0) {
        causes.push(Cause::invalid("spec.leaseDurationSeconds", &spec["leaseDurationSeconds"], "must be greater than 0"));
    }
    if number("leaseTransitions").is_some_and(|count| count < 0) {
        causes.push(Cause::invalid("spec.leaseTransitions", &spec["leaseTransitions"], "must be greater than or equal to 0"));
    }
    if !is_blank(&spec["preferredHolder"]) && is_blank(&spec["strategy"]) {
        causes.push(Cause::forbidden("spec.preferredHolder", "may only be specified if `strategy` is defined"));
    }
}
