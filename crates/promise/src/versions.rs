//! Differences between two versions of a promise, as the people who request it notice them.

use serde_json::Value;

use crate::api::{OutputSpec, Presentation, PromiseSpec, Requirement};
use crate::form::constraint;
use crate::path::Path;
use crate::shape;
use crate::wording;

/// Depth up to which fields are compared one by one. What is deeper counts as part of its parent.
const DEEPEST: usize = 4;

/// A difference between two versions.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum VersionChange {
    /// A new field.
    FieldAdded {
        /// Label of the field.
        label: String,
        /// Whether it must be filled in.
        required: bool,
    },
    /// A field that no longer exists.
    FieldRemoved {
        /// Label of the field.
        label: String,
    },
    /// A field has another default.
    Default {
        /// Label of the field.
        label: String,
        /// The former default in words.
        before: Option<String>,
        /// The new default in words.
        after: Option<String>,
    },
    /// A field accepts other values.
    Allowed {
        /// Label of the field.
        label: String,
        /// The values that were accepted, in words. Absent if there was no limit that can be described.
        before: Option<String>,
        /// The values that are accepted, in words.
        after: Option<String>,
    },
    /// A field has another type.
    Type {
        /// Label of the field.
        label: String,
    },
    /// A field becomes required, or is no longer.
    Required {
        /// Label of the field.
        label: String,
        /// Whether it must be filled in.
        required: bool,
    },
    /// A new output.
    OutputAdded {
        /// Name in words.
        name: String,
    },
    /// An output that no longer exists.
    OutputRemoved {
        /// Name in words.
        name: String,
    },
    /// Something else that must exist first.
    RequirementAdded {
        /// The promise or API.
        name: String,
    },
    /// Something that no longer has to exist first.
    RequirementRemoved {
        /// The promise or API.
        name: String,
    },
    /// The presentation in the catalog.
    Presentation(PresentationPart),
    /// The form shows its fields in another way.
    Form,
    /// The promise's own policies.
    Policies,
    /// How the price is calculated.
    Price,
    /// The objects that are created.
    Implementation,
}

/// A part of the presentation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum PresentationPart {
    /// Display name.
    Name,
    /// Summary.
    Summary,
    /// Description.
    Description,
    /// Category or tags.
    Category,
    /// Team or contact.
    Maintainer,
    /// Links to documentation.
    Links,
}

/// Returns what changed from one version to the next: fields in the order of their paths, then everything else.
pub fn between(before: &PromiseSpec, after: &PromiseSpec) -> Vec<VersionChange> {
    let mut found = Vec::new();
    fields(before, after, &mut found);
    outputs(&before.outputs, &after.outputs, &mut found);
    requirements(&before.requires, &after.requires, &mut found);
    presentation(&before.presentation, &after.presentation, &mut found);
    for (differs, change) in [
        (before.form != after.form || before.examples != after.examples, VersionChange::Form),
        ((&before.policies, &before.policy_refs) != (&after.policies, &after.policy_refs), VersionChange::Policies),
        (before.cost != after.cost, VersionChange::Price),
        (before.implementation != after.implementation, VersionChange::Implementation),
    ] {
        if differs {
            found.push(change);
        }
    }
    found
}

/// A field of a schema.
struct Node<'s> {
    path: Path,
    schema: &'s Value,
    required: bool,
}

/// Returns the fields of a schema, without objects that only group others.
fn leaves<'s>(schema: &'s Value, path: &Path, required: bool, found: &mut Vec<Node<'s>>) {
    match schema.get("properties").and_then(Value::as_object) {
        Some(properties) if path.0.len() < DEEPEST => {
            let names = schema.get("required").and_then(Value::as_array);
            for (name, property) in properties {
                let required = names.is_some_and(|names| names.iter().any(|known| known == name.as_str()));
                leaves(property, &path.child(name), required, found);
            }
        }
        _ => found.push(Node { path: path.clone(), schema, required }),
    }
}

fn fields(before: &PromiseSpec, after: &PromiseSpec, found: &mut Vec<VersionChange>) {
    let of = |spec: &PromiseSpec| spec.parameters.clone().unwrap_or_default();
    let (old, new) = (of(before), of(after));
    let (mut former, mut present) = (Vec::new(), Vec::new());
    leaves(&old, &Path::default(), false, &mut former);
    leaves(&new, &Path::default(), false, &mut present);
    // A schema without fields is a single node without a path.
    former.retain(|node| !node.path.0.is_empty());
    present.retain(|node| !node.path.0.is_empty());
    former.sort_by(|a, b| a.path.cmp(&b.path));
    present.sort_by(|a, b| a.path.cmp(&b.path));
    for node in &present {
        let label = wording::label(after, &node.path);
        match former.iter().find(|known| known.path == node.path) {
            None => found.push(VersionChange::FieldAdded { label, required: node.required && node.schema.get("default").is_none() }),
            Some(known) => field(before, after, known, node, &label, found),
        }
    }
    for node in former.iter().filter(|node| !present.iter().any(|known| known.path == node.path)) {
        found.push(VersionChange::FieldRemoved { label: wording::label(before, &node.path) });
    }
}

