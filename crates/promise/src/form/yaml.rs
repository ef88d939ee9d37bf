//! YAML of text areas: parsed with error locations, and formatted readably.

pub mod places;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::control::YamlError;

/// Maximum length of the text. A larger config belongs in a file.
const LONGEST: usize = 128 << 10;
/// Maximum nesting depth. JSON parsers stop soon after.
const DEEPEST: usize = 50;
/// Maximum length of a document with a schema.
const LONGEST_DOCUMENT: usize = 2 << 20;
/// Maximum nesting depth of such a document.
const DEEPEST_DOCUMENT: usize = 100;
/// Maximum number of errors that are reported together.
const MAX_PROBLEMS: usize = 10;

/// Parses one YAML document as `kubectl` and the API server do: both follow YAML 1.1, where `0400` is octal and `yes` is true. Comments are
/// skipped: the parser would buffer them, and reject a few dozen in a row.
///
/// # Errors
/// If the text isn't valid YAML.
pub fn parse<T: DeserializeOwned>(text: &str) -> Result<T, serde_saphyr::Error> {
    serde_saphyr::from_str_with_options(text, serde_saphyr::options! { legacy_octal_numbers: true, emit_comments: false })
}

/// Parses one YAML document. JSON is also YAML.
///
/// # Errors
/// If the text is invalid, too long or too deep, with the location and a sentence.
pub fn read(text: &str) -> Result<Value, YamlError> {
    read_up_to(text, LONGEST, DEEPEST)
}

/// Like [`read`], for a document that defines a schema: longer and deeper than a value.
///
/// # Errors
/// The same as [`read`].
pub fn read_document(text: &str) -> Result<Value, YamlError> {
    read_up_to(text, LONGEST_DOCUMENT, DEEPEST_DOCUMENT)
}

fn read_up_to(text: &str, longest: usize, deepest: usize) -> Result<Value, YamlError> {
    if text.len() > longest {
        return Err(YamlError {
            line: 1,
            column: 1,
            text: String::new(),
            message: format!("Shorten the text to at most {} KiB.", longest >> 10),
        });
    }
    let value: Value = parse(text).map_err(|error| {
        let (line, column) = error.location().map_or((1, 1), |at| (at.line() as usize, at.column() as usize));
        if let Some(message) = repeated(&error) {
            return YamlError { line, column, text: String::new(), message };
        }
        let shown = text.lines().nth(line.saturating_sub(1)).unwrap_or_default().to_owned();
        if is_not_finite(&shown, column) {
            let message = format!("Enter a finite number in line {line}: .inf and .nan can't be stored.");
            return YamlError { line, column, text: String::new(), message };
        }
        YamlError { line, column, text: shown, message: unclear(line, column) }
    })?;
    if is_deep(&value, deepest) {
        let message = format!("Reduce the nesting: at most {deepest} levels are allowed.");
        return Err(YamlError { line: 1, column: 1, text: String::new(), message });
    }
    Ok(value)
}

/// Returns how to fix a field that is given twice, if that is the error.
pub(crate) fn repeated(error: &serde_saphyr::Error) -> Option<String> {
    match error.without_snippet() {
        serde_saphyr::Error::DuplicateMappingKey { key: Some(key), .. } => {
            Some(format!("Remove the second {key}: a field can be given once."))
        }
        serde_saphyr::Error::DuplicateMappingKey { key: None, .. } => Some("Remove this field: it is given twice.".to_owned()),
        _ => None,
    }
}

/// Whether a line has a number at this column that JSON doesn't have.
fn is_not_finite(line: &str, column: usize) -> bool {
    let rest: String = line.chars().skip(column.saturating_sub(1)).collect();
    let rest = rest.trim_start_matches(['+', '-']).to_lowercase();
    rest.starts_with(".inf") || rest.starts_with(".nan")
}

/// Like [`read`], but reports all errors: the block of a line with an error is left out, and the rest is parsed again.
///
/// # Errors
/// The same as [`read`], in the order of lines. At least one.
pub fn read_all(text: &str) -> Result<Value, Vec<YamlError>> {
    let first = match read(text) {
        Ok(value) => return Ok(value),
        Err(error) => error,
    };
    let mut lines: Vec<&str> = text.lines().collect();
    let mut found = vec![YamlError { message: why(&first), ..first }];
    while found.len() < MAX_PROBLEMS {
        let Some(last) = found.last().map(|error| error.line).filter(|line| (1..=lines.len()).contains(line)) else { break };
        leave_out(&mut lines, last - 1);
        let left = lines.join("\n");
        match read(&left) {
            // An error before that line means that leaving it out didn't help: a bracket or a quotation mark is open.
            Err(error) if error.line > last => found.push(YamlError { message: why(&error), ..error }),
            Err(_) | Ok(_) => break,
        }
    }
    Err(found)
}

/// Empties a line and the lines that are indented more deeply below it.
fn leave_out(lines: &mut [&str], at: usize) {
    let indent = |line: &str| line.len() - line.trim_start().len();
    let Some(own) = lines.get(at).map(|line| indent(line)) else { return };
    lines[at] = "";
    for line in &mut lines[at + 1..] {
        if !line.trim().is_empty() && indent(line) <= own {
            break;
        }
        *line = "";
    }
}

