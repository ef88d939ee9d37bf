//! Sets of fields, and their form `fieldsV1` in managed fields.
//! Source: structured-merge-diff `fieldpath`.

mod element;
mod fields_v1;

use std::collections::{BTreeMap, BTreeSet};

pub use element::PathElement;
pub(super) use element::compare as compare_values;

use super::Type;

/// A set of paths into an object.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FieldSet {
    /// Elements that are in the set themselves.
    members: BTreeSet<PathElement>,
    /// What is in the set below elements; never empty sets.
    children: BTreeMap<PathElement, FieldSet>,
}

impl FieldSet {
    /// Whether there is no path.
    pub fn is_empty(&self) -> bool {
        self.members.is_empty() && self.children.is_empty()
    }

    /// Adds a path; the empty one is no field and is left out.
    pub fn insert(&mut self, path: &[PathElement]) {
        match path {
            [] => {}
            [last] => {
                self.members.insert(last.clone());
            }
            [first, rest @ ..] => self.children.entry(first.clone()).or_default().insert(rest),
        }
    }

    /// Whether this element is in the set itself.
    pub(super) fn has(&self, element: &PathElement) -> bool {
        self.members.contains(element)
    }

    /// Whether every path of the other set is in this one.
    pub(super) fn includes(&self, other: &Self) -> bool {
        let below = |(element, set): (&PathElement, &Self)| self.children.get(element).is_some_and(|own| own.includes(set));
        self.members.is_superset(&other.members) && other.children.iter().all(below)
    }

    /// What is in the set below this element.
    pub(super) fn below(&self, element: &PathElement) -> Option<&Self> {
        self.children.get(element)
    }

    /// Paths in either set.
    pub fn union(&self, other: &Self) -> Self {
        let mut children = self.children.clone();
        for (element, set) in &other.children {
            children.entry(element.clone()).and_modify(|own| *own = own.union(set)).or_insert_with(|| set.clone());
        }
        Self { members: self.members.union(&other.members).cloned().collect(), children }
    }

    /// Paths in both sets.
    pub fn intersection(&self, other: &Self) -> Self {
        let common = |(element, set): (&PathElement, &Self)| {
            let both = set.intersection(other.children.get(element)?);
            (!both.is_empty()).then(|| (element.clone(), both))
        };
        Self {
            members: self.members.intersection(&other.members).cloned().collect(),
            children: self.children.iter().filter_map(common).collect(),
        }
    }

    /// Paths that are not in the other set.
    pub fn difference(&self, other: &Self) -> Self {
        let rest = |(element, set): (&PathElement, &Self)| {
            let left = other.children.get(element).map_or_else(|| set.clone(), |gone| set.difference(gone));
            (!left.is_empty()).then(|| (element.clone(), left))
        };
        Self {
            members: self.members.difference(&other.members).cloned().collect(),
            children: self.children.iter().filter_map(rest).collect(),
        }
    }

    /// Paths that are neither in the other set nor below one of its paths.
    pub fn without_subtrees(&self, other: &Self) -> Self {
        let rest = |(element, set): (&PathElement, &Self)| {
            if other.members.contains(element) {
                return None;
            }
            let left = other.children.get(element).map_or_else(|| set.clone(), |gone| set.without_subtrees(gone));
            (!left.is_empty()).then(|| (element.clone(), left))
        };
        Self {
            members: self.members.difference(&other.members).cloned().collect(),
            children: self.children.iter().filter_map(rest).collect(),
        }
    }

    /// The set with every field that the schema names and below which something is in the set.
    ///
    /// Containers are no members of what an applier owns; this makes them ones, so that a container goes with its last content.
    pub(super) fn with_named_containers(&self, ty: Type<'_>) -> Self {
        let named = self.children.keys().filter(|element| matches!(element, PathElement::Field(name) if ty.names(name)));
        let children = self.children.iter().map(|(element, set)| {
            let below = match element {
                PathElement::Field(name) => ty.field(name).unwrap_or(Type::Deduced),
                PathElement::Key(_) => ty.items(),
                PathElement::Value(_) | PathElement::Index(_) => Type::Deduced,
            };
            (element.clone(), set.with_named_containers(below))
        });
        Self { members: self.members.iter().chain(named).cloned().collect(), children: children.collect() }
    }

    /// Every path, those of one level before those below it.
    pub fn paths(&self) -> Vec<Vec<PathElement>> {
        let mut paths = Vec::new();
        self.collect_paths(&mut Vec::new(), &mut paths);
        paths
    }

    fn collect_paths(&self, prefix: &mut Vec<PathElement>, paths: &mut Vec<Vec<PathElement>>) {
        for member in &self.members {
            paths.push(prefix.iter().chain([member]).cloned().collect());
        }
        for (element, set) in &self.children {
            prefix.push(element.clone());
            set.collect_paths(prefix, paths);
            prefix.pop();
        }
    }
}

impl FromIterator<Vec<PathElement>> for FieldSet {
    fn from_iter<I: IntoIterator<Item = Vec<PathElement>>>(paths: I) -> Self {
        let mut set = Self::default();
        for path in paths {
            set.insert(&path);
        }
        set
    }
}

/// A path as texts show it: `.spec.ports[name="http"].port`.
pub fn path_text(path: &[PathElement]) -> String {
    path.iter().map(ToString::to_string).collect()
}
