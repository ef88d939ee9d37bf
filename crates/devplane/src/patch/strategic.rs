//! Strategic merge patch: a merge patch in which some lists merge, for built-in kinds.
//! Source: apimachinery `util/strategicpatch/patch.go`.
//!
//! Which lists merge, and by which field, stands in the schema (`x-kubernetes-patch-strategy`, `x-kubernetes-patch-merge-key`).
//! Directives in the patch: `$patch` (`replace`, `delete`), `$retainKeys`, `$deleteFromPrimitiveList/…`, `$setElementOrder/…`.

mod misfit;
mod order;

pub use misfit::misfit;

use schema::structural::Schema;
use serde_json::{Map, Value};

use super::{PatchError, go_type};
use crate::apply::Type;
use crate::apply::typed::go::plain;

const PATCH: &str = "$patch";
const RETAIN_KEYS: &str = "$retainKeys";
const DELETE_FROM_LIST: &str = "$deleteFromPrimitiveList/";
const ELEMENT_ORDER: &str = "$setElementOrder/";

/// Merges `patch` into `target`, an object with this schema.
///
/// # Errors
/// If the patch is not an object, lacks merge keys or has directives that mean nothing.
pub fn strategic(target: &Value, patch: &Value, schema: &Schema) -> Result<Value, PatchError> {
    let (Some(object), Some(changes)) = (target.as_object(), patch.as_object()) else {
        // Of this patch alone the API server does not say that it was decoding it.
        let message = format!("json: cannot unmarshal {} into Go value of type map[string]interface {{}}", go_type(patch));
        return Err(PatchError::Malformed(message));
    };
    merge_object(object, changes, Type::root(Some(schema))).map(Value::Object)
}

fn merge_object(target: &Map<String, Value>, patch: &Map<String, Value>, ty: Type<'_>) -> Result<Map<String, Value>, PatchError> {
    if let Some(directive) = patch.get(PATCH) {
        let rest = || patch.iter().filter(|(name, _)| *name != PATCH).map(|(name, value)| (name.clone(), value.clone())).collect();
        return match directive.as_str() {
            Some("replace") => Ok(rest()),
            Some("delete") => Ok(Map::new()),
            _ => Err(unknown_directive(directive, patch)),
        };
    }
    let mut result = target.clone();
    if let Some(keys) = patch.get(RETAIN_KEYS) {
        let unfit = || PatchError::Malformed("invalid patch format of retainKeys".into());
        let keys = keys.as_array().ok_or_else(unfit)?;
        if patch.iter().any(|(name, value)| !name.starts_with('$') && !value.is_null() && !keys.iter().any(|key| key == name.as_str())) {
            return Err(unfit());
        }
        result.retain(|name, _| keys.iter().any(|key| key == name.as_str()));
    }
    for (name, change) in patch {
        if let Some(list) = name.strip_prefix(DELETE_FROM_LIST) {
            delete_from_list(&mut result, list, change)?;
        } else if let Some(list) = name.strip_prefix(ELEMENT_ORDER) {
            // An order without changes for the list sorts what is there.
            if !patch.contains_key(list)
                && let Some(Value::Array(items)) = result.get(list).cloned()
            {
                let key = merge_key(ty.step(Some(list)));
                result.insert(list.to_owned(), Value::Array(order::sorted(items, order_of(change, list)?, key)));
            }
        } else if name == RETAIN_KEYS {
        } else if change.is_null() {
            result.remove(name);
        } else {
            let below = ty.step(Some(name));
            let wanted_order = patch.get(&format!("{ELEMENT_ORDER}{name}")).map(|order| order_of(order, name)).transpose()?;
            match merge_value(result.get(name), change, below, wanted_order)? {
                Some(value) => result.insert(name.clone(), value),
                None => result.remove(name),
            };
        }
    }
    Ok(result)
}

/// The merged value; none if nothing is left of it.
fn merge_value(target: Option<&Value>, patch: &Value, ty: Type<'_>, wanted_order: Option<&[Value]>) -> Result<Option<Value>, PatchError> {
    match (target, patch) {
        (Some(Value::Object(_)), Value::Object(changes)) if replaces(ty) && !changes.contains_key(PATCH) => Ok(Some(patch.clone())),
        (Some(Value::Object(object)), Value::Object(changes)) => {
            merge_object(object, changes, ty).map(|merged| Some(Value::Object(merged)))
        }
        (Some(Value::Array(items)), Value::Array(changes)) if merges(ty) => match merge_key(ty) {
            Some(key) => merge_keyed(items, changes, key, ty.step(None), wanted_order).map(Some),
            None => Ok(Some(order::merged_set(items, changes, wanted_order))),
        },
        (Some(Value::Array(_)), Value::Array(_)) => Ok(Some(patch.clone())),
        _ => Ok(match (fresh(patch), wanted_order) {
            (Some(Value::Array(items)), Some(wanted)) => Some(Value::Array(order::sorted(items, wanted, merge_key(ty)))),
            (value, _) => value,
        }),
    }
}

