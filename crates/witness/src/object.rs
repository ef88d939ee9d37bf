//! The objects: what they look like, and what a write makes of them.

use serde_json::{Value, json};

/// Collection of the objects.
pub(crate) const COLLECTION: &str = "/apis/witness.dev/v1/namespaces/default/boxes";
/// Where definitions are made.
pub(crate) const DEFINITIONS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

/// What is known of one object.
#[derive(Debug, Clone, Default)]
pub(crate) struct Slot {
    /// As it was last acknowledged; none if it is not there.
    pub(crate) known: Option<Known>,
    /// A write that was not answered.
    pub(crate) pending: Option<Wish>,
}

/// An object as it was acknowledged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Known {
    pub(crate) version: u64,
    pub(crate) content: Content,
}

/// What is in an object: the numbers of the writes that made its spec and its status.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Content {
    pub(crate) spec: u64,
    pub(crate) status: Option<u64>,
}

/// A write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wish {
    Create(u64),
    Apply(u64),
    Replace(u64),
    Patch(u64),
    Status(u64),
    Delete,
}

impl Wish {
    /// What it makes of an object.
    pub(crate) fn after(self, before: Option<Content>) -> Option<Content> {
        let status = before.and_then(|content| content.status);
        match self {
            Self::Create(spec) | Self::Apply(spec) | Self::Replace(spec) | Self::Patch(spec) => Some(Content { spec, status }),
            Self::Status(number) => before.map(|content| Content { status: Some(number), ..content }),
            Self::Delete => None,
        }
    }
}

/// Name of the object with this number; in the order of numbers.
pub(crate) fn name(number: usize) -> String {
    format!("box-{number:07}")
}

/// The part of an object that a write with this number makes: it tells whether it is whole.
pub(crate) fn part(count: u64, size: usize) -> Value {
    let word = format!("{count:x}.");
    // Of many lengths: a write can make an object longer and shorter.
    let length = size / 2 + usize::try_from(count.wrapping_mul(2_654_435_761) % (size as u64 + 1)).unwrap_or_default();
    json!({"count": count, "text": word.repeat(length / word.len() + 1), "again": count})
}

/// A whole object, at a version if it must not have changed since.
pub(crate) fn whole(number: usize, spec: u64, size: usize, version: Option<u64>) -> Value {
    let mut object = json!({"apiVersion": "witness.dev/v1", "kind": "Box", "metadata": {"name": name(number)}, "spec": part(spec, size)});
    if let Some(version) = version {
        object["metadata"]["resourceVersion"] = version.to_string().into();
    }
    object
}

/// Reads an object; an error where it is not whole.
pub(crate) fn read(object: &Value, size: usize) -> Result<Known, String> {
    let broken = |what: &str| format!("{} is half done: {what}: {object}", object["metadata"]["name"]);
    let version = object["metadata"]["resourceVersion"].as_str().and_then(|text| text.parse().ok()).ok_or_else(|| broken("no version"))?;
    let count = |found: &Value| found["count"].as_u64();
    let spec = count(&object["spec"]).filter(|count| object["spec"] == part(*count, size)).ok_or_else(|| broken("its spec"))?;
    let status = match &object["status"] {
        Value::Null => None,
        found => Some(count(found).filter(|count| *found == part(*count, size)).ok_or_else(|| broken("its status"))?),
    };
    Ok(Known { version, content: Content { spec, status } })
}

/// The definition of the objects.
pub(crate) fn definition() -> Value {
    let open = json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true});
    let schema = json!({"type": "object", "properties": {"spec": open, "status": open}});
    let version =
        json!({"name": "v1", "served": true, "storage": true, "subresources": {"status": {}}, "schema": {"openAPIV3Schema": schema}});
    let names = json!({"plural": "boxes", "singular": "box", "kind": "Box", "listKind": "BoxList"});
    let spec = json!({"group": "witness.dev", "scope": "Namespaced", "names": names, "versions": [version]});
    json!({"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": "boxes.witness.dev"}, "spec": spec})
}
