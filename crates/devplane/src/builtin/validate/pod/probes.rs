//! How containers are asked whether they are well, and what is done when they start and stop.
//! Source: kubernetes `pkg/apis/core/validation` (`validateProbe`, `validateHandler`).

use serde_json::Value;

use super::super::{
    faults::unsupported,
    numbers, ports,
    reading::{is_blank, items, number, text},
};
use crate::status::Cause;

const HANDLERS: [&str; 5] = ["exec", "httpGet", "tcpSocket", "grpc", "sleep"];

pub(super) fn check(container: &Value, at: &str, grace: Option<i64>, causes: &mut Vec<Cause>) {
    for name in ["livenessProbe", "readinessProbe", "startupProbe"].into_iter().filter(|name| !container[*name].is_null()) {
        let (probe, path) = (&container[name], format!("{at}.{name}"));
        handler(probe, &path, grace, causes);
        let counts = ["initialDelaySeconds", "timeoutSeconds", "periodSeconds", "successThreshold", "failureThreshold"];
        numbers::none_negative(probe, &path, &counts, causes);
        let (own, field) = (&probe["terminationGracePeriodSeconds"], format!("{path}.terminationGracePeriodSeconds"));
        if own.as_i64().is_some_and(|seconds| seconds <= 0) {
            causes.push(Cause::invalid(&field, own, "must be greater than 0"));
        }
        if name == "readinessProbe" {
            if !own.is_null() {
                causes.push(Cause::invalid(&field, own, "must not be set for readinessProbes"));
            }
        } else if probe["successThreshold"] != 1 {
            causes.push(Cause::invalid(&format!("{path}.successThreshold"), &probe["successThreshold"], "must be 1"));
        }
    }
}

/// One handler, and one only.
pub(super) fn handler(handler: &Value, path: &str, grace: Option<i64>, causes: &mut Vec<Cause>) {
    let mut found = false;
    for name in HANDLERS.into_iter().filter(|name| !handler[*name].is_null()) {
        let (action, at) = (&handler[name], format!("{path}.{name}"));
        if found {
            causes.push(Cause::forbidden(&at, "may not specify more than 1 handler type"));
            continue;
        }
        found = true;
        match name {
            "exec" if is_blank(&action["command"]) => causes.push(Cause::required(&format!("{at}.command"), "")),
            "httpGet" => http_get(action, &at, causes),
            "tcpSocket" | "grpc" => port(action, &at, causes),
            "sleep" => sleep(action, &at, grace, causes),
            _ => {}
        }
    }
    if !found {
        causes.push(Cause::required(path, "must specify a handler type"));
    }
}

fn port(action: &Value, path: &str, causes: &mut Vec<Cause>) {
    ports::number_or_name(&format!("{path}.port"), &action["port"], causes);
}

fn http_get(action: &Value, path: &str, causes: &mut Vec<Cause>) {
    if is_blank(&action["path"]) {
        causes.push(Cause::required(&format!("{path}.path"), ""));
    }
    port(action, path, causes);
    if !["HTTP", "HTTPS"].contains(&text(&action["scheme"])) {
        causes.push(unsupported(&format!("{path}.scheme"), &action["scheme"], &["HTTP", "HTTPS"]));
    }
    for (_, header) in items(&action["httpHeaders"]) {
        let name = text(&header["name"]);
        if name.is_empty() || !name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-') {
            let detail = "a valid HTTP header must consist of alphanumeric characters or '-' (e.g. 'X-Header-Name', regex used for \
                          validation is '[-A-Za-z0-9]+')";
            causes.push(Cause::invalid(&format!("{path}.httpHeaders"), &name.into(), detail));
        }
    }
}

fn sleep(action: &Value, path: &str, grace: Option<i64>, causes: &mut Vec<Cause>) {
    let Some(grace) = grace else { return };
    let seconds = number(&action["seconds"]);
    if !(0..=grace).contains(&seconds) {
        let detail = format!("must be non-negative and less than terminationGracePeriodSeconds ({grace})");
        causes.push(Cause::invalid(path, &seconds.into(), &detail));
    }
}