fn field(before: &PromiseSpec, after: &PromiseSpec, old: &Node<'_>, new: &Node<'_>, label: &str, found: &mut Vec<VersionChange>) {
    let label = || label.to_owned();
    if old.schema.get("type") != new.schema.get("type") {
        found.push(VersionChange::Type { label: label() });
    }
    let default = |spec: &PromiseSpec, node: &Node<'_>| node.schema.get("default").map(|value| shape::value_of(spec, &node.path, value));
    if old.schema.get("default") != new.schema.get("default") {
        found.push(VersionChange::Default { label: label(), before: default(before, old), after: default(after, new) });
    }
    let (was, is) = (allowed(before, old), allowed(after, new));
    if was != is {
        found.push(VersionChange::Allowed { label: label(), before: was, after: is });
    }
    if old.required != new.required {
        found.push(VersionChange::Required { label: label(), required: new.required });
    }
}

/// Describes the accepted values; `None` if there is nothing to say about them.
fn allowed(spec: &PromiseSpec, node: &Node<'_>) -> Option<String> {
    match node.schema.get("enum").and_then(Value::as_array) {
        Some(values) => Some(values.iter().map(|value| shape::value_of(spec, &node.path, value)).collect::<Vec<_>>().join(", ")),
        None => constraint(node.schema, shape::hint_at(spec, &node.path)),
    }
}

fn outputs(before: &[OutputSpec], after: &[OutputSpec], found: &mut Vec<VersionChange>) {
    let is_in = |all: &[OutputSpec], output: &OutputSpec| all.iter().any(|known| known.name == output.name);
    let name = |output: &OutputSpec| wording::humanise(&output.name);
    let added = after.iter().filter(|output| !is_in(before, output));
    found.extend(added.map(|output| VersionChange::OutputAdded { name: name(output) }));
    let removed = before.iter().filter(|output| !is_in(after, output));
    found.extend(removed.map(|output| VersionChange::OutputRemoved { name: name(output) }));
}

fn requirements(before: &[Requirement], after: &[Requirement], found: &mut Vec<VersionChange>) {
    let name = |required: &Requirement| {
        let what = required.promise.clone().or_else(|| required.api.clone()).unwrap_or_default();
        required.version.as_ref().map_or_else(|| what.clone(), |version| format!("{what} {version}"))
    };
    let added = after.iter().filter(|required| !before.contains(required));
    found.extend(added.map(|required| VersionChange::RequirementAdded { name: name(required) }));
    let removed = before.iter().filter(|required| !after.contains(required));
    found.extend(removed.map(|required| VersionChange::RequirementRemoved { name: name(required) }));
}

fn presentation(before: &Presentation, after: &Presentation, found: &mut Vec<VersionChange>) {
    let parts = [
        (before.display_name != after.display_name, PresentationPart::Name),
        (before.summary != after.summary, PresentationPart::Summary),
        (before.description != after.description, PresentationPart::Description),
        ((&before.category, &before.tags) != (&after.category, &after.tags), PresentationPart::Category),
        (before.maintainer != after.maintainer, PresentationPart::Maintainer),
        (before.links != after.links, PresentationPart::Links),
    ];
    found.extend(parts.into_iter().filter(|(differs, _)| *differs).map(|(_, part)| VersionChange::Presentation(part)));
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn spec(parameters: Value) -> PromiseSpec {
        PromiseSpec { parameters: Some(parameters.into()), ..PromiseSpec::default() }
    }

    #[test]
    fn fields_that_came_went_or_changed_are_named() {
        let before = spec(json!({"type": "object", "required": ["size"], "properties": {
            "size": {"type": "string", "enum": ["small", "large"], "default": "small"},
            "replicas": {"type": "integer", "minimum": 1, "maximum": 5},
            "legacy": {"type": "boolean"},
            "backup": {"type": "object", "properties": {"days": {"type": "integer", "default": 7}}},
        }}));
        let after = spec(json!({"type": "object", "required": ["region"], "properties": {
            "size": {"type": "string", "enum": ["small", "large", "huge"], "default": "large"},
            "replicas": {"type": "integer", "minimum": 1, "maximum": 7},
            "region": {"type": "string"},
            "backup": {"type": "object", "properties": {"days": {"type": "integer", "default": 14}}},
        }}));
        let said = |text: &str| Some(text.to_owned());
        assert_eq!(
            between(&before, &after),
            [
                VersionChange::Default { label: "Days".into(), before: said("7"), after: said("14") },
                VersionChange::FieldAdded { label: "Region".into(), required: true },
                VersionChange::Allowed { label: "Replicas".into(), before: said("1 to 5"), after: said("1 to 7") },
                VersionChange::Default { label: "Size".into(), before: said("small"), after: said("large") },
                VersionChange::Allowed { label: "Size".into(), before: said("small, large"), after: said("small, large, huge") },
                VersionChange::Required { label: "Size".into(), required: false },
                VersionChange::FieldRemoved { label: "Legacy".into() },
            ]
        );
        assert_eq!(between(&before, &before), []);
    }

    #[test]
    fn what_people_read_and_receive_is_compared_too() {
        let before = PromiseSpec { outputs: vec![OutputSpec { name: "host".into(), ..OutputSpec::default() }], ..PromiseSpec::default() };
        let after = PromiseSpec {
            outputs: vec![OutputSpec { name: "readOnlyHost".into(), ..OutputSpec::default() }],
            presentation: Presentation { summary: Some("A database".into()), ..Presentation::default() },
            requires: vec![Requirement { promise: Some("redis".into()), version: Some(">=1".into()), ..Requirement::default() }],
            ..PromiseSpec::default()
        };
        assert_eq!(
            between(&before, &after),
            [
                VersionChange::OutputAdded { name: "Read only host".into() },
                VersionChange::OutputRemoved { name: "Host".into() },
                VersionChange::RequirementAdded { name: "redis >=1".into() },
                VersionChange::Presentation(PresentationPart::Summary),
            ]
        );
    }
}
