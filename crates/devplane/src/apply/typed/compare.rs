//! What differs between two objects.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::{Type, element, is_hollow, items, same};
use crate::apply::{
    field_set::{FieldSet, PathElement},
    types::{List, Shape},
};

/// Fields that differ between an old and a new object.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Changes {
    /// Only in the new one, containers included.
    pub added: FieldSet,
    /// In both with different values.
    pub modified: FieldSet,
    /// Only in the old one, containers included.
    pub removed: FieldSet,
}

impl Changes {
    /// All that changed.
    pub fn all(&self) -> FieldSet {
        self.added.union(&self.modified).union(&self.removed)
    }

    /// The changes that are neither in `ignored` nor below one of its paths.
    pub(in crate::apply) fn without_subtrees(self, ignored: &FieldSet) -> Self {
        Self {
            added: self.added.without_subtrees(ignored),
            modified: self.modified.without_subtrees(ignored),
            removed: self.removed.without_subtrees(ignored),
        }
    }
}

/// What differs between `old` and `new`, both of type `ty`.
pub fn compare(ty: Type<'_>, old: &Value, new: &Value) -> Changes {
    let mut walk = Walk { path: Vec::new(), changes: Changes::default() };
    walk.value(ty, Some(old), Some(new));
    walk.changes
}

struct Walk {
    path: Vec<PathElement>,
    changes: Changes,
}

impl Walk {
    fn below(&mut self, element: PathElement, ty: Type<'_>, old: Option<&Value>, new: Option<&Value>) {
        self.path.push(element);
        self.value(ty, old, new);
        self.path.pop();
    }

    fn value(&mut self, ty: Type<'_>, old: Option<&Value>, new: Option<&Value>) {
        let (Some(any), shapes) = (new.or(old), [old, new].map(|side| side.map(|value| ty.shape(value)))) else { return };
        match shapes {
            // A value that changes its shape, possible where the schema leaves the type open, is gone in one shape and there in another.
            [Some(before), Some(after)] if !alike(before, after) && !is_null(old) && !is_null(new) => {
                self.descend(before, ty, old, None);
                self.descend(after, ty, None, new);
                self.changes.modified.insert(&self.path);
                return;
            }
            _ => {}
        }
        let decisive = if is_null(new) { old.unwrap_or(any) } else { new.unwrap_or(any) };
        let is_leaf = !self.descend(ty.shape(decisive), ty, old, new);
        if !is_leaf {
            match (old, new) {
                (None, Some(_)) => self.changes.added.insert(&self.path),
                (Some(_), None) => self.changes.removed.insert(&self.path),
                _ => {}
            }
        }
    }

    /// Walks into a container; `false` if the value is a leaf, which is then compared as one.
    fn descend(&mut self, shape: Shape<'_>, ty: Type<'_>, old: Option<&Value>, new: Option<&Value>) -> bool {
        // Two empty containers are compared as leaves, so that absent, null and empty stay different.
        let both_hollow = is_hollow(old) && is_hollow(new);
        match shape {
            Shape::Map { atomic: false } if !both_hollow => self.fields(ty, old, new),
            Shape::List(list @ (List::Set | List::Map(_))) if !both_hollow => self.items(list, ty, old, new),
            _ => {
                self.leaf(old, new);
                return false;
            }
        }
        true
    }

    fn leaf(&mut self, old: Option<&Value>, new: Option<&Value>) {
        match (old, new) {
            (None, Some(_)) => self.changes.added.insert(&self.path),
            (Some(_), None) => self.changes.removed.insert(&self.path),
            (Some(old), Some(new)) if !same(old, new) => self.changes.modified.insert(&self.path),
            _ => {}
        }
    }

    fn fields(&mut self, ty: Type<'_>, old: Option<&Value>, new: Option<&Value>) {
        let empty = Map::new();
        let old = old.and_then(Value::as_object).unwrap_or(&empty);
        let new = new.and_then(Value::as_object).unwrap_or(&empty);
        let gone = old.keys().filter(|name| !new.contains_key(*name));
        for name in new.keys().chain(gone) {
            let (before, after) = (old.get(name), new.get(name));
            // Most of an object stays as it was: that is not walked through.
            if let Some(field) = ty.field(name).filter(|_| before != after) {
                self.below(PathElement::field(name), field, before, after);
            }
        }
    }

    fn items(&mut self, list: List<'_>, ty: Type<'_>, old: Option<&Value>, new: Option<&Value>) {
        let mut pairs: BTreeMap<PathElement, [Vec<&Value>; 2]> = BTreeMap::new();
        for (side, value) in [old, new].into_iter().enumerate() {
            for item in items(value) {
                if let Ok(element) = element(list, ty, item) {
                    pairs.entry(element).or_default()[side].push(item);
                }
            }
        }
        for (element, [before, after]) in pairs {
            match (before.as_slice(), after.as_slice()) {
                ([] | [_], [] | [_]) => self.below(element, ty.items(), before.first().copied(), after.first().copied()),
                // Items that are there more than once are compared as one value.
                ([_, _, ..], [_, _, ..]) => {
                    let equal = before.len() == after.len() && before.iter().zip(&after).all(|(a, b)| same(a, b));
                    if !equal {
                        self.mark(element, |changes| &mut changes.modified);
                    }
                }
                ([_, _, ..], _) => {
                    if let Some(item) = after.first() {
                        self.below(element.clone(), ty.items(), None, Some(item));
                    }
                    self.mark(element, |changes| &mut changes.removed);
                }
                (_, [_, _, ..]) => {
                    if let Some(item) = before.first() {
                        self.below(element.clone(), ty.items(), Some(item), None);
                    }
                    self.mark(element, |changes| &mut changes.added);
                }
            }
        }
    }

    fn mark(&mut self, element: PathElement, kind: impl FnOnce(&mut Changes) -> &mut FieldSet) {
        self.path.push(element);
        kind(&mut self.changes).insert(&self.path);
        self.path.pop();
    }
}

fn is_null(value: Option<&Value>) -> bool {
    value.is_none_or(Value::is_null)
}

/// Whether two shapes are walked in the same way.
fn alike(a: Shape<'_>, b: Shape<'_>) -> bool {
    matches!((a, b), (Shape::Scalar(_), Shape::Scalar(_)) | (Shape::List(_), Shape::List(_)) | (Shape::Map { .. }, Shape::Map { .. }))
}