/// The usual reason for a syntax error.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Cause {
    Tabs,
    Quote,
    Colon,
}

/// Returns the reason for a syntax error, if the line shows one.
fn cause(error: &YamlError) -> Option<Cause> {
    let text = &error.text;
    let lead = &text[..text.len() - text.trim_start().len()];
    let value = text.split_once(": ").map(|(_, value)| value.trim()).unwrap_or_default();
    if lead.contains('\t') {
        Some(Cause::Tabs)
    } else if text.matches('"').count() % 2 == 1 {
        Some(Cause::Quote)
    } else {
        (value.contains(": ") && !value.starts_with(['"', '\'', '{', '['])).then_some(Cause::Colon)
    }
}

/// Describes a syntax error with its usual reason, if the line shows one.
fn why(error: &YamlError) -> String {
    let YamlError { line, column, text, message } = error;
    match cause(error) {
        _ if text.is_empty() => message.clone(),
        Some(Cause::Tabs) => format!("Indent line {line} with spaces instead of tabs."),
        Some(Cause::Quote) => format!("Close the quotation mark in line {line}."),
        Some(Cause::Colon) => format!("Put the value in line {line} in quotation marks: it contains a colon."),
        None => unclear(*line, *column),
    }
}

/// Describes a syntax error without a known reason.
fn unclear(line: usize, column: usize) -> String {
    format!("Fix line {line}, column {column}: it isn't valid YAML.")
}

/// Describes an error for a page that shows its line and column beside the sentence.
pub fn sentence(error: &YamlError) -> String {
    match cause(error) {
        // It isn't about a line.
        _ if error.text.is_empty() && error.message != unclear(error.line, error.column) => error.message.clone(),
        Some(Cause::Tabs) => "Indent with spaces instead of tabs.".to_owned(),
        Some(Cause::Quote) => "Close the quotation mark.".to_owned(),
        Some(Cause::Colon) => "Put the value in quotation marks: it contains a colon.".to_owned(),
        None => "Fix this line: it isn't valid YAML.".to_owned(),
    }
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

/// Formats a value as YAML, with its fields in the order of its type. A value that wouldn't parse back unchanged is formatted as JSON, which
/// is also YAML.
pub fn write<T: Serialize>(value: &T) -> String {
    let Ok(plain) = serde_json::to_value(value) else { return String::new() };
    let yaml = serde_saphyr::to_string(value).ok().filter(|text| read(text).as_ref() == Ok(&plain));
    yaml.unwrap_or_else(|| serde_json::to_string_pretty(&plain).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{read, read_all, write};

    #[test]
    fn all_errors_are_reported_with_their_lines() {
        let text =
            "kind: Policy\nspec:\n  title: one: two\n  rules:\n  - name: a\n    validate:\n\t  message: no\n  - name: b\n    limit: x: y\n";
        let lines: Vec<usize> = read_all(text).unwrap_err().iter().map(|error| error.line).collect();
        assert_eq!(lines, [3, 7, 9]);
        assert_eq!(read_all("a: 1\nb: [2]\n"), read("a: 1\nb: [2]\n").map_err(|error| vec![error]));
    }

    #[test]
    fn values_are_those_of_kubectl() {
        // By sigs.k8s.io/yaml, which kubectl and the API server use (`goyaml.v2/resolve.go`).
        for (text, value) in [
            ("0400", json!(256)),
            ("0o400", json!(256)),
            ("0x1F", json!(31)),
            ("0b11", json!(3)),
            ("1_000", json!(1000)),
            ("0", json!(0)),
            ("-0400", json!(-256)),
            ("yes", json!(true)),
            ("Off", json!(false)),
            ("~", json!(null)),
            ("2026-11-26", json!("2026-11-26")),
            ("2026-11-26T10:00:00Z", json!("2026-11-26T10:00:00Z")),
            ("1.50", json!(1.5)),
            ("1e3", json!(1000.0)),
            ("'0400'", json!("0400")),
            ("0400.5", json!(400.5)),
            ("10.0.0.0", json!("10.0.0.0")),
        ] {
            assert_eq!(read(&format!("a: {text}\n")).unwrap()["a"], value, "{text}");
        }
        for text in ["0400", "yes", "0b1", "1_000", "~", "0o7", "08"] {
            assert_eq!(read(&write(&json!({"a": text}))).unwrap(), json!({"a": text}));
        }
    }

    #[test]
    fn a_number_that_json_lacks_gets_a_sentence_with_its_place() {
        for (text, line, column) in [("a: .inf\n", 1, 4), ("a: 1\nb:\n  - 2\n  - -.Inf\n", 4, 5), ("{a: 1, b: .NaN}", 1, 11)] {
            let error = read_all(text).unwrap_err().remove(0);
            assert_eq!((error.line, error.column), (line, column));
            assert_eq!(error.message, format!("Enter a finite number in line {line}: .inf and .nan can't be stored."));
        }
        for text in ["a: .info\n", "a: '.inf'\n", "a: |\n  .inf\n  .nan\n"] {
            assert!(read(text).is_ok(), "{text}");
        }
    }

    #[test]
    fn an_error_that_stays_is_reported_once() {
        assert_eq!(read_all("a: 1\nb: [2\nc: 3\n").unwrap_err().len(), 1);
    }
}
