//! Questions about rights and identity that are asked by creating an object and answered in its status. Nothing is stored.
//! Source: kubernetes `pkg/registry/{authorization,authentication}`, `pkg/apis/authorization/validation`.
//!
//! What is allowed is asked of an [`Oracle`], so that the same code serves a plain cluster and a workspace with all its layers.

use serde_json::{Map, Value, json};

use crate::authn::service_accounts::ISSUER;
use crate::rbac::rule::Rule;
use crate::rbac::wish::{ResourceWish, Wish};
use crate::request::User;
use crate::status::{ApiError, Cause};

/// Answers questions about rights in one cluster.
pub trait Oracle {
    /// Whether the user may, and the reason to show (may be empty).
    fn decide(&self, user: &User, wish: &Wish) -> (bool, String);
    /// All rules that hold for the user in a namespace.
    fn rules(&self, user: &User, namespace: &str) -> Vec<Rule>;
    /// The user behind a bearer token that is meant for one of these audiences; for the server itself if none is named.
    fn user_of(&self, token: &str, audiences: &[String]) -> Option<User>;
}

const AUTHORIZATION: &str = "authorization.k8s.io";

/// Answers a review. `kind` is one of the kinds of `authorization.k8s.io` and `authentication.k8s.io`; `namespace` is that of the
/// request; `now` is the time for `creationTimestamp`.
///
/// # Errors
/// Invalid, when the question is incomplete or contradicts itself.
pub fn answer(kind: &str, body: &Value, namespace: &str, user: &User, now: &str, oracle: &dyn Oracle) -> Result<Value, ApiError> {
    let (metadata, spec, status) = match kind {
        "SelfSubjectReview" => {
            return Ok(object(
                "authentication.k8s.io/v1",
                kind,
                json!({"creationTimestamp": now}),
                None,
                json!({"userInfo": user_info(user)}),
            ));
        }
        "TokenReview" if text(&body["spec"]["token"]).is_empty() => {
            return Err(ApiError::bad_request("token is required for TokenReview in authentication"));
        }
        "TokenReview" => return Ok(token_review(body, oracle)),
        "SelfSubjectRulesReview" if text(&body["spec"]["namespace"]).is_empty() => {
            return Err(ApiError::bad_request("no namespace on request"));
        }
        "SelfSubjectRulesReview" => (json!({}), json!({}), rules_status(oracle.rules(user, text(&body["spec"]["namespace"])))),
        "SelfSubjectAccessReview" => {
            let (spec, wish) = question(&body["spec"])?;
            (json!({}), spec, access_status(oracle.decide(user, &wish)))
        }
        "LocalSubjectAccessReview" => {
            let (spec, status) = about_subject(&body["spec"], oracle)?;
            if spec["resourceAttributes"].is_null() {
                let printed = printed_path(&body["spec"]["nonResourceAttributes"]);
                return Err(invalid_printed("spec.nonResourceAttributes", &printed, "disallowed on this kind of request"));
            }
            let said = text(&spec["resourceAttributes"]["namespace"]);
            if said != namespace {
                return Err(invalid("spec.resourceAttributes.namespace", &said.into(), "must match metadata.namespace"));
            }
            (json!({"namespace": namespace}), spec, status)
        }
        _ => {
            let (spec, status) = about_subject(&body["spec"], oracle)?;
            (json!({}), spec, status)
        }
    };
    Ok(object(&format!("{AUTHORIZATION}/v1"), kind, metadata, Some(spec), status))
}

/// The `userInfo` of reviews and of admission; empty fields are left out.
pub fn user_info(user: &User) -> Value {
    let mut fields = Map::new();
    fields.insert("username".into(), json!(user.name));
    if !user.uid.is_empty() {
        fields.insert("uid".into(), json!(user.uid));
    }
    if !user.groups.is_empty() {
        fields.insert("groups".into(), json!(user.groups));
    }
    if !user.extra.is_empty() {
        fields.insert("extra".into(), json!(user.extra));
    }
    Value::Object(fields)
}

fn object(api_version: &str, kind: &str, metadata: Value, spec: Option<Value>, status: Value) -> Value {
    let mut object = json!({"kind": kind, "apiVersion": api_version, "metadata": metadata, "status": status});
    if let Some(spec) = spec {
        object["spec"] = spec;
    }
    object
}

