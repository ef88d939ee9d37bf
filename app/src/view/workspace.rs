//! A workspace on one page: what is in it, what applies to it, and who can do what there. Each part says where it is set.

use super::{CapLine, CostGlance, RequestRow, Total};
use promise::api::Enforcement;
use promise::price::Money;
use promise::state::{ChangeState, RequestState};

/// The page of a workspace.
#[derive(Clone, Debug, PartialEq)]
pub struct WorkspacePage {
    /// Path.
    pub path: String,
    /// Owner, or empty.
    pub owner: String,
    /// Paths of the workspaces above that the user can enter, the root first.
    pub above: Vec<String>,
    /// Requests of the workspace itself. The error says why the user can't list them.
    pub requests: Result<WorkspaceRequests, String>,
    /// Number of requests in the workspaces below that the user can list.
    pub below: Total,
    /// Policies that apply to requests here, those set here first, up to the display limit.
    pub policies: Vec<EffectivePolicy>,
    /// Total number of these policies.
    pub policies_total: usize,
    /// Why there might be more policies, as a sentence. Absent if all are known.
    pub policies_unknown: Option<String>,
    /// Limits and budgets, fullest first, up to the display limit.
    pub caps: Vec<CapLine>,
    /// Total number of limits and budgets.
    pub caps_total: usize,
    /// Who can do what here. The error says why the user can't see it.
    pub members: Result<Members, String>,
    /// Cost of this month, including the workspaces below. The error is the message if it can't be read. Absent for users who can't list
    /// requests.
    pub cost: Option<Result<CostGlance, String>>,
    /// The workspaces directly below, up to the display limit.
    pub children: Vec<ChildLine>,
    /// Total number of workspaces directly below.
    pub children_total: usize,
    /// RFC 3339 time of the last update. Absent while everything is up to date.
    pub as_of: Option<String>,
    /// Identifies the requests that the page was rendered from, for the change stream.
    pub seen: String,
}

/// The requests of a workspace, and what was created for them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WorkspaceRequests {
    /// Number of requests.
    pub total: usize,
    /// Requests by state. States without requests are omitted.
    pub states: Vec<(RequestState, usize)>,
    /// Changes of running instances that aren't accepted, by state.
    pub pending: Vec<(ChangeState, usize)>,
    /// The newest requests.
    pub newest: Vec<RequestRow>,
    /// Number of objects that were created for them.
    pub resources: usize,
    /// Number of these that are healthy.
    pub healthy: usize,
    /// Number of these that are unhealthy or missing.
    pub broken: usize,
}

/// A policy that applies to requests in a workspace.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EffectivePolicy {
    /// Path of the workspace that defines it.
    pub source: String,
    /// Name.
    pub name: String,
    /// Display name.
    pub title: String,
    /// Its first rules in words.
    pub sentences: Vec<String>,
    /// Number of further rules.
    pub more: usize,
    /// What happens when a rule is violated.
    pub enforcement: Enforcement,
    /// Owner, or empty.
    pub owner: String,
    /// Promises that it applies to, in words. Empty for all.
    pub promises: String,
}

/// People, groups and programs with a role in a workspace.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Members {
    /// Those who are members here first, up to the display limit.
    pub lines: Vec<MemberLine>,
    /// Total number.
    pub total: usize,
    /// Paths of workspaces above whose members decide about requests here, but whose roles the user can't read.
    pub unread: Vec<String>,
}

/// Someone with a role in a workspace.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MemberLine {
    /// Kind of the subject.
    pub kind: MemberKind,
    /// Name.
    pub name: String,
    /// What the roles allow. Empty if the user can't read the roles.
    pub abilities: Vec<Ability>,
    /// Names of the roles.
    pub roles: Vec<String>,
    /// Path of the workspace that grants the roles.
    pub source: String,
    /// The only namespace in which they apply, or empty.
    pub namespace: String,
}

/// Kind of a subject of role bindings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum MemberKind {
    /// A person.
    #[default]
    User,
    /// A group of people.
    Group,
    /// A program.
    ServiceAccount,
}

/// Something that roles allow and that matters in the portal, most powerful first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Ability {
    /// To grant roles.
    ManageMembers,
    /// To create or change policies.
    ManagePolicies,
    /// To create or change promises.
    PublishPromises,
    /// To approve in place of all other approvers.
    Override,
    /// To approve requests.
    Approve,
    /// To create or change requests.
    CreateRequests,
    /// To view requests.
    ViewRequests,
    /// To read Secrets, such as the credentials of an instance.
    ReadSecrets,
    /// To enter the workspace.
    Enter,
}

/// A workspace directly below another one, added up with everything below it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ChildLine {
    /// Path.
    pub path: String,
    /// Whether the user can enter it, and not only workspaces below it.
    pub open: bool,
    /// Number of workspaces below it that the user can enter.
    pub workspaces: usize,
    /// Number of requests that the user can list.
    pub requests: usize,
    /// Number of them that are unhealthy.
    pub broken: usize,
    /// Forecast for the end of the month, by currency.
    pub forecast: Vec<Money>,
}
