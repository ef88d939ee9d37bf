//! Actions have no secret parameters: the PromiseAction of a run stores its parameters, and everyone who can read it sees them.

use serde_json::Value;

use crate::path::Path;
use crate::problem::Problem;

const NO_SECRETS: &str = "Remove it: an action has no secret parameters, because everyone who can read its runs sees their values. \
    Declare the secret in `secretParameters` of the promise, and read it as `parameters`.";
/// Keywords whose values are no schemas.
const VALUES: [&str; 4] = ["default", "enum", "example", "examples"];

/// Checks that a schema declares no secret, with `format: password` or `writeOnly`. `place` is the path of the action.
pub(super) fn check(schema: &Value, place: &str) -> Vec<Problem> {
    let mut found = Vec::new();
    node(schema, &Path::default(), &mut found);
    found.into_iter().map(|path| Problem { path: format!("{place}.parameters{path}"), message: NO_SECRETS.to_owned() }).collect()
}

fn node(schema: &Value, at: &Path, found: &mut Vec<Path>) {
    for (key, field) in schema.as_object().into_iter().flatten() {
        let at = at.child(key);
        match field {
            _ if (key == "format" && field == "password") || (key == "writeOnly" && *field == true) => found.push(at),
            Value::Object(properties) if key == "properties" => {
                properties.iter().for_each(|(name, property)| node(property, &at.child(name), found));
            }
            _ if VALUES.contains(&key.as_str()) => {}
            Value::Array(schemas) => schemas.iter().enumerate().for_each(|(index, schema)| node(schema, &at.item(index), found)),
            _ => node(field, &at, found),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::check;

    #[test]
    fn a_secret_parameter_of_an_action_is_refused_with_its_path() {
        let schema = json!({"type": "object", "properties": {
            "password": {"type": "string", "format": "password"},
            "keys": {"type": "array", "items": {"type": "string", "writeOnly": true}},
            "format": {"type": "string", "default": "password"},
            "open": {"type": "string", "writeOnly": false},
            "default": {"oneOf": [{"type": "string"}, {"type": "string", "format": "password"}]},
        }});
        let found: Vec<String> = check(&schema, ".actions.rotate").into_iter().map(|problem| problem.path).collect();
        assert_eq!(
            found,
            [
                ".actions.rotate.parameters.properties.default.oneOf[1].format",
                ".actions.rotate.parameters.properties.keys.items.writeOnly",
                ".actions.rotate.parameters.properties.password.format",
            ]
        );
    }
}
