//! YAML of text areas: parsed with error locations, and formatted readably.

use serde_json::Value;

use super::control::YamlError;

/// Maximum length of the text. A larger config belongs in a file.
const LONGEST: usize = 128 << 10;
/// Maximum nesting depth. JSON parsers stop soon after.
const DEEPEST: usize = 50;

/// Parses one YAML document. JSON is also YAML.
///
/// # Errors
/// If the text is invalid, too long or too deep, with the location and a sentence.
pub fn read(text: &str) -> Result<Value, YamlError> {
    if text.len() > LONGEST {
        return Err(YamlError {
            line: 1,
            column: 1,
            text: String::new(),
            message: format!("Shorten the text to at most {} KiB.", LONGEST >> 10),
        });
    }
    let value: Value = serde_saphyr::from_str(text).map_err(|error| {
        let (line, column) = error.location().map_or((1, 1), |at| (at.line() as usize, at.column() as usize));
        let shown = text.lines().nth(line.saturating_sub(1)).unwrap_or_default().to_owned();
        YamlError { line, column, text: shown, message: format!("Fix line {line}, column {column}: it isn't valid YAML.") }
    })?;
    if is_deep(&value, DEEPEST) {
        let message = format!("Reduce the nesting: at most {DEEPEST} levels are allowed.");
        return Err(YamlError { line: 1, column: 1, text: String::new(), message });
    }
    Ok(value)
}

/// Whether a value is nested deeper than `levels`.
fn is_deep(value: &Value, levels: usize) -> bool {
    let deeper = |value: &Value| levels == 0 || is_deep(value, levels - 1);
    match value {
        Value::Array(items) => items.iter().any(deeper),
        Value::Object(fields) => fields.values().any(deeper),
        _ => false,
    }
}

/// Formats a value as YAML. A value that wouldn't parse back unchanged is formatted as JSON, which is also YAML.
pub fn write(value: &Value) -> String {
    let yaml = serde_saphyr::to_string(value).ok().filter(|text| read(text).as_ref() == Ok(value));
    yaml.unwrap_or_else(|| serde_json::to_string_pretty(value).unwrap_or_default())
}
