//! Position of a field: the path of its value, the name of its input, and the path used by hints.

use serde_json::Value;

use super::BASE;
use crate::path::{Path, Segment};

/// Position of a field in the form. In a row of a map, the input name differs from the path of the value: rows have numbers, values have
/// keys.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Place {
    /// Path of the value.
    pub path: Path,
    /// Name of the input.
    pub name: String,
    /// Path with `[*]` for rows, as used by hints of the promise.
    pub pattern: Path,
    /// Whether it is inside a row of a list or map.
    pub in_row: bool,
    /// In a row, the default from the enclosing object, if it has one.
    pub given: Option<Value>,
    /// In a row, like `given`, but only as long as the enclosing object isn't given itself.
    pub here: Option<Value>,
}

impl Place {
    /// Returns the place of the parameters as a whole.
    pub fn root() -> Self {
        Self { path: Path::default(), name: BASE.to_owned(), pattern: Path::default(), in_row: false, given: None, here: None }
    }

    /// Returns the place of a parameter outside of rows.
    pub fn of(path: &Path) -> Self {
        Self { name: path.pointer(BASE), pattern: path.clone(), path: path.clone(), in_row: false, given: None, here: None }
    }

    /// Returns the place of a property of the object at this place, which has this schema.
    pub fn child(&self, node: &Value, key: &str) -> Self {
        let name = format!("{}/{}", self.name, escape(key));
        let around = self.given.as_ref().or_else(|| node.get("default")).filter(|_| self.in_row);
        let given = around.and_then(|default| default.get(key)).cloned();
        let here = self.here.as_ref().and_then(|default| default.get(key)).cloned();
        Self { path: self.path.child(key), name, pattern: self.pattern.child(key), in_row: self.in_row, given, here }
    }

    /// Returns the place of an object in a list at this place. `position` counts values, `number` is the row's number in input names.
    pub fn item(&self, position: usize, number: usize) -> Self {
        Self {
            path: self.path.item(position),
            name: format!("{}/{number}", self.name),
            pattern: self.each(),
            in_row: true,
            given: None,
            here: None,
        }
    }

    /// Returns the place of an object in a map at this place.
    pub fn entry(&self, key: &str, number: usize) -> Self {
        let name = format!("{}/~rows/{number}/~value", self.name);
        Self { path: self.path.child(key), name, pattern: self.each(), in_row: true, given: None, here: None }
    }

    /// Returns the place with the default of its object: what applies to its fields while the object isn't given.
    pub fn with_default(&self, default: Option<&Value>) -> Self {
        Self { here: default.filter(|_| self.in_row).cloned(), ..self.clone() }
    }

    fn each(&self) -> Path {
        let mut pattern = self.pattern.clone();
        pattern.0.push(Segment::Each);
        pattern
    }
}

/// Returns a key as a step of an input's name, as in a JSON pointer.
pub(super) fn escape(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}
