//! Rendered objects with what each of their parts reads.

use std::collections::BTreeSet;

use schema::expr::{Budget, Scope, Traced};
use serde_json::{Map, Value};

use super::{Compiled, CompiledResource, ITEM_LIMIT, STEPS};
use crate::context::Context;
use crate::expression;

/// Paths that expressions read.
pub(crate) type Reads = BTreeSet<Vec<String>>;

/// One object, rendered before anything is observed.
#[derive(Clone, Debug)]
pub(crate) struct TracedObject {
    /// Resource id, followed by `[n]` for an item of `forEach`.
    pub(crate) id: String,
    /// Name of the Destination.
    pub(crate) destination: Option<String>,
    /// What determines whether the object exists.
    pub(crate) because: Reads,
    /// What `each` and `index` are derived from.
    pub(crate) each: Reads,
    /// Reason why it isn't even known whether the object exists.
    pub(crate) waits_for: Option<String>,
    /// Parts of the object.
    pub(crate) template: Traced,
}

/// Renders all objects, in creation order.
pub(super) fn trace(compiled: &Compiled, parameters: &Value, context: &Context) -> Vec<TracedObject> {
    let mut scope = expression::scope(&compiled.environment, parameters, context);
    scope.set("resources", &Value::Object(Map::new()));
    let mut budget = Budget::steps(STEPS);
    compiled.order.iter().flat_map(|index| resource(&compiled.resources[*index], &scope, &mut budget)).collect()
}

fn resource(resource: &CompiledResource, scope: &Scope, budget: &mut Budget) -> Vec<TracedObject> {
    let include = resource.include_when.as_ref();
    let mut because: Reads = include.map(|template| template.references().into_iter().collect()).unwrap_or_default();
    let mut waits_for = None;
    match include.map(|template| template.evaluate(scope, budget)) {
        None | Some(Ok(Value::Bool(true))) => {}
        Some(Err(error)) => waits_for = super::objects::waits_for(&error.error),
        Some(Ok(_)) => return Vec::new(),
    }
    let object = |id: String, scope: &Scope, budget: &mut Budget, because: &Reads, each: &Reads, waits_for: &Option<String>| TracedObject {
        id,
        destination: resource.destination.clone(),
        because: because.clone(),
        each: each.clone(),
        waits_for: waits_for.clone(),
        template: resource.template.trace(scope, budget),
    };
    let Some(for_each) = &resource.for_each else {
        return vec![object(resource.id.clone(), scope, budget, &because, &Reads::new(), &waits_for)];
    };
    let each: Reads = for_each.references().into_iter().collect();
    because.extend(each.iter().cloned());
    match for_each.evaluate(scope, budget) {
        Ok(Value::Array(items)) => {
            let mut inside = scope.clone();
            let items = items.iter().take(ITEM_LIMIT).enumerate().map(|(index, item)| {
                inside.set("each", item);
                inside.set("index", &index.into());
                object(format!("{}[{index}]", resource.id), &inside, budget, &because, &each, &waits_for)
            });
            items.collect()
        }
        Ok(_) => Vec::new(),
        Err(error) => {
            let waits_for = waits_for.or_else(|| super::objects::waits_for(&error.error));
            vec![object(resource.id.clone(), scope, budget, &because, &each, &waits_for)]
        }
    }
}
