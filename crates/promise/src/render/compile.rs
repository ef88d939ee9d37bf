//! Compiles every expression of a promise.

use std::collections::BTreeSet;

use schema::expr::{Environment, Template, Type};
use schema::structural::Schema;
use serde_json::Value;

use super::cost::CompiledItem;
use super::outputs::{CompiledOutput, Source, steps_type};
use super::{Compiled, CompiledResource, OBJECT_LIMIT, order};
use crate::api::{ActionSpec, PromiseSpec, ResourceTemplate};
use crate::connection::ConnectionTemplate;
use crate::expression::{self, Reader};
use crate::problem::Problem;
use crate::workflow::{self, CompiledWorkflows};

/// Compiles a promise and collects all problems.
pub(super) fn compile(spec: &PromiseSpec) -> Result<Compiled, Vec<Problem>> {
    let steps = |environment: &Environment, reader: &mut Reader| workflow::compile(&spec.workflows, environment, reader);
    let with_steps = |environment: Environment| environment.variable("steps", steps_type(&spec.workflows));
    compiled(spec, |base| base, with_steps, steps)
}

/// Compiles an action, see [`Compiled::of_action`].
pub(super) fn of_action(spec: &PromiseSpec, action: &ActionSpec, place: &str) -> Result<Compiled, Vec<Problem>> {
    let own = Schema::parse_lenient(&expression::parameters_schema(action.parameters.as_ref()));
    let steps = |environment: &Environment, reader: &mut Reader| workflow::compile_action(&action.steps, place, environment, reader);
    // All its expressions can read its steps.
    compiled(spec, |base| expression::with_action(base, &own), |environment| environment, steps)
}

/// Compiles a promise with the variables that `extend` adds, those of the values of outputs that `with_steps` adds, and the steps that `steps`
/// compiles.
fn compiled(
    spec: &PromiseSpec,
    extend: impl FnOnce(Environment) -> Environment,
    with_steps: impl FnOnce(Environment) -> Environment,
    steps: impl FnOnce(&Environment, &mut Reader) -> CompiledWorkflows,
) -> Result<Compiled, Vec<Problem>> {
    let count = spec.implementation.resources.len();
    if count > OBJECT_LIMIT {
        let message = format!("Use fewer resources: a promise can have at most {OBJECT_LIMIT}, and this one has {count}.");
        return Err(vec![Problem { path: ".implementation.resources".to_owned(), message }]);
    }
    let parameters = Schema::parse_lenient(&expression::parameters_schema(spec.parameters.as_deref()));
    let base = extend(expression::environment(&parameters));
    let ids: Vec<&str> = spec.implementation.resources.iter().map(|resource| resource.id.as_str()).collect();
    let kinds = spec.implementation.resources.iter().map(|resource| {
        let kind = if resource.for_each.is_some() { Type::list(Type::Dyn) } else { Type::Dyn };
        (resource.id.clone(), kind)
    });
    let environment = base.clone().variable("resources", Type::object(kinds));
    let with_self = base.clone().variable("self", Type::Dyn);
    let mut parts = Parts { environment: &environment, with_self: &with_self, reader: Reader::default() };
    let mut resources: Vec<CompiledResource> =
        spec.implementation.resources.iter().enumerate().filter_map(|(index, resource)| parts.resource(index, resource)).collect();
    let outputs = parts.outputs(spec, &ids, &with_steps(environment.clone()));
    let cost = parts.cost(spec, &base);
    let workflows = steps(&environment, &mut parts.reader);
    let mut problems = parts.reader.problems;
    if problems.is_empty() {
        match order::order(&mut resources) {
            Ok(order) => return Ok(Compiled { environment, resources, order, outputs, cost, workflows }),
            Err(cycle) => problems.push(cycle),
        }
    }
    Err(problems)
}

struct Parts<'e> {
    environment: &'e Environment,
    /// Readiness depends on the object alone.
    with_self: &'e Environment,
    reader: Reader,
}

