//! Reads the classes of HTML elements from Rust sources.
//!
//! Only what names classes is read, never other texts or comments: attributes `class="…"` and `class=…` with the string literals of their
//! expression, `class:name=`, `.class("…")`, `class="…"` inside a string, and the string literals of what is named after classes: functions
//! (`fn class`), variables (`let class`) and constants (`const …CLASS`). A variable that an attribute names is read where it is defined.

use crate::sources::{quoted, raw};

/// A class that a source names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Use {
    /// Line in the file, from 1.
    pub line: usize,
    pub class: Class,
}

/// What is known about a class before the program runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Class {
    Name(String),
    /// A name whose end is computed, such as `chart-{}`.
    Prefix(String),
    /// A class attribute whose expression contains no literal, and which is no variable of its file.
    Unreadable(String),
}

/// A part of a source file: comments are left out.
enum Token {
    Char(char),
    Text(String),
}

struct Tokens {
    all: Vec<(usize, Token)>,
}

/// Returns the classes that a source file names, in its order.
pub fn classes(source: &str) -> Vec<Use> {
    let tokens = Tokens::read(source);
    let mut found = Vec::new();
    for (at, (line, token)) in tokens.all.iter().enumerate() {
        match token {
            Token::Text(text) => in_html(*line, text, &mut found),
            Token::Char(_) => match tokens.word(at) {
                Some(word) if word == "class" => tokens.attribute(at, &mut found),
                Some(word) if word == "fn" => tokens.named(at, |name| name == "class" || name.ends_with("_class"), '}', &mut found),
                Some(word) if word == "let" => tokens.named(at, |name| name == "class" || name.ends_with("_class"), ';', &mut found),
                Some(word) if word == "const" || word == "static" => tokens.named(at, |name| name.contains("CLASS"), ';', &mut found),
                _ => {}
            },
        }
    }
    found
}

/// Adds the classes of HTML that stands in a string.
fn in_html(line: usize, text: &str, found: &mut Vec<Use>) {
    for part in text.split("class=\"").skip(1) {
        add(line, part.split('"').next().unwrap_or_default(), found);
    }
}

/// Adds the classes of a literal; of those that are computed, the part before.
fn add(line: usize, literal: &str, found: &mut Vec<Use>) {
    for class in literal.split_whitespace() {
        match class.split_once('{') {
            None => found.push(Use { line, class: Class::Name(class.to_owned()) }),
            Some(("", _)) => {}
            Some((prefix, _)) => found.push(Use { line, class: Class::Prefix(prefix.to_owned()) }),
        }
    }
}

fn in_word(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}

impl Tokens {
    fn read(source: &str) -> Self {
        let (mut all, mut line, mut rest) = (Vec::new(), 1, source);
        while let Some(next) = rest.chars().next() {
            let after = rest.get(next.len_utf8()..).unwrap_or_default();
            let left = if rest.starts_with("//") {
                rest.find('\n').and_then(|end| rest.get(end..)).unwrap_or_default()
            } else if next == '\'' && is_letter(after) {
                let from = if after.starts_with('\\') { 2 } else { 1 };
                after.get(from..).and_then(|text| text.split_once('\'')).map_or("", |(_, left)| left)
            } else if next == '"' {
                let (text, left) = quoted(after);
                all.push((line, Token::Text(text)));
                left
            } else if let Some(hashes) = raw(rest) {
                let body = rest.get(2 + hashes..).unwrap_or_default();
                let (text, left) = body.split_once(&format!("\"{}", "#".repeat(hashes))).unwrap_or((body, ""));
                all.push((line, Token::Text(text.to_owned())));
                left
            } else {
                all.push((line, Token::Char(next)));
                after
            };
            let read = rest.len() - left.len();
            line += rest.get(..read).unwrap_or_default().matches('\n').count();
            rest = left;
        }
        Self { all }
    }

    fn char(&self, at: usize) -> Option<char> {
        match self.all.get(at)? {
            (_, Token::Char(letter)) => Some(*letter),
            (_, Token::Text(_)) => None,
        }
    }

    fn line(&self, at: usize) -> usize {
        self.all.get(at).map_or(0, |(line, _)| *line)
    }

