//! Checks where a rendered object can be created, after rendering (`domain.md` 1 and 4).

mod refusal;

use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::api::DestinationSpec;
use crate::deferred;
use crate::glob;
use crate::problem::Problem;

pub use refusal::{DestinationMoved, DestinationRefusal};

/// Pattern for namespace names at a Destination without its own.
const DEFAULT_PATTERN: &str = "opm-${hash}";
/// Maximum length of a namespace name.
const LONGEST: usize = 63;

/// Where the objects of one resource are created.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Site<'a> {
    /// The workspace of the request.
    Workspace {
        /// Namespace of the request.
        namespace: &'a str,
    },
    /// A Destination.
    Destination {
        /// Its name.
        name: &'a str,
        /// Its spec.
        spec: &'a DestinationSpec,
        /// The namespace of this request at the Destination, see [`namespace`].
        namespace: &'a str,
    },
}

/// Identity of a request across workspaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Identity<'a> {
    /// Logical cluster id.
    pub cluster: &'a str,
    /// Path of its workspace, for readable names.
    pub workspace: &'a str,
    /// Namespace.
    pub namespace: &'a str,
    /// Name.
    pub name: &'a str,
}

/// Whether a Destination of `owner` serves promises of `home`. Both are paths.
pub fn serves(spec: &DestinationSpec, owner: &str, home: &str) -> bool {
    owner == home || glob::any_path_matches(&spec.allowed_homes, home)
}

/// Whether a promise of `home` can use the Destination for a request of `workspace`. Both are paths. What isn't listed is refused; the
/// Destination's own home can always use it.
///
/// # Errors
/// If it is refused.
pub fn admits(name: &str, spec: &DestinationSpec, owner: &str, home: &str, workspace: &str) -> Result<(), DestinationRefusal> {
    deferred::of_destination(name, spec)?;
    if !serves(spec, owner, home) {
        return Err(DestinationRefusal::HomeNotAllowed { name: name.to_owned(), home: home.to_owned(), owner: owner.to_owned() });
    }
    if !glob::any_path_matches(&spec.allowed_workspaces, workspace) {
        return Err(DestinationRefusal::WorkspaceNotAllowed {
            name: name.to_owned(),
            workspace: workspace.to_owned(),
            owner: owner.to_owned(),
        });
    }
    Ok(())
}

/// Returns the namespace of a request at a Destination. It is readable and unique because it contains a hash of the request's identity.
///
/// # Errors
/// If the pattern doesn't keep requests apart, or doesn't give a valid name.
pub fn namespace(name: &str, spec: &DestinationSpec, request: &Identity<'_>) -> Result<String, DestinationRefusal> {
    let pattern = spec.namespace.as_deref().unwrap_or(DEFAULT_PATTERN);
    if !pattern.contains("${hash}") {
        return Err(DestinationRefusal::SharedNamespace { name: name.to_owned() });
    }
    let digest = Sha256::digest(format!("{}|{}|{}", request.cluster, request.namespace, request.name));
    let hash = &hex::encode(digest)[..10];
    let last = request.workspace.rsplit(':').next().unwrap_or_default();
    let readable = pattern
        .replace("${workspace.name}", last)
        .replace("${workspace.path}", &request.workspace.replace(':', "-"))
        .replace("${request.namespace}", request.namespace)
        .replace("${request.name}", request.name);
    if readable.replace("${hash}", "").contains("${") {
        return Err(DestinationRefusal::UnknownVariable { name: name.to_owned(), pattern: pattern.to_owned() });
    }
    let expanded = readable.replace("${hash}", hash);
    let label = if expanded.len() <= LONGEST {
        expanded
    } else {
        let start: String = readable.replace("${hash}", "").chars().take(LONGEST - 11).collect();
        format!("{start}-{hash}")
    };
    let fine = label.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-');
    let trimmed = label.trim_matches('-').replace("--", "-");
    if fine { Ok(trimmed) } else { Err(DestinationRefusal::InvalidNamespace { name: name.to_owned(), namespace: label }) }
}

/// Sets the namespace of an object of the resource `id`, or returns why it isn't allowed there. `trusted` is whether the promise's home is
/// trusted.
///
/// `namespaced` is whether the kind is namespaced, according to the server.
///
/// # Errors
/// If the object isn't allowed there, with a problem at the resource.
pub fn place(id: &str, mut object: Value, namespaced: bool, site: Site<'_>, trusted: bool) -> Result<Value, Problem> {
    let (group, kind) = group_kind(&object);
    let problem = |message: String| Problem { path: format!(".implementation.resources[{id}]"), message };
    if !trusted && is_powerful(&group, &kind) {
        return Err(problem(format!("{id} creates a {kind}, which is only allowed for promises of trusted homes. Ask the platform team.")));
    }
    let namespace = match site {
        Site::Workspace { namespace } => namespace,
        Site::Destination { name, spec, namespace } => {
            if !allows(spec, &group, &kind) {
                let kind = if group.is_empty() { kind } else { format!("{kind}.{group}") };
                return Err(problem(format!(
                    "{id} creates a {kind}, which the destination {name} doesn't allow. Its owner can add it to allowedKinds."
                )));
            }
            namespace
        }
    };
    let metadata = object.get_mut("metadata").and_then(Value::as_object_mut);
    let metadata = metadata.ok_or_else(|| problem(format!("{id} has no metadata. Give it a name.")))?;
    if namespaced {
        metadata.insert("namespace".to_owned(), namespace.into());
    } else {
        metadata.remove("namespace");
    }
    Ok(object)
}

