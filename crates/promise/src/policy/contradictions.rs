//! Contradictions: values that disagree, and values that the promise doesn't accept.

use schema::structural::Schema;
use serde_json::Value;

use super::effective::Ruling;
use super::narrow;
use super::refusal::{Conflict, ConflictCause, UnfitValue};
use crate::api::{Inject, PromiseSpec};
use crate::path::Path;
use crate::resolve::numbers;
use crate::wording;

/// Returns fixed values that disagree. They are sorted by path.
pub(super) fn of_sets(spec: &PromiseSpec, sets: &[Ruling<Value>]) -> Vec<Conflict> {
    let mut conflicts = Vec::new();
    for (at, outer) in sets.iter().enumerate() {
        // They are sorted by path, so everything below this path follows immediately.
        for inner in sets[at + 1..].iter().take_while(|inner| inner.path.starts_with(&outer.path)) {
            let below = Path(inner.path.0[outer.path.0.len()..].to_vec());
            let outer_value = below.get(&outer.effect);
            if outer_value.is_some_and(|value| narrow::same(value, &inner.effect)) {
                continue;
            }
            conflicts.push(Conflict {
                path: inner.path.clone(),
                between: vec![outer.from.clone(), inner.from.clone()],
                reason: ConflictCause::SetTwice {
                    label: wording::noun(spec, &inner.path),
                    first: outer_value.cloned(),
                    second: inner.effect.clone(),
                },
            });
        }
    }
    conflicts
}

/// Returns why a value isn't valid for the parameter at a path, or nothing if it is valid or the schema leaves it open.
pub(super) fn unfit(schema: &Schema, path: &Path, value: &Value) -> Option<UnfitValue> {
    let node = narrow::schema_at(schema, path)?;
    let mut whole = value.clone();
    numbers::whole(node.json(), &mut whole);
    let unknown = node.prune(&mut whole);
    if let Some(field) = unknown.first() {
        return Some(UnfitValue::UnknownField { field: format!("{path}.{field}") });
    }
    node.default(&mut whole);
    node.validate(&whole).into_iter().next().map(|error| UnfitValue::Rejected(Box::new(error)))
}

/// Returns merges that write different values to the same field of the same objects.
pub(super) fn of_injects(injects: &[Ruling<Inject>]) -> Vec<Conflict> {
    let mut conflicts = Vec::new();
    for (at, one) in injects.iter().enumerate() {
        for other in injects[at + 1..].iter().filter(|other| share_kinds(&one.effect, &other.effect)) {
            let (Some(a), Some(b)) = (&one.effect.merge, &other.effect.merge) else { continue };
            if let Some(field) = first_difference(a, b, &Path::default()) {
                conflicts.push(Conflict {
                    path: Path::default(),
                    between: vec![one.from.clone(), other.from.clone()],
                    reason: ConflictCause::MergedTwice { field },
                });
            }
        }
    }
    conflicts
}

fn share_kinds(a: &Inject, b: &Inject) -> bool {
    let (a, b) = (&a.r#match.kinds, &b.r#match.kinds);
    a.is_empty() || b.is_empty() || a.iter().any(|kind| b.contains(kind))
}

/// Returns the first path at which two merge patches write different values.
fn first_difference(a: &Value, b: &Value, at: &Path) -> Option<Path> {
    match (a, b) {
        (Value::Object(a), Value::Object(b)) => {
            a.iter().find_map(|(key, value)| b.get(key).and_then(|other| first_difference(value, other, &at.child(key))))
        }
        _ => (!narrow::same(a, b)).then(|| at.clone()),
    }
}
