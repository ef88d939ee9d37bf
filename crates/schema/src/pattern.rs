//! Regular expressions as the API server reads them: RE2's syntax and its ASCII meaning of `\d`, `\w`, `\s` and `\b`, matched in linear
//! time.
//!
//! The expression is rewritten into the syntax of the crate `regex`, which differs in these points: perl classes are Unicode, a lone brace
//! is an error, `\Q…\E` is unknown, and classes can be nested and have set operators.

use std::collections::HashMap;
use std::iter::Peekable;
use std::str::Chars;

use regex::Regex;

/// Maximum compiled size of one expression in bytes: enough for Unicode letter classes repeated a few hundred times.
const COMPILED_LIMIT: usize = 10 << 20;
/// The same for expressions that are compiled during an evaluation, possibly many of them.
const COMPILED_OFTEN_LIMIT: usize = 2 << 20;
/// Maximum compiled size of all expressions of one schema, in bytes.
const COMPILED_TOGETHER: usize = 64 << 20;
/// Size steps in bytes by which a schema's expressions are counted: each counts as the smallest step that it fits in.
const COMPILED_SIZES: [usize; 4] = [16 << 10, 256 << 10, 2 << 20, COMPILED_LIMIT];

/// Compiles an expression.
///
/// # Errors
/// The reason as RE2 words it, such as ``error parsing regexp: missing closing ): `(` ``.
pub fn compile(pattern: &str) -> Result<Regex, String> {
    compile_within(pattern, COMPILED_LIMIT)
}

/// Like [`compile`], with the limit for expressions that can be compiled in a loop.
pub(crate) fn compile_often(pattern: &str) -> Result<Regex, String> {
    compile_within(pattern, COMPILED_OFTEN_LIMIT)
}

/// Remaining compiled size for the expressions of one schema. An expression that occurs more than once counts once.
pub(crate) struct Allowance {
    left: usize,
    known: HashMap<String, Regex>,
}

impl Default for Allowance {
    fn default() -> Self {
        Self { left: COMPILED_TOGETHER, known: HashMap::new() }
    }
}

impl Allowance {
    /// Like [`compile`], as long as there is space left.
    pub(crate) fn compile(&mut self, pattern: &str) -> Result<Regex, String> {
        if let Some(known) = self.known.get(pattern) {
            return Ok(known.clone());
        }
        let translated = translate(pattern);
        for size in COMPILED_SIZES {
            if size > self.left {
                break;
            }
            match regex::RegexBuilder::new(&translated).size_limit(size).build() {
                Ok(regex) => {
                    self.left -= size;
                    self.known.insert(pattern.to_owned(), regex.clone());
                    return Ok(regex);
                }
                // An expression that is too large for any step has cost as much as one that fits.
                Err(error @ regex::Error::CompiledTooBig(_)) if size == COMPILED_LIMIT => {
                    self.left -= size;
                    return Err(reason(pattern, &error));
                }
                Err(regex::Error::CompiledTooBig(_)) => {}
                Err(error) => return Err(reason(pattern, &error)),
            }
        }
        Err(format!("error parsing regexp: expression too large together with those before it: `{pattern}`"))
    }
}

fn compile_within(pattern: &str, bytes: usize) -> Result<Regex, String> {
    regex::RegexBuilder::new(&translate(pattern)).size_limit(bytes).build().map_err(|error| reason(pattern, &error))
}

/// Words an error as RE2 does. `regex::Error` has the kind only as text: the `Display` of `regex_syntax::ast::ErrorKind`.
fn reason(pattern: &str, error: &regex::Error) -> String {
    let text = error.to_string();
    if text.contains("look-around")
        && let Some(said) = look_around(pattern)
    {
        return format!("error parsing regexp: {said}");
    }
    let known = [
        ("unclosed group", "missing closing )"),
        ("unopened group", "unexpected )"),
        ("unclosed character class", "missing closing ]"),
        ("repetition operator missing expression", "missing argument to repetition operator"),
        ("look-around", "invalid or unsupported Perl syntax"),
        ("unrecognized escape sequence", "invalid escape sequence"),
        ("backreferences are not supported", "invalid escape sequence"),
        ("invalid character class range", "invalid character class range"),
        ("exceeds size limit", "expression too large"),
    ];
    let cause = known.iter().find(|(ours, _)| text.contains(ours)).map_or("invalid syntax", |(_, theirs)| theirs);
    format!("error parsing regexp: {cause}: `{pattern}`")
}

