//! `fieldsV1`: `{"f:spec": {"f:ports": {"k:{\"name\":\"http\"}": {".": {}, "f:port": {}}}}}`.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::{FieldSet, PathElement};

impl FieldSet {
    /// Reads `fieldsV1`.
    ///
    /// # Errors
    /// A text that names the part that is no path.
    pub fn from_fields_v1(json: &Value) -> Result<Self, String> {
        let Value::Object(entries) = json else { return Err(format!("expected an object, found {json}")) };
        let mut set = Self::default();
        for (text, below) in entries {
            if text == "." {
                // It says that the parent is a member, which the level above has read already.
                continue;
            }
            let element = parse(text)?;
            let Value::Object(fields) = below else { return Err(format!("expected an object below {text}, found {below}")) };
            if fields.is_empty() || fields.contains_key(".") {
                set.members.insert(element.clone());
            }
            let children = Self::from_fields_v1(below)?;
            if !children.is_empty() {
                set.children.insert(element, children);
            }
        }
        Ok(set)
    }

    /// Writes `fieldsV1`.
    pub fn to_fields_v1(&self) -> Value {
        Value::Object(self.write())
    }

    fn write(&self) -> Map<String, Value> {
        // By element and not by its text: that is the order in which the API server writes.
        let mut entries: BTreeMap<&PathElement, Map<String, Value>> = BTreeMap::new();
        for (element, set) in &self.children {
            let mut below = Map::new();
            if self.members.contains(element) {
                below.insert(".".into(), Value::Object(Map::new()));
            }
            below.extend(set.write());
            entries.insert(element, below);
        }
        for member in &self.members {
            entries.entry(member).or_default();
        }
        entries.into_iter().map(|(element, below)| (text(element), Value::Object(below))).collect()
    }
}

fn text(element: &PathElement) -> String {
    match element {
        PathElement::Field(name) => format!("f:{name}"),
        PathElement::Key(fields) => {
            let fields: Map<String, Value> = fields.iter().cloned().collect();
            format!("k:{}", Value::Object(fields))
        }
        PathElement::Value(value) => format!("v:{value}"),
        PathElement::Index(index) => format!("i:{index}"),
    }
}

fn parse(text: &str) -> Result<PathElement, String> {
    let unreadable = || format!("unreadable path element {text:?}");
    let (kind, rest) = text.split_once(':').ok_or_else(unreadable)?;
    let json = |rest: &str| serde_json::from_str::<Value>(rest).map_err(|_| unreadable());
    match kind {
        "f" => Ok(PathElement::field(rest)),
        "k" => match json(rest)? {
            Value::Object(fields) => Ok(PathElement::key(fields.into_iter().collect())),
            _ => Err(unreadable()),
        },
        "v" => Ok(PathElement::Value(json(rest)?)),
        "i" => rest.parse().map(PathElement::Index).map_err(|_| unreadable()),
        _ => Err(unreadable()),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::{super::path_text, *};
    use crate::apply::arbitrary::{field_set, json_value};

    #[test]
    fn members_and_containers_are_told_apart() {
        let json = json!({"f:spec": {".": {}, "f:ports": {"k:{\"name\":\"http\"}": {".": {}, "f:port": {}}}, "f:tags": {"v:\"x\"": {}}}});
        let set = FieldSet::from_fields_v1(&json).unwrap();
        let paths: Vec<String> = set.paths().iter().map(|path| path_text(path)).collect();
        assert_eq!(paths, [".spec", ".spec.ports[name=\"http\"]", ".spec.ports[name=\"http\"].port", ".spec.tags[=\"x\"]"]);
        assert_eq!(set.to_fields_v1(), json);
    }

    #[test]
    fn what_is_no_path_is_refused() {
        for json in [json!([]), json!({"spec": {}}), json!({"f:a": 1}), json!({"k:[]": {}}), json!({"i:x": {}}), json!({"v:": {}})] {
            assert!(FieldSet::from_fields_v1(&json).is_err(), "{json}");
        }
    }

    proptest! {
        #[test]
        fn a_set_survives_writing_and_reading(set in field_set()) {
            prop_assert_eq!(FieldSet::from_fields_v1(&set.to_fields_v1()).unwrap(), set);
        }

        #[test]
        fn reading_never_panics(json in json_value()) {
            drop(FieldSet::from_fields_v1(&json));
        }

        #[test]
        fn sets_behave_as_sets(a in field_set(), b in field_set()) {
            prop_assert_eq!(a.difference(&b).union(&a.intersection(&b)), a.clone());
            prop_assert!(a.difference(&b).intersection(&b).is_empty());
            prop_assert_eq!(a.includes(&b), b.difference(&a).is_empty());
            prop_assert!(a.union(&b).includes(&b));
            prop_assert_eq!(a.union(&b), b.union(&a));
            prop_assert!(a.without_subtrees(&b).difference(&a).is_empty());
        }
    }
}
