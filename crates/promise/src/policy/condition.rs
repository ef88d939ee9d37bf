//! Conditions of rules in words. Only simple conditions are described: users never see an expression.

use schema::expr::{Clause, Program, Relation};
use serde_json::Value;

use crate::api::PromiseSpec;
use crate::path::{Path, Segment};
use crate::shape::value_of;
use crate::wording::{all_of, noun, one_of};

/// Describes a condition, such as `tier is production and replicas is above 2`. Returns nothing if it isn't simple enough.
pub(super) fn words(spec: &PromiseSpec, condition: &Program) -> Option<String> {
    let clauses = condition.clauses()?;
    let words: Vec<String> = clauses.iter().map(|clause| of_clause(spec, clause)).collect::<Option<_>>()?;
    (!words.is_empty()).then(|| all_of(&words))
}

fn of_clause(spec: &PromiseSpec, clause: &Clause) -> Option<String> {
    let (variable, names) = clause.path.split_first()?;
    // Entries of lists and maps have no name of their own.
    let is_entry = names.iter().any(|name| name.bytes().all(|letter| letter.is_ascii_digit()));
    if variable != "parameters" || names.is_empty() || is_entry {
        return None;
    }
    let path = Path(names.iter().cloned().map(Segment::Key).collect());
    let subject = noun(spec, &path);
    let values: Vec<String> = clause.values.iter().map(|value: &Value| value_of(spec, &path, value)).collect();
    let relation = match clause.relation {
        Relation::Is | Relation::OneOf => "",
        Relation::IsNot => "not ",
        Relation::Below => "below ",
        Relation::AtMost => "at most ",
        Relation::Above => "above ",
        Relation::AtLeast => "at least ",
    };
    Some(format!("{subject} is {relation}{}", one_of(&values)))
}