/// Returns RE2's error for the first look-around: it reads the start of a look-behind as the start of a named group.
fn look_around(pattern: &str) -> Option<String> {
    let from = ["(?=", "(?!", "(?<=", "(?<!"].iter().filter_map(|begin| pattern.find(begin)).min()?;
    let rest = &pattern[from..];
    if !rest.starts_with("(?<") {
        return Some(format!("invalid or unsupported Perl syntax: `{}`", &rest[..3]));
    }
    let end = rest.find('>').map_or(rest.len(), |end| end + 1);
    Some(format!("invalid named capture: `{}`", &rest[..end]))
}

fn translate(pattern: &str) -> String {
    let mut out = String::with_capacity(pattern.len() + 8);
    let mut rest = pattern.chars().peekable();
    while let Some(character) = rest.next() {
        match character {
            '\\' => escape(&mut rest, &mut out, false),
            '[' => class(&mut rest, &mut out),
            '{' if !is_repetition(rest.clone()) => out.push_str("\\{"),
            '(' if rest.clone().take(2).eq("?<".chars()) && !rest.clone().nth(2).is_some_and(|next| next == '=' || next == '!') => {
                out.push_str("(?P<");
                rest.nth(1);
            }
            other => out.push(other),
        }
    }
    out
}

/// Whether the text after a brace is a count such as `3}`, `3,}` or `3,5}`.
fn is_repetition(rest: Peekable<Chars<'_>>) -> bool {
    let mut closed = false;
    let inside: String = rest
        .take_while(|character| {
            closed = *character == '}';
            character.is_ascii_digit() || *character == ','
        })
        .collect();
    let (from, to) = inside.split_once(',').unwrap_or((&inside, ""));
    closed && !from.is_empty() && from.bytes().chain(to.bytes()).all(|byte| byte.is_ascii_digit())
}

fn escape(rest: &mut Peekable<Chars<'_>>, out: &mut String, in_class: bool) {
    let Some(character) = rest.next() else {
        out.push('\\');
        return;
    };
    let (ascii, negated) = match character {
        'd' => ("0-9", false),
        'D' => ("0-9", true),
        'w' => ("0-9A-Za-z_", false),
        'W' => ("0-9A-Za-z_", true),
        's' => ("\\t\\n\\f\\r ", false),
        'S' => ("\\t\\n\\f\\r ", true),
        'b' if !in_class => {
            out.push_str("(?-u:\\b)");
            return;
        }
        'Q' if !in_class => {
            literal(rest, out);
            return;
        }
        // A Unicode class or a code point: the text in its braces belongs to it.
        'p' | 'P' | 'x' if rest.peek() == Some(&'{') => {
            out.push('\\');
            out.push(character);
            for inner in rest.by_ref() {
                out.push(inner);
                if inner == '}' {
                    break;
                }
            }
            return;
        }
        plain if plain.is_ascii() && !plain.is_ascii_alphanumeric() => {
            out.push_str(&regex::escape(plain.encode_utf8(&mut [0; 4])));
            return;
        }
        other => {
            out.push('\\');
            out.push(other);
            return;
        }
    };
    match (in_class, negated) {
        (true, false) => out.push_str(ascii),
        (_, true) => {
            out.push_str("[^");
            out.push_str(ascii);
            out.push(']');
        }
        (false, false) => {
            out.push('[');
            out.push_str(ascii);
            out.push(']');
        }
    }
}

/// Copies the text between `\Q` and `\E`, escaped.
fn literal(rest: &mut Peekable<Chars<'_>>, out: &mut String) {
    while let Some(character) = rest.next() {
        if character == '\\' && rest.peek() == Some(&'E') {
            rest.next();
            return;
        }
        out.push_str(&regex::escape(character.encode_utf8(&mut [0; 4])));
    }
}

