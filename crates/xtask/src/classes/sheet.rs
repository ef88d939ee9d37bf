//! Reads the class selectors of style sheets.

/// Returns the classes that rules of a style sheet select, with their lines from 1.
pub fn selected(sheet: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    let (mut line, mut start, mut prelude, mut rest) = (1, 1, String::new(), sheet);
    while let Some(next) = rest.chars().next() {
        let length = match next {
            '/' if rest.starts_with("/*") => rest.find("*/").map_or(rest.len(), |end| end + 2),
            '"' | '\'' => rest.get(1..).and_then(|text| text.find(next)).map_or(rest.len(), |end| end + 2),
            '\\' => 1 + rest.chars().nth(1).map_or(0, char::len_utf8),
            _ => next.len_utf8(),
        };
        let (read, left) = rest.split_at(length);
        match next {
            '/' if length > 1 => {}
            '"' | '\'' => {}
            '{' => {
                if !prelude.trim_start().starts_with('@') {
                    classes(&prelude, start, &mut found);
                }
                prelude.clear();
            }
            '}' | ';' => prelude.clear(),
            _ => {
                if prelude.is_empty() {
                    start = line;
                }
                prelude.push_str(read);
            }
        }
        line += read.matches('\n').count();
        rest = left;
    }
    found
}

/// Adds the classes of a selector.
fn classes(selector: &str, line: usize, found: &mut Vec<(usize, String)>) {
    let mut rest = selector;
    while let Some(at) = rest.find('.') {
        let lines = line + selector.get(..selector.len() - rest.len() + at).unwrap_or_default().matches('\n').count();
        let after = rest.get(at + 1..).unwrap_or_default();
        let (name, left) = identifier(after);
        // A digit is part of a number, such as in `(width < 1.5rem)`.
        if !name.is_empty() && !after.starts_with(|first: char| first.is_ascii_digit()) {
            found.push((lines, name));
        }
        rest = left;
    }
}

/// Returns the identifier at the start, without its escapes, and what follows.
fn identifier(text: &str) -> (String, &str) {
    let (mut name, mut rest) = (String::new(), text);
    while let Some(next) = rest.chars().next() {
        let after = rest.get(next.len_utf8()..).unwrap_or_default();
        if next == '\\' {
            let digits = after.chars().take(6).take_while(char::is_ascii_hexdigit).count();
            let (hex, left) = after.split_at(digits);
            match u32::from_str_radix(hex, 16).ok().and_then(char::from_u32) {
                Some(letter) => {
                    name.push(letter);
                    rest = left.strip_prefix(' ').unwrap_or(left);
                }
                None => {
                    name.extend(after.chars().next());
                    rest = after.get(after.chars().next().map_or(0, char::len_utf8)..).unwrap_or_default();
                }
            }
        } else if next.is_alphanumeric() || next == '-' || next == '_' {
            name.push(next);
            rest = after;
        } else {
            break;
        }
    }
    (name, rest)
}

/// Returns the content of a layer of a style sheet, as the build writes it.
pub fn layer<'a>(sheet: &'a str, name: &str) -> &'a str {
    let Some((_, content)) = sheet.split_once(&format!("@layer {name}{{")) else { return "" };
    let mut depth = 1_usize;
    for (at, letter) in content.char_indices() {
        match letter {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return content.get(..at).unwrap_or_default();
        }
    }
    content
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn class_selectors_are_found_with_their_lines() {
        let sheet = "/* .no { */\n@layer parts {\n  .a > .b:not(.c), p.d { margin: .5rem; background: url(\"x.svg\"); }\n  @media (max-width: 1.5rem) {\n    .e::before,\n    .f { content: \".g {\"; } }\n}";
        let found = selected(sheet);
        let expected = [(3, "a"), (3, "b"), (3, "c"), (3, "d"), (5, "e"), (6, "f")];
        assert_eq!(found, expected.map(|(line, name)| (line, name.to_owned())));
    }

    #[test]
    fn escapes_are_read_and_layers_told_apart() {
        let sheet = "@layer parts{.a{color:red}}@layer utilities{.max-md\\:p-2{padding:1px}@media print{.grid-cols-\\[1fr_auto\\]{x:y}}.\\32 xl{a:b}}.z{c:d}";
        let found: Vec<String> = selected(layer(sheet, "utilities")).into_iter().map(|(_, name)| name).collect();
        assert_eq!(found, ["max-md:p-2", "grid-cols-[1fr_auto]", "2xl"]);
        assert_eq!(layer(sheet, "none"), "");
    }
}
