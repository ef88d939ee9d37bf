//! From a promise and the resolved parameters of a request to the objects that fulfil it. Pure: the same inputs give the same bytes.
//!
//! [`Compiled::compile`] reads every expression of a promise once; publishing and rendering use the same. [`Compiled::render`] makes
//! the objects in the order of their references. What reads something that is not there yet is [`fulfil::Pending`], never an error.
//!
//! [`fulfil::Pending`]: crate::fulfil::Pending

mod compile;
mod cost;
mod inject;
mod mask;
mod objects;
mod order;
mod outputs;
#[cfg(test)]
mod tests;
mod trace;

use std::collections::{BTreeMap, BTreeSet};

use schema::expr::{Budget, Environment, Template};
use serde_json::Value;

use crate::api::{Inject, PromiseSpec};
use crate::context::Context;
use crate::error::Problem;
use crate::fulfil::Pending;
use crate::policy::Ruling;

pub use cost::Cost;
pub use inject::injects;
pub(crate) use mask::MASK;
pub use mask::masked;
pub(crate) use objects::waits_for;
pub use outputs::{Output, OutputState};
pub(crate) use trace::{Reads, TracedObject};

/// Most objects of one rendering.
pub const OBJECT_LIMIT: usize = 200;
/// Most items of one `forEach`.
pub const ITEM_LIMIT: usize = 100;
/// Largest rendering, as JSON in bytes.
pub const SIZE_LIMIT: usize = 1 << 20;
/// Steps of all expressions of one rendering together.
const STEPS: u64 = 2_000_000;

/// What a rendering is made from.
#[derive(Clone, Copy, Debug)]
pub struct Inputs<'a> {
    /// Resolved parameters.
    pub parameters: &'a Value,
    /// Request, promise, workspace and prices.
    pub context: &'a Context,
    /// What was seen, by id of the rendered object: `database`, or `workers[2]` for an item of a `forEach`.
    pub observed: &'a BTreeMap<String, Value>,
    /// Merges of policies, in the order of application.
    pub injects: &'a [Ruling<Inject>],
}

/// One rendered object, without our marks.
#[derive(Clone, Debug, PartialEq)]
pub struct Rendered {
    /// Id of the resource; with `[n]` for an item of a `forEach`.
    pub id: String,
    /// Id of the resource in the promise.
    pub resource: String,
    /// Name of a Destination; absent means the workspace of the request.
    pub destination: Option<String>,
    /// The object.
    pub object: Value,
    /// Position in the order of making: references lead to smaller ones.
    pub stage: u32,
}

/// All that a promise gives for one request.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rendering {
    /// Objects by stage, then in the order of the promise.
    pub objects: Vec<Rendered>,
    /// Resources that cannot be rendered yet.
    pub pending: Vec<Pending>,
    /// What the requester gets, in the order of the promise.
    pub outputs: Vec<Output>,
}

/// A promise with all its expressions read.
#[derive(Clone, Debug)]
pub struct Compiled {
    environment: Environment,
    resources: Vec<CompiledResource>,
    /// Indices of `resources` in the order of making.
    order: Vec<usize>,
    outputs: Vec<outputs::CompiledOutput>,
    cost: Vec<cost::CompiledItem>,
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
    /// Indices of the resources that it reads.
    needs: BTreeSet<usize>,
}

impl Compiled {
    /// Reads every expression of a promise and orders its resources.
    ///
    /// # Errors
    /// Every expression that does not compile or fit its types, unknown resources, and cycles, with paths such as
    /// `.implementation.resources[2].template.spec.replicas`.
    pub fn compile(spec: &PromiseSpec) -> Result<Self, Vec<Problem>> {
        compile::compile(spec)
    }

    /// Renders all objects, what is pending, and the outputs.
    ///
    /// # Errors
    /// An expression that fails on these parameters, or more objects than allowed, with its path.
    pub fn render(&self, inputs: &Inputs<'_>) -> Result<Rendering, Vec<Problem>> {
        objects::render(self, inputs, &mut Budget::steps(STEPS))
    }

    /// Whether an observed object is ready by the promise's own expression; nothing if the promise has none for this resource and
    /// the built-in rule of the kind counts. An expression that reads what is not there yet says no.
    ///
    /// # Errors
    /// A sentence about an expression that fails.
    pub fn is_ready(&self, resource: &str, object: &Value, parameters: &Value, context: &Context) -> Option<Result<bool, String>> {
        objects::is_ready(self, resource, object, parameters, context)
    }

    /// The objects for these parameters while nothing is observed yet, with what each of their parts reads.
    pub(crate) fn trace(&self, parameters: &Value, context: &Context) -> Vec<TracedObject> {
        trace::trace(self, parameters, context)
    }

    /// Paths that the items of the price read, such as `["parameters", "size"]`.
    pub(crate) fn cost_references(&self) -> Vec<Vec<String>> {
        cost::references(self)
    }

    /// What the promise's own items say of a month, in micro-units; [`crate::price::estimate`] adds them up.
    pub fn costs(&self, parameters: &Value, context: &Context) -> Vec<Cost<'_>> {
        cost::costs(self, parameters, context)
    }

    /// Ids of the resources in the order of making.
    pub fn order(&self) -> Vec<&str> {
        self.order.iter().map(|index| self.resources[*index].id.as_str()).collect()
    }

    /// Ids of the resources that each resource reads, and is made after; those that read none are left out.
    pub fn needs(&self) -> BTreeMap<String, Vec<String>> {
        let ids = |needs: &BTreeSet<usize>| needs.iter().map(|index| self.resources[*index].id.clone()).collect::<Vec<_>>();
        let reading = self.resources.iter().filter(|resource| !resource.needs.is_empty());
        reading.map(|resource| (resource.id.clone(), ids(&resource.needs))).collect()
    }
}
