//! Paths of parameters as written in promises and policies: `.backup.enabled`, `.labels["a.b"]`, `.hosts[*]`.

use serde_json::{Map, Value};

/// One step of a [`Path`].
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Segment {
    /// A property or a key of a map.
    Key(String),
    /// One item of a list.
    Index(usize),
    /// Every item of a list or entry of a map.
    Each,
}

/// A path from the root of the parameters. The empty path is the root itself.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Path(pub Vec<Segment>);

/// A text that isn't a valid path, with the reason as a sentence.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{text:?} isn't a valid path: {why}")]
pub struct PathError {
    /// The text.
    pub text: String,
    /// What is wrong with it.
    pub why: &'static str,
}

impl Path {
    /// Parses `.a.b`, `.a["b.c"]`, `.a[0]` and `.a[*]`. The leading dot is optional, and `.` and the empty text are the root.
    ///
    /// # Errors
    /// If a segment is empty, a bracket isn't closed, or a bracket contains neither a number, a star nor a quoted key.
    pub fn parse(text: &str) -> Result<Self, PathError> {
        let fail = |why| PathError { text: text.to_owned(), why };
        let mut segments = Vec::new();
        let mut rest = if text == "." { "" } else { text };
        let mut first = true;
        while !rest.is_empty() {
            if let Some(inner) = rest.strip_prefix('[') {
                let (segment, after) = bracket(inner).map_err(fail)?;
                segments.push(segment);
                rest = after;
            } else {
                let body = match rest.strip_prefix('.') {
                    Some(body) => body,
                    None if first => rest,
                    None => return Err(fail("a step must start with a dot or a bracket")),
                };
                let end = body.find(['.', '[']).unwrap_or(body.len());
                if end == 0 {
                    return Err(fail("a step has no name"));
                }
                segments.push(Segment::Key(body[..end].to_owned()));
                rest = &body[end..];
            }
            first = false;
        }
        Ok(Self(segments))
    }

    /// Returns the path of a property of the object at this path.
    pub fn child(&self, key: &str) -> Self {
        let mut segments = self.0.clone();
        segments.push(Segment::Key(key.to_owned()));
        Self(segments)
    }

    /// Returns the path of an item of the list at this path.
    pub fn item(&self, index: usize) -> Self {
        let mut segments = self.0.clone();
        segments.push(Segment::Index(index));
        Self(segments)
    }

    /// Returns the path for every row instead of a certain one, as promises write it: `.ports[2].name` becomes `.ports[*].name`.
    pub fn of_each_row(&self) -> Self {
        let each = |segment: &Segment| if matches!(segment, Segment::Index(_)) { Segment::Each } else { segment.clone() };
        Self(self.0.iter().map(each).collect())
    }

    /// Whether this path is `other` or below it.
    pub fn starts_with(&self, other: &Self) -> bool {
        self.0.len() >= other.0.len() && self.0.iter().zip(&other.0).all(|(a, b)| a == b)
    }

    /// Returns the JSON pointer below `base`, such as `/parameters/backup/enabled`.
    pub fn pointer(&self, base: &str) -> String {
        let mut text = base.to_owned();
        for segment in &self.0 {
            text.push('/');
            match segment {
                Segment::Key(key) => text.push_str(&key.replace('~', "~0").replace('/', "~1")),
                Segment::Index(index) => text.push_str(&index.to_string()),
                Segment::Each => text.push('*'),
            }
        }
        text
    }

    /// Returns the value at this path, or `None` if a segment is missing. A path with [`Segment::Each`] has no single value.
    pub fn get<'v>(&self, value: &'v Value) -> Option<&'v Value> {
        self.0.iter().try_fold(value, |at, segment| match segment {
            Segment::Key(key) => at.as_object()?.get(key),
            Segment::Index(index) => at.as_array()?.get(*index),
            Segment::Each => None,
        })
    }

    /// Returns all values that match this path, each with its concrete path.
    pub fn get_each<'v>(&self, value: &'v Value) -> Vec<(Self, &'v Value)> {
        let mut found = vec![(Self::default(), value)];
        for segment in &self.0 {
            found = found.into_iter().flat_map(|(path, at)| step(path, at, segment)).collect();
        }
        found
    }

    /// Sets the value at this path and creates the objects above it. Returns whether it succeeded: it fails if a scalar or list is in the
    /// way, or if a segment matches several values.
    pub fn put(&self, root: &mut Value, value: Value) -> bool {
        let Some((last, lead)) = self.0.split_last() else {
            *root = value;
            return true;
        };
        let mut at = root;
        for segment in lead {
            let Some(next) = enter(at, segment) else { return false };
            at = next;
        }
        match last {
            Segment::Key(key) => {
                if at.is_null() {
                    *at = Value::Object(Map::new());
                }
                let Some(object) = at.as_object_mut() else { return false };
                object.insert(key.clone(), value);
                true
            }
            Segment::Index(index) => match at.as_array_mut().and_then(|list| list.get_mut(*index)) {
                Some(slot) => {
                    *slot = value;
                    true
                }
                None => false,
            },
            Segment::Each => false,
        }
    }

    /// Removes the value at this path. Objects that become empty as a result stay.
    pub fn remove(&self, root: &mut Value) -> Option<Value> {
        let (last, lead) = self.0.split_last()?;
        let mut at = root;
        for segment in lead {
            at = match segment {
                Segment::Key(key) => at.as_object_mut()?.get_mut(key)?,
                Segment::Index(index) => at.as_array_mut()?.get_mut(*index)?,
                Segment::Each => return None,
            };
        }
        match last {
            Segment::Key(key) => at.as_object_mut()?.remove(key),
            Segment::Index(index) => {
                let list = at.as_array_mut()?;
                (*index < list.len()).then(|| list.remove(*index))
            }
            Segment::Each => None,
        }
    }

    /// Returns the last property of the path, for labels.
    pub fn last_key(&self) -> Option<&str> {
        self.0.iter().rev().find_map(|segment| match segment {
            Segment::Key(key) => Some(key.as_str()),
            Segment::Index(_) | Segment::Each => None,
        })
    }
}

