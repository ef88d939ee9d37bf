//! Computes updates of objects on servers where server-side apply never removes a field, such as the virtual workspaces of kcp.
//!
//! There, kcp implements apply by reading, merging and writing back, and doesn't track which fields were applied. So the object itself
//! records the fields that were last applied, without their values. The record is written together with the fields, so that a crash can't
//! separate them.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde_json::{Map, Value};

use super::drift::{METADATA, identity};
use crate::merge::same;
use crate::names;

/// Returns a desired object with the record of its fields, ready to be written. A Secret's `stringData` is moved to `data`, as the server
/// stores it.
pub fn accounted(desired: &Value) -> Value {
    let mut object = desired.clone();
    if object["kind"] == "Secret" {
        fold_string_data(&mut object);
    }
    let shape = shape_of(&object).to_string();
    object["metadata"]["annotations"][names::APPLIED_FIELDS_ANNOTATION] = shape.into();
    object
}

/// Returns the object `there` after the update. `wanted` comes from [`accounted`].
///
/// Desired values replace present ones. Fields that were applied before and are no longer desired are removed, unless another field manager
/// also owns them. Everything else stays.
pub fn revised(there: &Value, wanted: &Value) -> Value {
    let account = there["metadata"]["annotations"][names::APPLIED_FIELDS_ANNOTATION].as_str();
    let before: Value = account.and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default();
    let owners = Owners::of(there);
    let mut object = there.clone();
    let Some(fields) = object.as_object_mut() else { return wanted.clone() };
    for key in keys([there, wanted, &before]).filter(|key| !matches!(*key, "apiVersion" | "kind" | "metadata" | "status")) {
        let part = resolved(there.get(key), present(wanted, key), before.get(key), &owners.field(key));
        put(fields, key, part);
    }
    let owners = owners.field("metadata");
    if let Some(metadata) = object["metadata"].as_object_mut() {
        for key in METADATA {
            let of = |value: &'_ Value| value["metadata"].get(key).cloned();
            let (here, new, old) = (of(there), of(wanted).filter(|new| !new.is_null()), of(&before));
            put(metadata, key, resolved(here.as_ref(), new.as_ref(), old.as_ref(), &owners.field(key)));
        }
    }
    object
}

fn fold_string_data(object: &mut Value) {
    let Some(fields) = object.as_object_mut() else { return };
    let Some(Value::Object(texts)) = fields.remove("stringData") else { return };
    let data = fields.entry("data").or_insert_with(|| Value::Object(Map::new()));
    if !data.is_object() {
        *data = Value::Object(Map::new());
    }
    for (key, text) in texts {
        if let Some(text) = text.as_str() {
            data[key] = BASE64.encode(text).into();
        }
    }
}

/// Returns the fields of an object without their values. List items keep the field that identifies them.
fn shape_of(object: &Value) -> Value {
    let fields = object.as_object().into_iter().flatten().filter_map(|(key, value)| match key.as_str() {
        "apiVersion" | "kind" | "status" => None,
        "metadata" => {
            let parts = METADATA.iter().filter_map(|part| Some(((*part).to_owned(), shape(value.get(part)?))));
            Some((key.clone(), Value::Object(parts.collect())))
        }
        _ => Some((key.clone(), shape(value))),
    });
    Value::Object(fields.collect())
}

fn shape(value: &Value) -> Value {
    match value {
        Value::Object(fields) => Value::Object(fields.iter().map(|(key, value)| (key.clone(), shape(value))).collect()),
        Value::Array(items) => match identity(items) {
            Some(key) => items.iter().map(|item| with(shape(item), key, &item[key])).collect(),
            // Items of a set of strings, such as finalizers, are identified by their values.
            None if items.iter().all(Value::is_string) => value.clone(),
            None => Value::Null,
        },
        _ => Value::Null,
    }
}

fn with(mut item: Value, key: &str, id: &Value) -> Value {
    item[key] = id.clone();
    item
}

