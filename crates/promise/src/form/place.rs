//! Where a field stands: the path of its value, the name of its input, and the path that hints call it by.

use serde_json::Value;

use super::BASE;
use crate::path::{Path, Segment};

/// A place in the form. Inside a map's rows the name of an input is not the path of its value: rows have numbers, values have keys.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Place {
    /// Path of the value.
    pub path: Path,
    /// Name of the input.
    pub name: String,
    /// The path with `[*]` for rows, as hints of the promise name it.
    pub pattern: Path,
    /// Whether it is inside a row of a list or map.
    pub in_row: bool,
    /// Inside a row: its default, where that of the object around it says one.
    pub given: Option<Value>,
}

impl Place {
    /// The parameters as a whole.
    pub fn root() -> Self {
        Self { path: Path::default(), name: BASE.to_owned(), pattern: Path::default(), in_row: false, given: None }
    }

    /// A parameter outside of rows.
    pub fn of(path: &Path) -> Self {
        Self { name: path.pointer(BASE), pattern: path.clone(), path: path.clone(), in_row: false, given: None }
    }

    /// A property of the object of this schema at this place.
    pub fn child(&self, node: &Value, key: &str) -> Self {
        let name = format!("{}/{}", self.name, key.replace('~', "~0").replace('/', "~1"));
        let around = self.given.as_ref().or_else(|| node.get("default")).filter(|_| self.in_row);
        let given = around.and_then(|default| default.get(key)).cloned();
        Self { path: self.path.child(key), name, pattern: self.pattern.child(key), in_row: self.in_row, given }
    }

    /// The object in a row of the list at this place: `position` counts values, `number` is the row's in the names of inputs.
    pub fn item(&self, position: usize, number: usize) -> Self {
        Self { path: self.path.item(position), name: format!("{}/{number}", self.name), pattern: self.each(), in_row: true, given: None }
    }

    /// The object in a row of the map at this place.
    pub fn entry(&self, key: &str, number: usize) -> Self {
        let name = format!("{}/~rows/{number}/~value", self.name);
        Self { path: self.path.child(key), name, pattern: self.each(), in_row: true, given: None }
    }

    fn each(&self) -> Path {
        let mut pattern = self.pattern.clone();
        pattern.0.push(Segment::Each);
        pattern
    }
}
