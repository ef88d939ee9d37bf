//! Problems (RFC 9457).

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::error::Error;
use crate::path::{Path, Segment};

/// Media type of a problem.
pub const PROBLEM_JSON: &str = "application/problem+json";

/// Why a call was refused or failed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "utoipa", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct ProblemDetails {
    /// Address that describes this type of problem, relative to the portal.
    pub r#type: String,
    /// The type of problem in a few words.
    pub title: String,
    /// HTTP status.
    pub status: u16,
    /// What happened and what to do, for people.
    pub detail: String,
    /// The same for programs: an object with `kind`, and depending on it `reason` and arguments.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<Value>,
    /// Problems with single fields.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<FieldProblem>,
}

impl ProblemDetails {
    /// Returns the error. `None` if it is of a kind from a newer version.
    pub fn error(&self) -> Option<Error> {
        serde_json::from_value(self.reason.clone()?).ok()
    }
}

/// A problem with one field.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "utoipa", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct FieldProblem {
    /// JSON Pointer (RFC 6901) into the body that was sent. Empty for the whole body.
    pub pointer: String,
    /// A sentence that names the fix.
    pub message: String,
}

/// Returns the JSON Pointer into a manifest for the path of a problem: `.parameters.size` is `/spec/parameters/size`.
pub fn json_pointer(path: &str) -> String {
    let path = if path.starts_with(".parameters") { format!(".spec{path}") } else { path.to_owned() };
    let Ok(parsed) = Path::parse(&path) else { return format!("/{}", path.trim_start_matches('.')) };
    let escaped = |key: &str| key.replace('~', "~0").replace('/', "~1");
    parsed
        .0
        .iter()
        .map(|segment| match segment {
            Segment::Key(key) => format!("/{}", escaped(key)),
            Segment::Index(index) => format!("/{index}"),
            Segment::Each => "/*".to_owned(),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_of_problems_point_into_the_manifest() {
        for (path, pointer) in [
            ("", ""),
            (".metadata.name", "/metadata/name"),
            (".spec.promise.name", "/spec/promise/name"),
            (".parameters.backup.enabled", "/spec/parameters/backup/enabled"),
            (".parameters.hosts[2]", "/spec/parameters/hosts/2"),
        ] {
            assert_eq!(json_pointer(path), pointer, "{path}");
        }
    }

    #[test]
    fn a_problem_of_a_newer_version_is_still_a_problem() {
        let newer = serde_json::json!({
            "type": "/api/v1#moved", "title": "Moved", "status": 410, "detail": "It moved.", "reason": {"kind": "moved"}, "more": 1,
        });
        let read: ProblemDetails = serde_json::from_value(newer).unwrap();
        assert_eq!((read.status, read.error(), read.errors.len()), (410, None, 0));
        let known = ProblemDetails { reason: Some(serde_json::to_value(Error::Timeout).unwrap()), ..read };
        assert_eq!(known.error(), Some(Error::Timeout));
    }
}
