//! Why an apply is refused, and the texts for it.
//! Source: structured-merge-diff `merge/conflict.go`; apimachinery `util/managedfields/internal/conflict.go`.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::{
    Target,
    field_set::{PathElement, path_text},
    managed_fields::{ManagerId, Operation},
};
use crate::status::ApiError;

/// One field that another manager owns with another value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conflict {
    /// Who owns it.
    pub manager: ManagerId,
    /// Which field.
    pub path: Vec<PathElement>,
}

/// Why an apply is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ApplyError {
    /// The patch names managed fields: 400.
    #[error("metadata.managedFields must be nil")]
    ManagedFieldsInPatch,
    /// The patch is of another kind or version than the path, or does not say of which: 400.
    #[error("invalid object type: {}, Kind={kind}", group_version(api_version))]
    ObjectType {
        /// `apiVersion` of the patch.
        api_version: String,
        /// `kind` of the patch.
        kind: String,
    },
    /// An object does not fit its schema: 500, as kube-apiserver answers.
    #[error("failed to create typed {which} object ({object}): {}", problem_text(problems))]
    NotTyped {
        /// `patch` or `live`.
        which: &'static str,
        /// Namespace, name and kind.
        object: String,
        /// What does not fit.
        problems: Vec<String>,
    },
    /// Others own fields that would change: 409.
    #[error("{}", conflict_text(.0))]
    Conflicts(Vec<Conflict>),
}

impl ApplyError {
    pub(crate) fn not_typed(which: &'static str, object: &Value, target: &Target<'_>, problems: Vec<String>) -> Self {
        // Only texts count as names: the body may hold anything there.
        let text = |pointer: &str| object.pointer(pointer).and_then(Value::as_str).unwrap_or_default().to_owned();
        let (namespace, name, kind) = (text("/metadata/namespace"), text("/metadata/name"), target.kind);
        let object = format!("{namespace}/{name}; {}, Kind={kind}", group_version(target.api_version));
        Self::NotTyped { which, object, problems }
    }
}

impl From<ApplyError> for ApiError {
    fn from(error: ApplyError) -> Self {
        let message = error.to_string();
        match error {
            ApplyError::ManagedFieldsInPatch | ApplyError::ObjectType { .. } => Self::bad_request(message),
            ApplyError::NotTyped { .. } => Self::of(500, "", message),
            ApplyError::Conflicts(conflicts) => {
                let causes: Vec<Value> = conflicts
                    .iter()
                    .map(|conflict| {
                        json!({
                            "reason": "FieldManagerConflict",
                            "message": format!("conflict with {}", described(&conflict.manager)),
                            "field": path_text(&conflict.path),
                        })
                    })
                    .collect();
                Self::of(409, "Conflict", message).with_details(json!({"causes": causes}))
            }
        }
    }
}

/// Group and version with a slash between, also where there is no group.
fn group_version(api_version: &str) -> String {
    if api_version.contains('/') { api_version.to_owned() } else { format!("/{api_version}") }
}

/// Several problems read as the API server lists them.
fn problem_text(problems: &[String]) -> String {
    match problems {
        [one] => one.clone(),
        many => {
            let lines: Vec<String> = many.iter().map(|problem| format!("  {problem}")).collect();
            format!("errors:\n{}", lines.join("\n"))
        }
    }
}

fn conflict_text(conflicts: &[Conflict]) -> String {
    if let [one] = conflicts {
        return format!("Apply failed with 1 conflict: conflict with {}: {}", described(&one.manager), path_text(&one.path));
    }
    let mut by_manager: BTreeMap<&ManagerId, Vec<String>> = BTreeMap::new();
    for conflict in conflicts {
        by_manager.entry(&conflict.manager).or_default().push(format!("- {}", path_text(&conflict.path)));
    }
    let parts: Vec<String> =
        by_manager.into_iter().map(|(manager, paths)| format!("conflicts with {}:\n{}", described(manager), paths.join("\n"))).collect();
    format!("Apply failed with {} conflicts: {}", conflicts.len(), parts.join("\n"))
}

fn described(manager: &ManagerId) -> String {
    let mut text = format!("{:?}", manager.manager);
    if !manager.subresource.is_empty() {
        text.push_str(&format!(" with subresource {:?}", manager.subresource));
    }
    if manager.operation == Operation::Update {
        text.push_str(&format!(" using {}", manager.api_version));
    }
    text
}
