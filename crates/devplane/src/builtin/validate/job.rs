//! Jobs and CronJobs.
//! Source: kubernetes `pkg/apis/batch/validation`, `pkg/registry/batch/job/strategy.go`.

use serde_json::{Value, json};

use super::{
    cron,
    faults::{immutable, invalid_structure, none_or_one_of, one_of, unsupported},
    job_policy, names, numbers,
    reading::{is_blank, text},
    template,
};
use crate::{
    selectors::{self, LabelSelector},
    status::Cause,
};

/// More indexes than these ask for limits of their own.
const SOFT_LIMIT: i64 = 100_000;
/// With more indexes than the limit and a backoff for each, so many at once.
const HIGH_PARALLELISM: i64 = 10_000;
/// What the controller adds to the name of a CronJob takes eleven characters of sixty-three.
const CRON_NAME: usize = 52;

/// All rules of a Job.
pub(super) fn check(object: &Value, old: Option<&Value>, causes: &mut Vec<Cause>) {
    let spec = &object["spec"];
    generated_selector(object, causes);
    whole_spec(spec, causes);
    indexed_name(object, causes);
    let Some(old) = old else { return };
    // The real server judges a change once as an object and once as a change.
    whole_spec(spec, causes);
    let before = &old["spec"];
    completions(spec, before, causes);
    if before["selector"] != spec["selector"] {
        causes.push(template::invalid_selector(&spec["selector"], "field is immutable"));
    }
    keeps_template(spec, before, &old["status"], causes);
    for name in ["completionMode", "podFailurePolicy", "backoffLimitPerIndex", "managedBy", "successPolicy"] {
        if before[name] != spec[name] {
            causes.push(immutable(&format!("spec.{name}"), &spec[name]));
        }
    }
}

/// What the server generates, where nobody wants to do it by hand, is as it generates it.
fn generated_selector(job: &Value, causes: &mut Vec<Cause>) {
    let spec = &job["spec"];
    if spec["manualSelector"] == true || spec["selector"].is_null() {
        return;
    }
    let (uid, name) = (&job["metadata"]["uid"], &job["metadata"]["name"]);
    let expected = json!({
        "batch.kubernetes.io/controller-uid": uid, "batch.kubernetes.io/job-name": name, "controller-uid": uid, "job-name": name,
    });
    let labels = &spec["template"]["metadata"]["labels"];
    for key in ["controller-uid", "batch.kubernetes.io/controller-uid", "job-name", "batch.kubernetes.io/job-name"] {
        let field = format!("spec.template.metadata.labels[{key}]");
        let wanted = format!("must be '{}'", text(&expected[key]));
        if labels.get(key).is_none() {
            causes.push(Cause::required(&field, &wanted));
        }
        if text(&labels[key]) != text(&expected[key]) {
            causes.push(Cause::invalid(&field, labels, &wanted));
        }
    }
    let selector = &spec["selector"];
    if !template::is_broken(selector) && !LabelSelector::from_object(selector).matches(&expected) {
        causes.push(template::invalid_selector(selector, "`selector` not auto-generated"));
    }
}

/// The spec of a Job with its selector.
fn whole_spec(job: &Value, causes: &mut Vec<Cause>) {
    spec(job, "spec", causes);
    let selector = &job["selector"];
    if selector.is_null() {
        causes.push(Cause::required("spec.selector", ""));
    } else {
        causes.extend(selectors::faults(selector, "spec.selector"));
    }
    if !template::is_broken(selector) {
        template::finds(job, causes);
    }
}

/// Pods of indexed Jobs are named after their index.
fn indexed_name(job: &Value, causes: &mut Vec<Cause>) {
    let (spec, name) = (&job["spec"], &job["metadata"]["name"]);
    if spec["completionMode"] != "Indexed" {
        return;
    }
    let Some(last) = spec["completions"].as_i64().filter(|count| *count > 0).map(|count| count - 1) else { return };
    let hostname = format!("{}-{last}", text(name));
    if !names::label_faults(&hostname).is_empty() {
        let detail = format!("will not able to create pod with invalid DNS label: {hostname}");
        causes.push(Cause::invalid("metadata.name", name, &detail));
    }
}

