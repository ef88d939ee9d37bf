//! The small part of JSONPath that printer columns use: fields, indexes, `[*]`, `['name']` and `[?(@.a=="b")]`. Pure.
//! Source: client-go `util/jsonpath`; apiextensions-apiserver `pkg/registry/customresource/tableconvertor`.

use serde_json::Value;

/// The first value that the path names.
pub fn first<'a>(object: &'a Value, path: &str) -> Option<&'a Value> {
    let mut found = vec![object];
    for step in steps(path) {
        found = found.into_iter().flat_map(|value| step.apply(value)).collect();
    }
    found.into_iter().next()
}

enum Step {
    Field(String),
    Index(i64),
    All,
    /// (path inside an element, text it must have)
    Where(String, String),
}

impl Step {
    fn apply<'a>(&self, value: &'a Value) -> Vec<&'a Value> {
        match (self, value) {
            (Self::Field(name), _) => value.get(name).into_iter().collect(),
            (Self::Index(index), Value::Array(items)) => {
                let at = if *index < 0 { items.len().checked_sub(index.unsigned_abs() as usize) } else { usize::try_from(*index).ok() };
                at.and_then(|at| items.get(at)).into_iter().collect()
            }
            (Self::All, Value::Array(items)) => items.iter().collect(),
            (Self::All, Value::Object(fields)) => fields.values().collect(),
            (Self::Where(path, wanted), Value::Array(items)) => {
                let is = |item: &&Value| {
                    first(item, path).is_some_and(|found| match found {
                        Value::String(text) => text == wanted,
                        other => serde_json::to_string(other).is_ok_and(|text| text == *wanted),
                    })
                };
                items.iter().filter(is).collect()
            }
            _ => Vec::new(),
        }
    }
}

fn steps(path: &str) -> Vec<Step> {
    let mut steps = Vec::new();
    let mut rest = path.trim().trim_start_matches('{').trim_end_matches('}').trim_start_matches('$');
    while !rest.is_empty() {
        if let Some(inner) = rest.strip_prefix('[') {
            let Some(end) = bracket_end(inner) else { break };
            steps.push(bracket(inner[..end].trim()));
            rest = &inner[end + 1..];
            continue;
        }
        rest = rest.strip_prefix('.').unwrap_or(rest);
        let end = field_end(rest);
        if end > 0 {
            let name = rest[..end].replace("\\.", ".");
            steps.push(if name == "*" { Step::All } else { Step::Field(name) });
        }
        rest = &rest[end..];
        if end == 0 && !rest.starts_with('[') && !rest.starts_with('.') {
            break;
        }
    }
    steps
}

/// Where a field name ends: at a dot that is not escaped, or at a bracket.
fn field_end(text: &str) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices() {
        if !escaped && (c == '.' || c == '[') {
            return at;
        }
        escaped = c == '\\' && !escaped;
    }
    text.len()
}

/// Where a bracket closes, brackets and quotes inside it passed over.
fn bracket_end(text: &str) -> Option<usize> {
    let (mut depth, mut quote) = (0, None);
    for (at, c) in text.char_indices() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (Some(_), _) => {}
            (None, '\'' | '"') => quote = Some(c),
            (None, '[') => depth += 1,
            (None, ']') if depth == 0 => return Some(at),
            (None, ']') => depth -= 1,
            _ => {}
        }
    }
    None
}

fn bracket(text: &str) -> Step {
    let unquoted = |text: &str| text.trim().trim_matches(|c| c == '\'' || c == '"').to_owned();
    if text == "*" {
        return Step::All;
    }
    if let Some(condition) = text.strip_prefix("?(").and_then(|text| text.strip_suffix(')')) {
        let (path, wanted) = condition.split_once("==").unwrap_or((condition, ""));
        return Step::Where(path.trim().trim_start_matches('@').to_owned(), unquoted(wanted));
    }
    text.parse().map_or_else(|_| Step::Field(unquoted(text)), Step::Index)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn paths_of_columns() {
        let object = json!({"spec": {"rows": [{"id": "x"}, {"id": "y"}]}, "status": {"conditions": [{"type": "A", "status": "False"}, {"type": "Ready", "status": "True"}]}, "metadata": {"labels": {"a.b/c": "d"}}});
        assert_eq!(first(&object, ".spec.rows[*].id"), Some(&json!("x")));
        assert_eq!(first(&object, ".spec.rows[1].id"), Some(&json!("y")));
        assert_eq!(first(&object, ".status.conditions[?(@.type==\"Ready\")].status"), Some(&json!("True")));
        assert_eq!(first(&object, ".metadata.labels.a\\.b/c"), Some(&json!("d")));
        assert_eq!(first(&object, ".spec.none"), None);
    }
}
