//! YAML of text areas: read with the place of what is wrong, written as people would.

use serde_json::Value;

use super::control::YamlError;

/// Most letters that are read; a config of more belongs into a file.
const LONGEST: usize = 128 << 10;
/// Most levels inside each other; JSON readers stop soon after.
const DEEPEST: usize = 50;

/// Reads one document of YAML (or JSON, which is YAML).
///
/// # Errors
/// It is none, or too long, or too deep; with the place and a sentence.
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
        YamlError { line, column, text: shown, message: format!("Correct line {line}, column {column}: it cannot be read as YAML.") }
    })?;
    if is_deep(&value, DEEPEST) {
        let message = format!("Write it flatter: at most {DEEPEST} levels stand inside each other.");
        return Err(YamlError { line: 1, column: 1, text: String::new(), message });
    }
    Ok(value)
}

/// Whether something lies deeper than `levels`.
fn is_deep(value: &Value, levels: usize) -> bool {
    let deeper = |value: &Value| levels == 0 || is_deep(value, levels - 1);
    match value {
        Value::Array(items) => items.iter().any(deeper),
        Value::Object(fields) => fields.values().any(deeper),
        _ => false,
    }
}

/// Writes a value as YAML; what would not come back as it is, is written as JSON, which is YAML too.
pub fn write(value: &Value) -> String {
    let yaml = serde_saphyr::to_string(value).ok().filter(|text| read(text).as_ref() == Ok(value));
    yaml.unwrap_or_else(|| serde_json::to_string_pretty(value).unwrap_or_default())
}
