//! Texts of the page of a workspace.

use promise::wording::{all_of, counted, upper_first};

use crate::view::{Ability, MemberKind, Total};

pub(crate) const BROWSE_CATALOG: &str = "Browse the catalog";
pub(crate) const NEWEST_REQUESTS: &str = "Newest requests";
pub(crate) const CANT_VIEW_REQUESTS: &str = "You can't view requests here";
pub(crate) const NO_REQUESTS_YET: &str = "No requests yet";
pub(crate) const NO_REQUESTS_YET_TEXT: &str = "Browse the catalog to create one.";
pub(crate) const NOTHING_HERE: &str = "Nothing here";
pub(crate) const INCLUDE_CHILD_WORKSPACES: &str = "Include child workspaces";
pub(crate) const RESOURCES: &str = "Resources";
pub(crate) const HEALTHY: &str = "Healthy";
pub(crate) const UNHEALTHY: &str = "Unhealthy";
pub(crate) const STARTING_OR_UNKNOWN: &str = "Starting or unknown";
pub(crate) const EFFECTIVE_POLICIES: &str = "Effective policies";
pub(crate) const POLICY: &str = "Policy";
pub(crate) const RULES: &str = "Rules";
pub(crate) const SET_AT: &str = "Set at";
pub(crate) const ENFORCEMENT: &str = "Enforcement";
pub(crate) const NO_POLICIES: &str = "No policies apply to requests here.";
pub(crate) const POLICIES_INCOMPLETE: &str = "There might be more policies";
pub(crate) const MEMBERS: &str = "Members";
pub(crate) const MEMBER: &str = "Member";
pub(crate) const PERMISSIONS: &str = "Permissions";
pub(crate) const NO_MEMBERS: &str = "No role bindings name anyone here.";
pub(crate) const PERMISSIONS_UNKNOWN: &str = "Unknown, because you can't read the roles";
pub(crate) const CHILD_WORKSPACES: &str = "Child workspaces";
pub(crate) const WORKSPACE: &str = "Workspace";
pub(crate) const REQUESTS: &str = "Requests";
pub(crate) const THIS_MONTH: &str = "This month";
pub(crate) const NO_CAPS: &str = "No limits or budgets apply here.";
pub(crate) const CAPS_DENIED: &str = "Limits and budgets are shown to people who can view requests here.";
pub(crate) const COST_DENIED: &str = "Cost is shown to people who can view requests here or below.";
/// Before the path of the workspace that something is inherited from, for screen readers.
pub(crate) const INHERITED_FROM: &str = "inherited from ";
pub(crate) const SET_HERE: &str = "Set here";
pub(crate) const VIEW_ALL: &str = "View all";

/// The link to the page, in the menu of workspaces.
pub(crate) fn overview_of(name: &str) -> String {
    format!("Overview of {name}")
}

pub(crate) fn owned_by(owner: &str) -> String {
    format!("Owned by {owner}")
}

/// How many requests a workspace and those below it have.
pub(crate) fn requests_here_and_below(here: usize, below: &Total) -> String {
    let here = counted(here as u64, "request");
    if below.is_exact() && below.counted() == 0 { here } else { format!("{here}, {below} in child workspaces") }
}

/// Where a list of a parent is empty, but its children have some.
pub(crate) fn requests_in_child_workspaces(below: &Total) -> String {
    let requests = if below.is_exact() { counted(below.counted() as u64, "request") } else { format!("{below} requests") };
    format!("{} in child workspaces.", upper_first(&requests))
}

pub(crate) fn shown_of(shown: usize, total: usize, one: &str) -> String {
    let total_text = counted(total as u64, one);
    if shown == total { total_text } else { format!("{shown} of {total_text}") }
}

/// How many policies apply, and from how many workspaces they are.
pub(crate) fn policies_from(shown: usize, total: usize, workspaces: usize) -> String {
    let policies = shown_of(shown, total, "policy");
    format!("{policies} from {}", counted(workspaces as u64, "workspace"))
}

pub(crate) fn only_for(promises: &str) -> String {
    format!("For {promises}")
}

pub(crate) fn more_rules(more: usize) -> String {
    format!("and {}", counted(more as u64, "more rule"))
}

pub(crate) fn in_namespace(namespace: &str) -> String {
    format!("in namespace {namespace}")
}

pub(crate) fn roles(roles: &[String]) -> String {
    let word = if roles.len() == 1 { "Role" } else { "Roles" };
    format!("{word}: {}", roles.join(", "))
}

pub(crate) fn members_unread(workspaces: &[String]) -> String {
    format!("Members of {} who decide about requests here aren't shown, because you can't read the roles there.", all_of(workspaces))
}

pub(crate) fn kind_of_member(kind: MemberKind) -> &'static str {
    match kind {
        MemberKind::User => "Person",
        MemberKind::Group => "Group",
        MemberKind::ServiceAccount => "Service account",
    }
}

pub(crate) fn abilities(abilities: &[Ability]) -> String {
    let words: Vec<&str> = abilities.iter().map(|ability| can(*ability)).collect();
    upper_first(&words.join(", "))
}

fn can(ability: Ability) -> &'static str {
    match ability {
        Ability::ManageMembers => "manage members",
        Ability::ManagePolicies => "manage policies",
        Ability::PublishPromises => "publish promises",
        Ability::Override => "override approvals",
        Ability::Approve => "approve requests",
        Ability::CreateRequests => "create requests",
        Ability::ViewRequests => "view requests",
        Ability::ReadSecrets => "read secrets",
        Ability::Enter => "enter the workspace",
    }
}

pub(crate) fn and_below(workspaces: usize) -> String {
    format!("and {} below it", counted(workspaces as u64, "workspace"))
}

pub(crate) fn only_below(workspaces: usize) -> String {
    format!("{} below it", upper_first(&counted(workspaces as u64, "workspace")))
}

pub(crate) fn not_working(count: usize) -> String {
    format!("{count} not working")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::Whole;

    #[test]
    fn requests_below_are_said_with_their_number() {
        let total = |count: usize, unseen: &[&str]| {
            Whole::new(vec![count], None, unseen.iter().map(|path| (*path).to_owned()).collect()).total_by(|count| *count)
        };
        assert_eq!(requests_in_child_workspaces(&total(1, &[])), "1 request in child workspaces.");
        assert_eq!(requests_in_child_workspaces(&total(90, &["root:acme"])), "At least 90 requests in child workspaces.");
        assert_eq!(policies_from(1, 1, 1), "1 policy from 1 workspace");
        assert_eq!(policies_from(50, 60, 3), "50 of 60 policies from 3 workspaces");
        assert_eq!(requests_here_and_below(2, &total(0, &[])), "2 requests");
        assert_eq!(abilities(&[Ability::Approve, Ability::ViewRequests]), "Approve requests, view requests");
    }
}
