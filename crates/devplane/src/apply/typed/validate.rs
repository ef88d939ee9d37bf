//! Does an object fit its schema, as far as apply must know?

use std::collections::BTreeSet;

use serde_json::Value;

use super::{Type, element, go};
use crate::apply::types::{Scalar, Shape};

/// Whether a keyed list or set may hold an item twice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Duplicates {
    /// In stored objects: they may be older than the rule.
    Allowed,
    /// In applied configurations.
    Refused,
}

/// Every problem with its path, `.spec.size: expected numeric (int or float), got string`; none if the object fits.
pub fn validate(ty: Type<'_>, value: &Value, duplicates: Duplicates) -> Vec<String> {
    let mut walk = Walk { duplicates, path: String::new(), problems: Vec::new() };
    walk.value(ty, value);
    walk.problems
}

struct Walk {
    duplicates: Duplicates,
    path: String,
    problems: Vec<String>,
}

impl Walk {
    fn problem(&mut self, text: impl AsRef<str>) {
        let text = text.as_ref();
        self.problems.push(if self.path.is_empty() { text.to_owned() } else { format!("{}: {text}", self.path) });
    }

    fn below(&mut self, step: &str, ty: Type<'_>, value: &Value) {
        let length = self.path.len();
        self.path.push_str(step);
        self.value(ty, value);
        self.path.truncate(length);
    }

    fn value(&mut self, ty: Type<'_>, value: &Value) {
        if value.is_null() {
            return;
        }
        match ty.shape(value) {
            Shape::Scalar(scalar) => {
                if let Some(problem) = misfit(scalar, value) {
                    self.problem(problem);
                }
            }
            Shape::Map { .. } => match value {
                Value::Object(fields) => {
                    for (name, value) in fields {
                        let step = format!(".{name}");
                        match ty.field(name) {
                            Some(field) => self.below(&step, field, value),
                            None => self.problems.push(format!("{}{step}: field not declared in schema", self.path)),
                        }
                    }
                }
                other => self.problem(format!("expected map, got &{{{}}}", go::plain(other))),
            },
            Shape::List(list) => match value {
                Value::Array(items) => {
                    let mut seen = BTreeSet::new();
                    for (index, item) in items.iter().enumerate() {
                        if list == crate::apply::types::List::Atomic {
                            self.below(&format!("[{index}]"), ty.items(), item);
                            continue;
                        }
                        match element(list, ty, item) {
                            Ok(element) => {
                                let step = element.to_string();
                                if !seen.insert(element) && self.duplicates == Duplicates::Refused {
                                    self.problem(format!("duplicate entries for key {step}"));
                                }
                                self.below(&step, ty.items(), item);
                            }
                            Err(problem) => self.problem(format!("element {index}: {problem}")),
                        }
                    }
                }
                other => self.problem(format!("expected list, got &{{{}}}", go::plain(other))),
            },
        }
    }
}

fn misfit(scalar: Scalar, value: &Value) -> Option<String> {
    match (scalar, value) {
        (Scalar::Numeric | Scalar::Untyped, Value::Number(_))
        | (Scalar::String | Scalar::Untyped, Value::String(_))
        | (Scalar::Boolean | Scalar::Untyped, Value::Bool(_)) => None,
        (Scalar::Numeric, other) => Some(format!("expected numeric (int or float), got {}", go::type_name(other))),
        (Scalar::String, other) => Some(format!("expected string, got &value.valueUnstructured{{Value:{}}}", go::source(other))),
        (Scalar::Boolean, other) => Some(format!("expected boolean, got &{{{}}}", go::plain(other))),
        (Scalar::Untyped, other) => Some(format!("expected any scalar, got &{{{}}}", go::plain(other))),
    }
}
