//! Drift detection: whether running objects still match what was applied.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde_json::Value;

use crate::path::Path;

/// The metadata fields that we own.
pub(super) const METADATA: [&str; 4] = ["labels", "annotations", "finalizers", "ownerReferences"];

/// Returns the first path at which the observed object differs from the desired one, or `None` if everything desired is there.
///
/// Only fields that we set are compared: additions by others (defaults, status, other managers' fields) are theirs. List items are matched
/// by `name`, `key` or a similar field if they have one, so an added container isn't drift.
pub fn drifted(desired: &Value, observed: &Value) -> Option<Path> {
    let root = Path::default();
    let (Some(wanted), Some(there)) = (desired.as_object(), observed.as_object()) else {
        return Some(root);
    };
    let secret = wanted.get("kind").and_then(Value::as_str) == Some("Secret");
    wanted.iter().find_map(|(key, value)| match key.as_str() {
        // The key already covers identity, and status belongs to the controller of the object.
        "apiVersion" | "kind" | "status" => None,
        // Write-only: the server merges it into `data`.
        "stringData" if secret => string_data(value, there.get("data"), &root.child("data")),
        "metadata" => metadata(value, there.get("metadata").unwrap_or(&Value::Null), &root.child("metadata")),
        _ => differs(value, there.get(key), &root.child(key)),
    })
}

fn metadata(wanted: &Value, there: &Value, at: &Path) -> Option<Path> {
    METADATA.iter().find_map(|part| wanted.get(part).and_then(|value| differs(value, there.get(part), &at.child(part))))
}

fn string_data(wanted: &Value, there: Option<&Value>, at: &Path) -> Option<Path> {
    wanted.as_object()?.iter().find_map(|(key, text)| {
        let kept = there.and_then(|data| data.get(key)).and_then(Value::as_str);
        let same = text.as_str().map(|text| BASE64.encode(text)).as_deref() == kept;
        (!same).then(|| at.child(key))
    })
}

fn differs(wanted: &Value, there: Option<&Value>, at: &Path) -> Option<Path> {
    let there = there.unwrap_or(&Value::Null);
    match (wanted, there) {
        // Servers drop empty values.
        (Value::Null, _) => None,
        (Value::Object(fields), Value::Null) if fields.is_empty() => None,
        (Value::Array(items), Value::Null) if items.is_empty() => None,
        (Value::Object(fields), Value::Object(found)) => {
            fields.iter().find_map(|(key, value)| differs(value, found.get(key), &at.child(key)))
        }
        (Value::Array(items), Value::Array(found)) => list_differs(items, found, at),
        _ => (!crate::policy::same_value(wanted, there)).then(|| at.clone()),
    }
}

/// Returns the observed values of the desired fields, as stored by the server. Additions by others are left out, as in [`drifted`].
pub fn kept(desired: &Value, observed: &Value) -> Value {
    let Some(wanted) = desired.as_object() else { return Value::Null };
    let secret = wanted.get("kind").and_then(Value::as_str) == Some("Secret");
    let fields = wanted.iter().filter_map(|(key, value)| match key.as_str() {
        "apiVersion" | "kind" | "status" => None,
        "stringData" if secret => Some((key.clone(), part(value, observed.get("data")))),
        "metadata" => Some((key.clone(), METADATA.iter().map(|name| (*name, part(&value[*name], observed[key].get(name)))).collect())),
        _ => Some((key.clone(), part(value, observed.get(key)))),
    });
    Value::Object(fields.collect())
}

/// Returns the part of an observed value that the desired one covers.
fn part(wanted: &Value, there: Option<&Value>) -> Value {
    match (wanted, there.unwrap_or(&Value::Null)) {
        (Value::Null, _) => Value::Null,
        (Value::Object(fields), Value::Object(found)) => {
            fields.iter().map(|(key, value)| (key.clone(), part(value, found.get(key)))).collect()
        }
        (Value::Array(items), Value::Array(found)) => match identity(items) {
            Some(key) => items.iter().map(|item| part(item, found.iter().find(|other| other.get(key) == item.get(key)))).collect(),
            None => Value::Array(found.clone()),
        },
        (_, there) => there.clone(),
    }
}

/// Returns the field that identifies the items of a list, if all of them have one.
pub(super) fn identity(items: &[Value]) -> Option<&'static str> {
    let keys = ["name", "key", "containerPort", "port", "mountPath", "uid"];
    keys.into_iter().find(|key| !items.is_empty() && items.iter().all(|item| item.get(key).is_some()))
}

