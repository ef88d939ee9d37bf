//! Options of writes, from the query and, for deletions, from the body.
//! Source: apimachinery `apis/meta/v1/types.go`, `apis/meta/v1/validation`.

use http::HeaderMap;
use serde_json::Value;

use crate::{
    garbage::Dependants,
    http::query::Query,
    patch::go_type,
    status::{ApiError, Cause},
};

/// What happens to fields that the schema does not know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FieldValidation {
    /// They go silently.
    Ignore,
    /// They go, and a Warning header says so.
    Warn,
    /// They are refused.
    Strict,
}

/// Options of a create, update or patch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WriteOptions {
    /// Answer as if, store nothing.
    pub dry_run: bool,
    /// Unknown fields.
    pub validation: FieldValidation,
    /// Field manager as given, may be empty.
    pub given_manager: String,
    /// Field manager: as given, else from the user agent.
    pub manager: String,
    /// Apply: take fields from others.
    pub force: bool,
}

impl WriteOptions {
    /// Reads options; `kind` is `CreateOptions`, `UpdateOptions` or `PatchOptions`.
    pub fn parse(query: &Query, headers: &HeaderMap, kind: &str) -> Result<Self, ApiError> {
        let mut causes = Vec::new();
        let dry_run = query.all("dryRun");
        if dry_run.iter().any(|value| *value != "All") {
            causes.push(unsupported_dry_run(&dry_run));
        }
        let manager = query.get("fieldManager");
        if manager.chars().count() > 128 {
            causes.push(Cause::too_long("fieldManager", 128));
        }
        let printable = |c: char| !c.is_control() && (c == ' ' || !c.is_whitespace());
        for (at, c) in manager.char_indices().filter(|(_, c)| !printable(*c)) {
            // As Go quotes it.
            let quoted = Value::from(manager).to_string().replace("\\u00", "\\x");
            let why = format!("invalid character U+{:04X} (at position {at})", u32::from(c));
            causes.push(Cause::invalid_shown("fieldManager", &quoted, &why));
        }
        let validation = match query.get("fieldValidation") {
            "" | "Warn" => FieldValidation::Warn,
            "Ignore" => FieldValidation::Ignore,
            "Strict" => FieldValidation::Strict,
            other => {
                let message = format!("Unsupported value: \"{other}\": supported values: \"\", \"Ignore\", \"Strict\", \"Warn\"");
                causes.push(Cause { reason: "FieldValueNotSupported".into(), message, field: "fieldValidation".into() });
                FieldValidation::Warn
            }
        };
        if !causes.is_empty() {
            return Err(ApiError::invalid("meta.k8s.io", kind, "", causes));
        }
        let agent = headers.get(http::header::USER_AGENT).and_then(|value| value.to_str().ok()).unwrap_or("unknown");
        let from_agent: String = agent.split('/').next().unwrap_or_default().chars().take(128).collect();
        Ok(Self {
            dry_run: !dry_run.is_empty(),
            validation,
            given_manager: manager.to_owned(),
            manager: if manager.is_empty() { from_agent } else { manager.to_owned() },
            force: query.flag("force"),
        })
    }
}

fn unsupported_dry_run(values: &[&str]) -> Cause {
    let message = format!("Unsupported value: {}: supported values: \"All\"", Value::from(values.to_vec()));
    Cause { reason: "FieldValueNotSupported".into(), message, field: "dryRun".into() }
}

/// Options of a deletion.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DeleteOptions {
    /// Answer as if, remove nothing.
    pub dry_run: bool,
    /// Delete only the object with this uid.
    pub uid: Option<String>,
    /// Delete only in this version.
    pub version: Option<String>,
    /// What becomes of the objects that it owns.
    pub dependants: Dependants,
    /// Seconds that a pod has left, where the request says so.
    pub grace: Option<i64>,
}

impl DeleteOptions {
    /// Reads options: the body counts if there is one, else the query.
    ///
    /// # Errors
    /// A bad request if a field has another type, Invalid if the options contradict each other.
    pub fn parse(query: &Query, body: Option<&Value>) -> Result<Self, ApiError> {
        let text = |value: &Value| value.as_str().map(str::to_owned);
        let grace = match body {
            Some(body) => {
                check_body(body)?;
                body["gracePeriodSeconds"].as_i64()
            }
            None => seconds(query.get("gracePeriodSeconds"))?,
        };
        let (dry_run, policy, orphan, uid, version) = match body {
            Some(body) => {
                let dry_run = body["dryRun"].as_array().map(|list| list.iter().filter_map(text).collect()).unwrap_or_default();
                let preconditions = &body["preconditions"];
                let policy = text(&body["propagationPolicy"]);
                (dry_run, policy, body["orphanDependents"].as_bool(), text(&preconditions["uid"]), text(&preconditions["resourceVersion"]))
            }
            None => {
                let dry_run: Vec<String> = query.all("dryRun").into_iter().map(str::to_owned).collect();
                let policy = query.has("propagationPolicy").then(|| query.get("propagationPolicy").to_owned());
                (dry_run, policy, query.has("orphanDependents").then(|| query.flag("orphanDependents")), None, None)
            }
        };
        let mut causes = Vec::new();
        if let (Some(policy), Some(_)) = (&policy, orphan) {
            let why = "orphanDependents and deletionPropagation cannot be both set";
            causes.push(Cause::invalid("propagationPolicy", &policy.as_str().into(), why));
        }
        let dependants = match (policy.as_deref(), orphan) {
            (Some("Foreground"), _) => Dependants::Before,
            (Some("Orphan"), _) | (None, Some(true)) => Dependants::Stay,
            (Some("Background"), _) | (None, Some(false)) => Dependants::After,
            (None, None) => Dependants::Unsaid,
            (Some(other), _) => {
                let supported = r#"supported values: "Foreground", "Background", "Orphan", "nil""#;
                let message = format!("Unsupported value: \"{other}\": {supported}");
                causes.push(Cause { reason: "FieldValueNotSupported".into(), message, field: "propagationPolicy".into() });
                Dependants::Unsaid
            }
        };
        if dry_run.iter().any(|value| value != "All") {
            causes.push(unsupported_dry_run(&dry_run.iter().map(String::as_str).collect::<Vec<_>>()));
        }
        if !causes.is_empty() {
            return Err(ApiError::invalid("meta.k8s.io", "DeleteOptions", "", causes));
        }
        Ok(Self { dry_run: !dry_run.is_empty(), uid, version, dependants, grace })
    }
}

