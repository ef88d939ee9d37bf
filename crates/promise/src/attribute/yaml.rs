//! YAML scalars.

use serde_json::Value;

/// Writes a scalar, an empty list or an empty object on one line.
pub(super) fn scalar(value: &Value) -> String {
    match value {
        Value::String(text) => string(text),
        other => other.to_string(),
    }
}

/// Writes the name of a field.
pub(super) fn key(name: &str) -> String {
    string(name)
}

/// Returns the block indicator for a text that can be written as a block. Returns nothing for one that needs quotes.
pub(super) fn block(text: &str) -> Option<&'static str> {
    let readable = text.chars().all(|letter| letter == '\n' || is_plain(letter));
    let mut lines = text.strip_suffix('\n').unwrap_or(text).split('\n');
    let kept = lines.clone().all(|line| !line.starts_with([' ', '\t']) || !line.trim().is_empty());
    let first = lines.clone().next().unwrap_or_default();
    let last = lines.next_back().unwrap_or_default();
    let framed = !first.is_empty() && !first.starts_with([' ', '\t']) && !last.is_empty();
    (text.contains('\n') && readable && kept && framed).then(|| if text.ends_with('\n') { "|" } else { "|-" })
}

/// Whether a character can be written in plain YAML.
fn is_plain(letter: char) -> bool {
    !letter.is_control() && !matches!(letter, '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}')
}

fn string(text: &str) -> String {
    if needs_quotes(text) { quoted(text) } else { text.to_owned() }
}

/// Whether an unquoted text would be parsed as something else, or not at all.
fn needs_quotes(text: &str) -> bool {
    let starts = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '/' | '_' | '.' | '(');
    let goes_on = |letter: char| {
        letter.is_ascii_alphanumeric() || matches!(letter, ' ' | '_' | '-' | '.' | '/' | ':' | '@' | '+' | '=' | ',' | '(' | ')')
    };
    let word = ["true", "false", "null", "yes", "no", "on", "off", "y", "n", "nan"].contains(&text.to_ascii_lowercase().as_str());
    // Anything that might be a number or a time in any YAML version: digits with the letters of exponents, radixes and infinity.
    let number = text.starts_with(|letter: char| letter.is_ascii_digit() || letter == '.')
        && text.to_ascii_lowercase().bytes().all(|byte| byte.is_ascii_hexdigit() || b"xo_+-.:tz infs,".contains(&byte));
    word || number || !text.starts_with(starts) || !text.chars().all(goes_on) || text.ends_with([' ', ':']) || text.contains(": ")
}

fn quoted(text: &str) -> String {
    let mut written = String::from('"');
    for letter in text.chars() {
        match letter {
            '"' => written.push_str("\\\""),
            '\\' => written.push_str("\\\\"),
            '\n' => written.push_str("\\n"),
            '\t' => written.push_str("\\t"),
            plain if is_plain(plain) => written.push(plain),
            other => written.push_str(&match u32::from(other) {
                code @ ..=0xffff => format!("\\u{code:04x}"),
                code => format!("\\U{code:08x}"),
            }),
        }
    }
    written.push('"');
    written
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::Value;

    use super::{block, scalar};

    fn reads_as(text: &str) {
        let written = format!("a: {}\n", scalar(&Value::from(text)));
        let read: Value = serde_saphyr::from_str(&written).unwrap_or_else(|error| panic!("{written}: {error}"));
        assert_eq!(read["a"], text, "{written}");
        if let Some(mark) = block(text) {
            let body: String = text.strip_suffix('\n').unwrap_or(text).split('\n').map(|line| format!("  {line}\n")).collect();
            let written = format!("a: {mark}\n{body}b: 1\n");
            let read: Value = serde_saphyr::from_str(&written).unwrap_or_else(|error| panic!("{written}: {error}"));
            assert_eq!(read["a"], text, "{written}");
        }
    }

    #[test]
    fn what_looks_like_something_else_is_quoted() {
        for text in [
            "",
            " ",
            "a",
            "16",
            "1e5",
            "0x1f",
            ".5",
            ".inf",
            "1_000",
            "2026-01-01",
            "12:30:45",
            "true",
            "Yes",
            "null",
            "~",
            "-",
            "- a",
            "a: b",
            "a:",
            "a #b",
            "#",
            "&a",
            "*a",
            "!a",
            "10Gi",
            "a,b",
            "[a]",
            "{a}",
            "'",
            "\"",
            "\\",
            "a\nb",
            "a\nb\n",
            "a\n\nb\n\n",
            "\n",
            "\na",
            " a\nb",
            "a\n b",
            "a\n \nb",
            "\u{7f}",
            "\u{85}",
            "\u{2028}",
            "\u{feff}a",
            "\t",
            "a\tb",
            "😀",
            "é",
            "=",
            "<<",
            "a\r\nb",
            "0o17",
            "0b1",
            "1,000",
            "%a",
            "@a",
            "`a",
            "ghcr.io/a/b:17",
            "(known after apply)",
            "...",
            "---",
            ".",
            "..",
        ] {
            reads_as(text);
        }
        assert_eq!(scalar(&Value::from("10Gi")), "10Gi");
        assert_eq!(scalar(&Value::from("ghcr.io/a/b:17")), "ghcr.io/a/b:17");
        assert_eq!(scalar(&Value::from("17")), "\"17\"");
    }

    proptest! {
        #[test]
        fn every_text_reads_as_itself(text in "[ -~\\n\\t]{0,30}|\\PC{0,12}|[0-9a-fxo:.,_+-]{1,8}") {
            reads_as(&text);
        }
    }
}