fn list_differs(wanted: &[Value], found: &[Value], at: &Path) -> Option<Path> {
    let Some(key) = identity(wanted) else {
        if wanted.len() != found.len() {
            return Some(at.clone());
        }
        return wanted.iter().zip(found).enumerate().find_map(|(index, (item, other))| differs(item, Some(other), &at.item(index)));
    };
    wanted.iter().enumerate().find_map(|(index, item)| {
        let twin = found.iter().find(|other| other.get(key) == item.get(key));
        match twin {
            Some(twin) => differs(item, Some(twin), &at.item(index)),
            None => Some(at.item(index)),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::{drifted, kept};
    use serde_json::json;

    #[test]
    fn what_others_add_is_no_drift() {
        let wanted =
            json!({"kind": "Deployment", "spec": {"replicas": 2, "template": {"spec": {"containers": [{"name": "web", "image": "a"}]}}}});
        let there = json!({"kind": "Deployment", "metadata": {"uid": "1"}, "spec": {"replicas": 2, "strategy": {"type": "RollingUpdate"},
            "template": {"spec": {"containers": [{"name": "sidecar"}, {"name": "web", "image": "a", "imagePullPolicy": "Always"}]}}}});
        assert_eq!(drifted(&wanted, &there), None);
    }

    #[test]
    fn what_others_change_is_named() {
        let wanted = json!({"kind": "ConfigMap", "metadata": {"labels": {"a": "b"}}, "data": {"k": "v"}});
        let changed = json!({"kind": "ConfigMap", "metadata": {"labels": {"a": "b"}}, "data": {"k": "w"}});
        let unlabelled = json!({"kind": "ConfigMap", "metadata": {}, "data": {"k": "v"}});
        assert_eq!(drifted(&wanted, &changed).map(|path| path.to_string()).as_deref(), Some(".data.k"));
        assert_eq!(drifted(&wanted, &unlabelled).map(|path| path.to_string()).as_deref(), Some(".metadata.labels"));
    }

    #[test]
    fn a_value_that_the_server_writes_in_its_own_way_is_named_and_no_words_in_its_path_make_it_equal() {
        let wanted = json!({"kind": "X", "spec": {"limits": {"cpu": "1000m"}, "storage": "1", "retries": 1}});
        let there = json!({"kind": "X", "spec": {"limits": {"cpu": "1"}, "storage": 1, "retries": 1.0}});
        assert_eq!(drifted(&wanted, &there).map(|path| path.to_string()).as_deref(), Some(".spec.limits.cpu"));
        let kept = json!({"kind": "X", "spec": {"limits": {"cpu": "1000m"}, "storage": 1, "retries": 1.0}});
        assert_eq!(drifted(&wanted, &kept).map(|path| path.to_string()).as_deref(), Some(".spec.storage"));
    }

    #[test]
    fn texts_of_a_secret_are_compared_as_the_server_keeps_them() {
        let wanted = json!({"kind": "Secret", "stringData": {"user": "app", "pass": "hunter22"}});
        let there = json!({"kind": "Secret", "data": {"user": "YXBw", "pass": "aHVudGVyMjI="}});
        assert_eq!(drifted(&wanted, &there), None);
        let other = json!({"kind": "Secret", "data": {"user": "YXBw", "pass": "eA=="}});
        assert!(drifted(&wanted, &other).is_some());
    }

    #[test]
    fn what_is_kept_speaks_of_our_fields_alone() {
        let wanted = json!({"kind": "X", "metadata": {"name": "a", "labels": {"a": "b"}}, "spec": {
            "cpu": "1000m", "gone": true, "ports": [{"name": "http", "port": "80"}], "zones": ["a"],
        }});
        let there = json!({"kind": "X", "metadata": {"uid": "1", "resourceVersion": "7", "labels": {"a": "b", "c": "d"}}, "spec": {
            "cpu": "1", "extra": 5, "ports": [{"name": "more"}, {"name": "http", "port": 80, "protocol": "TCP"}], "zones": ["a", "b"],
        }, "status": {"ready": true}});
        let expected = json!({
            "metadata": {"labels": {"a": "b"}, "annotations": null, "finalizers": null, "ownerReferences": null},
            "spec": {"cpu": "1", "gone": null, "ports": [{"name": "http", "port": 80}], "zones": ["a", "b"]},
        });
        assert_eq!(kept(&wanted, &there), expected);
        let secret = json!({"kind": "Secret", "stringData": {"a": "x"}});
        assert_eq!(kept(&secret, &json!({"data": {"a": "eA==", "b": "eQ=="}})), json!({"stringData": {"a": "eA=="}}));
    }
}
