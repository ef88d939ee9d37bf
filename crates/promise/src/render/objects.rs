//! Evaluates the templates in creation order.

use std::collections::BTreeMap;
use std::fmt;

use schema::expr::{Budget, ExprError, Scope, TemplateError};
use serde_json::{Map, Value};

use super::inject::inject;
use super::mask::masked;
use super::readiness::ReadinessError;
use super::{Compiled, CompiledResource, ITEM_LIMIT, Inputs, OBJECT_LIMIT, Rendered, Rendering, SIZE_LIMIT, outputs};
use crate::context::Context;
use crate::expression;
use crate::plan::{Pending, resource_of};
use crate::problem::Problem;

/// What a failed expression waits for.
struct Awaited {
    /// Id of the resource, with its index if it is one of several.
    id: String,
    /// Path in its object; empty for the object.
    field: String,
}

impl fmt::Display for Awaited {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.field.is_empty() { out.write_str(&self.id) } else { write!(out, "{} of {}", self.field, self.id) }
    }
}

/// Returns what a failed expression waits for, as words that follow “waits for”, or nothing if it doesn't wait for a resource.
pub(crate) fn waits_for(error: &ExprError) -> Option<String> {
    awaited(error).map(|awaited| awaited.to_string())
}

fn awaited(error: &ExprError) -> Option<Awaited> {
    let ExprError::AbsentPath(path) = error else { return None };
    let rest = path.strip_prefix("resources")?;
    let (id, field) = match rest.strip_prefix('[') {
        Some(inside) => inside.split_once(']')?,
        None => {
            let rest = rest.strip_prefix('.')?;
            rest.split_at(rest.find(['.', '[']).unwrap_or(rest.len()))
        }
    };
    let (id, field) = match field.strip_prefix('[').and_then(|inside| inside.split_once(']')) {
        // An item of a list belongs to the name of the object.
        Some((index, field)) if index.bytes().all(|byte| byte.is_ascii_digit()) => (format!("{id}[{index}]"), field),
        _ => (id.to_owned(), field),
    };
    Some(Awaited { id, field: field.trim_start_matches('.').to_owned() })
}

/// State of one resource.
enum Outcome {
    Objects(Vec<Rendered>),
    Pending(String),
    LeftOut,
}

pub(super) fn render(
    compiled: &Compiled,
    inputs: &Inputs<'_>,
    steps: Option<&Value>,
    budget: &mut Budget,
) -> Result<Rendering, Vec<Problem>> {
    let mut scope = expression::scope(&compiled.environment, inputs.parameters, inputs.context);
    let mut seen = Map::new();
    scope.set("resources", &Value::Object(Map::new()));
    let (mut rendering, mut problems, mut left_out) = (Rendering::default(), Vec::new(), Vec::new());
    let mut size = 0;
    for index in &compiled.order {
        let resource = &compiled.resources[*index];
        match one(resource, &scope, inputs, budget, &left_out) {
            Ok(Outcome::Objects(objects)) => {
                if let Some(observed) = observed(resource, &objects, inputs.observed) {
                    seen.insert(resource.id.clone(), observed);
                    scope.set("resources", &Value::Object(seen.clone()));
                }
                size += objects.iter().map(|rendered| rendered.object.to_string().len()).sum::<usize>();
                rendering.objects.extend(objects);
            }
            Ok(Outcome::Pending(waits_for)) => {
                rendering.pending.push(Pending { id: resource.id.clone(), stage: resource.stage, waits_for });
            }
            Ok(Outcome::LeftOut) => left_out.push(resource.id.as_str()),
            Err(problem) => problems.push(problem),
        }
        if let Some(problem) = too_much(rendering.objects.len(), size) {
            problems.push(problem);
            break;
        }
    }
    if !problems.is_empty() {
        return Err(problems);
    }
    // Objects are frozen before any step runs, so their templates can't read it.
    if let Some(steps) = steps {
        scope.set("steps", steps);
    }
    rendering.outputs = outputs::outputs(compiled, &scope, &left_out, budget);
    Ok(rendering)
}

fn too_much(objects: usize, size: usize) -> Option<Problem> {
    let path = ".implementation.resources".to_owned();
    if objects > OBJECT_LIMIT {
        return Some(Problem { path, message: format!("Create fewer objects: a request can have at most {OBJECT_LIMIT}.") });
    }
    (size > SIZE_LIMIT)
        .then(|| Problem { path, message: format!("Create smaller objects: together they can have at most {} KiB.", SIZE_LIMIT >> 10) })
}