fn token_review(body: &Value, oracle: &dyn Oracle) -> Value {
    let token = text(&body["spec"]["token"]);
    let audiences: Vec<String> = body["spec"]["audiences"].as_array().into_iter().flatten().map(|own| text(own).to_owned()).collect();
    let status = match oracle.user_of(token, &audiences) {
        Some(user) => json!({"authenticated": true, "user": user_info(&user), "audiences": audiences_of(&audiences)}),
        None => json!({"user": {}, "error": "invalid bearer token"}),
    };
    let mut spec = json!({"token": token});
    if !audiences.is_empty() {
        spec["audiences"] = json!(audiences);
    }
    object("authentication.k8s.io/v1", "TokenReview", json!({}), Some(spec), status)
}

/// For whom a token was found good: whom the question named, else the plane itself.
fn audiences_of(asked: &[String]) -> Vec<String> {
    if asked.is_empty() { vec![ISSUER.to_owned()] } else { asked.to_vec() }
}

fn about_subject(spec: &Value, oracle: &dyn Oracle) -> Result<(Value, Value), ApiError> {
    let (mut shown, wish) = question(spec)?;
    let groups: Vec<String> = spec["groups"].as_array().into_iter().flatten().map(|group| text(group).to_owned()).collect();
    let name = text(&spec["user"]);
    if name.is_empty() && groups.is_empty() {
        return Err(invalid("spec.user", &json!(""), "at least one of user or group must be specified"));
    }
    for field in ["user", "groups", "uid", "extra"] {
        let value = &spec[field];
        if !value.is_null() && *value != json!("") && *value != json!([]) && *value != json!({}) {
            shown[field] = value.clone();
        }
    }
    let user = User { name: name.into(), uid: text(&spec["uid"]).into(), groups, ..User::default() };
    Ok((shown, access_status(oracle.decide(&user, &wish))))
}

/// What is asked: the attributes as the answer repeats them, and the wish.
fn question(spec: &Value) -> Result<(Value, Wish), ApiError> {
    let (resource, path) = (&spec["resourceAttributes"], &spec["nonResourceAttributes"]);
    match (resource.is_null(), path.is_null()) {
        (true, true) => Err(invalid(
            "spec.resourceAttributes",
            &Value::Null,
            "exactly one of nonResourceAttributes or resourceAttributes must be specified",
        )),
        (false, false) => Err(invalid_printed(
            "spec.nonResourceAttributes",
            &printed_path(path),
            "cannot be specified in combination with resourceAttributes",
        )),
        (true, false) => {
            let shown = not_empty(path, &["path", "verb"]);
            Ok((json!({"nonResourceAttributes": shown}), Wish::path(text(&path["verb"]), text(&path["path"]))))
        }
        (false, true) => {
            let shown = not_empty(
                resource,
                &["namespace", "verb", "group", "version", "resource", "subresource", "name", "fieldSelector", "labelSelector"],
            );
            let target = ResourceWish::new(text(&resource["group"]), text(&resource["resource"]))
                .named(text(&resource["name"]))
                .part(text(&resource["subresource"]))
                .within(text(&resource["namespace"]));
            Ok((json!({"resourceAttributes": shown}), Wish::resource(text(&resource["verb"]), target)))
        }
    }
}

