//! A promise with everything parsed once that its requests need: the schema of its parameters, the types of expressions, its own rules.

use std::sync::Arc;

use schema::expr::{Environment, Scope};
use schema::structural::Schema;
use serde_json::Value;

use crate::api::{Owner, PolicySpec, PromiseSpec};
use crate::context::Context;
use crate::expression;
use crate::policy::{NarrowedSchemas, Reading};

/// Parsed contents of a promise. Kept as long as its spec is unchanged, so that checking a request parses nothing again.
#[derive(Clone, Debug)]
pub struct PromiseReading {
    schema: Arc<Schema>,
    environment: Environment,
    rules: Arc<Reading>,
    narrowed: NarrowedSchemas,
}

impl PromiseReading {
    /// Parses a promise. `trusted` is whether its home is trusted.
    pub fn of(promise: &PromiseSpec, trusted: bool) -> Self {
        let schema = Schema::parse_lenient(&expression::parameters_schema(promise.parameters.as_deref()));
        let environment = expression::environment(&schema);
        let maintainer = promise.presentation.maintainer.as_ref();
        let own = PolicySpec {
            title: promise.presentation.display_name.clone(),
            owner: Some(Owner { team: maintainer.and_then(|maintainer| maintainer.team.clone()), contact: None }),
            rules: promise.policies.clone(),
            ..PolicySpec::default()
        };
        Self { schema: Arc::new(schema), environment, rules: Arc::new(Reading::of(own, trusted)), narrowed: NarrowedSchemas::default() }
    }

    /// Whether two promises have the same reading: they differ only in what isn't parsed here, such as descriptions and templates.
    pub fn is_shared(one: &PromiseSpec, other: &PromiseSpec) -> bool {
        fn team(spec: &PromiseSpec) -> Option<&String> {
            spec.presentation.maintainer.as_ref()?.team.as_ref()
        }
        // Schemas that are shared aren't compared.
        one.parameters == other.parameters
            && one.policies == other.policies
            && one.presentation.display_name == other.presentation.display_name
            && team(one) == team(other)
    }

    /// Returns the schema of the parameters.
    pub fn schema(&self) -> &Schema {
        &self.schema
    }

    /// Returns it for what outlives the reading.
    pub(crate) fn shared_schema(&self) -> Arc<Schema> {
        self.schema.clone()
    }

    /// Returns the narrowed schemas that were made last.
    pub(crate) fn narrowed(&self) -> &NarrowedSchemas {
        &self.narrowed
    }

    /// Returns the promise's own rules.
    pub fn rules(&self) -> &Arc<Reading> {
        &self.rules
    }

    /// Returns the values for policy expressions, with the types of the promise's schema, for each person that rules about the requester
    /// apply to, the requester first.
    pub(crate) fn scopes(&self, parameters: &Value, context: &Context) -> Vec<Scope> {
        context.for_each_person().map(|context| expression::scope(&self.environment, parameters, &context)).collect()
    }
}