fn group_kind(object: &Value) -> (String, String) {
    let api_version = object["apiVersion"].as_str().unwrap_or_default();
    let group = api_version.split_once('/').map_or("", |(group, _)| group);
    (group.to_owned(), object["kind"].as_str().unwrap_or_default().to_owned())
}

/// Whether a Destination lists a kind.
pub fn allows(spec: &DestinationSpec, group: &str, kind: &str) -> bool {
    spec.allowed_kinds.iter().any(|allowed| allowed.group == group && allowed.kinds.iter().any(|listed| listed == "*" || listed == kind))
}

/// Whether a kind grants permissions or changes the server itself.
pub(crate) fn is_powerful(group: &str, kind: &str) -> bool {
    matches!(
        group,
        "rbac.authorization.k8s.io" | "admissionregistration.k8s.io" | "apiextensions.k8s.io" | "apis.kcp.io" | "apiregistration.k8s.io"
    ) || (group.is_empty() && kind == "ServiceAccount")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{DestinationRefusal, Identity, Site, admits, namespace, place};
    use crate::api::{AllowedKind, DestinationSpec};

    fn spec() -> DestinationSpec {
        DestinationSpec {
            allowed_homes: vec!["root:teams:*".into()],
            allowed_workspaces: vec!["root:acme:**".into()],
            allowed_kinds: vec![AllowedKind { group: String::new(), kinds: vec!["ConfigMap".into()] }],
            namespace: Some("opm-${workspace.name}-${hash}".into()),
            ..DestinationSpec::default()
        }
    }

    fn identity(name: &str) -> Identity<'_> {
        Identity { cluster: "c1", workspace: "root:acme:shop", namespace: "default", name }
    }

    #[test]
    fn only_what_is_listed_may_use_a_destination() {
        let admits = |home, workspace| admits("eu", &spec(), "root:platform", home, workspace);
        assert_eq!(admits("root:platform", "root:acme:shop"), Ok(()));
        assert_eq!(admits("root:teams:db", "root:acme"), Ok(()));
        assert!(matches!(
            admits("root:globex", "root:acme:shop"),
            Err(DestinationRefusal::HomeNotAllowed { home, owner, .. }) if home == "root:globex" && owner == "root:platform"
        ));
        assert!(matches!(
            admits("root:platform", "root:globex:web"),
            Err(DestinationRefusal::WorkspaceNotAllowed { workspace, .. }) if workspace == "root:globex:web"
        ));
    }

    #[test]
    fn every_request_has_a_namespace_of_its_own() {
        let one = namespace("eu", &spec(), &identity("a")).unwrap();
        assert!(one.starts_with("opm-shop-") && one.len() <= 63, "{one}");
        assert_ne!(one, namespace("eu", &spec(), &identity("b")).unwrap());
        let shared = DestinationSpec { namespace: Some("everybody".into()), ..spec() };
        assert_eq!(namespace("eu", &shared, &identity("a")), Err(DestinationRefusal::SharedNamespace { name: "eu".to_owned() }));
        let unknown = DestinationSpec { namespace: Some("${who}-${hash}".into()), ..spec() };
        assert!(matches!(namespace("eu", &unknown, &identity("a")), Err(DestinationRefusal::UnknownVariable { .. })));
        let upper = DestinationSpec { namespace: Some("OPM-${hash}".into()), ..spec() };
        assert!(matches!(namespace("eu", &upper, &identity("a")), Err(DestinationRefusal::InvalidNamespace { .. })));
        let long = Identity { workspace: "root:a-very-long-name-of-a-workspace-that-nobody-would-want-to-type-twice", ..identity("a") };
        assert!(namespace("eu", &spec(), &long).unwrap().len() <= 63);
    }

    #[test]
    fn objects_go_where_they_may_and_nowhere_else() {
        let spec = spec();
        let there = Site::Destination { name: "eu", spec: &spec, namespace: "opm-x" };
        let config = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a", "namespace": "kube-system"}});
        assert_eq!(place("a", config.clone(), true, there, false).unwrap()["metadata"]["namespace"], "opm-x");
        let secret = json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "a"}});
        assert!(place("a", secret, true, there, true).unwrap_err().message.contains("allowedKinds"));
        let role = json!({"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role", "metadata": {"name": "a"}});
        assert!(place("a", role, true, Site::Workspace { namespace: "default" }, false).unwrap_err().message.contains("trusted"));
    }
}