/// A body of a deletion must say that it is options of one, and its fields must have their types.
fn check_body(body: &Value) -> Result<(), ApiError> {
    let said = |field: &str| body[field].as_str().unwrap_or_default();
    let kind = said("kind");
    if !kind.is_empty() && kind != "DeleteOptions" {
        let version = if said("apiVersion").is_empty() { "v1" } else { said("apiVersion") };
        let why = format!("no kind {kind:?} is registered for version {version:?} in scheme \"pkg/runtime/scheme.go:111\"");
        return Err(ApiError::bad_request(why));
    }
    let is_text_list = |value: &Value| value.as_array().is_some_and(|list| list.iter().all(Value::is_string));
    let fits = |field: &str, value: &Value| match field {
        "gracePeriodSeconds" => value.is_i64(),
        "preconditions" => value.is_object(),
        "orphanDependents" => value.is_boolean(),
        "propagationPolicy" => value.is_string(),
        _ => is_text_list(value),
    };
    for (field, wanted) in [
        ("gracePeriodSeconds", "int64"),
        ("preconditions", "v1.Preconditions"),
        ("orphanDependents", "bool"),
        ("propagationPolicy", "v1.DeletionPropagation"),
        ("dryRun", "[]string"),
    ] {
        let value = &body[field];
        if !value.is_null() && !fits(field, value) {
            let found = go_type(value);
            let why = format!("json: cannot unmarshal {found} into Go struct field DeleteOptions.{field} of type {wanted}");
            return Err(ApiError::bad_request(why));
        }
    }
    Ok(())
}

/// A time of grace in the query.
fn seconds(said: &str) -> Result<Option<i64>, ApiError> {
    if said.is_empty() {
        return Ok(None);
    }
    said.parse().map(Some).map_err(|_| ApiError::bad_request(format!("strconv.ParseInt: parsing {said:?}: invalid syntax")))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_field_manager_is_printable() {
        let parse = |query: &str| WriteOptions::parse(&Query::parse(query), &HeaderMap::new(), "CreateOptions");
        let message = |query: &str| parse(query).unwrap_err().message;
        let at_one = |shown: &str, code: &str| {
            let said = format!("fieldManager: Invalid value: {shown}: invalid character {code} (at position 1)");
            format!("CreateOptions.meta.k8s.io \"\" is invalid: {said}")
        };
        assert_eq!(message("fieldManager=a%0Ab"), at_one("\"a\\nb\"", "U+000A"));
        assert_eq!(message("fieldManager=a%00b"), at_one("\"a\\x00b\"", "U+0000"));
        assert_eq!(parse("fieldManager=my+own%C3%A9").unwrap().manager, "my owné");
    }

    fn refused(query: &str, body: Option<Value>) -> Option<(u16, String)> {
        let outcome = DeleteOptions::parse(&Query::parse(query), body.as_ref());
        outcome.err().map(|error| (error.code, error.message))
    }

    #[test]
    fn a_deletion_is_asked_for_in_the_right_words() {
        assert_eq!(refused("gracePeriodSeconds=0&propagationPolicy=Orphan", None), None);
        let grace = (400, "strconv.ParseInt: parsing \"x\": invalid syntax".to_owned());
        assert_eq!(refused("gracePeriodSeconds=x", None), Some(grace));
        let both = "DeleteOptions.meta.k8s.io \"\" is invalid: propagationPolicy: Invalid value: \"Background\": orphanDependents and deletionPropagation cannot be both set";
        assert_eq!(refused("orphanDependents=true&propagationPolicy=Background", None), Some((422, both.to_owned())));
        let other = "no kind \"Foo\" is registered for version \"v1\" in scheme \"pkg/runtime/scheme.go:111\"";
        assert_eq!(refused("", Some(json!({"kind": "Foo", "apiVersion": "v1"}))), Some((400, other.to_owned())));
        let typed = "json: cannot unmarshal string into Go struct field DeleteOptions.preconditions of type v1.Preconditions";
        assert_eq!(refused("", Some(json!({"preconditions": "x"}))), Some((400, typed.to_owned())));
        assert_eq!(refused("", Some(json!({"kind": "DeleteOptions", "preconditions": {"uid": "u"}, "dryRun": ["All"]}))), None);
    }
}
