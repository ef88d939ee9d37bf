//! Where a rendered object may go, checked after rendering (`domain.md` 1 and 4).

use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::api::DestinationSpec;
use crate::deferred;
use crate::error::Problem;
use crate::glob;

/// Name of a namespace at a Destination when its owner gave no pattern.
const DEFAULT_PATTERN: &str = "opm-${hash}";
/// Longest name of a namespace.
const LONGEST: usize = 63;

/// Where the objects of one resource go.
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
        /// The namespace that it gives to this request, see [`namespace`].
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

/// Why nothing is done at a Destination when the one that objects were made at is gone, even if another has its name.
pub fn replaced(name: &str) -> String {
    format!(
        "The destination {name} is no longer the one that this request uses: it was removed, replaced or moved to another home. Nothing is \
         made elsewhere. Restore it, or delete the request and create it again."
    )
}

/// Why nothing is done at a Destination when its credential leads to another cluster than before.
pub fn redirected(name: &str) -> String {
    format!(
        "The credential of the destination {name} leads to another cluster than the one that this request uses. Nothing is made there. \
         Restore the credential, or make a Destination of its own for the new cluster."
    )
}

/// Why nothing is done at a Destination when nothing proves that its credential still leads to the cluster that it led to before.
pub fn unidentified(name: &str) -> String {
    format!(
        "We can't tell which cluster the credential of the destination {name} leads to, because it can't read the namespace kube-system there. \
         Nothing is made there. Restore the former credential, or let the new one get that namespace."
    )
}

/// Why nothing is made at a Destination at which nothing is left of what was made, where nothing else tells whether it is the same cluster.
pub fn vanished(name: &str) -> String {
    format!(
        "None of the objects of this request are left at the destination {name}, and we can't tell whether its credential leads to another \
         cluster now. Nothing is made there. Restore the former credential, or delete the request and create it again."
    )
}

/// Whether a Destination of `owner` serves promises of `home`; both are paths.
pub fn serves(spec: &DestinationSpec, owner: &str, home: &str) -> bool {
    owner == home || glob::any_path_matches(&spec.allowed_homes, home)
}

/// Whether a promise of `home` may use the Destination for a request of `workspace`; both are paths. What is not listed is
/// refused; the Destination's own home may always use it.
///
/// # Errors
/// A sentence that names the list and its owner.
pub fn admits(name: &str, spec: &DestinationSpec, owner: &str, home: &str, workspace: &str) -> Result<(), String> {
    deferred::of_destination(name, spec)?;
    if !serves(spec, owner, home) {
        return Err(format!("The destination {name} does not serve promises of {home}. Its owner, {owner}, can add it to allowedHomes."));
    }
    if !glob::any_path_matches(&spec.allowed_workspaces, workspace) {
        return Err(format!("The destination {name} does not serve {workspace}. Its owner, {owner}, can add it to allowedWorkspaces."));
    }
    Ok(())
}

/// The namespace of a request at a Destination: readable, and its own, because the hash is made of the request's identity.
///
/// # Errors
/// A sentence about a pattern that does not keep requests apart.
pub fn namespace(name: &str, spec: &DestinationSpec, request: &Identity<'_>) -> Result<String, String> {
    let pattern = spec.namespace.as_deref().unwrap_or(DEFAULT_PATTERN);
    if !pattern.contains("${hash}") {
        return Err(format!("The namespace pattern of the destination {name} has to contain ${{hash}}, so that requests stay apart."));
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
        return Err(format!("The namespace pattern of the destination {name} names something unknown: {pattern}."));
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
    if fine {
        Ok(trimmed)
    } else {
        Err(format!("The namespace pattern of the destination {name} gives {label}, which is no name of a namespace."))
    }
}

/// Puts an object of the resource `id` into its place, or says why it must not go there. `trusted` is about the promise's home.
///
/// `namespaced` is what the place says about the kind.
///
/// # Errors
/// A problem at the resource, in a sentence.
pub fn place(id: &str, mut object: Value, namespaced: bool, site: Site<'_>, trusted: bool) -> Result<Value, Problem> {
    let (group, kind) = group_kind(&object);
    let problem = |message: String| Problem { path: format!(".implementation.resources[{id}]"), message };
    if !trusted && is_powerful(&group, &kind) {
        return Err(problem(format!("{id} makes a {kind}, which only promises of trusted homes may. Ask the platform team.")));
    }
    let namespace = match site {
        Site::Workspace { namespace } => namespace,
        Site::Destination { name, spec, namespace } => {
            if !allows(spec, &group, &kind) {
                let kind = if group.is_empty() { kind } else { format!("{kind}.{group}") };
                return Err(problem(format!(
                    "{id} makes a {kind}, which the destination {name} does not allow. Its owner can add it to allowedKinds."
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

/// Kinds that change who may do what, or what a server is.
pub(crate) fn is_powerful(group: &str, kind: &str) -> bool {
    matches!(
        group,
        "rbac.authorization.k8s.io" | "admissionregistration.k8s.io" | "apiextensions.k8s.io" | "apis.kcp.io" | "apiregistration.k8s.io"
    ) || (group.is_empty() && kind == "ServiceAccount")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{Identity, Site, admits, namespace, place};
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
        assert!(admits("root:globex", "root:acme:shop").unwrap_err().contains("allowedHomes"));
        assert!(admits("root:platform", "root:globex:web").unwrap_err().contains("allowedWorkspaces"));
    }

    #[test]
    fn every_request_has_a_namespace_of_its_own() {
        let one = namespace("eu", &spec(), &identity("a")).unwrap();
        assert!(one.starts_with("opm-shop-") && one.len() <= 63, "{one}");
        assert_ne!(one, namespace("eu", &spec(), &identity("b")).unwrap());
        let shared = DestinationSpec { namespace: Some("everybody".into()), ..spec() };
        assert!(namespace("eu", &shared, &identity("a")).unwrap_err().contains("${hash}"));
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
