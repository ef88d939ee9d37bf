//! Literals of named types in the expressions of mutating policies, such as `JSONPatch{op: "add"}` and `Object.spec{a: 1}`.
//! Source: apiserver `cel/mutation`.
//!
//! The types only say what a value is for; here they become maps, which is what they are as JSON. The pass works on the text,
//! because the expression language itself knows no such types.

/// The expression with each literal of `Object…` or `JSONPatch` as a map literal.
pub fn as_maps(expression: &str) -> String {
    let mut rewritten = String::with_capacity(expression.len() + 32);
    // For each open bracket, whether it is that of a literal whose field names need quotes.
    let mut open: Vec<bool> = Vec::new();
    let mut rest = expression;
    let mut entry_starts = false;
    while let Some(first) = rest.chars().next() {
        if let Some(length) = text_length(rest) {
            rewritten.push_str(&rest[..length]);
            rest = &rest[length..];
            entry_starts = false;
        } else if first.is_alphabetic() || first == '_' {
            let length = name_length(rest);
            let name = &rest[..length];
            let after = rest[length..].trim_start();
            let root = name.split('.').next().unwrap_or_default();
            if after.starts_with('{') && (root == "Object" || name == "JSONPatch") {
                rewritten.push('{');
                open.push(true);
                rest = &after[1..];
                entry_starts = true;
                continue;
            }
            if entry_starts && after.starts_with(':') {
                rewritten.push_str(&format!("{name:?}"));
            } else {
                rewritten.push_str(name);
            }
            rest = &rest[length..];
            entry_starts = false;
        } else {
            match first {
                '{' | '[' | '(' => open.push(false),
                '}' | ']' | ')' => drop(open.pop()),
                _ => {}
            }
            if !first.is_whitespace() {
                entry_starts = first == ',' && open.last() == Some(&true);
            }
            rewritten.push(first);
            rest = &rest[first.len_utf8()..];
        }
    }
    rewritten
}

/// The length of the string literal that the text starts with; one that is not closed reaches to the end.
fn text_length(text: &str) -> Option<usize> {
    let quote = text.chars().next().filter(|first| *first == '"' || *first == '\'')?;
    let mut escaped = false;
    for (at, character) in text.char_indices().skip(1) {
        match character {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            _ if character == quote => return Some(at + 1),
            _ => {}
        }
    }
    Some(text.len())
}

/// The length of the name with dots that the text starts with.
fn name_length(text: &str) -> usize {
    let end = text.find(|character: char| !(character.is_alphanumeric() || character == '_' || character == '.'));
    text[..end.unwrap_or(text.len())].trim_end_matches('.').len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn typed_literals_become_maps() {
        assert_eq!(
            as_maps(r#"[JSONPatch{op: "add", path: "/spec/a", value: Object.spec.a{name: request.userInfo.username, list: [x, y]}}]"#),
            r#"[{"op": "add", "path": "/spec/a", "value": {"name": request.userInfo.username, "list": [x, y]}}]"#
        );
    }

    #[test]
    fn everything_else_stays() {
        for expression in
            [r#"has(object.spec) ? {"a": b} : {}"#, "object.x == 'JSONPatch{op: 1}'", "a ? b : c", r#""Object{a: \"b\"}" + x"#]
        {
            assert_eq!(as_maps(expression), expression);
        }
    }
}
