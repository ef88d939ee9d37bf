//! Combining an applied configuration with the live object, and taking away what its manager no longer asks for.
//! Source: structured-merge-diff `typed/merge.go`, `merge/update.go`.

mod order;
mod remove;

use serde_json::{Map, Value};

use super::{
    Type,
    field_set::{FieldSet, PathElement},
    managed_fields::Managed,
    typed::{element, field_set, is_hollow},
    types::{List, Shape},
};

/// The live object with what the configuration sets.
pub(super) fn merge(ty: Type<'_>, live: &Value, config: &Value) -> Value {
    merged(ty, Some(live), config)
}

fn merged(ty: Type<'_>, live: Option<&Value>, config: &Value) -> Value {
    let Some(live) = live else { return config.clone() };
    let decisive = if config.is_null() { live } else { config };
    let both_hollow = is_hollow(Some(live)) && is_hollow(Some(config));
    match ty.shape(decisive) {
        Shape::Map { atomic: false } if !both_hollow => {
            let mut fields = live.as_object().cloned().unwrap_or_default();
            for (name, value) in config.as_object().unwrap_or(&Map::new()) {
                let below = ty.field(name).unwrap_or(Type::Deduced);
                let value = merged(below, fields.get(name), value);
                fields.insert(name.clone(), value);
            }
            Value::Object(fields)
        }
        Shape::List(list @ (List::Set | List::Map(_))) if !both_hollow => items(list, ty, live, config),
        _ => config.clone(),
    }
}

fn items(list: List<'_>, ty: Type<'_>, live: &Value, config: &Value) -> Value {
    let keyed = |value: &Value| -> Vec<(PathElement, Value)> {
        let items = value.as_array().into_iter().flatten();
        items.filter_map(|item| Some((element(list, ty, item).ok()?, item.clone()))).collect()
    };
    let (live, config) = (keyed(live), keyed(config));
    let find = |side: &[(PathElement, Value)], wanted: &PathElement| {
        let mut found = side.iter().filter(|(element, _)| element == wanted).map(|(_, item)| item);
        match (found.next(), found.next()) {
            (Some(item), None) => Some(item.clone()),
            // Items that the live list has more than once cannot be merged with, only replaced.
            _ => None,
        }
    };
    let names = |side: &[(PathElement, Value)]| side.iter().map(|(element, _)| element.clone()).collect::<Vec<_>>();
    let placed = order::merge(&names(&live), &names(&config));
    let out = placed.into_iter().map(|place| match place {
        order::Place::Live(at) => live[at].1.clone(),
        order::Place::Config(at) => {
            let (element, item) = &config[at];
            merged(ty.items(), find(&live, element).as_ref(), item)
        }
    });
    Value::Array(out.collect())
}

/// Takes from `merged` what the manager owned (`last`) and neither applies again nor anybody else owns; `managed` holds its new set already.
pub(super) fn prune(ty: Type<'_>, merged: &Value, managed: &Managed, last: &FieldSet) -> Value {
    let last = last.with_named_containers(ty);
    let all = field_set(ty, merged).with_named_containers(ty);
    let without_last = remove::remove(ty, merged, &last);

    // Back comes what somebody owns …
    let kept = field_set(ty, &without_last).with_named_containers(ty);
    let owned = managed.union().with_named_containers(ty);
    let with_owned = remove::remove(ty, merged, &all.difference(&kept.union(&owned)));

    // … and what was not the manager's to take: it may stand inside something that was.
    let kept = field_set(ty, &with_owned).with_named_containers(ty);
    remove::remove(ty, merged, &all.difference(&kept).intersection(&last))
}
