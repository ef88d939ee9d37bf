//! Identity of users, for all comparisons of people.
//!
//! On kcp, a ServiceAccount with the same namespace and name can exist in every workspace, all with the same username. A person is
//! identified by the username and, for ServiceAccounts, the logical cluster that the server reports with it.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Deref;

use crate::api::{Approvers, GivenApproval, Requester};
use crate::names;

/// Prefix of ServiceAccount usernames. No other user has it.
const SERVICE_ACCOUNT: &str = "system:serviceaccount:";

/// Identity of a person or program. Its text is the username, or `username@cluster` for a ServiceAccount of a workspace. The text is used
/// as a database key and for display.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PersonId {
    text: String,
    /// Length of the username.
    username: usize,
}

impl PersonId {
    /// Creates the identity for a username. `cluster` is the logical cluster in which the server authenticated it, if it has any.
    pub fn new(username: &str, cluster: Option<&str>) -> Self {
        let text = match cluster.filter(|cluster| username.starts_with(SERVICE_ACCOUNT) && !cluster.is_empty()) {
            Some(cluster) => format!("{username}@{cluster}"),
            None => username.to_owned(),
        };
        Self { text, username: username.len() }
    }

    /// Returns the username as the server authenticated it and as pages show it.
    pub fn username(&self) -> &str {
        self.text.get(..self.username).unwrap_or(&self.text)
    }

    /// Returns the logical cluster of a ServiceAccount, if the server has logical clusters.
    pub fn cluster(&self) -> Option<&str> {
        self.text.get(self.username..)?.strip_prefix('@')
    }

    /// Returns the identity that a rule in the workspace `home` means by a name: a username, which for a ServiceAccount is one in the same
    /// workspace, or `username@cluster` for a ServiceAccount in another workspace.
    pub fn named(name: &str, home: &str) -> Self {
        let username = username_of(name);
        let cluster = name.get(username.len()..).and_then(|rest| rest.strip_prefix('@'));
        Self::new(username, cluster.or_else(|| logical_cluster(home)))
    }
}

/// Returns the username from the text of a [`PersonId`], as pages show it.
pub fn username_of(text: &str) -> &str {
    let account = text.split_once('@').filter(|(username, _)| username.starts_with(SERVICE_ACCOUNT));
    account.map_or(text, |(username, _)| username)
}

/// Returns the logical cluster with this id. A plain Kubernetes cluster and its namespaces, `cluster` and `cluster:<namespace>`, aren't
/// logical clusters: their ServiceAccount names are unique.
fn logical_cluster(id: &str) -> Option<&str> {
    (!id.is_empty() && id != "cluster" && !id.contains(':')).then_some(id)
}

/// Returns the identity in a stamp on an object of a workspace. A stamp without a cluster belongs to a person, to plain Kubernetes or to an
/// earlier installation: then a ServiceAccount is assumed to be in that workspace.
fn stamped(username: &str, cluster: Option<&str>, workspace: &str) -> PersonId {
    PersonId::new(username, cluster.or_else(|| logical_cluster(workspace)))
}

impl Requester {
    /// Returns the identity. `workspace` is the id of the stamped object's workspace, empty if it has none.
    pub fn person(&self, workspace: &str) -> PersonId {
        stamped(&self.username, self.cluster.as_deref(), workspace)
    }

    /// Whether two stamps could be of the same person. Rules that exclude people match a ServiceAccount without a recorded cluster with any
    /// of that name.
    pub fn may_be(&self, other: &Self) -> bool {
        let is_unclear = self.cluster.is_none() || other.cluster.is_none();
        let is_same = is_unclear || !self.username.starts_with(SERVICE_ACCOUNT) || self.cluster == other.cluster;
        self.username == other.username && is_same
    }
}

impl Approvers {
    /// Whether a person is included. `home` is the workspace of the rule. If no one is named, everyone is included.
    pub fn include(&self, person: &PersonId, home: &str, groups: &[String]) -> bool {
        let is_named = |name: &String| PersonId::named(name, home) == *person;
        self.is_empty() || self.users.iter().any(is_named) || self.groups.iter().any(|group| groups.contains(group))
    }

    /// Returns the approvers with globally unique user names. `home` is the workspace of the rule.
    #[must_use]
    pub fn known(&self, home: &str) -> Self {
        Self { users: self.users.iter().map(|name| PersonId::named(name, home).to_string()).collect(), groups: self.groups.clone() }
    }
}

impl GivenApproval {
    /// Returns who decided. `workspace` is the id of the rule's workspace.
    pub fn person(&self, workspace: &str) -> PersonId {
        stamped(&self.by, self.by_cluster.as_deref(), workspace)
    }
}

/// The user who last changed the spec of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Changer {
    /// The user as recorded by admission.
    pub stamp: Requester,
    /// Whether the groups were recorded. Earlier installations recorded only the username.
    pub has_groups: bool,
}

impl Changer {
    /// Reads what admission recorded in the annotations of a request. Returns nothing if it was never changed.
    pub fn of(annotations: &BTreeMap<String, String>) -> Option<Self> {
        let username = annotations.get(names::CHANGED_BY_ANNOTATION).filter(|username| !username.is_empty())?.clone();
        let cluster = annotations.get(names::CHANGED_BY_CLUSTER_ANNOTATION).cloned();
        let noted = annotations.get(names::CHANGED_BY_GROUPS_ANNOTATION);
        let lines = noted.into_iter().flat_map(|groups| groups.split('\n')).filter(|group| !group.is_empty());
        let groups = lines.map(|group| group.replace("%0A", "\n").replace("%25", "%")).collect();
        Some(Self { stamp: Requester { username, groups, cluster }, has_groups: noted.is_some() })
    }
}

