//! Questions about rights and identity that are asked by creating an object and answered in its status. Nothing is stored.
//! Source: kubernetes `pkg/registry/{authorization,authentication}`, `pkg/apis/authorization/validation`.
//!
//! What is allowed is asked of an [`Oracle`], so that the same code serves a plain cluster and a workspace with all its layers.

use serde_json::{Map, Value, json};

use crate::authn::service_accounts::ISSUER;
use crate::protobuf::go_json;
use crate::rbac::rule::Rule;
use crate::rbac::wish::{ResourceWish, Wish};
use crate::request::User;
use crate::selectors::{self, LabelSelector};
use crate::status::{ApiError, Cause};

/// Answers questions about rights in one cluster.
pub trait Oracle {
    /// Whether the user may, and the reason to show (may be empty).
    fn decide(&self, user: &User, wish: &Wish) -> (bool, String);
    /// All rules that hold for the user in a namespace.
    fn rules(&self, user: &User, namespace: &str) -> Vec<Rule>;
    /// The user behind a bearer token that is meant for one of these audiences; for the server itself if none is named.
    ///
    /// # Errors
    /// Why there is none, to be shown.
    fn user_of(&self, token: &str, audiences: &[String]) -> Result<User, String>;
}

const AUTHORIZATION: &str = "authorization.k8s.io";
const AUTHENTICATION: &str = "authentication.k8s.io";

/// What a review asks, as its answer repeats it: without what is empty. `kind` is one of the kinds of `authorization.k8s.io` and
/// `authentication.k8s.io`.
pub fn question(kind: &str, body: &Value) -> Value {
    let group = if matches!(kind, "SelfSubjectReview" | "TokenReview") { AUTHENTICATION } else { AUTHORIZATION };
    let api_version = format!("{group}/v1");
    let mut question = json!({"kind": kind, "apiVersion": api_version, "metadata": body["metadata"], "spec": body["spec"]});
    go_json::tidy(&api_version, kind, &mut question);
    question
}

/// Answers a review: `question` is what [`question()`] made of it, `namespace` that of the request; `now` is the time for
/// `creationTimestamp`.
///
/// # Errors
/// Invalid, when the question is incomplete or contradicts itself.
pub fn answer(kind: &str, question: &Value, namespace: &str, user: &User, now: &str, oracle: &dyn Oracle) -> Result<Value, ApiError> {
    let spec = &question["spec"];
    match kind {
        // The answers to these repeat nothing of the question.
        "SelfSubjectReview" => {
            let status = json!({"userInfo": user_info(user)});
            Ok(
                json!({"kind": kind, "apiVersion": format!("{AUTHENTICATION}/v1"), "metadata": {"creationTimestamp": now}, "status": status}),
            )
        }
        "SelfSubjectRulesReview" => match text(&spec["namespace"]) {
            "" => Err(ApiError::bad_request("no namespace on request")),
            named => {
                let status = rules_status(oracle.rules(user, named));
                Ok(json!({"kind": kind, "apiVersion": format!("{AUTHORIZATION}/v1"), "metadata": {}, "spec": {}, "status": status}))
            }
        },
        "TokenReview" if text(&spec["token"]).is_empty() => {
            Err(ApiError::bad_request("token is required for TokenReview in authentication"))
        }
        "TokenReview" => Ok(answered(question, token_status(spec, oracle))),
        _ => {
            let causes = faults(kind, question, namespace);
            if !causes.is_empty() {
                // Invalid answers about reviews name no kind, as the reference server's do.
                return Err(ApiError::invalid(AUTHORIZATION, "", "", causes));
            }
            let decided = match kind {
                "SelfSubjectAccessReview" => oracle.decide(user, &wish(spec)),
                _ => oracle.decide(&subject(spec), &wish(spec)),
            };
            Ok(answered(question, access_status(decided, &spec["resourceAttributes"])))
        }
    }
}