impl std::fmt::Display for Path {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for segment in &self.0 {
            match segment {
                Segment::Key(key) if key.is_empty() || key.contains(['.', '[', '"']) => {
                    write!(f, "[\"{}\"]", key.replace('\\', "\\\\").replace('"', "\\\""))?;
                }
                Segment::Key(key) => write!(f, ".{key}")?,
                Segment::Index(index) => write!(f, "[{index}]")?,
                Segment::Each => f.write_str("[*]")?,
            }
        }
        Ok(())
    }
}

impl serde::Serialize for Path {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> serde::Deserialize<'de> for Path {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::parse(&text).map_err(serde::de::Error::custom)
    }
}

fn bracket(inner: &str) -> Result<(Segment, &str), &'static str> {
    if let Some(quoted) = inner.strip_prefix('"') {
        let mut key = String::new();
        let mut letters = quoted.char_indices();
        while let Some((at, letter)) = letters.next() {
            match letter {
                '\\' => match letters.next() {
                    Some((_, escaped)) => key.push(escaped),
                    None => return Err("a quoted key is not closed"),
                },
                '"' => {
                    let after = quoted[at + 1..].strip_prefix(']').ok_or("a bracket is not closed")?;
                    return Ok((Segment::Key(key), after));
                }
                other => key.push(other),
            }
        }
        return Err("a quoted key is not closed");
    }
    let end = inner.find(']').ok_or("a bracket is not closed")?;
    let segment = match &inner[..end] {
        "*" => Segment::Each,
        number => Segment::Index(number.parse().map_err(|_| "a bracket must contain a number, a star or a quoted key")?),
    };
    Ok((segment, &inner[end + 1..]))
}

fn step<'v>(path: Path, at: &'v Value, segment: &Segment) -> Vec<(Path, &'v Value)> {
    match segment {
        Segment::Key(key) => at.get(key).map(|next| (path.child(key), next)).into_iter().collect(),
        Segment::Index(index) => at.get(index).map(|next| (path.item(*index), next)).into_iter().collect(),
        Segment::Each => match at {
            Value::Array(items) => items.iter().enumerate().map(|(index, next)| (path.item(index), next)).collect(),
            Value::Object(entries) => entries.iter().map(|(key, next)| (path.child(key), next)).collect(),
            _ => Vec::new(),
        },
    }
}

fn enter<'v>(at: &'v mut Value, segment: &Segment) -> Option<&'v mut Value> {
    match segment {
        Segment::Key(key) => {
            if at.is_null() {
                *at = Value::Object(Map::new());
            }
            Some(at.as_object_mut()?.entry(key.clone()).or_insert(Value::Null))
        }
        Segment::Index(index) => at.as_array_mut()?.get_mut(*index),
        Segment::Each => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{Path, Segment};
    use serde_json::json;

    #[test]
    fn reads_and_writes_every_form() {
        for text in [".a.b", ".a[0].b", ".hosts[*]", ".labels[\"a.b/c\"]", ".x[\"q\\\"uote\"]"] {
            assert_eq!(Path::parse(text).map(|path| path.to_string()), Ok(text.to_owned()));
        }
        for key in ["a.b\\c", "tab.\t", "zero.\u{200b}width", "quote.\"", "[0]", "", "größe.e\u{301}", "line.\n"] {
            let path = Path::default().child(key);
            assert_eq!(Path::parse(&path.to_string()), Ok(path));
        }
        assert_eq!(Path::parse("a.b"), Path::parse(".a.b"));
        assert_eq!(Path::parse("."), Ok(Path::default()));
        for text in [".a.", "..a", ".a[", ".a[x]", ".a[\"b", ".a]b[0]c["] {
            assert!(Path::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn pointers_escape_what_pointers_escape() {
        let path = Path(vec![Segment::Key("a/b~c".into()), Segment::Index(2)]);
        assert_eq!(path.pointer("/parameters"), "/parameters/a~1b~0c/2");
    }

    #[test]
    fn puts_make_the_way_and_respect_what_is_there() {
        let mut value = json!({"a": 1});
        assert!(Path::parse(".b.c").unwrap().put(&mut value, json!(true)));
        assert_eq!(value, json!({"a": 1, "b": {"c": true}}));
        assert!(!Path::parse(".a.c").unwrap().put(&mut value, json!(true)));
        assert_eq!(Path::parse(".b.c").unwrap().remove(&mut value), Some(json!(true)));
    }

    #[test]
    fn each_names_every_item() {
        let value = json!({"hosts": ["x", "y"], "map": {"k": 1}});
        let found: Vec<String> = Path::parse(".hosts[*]").unwrap().get_each(&value).into_iter().map(|(path, _)| path.to_string()).collect();
        assert_eq!(found, [".hosts[0]", ".hosts[1]"]);
        assert_eq!(Path::parse(".map[*]").unwrap().get_each(&value).len(), 1);
    }
}