/// The spec of a Job or of a template of one.
fn spec(job: &Value, path: &str, causes: &mut Vec<Cause>) {
    let counts = ["parallelism", "completions", "activeDeadlineSeconds", "backoffLimit", "ttlSecondsAfterFinished"];
    numbers::none_negative(job, path, &counts, causes);
    numbers::none_negative(job, path, &["backoffLimitPerIndex", "maxFailedIndexes"], causes);
    if !job["maxFailedIndexes"].is_null() && job["backoffLimitPerIndex"].is_null() {
        causes.push(Cause::required(&format!("{path}.backoffLimitPerIndex"), "when maxFailedIndexes is specified"));
    }
    managed_by(&job["managedBy"], path, causes);
    let mode = &job["completionMode"];
    none_or_one_of(&format!("{path}.completionMode"), mode, &["NonIndexed", "Indexed"], causes);
    if mode == "Indexed" {
        indexed(job, path, causes);
    }
    if mode.is_null() || mode == "NonIndexed" {
        for name in ["backoffLimitPerIndex", "maxFailedIndexes"].into_iter().filter(|name| !job[*name].is_null()) {
            causes.push(Cause::invalid(&format!("{path}.{name}"), &job[name], "requires indexed completion mode"));
        }
    }
    job_policy::check(job, path, causes);
    template::template(&job["template"], &format!("{path}.template"), causes);
    restart(job, path, causes);
}

fn managed_by(value: &Value, path: &str, causes: &mut Vec<Cause>) {
    let Some(name) = value.as_str() else { return };
    let field = format!("{path}.managedBy");
    match name.split_once('/') {
        Some((domain, rest)) if !domain.is_empty() && !rest.is_empty() => names::subdomain(&field, domain, causes),
        _ if name.is_empty() => causes.push(Cause::required(&field, "")),
        _ => causes.push(Cause::invalid(&field, value, "must be a domain-prefixed path (such as \"acme.io/foo\")")),
    }
    if name.len() > 63 {
        causes.push(Cause::too_long(&field, 63));
    }
}

/// Limits of indexed Jobs.
fn indexed(job: &Value, path: &str, causes: &mut Vec<Cause>) {
    let number = |name: &str| job[name].as_i64();
    let mut at_most = |name: &str, most: i64, detail: &str| {
        if number(name).is_some_and(|value| value > most) {
            causes.push(Cause::invalid(&format!("{path}.{name}"), &job[name], detail));
        }
    };
    at_most("parallelism", SOFT_LIMIT, "must be less than or equal to 100000 when completion mode is Indexed");
    if let Some(completions) = number("completions") {
        at_most("maxFailedIndexes", completions, "must be less than or equal to completions");
    }
    at_most("maxFailedIndexes", SOFT_LIMIT, "must be less than or equal to 100000");
    let high = number("completions").is_some_and(|count| count > SOFT_LIMIT) && !job["backoffLimitPerIndex"].is_null();
    if high {
        let detail = "must be less than or equal to 10000 when completions are above 100000 and used with backoff limit per index";
        at_most("parallelism", HIGH_PARALLELISM, detail);
        at_most("maxFailedIndexes", HIGH_PARALLELISM, detail);
    }
    if number("completions").is_none() {
        causes.push(Cause::required(&format!("{path}.completions"), "when completion mode is Indexed"));
    }
    if high && number("maxFailedIndexes").is_none() {
        causes.push(Cause::required(&format!("{path}.maxFailedIndexes"), "must be specified when completions is above 100000"));
    }
}

