//! Schemas of the built-in kinds: what pruning, defaulting, strategic patches and apply need to know of them.
//! Source: kubernetes `api/openapi-spec/v3`, and the patch tags of `k8s.io/api`.
//!
//! Fields that people set are declared; what is rarely seen below them is open, so that nothing that a real cluster takes is lost.

mod access;
mod core;
mod networking;
mod parts;
mod pod;
mod shapes;
mod workloads;

use std::sync::{LazyLock, OnceLock};

use ::schema::structural::Schema;
use serde_json::Value;

use shapes::open;

/// Group, kind, and what the schema has beside `apiVersion`, `kind` and `metadata`.
type Row = (&'static str, &'static str, fn() -> Value);

/// Builds a schema at its first use: a start of the plane reads few of them.
struct Slot {
    group: &'static str,
    kind: &'static str,
    build: fn() -> Value,
    schema: OnceLock<Schema>,
}

static SLOTS: LazyLock<Vec<Slot>> = LazyLock::new(|| {
    let rows = core::KINDS.iter().chain(workloads::KINDS).chain(networking::KINDS).chain(access::KINDS).chain(parts::KINDS);
    rows.map(|&(group, kind, build)| Slot { group, kind, build, schema: OnceLock::new() }).collect()
});

/// The schema of a built-in kind.
pub fn schema(group: &str, kind: &str) -> Option<&'static Schema> {
    let slot = SLOTS.iter().find(|slot| slot.group == group && slot.kind == kind)?;
    Some(slot.schema.get_or_init(|| Schema::parse_lenient(&(slot.build)())))
}

#[cfg(test)]
mod tests {
    use ::schema::structural::ListType;

    use super::*;

    #[test]
    fn every_schema_is_structural() {
        for slot in SLOTS.iter() {
            let problems = Schema::parse(&(slot.build)()).err();
            assert!(problems.is_none(), "{}: {problems:?}", slot.kind);
        }
    }

    #[test]
    fn every_stored_kind_has_a_schema() {
        let missing: Vec<&str> = crate::registry::builtin::kubernetes()
            .iter()
            .filter(|resource| !resource.traits.review && schema(&resource.group, &resource.kind).is_none())
            .map(|resource| resource.kind.as_str())
            .collect();
        assert!(missing.is_empty(), "{missing:?}");
    }

    #[test]
    fn containers_are_told_apart_by_name_and_ports_by_number_and_protocol() {
        let deployment = schema("apps", "Deployment").unwrap();
        let path = ["spec", "template", "spec", "containers"];
        let containers = path.iter().try_fold(deployment, |schema, name| schema.property(name)).unwrap();
        assert_eq!(*containers.list_type(), ListType::Map(vec!["name".into()]));
        let ports = containers.items().unwrap().property("ports").unwrap();
        assert_eq!(*ports.list_type(), ListType::Map(vec!["containerPort".into(), "protocol".into()]));
    }
}
