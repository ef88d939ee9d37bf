//! An object whose parts have origins, and merges into it.

use std::collections::BTreeSet;

use schema::expr::{ExprError, Traced, TracedPart};
use serde_json::Value;

use super::LineOrigin;
use super::origins::Origins;
use crate::api::Inject;
use crate::policy::Ruling;
use crate::render::{MASK, waits_for};

/// Placeholder for a value that isn't known yet.
pub(super) const LATER: &str = "(known after apply)";

/// A part of an object.
#[derive(Clone, Debug)]
pub(super) struct Tree {
    /// Its own origins.
    pub(super) origins: BTreeSet<LineOrigin>,
    /// Value of the part.
    pub(super) node: Node,
}

/// Value of a part.
#[derive(Clone, Debug)]
pub(super) enum Node {
    /// A scalar, an empty list or an empty object.
    Leaf(Value),
    /// Not known yet.
    Later,
    /// A list with at least one item.
    List(Vec<Tree>),
    /// An object with at least one field.
    Object(Vec<(String, Tree)>),
}

impl Tree {
    /// Builds the tree of an evaluated template. Returns nothing for a template that is left out.
    pub(super) fn of(traced: &Traced, origins: &Origins<'_>, each: &BTreeSet<LineOrigin>) -> Option<Self> {
        let mut own: BTreeSet<LineOrigin> = traced.reads.iter().flat_map(|read| origins.read(read, each)).collect();
        let node = match &traced.part {
            TracedPart::Omitted => return None,
            TracedPart::Value(value) => {
                return Some(match traced.gives.as_deref().filter(|path| origins.has_parts(path)) {
                    Some(path) => {
                        let others = traced.reads.iter().filter(|read| read.as_slice() != path);
                        Self::given(value, path, &others.flat_map(|read| origins.read(read, each)).collect(), origins)
                    }
                    None => Self::value(value, &own),
                });
            }
            TracedPart::Failed(error) => {
                // Among all that it reads, this is what doesn't exist.
                own.retain(|origin| !matches!(origin, LineOrigin::Later { .. }));
                own.insert(LineOrigin::Later { waits_for: reason(error) });
                Node::Later
            }
            TracedPart::List(parts) => {
                let items: Vec<Self> = parts.iter().filter_map(|part| Self::of(part, origins, each)).collect();
                if items.is_empty() {
                    own.extend(left_out(parts.iter(), origins, each));
                    Node::Leaf(Value::Array(Vec::new()))
                } else {
                    Node::List(items)
                }
            }
            TracedPart::Object(fields) => {
                let mut found: Vec<(String, Self)> = Vec::with_capacity(fields.len());
                for field in fields {
                    let Some(mut value) = Self::of(&field.value, origins, each) else { continue };
                    let name = field.name.clone().unwrap_or_else(|error| {
                        value.origins.insert(LineOrigin::Later { waits_for: reason(&error) });
                        LATER.to_owned()
                    });
                    // Of two fields with the same name the later one wins, as in rendering.
                    found.retain(|(known, _)| *known != name);
                    found.push((name, value));
                }
                if found.is_empty() {
                    own.extend(left_out(fields.iter().map(|field| &field.value), origins, each));
                    Node::Leaf(Value::Object(serde_json::Map::new()))
                } else {
                    Node::Object(found)
                }
            }
        };
        Some(Self { origins: own, node })
    }

    /// Builds the tree of a value that is in the parameters as it is: each part has the origin of its own path, and of what else is read.
    fn given(value: &Value, path: &[String], others: &BTreeSet<LineOrigin>, origins: &Origins<'_>) -> Self {
        let own: BTreeSet<LineOrigin> = origins.read(path, &BTreeSet::new()).into_iter().chain(others.iter().cloned()).collect();
        match value {
            Value::Object(fields) if !fields.is_empty() => {
                let part = |(name, field): (&String, &Value)| {
                    let inner = [path, std::slice::from_ref(name)].concat();
                    (name.clone(), Self::given(field, &inner, others, origins))
                };
                Self { origins: own, node: Node::Object(fields.iter().map(part).collect()) }
            }
            _ => Self::value(value, &own),
        }
    }

    /// Builds the tree of a value whose parts all have the same origins.
    fn value(value: &Value, origins: &BTreeSet<LineOrigin>) -> Self {
        let node = match value {
            Value::Array(items) if !items.is_empty() => Node::List(items.iter().map(|item| Self::value(item, origins)).collect()),
            Value::Object(fields) if !fields.is_empty() => {
                Node::Object(fields.iter().map(|(name, field)| (name.clone(), Self::value(field, origins))).collect())
            }
            other => Node::Leaf(other.clone()),
        };
        Self { origins: origins.clone(), node }
    }