/// Pods of a Job end.
fn restart(job: &Value, path: &str, causes: &mut Vec<Cause>) {
    let restart = &job["template"]["spec"]["restartPolicy"];
    let field = format!("{path}.template.spec.restartPolicy");
    match text(restart) {
        "" | "Always" => causes.push(Cause::required(&field, "valid values: \"OnFailure\", \"Never\"")),
        "Never" => {}
        "OnFailure" if job["podFailurePolicy"].is_null() => {}
        "OnFailure" => causes.push(Cause::invalid(&field, restart, "only \"Never\" is supported when podFailurePolicy is specified")),
        _ => causes.push(unsupported(&field, restart, &["OnFailure", "Never"])),
    }
}

/// Indexed Jobs grow and shrink with their parallelism; others have their completions for good.
fn completions(spec: &Value, before: &Value, causes: &mut Vec<Cause>) {
    let (field, now) = ("spec.completions", &spec["completions"]);
    if before["completions"] == *now {
        return;
    }
    if spec["completionMode"] != "Indexed" {
        causes.push(immutable(field, now));
    } else if !now.is_null() && *now != spec["parallelism"] {
        causes.push(Cause::invalid(field, now, "can only be modified in tandem with spec.parallelism"));
    }
}

/// The template of a Job stays; of one that has not begun, what says where its pods go may change.
fn keeps_template(spec: &Value, before: &Value, status: &Value, causes: &mut Vec<Cause>) {
    let (mut old, mut new) = (before["template"].clone(), spec["template"].clone());
    if before["suspend"] == true && status["startTime"].is_null() {
        for template in [&mut old, &mut new] {
            without_directives(template);
        }
    }
    if old != new {
        causes.push(invalid_structure(template::PATH, ("v1", "PodTemplateSpec"), &spec["template"], "field is immutable"));
    }
}

/// Takes away what says where pods go.
fn without_directives(template: &mut Value) {
    if let Some(metadata) = template.get_mut("metadata").and_then(Value::as_object_mut) {
        metadata.retain(|name, _| name != "labels" && name != "annotations");
    }
    let Some(pods) = template.get_mut("spec").and_then(Value::as_object_mut) else { return };
    pods.retain(|name, _| !["nodeSelector", "tolerations", "schedulingGates"].contains(&name.as_str()));
    if let Some(affinity) = pods.get_mut("affinity").and_then(Value::as_object_mut) {
        affinity.remove("nodeAffinity");
    }
    if pods.get("affinity").is_some_and(is_blank) {
        pods.remove("affinity");
    }
}

/// All rules of a CronJob.
pub(super) fn cron_job(object: &Value, old: Option<&Value>, causes: &mut Vec<Cause>) {
    let (spec, before) = (&object["spec"], old.map(|old| &old["spec"]));
    cron::schedule(spec, before, causes);
    numbers::none_negative(spec, "spec", &["startingDeadlineSeconds"], causes);
    if before.is_none_or(|before| before["timeZone"] != spec["timeZone"]) {
        cron::time_zone(&spec["timeZone"], causes);
    }
    one_of("spec.concurrencyPolicy", &spec["concurrencyPolicy"], &["Allow", "Forbid", "Replace"], causes);
    job_template(&spec["jobTemplate"]["spec"], causes);
    numbers::none_negative(spec, "spec", &["successfulJobsHistoryLimit", "failedJobsHistoryLimit"], causes);
    let name = &object["metadata"]["name"];
    if old.is_none() && text(name).len() > CRON_NAME {
        causes.push(Cause::invalid("metadata.name", name, "must be no more than 52 characters"));
    }
}

fn job_template(job: &Value, causes: &mut Vec<Cause>) {
    let path = "spec.jobTemplate.spec";
    spec(job, path, causes);
    if !job["selector"].is_null() {
        let cause = template::invalid_selector(&job["selector"], "`selector` will be auto-generated");
        causes.push(Cause { field: format!("{path}.selector"), ..cause });
    }
    if job["manualSelector"] == true {
        causes.push(unsupported(&format!("{path}.manualSelector"), &job["manualSelector"], &["nil", "false"]));
    }
}
