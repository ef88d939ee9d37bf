//! Paths of requests (apiserver `endpoints/request/requestinfo.go`; kcp's prefixes in front).

use super::query::Query;

/// The prefix of a path: which plane within the plane.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Prefix {
    /// No prefix: plain Kubernetes.
    Sandbox,
    /// `/clusters/<path or id>`.
    Workspace(String),
    /// `/services/apiexport/<cluster>/<export>/clusters/<* or id>`.
    Export {
        /// Segment of the export's cluster.
        provider: String,
        /// Name of the export.
        export: String,
        /// `*` or a cluster.
        consumer: String,
    },
    /// Some other path under `/services`.
    UnknownService,
}

/// Takes the prefix off a path.
pub fn split_prefix(path: &str) -> (Prefix, &str) {
    let Some(rest) = path.strip_prefix("/clusters/") else {
        return match path.strip_prefix("/services/") {
            Some(rest) => split_service(rest),
            None => (Prefix::Sandbox, path),
        };
    };
    let (cluster, rest) = split_segment(rest);
    (Prefix::Workspace(cluster.to_owned()), rest)
}

fn split_service(rest: &str) -> (Prefix, &str) {
    let Some(rest) = rest.strip_prefix("apiexport/") else { return (Prefix::UnknownService, rest) };
    let (provider, rest) = split_segment(rest);
    let (export, rest) = split_segment(rest.trim_start_matches('/'));
    let Some(rest) = rest.strip_prefix("/clusters/") else { return (Prefix::UnknownService, rest) };
    let (consumer, rest) = split_segment(rest);
    (Prefix::Export { provider: provider.into(), export: export.into(), consumer: consumer.into() }, rest)
}

/// The first segment, and the rest with its slash (or `/`).
fn split_segment(path: &str) -> (&str, &str) {
    match path.find('/') {
        Some(at) => (&path[..at], &path[at..]),
        None => (path, "/"),
    }
}

/// A path of resources, taken apart.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ResourcePath {
    /// Group, empty for `/api`.
    pub group: String,
    /// Version.
    pub version: String,
    /// Verb, see [`crate::request::Attributes`]; empty for a method that Kubernetes does not know.
    pub verb: String,
    /// Namespace.
    pub namespace: String,
    /// Plural resource.
    pub resource: String,
    /// Name.
    pub name: String,
    /// Subresource.
    pub subresource: String,
    /// Whether the path goes on after the subresource.
    pub deeper: bool,
}

/// Takes a path (without prefix, decoded as a whole, so that an encoded slash parts segments) apart; none if it is none of resources.
pub fn parse(method: &http::Method, path: &str, query: &Query) -> Option<ResourcePath> {
    let decoded = percent_encoding::percent_decode_str(path).decode_utf8_lossy();
    let mut parts: Vec<&str> = decoded.trim_matches('/').split('/').collect();
    if parts.len() < 3 {
        return None;
    }
    let mut found = ResourcePath::default();
    match parts.remove(0) {
        "api" => {}
        "apis" if parts.len() >= 3 => found.group = parts.remove(0).to_owned(),
        _ => return None,
    }
    found.version = parts.remove(0).to_owned();
    let old_watch = parts.first() == Some(&"watch") && parts.len() > 1;
    if old_watch {
        parts.remove(0);
    }
    found.verb = match method.as_str() {
        _ if old_watch => "watch",
        "POST" => "create",
        "GET" | "HEAD" => "get",
        "PUT" => "update",
        "PATCH" => "patch",
        "DELETE" => "delete",
        _ => "",
    }
    .to_owned();
    if parts.first() == Some(&"namespaces") && parts.len() > 1 {
        found.namespace = parts[1].to_owned();
        if parts.len() > 2 && !["status", "finalize"].contains(&parts[2]) {
            parts.drain(..2);
        }
    }
    let mut rest = parts.into_iter().map(str::to_owned);
    found.resource = rest.next().unwrap_or_default();
    found.name = rest.next().unwrap_or_default();
    found.subresource = rest.next().unwrap_or_default();
    found.deeper = rest.next().is_some();
    if found.name.is_empty() && found.verb == "get" {
        found.verb = if query.flag("watch") { "watch" } else { "list" }.to_owned();
    } else if found.name.is_empty() && found.verb == "delete" {
        found.verb = "deletecollection".to_owned();
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(method: http::Method, path: &str) -> ResourcePath {
        parse(&method, path, &Query::parse("")).expect("a resource path")
    }

    #[test]
    fn a_namespace_is_its_own_resource() {
        let found = of(http::Method::GET, "/api/v1/namespaces/a");
        assert_eq!((found.resource.as_str(), found.namespace.as_str(), found.name.as_str()), ("namespaces", "a", "a"));
        let found = of(http::Method::PUT, "/api/v1/namespaces/a/finalize");
        assert_eq!((found.resource.as_str(), found.subresource.as_str()), ("namespaces", "finalize"));
    }

    #[test]
    fn an_object_in_a_namespace() {
        let found = of(http::Method::DELETE, "/apis/apps/v1/namespaces/a/deployments/b/status");
        assert_eq!((found.group.as_str(), found.resource.as_str(), found.subresource.as_str()), ("apps", "deployments", "status"));
        assert_eq!(of(http::Method::DELETE, "/apis/apps/v1/deployments").verb, "deletecollection");
    }

    #[test]
    fn an_encoded_slash_parts_segments() {
        let found = of(http::Method::GET, "/api/v1/namespaces/a/configmaps/b%2Fc/d");
        assert_eq!((found.name.as_str(), found.subresource.as_str(), found.deeper), ("b", "c", true));
    }

    #[test]
    fn prefixes() {
        assert_eq!(split_prefix("/clusters/root:a/api/v1"), (Prefix::Workspace("root:a".into()), "/api/v1"));
        let export = Prefix::Export { provider: "p".into(), export: "e".into(), consumer: "*".into() };
        assert_eq!(split_prefix("/services/apiexport/p/e/clusters/*/apis/x/v1/y"), (export, "/apis/x/v1/y"));
    }
}