fn class(rest: &mut Peekable<Chars<'_>>, out: &mut String) {
    out.push('[');
    if rest.peek() == Some(&'^') {
        rest.next();
        out.push('^');
    }
    let mut first = true;
    while let Some(character) = rest.next() {
        match character {
            ']' if !first => {
                out.push(']');
                return;
            }
            ']' => out.push_str("\\]"),
            '\\' => escape(rest, out, true),
            '[' if rest.peek() == Some(&':') => {
                out.push('[');
                for inner in rest.by_ref() {
                    out.push(inner);
                    if inner == ']' {
                        break;
                    }
                }
            }
            '[' => out.push_str("\\["),
            '&' | '~' if rest.peek() == Some(&character) => {
                out.push('\\');
                out.push(character);
            }
            '-' if rest.peek() == Some(&'-') => out.push_str("\\-"),
            other => out.push(other),
        }
        first = false;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_expressions_as_re2_does() {
        let cases = [
            (r"^\d+$", "١", false),
            (r"^\d+$", "12", true),
            (r"^\w+$", "é", false),
            (r"^[\w-]+$", "a-b", true),
            (r"^[^\s]+$", "ab", true),
            (r"^[^\d]$", "1", false),
            (r"^[\W]$", "é", true),
            (r"^a{,2}$", "a{,2}", true),
            (r"^a{2,3}$", "aaa", true),
            (r"^\Qa.b\E$", "a.b", true),
            (r"^\Qa.b\E$", "axb", false),
            (r"^\p{L}+$", "é", true),
            (r"^\p{Lu}\P{Lu}$", "Éé", true),
            (r"^\pL$", "é", true),
            (r"^[\p{L} ]+$", "é a", true),
            (r"^\x{E9}$", "é", true),
            (r"^\x41$", "A", true),
            (r"^a{2x}$", "a{2x}", true),
            (r"^a{2}}$", "aa}", true),
            (r"^a{$", "a{", true),
            (r"^a\ b$", "a b", true),
            (r"^[[a]$", "[", true),
            (r"^[a&&b]+$", "&", true),
            (r"^[]a]$", "]", true),
            (r"^[[:alpha:]]+$", "ab", true),
            (r"^\/\-\_$", "/-_", true),
            (r"^(?<x>a)$", "a", true),
            (r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$", "a.b-c", true),
            (r"\bfoo\b", "a foo b", true),
        ];
        for (pattern, text, matches) in cases {
            assert_eq!(compile(pattern).unwrap().is_match(text), matches, "{pattern} on {text}");
        }
    }

    #[test]
    fn large_classes_may_be_counted() {
        assert!(compile(r"^[\p{L}0-9 ]{1,63}$").unwrap().is_match("größe"));
        assert!(compile_often(r"^[\p{L}0-9 ]{1,1000}$").is_err());
    }

    #[test]
    fn the_expressions_of_a_schema_have_one_allowance() {
        let mut patterns = Allowance { left: 1 << 20, ..Allowance::default() };
        for _ in 0..1000 {
            assert!(patterns.compile("^[a-z]+$").is_ok(), "the same one counts once");
        }
        let taken = (0..1000).take_while(|count| patterns.compile(&format!("^[a-z]{{{count},}}$")).is_ok()).count();
        assert!((1..64).contains(&taken), "{taken}");
        let refused = patterns.compile("^b$").unwrap_err();
        assert_eq!(refused, "error parsing regexp: expression too large together with those before it: `^b$`");
        assert!(patterns.compile("^[a-z]+$").is_ok(), "what is there stays");
        assert_eq!(Allowance::default().compile("(").unwrap_err(), compile("(").unwrap_err());
    }

    #[test]
    fn refusals_read_like_those_of_the_api_server() {
        assert_eq!(compile("(").unwrap_err(), "error parsing regexp: missing closing ): `(`");
        assert_eq!(compile("a)").unwrap_err(), "error parsing regexp: unexpected ): `a)`");
        assert_eq!(compile("(?=a)b").unwrap_err(), "error parsing regexp: invalid or unsupported Perl syntax: `(?=`");
        assert_eq!(compile("b(?<!a)").unwrap_err(), "error parsing regexp: invalid named capture: `(?<!a)`");
    }
}
