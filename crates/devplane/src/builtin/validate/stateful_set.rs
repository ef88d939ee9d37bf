//! StatefulSets.
//! Source: kubernetes `pkg/apis/apps/validation` (`ValidateStatefulSetSpec`, `ValidateStatefulSetUpdate`).

use serde_json::{Map, Value, json};

use super::{
    faults::{invalid_structure, none_or_one_of},
    names, numbers,
    reading::{is_blank, list, text},
    template,
};
use crate::status::Cause;

/// Fields that may change.
const MUTABLE: [&str; 7] = [
    "replicas",
    "ordinals",
    "template",
    "updateStrategy",
    "revisionHistoryLimit",
    "persistentVolumeClaimRetentionPolicy",
    "minReadySeconds",
];

/// All rules of a StatefulSet.
pub(super) fn check(object: &Value, old: Option<&Value>, causes: &mut Vec<Cause>) {
    spec(&object["spec"], old.is_none(), causes);
    if let Some(old) = old
        && fixed(&old["spec"]) != fixed(&object["spec"])
    {
        let detail = "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', \
                      'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden";
        causes.push(Cause::forbidden("spec", detail));
    }
}

/// The fields that never change.
fn fixed(spec: &Value) -> Map<String, Value> {
    let mut fields = spec.as_object().cloned().unwrap_or_default();
    fields.retain(|name, _| !MUTABLE.contains(&name.as_str()));
    fields
}

fn spec(spec: &Value, is_new: bool, causes: &mut Vec<Cause>) {
    let policy = &spec["podManagementPolicy"];
    if is_blank(policy) {
        causes.push(Cause::required("spec.podManagementPolicy", ""));
    } else if !["OrderedReady", "Parallel"].contains(&text(policy)) {
        causes.push(Cause::invalid("spec.podManagementPolicy", policy, "must be 'OrderedReady' or 'Parallel'"));
    }
    strategy(&spec["updateStrategy"], causes);
    for name in ["whenDeleted", "whenScaled"] {
        let field = format!("spec.persistentVolumeClaimRetentionPolicy.{name}");
        none_or_one_of(&field, &spec["persistentVolumeClaimRetentionPolicy"][name], &["Retain", "Delete"], causes);
    }
    numbers::none_negative(spec, "spec", &["replicas", "minReadySeconds"], causes);
    numbers::not_negative("spec.ordinals.start", &spec["ordinals"]["start"], causes);
    // A Service of another name cannot be; who has one already keeps it.
    if is_new && !is_blank(&spec["serviceName"]) {
        names::label("spec.serviceName", &spec["serviceName"], causes);
    }
    template::selector(spec, "empty selector is invalid for statefulset", causes);
    let selector = &spec["selector"];
    if template::is_broken(selector) {
        causes.push(template::invalid_selector(selector, ""));
    } else {
        if !template::is_empty(selector) {
            template::finds(spec, causes);
        }
        template::template(&with_claims(spec), template::PATH, causes);
    }
    template::always_runs(spec, "StatefulSet", causes);
}

/// The template with a volume for each template of a claim.
fn with_claims(spec: &Value) -> Value {
    let mut template = spec["template"].clone();
    let Some(pods) = template.get_mut("spec").and_then(Value::as_object_mut) else { return template };
    let volumes = pods.entry("volumes").or_insert_with(|| json!([]));
    let Some(volumes) = volumes.as_array_mut() else { return template };
    for claim in list(&spec["volumeClaimTemplates"]) {
        let name = &claim["metadata"]["name"];
        if !volumes.iter().any(|volume| volume["name"] == *name) {
            volumes.push(json!({"name": name, "persistentVolumeClaim": {"claimName": name}}));
        }
    }
    template
}

fn strategy(strategy: &Value, causes: &mut Vec<Cause>) {
    let rolling = &strategy["rollingUpdate"];
    match text(&strategy["type"]) {
        "" => causes.push(Cause::required("spec.updateStrategy", "")),
        "OnDelete" if !rolling.is_null() => {
            let (field, detail) = ("spec.updateStrategy.rollingUpdate", "only allowed for updateStrategy 'RollingUpdate'");
            causes.push(invalid_structure(field, ("apps/v1", "RollingUpdateStatefulSetStrategy"), rolling, detail));
        }
        "OnDelete" => {}
        "RollingUpdate" => rolling_update(rolling, causes),
        _ => {
            let detail = "must be 'RollingUpdate' or 'OnDelete'";
            causes.push(invalid_structure("spec.updateStrategy", ("apps/v1", "StatefulSetUpdateStrategy"), strategy, detail));
        }
    }
}

fn rolling_update(rolling: &Value, causes: &mut Vec<Cause>) {
    let path = "spec.updateStrategy.rollingUpdate";
    numbers::none_negative(rolling, path, &["partition"], causes);
    let unavailable = &rolling["maxUnavailable"];
    if unavailable.is_null() {
        return;
    }
    let field = format!("{path}.maxUnavailable");
    numbers::positive_or_percent(&field, unavailable, causes);
    if numbers::is_zero(unavailable) {
        causes.push(Cause::invalid(&field, unavailable, "cannot be 0"));
    }
    numbers::at_most_whole(&field, unavailable, causes);
}
