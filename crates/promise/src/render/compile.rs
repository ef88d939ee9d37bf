//! Compiles every expression of a promise.

use std::collections::BTreeSet;

use schema::expr::{Environment, ExprError, Template, TemplateError, Type, TypeProblem};
use schema::structural::Schema;
use serde_json::Value;

use super::cost::CompiledItem;
use super::outputs::{CompiledOutput, Source};
use super::{Compiled, CompiledResource, OBJECT_LIMIT, order};
use crate::api::{PromiseSpec, ResourceTemplate};
use crate::connection::ConnectionTemplate;
use crate::expression;
use crate::problem::Problem;

/// Compiles a promise and collects all problems.
pub(super) fn compile(spec: &PromiseSpec) -> Result<Compiled, Vec<Problem>> {
    let count = spec.implementation.resources.len();
    if count > OBJECT_LIMIT {
        let message = format!("Use fewer resources: a promise can have at most {OBJECT_LIMIT}, and this one has {count}.");
        return Err(vec![Problem { path: ".implementation.resources".to_owned(), message }]);
    }
    let parameters = Schema::parse_lenient(&expression::parameters_schema(spec.parameters.as_ref()));
    let base = expression::environment(&parameters);
    let ids: Vec<&str> = spec.implementation.resources.iter().map(|resource| resource.id.as_str()).collect();
    let kinds = spec.implementation.resources.iter().map(|resource| {
        let kind = if resource.for_each.is_some() { Type::list(Type::Dyn) } else { Type::Dyn };
        (resource.id.clone(), kind)
    });
    let environment = base.clone().variable("resources", Type::object(kinds));
    let with_self = base.clone().variable("self", Type::Dyn);
    let mut reader = Reader { environment: &environment, with_self: &with_self, problems: Vec::new() };
    let mut resources: Vec<CompiledResource> =
        spec.implementation.resources.iter().enumerate().filter_map(|(index, resource)| reader.resource(index, resource)).collect();
    let outputs = reader.outputs(spec, &ids);
    let cost = reader.cost(spec, &base);
    let mut problems = reader.problems;
    if problems.is_empty() {
        match order::order(&mut resources) {
            Ok(order) => return Ok(Compiled { environment, resources, order, outputs, cost }),
            Err(cycle) => problems.push(cycle),
        }
    }
    Err(problems)
}

struct Reader<'e> {
    environment: &'e Environment,
    /// Readiness depends on the object alone.
    with_self: &'e Environment,
    problems: Vec<Problem>,
}

impl Reader<'_> {
    fn problem(&mut self, path: impl Into<String>, message: impl Into<String>) {
        self.problems.push(Problem { path: path.into(), message: message.into() });
    }

    fn resource(&mut self, index: usize, resource: &ResourceTemplate) -> Option<CompiledResource> {
        let path = format!(".implementation.resources[{index}]");
        let include_when = self.typed(resource.include_when.as_deref(), &format!("{path}.includeWhen"), self.environment, &Type::Bool);
        let list = Type::list(Type::Dyn);
        let for_each = self.typed(resource.for_each.as_deref(), &format!("{path}.forEach"), self.environment, &list);
        let item = match for_each.as_ref().map(Template::kind) {
            Some(Type::List(item)) => item.as_ref().clone(),
            _ => Type::Dyn,
        };
        let inside = if for_each.is_some() {
            self.environment.clone().variable("each", item).variable("index", Type::Int)
        } else {
            self.environment.clone()
        };
        let ready_when = self.typed(resource.ready_when.as_deref(), &format!("{path}.readyWhen"), self.with_self, &Type::Bool);
        let template = self.template(resource.template.as_ref()?, &format!("{path}.template"), &inside)?;
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

    fn template(&mut self, json: &Value, path: &str, environment: &Environment) -> Option<Template> {
        match Template::compile(json, environment) {
            Ok(template) => Some(template),
            Err(errors) => {
                for TemplateError { path: inner, error } in errors {
                    self.problem(format!("{path}{inner}"), expression::sentence(&error));
                }
                None
            }
        }
    }

    /// Compiles a text that is one expression of a type.
    fn typed(&mut self, text: Option<&str>, path: &str, environment: &Environment, wanted: &Type) -> Option<Template> {
        let template = self.template(&Value::from(text?), path, environment)?;
        let kind = template.kind();
        if kind.fits(wanted) {
            return Some(template);
        }
        let message = match kind {
            Type::String => format!("Write one expression in ${{…}} that returns {}.", words(wanted)),
            _ => {
                let problem = TypeProblem::WrongResult { found: kind.to_string(), wanted: words(wanted).to_owned() };
                expression::sentence(&ExprError::of_types(problem))
            }
        };
        self.problem(path, message);
        None
    }

    fn outputs(&mut self, spec: &PromiseSpec, ids: &[&str]) -> Vec<CompiledOutput> {
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
                    self.template(&Value::from(value.as_str()), &format!("{path}.value"), self.environment).map(Source::Value)
                }
                (None, Some(secret), None) => {
                    if !ids.contains(&secret.resource.as_str()) {
                        let message = format!("Name an existing resource: the promise has no `{}`.", secret.resource);
                        self.problem(format!("{path}.secretRef.resource"), message);
                    }
                    if secret.key.is_empty() {
                        self.problem(format!("{path}.secretRef.key"), "Name the key in the Secret.");
                    }
                    let name = match &secret.name {
                        None => None,
                        Some(name) => self.template(&Value::from(name.as_str()), &format!("{path}.secretRef.name"), self.environment),
                    };
                    Some(Source::Secret { resource: secret.resource.clone(), name, key: secret.key.clone() })
                }
                _ => {
                    self.problem(path, "Give the output either a value or a secretRef, or a template of other outputs.");
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
            Err(message) => return self.problem(path, message),
        };
        let has_value = |name: &str| spec.outputs.iter().any(|output| output.name == name && output.template.is_none());
        if let Some(name) = template.names().find(|name| !has_value(name)) {
            self.problem(path, format!("Name an output with a value or a secretRef: the promise has no such output `{name}`."));
        }
    }

    fn cost(&mut self, spec: &PromiseSpec, base: &Environment) -> Vec<CompiledItem> {
        let mut items = Vec::new();
        for (index, item) in spec.cost.iter().flat_map(|cost| &cost.items).enumerate() {
            let path = format!(".cost.items[{index}].monthly");
            let Some(template) = self.template(&Value::from(item.monthly.as_str()), &path, base) else { continue };
            if matches!(template.kind(), Type::Int | Type::Dyn | Type::UInt) {
                items.push(CompiledItem { name: item.name.clone(), monthly: template });
            } else {
                let kind = template.kind();
                self.problem(
                    path,
                    format!("Write one expression in ${{…}} that returns a whole number of micro-units: this one returns {kind}."),
                );
            }
        }
        items
    }
}

fn words(wanted: &Type) -> &'static str {
    if *wanted == Type::Bool { "true or false" } else { "a list" }
}
