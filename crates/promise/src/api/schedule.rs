//! Schedules of policies, and what a request says about them.

use serde_json::Value;

/// Runs an action on a schedule.
#[derive(Clone, Debug, PartialEq, Default, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Schedule {
    /// Name of the action. Promises without it are left alone.
    pub action: String,
    /// Schedule as a cron expression with five fields, such as `0 2 * * *`, or a name such as `@daily`.
    pub cron: String,
    /// IANA time zone name, such as `Europe/Berlin`. UTC if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timezone: Option<String>,
    /// How long finished runs are kept, such as `7d`. If absent, the newest 20 are kept. The latest run that succeeded always is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retention: Option<String>,
    /// Parameters of the action.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schemars", schemars(schema_with = "super::opaque::object"))]
    pub parameters: Option<Value>,
}

/// A schedule that runs an action of the request.
#[derive(Clone, Debug, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "utoipa", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct ScheduleStatus {
    /// Key of the rule: value of the label `platform.opmodel.dev/schedule` of its runs.
    pub key: String,
    /// Name of the policy, or of the promise for its own rules.
    pub policy: String,
    /// Name of the rule.
    pub rule: String,
    /// Path of the workspace that defines the rule.
    pub source: String,
    /// Whether it is the promise's own rule.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub own: bool,
    /// Name of the action.
    pub action: String,
    /// Schedule as a cron expression.
    pub cron: String,
    /// IANA name of the time zone.
    pub timezone: String,
    /// RFC 3339 time of the next run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_at: Option<String>,
    /// RFC 3339 time for which the last run was started.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_at: Option<String>,
    /// Name of the PromiseAction of the last run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_run: Option<String>,
    /// uid of that PromiseAction. No other one counts as started by the schedule.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_uid: Option<String>,
    /// Number of times without a run since the last one that was started without missing any: the controller wasn't running, the request
    /// was paused, or an earlier run was still waiting for its turn.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub missed: u32,
}

fn is_zero(number: &u32) -> bool {
    *number == 0
}
