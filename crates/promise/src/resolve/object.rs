//! Checks a whole object against the schema of its kind, with the sentences that parameters have.

use schema::structural::Schema;
use serde_json::Value;

use super::{MAX_PROBLEMS, locate, words};
use crate::api::PromiseSpec;
use crate::problem::Problem;

/// Returns why an object isn't of its kind: fields that the kind doesn't have, and values of a wrong type or form. Paths begin at the object.
/// At most 100 problems are returned.
pub fn misfits(kind: &Schema, object: &Value) -> Vec<Problem> {
    // An object of a kind has no labels and hints of its own, so fields are called by their names.
    let unnamed = PromiseSpec::default();
    let mut known = object.clone();
    let unknown = kind.prune_resource(&mut known);
    let unknown = unknown.iter().map(|field| {
        let path = locate::path(field, object);
        Problem { message: words::unknown_of_kind(kind.json(), &path), path: path.to_string() }
    });
    let misfits = kind.validate(&known);
    let misfits = misfits.iter().map(|error| {
        let path = locate::path(error.place(), &known);
        Problem { message: words::structural(&unnamed, kind.json(), &path, &known, error), path: path.to_string() }
    });
    unknown.chain(misfits).take(MAX_PROBLEMS).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn problems(object: &Value) -> Vec<(String, String)> {
        let kind = Schema::parse_lenient(&json!({
            "type": "object",
            "properties": {
                "spec": {
                    "type": "object",
                    "required": ["promise"],
                    "properties": {
                        "promise": {"type": "object", "required": ["name"], "properties": {"name": {"type": "string"}}},
                        "paused": {"type": "boolean"},
                        "deletionPolicy": {"type": "string", "enum": ["Delete", "Orphan"]},
                        "parameters": {"type": "object", "x-kubernetes-preserve-unknown-fields": true},
                    },
                },
            },
        }));
        misfits(&kind, object).into_iter().map(|Problem { path, message }| (path, message)).collect()
    }

    #[test]
    fn each_problem_names_its_field_and_the_fix() {
        let spec = json!({"promise": {}, "pausd": true, "paused": "yes", "deletionPolicy": "Keep", "parameters": {"anything": [1]}});
        let expected = [
            (".spec.pausd", "Remove or rename .spec.pausd: there is no such field. Did you mean .spec.paused?"),
            (".spec.promise.name", "Enter a value for “Name”."),
            (".spec.paused", "Choose yes or no for paused."),
            (".spec.deletionPolicy", "Choose Delete or Orphan for deletion policy."),
        ];
        let mut found = problems(&json!({"metadata": {"name": "orders", "labels": {"a": "b"}}, "spec": spec}));
        found.sort();
        let mut expected: Vec<_> = expected.map(|(path, message)| (path.to_owned(), message.to_owned())).to_vec();
        expected.sort();
        assert_eq!(found, expected);
    }

    #[test]
    fn what_the_kind_accepts_has_no_problems() {
        assert_eq!(problems(&json!({"metadata": {"name": "orders"}, "spec": {"promise": {"name": "postgresql"}}})), []);
    }
}
