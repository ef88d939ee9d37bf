//! Checks a policy as it was written, before it can be parsed: every field that has a wrong type, is missing or doesn't exist.

use schema::structural::Schema;
use serde_json::Value;

use super::effective::Effective;
use super::warnings::Warning;
use crate::api::PromiseSpec;
use crate::context::Context;
use crate::path::Path;
use crate::problem::Problem;
use crate::resolve::{locate, resolve};
use crate::shape::node_at;
use crate::spelling;

/// What is wrong with the fields of a policy.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Structure {
    /// Values that don't match the schema, with paths such as `.rules[0].constrain.minimum`.
    pub problems: Vec<Problem>,
    /// Fields that the schema doesn't have, and that have no effect.
    pub unknown: Vec<Warning>,
}

/// Returns everything that is wrong with the fields of a spec, by the schema of policies.
pub fn structure(schema: &Value, spec: &Value) -> Structure {
    if !spec.is_object() {
        let message = "Enter the spec as fields with values.".to_owned();
        return Structure { problems: vec![Problem { path: String::new(), message }], unknown: Vec::new() };
    }
    let mut known = spec.clone();
    let unknown = Schema::parse_lenient(schema).prune(&mut known);
    let unknown = unknown.iter().map(|field| unknown_field(schema, locate::path(field, spec))).collect();
    let written = PromiseSpec { parameters: Some(schema.clone().into()), ..PromiseSpec::default() };
    let resolved = resolve(&written, &known, None, &Effective::default(), &Context::default());
    let relative = |problem: Problem| Problem {
        path: problem.path.strip_prefix(".parameters").map_or(problem.path.clone(), str::to_owned),
        message: problem.message,
    };
    Structure { problems: resolved.problems.into_iter().map(relative).collect(), unknown }
}

fn unknown_field(schema: &Value, path: Path) -> Warning {
    let name = path.last_key().unwrap_or_default();
    let lead = Path(path.0.split_last().map(|(_, lead)| lead.to_vec()).unwrap_or_default());
    let siblings = node_at(schema, &lead).and_then(|node| node.get("properties")).and_then(Value::as_object);
    let near = siblings
        .into_iter()
        .flat_map(|fields| fields.keys())
        .filter_map(|known| spelling::alike(name, known).map(|score| (score, known)))
        .min()
        .map(|(_, known)| known.clone());
    Warning::UnknownField { path: path.to_string(), near }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::structure;
    use crate::policy::Warning;

    fn schema() -> Value {
        json!({"type": "object", "properties": {
            "title": {"type": "string"},
            "rules": {"type": "array", "items": {"type": "object", "required": ["name"], "properties": {
                "name": {"type": "string"},
                "constrain": {"type": "object", "properties": {"minimum": {"type": "number"}, "maximum": {"type": "number"}}}
            }}}
        }})
    }

    #[test]
    fn every_wrong_field_is_found_at_once() {
        let spec = json!({"title": 4, "rules": [{"name": "a", "constrain": {"maximum": "many", "minimun": 1}}, {"constrain": {}}]});
        let found = structure(&schema(), &spec);
        let paths: Vec<&str> = found.problems.iter().map(|problem| problem.path.as_str()).collect();
        assert_eq!(paths, [".rules[0].constrain.maximum", ".rules[1].name", ".title"]);
        let near = Warning::UnknownField { path: ".rules[0].constrain.minimun".into(), near: Some("minimum".into()) };
        assert_eq!(found.unknown, [near]);
        assert_eq!(structure(&schema(), &json!([])).problems.len(), 1);
        assert_eq!(structure(&schema(), &json!({"title": "x"})), Default::default());
    }
}
