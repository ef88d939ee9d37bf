//! Field names that aren't valid identifiers: Kubernetes escapes them, `foo-bar` as `foo__dash__bar`.

const ESCAPES: [(&str, &str); 4] = [("__dot__", "."), ("__dash__", "-"), ("__slash__", "/"), ("__underscores__", "__")];

/// Reserved words that a field can have as its name; they are written between double underscores.
const KEYWORDS: [&str; 21] = [
    "true",
    "false",
    "null",
    "in",
    "as",
    "break",
    "const",
    "continue",
    "else",
    "for",
    "function",
    "if",
    "import",
    "let",
    "loop",
    "package",
    "namespace",
    "return",
    "var",
    "void",
    "while",
];

/// Returns the name that an escaped one stands for; `None` if it contains no escape.
///
/// A single underscore is an ordinary character: `my_field` stands for itself.
pub(crate) fn unescape(name: &str) -> Option<String> {
    if !name.contains("__") {
        return None;
    }
    if let Some(word) = name.strip_prefix("__").and_then(|rest| rest.strip_suffix("__"))
        && KEYWORDS.contains(&word)
    {
        return Some(word.to_owned());
    }
    let mut plain = String::with_capacity(name.len());
    let mut rest = name;
    while let Some(first) = rest.chars().next() {
        if let Some((escape, meaning)) = ESCAPES.iter().find(|(escape, _)| rest.starts_with(escape)) {
            plain.push_str(meaning);
            rest = &rest[escape.len()..];
        } else {
            plain.push(first);
            rest = &rest[first.len_utf8()..];
        }
    }
    Some(plain)
}