/// A value where none was to merge with: without nulls and directives, and without what a directive stands in.
fn fresh(value: &Value) -> Option<Value> {
    let is_directive = |name: &str| name == RETAIN_KEYS || name.starts_with(DELETE_FROM_LIST) || name.starts_with(ELEMENT_ORDER);
    match value {
        Value::Object(fields) if fields.contains_key(PATCH) => None,
        Value::Object(fields) => {
            let kept = fields.iter().filter(|(name, value)| !value.is_null() && !is_directive(name));
            Some(Value::Object(kept.filter_map(|(name, value)| Some((name.clone(), fresh(value)?))).collect()))
        }
        Value::Array(items) => Some(items.iter().filter_map(fresh).collect()),
        other => Some(other.clone()),
    }
}

fn unknown_directive(directive: &Value, patch: &Map<String, Value>) -> PatchError {
    PatchError::Contradiction(format!("unknown patch type: {} in map: {}", plain(directive), plain(&Value::Object(patch.clone()))))
}

fn merge_keyed(live: &[Value], patch: &[Value], key: &str, items: Type<'_>, wanted_order: Option<&[Value]>) -> Result<Value, PatchError> {
    let mut result = live.to_vec();
    let mut replaces_all = false;
    let mut changes = Vec::new();
    for change in patch {
        let fields = change
            .as_object()
            .ok_or_else(|| PatchError::Contradiction(format!("expected an object with the merge key {key}, found {change}")))?;
        let directive = fields.get(PATCH);
        match directive.map(|directive| directive.as_str().unwrap_or_default()) {
            Some("replace") => {
                replaces_all = true;
                continue;
            }
            Some("merge") => return Err(PatchError::Contradiction("merging lists cannot yet be specified in the patch".into())),
            None | Some("delete") => {}
            Some(_) => return Err(unknown_directive(directive.unwrap_or(&Value::Null), fields)),
        }
        let Some(name) = fields.get(key) else {
            return Err(PatchError::Contradiction(format!("map: {} does not contain declared merge key: {key}", plain(change))));
        };
        if directive.is_some() {
            result.retain(|item| item.get(key) != Some(name));
        } else {
            changes.push((name, fields));
        }
    }
    if replaces_all {
        let fields = changes.into_iter().filter_map(|(_, fields)| fresh(&Value::Object(fields.clone())));
        return Ok(fields.collect());
    }
    let mut touched = Vec::new();
    for (name, fields) in changes {
        touched.push(name.clone());
        match result.iter_mut().find(|item| item.get(key) == Some(name)) {
            Some(item) => {
                if let Some(object) = item.as_object() {
                    *item = Value::Object(merge_object(object, fields, items)?);
                }
            }
            None => result.extend(fresh(&Value::Object(fields.clone()))),
        }
    }
    Ok(Value::Array(order::place(result, live, &touched, key, wanted_order)))
}

fn delete_from_list(object: &mut Map<String, Value>, list: &str, gone: &Value) -> Result<(), PatchError> {
    let gone = gone.as_array().ok_or_else(|| PatchError::Contradiction(format!("{DELETE_FROM_LIST}{list} is not a list")))?;
    if let Some(Value::Array(items)) = object.get_mut(list) {
        items.retain(|item| !gone.contains(item));
    }
    Ok(())
}

fn order_of<'v>(order: &'v Value, list: &str) -> Result<&'v [Value], PatchError> {
    order.as_array().map(Vec::as_slice).ok_or_else(|| PatchError::Contradiction(format!("{ELEMENT_ORDER}{list} is not a list")))
}

fn merge_key(ty: Type<'_>) -> Option<&str> {
    ty.annotation("x-kubernetes-patch-merge-key")
}

fn strategies(ty: Type<'_>) -> impl Iterator<Item = &str> {
    ty.annotation("x-kubernetes-patch-strategy").unwrap_or_default().split(',')
}

fn merges(ty: Type<'_>) -> bool {
    strategies(ty).any(|strategy| strategy == "merge")
}

