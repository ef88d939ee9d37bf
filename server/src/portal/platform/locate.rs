//! Finds the line of a path in a YAML text, to link a problem to it.

use promise::path::{Path, Segment};

/// Returns the line number, starting at 1, of the deepest part of `path` in block style. Flow style content belongs to the line of its key.
pub(super) fn line_of(text: &str, path: &Path) -> Option<usize> {
    let lines: Vec<Line<'_>> = text.lines().enumerate().filter_map(|(index, text)| Line::read(index + 1, text)).collect();
    let (mut from, mut to, mut indent) = (0, lines.len(), 0);
    let mut found = None;
    for step in &path.0 {
        let inside = lines.get(from..to)?;
        let at = match step {
            Segment::Key(key) => inside.iter().position(|line| line.at(indent) && line.key() == Some(key.as_str())),
            Segment::Index(index) => {
                let mut items = inside.iter().enumerate().filter(|(_, line)| line.indent == indent && line.item);
                items.nth(*index).map(|(at, _)| at)
            }
            Segment::Each => None,
        };
        let Some(at) = at else { break };
        let line = &lines[from + at];
        found = Some(line.number);
        match step {
            Segment::Key(_) => {
                let start = from + at + 1;
                let end = lines[start..to].iter().position(|next| next.ends(indent, false)).map_or(to, |end| start + end);
                (from, to) = (start, end);
                let Some(next) = lines.get(from..to).and_then(|inside| inside.first()) else { break };
                indent = next.indent;
            }
            Segment::Index(_) => {
                let start = from + at;
                let end = lines[start + 1..to].iter().position(|next| next.ends(indent, true)).map_or(to, |end| start + 1 + end);
                (from, to) = (start, end);
                // The first key of an item follows its dash, in the same line or the next one.
                indent = match lines.get(start + 1) {
                    Some(next) if line.text.is_empty() && start + 1 < to => next.indent,
                    _ => line.inner,
                };
            }
            Segment::Each => break,
        }
    }
    found
}

/// A line with content.
struct Line<'a> {
    number: usize,
    /// Leading spaces.
    indent: usize,
    /// Column of the content after a dash, or the indent if there is no dash.
    inner: usize,
    /// Whether it begins an item.
    item: bool,
    /// The text without leading spaces and dash.
    text: &'a str,
}

impl<'a> Line<'a> {
    fn read(number: usize, text: &'a str) -> Option<Self> {
        let bare = text.trim_start();
        if bare.is_empty() || bare.starts_with('#') || bare.starts_with("---") {
            return None;
        }
        let indent = text.len() - bare.len();
        let item = bare == "-" || bare.starts_with("- ");
        let rest = if item { bare.trim_start_matches('-').trim_start() } else { bare };
        Some(Self { number, indent, inner: text.len() - rest.len(), item, text: rest })
    }

    /// Checks whether a key at this indent is on this line.
    fn at(&self, indent: usize) -> bool {
        self.indent == indent && !self.item || self.item && self.inner == indent
    }

    fn key(&self) -> Option<&str> {
        let (key, _) = self.text.split_once(':')?;
        Some(key.trim().trim_matches(['"', '\'']))
    }

    /// Checks whether this line ends what began at `indent`. A list can have the same indent as its key.
    fn ends(&self, indent: usize, of_item: bool) -> bool {
        if of_item { self.indent <= indent } else { self.indent < indent || self.indent == indent && !self.item }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn problems_lead_to_their_lines() {
        let text = "kind: Policy\nmetadata: {name: a}\nspec:\n  rules:\n  - name: one\n    constrain: {parameter: .a, minimum: 1}\n  # a remark\n  - name: two\n    validate:\n      expression: \"1 +\"\n      message: No\n";
        let line = |path: &str| line_of(text, &Path::parse(path).unwrap());
        assert_eq!(line(".spec.rules[1].validate.expression"), Some(10));
        assert_eq!(line(".spec.rules[1].name"), Some(8));
        assert_eq!(line(".spec.rules[0].constrain.minimum"), Some(6), "what stands in braces is on the line of its key");
        assert_eq!(line(".spec.rules"), Some(4));
        assert_eq!(line(".status"), None);
    }

    #[test]
    fn lists_may_be_indented_or_not() {
        for text in ["a:\n- b: 1\n- b: 2\nc: 3\n", "a:\n  - b: 1\n  - b: 2\nc: 3\n", "a:\n    -   b: 1\n    -   b: 2\nc: 3\n"] {
            assert_eq!(line_of(text, &Path::parse(".a[1].b").unwrap()), Some(3), "{text}");
            assert_eq!(line_of(text, &Path::parse(".c").unwrap()), Some(4), "{text}");
        }
        let below = "a:\n-\n  b: 1\n  c: 2\n-\n  b: 3\nd: 4\n";
        assert_eq!(line_of(below, &Path::parse(".a[0].c").unwrap()), Some(4));
        assert_eq!(line_of(below, &Path::parse(".a[1].b").unwrap()), Some(6));
    }
}