    /// Returns the word that starts here.
    fn word(&self, at: usize) -> Option<String> {
        let before = at.checked_sub(1).and_then(|before| self.char(before));
        if before.is_some_and(in_word) || !self.char(at).is_some_and(in_word) {
            return None;
        }
        Some((at..).map_while(|at| self.char(at).filter(|letter| in_word(*letter))).collect())
    }

    fn skip_spaces(&self, mut at: usize) -> usize {
        while self.char(at).is_some_and(char::is_whitespace) {
            at += 1;
        }
        at
    }

    /// Reads what follows the word `class`.
    fn attribute(&self, at: usize, found: &mut Vec<Use>) {
        let before = at.checked_sub(1).and_then(|before| self.char(before));
        let end = at + "class".len();
        match (before, self.char(end)) {
            (Some('.'), Some('(')) => self.literals(end, self.closing(end), found),
            (Some(space), Some('=')) if space.is_whitespace() && self.char(end + 1) != Some('=') => self.value(end + 1, found),
            (Some(space), Some(':')) if space.is_whitespace() => {
                let name: String =
                    (end + 1..).map_while(|at| self.char(at).filter(|letter| !letter.is_whitespace() && *letter != '=')).collect();
                if self.char(end + 1 + name.chars().count()) == Some('=') && !name.is_empty() {
                    found.push(Use { line: self.line(at), class: Class::Name(name) });
                }
            }
            _ => {}
        }
    }

    /// Reads the value of an attribute: a literal, a block, or an expression up to the next attribute or the end of the tag.
    fn value(&self, at: usize, found: &mut Vec<Use>) {
        let end = match self.all.get(at) {
            Some((_, Token::Text(_))) => at + 1,
            Some((_, Token::Char('{'))) => self.closing(at),
            _ => self.end_of_value(at),
        };
        let before = found.len();
        self.literals(at, end, found);
        if found.len() > before {
            return;
        }
        let expression: String = (at..end).filter_map(|at| self.char(at)).collect();
        if !expression.is_empty() && expression.chars().all(in_word) && !self.defined(&expression, at, found) {
            found.push(Use { line: self.line(at), class: Class::Unreadable(expression) });
        }
    }

    /// Reads the literals of the nearest variable of this name above; whether there is one. Those named after classes are read anyway.
    fn defined(&self, name: &str, before: usize, found: &mut Vec<Use>) -> bool {
        for at in (0..before).rev() {
            if self.word(at).as_deref() == Some("let") {
                let start = self.skip_spaces(at + "let".len());
                if self.word(start).as_deref() == Some(name) {
                    if name != "class" && !name.ends_with("_class") {
                        self.literals(start, self.end_of_statement(start, ';'), found);
                    }
                    return true;
                }
            }
        }
        false
    }

    /// Reads what a keyword defines, if its name is one that is looked for: up to the end of the statement, or of the first block.
    fn named(&self, keyword: usize, wanted: impl Fn(&str) -> bool, end: char, found: &mut Vec<Use>) {
        let length = self.word(keyword).map_or(0, |word| word.len());
        let start = self.skip_spaces(keyword + length);
        if self.word(start).is_some_and(|name| wanted(&name)) {
            self.literals(start, self.end_of_statement(start, end), found);
        }
    }

    fn literals(&self, from: usize, to: usize, found: &mut Vec<Use>) {
        for (line, token) in self.all.get(from..to.min(self.all.len())).unwrap_or_default() {
            if let Token::Text(text) = token {
                add(*line, text, found);
            }
        }
    }

    /// Returns the place after the bracket that closes the one here.
    fn closing(&self, open: usize) -> usize {
        let mut depth = 0_usize;
        for at in open..self.all.len() {
            match self.char(at) {
                Some('(' | '[' | '{') => depth += 1,
                Some(')' | ']' | '}') => depth = depth.saturating_sub(1),
                _ => {}
            }
            if depth == 0 {
                return at + 1;
            }
        }
        self.all.len()
    }

