//! Limits on the worst-case cost of a definition's rules.

use std::collections::BTreeSet;

use super::super::error::FieldError;
use super::super::path::Path;
use super::super::{Additional, Schema};
use super::Rule;
use crate::expr::Program;
use crate::expr::cost::{Sizes, cardinality, estimate};

/// Limit of one rule, over all values at its node.
const RULE_LIMIT: f64 = 10_000_000.0;
/// Limit of all rules of one schema.
const TOTAL_LIMIT: f64 = 100_000_000.0;
/// Minimum cost of an expression that contributes to a total that is too high.
const EXPENSIVE: f64 = TOTAL_LIMIT / 100.0;
/// How many rules are named if the total is too high.
const NAMED: usize = 4;
/// Maximum number of limits that are looked for.
const MOST_BOUNDS: usize = 8;

/// A rule that an API server refuses because it could cost too much.
#[derive(Clone, Debug, PartialEq)]
pub struct CostlyRule {
    /// Path of the expression in the schema, such as `properties[list].x-kubernetes-validations[0].rule`.
    pub field: String,
    /// The expression.
    pub expression: String,
    /// The number of steps that it takes for all values of a usual request: short texts, and few entries in lists and maps.
    pub usual_steps: f64,
    /// Limits with which an API server would accept it.
    pub bounds: Vec<MissingBound>,
}

/// A limit that a schema lacks, or that is too high.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MissingBound {
    /// JSON pointer of the node in the schema, such as `/properties/list/items`.
    pub pointer: String,
    /// `maxItems`, `maxLength` or `maxProperties`.
    pub keyword: &'static str,
}

/// Rejects schemas whose rules could cost too much.
pub(in super::super) fn check(schema: &Schema, errors: &mut Vec<FieldError>) {
    let costs = of(schema);
    for cost in costs.iter().filter(|cost| cost.cost > RULE_LIMIT) {
        errors.push(FieldError::forbidden(cost.field.clone(), excess(cost.name, cost.cost, RULE_LIMIT)));
    }
    let total = costs.iter().map(|cost| cost.cost).sum::<f64>();
    if total > TOTAL_LIMIT {
        for cost in most_expensive(&costs) {
            let detail = "contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema";
            errors.push(FieldError::forbidden(cost.field.clone(), detail));
        }
        let detail = excess("x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema", total, TOTAL_LIMIT);
        errors.push(FieldError::forbidden("", detail));
    }
}

/// Returns the rules for which [`check`] rejects a schema.
pub(in super::super) fn costly(schema: &Schema) -> Vec<CostlyRule> {
    let costs = of(schema);
    let total = costs.iter().map(|cost| cost.cost).sum::<f64>();
    let blamed = if total > TOTAL_LIMIT { most_expensive(&costs) } else { Vec::new() };
    let is_refused = |cost: &Cost<'_>| cost.cost > RULE_LIMIT || blamed.iter().any(|blamed| blamed.field == cost.field);
    costs.iter().filter(|cost| is_refused(cost)).map(Cost::costly).collect()
}

fn most_expensive<'c, 's>(costs: &'c [Cost<'s>]) -> Vec<&'c Cost<'s>> {
    let mut expensive: Vec<&Cost<'s>> = costs.iter().filter(|cost| cost.cost >= EXPENSIVE).collect();
    expensive.sort_by(|left, right| right.cost.total_cmp(&left.cost));
    expensive.truncate(NAMED);
    expensive
}

/// Returns the costs of all expressions.
fn of(schema: &Schema) -> Vec<Cost<'_>> {
    let mut costs = Vec::new();
    node(schema, &mut Vec::new(), &Path::Root, &mut costs);
    costs
}

/// The cost of one expression.
struct Cost<'s> {
    /// What the API server calls it.
    name: &'static str,
    field: String,
    program: &'s Program,
    schema: &'s Schema,
    /// The lists and maps around the node.
    around: Vec<&'s Schema>,
    cost: f64,
}

impl Cost<'_> {
    /// Returns the cost over all values at the node.
    fn with(&self, sizes: &Sizes) -> f64 {
        // How many values a node can have by the limits of the lists and maps around it; `None` if one of them has no limit.
        let often = self.around.iter().try_fold(1.0, |often, list| Some(often * sizes.counted(list)?));
        let times = often.unwrap_or_else(|| cardinality(self.schema));
        estimate(self.program, self.schema, sizes) * times
    }

    fn costly(&self) -> CostlyRule {
        CostlyRule {
            field: self.field.clone(),
            expression: self.program.source().trim().to_owned(),
            usual_steps: self.with(&Sizes::usual()),
            bounds: self.bounds(),
        }
    }

    /// Returns limits with which it costs little enough, the most effective ones first.
    fn bounds(&self) -> Vec<MissingBound> {
        let limit = if self.cost > RULE_LIMIT { RULE_LIMIT } else { EXPENSIVE };
        let with = |bounds: &[(String, &'static str)]| Sizes::usual_at(bounds.iter().map(|(pointer, _)| pointer.clone()).collect());
        let mut chosen: Vec<(String, &'static str)> = Vec::new();
        while chosen.len() < MOST_BOUNDS {
            let sizes = with(&chosen);
            let cost = self.with(&sizes);
            let candidates: BTreeSet<(String, &'static str)> = sizes.met();
            if cost <= limit {
                break;
            }
            let after = |bound: &(String, &'static str)| self.with(&with(&[chosen.as_slice(), std::slice::from_ref(bound)].concat()));
            let Some((_, best)) = candidates.into_iter().map(|bound| (after(&bound), bound)).min_by(|one, other| one.0.total_cmp(&other.0))
            else {
                break;
            };
            chosen.push(best);
        }
        // Some of them might not be needed with the others.
        for at in (0..chosen.len()).rev() {
            let mut others = chosen.clone();
            others.remove(at);
            if self.with(&with(&others)) <= limit {
                chosen = others;
            }
        }
        chosen.into_iter().map(|(pointer, keyword)| MissingBound { pointer, keyword }).collect()
    }
}

fn node<'s>(schema: &'s Schema, around: &mut Vec<&'s Schema>, path: &Path<'_>, costs: &mut Vec<Cost<'s>>) {
    if !schema.has_rules {
        return;
    }
    let here = path.field("x-kubernetes-validations");
    for (index, rule) in schema.rules.iter().enumerate() {
        let here = here.index(index);
        for (name, keyword, program) in programs(rule) {
            let field = here.field(keyword).to_string();
            let mut cost = Cost { name, field, program, schema, around: around.clone(), cost: 0.0 };
            cost.cost = cost.with(&Sizes::largest());
            costs.push(cost);
        }
    }
    let properties = path.field("properties");
    for (name, property) in &schema.properties {
        node(property, around, &properties.key(name), costs);
    }
    around.push(schema);
    if let Additional::Schema(values) = &schema.additional {
        node(values, around, &path.field("additionalProperties"), costs);
    }
    if let Some(items) = schema.items() {
        node(items, around, &path.field("items"), costs);
    }
    around.pop();
}

/// Returns the expressions of a rule, each with the API server's name of its cost and its keyword.
fn programs(rule: &Rule) -> impl Iterator<Item = (&'static str, &'static str, &Program)> {
    let compiled = rule.compiled.as_ref();
    let message = compiled.and_then(|compiled| compiled.message.as_ref());
    let rule = compiled.map(|compiled| ("estimated rule cost", "rule", &compiled.rule));
    rule.into_iter().chain(message.map(|message| ("estimated messageExpression cost", "messageExpression", message)))
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
