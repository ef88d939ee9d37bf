//! What a violated rule is about: fields of the value at its node.

use serde_json::Value;

use super::super::Schema;
use super::super::error::join;
use crate::expr::Step;
use crate::expr::names::unescape;

/// What a violated rule is about. Paths are those of [`super::super::FieldError`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RuleSubject {
    /// The field that it is about, or the innermost object or list with all fields that it is about.
    pub place: String,
    /// All fields that it is about, in the order of the rule.
    pub fields: Vec<String>,
}

impl RuleSubject {
    /// Returns what a rule is about that reads these paths of the value at `base`.
    pub(crate) fn of(schema: &Schema, value: &Value, base: &str, paths: &[Vec<Step>]) -> Self {
        let mut found: Vec<Vec<String>> = Vec::new();
        for path in paths {
            let path = texts(schema, value, path);
            if !found.contains(&path) {
                found.push(path);
            }
        }
        let common = found.iter().skip(1).fold(found.first().cloned().unwrap_or_default(), |common, path| {
            let shared = common.iter().zip(path).take_while(|(one, other)| one == other).count();
            common[..shared].to_vec()
        });
        let text = |path: &[String]| path.iter().fold(base.to_owned(), |text, step| join(&text, step));
        Self { place: text(&common), fields: found.iter().map(|path| text(path)).collect() }
    }
}

/// Returns the steps of a path as texts, up to the first field that the value doesn't have: what is inside isn't there to be changed.
fn texts(schema: &Schema, value: &Value, path: &[Step]) -> Vec<String> {
    let (mut schema, mut value) = (Some(schema), Some(value));
    let mut texts = Vec::new();
    for step in path {
        let Some(inside) = value else { break };
        match step {
            Step::Item(index) => {
                texts.push(format!("[{index}]"));
                (schema, value) = (schema.and_then(Schema::items), inside.get(index));
            }
            Step::Name(name) => {
                let declared = |name: &str| schema.is_some_and(|schema| schema.property(name).is_some());
                let name = if declared(name) {
                    name.clone()
                } else {
                    unescape(name).filter(|plain| declared(plain)).unwrap_or_else(|| name.clone())
                };
                let property = schema.and_then(|schema| schema.property(&name));
                texts.push(if property.is_some() { name.clone() } else { format!("[{name}]") });
                (schema, value) = (property.or_else(|| schema?.additional_properties()), inside.get(&name));
            }
        }
    }
    texts
}
