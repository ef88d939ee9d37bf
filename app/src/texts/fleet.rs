//! Texts of a promise for its authors, and of its fleet.

pub(crate) use promise::rollout::obstacle;
use promise::wording::{all_of, counted, lower_first};

pub(crate) const FLEET: &str = "Fleet";
pub(crate) const VERSIONS: &str = "Versions";
pub(crate) const VERSION: &str = "Version";
pub(crate) const PUBLISHED: &str = "Published";
pub(crate) const UNPUBLISHED: &str = "No longer published";
pub(crate) const INSTANCES: &str = "Instances";
pub(crate) const COMPARED: &str = "Compared with the version before";
pub(crate) const COMPATIBLE: &str = "Compatible";
pub(crate) const FIRST: &str = "First version";
pub(crate) const NO_VERSIONS: &str = "No version is published yet.";
pub(crate) const CATALOG_PAGE: &str = "View in catalog";
pub(crate) const OPEN_FLEET: &str = "View fleet";
pub(crate) const ROLLOUTS: &str = "Your rollouts";
pub(crate) const STARTED: &str = "Started";
pub(crate) const STATE: &str = "State";
pub(crate) const WORKSPACE: &str = "Workspace";
pub(crate) const INSTANCE: &str = "Instance";
pub(crate) const RUNNING: &str = "Running";
pub(crate) const OTHER_VERSION: &str = "Other version";
pub(crate) const CHECK_AGAINST: &str = "Check against";
pub(crate) const CHECK: &str = "Check";
pub(crate) const SEARCH_BY: &str = "Name or workspace";
pub(crate) const NO_MATCHES: &str = "No instances match";
pub(crate) const NONE: &str = "No instances you can list";
pub(crate) const NONE_TEXT: &str = "Instances appear here once requests of this promise run in workspaces where you can list them.";
pub(crate) const THERE: &str = "Up to date";
pub(crate) const READY: &str = "Ready to upgrade";
pub(crate) const NEEDS_APPROVAL: &str = "Needs approval";
pub(crate) const BLOCKED: &str = "Blocked";
pub(crate) const NOT_STARTED: &str = "The rollout didn't start";

// The form that starts a rollout.
pub(crate) const UPGRADE: &str = "Upgrade in waves";
pub(crate) const UPGRADE_HINT: &str = "The next wave starts when every instance of the wave before is ready on the new version. \
     An instance that fails, is refused or isn't ready in time stops the rollout.";
pub(crate) const WAVE_SIZE: &str = "Instances per wave";
pub(crate) const MINUTES: &str = "Minutes until an instance must be ready";
pub(crate) const UPGRADE_SELECTED: &str = "Upgrade selected";

pub(crate) fn upgrade_all(behind: usize) -> String {
    format!("Upgrade all that are ready, of {}", counted(behind as u64, "instance"))
}

pub(crate) fn shown(matching: usize, total: usize) -> String {
    let all = counted(total as u64, "instance");
    if matching == 0 && total > 0 { format!("No matches in {all}") } else { format!("{matching} of {all}") }
}

pub(crate) fn instances_in(instances: usize, workspaces: usize) -> String {
    format!("{} in {} that you can see", counted(instances as u64, "instance"), counted(workspaces as u64, "workspace"))
}

pub(crate) fn unseen(workspaces: &[String]) -> String {
    format!("{} didn't respond, so instances might be missing.", all_of(workspaces))
}

pub(crate) fn fleet_of(title: &str) -> String {
    format!("Fleet of {title}")
}

/// Label of a checkbox.
pub(crate) fn select(name: &str, workspace: &str) -> String {
    format!("Select {name} in {workspace}")
}

/// Breaking changes of a version.
pub(crate) fn breaking(changes: &[String]) -> String {
    format!("Breaking: {}", changes.join("; "))
}

/// Values that a version has no field for.
pub(crate) fn drops(labels: &[String]) -> String {
    let labels: Vec<String> = labels.iter().map(|label| lower_first(label)).collect();
    format!("Drops {}", all_of(&labels))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dropped_values_are_named_by_their_labels() {
        assert_eq!(drops(&["Backup window".to_owned(), "Zone".to_owned()]), "Drops backup window and zone");
    }
}
