//! Which parameters of lists and watches are refused (apimachinery `apis/meta/internalversion/validation`).

use crate::{
    http::query::Query,
    status::{ApiError, Cause},
};

const MATCH: &str = "resourceVersionMatch";

/// A whole number of a query; none where it is not said.
///
/// # Errors
/// 400 for what is no number.
pub fn number(query: &Query, name: &str) -> Result<Option<i64>, ApiError> {
    let text = query.get(name);
    if text.is_empty() {
        return Ok(None);
    }
    let unread = |_| ApiError::bad_request(format!("strconv.ParseInt: parsing {text:?}: invalid syntax"));
    text.parse().map(Some).map_err(unread)
}

/// Judges the parameters of a list, or of a deletion of many.
///
/// # Errors
/// 400 for what cannot be read, 422 for what contradicts itself.
pub fn check_list(query: &Query) -> Result<(), ApiError> {
    number(query, "limit")?;
    number(query, "timeoutSeconds")?;
    let (version, matching) = (query.get("resourceVersion"), query.get(MATCH));
    let mut causes = Vec::new();
    if !matching.is_empty() {
        if version.is_empty() {
            causes.push(Cause::forbidden(MATCH, "resourceVersionMatch is forbidden unless resourceVersion is provided"));
        }
        if !query.get("continue").is_empty() {
            causes.push(Cause::forbidden(MATCH, "resourceVersionMatch is forbidden when continue is provided"));
        }
        if !["Exact", "NotOlderThan"].contains(&matching) {
            causes.push(unsupported(matching, "\"Exact\", \"NotOlderThan\", \"\""));
        }
        if matching == "Exact" && version == "0" {
            causes.push(Cause::forbidden(MATCH, "resourceVersionMatch \"exact\" is forbidden for resourceVersion \"0\""));
        }
    }
    if query.has("sendInitialEvents") {
        causes.push(Cause::forbidden("sendInitialEvents", "sendInitialEvents is forbidden for list"));
    }
    refused(causes)
}

/// Judges the parameters of a watch.
///
/// # Errors
/// As [`check_list`].
pub fn check_watch(query: &Query) -> Result<(), ApiError> {
    number(query, "limit")?;
    number(query, "timeoutSeconds")?;
    let (matching, initial) = (query.get(MATCH), query.has("sendInitialEvents"));
    let mut causes = Vec::new();
    if initial && matching != "NotOlderThan" {
        causes.push(Cause::forbidden(MATCH, "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan"));
    }
    if !matching.is_empty() && !initial {
        causes.push(Cause::forbidden(MATCH, "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided"));
    }
    if !matching.is_empty() && matching != "NotOlderThan" {
        causes.push(unsupported(matching, "\"NotOlderThan\""));
    }
    if !query.get("continue").is_empty() {
        causes.push(Cause::forbidden(MATCH, "resourceVersionMatch is forbidden when continue is provided"));
    }
    refused(causes)
}

fn unsupported(matching: &str, supported: &str) -> Cause {
    let message = format!("Unsupported value: {matching:?}: supported values: {supported}");
    Cause { reason: "FieldValueNotSupported".into(), message, field: MATCH.into() }
}

fn refused(causes: Vec<Cause>) -> Result<(), ApiError> {
    if causes.is_empty() { Ok(()) } else { Err(ApiError::invalid("meta.k8s.io", "ListOptions", "", causes)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn causes(judge: impl Fn(&Query) -> Result<(), ApiError>, query: &str) -> usize {
        let error = judge(&Query::parse(query)).expect_err(query);
        error.details.map_or(0, |details| details["causes"].as_array().map_or(0, Vec::len))
    }

    #[test]
    fn all_that_contradicts_itself_is_told() {
        assert_eq!(causes(check_list, "resourceVersionMatch=Foo&continue=x&sendInitialEvents=true"), 4);
        assert_eq!(causes(check_list, "resourceVersionMatch=Exact&resourceVersion=0"), 1);
        assert_eq!(causes(check_watch, "resourceVersionMatch=Exact"), 2);
        assert_eq!(causes(check_watch, "sendInitialEvents=false"), 1);
        assert_eq!(check_list(&Query::parse("resourceVersionMatch=Exact&resourceVersion=5&limit=-1")), Ok(()));
        assert_eq!(check_watch(&Query::parse("sendInitialEvents=true&resourceVersionMatch=NotOlderThan")), Ok(()));
    }

    #[test]
    fn what_is_no_number_is_refused() {
        let error = check_list(&Query::parse("limit=x")).unwrap_err();
        assert_eq!((error.code, error.message.as_str()), (400, "strconv.ParseInt: parsing \"x\": invalid syntax"));
        assert!(check_watch(&Query::parse("timeoutSeconds=x")).is_err());
    }
}
