//! Converts the API server's field texts, such as `spec.ports[0].name`, back to paths.

use serde_json::Value;

use crate::path::{Path, Segment};

/// Returns the path that a field text means in `value`.
///
/// Keys of maps can contain dots, and the text is ambiguous: the longest key that exists wins.
pub(crate) fn path(field: &str, value: &Value) -> Path {
    let mut segments = Vec::new();
    let mut rest = if field == schema::structural::NO_FIELD { "" } else { field };
    let mut at = Some(value);
    while !rest.is_empty() {
        let segment;
        (segment, rest) = next(rest, at);
        at = match (&segment, at) {
            (Segment::Key(key), Some(value)) => value.get(key),
            (Segment::Index(index), Some(value)) => value.get(index),
            _ => None,
        };
        segments.push(segment);
    }
    Path(segments)
}

fn next<'t>(text: &'t str, at: Option<&Value>) -> (Segment, &'t str) {
    if let Some(inner) = text.strip_prefix('[')
        && let Some(first) = inner.find(']')
    {
        let closes = |rest: &str| rest.starts_with(']');
        let end = known(inner, at, closes).unwrap_or(first);
        let (key, rest) = (&inner[..end], &inner[end + 1..]);
        let segment = match key.parse() {
            Ok(index) if !at.is_some_and(Value::is_object) => Segment::Index(index),
            _ => Segment::Key(key.to_owned()),
        };
        return (segment, rest);
    }
    let body = text.strip_prefix('.').unwrap_or(text);
    let ends_here = |rest: &str| rest.is_empty() || rest.starts_with(['.', '[']);
    let end = known(body, at, ends_here).unwrap_or_else(|| body.find(['.', '[']).unwrap_or(body.len()));
    // An empty segment would never end. It can only come from a text that isn't a field.
    let end = if end == 0 { body.len() } else { end };
    (Segment::Key(body[..end].to_owned()), &body[end..])
}

/// Returns the length of the longest key of the present object that the text starts with.
fn known(text: &str, at: Option<&Value>, ends_here: impl Fn(&str) -> bool) -> Option<usize> {
    let keys = at.and_then(Value::as_object)?.keys().filter(|key| !key.is_empty());
    keys.filter(|key| text.strip_prefix(key.as_str()).is_some_and(&ends_here)).map(String::len).max()
}

#[cfg(test)]
mod tests {
    use super::path;
    use serde_json::json;

    #[test]
    fn finds_keys_with_dots_where_they_are() {
        let value = json!({"labels": {"app.kubernetes.io/name": 1, "app": {"x": 1}}, "ports": [{"name": 1}]});
        assert_eq!(path("labels.app.kubernetes.io/name", &value).to_string(), ".labels[\"app.kubernetes.io/name\"]");
        assert_eq!(path("labels.app.x", &value).to_string(), ".labels.app.x");
        assert_eq!(path("ports[0].name", &value).to_string(), ".ports[0].name");
        assert_eq!(path("ports[0].missing", &value).to_string(), ".ports[0].missing");
        let schema = json!({"properties": {"a]b": {"items": {}}, "0": {"allOf": [{}]}}});
        assert_eq!(path("properties[a]b].items.type", &schema).to_string(), ".properties.a]b.items.type");
        assert_eq!(path("properties[0].allOf[0].type", &schema).to_string(), ".properties.0.allOf[0].type");
        assert_eq!(path("<nil>", &value).to_string(), "");
        assert_eq!(path("..", &value).to_string(), "[\".\"]");
    }
}