impl Parts<'_> {
    fn resource(&mut self, index: usize, resource: &ResourceTemplate) -> Option<CompiledResource> {
        let path = format!(".implementation.resources[{index}]");
        let include_when =
            self.reader.typed(resource.include_when.as_deref(), &format!("{path}.includeWhen"), self.environment, &Type::Bool);
        let list = Type::list(Type::Dyn);
        let for_each = self.reader.typed(resource.for_each.as_deref(), &format!("{path}.forEach"), self.environment, &list);
        let item = match for_each.as_ref().map(Template::kind) {
            Some(Type::List(item)) => item.as_ref().clone(),
            _ => Type::Dyn,
        };
        let inside = if for_each.is_some() {
            self.environment.clone().variable("each", item).variable("index", Type::Int)
        } else {
            self.environment.clone()
        };
        let ready_when = self.reader.typed(resource.ready_when.as_deref(), &format!("{path}.readyWhen"), self.with_self, &Type::Bool);
        let template = self.reader.template(resource.template.as_ref()?, &format!("{path}.template"), &inside)?;
        Some(CompiledResource {
            id: resource.id.clone(),
            path,
            include_when,
            for_each,
            destination: resource.destination.clone(),
            template,
            ready_when,
            stage: 0,
            needs: BTreeSet::new(),
        })
    }

    fn outputs(&mut self, spec: &PromiseSpec, ids: &[&str], with_steps: &Environment) -> Vec<CompiledOutput> {
        let mut outputs = Vec::with_capacity(spec.outputs.len());
        for (index, output) in spec.outputs.iter().enumerate() {
            let path = format!(".outputs[{index}]");
            let source = match (&output.value, &output.secret_ref, &output.template) {
                (None, None, Some(template)) => {
                    self.connection_string(spec, template, format!("{path}.template"));
                    // Nothing is rendered for it: it is put together for the person who looks at it.
                    None
                }
                (Some(value), None, None) => {
                    self.reader.template(&Value::from(value.as_str()), &format!("{path}.value"), with_steps).map(Source::Value)
                }
                (None, Some(secret), None) => {
                    if !ids.contains(&secret.resource.as_str()) {
                        let message = format!("Name an existing resource: the promise has no `{}`.", secret.resource);
                        self.reader.problem(format!("{path}.secretRef.resource"), message);
                    }
                    if secret.key.is_empty() {
                        self.reader.problem(format!("{path}.secretRef.key"), "Name the key in the Secret.");
                    }
                    let name = match &secret.name {
                        None => None,
                        Some(name) => {
                            self.reader.template(&Value::from(name.as_str()), &format!("{path}.secretRef.name"), self.environment)
                        }
                    };
                    Some(Source::Secret { resource: secret.resource.clone(), name, key: secret.key.clone() })
                }
                _ => {
                    self.reader.problem(path, "Give the output either a value or a secretRef, or a template of other outputs.");
                    None
                }
            };
            if let Some(source) = source {
                outputs.push(CompiledOutput { name: output.name.clone(), description: output.description.clone(), source });
            }
        }
        outputs
    }

    /// Checks the template of a connection string.
    fn connection_string(&mut self, spec: &PromiseSpec, template: &str, path: String) {
        let template = match ConnectionTemplate::parse(template) {
            Ok(template) => template,
            Err(message) => return self.reader.problem(path, message),
        };
        let has_value = |name: &str| spec.outputs.iter().any(|output| output.name == name && output.template.is_none());
        if let Some(name) = template.names().find(|name| !has_value(name)) {
            self.reader.problem(path, format!("Name an output with a value or a secretRef: the promise has no such output `{name}`."));
        }
    }

    fn cost(&mut self, spec: &PromiseSpec, base: &Environment) -> Vec<CompiledItem> {
        let mut items = Vec::new();
        for (index, item) in spec.cost.iter().flat_map(|cost| &cost.items).enumerate() {
            let path = format!(".cost.items[{index}].monthly");
            let Some(template) = self.reader.template(&Value::from(item.monthly.as_str()), &path, base) else { continue };
            if matches!(template.kind(), Type::Int | Type::Dyn | Type::UInt) {
                items.push(CompiledItem { name: item.name.clone(), monthly: template });
            } else {
                let kind = template.kind();
                self.reader.problem(
                    path,
                    format!("Write one expression in ${{…}} that returns a whole number of micro-units: this one returns {kind}."),
                );
            }
        }
        items
    }
}
