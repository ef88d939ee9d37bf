//! Bodies: JSON and YAML, and what they are read as.

use devplane::fuzzing;

use crate::bytes::Bytes;

const WORDS: &[&str] = &[
    "{",
    "}",
    "[",
    "]",
    ":",
    ",",
    "\"",
    "a",
    "b",
    "apiVersion",
    "kind",
    "metadata",
    "name",
    "- ",
    "\n",
    "  ",
    "\n  ",
    "\n    ",
    ": ",
    "&a ",
    "*a",
    "<<: *a",
    "---\n",
    "...\n",
    "|\n",
    ">-\n",
    "'",
    "!!binary ",
    "!!str ",
    "# ",
    "? ",
    "null",
    "~",
    "true",
    "yes",
    "1",
    "1e3",
    "1.0",
    "0x1f",
    "0o7",
    ".inf",
    ".nan",
    "-",
    "\t",
    "\\u0000",
    "\\ud800",
    "\u{feff}",
    "1e400",
    "123456789012345678901234567890",
    "\"a\":",
    "{\"a\":",
];

/// Reads a body in both forms.
pub(crate) fn run(data: &[u8]) {
    let mut bytes = Bytes::new(data, WORDS);
    let text = if bytes.one_in(2) {
        data.get(1..).unwrap_or_default().to_vec()
    } else {
        let mut text = String::new();
        while !bytes.is_empty() {
            text.push_str(&bytes.text());
        }
        text.into_bytes()
    };
    let json = fuzzing::body(&text, "application/json");
    if let Some(value) = &json {
        let again = fuzzing::body(value.to_string().as_bytes(), "application/json");
        assert_eq!(again.as_ref(), Some(value), "written and read it is another");
    }
    let yaml = fuzzing::body(&text, "application/yaml");
    if let Some(value) = yaml {
        fuzzing::yaml(&value);
    }
}
