//! Texts of the list of promises.

use promise::wording::counted;

pub(crate) const PROMISES: &str = "Promises";
pub(crate) const SUMMARY: &str = "What your teams publish, and how much it's used";
pub(crate) const SEARCH_BY: &str = "Name, team or workspace";
pub(crate) const BY_WORKSPACE: &str = "Workspace and name";
pub(crate) const PROMISE: &str = "Promise";
pub(crate) const WORKSPACE: &str = "Workspace";
pub(crate) const WORKSPACES: &str = "Workspaces";
pub(crate) const LIFECYCLE: &str = "Lifecycle";
pub(crate) const STATE: &str = "State";
pub(crate) const INSTANCES: &str = "Instances";
pub(crate) const CREATED: &str = "Created";
pub(crate) const PUBLISHED: &str = "Published";
pub(crate) const REFUSED: &str = "Refused";
pub(crate) const PENDING: &str = "Pending";
pub(crate) const NO_MATCHES: &str = "No promises match";
pub(crate) const NONE: &str = "No promises you can list";
pub(crate) const NONE_TEXT: &str =
    "Promises appear here once you can list them in the workspace that publishes them. Catalogs show what you can request.";

pub(crate) fn shown(matching: usize, total: usize) -> String {
    let all = counted(total as u64, "promise");
    if matching == 0 && total > 0 { format!("No matches in {all}") } else { format!("{matching} of {all}") }
}