fn answered(question: &Value, status: Value) -> Value {
    let mut answer = question.clone();
    answer["status"] = status;
    answer
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

fn token_status(spec: &Value, oracle: &dyn Oracle) -> Value {
    let audiences: Vec<String> = spec["audiences"].as_array().into_iter().flatten().map(|own| text(own).to_owned()).collect();
    match oracle.user_of(text(&spec["token"]), &audiences) {
        Ok(user) => json!({"authenticated": true, "user": user_info(&user), "audiences": audiences_of(&audiences)}),
        Err(why) => json!({"user": {}, "error": why}),
    }
}

/// For whom a token was found good: whom the question named, else the plane itself.
fn audiences_of(asked: &[String]) -> Vec<String> {
    if asked.is_empty() { vec![ISSUER.to_owned()] } else { asked.to_vec() }
}

/// Whom a question is about that names somebody.
fn subject(spec: &Value) -> User {
    let groups = spec["groups"].as_array().into_iter().flatten().map(|group| text(group).to_owned()).collect();
    let texts = |values: &Value| values.as_array().into_iter().flatten().map(|value| text(value).to_owned()).collect();
    let extra = spec["extra"].as_object().into_iter().flatten().map(|(key, values)| (key.clone(), texts(values))).collect();
    User { name: text(&spec["user"]).into(), uid: text(&spec["uid"]).into(), groups, extra }
}

/// What somebody wants to do.
fn wish(spec: &Value) -> Wish {
    let (resource, path) = (&spec["resourceAttributes"], &spec["nonResourceAttributes"]);
    if resource.is_null() {
        return Wish::path(text(&path["verb"]), text(&path["path"]));
    }
    let target = ResourceWish::new(text(&resource["group"]), text(&resource["resource"]))
        .named(text(&resource["name"]))
        .part(text(&resource["subresource"]))
        .within(text(&resource["namespace"]));
    Wish::resource(text(&resource["verb"]), target)
}

/// All broken rules of a question about rights.
fn faults(kind: &str, question: &Value, namespace: &str) -> Vec<Cause> {
    let (is_self, is_local) = (kind == "SelfSubjectAccessReview", kind == "LocalSubjectAccessReview");
    let spec = &question["spec"];
    let (resource, path) = (&spec["resourceAttributes"], &spec["nonResourceAttributes"]);
    let mut causes = Vec::new();
    match (resource.is_null(), path.is_null()) {
        (true, true) => {
            let why = "exactly one of nonResourceAttributes or resourceAttributes must be specified";
            causes.push(Cause::invalid("spec.resourceAttributes", &Value::Null, why));
        }
        (false, false) => causes.push(about_path(path, "cannot be specified in combination with resourceAttributes")),
        _ => {}
    }
    if !is_self && text(&spec["user"]).is_empty() && spec["groups"].is_null() {
        causes.push(Cause::invalid("spec.user", &"".into(), "at least one of user or group must be specified"));
    }
    causes.extend(selector_faults(&resource["fieldSelector"], "fieldSelector", selectors::field_requirement_faults));
    causes.extend(selector_faults(&resource["labelSelector"], "labelSelector", |one, at| selectors::requirement_faults(one, at, true)));
    let metadata = &question["metadata"];
    let is_said = |(field, _): (&String, &Value)| field != "managedFields" && !(is_local && field == "namespace");
    if metadata.as_object().into_iter().flatten().any(is_said) {
        let why = if is_local { "must be empty except for namespace" } else { "must be empty" };
        causes.push(Cause::invalid_shown("metadata", &go_json::text("meta/v1", "ObjectMeta", metadata, &|_| false), why));
    }
    if is_local && !resource.is_null() && text(&resource["namespace"]) != namespace {
        let said = text(&resource["namespace"]);
        causes.push(Cause::invalid("spec.resourceAttributes.namespace", &said.into(), "must match metadata.namespace"));
    }
    if is_local && !path.is_null() {
        causes.push(about_path(path, "disallowed on this kind of request"));
    }
    causes
}

/// Broken rules of a selector of a question, which is a text or a list of requirements.
fn selector_faults(selector: &Value, name: &str, of_requirement: impl Fn(&Value, &str) -> Vec<Cause>) -> Vec<Cause> {
    if selector.is_null() {
        return Vec::new();
    }
    let at = format!("spec.resourceAttributes.{name}");
    let (raw, requirements) = (text(&selector["rawSelector"]), requirements(selector));
    let mut causes = Vec::new();
    match (raw.is_empty(), requirements.is_empty()) {
        (false, false) => {
            let why = "may not specified at the same time as requirements";
            causes.push(Cause::invalid(&format!("{at}.rawSelector"), &raw.into(), why));
        }
        (true, true) => {
            let why = format!("when {at} is specified, requirements or rawSelector is required");
            causes.push(Cause::required(&format!("{at}.requirements"), &why));
        }
        _ => {}
    }
    causes.extend(requirements.iter().enumerate().flat_map(|(index, one)| of_requirement(one, &format!("{at}.requirements[{index}]"))));
    causes
}

fn requirements(selector: &Value) -> &[Value] {
    selector["requirements"].as_array().map(Vec::as_slice).unwrap_or_default()
}

/// What is wrong with the question about a path, as the reference server prints it.
fn about_path(path: &Value, why: &str) -> Cause {
    let printed = format!(r#"{{"Path":{:?},"Verb":{:?}}}"#, text(&path["path"]), text(&path["verb"]));
    Cause::invalid_shown("spec.nonResourceAttributes", &printed, why)
}

fn access_status((allowed, reason): (bool, String), resource: &Value) -> Value {
    let mut status = json!({"allowed": allowed});
    if !reason.is_empty() {
        status["reason"] = json!(reason);
    }
    let unread = [
        ("fieldSelector", field_selector_read(&resource["fieldSelector"])),
        ("labelSelector", label_selector_read(&resource["labelSelector"])),
    ];
    let unread: Vec<String> = unread
        .into_iter()
        .filter(|(_, (_, unread))| *unread > 0)
        .map(|(name, (read, _))| {
            let part = if read > 0 { "partially " } else { "" };
            format!("spec.resourceAttributes.{name} {part}ignored due to parse error")
        })
        .collect();
    if !unread.is_empty() {
        status["evaluationError"] = json!(unread.join("; "));
    }
    status
}

/// How many requirements of a selector on fields are understood, and how many are not.
fn field_selector_read(selector: &Value) -> (usize, usize) {
    let raw = text(&selector["rawSelector"]);
    let understood = |one: &&Value| {
        let values = one["values"].as_array().map_or(0, Vec::len);
        values == 1 && matches!(text(&one["operator"]), "In" | "NotIn")
    };
    let read = requirements(selector).iter().filter(understood).count();
    (read, requirements(selector).len() - read + usize::from(selectors::parse_fields(raw).is_err()))
}

/// How many requirements of a selector on labels are understood, and how many are not.
fn label_selector_read(selector: &Value) -> (usize, usize) {
    let raw = text(&selector["rawSelector"]);
    let understood = |one: &&Value| matches!(text(&one["operator"]), "In" | "NotIn" | "Exists" | "DoesNotExist");
    let read = requirements(selector).iter().filter(understood).count();
    (read, requirements(selector).len() - read + usize::from(LabelSelector::parse(raw).is_err()))
}

fn rules_status(rules: Vec<Rule>) -> Value {
    let (paths, resources): (Vec<_>, Vec<_>) = rules.into_iter().partition(Rule::is_for_paths);
    let shown = |rules: Vec<Rule>| rules.iter().map(Rule::to_json).collect::<Vec<_>>();
    json!({"resourceRules": shown(resources), "nonResourceRules": shown(paths), "incomplete": false})
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
        fn user_of(&self, token: &str, _: &[String]) -> Result<User, String> {
            let known = (token == "t").then(|| User { name: self.0.into(), ..User::default() });
            known.ok_or_else(|| "invalid bearer token".to_owned())
        }
    }

    fn ask(kind: &str, spec: Value) -> Result<Value, ApiError> {
        let alice = User { name: "alice".into(), ..User::default() };
        answer(kind, &question(kind, &json!({"spec": spec})), "n", &alice, "2024-01-01T00:00:00Z", &Only("alice"))
    }

    #[test]
    fn the_question_is_repeated_without_what_is_empty() {
        let asked = json!({"resourceAttributes": {"namespace": "n", "verb": "get", "group": "", "resource": "configmaps"}});
        let answer = ask("SelfSubjectAccessReview", asked).unwrap();
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
    fn selectors_are_judged_and_what_is_not_understood_of_them_is_told() {
        let about = |selectors: Value| {
            let mut attributes = json!({"verb": "list", "resource": "configmaps"});
            for (name, selector) in selectors.as_object().unwrap() {
                attributes[name] = selector.clone();
            }
            ask("SelfSubjectAccessReview", json!({"resourceAttributes": attributes}))
        };
        let refused = |selectors: Value| about(selectors).unwrap_err().message;
        let nothing = refused(json!({"labelSelector": {}}));
        assert!(
            nothing.ends_with("when spec.resourceAttributes.labelSelector is specified, requirements or rawSelector is required"),
            "{nothing}"
        );
        let bad = refused(json!({"labelSelector": {"requirements": [{"key": "a b", "operator": "Frob"}]}}));
        assert!(bad.contains("labelSelector.requirements[0].key: Invalid value: \"a b\": name part must consist of"), "{bad}");
        let told = |selectors: Value| about(selectors).unwrap()["status"]["evaluationError"].clone();
        assert_eq!(told(json!({"labelSelector": {"rawSelector": "a in (b)"}})), Value::Null);
        let unread = "spec.resourceAttributes.fieldSelector partially ignored due to parse error; spec.resourceAttributes.labelSelector ignored due to parse error";
        let fields = json!([{"key": "a", "operator": "In", "values": ["b"]}, {"key": "a", "operator": "Exists"}]);
        assert_eq!(told(json!({"fieldSelector": {"requirements": fields}, "labelSelector": {"rawSelector": ",,"}})), unread);
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