/// Merges one field from the present, the desired and the last applied value.
fn resolved(there: Option<&Value>, wanted: Option<&Value>, before: Option<&Value>, owners: &Owners<'_>) -> Option<Value> {
    let empty = Value::Null;
    match (there, wanted, before) {
        (None, wanted, _) => wanted.cloned(),
        (Some(there), None, None) => Some(there.clone()),
        (Some(Value::Object(_)), Some(Value::Object(_)), _) if owners.own_it_whole() => wanted.cloned(),
        (Some(there @ Value::Object(_)), Some(wanted @ Value::Object(_)), before) => {
            Some(fields(there, wanted, before.unwrap_or(&empty), owners))
        }
        (Some(Value::Array(there)), Some(Value::Array(wanted)), before) => {
            let before = before.and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
            Some(list(there, wanted, before, owners))
        }
        (Some(there), Some(wanted), _) => Some(if same(there, wanted) { there.clone() } else { wanted.clone() }),
        (Some(there @ Value::Object(_)), None, Some(before @ Value::Object(_))) => {
            let left = fields(there, &empty, before, owners);
            (left != Value::Object(Map::new())).then_some(left)
        }
        (Some(Value::Array(there)), None, Some(Value::Array(before))) => {
            let left = list(there, &[], before, owners);
            (left != Value::Array(Vec::new())).then_some(left)
        }
        (Some(there), None, Some(_)) => owners.others_too().then(|| there.clone()),
    }
}

fn fields(there: &Value, wanted: &Value, before: &Value, owners: &Owners<'_>) -> Value {
    let mut object = Map::new();
    for key in keys([there, wanted, before]) {
        let part = resolved(there.get(key), present(wanted, key), before.get(key), &owners.field(key));
        put(&mut object, key, part);
    }
    Value::Object(object)
}

fn list(there: &[Value], wanted: &[Value], before: &[Value], owners: &Owners<'_>) -> Value {
    if let Some(key) = identity(wanted).or_else(|| identity(before)).filter(|key| identity(there) == Some(*key)) {
        let twin = |items: &'_ [Value], item: &Value| items.iter().find(|other| other.get(key) == item.get(key)).cloned();
        let kept = there.iter().filter_map(|item| {
            let (new, old, owners) = (twin(wanted, item), twin(before, item), owners.item(key, &item[key]));
            match (&new, &old) {
                (None, Some(_)) if !owners.others_too() => None,
                _ => resolved(Some(item), new.as_ref(), old.as_ref(), &owners).map(|left| with(left, key, &item[key])),
            }
        });
        return kept.chain(wanted.iter().filter(|item| twin(there, item).is_none()).cloned()).collect();
    }
    if owners.are_of_a_set() {
        let stays = |item: &&Value| wanted.contains(item) || !before.contains(item) || owners.value(item).others_too();
        return there.iter().filter(stays).chain(wanted.iter().filter(|item| !there.contains(item))).cloned().collect();
    }
    // One value as a whole: it is desired, or was and no longer is.
    let kept = wanted.is_empty() && owners.others_too();
    let there_same = there.len() == wanted.len() && there.iter().zip(wanted).all(|(one, other)| same(one, other));
    Value::Array(if kept || there_same { there.to_vec() } else { wanted.to_vec() })
}

fn present<'v>(object: &'v Value, key: &str) -> Option<&'v Value> {
    object.get(key).filter(|value| !value.is_null())
}

fn put(fields: &mut Map<String, Value>, key: &str, part: Option<Value>) {
    match part {
        Some(part) => drop(fields.insert(key.to_owned(), part)),
        None => drop(fields.remove(key)),
    }
}

/// Returns all keys of these objects, each once.
fn keys(objects: [&Value; 3]) -> impl Iterator<Item = &str> {
    let all: std::collections::BTreeSet<&str> =
        objects.into_iter().filter_map(Value::as_object).flatten().map(|(key, _)| key.as_str()).collect();
    all.into_iter()
}

/// Field owners according to the server's `managedFields`. An update counts like an apply because kcp records ours as an update.
struct Owners<'v> {
    ours: Vec<&'v Value>,
    others: Vec<&'v Value>,
}