impl Deref for PersonId {
    type Target = str;

    fn deref(&self) -> &str {
        &self.text
    }
}

impl fmt::Display for PersonId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::{Changer, PersonId, username_of};
    use crate::api::{Approvers, GivenApproval, Requester};
    use crate::names;

    const ROBOT: &str = "system:serviceaccount:default:robot";

    fn stamp(username: &str, cluster: Option<&str>) -> Requester {
        Requester { username: username.to_owned(), groups: Vec::new(), cluster: cluster.map(str::to_owned) }
    }

    #[test]
    fn a_stamp_without_a_cluster_is_of_the_service_account_of_its_workspace() {
        let robot = |cluster| PersonId::new(ROBOT, cluster);
        assert_eq!(stamp(ROBOT, Some("a1")).person("b2"), robot(Some("a1")), "one of another workspace");
        assert_eq!(stamp(ROBOT, None).person("b2"), robot(Some("b2")));
        for kubernetes in ["", "cluster", "cluster:shop"] {
            assert_eq!(stamp(ROBOT, None).person(kubernetes), robot(None), "{kubernetes}");
        }
        assert_eq!(
            (robot(Some("a1")).cluster(), robot(None).cluster(), PersonId::new("dana", Some("a1")).cluster()),
            (Some("a1"), None, None)
        );
        let given = |by_cluster: Option<&str>| {
            let by_cluster = by_cluster.map(str::to_owned);
            GivenApproval { by: ROBOT.to_owned(), by_cluster, ..GivenApproval::default() }.person("b2")
        };
        assert_eq!((given(Some("a1")), given(None)), (robot(Some("a1")), robot(Some("b2"))));
    }

    #[test]
    fn a_rule_that_keeps_people_from_something_takes_an_unknown_cluster_for_any() {
        let robot = |cluster| stamp(ROBOT, cluster);
        assert!(!robot(Some("a1")).may_be(&robot(Some("b2"))));
        assert!(
            robot(Some("a1")).may_be(&robot(Some("a1")))
                && robot(None).may_be(&robot(Some("b2")))
                && robot(Some("a1")).may_be(&robot(None))
        );
        assert!(stamp("dana", Some("a1")).may_be(&stamp("dana", Some("b2"))) && !stamp("dana", None).may_be(&stamp("erin", None)));
    }

    #[test]
    fn a_rule_names_the_service_account_of_its_own_workspace() {
        let robot = PersonId::new(ROBOT, Some("a1"));
        let approvers = |name: &str| Approvers { users: vec![name.to_owned()], groups: Vec::new() };
        assert!(approvers(ROBOT).include(&robot, "a1", &[]) && !approvers(ROBOT).include(&robot, "b2", &[]));
        let elsewhere = approvers("system:serviceaccount:default:robot@a1");
        assert!(elsewhere.include(&robot, "b2", &[]), "one of another workspace is named with it");
        assert_eq!((approvers(ROBOT).known("a1").users, elsewhere.known("b2").users), (vec![robot.to_string()], vec![robot.to_string()]));
        assert!(approvers(ROBOT).include(&PersonId::new(ROBOT, None), "cluster", &[]));
        assert!(approvers("dana@acme").include(&PersonId::new("dana@acme", None), "b2", &[]), "people are named by their username alone");
    }

    #[test]
    fn who_changed_a_request_is_read_with_groups_and_cluster() {
        let noted = |all: &[(&str, &str)]| {
            let all: BTreeMap<String, String> = all.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
            Changer::of(&all)
        };
        assert_eq!(noted(&[]), None);
        assert_eq!(noted(&[(names::CHANGED_BY_ANNOTATION, "")]), None);
        let (by, groups) = (names::CHANGED_BY_ANNOTATION, names::CHANGED_BY_GROUPS_ANNOTATION);
        let earlier = noted(&[(by, "erin")]).unwrap();
        assert_eq!((earlier.has_groups, earlier.stamp), (false, stamp("erin", None)));
        let whole = noted(&[(by, ROBOT), (groups, "shop\nodd%0Aone\n100%250A"), (names::CHANGED_BY_CLUSTER_ANNOTATION, "a1")]).unwrap();
        assert_eq!(whole.stamp.groups, ["shop", "odd\none", "100%0A"]);
        assert_eq!((whole.has_groups, whole.stamp.cluster.as_deref()), (true, Some("a1")));
        assert!(noted(&[(by, "erin"), (groups, "")]).is_some_and(|none| none.has_groups && none.stamp.groups.is_empty()));
    }

    #[test]
    fn service_accounts_of_two_workspaces_are_two_people() {
        let robot = ROBOT;
        let (shop, data) = (PersonId::new(robot, Some("a1")), PersonId::new(robot, Some("b2")));
        assert_ne!(shop, data);
        assert_eq!((&*shop, shop.username()), ("system:serviceaccount:default:robot@a1", robot));
        assert_ne!(PersonId::new(robot, None), shop, "where no workspace is known it is no one of them");
        assert_eq!(PersonId::new("dana", Some("a1")), PersonId::new("dana", Some("b2")), "people are the same everywhere");
        assert_eq!(PersonId::new("dana", Some("a1")).to_string(), "dana");
        assert_eq!(PersonId::new(robot, Some("")), PersonId::new(robot, None));
        assert_eq!((username_of(&shop), username_of("dana@acme.example")), (robot, "dana@acme.example"));
    }
}
