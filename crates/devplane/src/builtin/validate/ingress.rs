//! Ingresses and their classes.
//! Source: kubernetes `pkg/apis/networking/validation`.

use serde_json::Value;

use super::{
    addresses,
    faults::{immutable, unsupported},
    names::{self, host, path_segment, subdomain},
    ports,
    reading::{is_blank, items, list, number, text},
    service,
};
use crate::{registry::NameRule, status::Cause};

const CLASS: &str = "kubernetes.io/ingress.class";

/// All rules of an ingress.
pub(super) fn check(object: &Value, old: Option<&Value>, causes: &mut Vec<Cause>) {
    let spec = &object["spec"];
    if list(&spec["rules"]).is_empty() && spec["defaultBackend"].is_null() {
        causes.push(Cause::invalid("spec", &spec["rules"], "either `defaultBackend` or `rules` must be specified"));
    }
    if !spec["defaultBackend"].is_null() {
        backend(&spec["defaultBackend"], "spec.defaultBackend", causes);
    }
    for (index, rule) in items(&spec["rules"]) {
        self::rule(rule, &format!("spec.rules[{index}]"), causes);
    }
    for (index, tls) in items(&spec["tls"]) {
        let at = format!("spec.tls[{index}]");
        for (place, name) in items(&tls["hosts"]) {
            host(&format!("{at}.hosts[{place}]"), text(name), causes);
        }
        if !is_blank(&tls["secretName"]) {
            subdomain(&format!("{at}.secretName"), text(&tls["secretName"]), causes);
        }
    }
    let class = &spec["ingressClassName"];
    if let Some(name) = class.as_str() {
        subdomain("spec.ingressClassName", name, causes);
    }
    let said = &object["metadata"]["annotations"][CLASS];
    if old.is_none() && said.is_string() && class.is_string() && said != class {
        let field = format!("annotations.{CLASS}");
        causes.push(Cause::invalid(&field, said, "must match `ingressClassName` when both are specified"));
    }
}

fn rule(rule: &Value, at: &str, causes: &mut Vec<Cause>) {
    let name = text(&rule["host"]);
    if !name.is_empty() {
        let field = format!("{at}.host");
        if addresses::parse(name).is_some() {
            causes.push(Cause::invalid(&field, &name.into(), "must be a DNS name, not an IP address"));
        }
        host(&field, name, causes);
    }
    if rule["http"].is_null() {
        return;
    }
    let paths = list(&rule["http"]["paths"]);
    if paths.is_empty() {
        causes.push(Cause::required(&format!("{at}.http.paths"), ""));
    }
    for (index, path) in paths.iter().enumerate() {
        self::path(path, &format!("{at}.http.paths[{index}]"), causes);
    }
}

fn path(path: &Value, at: &str, causes: &mut Vec<Cause>) {
    let (kind, place) = (&path["pathType"], text(&path["path"]));
    let field = format!("{at}.path");
    let mut refuse = |why: &str| causes.push(Cause::invalid(&field, &place.into(), why));
    match kind.as_str() {
        None => {
            causes.push(Cause::required(&format!("{at}.pathType"), "pathType must be specified"));
            return;
        }
        Some("Exact" | "Prefix") => {
            if !place.starts_with('/') {
                refuse("must be an absolute path");
            }
            for part in ["//", "/./", "/../", "%2f", "%2F"].into_iter().filter(|part| place.contains(*part)) {
                refuse(&format!("must not contain '{part}'"));
            }
            for part in ["/..", "/."].into_iter().filter(|part| place.ends_with(*part)) {
                refuse(&format!("cannot end with '{part}'"));
            }
        }
        Some("ImplementationSpecific") => {
            if !place.is_empty() && !place.starts_with('/') {
                refuse("must be an absolute path");
            }
        }
        Some(_) => causes.push(unsupported(&format!("{at}.pathType"), kind, &["Exact", "ImplementationSpecific", "Prefix"])),
    }
    backend(&path["backend"], &format!("{at}.backend"), causes);
}

