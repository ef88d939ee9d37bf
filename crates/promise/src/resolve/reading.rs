//! A promise with what every request of it needs read once: the schema of its parameters, the types of expressions, its own rules.

use std::sync::Arc;

use schema::expr::{Environment, Scope};
use schema::structural::Schema;
use serde_json::Value;

use crate::api::{Owner, PolicySpec, PromiseSpec};
use crate::context::Context;
use crate::expression;
use crate::policy::Reading;

/// What was read of a promise. Kept as long as its spec stays as it is; a request is judged without reading anything anew.
#[derive(Clone, Debug)]
pub struct PromiseReading {
    schema: Schema,
    environment: Environment,
    rules: Arc<Reading>,
}

impl PromiseReading {
    /// Reads a promise; `trusted` says whether its home is a trusted one.
    pub fn of(promise: &PromiseSpec, trusted: bool) -> Self {
        let schema = Schema::parse_lenient(&expression::parameters_schema(promise.parameters.as_ref()));
        let environment = expression::environment(&schema);
        let maintainer = promise.presentation.maintainer.as_ref();
        let own = PolicySpec {
            title: promise.presentation.display_name.clone(),
            owner: Some(Owner { team: maintainer.and_then(|maintainer| maintainer.team.clone()), contact: None }),
            rules: promise.policies.clone(),
            ..PolicySpec::default()
        };
        Self { schema, environment, rules: Arc::new(Reading::of(own, trusted)) }
    }

    /// The schema of the parameters.
    pub fn schema(&self) -> &Schema {
        &self.schema
    }

    /// The promise's own rules.
    pub fn rules(&self) -> &Arc<Reading> {
        &self.rules
    }

    /// Values for the expressions of policies, of the types that the promise's schema says: for each person whom rules about the requester are
    /// about, the requester first.
    pub(crate) fn scopes(&self, parameters: &Value, context: &Context) -> Vec<Scope> {
        context.for_each_person().map(|context| expression::scope(&self.environment, parameters, &context)).collect()
    }
}
