//! Texts with a form of their own inside of objects: quantities, paths of columns, patterns, formats.

use devplane::fuzzing;
use schema::{pattern, structural::Schema};
use serde_json::{Value, json};

use crate::bytes::Bytes;

const WORDS: &[&str] = &[
    "1",
    "0",
    "9",
    ".",
    "-",
    "+",
    "e",
    "E",
    "Ki",
    "Mi",
    "Gi",
    "Ti",
    "Pi",
    "Ei",
    "n",
    "u",
    "m",
    "k",
    "M",
    "G",
    "9999999999",
    "e99",
    "e-99",
    "[",
    "]",
    "[*]",
    "{",
    "}",
    "(",
    ")",
    "|",
    "*",
    "?",
    "^",
    "$",
    "\\",
    "\\d",
    "\\b",
    "{2,9}",
    "a",
    "b",
    "[a-z]",
    "(?i)",
    "(?:",
    ".a",
    ".b",
    "['a']",
    "[?(@.a==\"b\")]",
    "[-1]",
    "[0]",
    "@",
    "T",
    "Z",
    ":",
    "2026-01-01",
    "10:00:00",
    "P1D",
    "1h",
    "::1",
    "127.0.0.1",
    "/24",
];

/// Reads a text as each of them.
pub(crate) fn run(data: &[u8]) {
    let mut bytes = Bytes::new(data, WORDS);
    let format = bytes.one_of(&[
        "date-time",
        "date",
        "duration",
        "byte",
        "uri",
        "ipv4",
        "ipv6",
        "cidr",
        "email",
        "uuid",
        "mac",
        "hostname",
        "int32",
        "int64",
    ]);
    let length = bytes.byte();
    let text: String = (0..length).map_while(|_| (!bytes.is_empty()).then(|| bytes.text())).collect();
    if let Some(canonical) = fuzzing::quantity(&text) {
        assert_eq!(fuzzing::quantity(&canonical).as_ref(), Some(&canonical), "the canonical form of {text:?} has another");
    }
    let other = bytes.rest();
    if let Ok(pattern) = pattern::compile(&text) {
        pattern.is_match(&other);
    }
    let object = json!({"a": [{"a": "b", "b": 1}, {"a": 2}], "b": {"a": {"b": [[1], [2]]}}});
    fuzzing::column(&object, &text);
    let schema = Schema::parse_lenient(&json!({"type": "string", "format": format}));
    schema.validate(&Value::from(text));
}
