//! Defaults of objects. The default of an object applies only while the object is absent: once a form sends the object because one of its
//! fields was changed, the API server fills in nothing but the fields' own defaults. So that the result is what the form showed, everything
//! else that the form showed from the object's default is sent with it.

use schema::structural::Schema;
use serde_json::{Map, Value};

use super::kind::default_of;
use super::place::Place;
use crate::api::PromiseSpec;
use crate::path::Path;
use crate::policy::{Effective, same_value};
use crate::resolve;
use crate::shape::{Shape, node_at};

/// The values that apply where none is given, by what is given around them.
pub(super) struct Defaults {
    /// Those of an empty form. Controls are chosen by them, so that they stay the same while the form is filled in.
    pub usual: Value,
    /// Those next to the objects that are given.
    here: Value,
    /// Those that apply if every object is given, so that no default of an object applies: the fields' own.
    own: Value,
}

impl Defaults {
    /// Computes the defaults next to the given parameters. `schema` is the narrowed schema.
    pub fn of(promise: &PromiseSpec, structural: &Schema, effective: &Effective, schema: &Value, parameters: &Value) -> Self {
        let in_effect = |parameters: &Value| resolve::in_effect(promise, structural, effective, parameters);
        Self {
            usual: in_effect(&Value::Null),
            here: in_effect(&skeleton(schema, parameters)),
            own: in_effect(&skeleton(schema, &in_effect(parameters))),
        }
    }

    /// Returns the default of a parameter in an empty form.
    pub fn usual(&self, place: &Place, node: &Value) -> Option<Value> {
        default_of(place, node, &self.usual)
    }

    /// Returns the value that applies if the parameter is left as it is.
    pub fn here<'v>(&'v self, place: &'v Place, node: &'v Value) -> Option<&'v Value> {
        let held = if place.in_row { place.here.as_ref() } else { place.path.get(&self.here) };
        held.or_else(|| node.get("default"))
    }

    /// Returns the value that applies if the object around the parameter is given without it.
    pub fn own<'v>(&'v self, place: &Place, node: &'v Value) -> Option<&'v Value> {
        let held = if place.in_row { None } else { place.path.get(&self.own) };
        held.or_else(|| node.get("default"))
    }

    /// Adds to an object what the form showed from its default `given` and what would be lost once the object itself is given. `is_emptied`
    /// are the fields that the user cleared.
    pub fn fill(&self, place: &Place, node: &Value, given: &Value, object: &mut Map<String, Value>, is_emptied: &dyn Fn(&str) -> bool) {
        for (key, value) in given.as_object().into_iter().flatten() {
            if object.contains_key(key) || is_emptied(key) {
                continue;
            }
            let Some(property) = node["properties"].get(key) else {
                object.insert(key.clone(), value.clone());
                continue;
            };
            let child = place.child(node, key);
            let applies = match Shape::of(property) {
                Shape::Object => default_as_used(property),
                _ => self.own(&child, property).cloned(),
            };
            if !applies.is_some_and(|applies| same_value(&applies, value)) {
                object.insert(key.clone(), self.smallest(&child, property, value));
            }
        }
    }

    /// Returns the smallest value that has the same effect.
    fn smallest(&self, place: &Place, node: &Value, value: &Value) -> Value {
        if Shape::of(node) != Shape::Object || !value.is_object() {
            return value.clone();
        }
        let mut object = Map::new();
        self.fill(place, node, value, &mut object, &|_| false);
        Value::Object(object)
    }
}

/// Whether a field is null and its schema allows that. Its default doesn't replace such a null.
pub(super) fn is_null_by_choice(node: &Value, given: Option<&Value>) -> bool {
    given.is_some_and(Value::is_null) && node["nullable"] == Value::Bool(true)
}

/// Returns the default of an object with those of its fields.
fn default_as_used(node: &Value) -> Option<Value> {
    let mut default = node.get("default")?.clone();
    Schema::parse_lenient(node).default(&mut default);
    Some(default)
}

/// Returns the objects that are given, without any values in them. A null that the schema allows counts as given.
fn skeleton(node: &Value, parameters: &Value) -> Value {
    let properties = node["properties"].as_object().into_iter().flatten().filter(|(_, property)| Shape::of(property) == Shape::Object);
    let inner = properties.filter_map(|(key, property)| match parameters.get(key) {
        Some(given) if given.is_object() => Some((key.clone(), skeleton(property, given))),
        given => is_null_by_choice(property, given).then(|| (key.clone(), Value::Null)),
    });
    Value::Object(inner.collect())
}

/// Gives the objects around a parameter that only apply by default, so that nothing else changes when the parameter is set.
pub(crate) fn keep_around(promise: &PromiseSpec, structural: &Schema, effective: &Effective, parameters: &mut Value, path: &Path) {
    let empty = Value::Null;
    let own = promise.parameters.as_deref().unwrap_or(&empty);
    let schema = if effective.schema.is_object() { &*effective.schema } else { own };
    for length in 1..path.0.len() {
        let above = Path(path.0[..length].to_vec());
        if above.get(parameters).is_some() {
            continue;
        }
        let in_effect = resolve::in_effect(promise, structural, effective, parameters);
        let Some(shown @ Value::Object(_)) = above.get(&in_effect) else { return };
        let Some(node) = node_at(schema, &above) else { return };
        let mut object = Map::new();
        let defaults = Defaults::of(promise, structural, effective, schema, parameters);
        defaults.fill(&Place::of(&above), node, shown, &mut object, &|_| false);
        if !above.put(parameters, Value::Object(object)) {
            return;
        }
    }
}

/// Sets a parameter. If the objects around it only apply by default, their other values are given with it and so stay.
pub fn set(promise: &PromiseSpec, parameters: &mut Value, path: &Path, value: Value) {
    // Defaults of policies are those of single parameters: they apply whether the objects around them are given or not.
    keep_around(promise, &resolve::schema_of(promise), &Effective::default(), parameters, path);
    path.put(parameters, value);
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn setting_one_field_of_a_default_keeps_the_others() {
        let promise: PromiseSpec = serde_json::from_value(json!({"version": "1.0.0", "parameters": {"type": "object", "properties": {
            "o": {"type": "object", "default": {"a": "x", "n": {"p": 1}}, "properties": {
                "a": {"type": "string"},
                "c": {"type": "integer", "default": 3},
                "n": {"type": "object", "properties": {"p": {"type": "integer"}, "q": {"type": "integer", "default": 2}}},
            }},
        }}}))
        .unwrap();
        let structural = resolve::schema_of(&promise);
        let effective = Effective::default();
        for (path, value, expected) in [
            (".o.a", json!("y"), json!({"o": {"a": "y", "n": {"p": 1}}})),
            (".o.c", json!(4), json!({"o": {"a": "x", "c": 4, "n": {"p": 1}}})),
            (".o.n.q", json!(5), json!({"o": {"a": "x", "n": {"p": 1, "q": 5}}})),
        ] {
            let (mut parameters, path) = (json!({}), Path::parse(path).unwrap());
            keep_around(&promise, &structural, &effective, &mut parameters, &path);
            path.put(&mut parameters, value.clone());
            assert_eq!(parameters, expected);
            let mut parameters = json!({});
            set(&promise, &mut parameters, &path, value);
            assert_eq!(parameters, expected);
        }
    }
}