/// Where requests go.
fn backend(backend: &Value, at: &str, causes: &mut Vec<Cause>) {
    let (service, resource) = (&backend["service"], &backend["resource"]);
    let nothing = Value::from("");
    match (service.is_null(), resource.is_null()) {
        (false, false) => causes.push(Cause::invalid(at, &nothing, "cannot set both resource and service backends")),
        (true, true) => causes.push(Cause::invalid(at, &nothing, "resource or service backend is required")),
        (true, false) => reference(resource, &format!("{at}.resource"), causes),
        (false, true) => {
            let name = text(&service["name"]);
            let field = format!("{at}.service.name");
            if name.is_empty() {
                causes.push(Cause::required(&field, ""));
            } else {
                names::of_object(&field, NameRule::Label, name, causes);
            }
            let port = &service["port"];
            match (text(&port["name"]), number(&port["number"])) {
                ("", 0) => causes.push(Cause::required(at, "port name or number is required")),
                ("", _) => ports::number(&format!("{at}.service.port.number"), &port["number"], causes),
                (name, 0) => ports::name(&format!("{at}.service.port.name"), name, causes),
                _ => causes.push(Cause::invalid(at, &nothing, "cannot set both port name & port number")),
            }
        }
    }
}

/// A reference to an object of any kind.
fn reference(reference: &Value, at: &str, causes: &mut Vec<Cause>) {
    if let Some(group) = reference["apiGroup"].as_str() {
        subdomain(&format!("{at}.apiGroup"), group, causes);
    }
    for name in ["kind", "name"] {
        let field = format!("{at}.{name}");
        match text(&reference[name]) {
            "" => causes.push(Cause::required(&field, "")),
            value => path_segment(&field, value, causes),
        }
    }
}

/// What the status of an ingress says of its load balancer.
pub(super) fn status(object: &Value, old: Option<&Value>, causes: &mut Vec<Cause>) {
    let known = service::points_of(old);
    for (index, point) in items(&object["status"]["loadBalancer"]["ingress"]) {
        let at = format!("status.loadBalancer.ingress[{index}]");
        if !is_blank(&point["ip"]) {
            addresses::ip(&format!("{at}.ip"), &point["ip"], &known, causes);
        }
        service::host_name(&format!("{at}.hostname"), point, causes);
    }
}

/// All rules of a class of ingresses.
pub(super) fn class(object: &Value, old: Option<&Value>, causes: &mut Vec<Cause>) {
    let spec = &object["spec"];
    if let Some(old) = old
        && old["spec"]["controller"] != spec["controller"]
    {
        causes.push(immutable("spec.controller", &spec["controller"]));
    }
    controller(text(&spec["controller"]), causes);
    let parameters = &spec["parameters"];
    if parameters.is_null() {
        return;
    }
    reference(parameters, "spec.parameters", causes);
    let (scope, namespace) = (&parameters["scope"], &parameters["namespace"]);
    let field = "spec.parameters.namespace";
    match scope.as_str() {
        None => causes.push(Cause::required("spec.parameters.scope", "")),
        Some("Cluster") if !namespace.is_null() => causes.push(Cause::forbidden(field, "`parameters.scope` is set to 'Cluster'")),
        Some("Cluster") => {}
        Some("Namespace") => match namespace.as_str() {
            None => causes.push(Cause::required(field, "`parameters.scope` is set to 'Namespace'")),
            Some(name) => names::of_object(field, NameRule::Label, name, causes),
        },
        Some(_) => causes.push(unsupported("spec.parameters.scope", scope, &["Cluster", "Namespace"])),
    }
}

/// Who serves a class: a domain and a path.
fn controller(name: &str, causes: &mut Vec<Cause>) {
    const FIELD: &str = "spec.controller";
    if name.len() > 250 {
        causes.push(Cause::too_long(FIELD, 250));
    }
    if name.is_empty() {
        causes.push(Cause::required(FIELD, ""));
        return;
    }
    match name.split_once('/') {
        Some((domain, path)) if !domain.is_empty() && !path.is_empty() => {
            subdomain(FIELD, domain, causes);
            if !path.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"/-._~%!$&'()*+,;=:".contains(&byte)) {
                let why = "Invalid path (regex used for validation is '[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+')";
                causes.push(Cause::invalid(FIELD, &path.into(), why));
            }
        }
        _ => causes.push(Cause::invalid(FIELD, &name.into(), "must be a domain-prefixed path (such as \"acme.io/foo\")")),
    }
}