impl<'v> Owners<'v> {
    fn of(object: &'v Value) -> Self {
        let entries = object["metadata"]["managedFields"].as_array().into_iter().flatten();
        let (ours, others): (Vec<&Value>, Vec<&Value>) =
            entries.filter(|entry| entry["subresource"].is_null()).partition(|entry| entry["manager"] == names::MANAGER_FULFIL);
        let fields = |entries: Vec<&'v Value>| entries.into_iter().filter_map(|entry| entry.get("fieldsV1")).collect();
        Self { ours: fields(ours), others: fields(others) }
    }

    fn narrowed(&self, part: impl Fn(&'v Value) -> Option<&'v Value>) -> Self {
        Self {
            ours: self.ours.iter().copied().filter_map(&part).collect(),
            others: self.others.iter().copied().filter_map(&part).collect(),
        }
    }

    fn field(&self, key: &str) -> Self {
        let name = format!("f:{key}");
        self.narrowed(|fields| fields.get(&name))
    }

    /// Descends into a list item, by the value of its key.
    fn item(&self, key: &str, id: &Value) -> Self {
        let is_it = |name: &str| {
            let named: Option<Value> = name.strip_prefix("k:").and_then(|text| serde_json::from_str(text).ok());
            named.is_some_and(|named| named.get(key) == Some(id))
        };
        self.narrowed(|fields| fields.as_object()?.iter().find(|(name, _)| is_it(name)).map(|(_, part)| part))
    }

    /// Descends into a value of a set.
    fn value(&self, value: &Value) -> Self {
        let name = format!("v:{value}");
        self.narrowed(|fields| fields.get(&name))
    }

    fn others_too(&self) -> bool {
        !self.others.is_empty()
    }

    /// Whether the server treats the field as one value, and we own it.
    fn own_it_whole(&self) -> bool {
        let is_leaf = |fields: &&Value| fields.as_object().is_some_and(Map::is_empty);
        !self.ours.is_empty() && self.ours.iter().chain(&self.others).all(is_leaf)
    }

    fn are_of_a_set(&self) -> bool {
        let names = self.ours.iter().chain(&self.others).filter_map(|fields| fields.as_object()).flatten().map(|(name, _)| name);
        names.into_iter().any(|name| name.starts_with("v:"))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{accounted, revised};
    use crate::names;

    /// Returns what a server stores for an object that was created this way, with these field owners.
    fn stored(wanted: &Value, managers: Value) -> Value {
        let mut object = accounted(wanted);
        object["metadata"]["resourceVersion"] = json!("7");
        object["metadata"]["managedFields"] = managers;
        object
    }

    fn manager(name: &str, operation: &str, fields: Value) -> Value {
        json!({"manager": name, "operation": operation, "fieldsType": "FieldsV1", "fieldsV1": fields})
    }

    #[test]
    fn what_was_applied_and_is_left_out_goes_and_what_others_wrote_stays() {
        let before = json!({"kind": "ConfigMap", "metadata": {"name": "a", "labels": {"old": "1"}}, "data": {"title": "x", "extra": "y", "shared": "z"}});
        let after = json!({"kind": "ConfigMap", "metadata": {"name": "a"}, "data": {"title": "x"}});
        let mut there = stored(
            &before,
            json!([
                manager(names::MANAGER_FULFIL, "Update", json!({"f:data": {".": {}, "f:title": {}, "f:extra": {}, "f:shared": {}}})),
                manager("kubectl", "Apply", json!({"f:data": {"f:shared": {}, "f:theirs": {}}})),
            ]),
        );
        there["data"]["theirs"] = json!("kept");
        there["metadata"]["labels"]["stamped"] = json!("by the server");
        let revision = revised(&there, &accounted(&after));
        assert_eq!(revision["data"], json!({"title": "x", "shared": "z", "theirs": "kept"}));
        assert_eq!(revision["metadata"]["labels"], json!({"stamped": "by the server"}));
        assert_eq!(revision["metadata"]["resourceVersion"], "7");
        assert_eq!(revised(&revision, &accounted(&after)), revision, "the second time there is nothing to do");
    }

    #[test]
    fn defaults_and_stamps_of_the_server_are_not_ours_although_it_notes_them_so() {
        let wanted = json!({"kind": "PromiseRequest", "metadata": {"name": "a"}, "spec": {"parameters": {"size": 1}}});
        let mut there = stored(
            &wanted,
            json!([manager(names::MANAGER_FULFIL, "Update", json!({"f:spec": {"f:parameters": {}, "f:upgrade": {}, "f:requester": {}}}))]),
        );
        there["spec"]["upgrade"] = json!("manual");
        there["spec"]["requester"] = json!({"username": "opm-controller"});
        assert_eq!(revised(&there, &accounted(&wanted)), there);
    }

    #[test]
    fn a_field_that_is_one_value_is_replaced_whole() {
        let wanted = |parameters: Value| json!({"kind": "PromiseRequest", "metadata": {"name": "a"}, "spec": {"parameters": parameters}});
        let mut there =
            stored(&wanted(json!({"size": 1})), json!([manager(names::MANAGER_FULFIL, "Update", json!({"f:spec": {"f:parameters": {}}}))]));
        there["spec"]["parameters"]["strange"] = json!(true);
        let revision = revised(&there, &accounted(&wanted(json!({"size": 2}))));
        assert_eq!(revision["spec"]["parameters"], json!({"size": 2}));
    }

    #[test]
    fn items_of_lists_go_by_their_keys() {
        let wanted = |containers: Value| json!({"kind": "Deployment", "metadata": {"name": "a"}, "spec": {"containers": containers}});
        let before =
            wanted(json!([{"name": "web", "image": "1", "tty": true}, {"name": "old", "image": "1"}, {"name": "joint", "image": "1"}]));
        let joint = json!({"f:spec": {"f:containers": {"k:{\"name\":\"joint\"}": {"f:tty": {}}, "k:{\"name\":\"sidecar\"}": {".": {}}}}});
        let mut there = stored(&before, json!([manager("mesh", "Update", joint)]));
        there["spec"]["containers"][2]["tty"] = json!(false);
        there["spec"]["containers"].as_array_mut().unwrap().push(json!({"name": "sidecar", "image": "9"}));
        let revision = revised(&there, &accounted(&wanted(json!([{"name": "web", "image": "2"}, {"name": "new", "image": "1"}]))));
        assert_eq!(
            revision["spec"]["containers"],
            json!([{"name": "web", "image": "2"}, {"name": "joint", "tty": false}, {"name": "sidecar", "image": "9"}, {"name": "new", "image": "1"}])
        );
    }

    #[test]
    fn finalizers_of_others_stay() {
        let wanted = |finalizers: Value| json!({"kind": "ConfigMap", "metadata": {"name": "a", "finalizers": finalizers}});
        let fields = json!({"f:metadata": {"f:finalizers": {".": {}, "v:\"a.dev/ours\"": {}}}});
        let mut there = stored(&wanted(json!(["a.dev/ours"])), json!([manager(names::MANAGER_FULFIL, "Update", fields)]));
        there["metadata"]["finalizers"] = json!(["a.dev/ours", "b.dev/theirs"]);
        let revision = revised(&there, &accounted(&wanted(json!(["a.dev/new"]))));
        assert_eq!(revision["metadata"]["finalizers"], json!(["b.dev/theirs", "a.dev/new"]));
    }

    #[test]
    fn the_account_names_the_fields_of_a_secret_and_none_of_its_values() {
        let secret = |texts: Value| json!({"kind": "Secret", "metadata": {"name": "a"}, "stringData": texts});
        let there = stored(&secret(json!({"password": "hunter22", "user": "app"})), json!([]));
        assert_eq!(there["data"], json!({"password": "aHVudGVyMjI=", "user": "YXBw"}));
        let account = there["metadata"]["annotations"][names::APPLIED_FIELDS_ANNOTATION].as_str().unwrap();
        assert!(account.contains("password") && !account.contains("hunter22") && !account.contains("aHVudGVyMjI"), "{account}");
        let revision = revised(&there, &accounted(&secret(json!({"user": "app"}))));
        assert_eq!((&revision["data"], revision.get("stringData")), (&json!({"user": "YXBw"}), None));
    }
}
