//! What stands in the cells of built-in kinds (kubernetes `pkg/printers/internalversion/printers.go`).

mod cluster;
mod pod;

use std::collections::BTreeSet;

use jiff::Timestamp;
use serde_json::Value;

use super::age;
pub(super) use cluster::{
    class_parameters, event_count, event_source, metrics, node_address, node_kernel, node_roles, slice_endpoints, slice_ports,
};
pub(super) use pod::{pod_address, pod_gates, pod_ready, pod_restarts, pod_status};

/// How many parts of a long list are shown.
const SHOWN: usize = 3;

pub(super) fn text(value: &Value) -> Value {
    match value {
        Value::String(text) => text.clone().into(),
        Value::Null => "".into(),
        other => other.to_string().into(),
    }
}

pub(super) fn or_none(value: &Value) -> Value {
    or(value, "<none>")
}

/// A value as text, or this word where there is none.
pub(super) fn or(value: &Value, word: &str) -> Value {
    let shown = text(value);
    if shown == "" { word.into() } else { shown }
}

pub(super) fn count(value: &Value) -> usize {
    value.as_object().map(serde_json::Map::len).or_else(|| value.as_array().map(Vec::len)).unwrap_or(0)
}

pub(super) fn number(value: &Value) -> i64 {
    value.as_i64().unwrap_or(0)
}

pub(super) fn flag(value: &Value) -> Value {
    (*value == true).into()
}

/// Time since then, `<unknown>` without a time.
pub(super) fn since(value: &Value, now: Timestamp) -> Value {
    age::of(value.as_str().unwrap_or_default(), now).into()
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map(Vec::as_slice).unwrap_or_default()
}

/// The texts of a field of each item, with commas between.
pub(super) fn joined(items: &Value, field: &str) -> Value {
    list(items).iter().map(|item| item[field].as_str().unwrap_or_default()).collect::<Vec<_>>().join(",").into()
}

/// A map of labels, `a=b,c=d`.
fn labels(map: &Value) -> String {
    let pairs = map.as_object().into_iter().flatten();
    pairs.map(|(key, value)| format!("{key}={}", value.as_str().unwrap_or_default())).collect::<Vec<_>>().join(",")
}

/// A selector, as a map of labels or with expressions.
pub(super) fn selector(value: &Value) -> Value {
    let structured = value.get("matchLabels").is_some() || value.get("matchExpressions").is_some();
    let mut terms = vec![labels(if structured { &value["matchLabels"] } else { value })];
    for term in list(&value["matchExpressions"]) {
        let key = term["key"].as_str().unwrap_or_default();
        let values = list(&term["values"]).iter().filter_map(Value::as_str).collect::<Vec<_>>().join(",");
        terms.push(match term["operator"].as_str().unwrap_or_default() {
            "In" => format!("{key} in ({values})"),
            "NotIn" => format!("{key} notin ({values})"),
            "DoesNotExist" => format!("!{key}"),
            _ => key.to_owned(),
        });
    }
    terms.retain(|term| !term.is_empty());
    or_none(&terms.join(",").into())
}

pub(super) fn data(object: &Value) -> Value {
    (count(&object["data"]) + count(&object["binaryData"])).into()
}

pub(super) fn ready(object: &Value) -> Value {
    format!("{}/{}", number(&object["status"]["readyReplicas"]), number(&object["spec"]["replicas"])).into()
}

pub(super) fn service_ports(object: &Value) -> Value {
    let port = |port: &Value| {
        let protocol = port["protocol"].as_str().unwrap_or_default();
        match number(&port["nodePort"]) {
            0 => format!("{}/{protocol}", number(&port["port"])),
            node => format!("{}:{node}/{protocol}", number(&port["port"])),
        }
    };
    or_none(&list(&object["spec"]["ports"]).iter().map(port).collect::<Vec<_>>().join(",").into())
}

/// The addresses that a load balancer has been given, each once and in order.
fn balancer(object: &Value) -> String {
    let address = |entry: &Value| entry["ip"].as_str().or(entry["hostname"].as_str()).unwrap_or_default().to_owned();
    let all: BTreeSet<String> = list(&object["status"]["loadBalancer"]["ingress"]).iter().map(address).collect();
    all.into_iter().collect::<Vec<_>>().join(",")
}

