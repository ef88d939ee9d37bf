//! Rules that can take too long to check: an API server refuses them, the portal checks them up to a limit.

use schema::structural::{MissingBound, Schema};
use serde_json::Value;

use super::{Lint, LintReason};
use crate::path::{Path, Segment};
use crate::resolve::locate;

/// Returns advice for each rule that values with many entries or long texts can make too expensive to check.
pub(super) fn costs(schema: &Value) -> Vec<Lint> {
    let Ok(parsed) = Schema::parse_part(schema) else { return Vec::new() };
    let advice = parsed.costly_rules().into_iter().map(|rule| {
        let place = locate::path(&rule.field, schema);
        let reason = LintReason::CostlyRule { expression: rule.expression, bounds: bounds_in_words(&rule.bounds) };
        Lint { parameter: of_schema(&place).to_string(), place: format!(".parameters{place}"), reason }
    });
    advice.collect()
}

/// Returns limits as phrases, such as `maxItems of .ports`.
pub(crate) fn bounds_in_words(bounds: &[MissingBound]) -> Vec<String> {
    let words = |bound: &MissingBound| {
        let steps = bound.pointer.split('/').skip(1).map(|step| Segment::Key(step.replace("~1", "/").replace("~0", "~")));
        let path = of_schema(&Path(steps.collect())).to_string();
        let path = if path.is_empty() { "the parameters" } else { path.as_str() };
        format!("{} of {path}", bound.keyword)
    };
    bounds.iter().map(words).collect()
}

/// Returns the parameter that a path in a schema is about, as hints write it.
fn of_schema(place: &Path) -> Path {
    let mut parameter = Path::default();
    let mut steps = place.0.iter();
    while let Some(Segment::Key(step)) = steps.next() {
        match step.as_str() {
            "properties" => parameter.0.extend(steps.next().cloned()),
            "items" | "additionalProperties" => parameter.0.push(Segment::Each),
            _ => break,
        }
    }
    parameter
}
