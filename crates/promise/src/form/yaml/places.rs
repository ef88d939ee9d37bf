//! Positions of fields in a YAML text, so that errors can point at them.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_saphyr::Spanned;

/// Line and column, both counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// Line.
    pub line: usize,
    /// Column.
    pub column: usize,
}

/// Positions of all fields in a text.
#[derive(Debug)]
pub struct Places(Vec<(Vec<Step>, Place)>);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Step {
    Key(String),
    Item(usize),
}

/// A node of the text, reduced to what positions need.
enum Node {
    Map(Vec<(Spanned<String>, Node)>),
    List(Vec<Spanned<Node>>),
    Leaf,
}

impl Places {
    /// Finds the positions in a text; if it isn't valid YAML, only the start is known.
    pub fn of(text: &str) -> Self {
        let mut places = Vec::new();
        if let Ok(root) = super::parse::<Spanned<Node>>(text) {
            places.push((Vec::new(), place(&root.referenced)));
            collect(&root.value, &mut Vec::new(), &mut places);
        }
        Self(places)
    }

    /// Returns the position of the field at a path such as `.spec.rules[1].name`, or of its nearest existing parent.
    pub fn place(&self, path: &str) -> Place {
        let steps = steps(path);
        let known = self.0.iter().filter(|(known, _)| steps.starts_with(known));
        known.max_by_key(|(known, _)| known.len()).map_or(Place { line: 1, column: 1 }, |(_, place)| *place)
    }

    /// Returns the path of the last field that starts at or before a position; empty if none does.
    pub fn field(&self, at: Place) -> String {
        let before = self.0.iter().filter(|(_, place)| *place <= at);
        before.max_by_key(|(steps, place)| (*place, steps.len())).map(|(steps, _)| shown(steps)).unwrap_or_default()
    }
}

fn place(location: &serde_saphyr::Location) -> Place {
    let number = |n| usize::try_from(n).unwrap_or(1).max(1);
    Place { line: number(location.line()), column: number(location.column()) }
}

fn collect(node: &Node, at: &mut Vec<Step>, places: &mut Vec<(Vec<Step>, Place)>) {
    let mut below = |step: Step, location: &serde_saphyr::Location, inner: &Node| {
        at.push(step);
        places.push((at.clone(), place(location)));
        collect(inner, at, places);
        at.pop();
    };
    match node {
        Node::Map(fields) => fields.iter().for_each(|(key, inner)| below(Step::Key(key.value.clone()), &key.referenced, inner)),
        Node::List(items) => items.iter().enumerate().for_each(|(index, item)| below(Step::Item(index), &item.referenced, &item.value)),
        Node::Leaf => {}
    }
}

/// Splits a path: `.a.b`, `.a[0]`, `.a["b.c"]`, and `.a[b.c]`, which API servers write for maps.
fn steps(path: &str) -> Vec<Step> {
    let mut steps = Vec::new();
    let mut rest = path;
    while !rest.is_empty() {
        if let Some(quoted) = rest.strip_prefix("[\"") {
            let (key, after) = unquoted(quoted);
            steps.push(Step::Key(key));
            rest = after.strip_prefix(']').unwrap_or(after);
        } else if let Some(inner) = rest.strip_prefix('[') {
            let (key, after) = inner.split_once(']').unwrap_or((inner, ""));
            steps.push(key.parse().map_or_else(|_| Step::Key(key.to_owned()), Step::Item));
            rest = after;
        } else {
            let body = rest.strip_prefix('.').unwrap_or(rest);
            let end = body.find(['.', '[']).unwrap_or(body.len());
            if end > 0 {
                steps.push(Step::Key(body.get(..end).unwrap_or_default().to_owned()));
            }
            rest = body.get(end..).unwrap_or_default();
        }
    }
    steps
}

/// Returns the text before the closing quote, and what follows it.
fn unquoted(text: &str) -> (String, &str) {
    let mut key = String::new();
    let mut letters = text.char_indices();
    while let Some((at, letter)) = letters.next() {
        match letter {
            '"' => return (key, text.get(at + 1..).unwrap_or_default()),
            '\\' => key.extend(letters.next().map(|(_, escaped)| escaped)),
            other => key.push(other),
        }
    }
    (key, "")
}

fn shown(steps: &[Step]) -> String {
    let step = |step: &Step| match step {
        Step::Key(key) if key.contains(['.', '[', ' ']) || key.is_empty() => format!("[\"{key}\"]"),
        Step::Key(key) => format!(".{key}"),
        Step::Item(index) => format!("[{index}]"),
    };
    steps.iter().map(step).collect()
}

impl<'de> Deserialize<'de> for Node {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Look)
    }
}

struct Look;

impl<'de> Visitor<'de> for Look {
    type Value = Node;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("anything")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Node, A::Error> {
        let mut fields = Vec::new();
        while let Some(field) = map.next_entry::<Spanned<String>, Node>()? {
            fields.push(field);
        }
        Ok(Node::Map(fields))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Node, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = list.next_element()? {
            items.push(item);
        }
        Ok(Node::List(items))
    }

    fn visit_bool<E>(self, _: bool) -> Result<Node, E> {
        Ok(Node::Leaf)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Node, E> {
        Ok(Node::Leaf)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Node, E> {
        Ok(Node::Leaf)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Node, E> {
        Ok(Node::Leaf)
    }

    fn visit_str<E>(self, _: &str) -> Result<Node, E> {
        Ok(Node::Leaf)
    }

    fn visit_unit<E>(self) -> Result<Node, E> {
        Ok(Node::Leaf)
    }

    fn visit_none<E>(self) -> Result<Node, E> {
        Ok(Node::Leaf)
    }
}

#[cfg(test)]
mod tests {
    use super::{Place, Places};

    const TEXT: &str = "\
# A comment
kind: Promise
metadata: {name: redis}
spec:
  version: 1.0.0

  implementation:
    resources:
    - id: cache
      template:
        kind: Deployment
    -
      id: service
      template: {kind: Service}
  form:
    fields:
      \".size\": {title: Größe, help: a}
  outputs:
  - name: endpoint
    value: a
  annotations: {'a]b/\"c': {x: 1}}
";

    #[test]
    fn finds_fields_and_falls_back_to_what_holds_them() {
        let places = Places::of(TEXT);
        for (path, line, column) in [
            (".kind", 2, 1),
            (".metadata.name", 3, 12),
            (".spec.version", 5, 3),
            (".spec.implementation.resources[0].id", 9, 7),
            ("spec.implementation.resources[0].template.kind", 11, 9),
            (".spec.implementation.resources[1].id", 13, 7),
            (".spec.implementation.resources[1].template.kind", 14, 18),
            (".spec.implementation.resources[2].id", 8, 5),
            (".spec.form.fields[\".size\"].help", 17, 31),
            (".spec.form.fields[.size].help", 17, 31),
            (".spec.annotations[\"a]b/\\\"c\"].x", 21, 28),
            (".spec.outputs[0].value", 20, 5),
            (".spec.parameters.properties", 4, 1),
        ] {
            assert_eq!(places.place(path), Place { line, column }, "{path}");
        }
        assert_eq!(places.field(Place { line: 14, column: 24 }), ".spec.implementation.resources[1].template.kind");
        assert_eq!(places.field(Place { line: 17, column: 31 }), ".spec.form.fields[\".size\"].help");
    }

    #[test]
    fn of_what_is_no_yaml_only_the_beginning_is_known() {
        assert_eq!(Places::of("a: [").place(".a"), Place { line: 1, column: 1 });
    }
}
