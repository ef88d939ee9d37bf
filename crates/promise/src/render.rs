//! Renders the objects of a request from its promise and resolved parameters. Pure: the same inputs give the same bytes.
//!
//! [`Compiled::compile`] compiles every expression of a promise once, for publishing and rendering. [`Compiled::render`] renders the
//! objects in the order of their references. A part that reads a value which doesn't exist yet is [`plan::Pending`], never an error.
//!
//! [`plan::Pending`]: crate::plan::Pending

mod compile;
mod cost;
mod inject;
mod mask;
mod objects;
mod order;
mod outputs;
mod readiness;
#[cfg(test)]
mod tests;
mod trace;

use std::collections::{BTreeMap, BTreeSet};

use schema::expr::{Budget, Environment, Template};
use serde_json::Value;

use crate::api::{ActionSpec, Inject, PromiseSpec, StepStatus};
use crate::context::Context;
use crate::plan::Pending;
use crate::policy::Ruling;
use crate::price::LineItem;
use crate::problem::Problem;
use crate::workflow::CompiledWorkflows;

pub(crate) use inject::inject;
pub use inject::injects;
pub(crate) use mask::MASK;
pub use mask::masked;
pub(crate) use objects::waits_for;
pub use outputs::{Output, OutputState};
pub use readiness::ReadinessError;
pub(crate) use trace::{Reads, TracedObject};

/// Maximum number of objects of one rendering.
pub const OBJECT_LIMIT: usize = 200;
/// Maximum number of items of one `forEach`.
pub const ITEM_LIMIT: usize = 100;
/// Maximum size of a rendering, as JSON in bytes.
pub const SIZE_LIMIT: usize = 1 << 20;
/// Maximum number of steps of all expressions of one rendering.
const STEPS: u64 = 2_000_000;

/// Inputs of a rendering.
#[derive(Clone, Copy, Debug)]
pub struct Inputs<'a> {
    /// Resolved parameters.
    pub parameters: &'a Value,
    /// Request, promise, workspace and prices.
    pub context: &'a Context,
    /// Observed objects, by id of the rendered object: `database`, or `workers[2]` for an item of a `forEach`.
    pub observed: &'a BTreeMap<String, Value>,
    /// Merges of policies, in order of application.
    pub injects: &'a [Ruling<Inject>],
}

/// One rendered object, without our labels.
#[derive(Clone, Debug, PartialEq)]
pub struct Rendered {
    /// Resource id, followed by `[n]` for an item of `forEach`.
    pub id: String,
    /// Id of the resource in the promise.
    pub resource: String,
    /// Name of the Destination. Absent if the object is in the request's workspace.
    pub destination: Option<String>,
    /// The object.
    pub object: Value,
    /// Position in the creation order. References point to lower positions.
    pub stage: u32,
}

/// Everything that a promise renders for one request.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rendering {
    /// Objects by stage, then in the order of the promise.
    pub objects: Vec<Rendered>,
    /// Resources that can't be rendered yet.
    pub pending: Vec<Pending>,
    /// Outputs for the requester, in the order of the promise.
    pub outputs: Vec<Output>,
}

/// A promise with all its expressions compiled.
#[derive(Clone, Debug)]
pub struct Compiled {
    environment: Environment,
    resources: Vec<CompiledResource>,
    /// Indexes of `resources` in creation order.
    order: Vec<usize>,
    outputs: Vec<outputs::CompiledOutput>,
    cost: Vec<cost::CompiledItem>,
    workflows: CompiledWorkflows,
}

/// One resource of a promise.
#[derive(Clone, Debug)]
struct CompiledResource {
    id: String,
    /// Path of the resource in the spec.
    path: String,
    include_when: Option<Template>,
    for_each: Option<Template>,
    destination: Option<String>,
    template: Template,
    ready_when: Option<Template>,
    stage: u32,
    /// Indexes of the resources that it reads.
    needs: BTreeSet<usize>,
}

