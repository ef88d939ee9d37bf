//! Whether the spec of an Endpoint is well-formed.

use super::{EndpointUrl, IDEMPOTENCY_KEY, path};
use crate::address::Network;
use crate::api::{AuthorizationType, EndpointSpec};
use crate::problem::Problem;

/// Headers that a credential can't be sent in, because they are ours or concern the connection.
const OWN_HEADERS: [&str; 14] = [
    "accept",
    "connection",
    "content-encoding",
    "content-length",
    "content-type",
    "expect",
    "host",
    IDEMPOTENCY_KEY,
    "keep-alive",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
    "user-agent",
];

/// Returns everything that keeps an Endpoint from being called. Its credential isn't checked here.
pub fn check(spec: &EndpointSpec) -> Vec<Problem> {
    let mut problems = Vec::new();
    let mut wrong = |path: &str, message: String| problems.push(Problem { path: path.to_owned(), message });
    match EndpointUrl::parse(&spec.url) {
        Err(why) => wrong(".url", format!("The URL can't be used: {why}.")),
        Ok(url) if !url.encrypted => {
            if spec.addresses.is_empty() {
                wrong(".url", "Use https, or list the addresses of the host in addresses.".to_owned());
            }
            if spec.ca_bundle.is_some() {
                wrong(".caBundle", "Use https in url, or leave out caBundle.".to_owned());
            }
        }
        Ok(_) => {}
    }
    if spec.paths.is_empty() {
        wrong(".paths", "List at least one path, such as /tickets/*.".to_owned());
    }
    for (index, pattern) in spec.paths.iter().enumerate() {
        if let Err(why) = path::read(pattern) {
            wrong(&format!(".paths[{index}]"), format!("The pattern can't match a path: {why}."));
        }
    }
    for (index, network) in spec.addresses.iter().enumerate() {
        if Network::parse(network).is_none() {
            wrong(&format!(".addresses[{index}]"), format!("{network} isn't a network; write it like 10.1.0.0/16."));
        }
    }
    if spec.ca_bundle.as_ref().is_some_and(|bundle| !bundle.contains("-----BEGIN CERTIFICATE-----")) {
        wrong(".caBundle", "Add at least one certificate in PEM format.".to_owned());
    }
    let Some(authorization) = &spec.authorization else { return problems };
    if spec.secret_ref.is_none() {
        wrong(".secretRef", "Name the Secret with the credential, or leave out authorization.".to_owned());
    }
    match (authorization.r#type, &authorization.header) {
        (AuthorizationType::Header, Some(name)) if !is_header(name) => {
            wrong(".authorization.header", format!("{name} can't be the header of a credential; choose one like X-Api-Key."));
        }
        (AuthorizationType::Header, None) => wrong(".authorization.header", "Name the header, such as X-Api-Key.".to_owned()),
        (AuthorizationType::Bearer | AuthorizationType::Basic, Some(_)) => {
            wrong(".authorization.header", "Only the type header has a header; leave it out.".to_owned());
        }
        _ => {}
    }
    let has_key = spec.secret_ref.as_ref().is_some_and(|reference| reference.key.is_some());
    if authorization.r#type == AuthorizationType::Basic && has_key {
        wrong(".secretRef.key", "The type basic always reads the keys username and password; leave it out.".to_owned());
    }
    problems
}

fn is_header(name: &str) -> bool {
    let is_token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    let lower = name.to_ascii_lowercase();
    !name.is_empty() && name.bytes().all(is_token) && !OWN_HEADERS.contains(&lower.as_str()) && !lower.starts_with("proxy-")
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::check;

    /// Paths of the problems of an Endpoint that differs in these fields from a valid one.
    fn problems(changes: Value) -> Vec<String> {
        let mut spec = json!({
            "url": "https://tickets.example.org", "paths": ["/tickets/*"], "secretRef": {"namespace": "opm-system", "name": "tickets"},
        });
        merge(&mut spec, &changes);
        check(&serde_json::from_value(spec).unwrap()).into_iter().map(|problem| problem.path).collect()
    }

    fn merge(into: &mut Value, changes: &Value) {
        for (name, change) in changes.as_object().unwrap() {
            match change {
                Value::Object(_) if into[name].is_object() => merge(&mut into[name], change),
                change => into[name] = change.clone(),
            }
        }
    }

    #[test]
    fn what_keeps_an_endpoint_from_being_called_is_named() {
        let basic = json!({"type": "basic"});
        let header = |name: &str| json!({"authorization": {"type": "header", "header": name}});
        for (changes, paths) in [
            (json!({}), &[][..]),
            (json!({"secretRef": null}), &[]),
            (json!({"authorization": {}}), &[]),
            (json!({"authorization": basic}), &[]),
            (header("X-Api-Key"), &[]),
            (header("Authorization"), &[]),
            (json!({"url": "http://tickets", "addresses": ["10.0.0.0/8"]}), &[]),
            (json!({"url": "http://tickets"}), &[".url"]),
            (json!({"url": "https://a:b@tickets"}), &[".url"]),
            (json!({"paths": []}), &[".paths"]),
            (json!({"paths": ["/a", "b", "/a/../b", "/a?b=*"]}), &[".paths[1]", ".paths[2]", ".paths[3]"]),
            (json!({"addresses": ["10.0.0.0/8", "10.0.0.1"]}), &[".addresses[1]"]),
            (json!({"caBundle": "x"}), &[".caBundle"]),
            (json!({"url": "http://a", "addresses": ["10.0.0.0/8"], "caBundle": "-----BEGIN CERTIFICATE-----"}), &[".caBundle"]),
            (json!({"authorization": basic, "secretRef": null}), &[".secretRef"]),
            (json!({"authorization": basic, "secretRef": {"key": "a"}}), &[".secretRef.key"]),
            (json!({"authorization": {"type": "header"}}), &[".authorization.header"]),
            (json!({"authorization": {"header": "X-Api-Key"}}), &[".authorization.header"]),
            (header("Host"), &[".authorization.header"]),
            (header("Idempotency-Key"), &[".authorization.header"]),
            (header("Transfer-Encoding"), &[".authorization.header"]),
            (header("Proxy-Authorization"), &[".authorization.header"]),
            (header("X-Api-Key: a"), &[".authorization.header"]),
            (header(""), &[".authorization.header"]),
        ] {
            assert_eq!(problems(changes.clone()), paths, "{changes}");
        }
    }
}