fn one(
    resource: &CompiledResource,
    scope: &Scope,
    inputs: &Inputs<'_>,
    budget: &mut Budget,
    left_out: &[&str],
) -> Result<Outcome, Problem> {
    let fail = |step: &str, error: &TemplateError| -> Result<Outcome, Problem> {
        let path = format!("{}.{step}{}", resource.path, error.path);
        match awaited(&error.error) {
            Some(what) => match left_out.iter().find(|id| what.id == **id) {
                Some(id) => {
                    Err(Problem { path, message: format!("Test with has(resources.{id}): `{id}` isn't created with these parameters.") })
                }
                None => Ok(Outcome::Pending(what.to_string())),
            },
            None => Err(Problem { path, message: expression::sentence(&error.error) }),
        }
    };
    match resource.include_when.as_ref().map(|template| template.evaluate(scope, budget)) {
        None | Some(Ok(Value::Bool(true))) => {}
        Some(Ok(Value::Bool(false))) => return Ok(Outcome::LeftOut),
        Some(Ok(other)) => {
            let message = format!("includeWhen must return true or false, but it returns {other}.");
            return Err(Problem { path: format!("{}.includeWhen", resource.path), message });
        }
        Some(Err(error)) => return fail("includeWhen", &error),
    }
    let Some(for_each) = &resource.for_each else {
        return match object(resource, None, scope, inputs, budget) {
            Ok(rendered) => rendered.map(|rendered| Outcome::Objects(vec![rendered])),
            Err(error) => fail("template", &error),
        };
    };
    let items = match for_each.evaluate(scope, budget) {
        Ok(Value::Array(items)) if items.len() <= ITEM_LIMIT => items,
        Ok(other) => {
            let found = other.as_array().map_or_else(|| "no list".to_owned(), |items| format!("{} items", items.len()));
            let message = format!("forEach must return a list of at most {ITEM_LIMIT} items, but it returns {found}.");
            return Err(Problem { path: format!("{}.forEach", resource.path), message });
        }
        Err(error) => return fail("forEach", &error),
    };
    let mut objects = Vec::with_capacity(items.len());
    let mut inside = scope.clone();
    for (index, item) in items.iter().enumerate() {
        inside.set("each", item);
        inside.set("index", &index.into());
        match object(resource, Some(index), &inside, inputs, budget) {
            Ok(rendered) => objects.push(rendered?),
            Err(error) => return fail("template", &error),
        }
    }
    Ok(Outcome::Objects(objects))
}

/// Renders one object. The inner error is about the object itself, the outer one about an expression.
fn object(
    resource: &CompiledResource,
    index: Option<usize>,
    scope: &Scope,
    inputs: &Inputs<'_>,
    budget: &mut Budget,
) -> Result<Result<Rendered, Problem>, TemplateError> {
    let mut object = resource.template.evaluate(scope, budget)?;
    inject(&mut object, inputs.injects);
    let missing = [("/apiVersion", "apiVersion"), ("/kind", "kind"), ("/metadata/name", "metadata.name")]
        .into_iter()
        .find(|(pointer, _)| object.pointer(pointer).and_then(Value::as_str).is_none_or(str::is_empty));
    if let Some((_, field)) = missing {
        let path = format!("{}.template.{field}", resource.path);
        return Ok(Err(Problem { path, message: format!("Set {field} to text in every object of `{}`.", resource.id) }));
    }
    let id = index.map_or_else(|| resource.id.clone(), |index| format!("{}[{index}]", resource.id));
    let destination = resource.destination.clone();
    Ok(Ok(Rendered { id, resource: resource.id.clone(), destination, object, stage: resource.stage }))
}

/// Returns what expressions see of a resource: its observed object, or the list of them once all exist.
fn observed(resource: &CompiledResource, objects: &[Rendered], observed: &BTreeMap<String, Value>) -> Option<Value> {
    let mut found = Vec::with_capacity(objects.len());
    for rendered in objects {
        found.push(masked(observed.get(&rendered.id).filter(|object| object.is_object())?));
    }
    if resource.for_each.is_some() { Some(Value::Array(found)) } else { found.pop() }
}

/// Returns the observed objects of every resource that has any.
pub(super) fn all_observed(compiled: &Compiled, observed: &BTreeMap<String, Value>) -> Value {
    let mut all = Map::new();
    for resource in &compiled.resources {
        let id = &resource.id;
        if resource.for_each.is_none() {
            if let Some(object) = observed.get(id).filter(|object| object.is_object()) {
                all.insert(id.clone(), masked(object));
            }
            continue;
        }
        let items = (0..ITEM_LIMIT).map_while(|index| observed.get(&format!("{id}[{index}]")).filter(|object| object.is_object()));
        let items: Vec<Value> = items.map(masked).collect();
        if !items.is_empty() {
            all.insert(id.clone(), Value::Array(items));
        }
    }
    Value::Object(all)
}

pub(super) fn is_ready(
    compiled: &Compiled,
    resource: &str,
    object: &Value,
    parameters: &Value,
    context: &Context,
) -> Option<Result<bool, ReadinessError>> {
    let resource = resource_of(resource);
    let template = compiled.resources.iter().find(|candidate| candidate.id == resource)?.ready_when.as_ref()?;
    let mut scope = expression::scope(&compiled.environment, parameters, context);
    scope.set("self", &masked(object));
    Some(match template.evaluate(&scope, &mut Budget::steps(20_000)) {
        Ok(Value::Bool(ready)) => Ok(ready),
        Ok(other) => Err(ReadinessError::NotABoolean(other)),
        Err(TemplateError { error: ExprError::AbsentPath(_), .. }) => Ok(false),
        Err(error) => Err(ReadinessError::Failed(error.error)),
    })
}
