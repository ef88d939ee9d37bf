//! Limits on the worst-case cost of a definition's rules.

use super::super::error::FieldError;
use super::super::path::Path;
use super::super::{Additional, Schema};
use crate::expr::cost::{cardinality, declared_limit, estimate};

/// Limit of one rule, over all values at its node.
const RULE_LIMIT: f64 = 10_000_000.0;
/// Limit of all rules of one schema.
const TOTAL_LIMIT: f64 = 100_000_000.0;
/// How many rules are named if the total is too high.
const NAMED: usize = 4;

/// Rejects schemas whose rules could cost too much.
pub(in super::super) fn check(schema: &Schema, errors: &mut Vec<FieldError>) {
    let mut costs = Costs { total: 0.0, expensive: Vec::new(), errors };
    costs.node(schema, Some(1.0), &Path::Root);
    let Costs { total, mut expensive, errors } = costs;
    if total > TOTAL_LIMIT {
        expensive.sort_by(|(left, _), (right, _)| right.total_cmp(left));
        for (_, field) in expensive.into_iter().take(NAMED) {
            let detail = "contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema";
            errors.push(FieldError::forbidden(field, detail));
        }
        let detail = excess("x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema", total, TOTAL_LIMIT);
        errors.push(FieldError::forbidden("", detail));
    }
}

struct Costs<'e> {
    total: f64,
    expensive: Vec<(f64, String)>,
    errors: &'e mut Vec<FieldError>,
}

impl Costs<'_> {
    /// `often` is how many values a node can have by the limits of the lists and maps around it; `None` if one of them has no limit.
    fn node(&mut self, schema: &Schema, often: Option<f64>, path: &Path<'_>) {
        if !schema.has_rules {
            return;
        }
        let times = often.unwrap_or_else(|| cardinality(schema));
        let here = path.field("x-kubernetes-validations");
        for (index, rule) in schema.rules.iter().enumerate() {
            let Some(compiled) = &rule.compiled else { continue };
            let here = here.index(index);
            self.observe("estimated rule cost", estimate(&compiled.rule, schema) * times, here.field("rule").to_string());
            if let Some(message) = &compiled.message {
                let field = here.field("messageExpression").to_string();
                self.observe("estimated messageExpression cost", estimate(message, schema) * times, field);
            }
        }
        let properties = path.field("properties");
        for (name, property) in &schema.properties {
            self.node(property, often, &properties.key(name));
        }
        let inside = often.zip(declared_limit(schema)).map(|(often, limit)| often * limit);
        if let Additional::Schema(values) = &schema.additional {
            self.node(values, inside, &path.field("additionalProperties"));
        }
        if let Some(items) = schema.items() {
            self.node(items, inside, &path.field("items"));
        }
    }

    fn observe(&mut self, name: &str, cost: f64, field: String) {
        self.total += cost;
        if cost > RULE_LIMIT {
            self.errors.push(FieldError::forbidden(field.clone(), excess(name, cost, RULE_LIMIT)));
        }
        if cost >= TOTAL_LIMIT / 100.0 {
            self.expensive.push((cost, field));
        }
    }
}

fn excess(name: &str, cost: f64, limit: f64) -> String {
    let factor = cost / limit;
    let factor = match factor {
        _ if factor > 100.0 => "more than 100x".to_owned(),
        _ if factor < 1.5 => format!("{factor:.6}x"),
        _ => format!("{factor:.1}x"),
    };
    format!(
        "{name} exceeds budget by factor of {factor} (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where \
         arrays, maps, and strings are declared)"
    )
}
