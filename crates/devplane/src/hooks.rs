//! How a webhook is reached, and which reviews it reads: the same rules for conversion and for admission.
//! Source: apiserver `pkg/util/webhook/validation.go`.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::{
    definitions::label_fault,
    objects::metadata::{Unit, subdomain_faults},
    status::Cause,
};

/// The versions of reviews that the API server sends.
pub const REVIEWS: [&str; 2] = ["v1", "v1beta1"];

/// What is wrong with the address of a webhook, at this field.
pub fn url(field: &str, url: &str, causes: &mut Vec<Cause>) {
    const FORM: &str = "; desired format: https://host[/path]";
    let mut refuse = |value: &str, why: &str| causes.push(Cause::invalid(field, &value.into(), why));
    let (rest, fragment) = url.split_once('#').unwrap_or((url, ""));
    let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
    let (scheme, rest) = match rest.split_once(':') {
        Some((scheme, rest)) if !scheme.contains('/') => (scheme.to_lowercase(), rest),
        _ => (String::new(), rest),
    };
    let authority = rest.strip_prefix("//").and_then(|rest| rest.split('/').next()).unwrap_or_default();
    let (user, host) = authority.rsplit_once('@').map_or((None, authority), |(user, host)| (Some(user), host));
    if scheme != "https" {
        refuse(&scheme, &format!("'https' is the only allowed URL scheme{FORM}"));
    }
    if host.is_empty() {
        refuse("", &format!("host must be specified{FORM}"));
    }
    if let Some(user) = user {
        refuse(user, "user information is not permitted in the URL");
    }
    if !fragment.is_empty() {
        refuse(fragment, "fragments are not permitted in the URL");
    }
    if !query.is_empty() {
        refuse(query, "query parameters are not permitted in the URL");
    }
}

/// What is wrong with the service that answers for a webhook, at this field.
pub fn service(field: &str, service: &Value, causes: &mut Vec<Cause>) {
    for name in ["name", "namespace"] {
        if service[name].as_str().unwrap_or_default().is_empty() {
            causes.push(Cause::required(&format!("{field}.{name}"), &format!("service {name} is required")));
        }
    }
    if service["port"].as_i64().is_some_and(|port| !(1..=65535).contains(&port)) {
        let why = "port is not valid: must be between 1 and 65535, inclusive";
        causes.push(Cause::invalid(&format!("{field}.port"), &service["port"], why));
    }
    let path = service["path"].as_str().unwrap_or_default();
    let mut refuse = |why: &str| causes.push(Cause::invalid(&format!("{field}.path"), &path.into(), why));
    if path.is_empty() || path == "/" {
        return;
    }
    if path == "//" {
        return refuse("segment[0] may not be empty");
    }
    if !path.starts_with('/') {
        refuse("must start with a '/'");
    }
    // The first character is left out whatever it is.
    let steps = path.get(1..).unwrap_or_default();
    for (index, step) in steps.strip_suffix('/').unwrap_or(steps).split('/').enumerate() {
        if step.is_empty() {
            refuse(&format!("segment[{index}] may not be empty"));
            continue;
        }
        for fault in subdomain_faults(step, Unit::Characters) {
            refuse(&format!("segment[{index}]: {fault}"));
        }
    }
}

/// What is wrong with the versions of reviews that a webhook reads, at this field; there is at least one.
pub fn review_versions(field: &str, versions: &Value, causes: &mut Vec<Cause>) {
    let mut seen = BTreeSet::new();
    for (index, version) in versions.as_array().into_iter().flatten().enumerate() {
        let (at, said) = (format!("{field}[{index}]"), version.as_str().unwrap_or_default());
        if !seen.insert(said) {
            causes.push(Cause::invalid(&at, version, "duplicate version"));
        } else if let Some(fault) = label_fault(said) {
            causes.push(Cause::invalid(&at, version, &fault));
        }
    }
    if !REVIEWS.iter().any(|known| seen.contains(known)) {
        causes.push(Cause::invalid(field, versions, &format!("must include at least one of {}", REVIEWS.join(", "))));
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::status::told;

    #[test]
    fn a_service_has_a_name_a_port_and_a_path() {
        let faults = |value: Value| told(|causes| service("s", &value, causes));
        assert_eq!(faults(json!({"name": "a", "namespace": "b", "path": "/x/y/", "port": 443})), Vec::<String>::new());
        assert_eq!(
            faults(json!({"namespace": "b", "path": "/x//y", "port": 0})),
            [
                "s.name: Required value: service name is required",
                "s.port: Invalid value: 0: port is not valid: must be between 1 and 65535, inclusive",
                "s.path: Invalid value: \"/x//y\": segment[1] may not be empty",
            ]
        );
    }

    #[test]
    fn an_address_is_one_of_https() {
        let faults = |address: &str| told(|causes| url("u", address, causes));
        let scheme = "u: Invalid value: \"http\": 'https' is the only allowed URL scheme; desired format: https://host[/path]";
        assert_eq!(faults("http://x.example"), [scheme]);
        assert_eq!(faults("https://x.example/a"), Vec::<String>::new());
    }
}