    /// Returns the part with that name.
    pub(super) fn get(&self, name: &str) -> Option<&Self> {
        match &self.node {
            Node::Object(fields) => fields.iter().find(|(known, _)| known == name).map(|(_, field)| field),
            _ => None,
        }
    }

    /// Returns its text, if it is a known text.
    pub(super) fn text(&self) -> Option<&str> {
        match &self.node {
            Node::Leaf(Value::String(text)) => Some(text),
            _ => None,
        }
    }

    /// Returns its fields. A part that isn't an object is replaced by one with these origins.
    fn fields(&mut self, origins: &BTreeSet<LineOrigin>) -> &mut Vec<(String, Self)> {
        if !matches!(self.node, Node::Object(_)) {
            self.origins.extend(origins.iter().cloned());
            self.node = Node::Object(Vec::new());
        }
        match &mut self.node {
            Node::Object(fields) => fields,
            Node::Leaf(_) | Node::Later | Node::List(_) => unreachable!("it became an object just above"),
        }
    }

    /// Returns the part with that name, and inserts it if it doesn't exist.
    pub(super) fn enter(&mut self, name: &str, origins: &BTreeSet<LineOrigin>) -> &mut Self {
        let fields = self.fields(origins);
        let at = fields.iter().position(|(known, _)| known == name).unwrap_or_else(|| {
            fields.push((name.to_owned(), Self { origins: origins.clone(), node: Node::Leaf(Value::Null) }));
            fields.len() - 1
        });
        &mut fields[at].1
    }

    /// Applies the merges that match the kind, like rendering (RFC 7386).
    pub(super) fn inject(&mut self, injects: &[Ruling<Inject>], origins: &Origins<'_>) {
        for ruling in injects {
            let kinds = &ruling.effect.r#match.kinds;
            let matches =
                kinds.is_empty() || self.get("kind").and_then(Self::text).is_some_and(|kind| kinds.iter().any(|wanted| wanted == kind));
            if let (true, Some(patch)) = (matches, &ruling.effect.merge) {
                self.merge(patch, &origins.rule(&ruling.from));
            }
        }
    }

    fn merge(&mut self, patch: &Value, origins: &BTreeSet<LineOrigin>) {
        let Value::Object(patch) = patch else {
            *self = Self::value(patch, origins);
            return;
        };
        self.fields(origins);
        for (name, value) in patch {
            if value.is_null() {
                self.fields(origins).retain(|(known, _)| known != name);
            } else {
                self.enter(name, origins).merge(value, origins);
            }
        }
        if matches!(&self.node, Node::Object(fields) if fields.is_empty()) {
            self.origins.extend(origins.iter().cloned());
            self.node = Node::Leaf(Value::Object(serde_json::Map::new()));
        }
    }

    /// Masks the values of a Secret.
    pub(super) fn mask(&mut self) {
        if self.get("apiVersion").and_then(Self::text) != Some("v1") || self.get("kind").and_then(Self::text) != Some("Secret") {
            return;
        }
        let Node::Object(fields) = &mut self.node else { return };
        for (_, part) in fields.iter_mut().filter(|(name, _)| name == "data" || name == "stringData") {
            if let Node::Object(values) = &mut part.node {
                for (_, value) in values {
                    let inner = value.all_origins();
                    *value = Self { origins: inner, node: Node::Leaf(MASK.into()) };
                }
            }
        }
    }

    /// Returns its origins and those of all its parts.
    fn all_origins(&self) -> BTreeSet<LineOrigin> {
        let mut all = self.origins.clone();
        match &self.node {
            Node::Leaf(_) | Node::Later => {}
            Node::List(items) => items.iter().for_each(|item| all.extend(item.all_origins())),
            Node::Object(fields) => fields.iter().for_each(|(_, field)| all.extend(field.all_origins())),
        }
        all
    }

    /// Returns what it waits for, if a part of it does.
    pub(super) fn waits_for(&self) -> Option<String> {
        let later = |tree: &Self| {
            tree.origins.iter().find_map(|origin| match origin {
                LineOrigin::Later { waits_for } => Some(waits_for.clone()),
                _ => None,
            })
        };
        match &self.node {
            Node::Later => later(self),
            Node::Leaf(_) => None,
            Node::List(items) => items.iter().find_map(Self::waits_for),
            Node::Object(fields) => fields.iter().find_map(|(_, field)| field.waits_for()),
        }
    }
}

/// Returns the origins of the conditions by which parts are left out. If nothing remains, they explain the empty whole.
fn left_out<'t>(parts: impl Iterator<Item = &'t Traced>, origins: &Origins<'_>, each: &BTreeSet<LineOrigin>) -> BTreeSet<LineOrigin> {
    parts.flat_map(|part| part.reads.iter().flat_map(|read| origins.read(read, each))).collect()
}

fn reason(error: &ExprError) -> String {
    waits_for(error).unwrap_or_else(|| error.to_string())
}
