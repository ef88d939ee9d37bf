//! Selection of fields: `fields=name,state,spec.parameters`.

use promise::{Error, Problem, Result};
use serde_json::{Map, Value};

/// Most fields that can be selected.
const MOST: usize = 100;

/// The fields that a program wants.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Fields(Vec<Vec<String>>);

impl Fields {
    /// Reads the query parameter. An empty one selects everything.
    ///
    /// # Errors
    /// If it names too many fields, or one without a name.
    pub(super) fn parse(text: &str) -> Result<Self> {
        if text.trim().is_empty() {
            return Ok(Self::default());
        }
        let paths: Vec<Vec<String>> = text.split(',').map(|path| path.trim().split('.').map(str::to_owned).collect()).collect();
        if paths.len() > MOST || paths.iter().flatten().any(String::is_empty) {
            let message = format!("Name at most {MOST} fields, separated by commas, such as fields=name,spec.parameters.");
            return Err(Error::Invalid { problems: vec![Problem { path: String::new(), message }] });
        }
        Ok(Self(paths))
    }

    /// Whether everything is selected.
    pub(super) fn is_all(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns what is selected of a value. A field that isn't there is left out, as it is without a selection.
    pub(super) fn of(&self, value: &Value) -> Value {
        let paths: Vec<&[String]> = self.0.iter().map(Vec::as_slice).collect();
        selected(value, &paths)
    }
}

fn selected(value: &Value, paths: &[&[String]]) -> Value {
    // A field that is selected as a whole isn't narrowed by one inside it.
    if paths.iter().any(|path| path.is_empty()) {
        return value.clone();
    }
    match value {
        Value::Array(items) => items.iter().map(|item| selected(item, paths)).collect(),
        Value::Object(object) => {
            let mut found = Map::new();
            for (key, inner) in object {
                let below: Vec<&[String]> =
                    paths.iter().filter_map(|path| path.split_first()).filter(|(first, _)| *first == key).map(|(_, rest)| rest).collect();
                if !below.is_empty() {
                    found.insert(key.clone(), selected(inner, &below));
                }
            }
            Value::Object(found)
        }
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn fields_are_selected_at_any_depth_and_in_lists() {
        let value = json!({"name": "orders", "spec": {"parameters": {"size": "small"}, "paused": false}, "resources": [{"kind": "A", "name": "a"}, {"kind": "B"}]});
        for (fields, expected) in [
            ("name", json!({"name": "orders"})),
            (" name , absent", json!({"name": "orders"})),
            ("spec.parameters.size", json!({"spec": {"parameters": {"size": "small"}}})),
            ("spec,spec.paused", json!({"spec": {"parameters": {"size": "small"}, "paused": false}})),
            ("resources.kind", json!({"resources": [{"kind": "A"}, {"kind": "B"}]})),
        ] {
            assert_eq!(Fields::parse(fields).unwrap().of(&value), expected, "{fields}");
        }
        assert!(Fields::parse("").unwrap().is_all() && Fields::parse("  ").unwrap().is_all());
        for wrong in ["a,,b", "a.", ".", &"a,".repeat(101)] {
            assert!(Fields::parse(wrong).is_err(), "{wrong}");
        }
    }
}