fn replaces(ty: Type<'_>) -> bool {
    strategies(ty).any(|strategy| strategy == "replace")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::apply::arbitrary::json_object;

    fn schema() -> Schema {
        let item = json!({"type": "object", "properties": {"name": {"type": "string"}, "value": {"type": "string"}}});
        let list = json!({
            "type": "array",
            "items": item,
            "x-kubernetes-patch-strategy": "merge",
            "x-kubernetes-patch-merge-key": "name",
        });
        let spec = json!({
            "type": "object",
            "properties": {
                "env": list,
                "args": {"type": "array", "items": {"type": "string"}},
                "strategy": {"type": "object", "x-kubernetes-patch-strategy": "retainKeys"},
            },
        });
        Schema::parse_lenient(&json!({"type": "object", "properties": {"spec": spec}}))
    }

    fn patched(target: Value, patch: Value) -> Value {
        strategic(&target, &patch, &schema()).unwrap()
    }

    #[test]
    fn keyed_lists_merge_and_new_items_go_in_front() {
        let target = json!({"spec": {"env": [{"name": "a", "value": "1"}], "args": ["x"]}});
        let patch = json!({"spec": {"env": [{"name": "b", "value": "2"}], "args": ["y"]}});
        let expected = json!({"spec": {"env": [{"name": "b", "value": "2"}, {"name": "a", "value": "1"}], "args": ["y"]}});
        assert_eq!(patched(target, patch), expected);
    }

    #[test]
    fn items_are_deleted_and_lists_replaced_by_directive() {
        let target = json!({"spec": {"env": [{"name": "a", "value": "1"}, {"name": "b", "value": "2"}]}});
        let without_a = patched(target.clone(), json!({"spec": {"env": [{"$patch": "delete", "name": "a"}]}}));
        assert_eq!(without_a, json!({"spec": {"env": [{"name": "b", "value": "2"}]}}));
        let replaced = patched(target, json!({"spec": {"env": [{"name": "c"}, {"$patch": "replace"}]}}));
        assert_eq!(replaced, json!({"spec": {"env": [{"name": "c"}]}}));
    }

    #[test]
    fn the_order_asked_for_is_given() {
        let target = json!({"spec": {"env": [{"name": "a"}, {"name": "b"}]}});
        let patch = json!({"spec": {
            "$setElementOrder/env": [{"name": "b"}, {"name": "c"}, {"name": "a"}],
            "env": [{"name": "c"}],
        }});
        assert_eq!(patched(target, patch), json!({"spec": {"env": [{"name": "b"}, {"name": "c"}, {"name": "a"}]}}));
    }

    #[test]
    fn retained_keys_are_all_that_stays() {
        let target = json!({"spec": {"strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1}}}});
        let patch = json!({"spec": {"strategy": {"$retainKeys": ["type"], "type": "Recreate"}}});
        assert_eq!(patched(target, patch), json!({"spec": {"strategy": {"type": "Recreate"}}}));
    }

    #[test]
    fn finalizers_add_up_and_are_deleted_by_name() {
        let target = json!({"metadata": {"finalizers": ["a", "b"]}});
        let patch = json!({"metadata": {"$deleteFromPrimitiveList/finalizers": ["a"], "finalizers": ["c"]}});
        let result = patched(target, patch);
        let mut left: Vec<&str> = result["metadata"]["finalizers"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
        left.sort_unstable();
        assert_eq!(left, ["b", "c"]);
    }

    #[test]
    fn an_item_without_its_key_is_refused() {
        let target = json!({"spec": {"env": []}});
        let error = strategic(&target, &json!({"spec": {"env": [{"value": "1"}]}}), &schema()).unwrap_err();
        assert_eq!(error.to_string(), "map: map[value:1] does not contain declared merge key: name");
    }

    #[test]
    fn directives_need_something_to_act_on() {
        let patch =
            json!({"metadata": {"annotations": {"$patch": "replace", "only": "this"}}, "spec": {"args": [{"$patch": "delete"}, "x"]}});
        assert_eq!(patched(json!({}), patch.clone()), json!({"metadata": {}, "spec": {"args": ["x"]}}));
        assert_eq!(patched(json!({"metadata": {"annotations": {"a": "b"}}}), patch)["metadata"], json!({"annotations": {"only": "this"}}));
        let unknown = json!({"metadata": {"annotations": {"$patch": "frob"}}});
        assert_eq!(patched(json!({}), unknown.clone()), json!({"metadata": {}}));
        let error = strategic(&json!({"metadata": {"annotations": {"a": "b"}}}), &unknown, &schema()).unwrap_err();
        assert_eq!(error, PatchError::Contradiction("unknown patch type: frob in map: map[$patch:frob]".into()));
    }

    proptest! {
        #[test]
        fn no_patch_panics(target in json_object(), patch in json_object()) {
            drop(strategic(&target, &patch, &schema()));
        }
    }
}