    /// Returns the end of a statement that ends with a semicolon, or with its first block.
    fn end_of_statement(&self, mut at: usize, end: char) -> usize {
        while at < self.all.len() {
            match self.char(at) {
                Some(';') => return at,
                Some('{') if end == '}' => return self.closing(at),
                Some('(' | '[' | '{') => at = self.closing(at),
                _ => at += 1,
            }
        }
        at
    }

    fn end_of_value(&self, mut at: usize) -> usize {
        let start = at;
        while at < self.all.len() {
            match self.char(at) {
                Some('(' | '[' | '{') => {
                    at = self.closing(at);
                    continue;
                }
                Some('>') if at > start && !matches!(self.char(at - 1), Some('=' | '-')) => return at,
                Some('/') if self.char(at + 1) == Some('>') => return at,
                Some(space) if space.is_whitespace() && self.is_attribute(at + 1) => return at,
                _ => at += 1,
            }
        }
        at
    }

    /// Whether a name and an equals sign are here.
    fn is_attribute(&self, at: usize) -> bool {
        let name = (at..).take_while(|at| self.char(*at).is_some_and(|letter| in_word(letter) || letter == '-' || letter == ':')).count();
        name > 0 && self.char(at + name) == Some('=') && !matches!(self.char(at + name + 1), Some('=' | '>'))
    }
}

/// Whether a quote before this starts a letter and no lifetime.
fn is_letter(after: &str) -> bool {
    let mut letters = after.chars();
    match letters.next() {
        Some('\\') => true,
        Some(_) => letters.next() == Some('\''),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(source: &str) -> Vec<String> {
        let name = |found: Use| match found.class {
            Class::Name(name) => name,
            Class::Prefix(name) => format!("{name}*"),
            Class::Unreadable(name) => format!("?{name}"),
        };
        classes(source).into_iter().map(name).collect()
    }

    #[test]
    fn classes_are_read_where_elements_have_them() {
        assert_eq!(
            names(r#"view! { <p class="small muted">"flex"</p><b id="block" class:open=x class="max-md:p-2"/> }"#),
            ["small", "muted", "open", "max-md:p-2"]
        );
        assert_eq!(
            names(r#"view! { <a class=if large { "tile tile-lg" } else { "tile" } title="static">{x}</a> }"#),
            ["tile", "tile-lg", "tile"]
        );
        assert_eq!(
            names(r#"<li class=row.unread.then_some("unread")><i class={ if x { "a" } else { "b" } }>"hidden"</i>"#),
            ["unread", "a", "b"]
        );
        assert_eq!(names(r#"<rect class=format!("chart-{}", tone) width=width/><i class=format!("{class} dot")/>"#), ["chart-*", "dot"]);
        assert_eq!(
            names(r##"view! { <i/> }.class("wide"); let x = r#"<svg class="icon" id="a">"#; "<b class=\"n\">""##),
            ["wide", "icon", "n"]
        );
    }

    #[test]
    fn classes_are_read_from_what_is_named_after_them() {
        assert_eq!(
            names("fn class(self) -> &'static str { match self { A => \"btn\", B => \"btn btn-sm\" } } fn other() { \"x\"; }"),
            ["btn", "btn", "btn-sm"]
        );
        assert_eq!(names("let class = if a { \"one\" } else { \"two\" }; view! { <i class=class/> }"), ["one", "two"]);
        assert_eq!(names("let now = x.then_some(\"current\"); let b = \"no\"; view! { <i class=now/> }"), ["current"]);
        assert_eq!(names("const WIDE_CLASS: &str = \"wide\"; const TITLE: &str = \"Table\";"), ["wide"]);
        assert_eq!(names("view! { <i class=given/> }"), ["?given"]);
    }

    #[test]
    fn comments_texts_and_letters_are_no_classes() {
        assert_eq!(
            names(
                "// class=\"flex\"\nlet title = \"class of table\"; let c = '\"'; fn f<'a>(class: &'a str) -> bool { class == \"grid\" }"
            ),
            Vec::<String>::new()
        );
        let found = classes("\n\n/// About.\nview! {\n <i class=\"a\"/> }");
        assert_eq!(found, [Use { line: 5, class: Class::Name("a".into()) }]);
    }
}