impl Compiled {
    /// Compiles every expression of a promise and orders its resources.
    ///
    /// # Errors
    /// If an expression doesn't compile or has the wrong type, a resource is unknown, or there is a cycle, with paths such as
    /// `.implementation.resources[2].template.spec.replicas`.
    pub fn compile(spec: &PromiseSpec) -> Result<Self, Vec<Problem>> {
        compile::compile(spec)
    }

    /// Compiles every expression of an action of a promise. Its resources come after those of the request, whose observed objects it can
    /// read. `spec` is the promise with the resources and outputs of the action, and `place` the path of the action.
    pub(crate) fn of_action(spec: &PromiseSpec, action: &ActionSpec, place: &str) -> Result<Self, Vec<Problem>> {
        compile::of_action(spec, action, place)
    }

    /// Renders all objects, pending resources and outputs.
    ///
    /// # Errors
    /// If an expression fails on these parameters, or there are more objects than allowed, with its path.
    pub fn render(&self, inputs: &Inputs<'_>) -> Result<Rendering, Vec<Problem>> {
        objects::render(self, inputs, None, &mut Budget::steps(STEPS))
    }

    /// The same, with the outputs of the steps of its workflow, by step. Outputs of the promise can read them.
    ///
    /// # Errors
    /// As [`Compiled::render`].
    pub fn render_with_steps(&self, inputs: &Inputs<'_>, steps: &Value) -> Result<Rendering, Vec<Problem>> {
        objects::render(self, inputs, Some(steps), &mut Budget::steps(STEPS))
    }

    /// Returns the ids of the steps that outputs of the promise read.
    pub fn read_steps(&self) -> BTreeSet<String> {
        outputs::read_steps(&self.outputs)
    }

    /// Whether an observed object is ready, by the promise's own expression. Returns nothing if the promise has none for this resource and
    /// the built-in rule of the kind applies. An expression that reads a value which doesn't exist yet returns false.
    ///
    /// # Errors
    /// If an expression fails.
    pub fn is_ready(&self, resource: &str, object: &Value, parameters: &Value, context: &Context) -> Option<Result<bool, ReadinessError>> {
        objects::is_ready(self, resource, object, parameters, context)
    }

    /// Renders the objects for these parameters before anything is observed, with what each of their parts reads.
    pub(crate) fn trace(&self, parameters: &Value, context: &Context) -> Vec<TracedObject> {
        trace::trace(self, parameters, context)
    }

    /// Returns the paths that the items of the price read, such as `["parameters", "size"]`.
    pub(crate) fn cost_references(&self) -> Vec<Vec<String>> {
        cost::references(self)
    }

    /// Returns the monthly amounts of the promise's own items, in micro-units; [`crate::price::estimate`] adds them up.
    pub fn costs(&self, parameters: &Value, context: &Context) -> Vec<LineItem<'_>> {
        cost::costs(self, parameters, context)
    }

    /// Returns the workflows of the promise.
    pub fn workflows(&self) -> &CompiledWorkflows {
        &self.workflows
    }

    /// Puts the approvals that policies require of a run of an action before the steps of the action. `steps` are those of the run.
    #[must_use]
    pub fn asking(mut self, steps: &[StepStatus]) -> Self {
        self.workflows.ask_first(steps);
        self
    }

    /// Returns the observed objects as steps see them, by id of their resource: an object, or a list of them for `forEach`. Values of
    /// Secrets are masked.
    pub fn observed(&self, observed: &BTreeMap<String, Value>) -> Value {
        objects::all_observed(self, observed)
    }

    /// Returns the ids of the resources in creation order.
    pub fn order(&self) -> Vec<&str> {
        self.order.iter().map(|index| self.resources[*index].id.as_str()).collect()
    }

    /// Returns the ids of the resources that each resource reads, and is created after. Resources that read none are omitted.
    pub fn needs(&self) -> BTreeMap<String, Vec<String>> {
        let ids = |needs: &BTreeSet<usize>| needs.iter().map(|index| self.resources[*index].id.clone()).collect::<Vec<_>>();
        let reading = self.resources.iter().filter(|resource| !resource.needs.is_empty());
        reading.map(|resource| (resource.id.clone(), ids(&resource.needs))).collect()
    }
}
