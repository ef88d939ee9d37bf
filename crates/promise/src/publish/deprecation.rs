//! Checks the deprecation of a promise.

use jiff::civil::Date;

use crate::api::PromiseSpec;
use crate::problem::Problem;

/// Checks `deprecation` and returns its problems.
pub(super) fn deprecation(spec: &PromiseSpec) -> Vec<Problem> {
    let last = spec.deprecation.as_ref().and_then(|deprecation| deprecation.remove_after.as_deref());
    let is_date = |text: &str| text.parse::<Date>().is_ok_and(|date| date.to_string() == text);
    let wrong = last.filter(|text| !is_date(text));
    let problem = |text: &str| Problem {
        path: ".deprecation.removeAfter".to_owned(),
        message: format!("Enter the date as year, month and day, such as 2027-03-01, not {text:?}."),
    };
    wrong.map(problem).into_iter().collect()
}
