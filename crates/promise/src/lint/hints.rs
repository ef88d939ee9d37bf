//! A start for the hints that the advice asks for.

use serde_json::{Map, Value, json};

use super::{Lint, LintReason};
use crate::api::PromiseSpec;
use crate::path::Path;
use crate::shape::node_at;
use crate::wording::label;

/// Returns hints for the fields that the advice is about, as `form` of a promise takes them, with texts to fill in. `None` if hints would
/// not help.
pub fn hints(spec: &PromiseSpec, advice: &[Lint]) -> Option<Value> {
    let mut fields: Map<String, Value> = Map::new();
    for lint in advice {
        let Ok(path) = Path::parse(&lint.parameter) else { continue };
        let hint = match &lint.reason {
            LintReason::NoDescription => json!({"title": label(spec, &path), "help": ""}),
            LintReason::UnreadableName { label } => json!({"title": label}),
            LintReason::PatternWithoutExample => json!({"help": ""}),
            LintReason::UnreadableChoices { .. } => json!({"options": options(spec, &path)}),
            LintReason::RequiredButHidden
            | LintReason::RequiredButAdvanced
            | LintReason::UnknownWidget { .. }
            | LintReason::CostlyRule { .. }
            | LintReason::ManyRequired { .. } => continue,
        };
        let entry = fields.entry(lint.parameter.clone()).or_insert_with(|| json!({}));
        if let (Some(entry), Value::Object(hint)) = (entry.as_object_mut(), hint) {
            entry.extend(hint);
        }
    }
    (!fields.is_empty()).then(|| json!({"form": {"fields": fields}}))
}

/// Titles for all choices of a parameter, to be corrected.
fn options(spec: &PromiseSpec, path: &Path) -> Value {
    let node = spec.parameters.as_deref().and_then(|schema| node_at(schema, path));
    let values = node.and_then(|node| node["enum"].as_array()).into_iter().flatten().filter_map(Value::as_str);
    values.map(|value| (value.to_owned(), json!({"title": crate::wording::humanise(&value.to_lowercase())}))).collect::<Map<_, _>>().into()
}