/// The question about a path as the reference server prints it.
fn printed_path(path: &Value) -> String {
    format!(r#"{{"Path":{:?},"Verb":{:?}}}"#, text(&path["path"]), text(&path["verb"]))
}

fn not_empty(value: &Value, fields: &[&str]) -> Value {
    let kept = fields
        .iter()
        .filter(|field| !value[**field].is_null() && value[**field] != "")
        .map(|field| ((*field).to_owned(), value[*field].clone()));
    Value::Object(kept.collect())
}

fn access_status((allowed, reason): (bool, String)) -> Value {
    let mut status = json!({"allowed": allowed});
    if !reason.is_empty() {
        status["reason"] = json!(reason);
    }
    status
}

fn rules_status(rules: Vec<Rule>) -> Value {
    let (paths, resources): (Vec<_>, Vec<_>) = rules.into_iter().partition(Rule::is_for_paths);
    let shown = |rules: Vec<Rule>| rules.iter().map(Rule::to_json).collect::<Vec<_>>();
    json!({"resourceRules": shown(resources), "nonResourceRules": shown(paths), "incomplete": false})
}

fn invalid(field: &str, value: &Value, detail: &str) -> ApiError {
    invalid_printed(field, &value.to_string(), detail)
}

/// Invalid answers about reviews name no kind, as the reference server's do.
fn invalid_printed(field: &str, value: &str, detail: &str) -> ApiError {
    let message = format!("Invalid value: {value}: {detail}");
    ApiError::invalid(AUTHORIZATION, "", "", [Cause { reason: "FieldValueInvalid".into(), message, field: field.into() }])
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Allows everything to one user.
    struct Only(&'static str);

    impl Oracle for Only {
        fn decide(&self, user: &User, _: &Wish) -> (bool, String) {
            (user.name == self.0, String::new())
        }
        fn rules(&self, _: &User, _: &str) -> Vec<Rule> {
            vec![Rule { verbs: vec!["get".into()], paths: vec!["/version".into()], ..Rule::default() }]
        }
        fn user_of(&self, token: &str, _: &[String]) -> Option<User> {
            (token == "t").then(|| User { name: self.0.into(), ..User::default() })
        }
    }

    fn ask(kind: &str, spec: Value) -> Result<Value, ApiError> {
        let alice = User { name: "alice".into(), ..User::default() };
        answer(kind, &json!({"spec": spec}), "n", &alice, "2024-01-01T00:00:00Z", &Only("alice"))
    }

    #[test]
    fn the_question_is_repeated_without_what_is_empty() {
        let question = json!({"resourceAttributes": {"namespace": "n", "verb": "get", "group": "", "resource": "configmaps"}});
        let answer = ask("SelfSubjectAccessReview", question).unwrap();
        assert_eq!(answer["spec"], json!({"resourceAttributes": {"namespace": "n", "verb": "get", "resource": "configmaps"}}));
        assert_eq!(answer["status"], json!({"allowed": true}));
    }

    #[test]
    fn a_question_has_one_subject_and_one_object() {
        let both = json!({"resourceAttributes": {"verb": "get"}, "nonResourceAttributes": {"path": "/", "verb": "get"}});
        assert_eq!(
            ask("SelfSubjectAccessReview", both).unwrap_err().message,
            ".authorization.k8s.io \"\" is invalid: spec.nonResourceAttributes: Invalid value: {\"Path\":\"/\",\"Verb\":\"get\"}: cannot be specified in combination with resourceAttributes"
        );
        assert_eq!(ask("SelfSubjectAccessReview", json!({})).unwrap_err().code, 422);
        assert_eq!(ask("SubjectAccessReview", json!({"resourceAttributes": {"verb": "get"}})).unwrap_err().code, 422);
    }

    #[test]
    fn tokens_are_reviewed() {
        assert_eq!(ask("TokenReview", json!({"token": "t"})).unwrap()["status"]["user"]["username"], "alice");
        assert_eq!(ask("TokenReview", json!({"token": "x"})).unwrap()["status"]["authenticated"], Value::Null);
        assert_eq!(ask("TokenReview", json!({})).unwrap_err().code, 400);
    }

    #[test]
    fn a_local_question_is_about_resources_of_its_namespace() {
        let refused = |spec: Value| ask("LocalSubjectAccessReview", spec).unwrap_err().message;
        let elsewhere = refused(json!({"user": "bob", "resourceAttributes": {"verb": "get", "resource": "configmaps"}}));
        assert!(
            elsewhere.ends_with("spec.resourceAttributes.namespace: Invalid value: \"\": must match metadata.namespace"),
            "{elsewhere}"
        );
        let path = refused(json!({"user": "bob", "nonResourceAttributes": {"path": "/", "verb": "get"}}));
        assert!(path.ends_with("{\"Path\":\"/\",\"Verb\":\"get\"}: disallowed on this kind of request"), "{path}");
        assert_eq!(ask("SelfSubjectRulesReview", json!({})).unwrap_err().message, "no namespace on request");
    }
}
