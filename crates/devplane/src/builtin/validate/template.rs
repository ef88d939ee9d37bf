//! Templates of pods, and the selectors that find their pods.
//! Source: kubernetes `pkg/apis/core/validation` (`ValidatePodTemplateSpec`), `pkg/apis/apps/validation`.

use serde_json::Value;

use super::{
    faults::blank_or_one_of,
    pod,
    reading::{entries, is_blank},
};
use crate::{
    objects::metadata::qualified_faults,
    protobuf::go_json,
    selectors::{self, LabelSelector},
    status::Cause,
};

/// Where the template of a workload stands.
pub(super) const PATH: &str = "spec.template";

/// A template at `path`.
pub(super) fn template(template: &Value, path: &str, causes: &mut Vec<Cause>) {
    labels(template, path, causes);
    pod::spec(&template["spec"], &format!("{path}.spec"), None, causes);
    if !is_blank(&template["spec"]["ephemeralContainers"]) {
        let field = format!("{path}.spec.ephemeralContainers");
        causes.push(Cause::forbidden(&field, "ephemeral containers not allowed in pod template"));
    }
}

/// Labels and annotations of a template; their fields are told without `metadata`.
fn labels(template: &Value, path: &str, causes: &mut Vec<Cause>) {
    causes.extend(selectors::label_faults(&template["metadata"]["labels"], &format!("{path}.labels")));
    let field = format!("{path}.annotations");
    for (key, _) in entries(&template["metadata"]["annotations"]) {
        let faults = qualified_faults(&key.to_lowercase());
        causes.extend(faults.iter().map(|fault| Cause::invalid(&field, &key.as_str().into(), fault)));
    }
}

/// Pods of a workload that always runs restart always, and have no deadline.
pub(super) fn always_runs(spec: &Value, kind: &str, causes: &mut Vec<Cause>) {
    let pods = &spec["template"]["spec"];
    blank_or_one_of("spec.template.spec.restartPolicy", &pods["restartPolicy"], &["Always"], causes);
    if !pods["activeDeadlineSeconds"].is_null() {
        let detail = format!("activeDeadlineSeconds in {kind} is not Supported");
        causes.push(Cause::forbidden("spec.template.spec.activeDeadlineSeconds", &detail));
    }
}

/// A selector that cannot be missing or empty; `empty` says why not.
pub(super) fn selector(spec: &Value, empty: &str, causes: &mut Vec<Cause>) {
    let selector = &spec["selector"];
    if selector.is_null() {
        causes.push(Cause::required("spec.selector", ""));
        return;
    }
    causes.extend(selectors::faults(selector, "spec.selector"));
    if is_empty(selector) {
        causes.push(invalid_selector(selector, empty));
    }
}

/// Whether a selector is there and selects all.
pub(super) fn is_empty(selector: &Value) -> bool {
    !selector.is_null() && is_blank(&selector["matchLabels"]) && is_blank(&selector["matchExpressions"])
}

/// Whether a selector cannot be evaluated.
pub(super) fn is_broken(selector: &Value) -> bool {
    !selectors::faults(selector, "").is_empty()
}

/// The selector finds the pods of the template. One that is not there finds none.
pub(super) fn finds(spec: &Value, causes: &mut Vec<Cause>) {
    let (selector, labels) = (&spec["selector"], &spec["template"]["metadata"]["labels"]);
    if selector.is_null() || !LabelSelector::from_object(selector).matches(labels) {
        causes.push(Cause::invalid("spec.template.metadata.labels", labels, "`selector` does not match template `labels`"));
    }
}

/// A fault of `spec.selector`, which is printed as Go prints it.
pub(super) fn invalid_selector(selector: &Value, detail: &str) -> Cause {
    let mut shown = selector.clone();
    go_json::tidy("meta/v1", "LabelSelector", &mut shown);
    let printed = go_json::text("meta/v1", "LabelSelector", &shown, &|_| false);
    let detail = if detail.is_empty() { String::new() } else { format!(": {detail}") };
    Cause { reason: "FieldValueInvalid".into(), message: format!("Invalid value: {printed}{detail}"), field: "spec.selector".into() }
}

/// The selector of a workload is that with which it was made.
pub(super) fn keeps_selector(spec: &Value, old: &Value, causes: &mut Vec<Cause>) {
    if old["spec"]["selector"] != spec["selector"] {
        causes.push(invalid_selector(&spec["selector"], "field is immutable"));
    }
}
