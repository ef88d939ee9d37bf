//! Workspace types: the built-in ones, inheritance, and which type may lie in which.
//! Source: kcp `pkg/admission/workspacetypeexists`, `config/{root,universal}` for the built-in types.

use serde_json::{Value, json};

use super::{TYPE, logical_cluster, resolve, told_path};
use crate::chains::{self, Reached};
use crate::kinds::{TENANCY, WORKSPACE_TYPES};
use crate::store::Key;
use crate::{ClusterId, State};

/// How many types a type can extend, those that they extend included.
pub const MOST_EXTENDED: usize = 64;

/// A type with everything it inherits.
#[derive(Debug, Clone, PartialEq)]
pub struct Type {
    /// `root:organization`.
    pub name: String,
    /// Its own name, then those it extends.
    pub implements: Vec<String>,
    /// Names of initializers that must finish before a workspace is ready.
    pub initializers: Vec<String>,
    /// Exports that are bound in each workspace, (path, name).
    pub default_bindings: Vec<(String, String)>,
    /// Labels of each workspace.
    pub labels: Vec<(String, Value)>,
    /// Whether all that it extends is in it; not so if that is more than [`MOST_EXTENDED`].
    pub is_complete: bool,
    spec: Value,
}

/// The objects of the built-in types.
pub fn built_in() -> Vec<Value> {
    let of = |name: &str| json!({"name": name, "path": "root"});
    let exports = json!([{"path": "root", "export": "tenancy.kcp.io"}, {"path": "root", "export": "topology.kcp.io"}]);
    let extends = json!({"with": [of("universal")]});
    let specs = [
        ("root", json!({"extend": extends, "defaultChildWorkspaceType": of("organization"), "limitAllowedParents": {"none": true}})),
        ("universal", json!({"initializer": true, "defaultChildWorkspaceType": of("universal"), "defaultAPIBindings": exports})),
        (
            "organization",
            json!({"extend": extends, "defaultChildWorkspaceType": of("universal"), "limitAllowedParents": {"types": [of("root")]}}),
        ),
        (
            "team",
            json!({"extend": extends, "defaultChildWorkspaceType": of("universal"), "limitAllowedParents": {"types": [of("organization"), of("team")]}}),
        ),
        ("home", json!({"extend": extends, "defaultChildWorkspaceType": of("universal"), "limitAllowedParents": {"none": true}})),
    ];
    specs
        .into_iter()
        .map(|(name, spec)| {
            let metadata = json!({"name": name, "generation": 1, "annotations": {"kcp.io/path": "root"}});
            json!({"apiVersion": format!("{TENANCY}/v1alpha1"), "kind": "WorkspaceType", "metadata": metadata, "spec": spec})
        })
        .collect()
}

impl Type {
    /// The type that a reference `{name, path}` names.
    pub fn load(state: &State, path: &str, name: &str) -> Option<Self> {
        let Reached { found: seen, is_complete } = collect(state, path, name);
        let mut found = Self {
            name: format!("{path}:{name}"),
            implements: Vec::new(),
            initializers: Vec::new(),
            default_bindings: Vec::new(),
            labels: Vec::new(),
            is_complete,
            spec: seen.first()?.1.clone(),
        };
        for ((path, name), spec) in &seen {
            let name = &format!("{path}:{name}");
            if spec["initializer"] == true {
                found.initializers.push(name.clone());
            }
            for binding in spec["defaultAPIBindings"].as_array().into_iter().flatten() {
                let export = (text(&binding["path"]), text(&binding["export"]));
                if !found.default_bindings.contains(&export) {
                    found.default_bindings.push(export);
                }
            }
            let labels = spec["additionalWorkspaceLabels"].as_object().into_iter().flatten();
            found.labels.extend(labels.map(|(key, value)| (key.clone(), value.clone())));
            found.implements.push(name.clone());
        }
        Some(found)
    }

    /// The type of a workspace, as the plane noted it when it made the workspace.
    pub fn of_workspace(state: &State, cluster: &ClusterId) -> Option<Self> {
        let noted = text(&logical_cluster(state, cluster)?["metadata"]["annotations"][TYPE]);
        let (path, name) = noted.rsplit_once(':')?;
        Self::load(state, path, name)
    }

    /// The type of children for which none is said.
    pub fn default_child(&self) -> Value {
        match &self.spec["defaultChildWorkspaceType"] {
            Value::Null => json!({"name": "universal", "path": "root"}),
            said => said.clone(),
        }
    }

    /// Why a workspace of this type must not lie in one of the type `parent`, if so.
    pub fn refused_in(&self, parent: &Self) -> Option<String> {
        let parents = &self.spec["limitAllowedParents"];
        let children = &parent.spec["limitAllowedChildren"];
        if parents["none"] == true {
            return Some(format!("workspace type {} cannot be nested in other workspaces", self.name));
        }
        if children["none"] == true {
            return Some(format!("workspace type {} cannot have child workspaces", parent.name));
        }
        let limit = |limits: &Value, implemented: &[String]| {
            let allowed: Vec<String> =
                limits["types"].as_array()?.iter().map(|item| format!("{}:{}", text(&item["path"]), text(&item["name"]))).collect();
            (!allowed.iter().any(|name| implemented.contains(name))).then_some(allowed)
        };
        let list = |names: &[String]| format!("[{}]", names.join(" "));
        if let Some(allowed) = limit(parents, &parent.implements) {
            return Some(format!(
                "workspace type {} only allows {} parent workspaces, but parent type {} only implements {}",
                self.name,
                list(&allowed),
                parent.name,
                list(&parent.implements)
            ));
        }
        limit(children, &self.implements).map(|allowed| {
            format!(
                "workspace type {} only allows {} child workspaces, but child type {} only implements {}",
                parent.name,
                list(&allowed),
                self.name,
                list(&self.implements)
            )
        })
    }

    /// Whether default bindings are kept as the exports change.
    pub fn maintains_bindings(&self) -> bool {
        self.spec["defaultAPIBindingLifecycle"] == "Maintain"
    }
}

/// The cluster and name of the object that holds a type; `path` may be empty: then the workspace and those above it are searched.
pub fn find(state: &State, cluster: &ClusterId, path: &str, name: &str) -> Option<(ClusterId, String)> {
    let holds = |cluster: &ClusterId| state.store.peek(&WORKSPACE_TYPES, &Key::new(cluster, "", name)).is_some();
    if !path.is_empty() {
        let cluster = resolve(state, path).ok().filter(holds)?;
        return Some((cluster, path.to_owned()));
    }
    let above = super::ancestors(state, cluster).map(|key| key.cluster);
    let home = std::iter::once(cluster.clone()).chain(above).find(holds)?;
    let path = told_path(state, &home);
    Some((home, path))
}

/// Gathers a type, by path and name, and those it extends, with their specs. One that extends something missing is as if it did not.
fn collect(state: &State, path: &str, name: &str) -> Reached<(String, String), Value> {
    chains::reach((path.to_owned(), name.to_owned()), MOST_EXTENDED, |(path, name)| {
        let cluster = resolve(state, path).ok()?;
        let spec = state.store.peek(&WORKSPACE_TYPES, &Key::new(&cluster, "", name))?.object()["spec"].clone();
        let extended = spec["extend"]["with"].as_array().into_iter().flatten();
        let extended = extended.map(|parent| {
            let path = parent["path"].as_str().filter(|said| !said.is_empty()).unwrap_or(path);
            (path.to_owned(), text(&parent["name"]))
        });
        let extended = extended.collect();
        Some((spec, extended))
    })
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}
