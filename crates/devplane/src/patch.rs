//! The three patches of the API: pure functions from an object and a patch to an object.
//! Source: apiserver `endpoints/handlers/patch.go`.

mod json;
mod merge;
mod strategic;

pub use json::{json, unknown_fields};
pub use merge::merge;
pub use strategic::{misfit, strategic};

/// Why a patch gives no object.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PatchError {
    /// The patch is not of the form its media type demands: 400.
    #[error("{0}")]
    Malformed(String),
    /// The patch is well formed and does not fit the object (a failed test, a path that is not there): 422. The API server says no more.
    #[error("the server rejected our request due to an error in our request")]
    DoesNotApply,
    /// More operations than one patch may have: 413.
    #[error("{0}")]
    TooLarge(String),
    /// A strategic patch contradicts itself or the kind: 500, as kube-apiserver answers.
    #[error("{0}")]
    Contradiction(String),
}

/// How Go's JSON decoder names the type of a value.
pub fn go_type(value: &serde_json::Value) -> &'static str {
    match value {
        serde_json::Value::Null => "null",
        serde_json::Value::Bool(_) => "bool",
        serde_json::Value::Number(_) => "number",
        serde_json::Value::String(_) => "string",
        serde_json::Value::Array(_) => "array",
        serde_json::Value::Object(_) => "object",
    }
}
