//! What is wrong with what someone entered or wrote.

use serde::{Deserialize, Serialize};

/// A problem with one field.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "utoipa", derive(utoipa::ToSchema))]
pub struct Problem {
    /// Path such as `.parameters.replicas`. Empty for the whole input.
    pub path: String,
    /// A sentence that names the fix.
    pub message: String,
}

impl Problem {
    /// Returns problems as one text, each with its path.
    pub fn in_words(problems: &[Self]) -> String {
        let text = |problem: &Self| match problem.path.as_str() {
            "" => problem.message.clone(),
            path => format!("{path}: {}", problem.message),
        };
        problems.iter().map(text).collect::<Vec<_>>().join(" ")
    }
}