pub(super) fn external_address(object: &Value) -> Value {
    let own = list(&object["spec"]["externalIPs"]).iter().filter_map(Value::as_str).collect::<Vec<_>>().join(",");
    match object["spec"]["type"].as_str() {
        Some("ExternalName") => or_none(&object["spec"]["externalName"]),
        Some("LoadBalancer") => {
            let all: Vec<String> = [balancer(object), own].into_iter().filter(|part| !part.is_empty()).collect();
            or(&all.join(",").into(), "<pending>")
        }
        _ => or_none(&own.into()),
    }
}

pub(super) fn ingress_address(object: &Value) -> Value {
    balancer(object).into()
}

/// Hosts of rules, three at most.
pub(super) fn ingress_hosts(object: &Value) -> Value {
    let (mut hosts, mut more) = (Vec::new(), false);
    let rules = list(&object["spec"]["rules"]);
    for rule in rules {
        more |= hosts.len() == SHOWN;
        let host = rule["host"].as_str().unwrap_or_default();
        if !more && !host.is_empty() {
            hosts.push(host);
        }
    }
    match (hosts.is_empty(), more) {
        (true, _) => "*".into(),
        (false, true) => format!("{} + {} more...", hosts.join(","), rules.len() - SHOWN).into(),
        (false, false) => hosts.join(",").into(),
    }
}

/// How many pods have succeeded, of how many. A work queue wants one, and says how many work on it.
pub(super) fn completions(object: &Value) -> Value {
    let (succeeded, spec) = (number(&object["status"]["succeeded"]), &object["spec"]);
    match (spec["completions"].as_i64(), number(&spec["parallelism"])) {
        (Some(wanted), _) => format!("{succeeded}/{wanted}").into(),
        (None, parallel) if parallel > 1 => format!("{succeeded}/1 of {parallel}").into(),
        (None, _) => format!("{succeeded}/1").into(),
    }
}

pub(super) fn job_status(object: &Value) -> Value {
    let is = |kind: &str| list(&object["status"]["conditions"]).iter().any(|own| own["type"] == kind && own["status"] == "True");
    let first = |kinds: &[&'static str]| kinds.iter().copied().find(|kind| is(kind));
    let leaving = || (!object["metadata"]["deletionTimestamp"].is_null()).then_some("Terminating");
    let known = first(&["Complete", "Failed"]).or_else(leaving);
    known.or_else(|| first(&["Suspended", "FailureTarget", "SuccessCriteriaMet"])).unwrap_or("Running").into()
}

pub(super) fn job_duration(object: &Value, now: Timestamp) -> Value {
    let status = &object["status"];
    if status["startTime"].is_null() {
        return "".into();
    }
    let end = status["completionTime"].as_str().and_then(|time| time.parse().ok()).unwrap_or(now);
    since(&status["startTime"], end)
}

pub(super) fn role(object: &Value) -> Value {
    reference(&object["roleRef"])
}

/// `Kind/name` of a reference.
pub(super) fn reference(reference: &Value) -> Value {
    format!("{}/{}", reference["kind"].as_str().unwrap_or_default(), reference["name"].as_str().unwrap_or_default()).into()
}

/// The subjects of a kind; service accounts with their namespace.
pub(super) fn subjects(object: &Value, kind: &str) -> Value {
    let name = |subject: &Value| {
        let name = subject["name"].as_str().unwrap_or_default();
        if kind == "ServiceAccount" { format!("{}/{name}", subject["namespace"].as_str().unwrap_or_default()) } else { name.to_owned() }
    };
    let own = list(&object["subjects"]).iter().filter(|subject| subject["kind"] == kind);
    own.map(name).collect::<Vec<_>>().join(", ").into()
}

/// Modes in an order of their own, each once.
pub(super) fn access_modes(modes: &Value) -> Value {
    let known = [("ReadWriteOnce", "RWO"), ("ReadOnlyMany", "ROX"), ("ReadWriteMany", "RWX"), ("ReadWriteOncePod", "RWOP")];
    let given = known.into_iter().filter(|(mode, _)| list(modes).iter().any(|own| own == mode));
    given.map(|(_, short)| short).collect::<Vec<_>>().join(",").into()
}

/// The phase of a claim or a volume, unless it is on its way out.
pub(super) fn volume_phase(object: &Value) -> Value {
    if object["metadata"]["deletionTimestamp"].is_null() { text(&object["status"]["phase"]) } else { "Terminating".into() }
}

/// What a claim has been given, which is nothing while it has no volume.
pub(super) fn granted<'v>(claim: &'v Value, field: &str) -> &'v Value {
    let bound = claim["spec"]["volumeName"].as_str().is_some_and(|name| !name.is_empty());
    if bound { &claim["status"][field] } else { &Value::Null }
}

