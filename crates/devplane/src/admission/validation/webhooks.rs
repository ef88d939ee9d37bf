//! What a configuration of webhooks must look like. The plane calls none, and refuses those that are fine otherwise.
//! Source: kubernetes `pkg/apis/admissionregistration/validation` (`validateValidatingWebhook`, `validateMutatingWebhook`).

use std::collections::BTreeSet;

use serde_json::Value;

use super::{Compiler, conditions, constraints, list, one_of, text};
use crate::objects::metadata::{Unit, subdomain_faults};
use crate::status::Cause;
use crate::{hooks, selectors};

const SIDE_EFFECTS: [&str; 2] = ["None", "NoneOnDryRun"];

/// Broken rules of all webhooks of a configuration.
pub(super) fn check(webhooks: &Value, mutating: bool, causes: &mut Vec<Cause>) {
    let mut names = BTreeSet::new();
    for (index, webhook) in list(webhooks).iter().enumerate() {
        let at = format!("webhooks[{index}]");
        one(webhook, &at, mutating, causes);
        let name = text(&webhook["name"]);
        if !name.is_empty() && !names.insert(name) {
            causes.push(Cause::duplicate(&format!("{at}.name"), name));
        }
    }
}

fn one(webhook: &Value, at: &str, mutating: bool, causes: &mut Vec<Cause>) {
    name(text(&webhook["name"]), &format!("{at}.name"), causes);
    for (index, rule) in list(&webhook["rules"]).iter().enumerate() {
        constraints::rule(rule, &format!("{at}.rules[{index}]"), causes);
    }
    one_of(webhook, at, "failurePolicy", &["Fail", "Ignore"], causes);
    one_of(webhook, at, "matchPolicy", &["Equivalent", "Exact"], causes);
    if mutating {
        one_of(webhook, at, "reinvocationPolicy", &["IfNeeded", "Never"], causes);
    }
    let effects = format!("{at}.sideEffects");
    match webhook["sideEffects"].as_str() {
        None => causes.push(Cause::required(&effects, &format!("must specify one of {}", SIDE_EFFECTS.join(", ")))),
        Some(said) if !SIDE_EFFECTS.contains(&said) => causes.push(Cause::unsupported(&effects, said, &SIDE_EFFECTS)),
        Some(_) => {}
    }
    if webhook["timeoutSeconds"].as_i64().is_some_and(|seconds| !(1..=30).contains(&seconds)) {
        let why = "the timeout value must be between 1 and 30 seconds";
        causes.push(Cause::invalid(&format!("{at}.timeoutSeconds"), &webhook["timeoutSeconds"], why));
    }
    for selector in ["namespaceSelector", "objectSelector"] {
        causes.extend(selectors::faults(&webhook[selector], &format!("{at}.{selector}")));
    }
    client(&webhook["clientConfig"], &format!("{at}.clientConfig"), causes);
    conditions(&webhook["matchConditions"], &format!("{at}.matchConditions"), &Compiler::new(false), causes);
    let versions = &webhook["admissionReviewVersions"];
    let field = format!("{at}.admissionReviewVersions");
    if list(versions).is_empty() {
        causes.push(Cause::required(&field, &format!("must specify one of {}", hooks::REVIEWS.join(", "))));
    } else {
        hooks::review_versions(&field, versions, causes);
    }
}

fn name(name: &str, field: &str, causes: &mut Vec<Cause>) {
    if name.is_empty() {
        return causes.push(Cause::required(field, ""));
    }
    let faults = subdomain_faults(name, Unit::Characters);
    if !faults.is_empty() {
        causes.push(Cause::invalid(field, &name.into(), &faults.join(",")));
    } else if name.split('.').count() < 3 {
        causes.push(Cause::invalid(field, &name.into(), "should be a domain with at least three segments separated by dots"));
    }
}

fn client(client: &Value, at: &str, causes: &mut Vec<Cause>) {
    if client["url"].is_null() == client["service"].is_null() {
        causes.push(Cause::required(at, "exactly one of url or service is required"));
    } else if client["service"].is_null() {
        hooks::url(&format!("{at}.url"), text(&client["url"]), causes);
    } else {
        hooks::service(&format!("{at}.service"), &client["service"], causes);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::status::told;

    #[test]
    fn a_webhook_says_how_it_is_reached_and_what_it_reads() {
        let fields = |webhook: Value| {
            let faults = told(|causes| check(&json!([webhook]), false, causes));
            faults.iter().filter_map(|fault| Some(fault.strip_prefix("webhooks[0].")?.split_once(':')?.0.to_owned())).collect::<Vec<_>>()
        };
        let client = json!({"url": "https://x.example"});
        let fine = json!({"name": "a.example.com", "clientConfig": client, "sideEffects": "None", "admissionReviewVersions": ["v1"]});
        assert_eq!(fields(fine), Vec::<String>::new());
        let bare = fields(json!({"name": "a"}));
        assert_eq!(bare, ["name", "sideEffects", "clientConfig", "admissionReviewVersions"]);
    }
}
