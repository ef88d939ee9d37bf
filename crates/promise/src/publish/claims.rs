//! What can be created next to a request on kcp: the kinds that the APIExports claim, and requests themselves.

use serde_json::Value;

use crate::api::PromiseSpec;
use crate::names;
use crate::problem::Problem;

/// Kinds of the core group, version v1, that workspaces let the controller create for promises: kind, plural, whether they are namespaced.
pub const CLAIMED: [(&str, &str, bool); 3] =
    [("ConfigMap", "configmaps", true), ("Namespace", "namespaces", false), ("Secret", "secrets", true)];

/// Returns the names of [`CLAIMED`], for sentences.
pub fn claimed_kinds() -> String {
    CLAIMED.map(|(kind, ..)| kind).join(", ")
}

/// Returns the resources without a destination that no workspace of a kcp allows to be created. On plain Kubernetes, the roles of a
/// namespace decide what can be created in it.
pub fn unclaimed(spec: &PromiseSpec) -> Vec<Problem> {
    let beside = spec.implementation.resources.iter().enumerate().filter(|(_, resource)| resource.destination.is_none());
    let problem = |(index, template): (usize, &Value)| {
        let text = |name: &str| template.get(name).and_then(Value::as_str).unwrap_or_default();
        let (api_version, kind) = (text("apiVersion"), text("kind"));
        let own = api_version.split('/').next() == Some(names::GROUP) && kind == "PromiseRequest";
        // An invalid kind is reported with the rest of the template.
        if own || kind.is_empty() || api_version.is_empty() || (api_version == "v1" && CLAIMED.iter().any(|(claimed, ..)| *claimed == kind))
        {
            return None;
        }
        Some(Problem {
            path: format!(".implementation.resources[{index}].destination"),
            message: format!(
                "Name a destination for the {kind}: in a workspace, only {} and PromiseRequest can be created.",
                claimed_kinds()
            ),
        })
    };
    beside.filter_map(|(index, resource)| Some((index, resource.template.as_ref()?))).filter_map(problem).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::unclaimed;
    use crate::api::PromiseSpec;

    #[test]
    fn what_no_claim_allows_needs_a_destination() {
        let resource = |id: &str, api_version: &str, kind: &str, destination: Option<&str>| {
            json!({
                "id": id, "destination": destination,
                "template": {"apiVersion": api_version, "kind": kind, "metadata": {"name": "${request.name}"}},
            })
        };
        let spec: PromiseSpec = serde_json::from_value(json!({
            "version": "1.0.0",
            "implementation": {"resources": [
                resource("a", "v1", "ConfigMap", None),
                resource("b", "platform.opmodel.dev/v1alpha1", "PromiseRequest", None),
                resource("c", "tenancy.kcp.io/v1alpha1", "Workspace", None),
                resource("d", "apps/v1", "Deployment", Some("eu-1")),
                resource("e", "v1", "Event", None),
                resource("f", "example.dev/v1", "Secret", None),
            ]},
        }))
        .unwrap();
        let found = unclaimed(&spec);
        let paths: Vec<&str> = found.iter().map(|problem| problem.path.as_str()).collect();
        assert_eq!(paths, [2, 4, 5].map(|index| format!(".implementation.resources[{index}].destination")));
        assert!(found[0].message.contains("Workspace"), "{found:?}");
    }
}
