//! Deployments and their kin.

use serde_json::{Map, Value};

use super::{immutable, is_blank, pod, unsupported};
use crate::status::Cause;

const TEMPLATE: &str = "spec.template";

pub(super) fn deployment(object: &Value, old: Option<&Value>, causes: &mut Vec<Cause>) {
    selected(object, old, causes);
    let strategy = &object["spec"]["strategy"];
    if strategy["type"] == "Recreate" && !is_blank(&strategy["rollingUpdate"]) {
        let detail = "may not be specified when strategy `type` is 'Recreate'";
        causes.push(Cause::forbidden("spec.strategy.rollingUpdate", detail));
    } else if !matches!(strategy["type"].as_str(), None | Some("Recreate" | "RollingUpdate")) {
        causes.push(unsupported("spec.strategy.type", &strategy["type"], &["Recreate", "RollingUpdate"]));
    }
}

/// A workload that finds its pods by a selector that never changes.
pub(super) fn selected(object: &Value, old: Option<&Value>, causes: &mut Vec<Cause>) {
    let spec = &object["spec"];
    replicas(spec, causes);
    selector(spec, causes);
    let restart = &spec["template"]["spec"]["restartPolicy"];
    pod::spec(&spec["template"]["spec"], "spec.template.spec", causes);
    if !is_blank(restart) && restart != "Always" {
        causes.push(unsupported("spec.template.spec.restartPolicy", restart, &["Always"]));
    }
    if let Some(old) = old
        && old["spec"]["selector"] != spec["selector"]
    {
        causes.push(immutable("spec.selector", &spec["selector"]));
    }
}

pub(super) fn stateful_set(object: &Value, old: Option<&Value>, causes: &mut Vec<Cause>) {
    let spec = &object["spec"];
    if let Some(old) = old {
        let fixed = |spec: &Value| {
            let mut fields = spec.as_object().cloned().unwrap_or_default();
            for name in [
                "replicas",
                "ordinals",
                "template",
                "updateStrategy",
                "revisionHistoryLimit",
                "persistentVolumeClaimRetentionPolicy",
                "minReadySeconds",
            ] {
                fields.remove(name);
            }
            fields
        };
        if fixed(&old["spec"]) != fixed(spec) {
            let detail = "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', \
                          'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden";
            causes.push(Cause::forbidden("spec", detail));
        }
    }
    replicas(spec, causes);
    selector(spec, causes);
    let mut template = spec["template"]["spec"].clone();
    // Templates of claims are volumes, too.
    for claim in spec["volumeClaimTemplates"].as_array().into_iter().flatten() {
        if let Some(fields) = template.as_object_mut() {
            let volumes = fields.entry("volumes").or_insert_with(|| Value::Array(Vec::new()));
            if let Some(volumes) = volumes.as_array_mut()
                && !volumes.iter().any(|volume| volume["name"] == claim["metadata"]["name"])
            {
                volumes.push(serde_json::json!({"name": claim["metadata"]["name"]}));
            }
        }
    }
    pod::spec(&template, "spec.template.spec", causes);
}

pub(super) fn job(object: &Value, old: Option<&Value>, causes: &mut Vec<Cause>) {
    let spec = &object["spec"];
    for name in ["parallelism", "completions", "backoffLimit"] {
        not_negative(&format!("spec.{name}"), &spec[name], causes);
    }
    pod::spec(&spec["template"]["spec"], "spec.template.spec", causes);
    let restart = &spec["template"]["spec"]["restartPolicy"];
    let field = "spec.template.spec.restartPolicy";
    if is_blank(restart) {
        causes.push(Cause::required(field, "valid values: \"OnFailure\", \"Never\""));
    } else if restart == "Always" {
        causes.push(unsupported(field, restart, &["OnFailure", "Never"]));
    }
    if let Some(old) = old {
        for name in ["completions", "selector"] {
            if old["spec"][name] != spec[name] {
                causes.push(immutable(&format!("spec.{name}"), &spec[name]));
            }
        }
        if old["spec"]["template"] != spec["template"] && old["spec"]["suspend"] != true {
            causes.push(immutable(TEMPLATE, &spec["template"]));
        }
    }
}

fn replicas(spec: &Value, causes: &mut Vec<Cause>) {
    not_negative("spec.replicas", &spec["replicas"], causes);
}

fn not_negative(field: &str, value: &Value, causes: &mut Vec<Cause>) {
    if value.as_i64().is_some_and(|number| number < 0) {
        causes.push(Cause::invalid(field, value, "must be greater than or equal to 0"));
    }
}

/// The selector is there and finds the pods of the template.
fn selector(spec: &Value, causes: &mut Vec<Cause>) {
    let labels = &spec["template"]["metadata"]["labels"];
    let empty = Map::new();
    let selector = spec["selector"].as_object().unwrap_or(&empty);
    if spec["selector"].is_null() {
        causes.push(Cause::required("spec.selector", ""));
    } else if selector.values().all(is_blank) {
        let detail = "empty selector is invalid for deployment";
        causes.push(Cause::invalid("spec.selector", &spec["selector"], detail));
    }
    if !matches(selector, labels) {
        causes.push(Cause::invalid("spec.template.metadata.labels", labels, "`selector` does not match template `labels`"));
    }
}

fn matches(selector: &Map<String, Value>, labels: &Value) -> bool {
    // No selector finds nothing.
    if selector.is_empty() {
        return false;
    }
    let wanted = selector.get("matchLabels").and_then(Value::as_object).into_iter().flatten();
    let rules = selector.get("matchExpressions").and_then(Value::as_array).into_iter().flatten();
    wanted.into_iter().all(|(key, value)| labels.get(key) == Some(value))
        && rules.into_iter().all(|rule| {
            let label = rule["key"].as_str().and_then(|key| labels.get(key));
            let listed = label.is_some_and(|label| rule["values"].as_array().is_some_and(|values| values.contains(label)));
            match rule["operator"].as_str() {
                Some("In") => listed,
                Some("NotIn") => !listed,
                Some("Exists") => label.is_some(),
                Some("DoesNotExist") => label.is_none(),
                _ => false,
            }
        })
}
