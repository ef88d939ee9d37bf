//! Schedules of a request.

use serde::{Deserialize, Serialize};

/// A schedule of a policy that runs an action of the request.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ScheduleLine {
    /// Display name of the action.
    pub action: String,
    /// When it runs, in words.
    pub when: String,
    /// Name of the policy, or of the promise for its own rules.
    pub policy: String,
    /// Display name of the policy.
    pub title: String,
    /// Name of the rule.
    pub rule: String,
    /// Path of the workspace that defines the rule.
    pub source: String,
    /// Whether it is the promise's own rule, which has no page.
    pub own: bool,
    /// RFC 3339 time of the next run. Empty while the request is paused.
    pub next: String,
    /// RFC 3339 time of the last run, or empty.
    pub last: String,
    /// Name of the last run, or empty.
    pub run: String,
    /// Number of times that were missed.
    pub missed: u32,
}