/// `apiVersion/kind` of the parameters of a policy.
pub(super) fn parameter_kind(object: &Value) -> Value {
    let kind = &object["spec"]["paramKind"];
    if kind.is_null() {
        return "<unset>".into();
    }
    format!("{}/{}", kind["apiVersion"].as_str().unwrap_or_default(), kind["kind"].as_str().unwrap_or_default()).into()
}

/// Which parameters a binding names, with their namespace if it says one.
pub(super) fn parameter_reference(object: &Value) -> Value {
    let reference = &object["spec"]["paramRef"];
    let said = |field: &str| reference[field].as_str().unwrap_or_default();
    match (said("namespace"), said("name")) {
        (_, "") => "<unset>".into(),
        ("", name) => name.into(),
        (namespace, name) => format!("{namespace}/{name}").into(),
    }
}

pub(super) fn claim_of(object: &Value) -> Value {
    let claim = &object["spec"]["claimRef"];
    if claim.is_null() {
        "".into()
    } else {
        format!("{}/{}", claim["namespace"].as_str().unwrap_or_default(), claim["name"].as_str().unwrap_or_default()).into()
    }
}

pub(super) fn node_status(object: &Value) -> Value {
    let ready = list(&object["status"]["conditions"]).iter().find(|own| own["type"] == "Ready");
    let mut status = match ready {
        Some(condition) if condition["status"] == "True" => "Ready".to_owned(),
        Some(_) => "NotReady".to_owned(),
        None => "Unknown".to_owned(),
    };
    if object["spec"]["unschedulable"] == true {
        status.push_str(",SchedulingDisabled");
    }
    status.into()
}

/// `count/configmaps: 1/10` of a quota, for limits or for all else.
pub(super) fn quota(object: &Value, limits: bool) -> Value {
    let hard = object["status"]["hard"].as_object();
    let own = hard.into_iter().flatten().filter(|(name, _)| name.starts_with("limits.") == limits);
    let used = |name: &str| text(&object["status"]["used"][name]).as_str().filter(|used| !used.is_empty()).unwrap_or("0").to_owned();
    own.map(|(name, hard)| format!("{name}: {}/{}", used(name), text(hard).as_str().unwrap_or_default()))
        .collect::<Vec<_>>()
        .join(", ")
        .into()
}

/// Addresses of endpoints with their ports, three at most.
pub(super) fn endpoint_addresses(object: &Value) -> Value {
    let subsets = list(&object["subsets"]);
    if subsets.is_empty() {
        return "<none>".into();
    }
    let mut shown = Vec::new();
    for subset in subsets {
        let addresses: Vec<&str> = list(&subset["addresses"]).iter().map(|address| address["ip"].as_str().unwrap_or_default()).collect();
        let ports = list(&subset["ports"]);
        if ports.is_empty() {
            shown.extend(addresses.iter().map(|ip| (*ip).to_owned()));
        }
        for port in ports {
            let port = number(&port["port"]);
            // Those with colons of their own stand in brackets.
            let with_port = |ip: &&str| if ip.contains(':') { format!("[{ip}]:{port}") } else { format!("{ip}:{port}") };
            shown.extend(addresses.iter().map(with_port));
        }
    }
    match shown.get(..SHOWN) {
        Some(first) if shown.len() > SHOWN => format!("{} + {} more...", first.join(","), shown.len() - SHOWN).into(),
        _ => shown.join(",").into(),
    }
}

/// What an event is about, `kind/name`.
pub(super) fn event_object(object: &Value) -> Value {
    let about = if object["regarding"].is_null() { &object["involvedObject"] } else { &object["regarding"] };
    let kind = about["kind"].as_str().unwrap_or_default().to_lowercase();
    format!("{kind}/{}", about["name"].as_str().unwrap_or_default()).into()
}

/// The first of these fields that an event has: its two groups name them differently.
pub(super) fn first<'v>(object: &'v Value, names: &[&str]) -> &'v Value {
    let found = names.iter().map(|name| &object[*name]).find(|value| !value.is_null());
    found.unwrap_or(&Value::Null)
}
