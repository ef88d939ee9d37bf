//! Who can do what in a workspace, from the role bindings that the user can read.
//!
//! Roles of kcp workspaces end at the workspace. Still, whoever decides about policies above also decides about requests here, so those
//! members are shown with what they can do from there. A cluster's roles apply in all its namespaces.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Debug;

use app::view::{Ability, MemberKind, MemberLine, Members};
use cluster::ClusterId;
use cluster::error::PlaneResult as _;
use cluster::watch::Key;
use k8s_openapi::api::rbac::v1::{ClusterRole, ClusterRoleBinding, PolicyRule, Role, RoleBinding, RoleRef, Subject};
use kube::api::{Api, ListParams};
use promise::{DeniedReason, Error, Result, names};
use serde::de::DeserializeOwned;

use crate::portal::Caller;
use crate::portal::place::{Namespaces, Workspace};

/// Members that are named. All are counted.
const SHOWN: usize = 50;
/// Number of objects per page of the control plane's list.
const PAGE: u32 = 500;
/// Number of bindings and roles to read at most.
const MOST: usize = 5_000;
/// The role that Kubernetes and kcp define outside of any workspace, and that allows everything.
const ADMIN: &str = "cluster-admin";
/// Names of users, groups, bindings and roles that belong to the control plane itself.
const SYSTEM: &str = "system:";
/// What members of a kcp workspace can do for the workspaces below.
const FROM_ABOVE: [Ability; 3] = [Ability::ManagePolicies, Ability::Override, Ability::Approve];
const ALL: [Ability; 8] = [
    Ability::ManageMembers,
    Ability::ManagePolicies,
    Ability::PublishPromises,
    Ability::Override,
    Ability::Approve,
    Ability::CreateRequests,
    Ability::ViewRequests,
    Ability::ReadSecrets,
];

/// Returns the members.
///
/// # Errors
/// If the user can't read the role bindings of the workspace, or the control plane doesn't respond.
pub(super) async fn of(caller: &Caller, workspace: &Workspace) -> Result<Members> {
    let Some(own) = Place::read(caller, &workspace.cluster, &workspace.namespaces).await? else {
        return Err(DeniedReason::ListMembers { workspace: workspace.path.to_string(), owner: workspace.whom_to_ask() }.into());
    };
    let mut lines = own.members(workspace.path.as_str(), None);
    let mut unread = Vec::new();
    for above in workspace.lineage.iter().rev().skip(1) {
        let Some(cluster) = ClusterId::parse(&above.cluster).ok() else { continue };
        let namespaces = Namespaces::of(&cluster);
        let only = (namespaces == Namespaces::Any).then_some(FROM_ABOVE.as_slice());
        match Place::read(caller, &cluster, &Namespaces::None).await? {
            Some(place) => lines.extend(place.members(&above.path, only)),
            None if only.is_none() || has_policies(caller, &cluster) => unread.push(above.path.clone()),
            None => {}
        }
    }
    let total = lines.len();
    lines.truncate(SHOWN);
    Ok(Members { lines, total, unread })
}

/// Checks whether policies are set in a workspace.
fn has_policies(caller: &Caller, cluster: &ClusterId) -> bool {
    let policies = caller.portal().world.policies.snapshot();
    policies.range(Key::cluster_scoped(cluster, "")..).next().is_some_and(|(key, _)| key.cluster == *cluster)
}

/// A binding of any kind.
struct Binding {
    /// Empty if it applies in every namespace.
    namespace: String,
    role: RoleRef,
    subjects: Vec<Subject>,
}

/// A subject, and the only namespace in which its roles apply, or empty.
type Member = (MemberKind, String, String);

/// What a member may do, and by which roles.
#[derive(Default)]
struct Held {
    /// `None` if none of the roles can be read.
    abilities: Option<BTreeSet<Ability>>,
    roles: BTreeSet<String>,
}

/// The bindings and roles of one workspace.
struct Place {
    bindings: Vec<Binding>,
    /// By namespace and name; `None` if the user can't read them.
    roles: Option<HashMap<(String, String), Vec<PolicyRule>>>,
}

impl Place {
    /// Reads them as the user. `None` if the user can't.
    async fn read(caller: &Caller, cluster: &ClusterId, namespaces: &Namespaces) -> Result<Option<Self>> {
        let client = || caller.client(cluster);
        // On plain Kubernetes, the workspace of a namespace has only the bindings of that namespace: the cluster is above it.
        let wide = match namespaces {
            Namespaces::One(_) => Some(Vec::new()),
            Namespaces::Any | Namespaces::None => list(Api::<ClusterRoleBinding>::all(client())).await?,
        };
        let within = match namespaces {
            Namespaces::One(namespace) => list(Api::<RoleBinding>::namespaced(client(), namespace)).await?,
            Namespaces::Any => list(Api::<RoleBinding>::all(client())).await?,
            Namespaces::None => Some(Vec::new()),
        };
        let unreadable = match namespaces {
            Namespaces::One(_) => within.is_none(),
            Namespaces::None => wide.is_none(),
            Namespaces::Any => wide.is_none() && within.is_none(),
        };
        if unreadable {
            return Ok(None);
        }
        let is_ours = |name: &Option<String>| name.as_deref().is_some_and(|name| !name.starts_with(SYSTEM));
        let wide = wide.into_iter().flatten().filter(|binding| is_ours(&binding.metadata.name)).map(|binding| Binding {
            namespace: String::new(),
            role: binding.role_ref,
            subjects: binding.subjects.unwrap_or_default(),
        });
        let only = matches!(namespaces, Namespaces::One(_));
        let within = within.into_iter().flatten().filter(|binding| is_ours(&binding.metadata.name)).map(|binding| Binding {
            namespace: if only { String::new() } else { binding.metadata.namespace.unwrap_or_default() },
            role: binding.role_ref,
            subjects: binding.subjects.unwrap_or_default(),
        });
        let bindings = wide.chain(within).collect();
        Ok(Some(Self { bindings, roles: Self::roles(caller, cluster, namespaces).await? }))
    }

    async fn roles(
        caller: &Caller,
        cluster: &ClusterId,
        namespaces: &Namespaces,
    ) -> Result<Option<HashMap<(String, String), Vec<PolicyRule>>>> {
        let client = || caller.client(cluster);
        let Some(wide) = list(Api::<ClusterRole>::all(client())).await? else { return Ok(None) };
        let within = match namespaces {
            Namespaces::One(namespace) => list(Api::<Role>::namespaced(client(), namespace)).await?,
            Namespaces::Any => list(Api::<Role>::all(client())).await?,
            Namespaces::None => None,
        };
        let only = matches!(namespaces, Namespaces::One(_));
        let wide = wide.into_iter().map(|role| ((String::new(), role.metadata.name.unwrap_or_default()), role.rules.unwrap_or_default()));
        let within = within.into_iter().flatten().map(|role| {
            let namespace = if only { Some("Role".to_owned()) } else { role.metadata.namespace };
            ((namespace.unwrap_or_default(), role.metadata.name.unwrap_or_default()), role.rules.unwrap_or_default())
        });
        Ok(Some(wide.chain(within).collect()))
    }

    /// Returns what the role of a binding allows. `None` if the user can't read it.
    fn abilities(&self, binding: &Binding) -> Option<BTreeSet<Ability>> {
        let RoleRef { kind, name, .. } = &binding.role;
        let scope = match (kind.as_str(), binding.namespace.as_str()) {
            ("Role", "") => "Role",
            ("Role", namespace) => namespace,
            _ => "",
        };
        match self.roles.as_ref()?.get(&(scope.to_owned(), name.clone())) {
            Some(rules) => Some(abilities(rules)),
            None => (name == ADMIN).then(|| BTreeSet::from(ALL)),
        }
    }

    /// Returns everyone with a role that matters here, the most powerful first. With `only`, just these abilities count.
    fn members(&self, source: &str, only: Option<&[Ability]>) -> Vec<MemberLine> {
        let mut found: BTreeMap<Member, Held> = BTreeMap::new();
        for binding in &self.bindings {
            let mut allowed = self.abilities(binding);
            if let (Some(allowed), Some(only)) = (&mut allowed, only) {
                allowed.retain(|ability| only.contains(ability));
            }
            // A role that can't be read might allow nothing from above.
            if allowed.as_ref().map_or(only.is_some(), BTreeSet::is_empty) {
                continue;
            }
            for (kind, name) in binding.subjects.iter().filter_map(subject) {
                let held = found.entry((kind, name, binding.namespace.clone())).or_default();
                if let Some(allowed) = &allowed {
                    held.abilities.get_or_insert_default().extend(allowed);
                }
                held.roles.insert(binding.role.name.clone());
            }
        }
        let line = |((kind, name, namespace), held): (Member, Held)| MemberLine {
            kind,
            name,
            abilities: held.abilities.map(telling).unwrap_or_default(),
            roles: held.roles.into_iter().collect(),
            source: source.to_owned(),
            namespace,
        };
        let mut lines: Vec<MemberLine> = found.into_iter().map(line).collect();
        lines.sort_by(|a, b| {
            (a.abilities.is_empty(), &a.abilities, a.kind, &a.name).cmp(&(b.abilities.is_empty(), &b.abilities, b.kind, &b.name))
        });
        lines
    }
}

/// Leaves out abilities that follow from others.
fn telling(mut abilities: BTreeSet<Ability>) -> Vec<Ability> {
    if abilities.contains(&Ability::CreateRequests) {
        abilities.remove(&Ability::ViewRequests);
    }
    if abilities.len() > 1 {
        abilities.remove(&Ability::Enter);
    }
    abilities.into_iter().collect()
}

/// Returns who it is. `None` for the control plane itself.
fn subject(subject: &Subject) -> Option<(MemberKind, String)> {
    let kind = match subject.kind.as_str() {
        "User" => MemberKind::User,
        "Group" => MemberKind::Group,
        "ServiceAccount" => {
            let namespace = subject.namespace.as_deref().unwrap_or_default();
            return Some((MemberKind::ServiceAccount, format!("{namespace}/{}", subject.name)));
        }
        _ => return None,
    };
    (!subject.name.starts_with(SYSTEM)).then(|| (kind, subject.name.clone()))
}

/// Returns what rules allow of what matters in the portal.
fn abilities(rules: &[PolicyRule]) -> BTreeSet<Ability> {
    let may = |verbs: &[&str], group: &str, resources: &[&str]| rules.iter().any(|rule| grants(rule, verbs, group, resources));
    let writes = ["create", "update", "patch"];
    let enters = rules.iter().any(|rule| {
        let paths = rule.non_resource_urls.as_deref().unwrap_or_default();
        has(&rule.verbs, &["access"]) && has(paths, &["/"])
    });
    let found = [
        (Ability::ManageMembers, may(&["create", "update"], "rbac.authorization.k8s.io", &["clusterrolebindings", "rolebindings"])),
        (Ability::ManagePolicies, may(&writes, names::GROUP, &["policies"])),
        (Ability::PublishPromises, may(&writes, names::GROUP, &["promises"])),
        (Ability::Override, may(&["override"], names::GROUP, &["policies", "promises"])),
        (Ability::Approve, may(&["approve"], names::GROUP, &["policies", "promises"])),
        (Ability::CreateRequests, may(&writes, names::GROUP, &["promiserequests"])),
        (Ability::ViewRequests, may(&["get", "list"], names::GROUP, &["promiserequests"])),
        (Ability::ReadSecrets, may(&["get", "list"], "", &["secrets"])),
        (Ability::Enter, enters),
    ];
    found.into_iter().filter(|(_, may)| *may).map(|(ability, _)| ability).collect()
}

/// Checks whether a rule allows one of the verbs on one of the resources.
fn grants(rule: &PolicyRule, verbs: &[&str], group: &str, resources: &[&str]) -> bool {
    let of = |list: &Option<Vec<String>>, wanted: &[&str]| has(list.as_deref().unwrap_or_default(), wanted);
    has(&rule.verbs, verbs) && of(&rule.api_groups, &[group]) && of(&rule.resources, resources)
}

fn has(list: &[String], wanted: &[&str]) -> bool {
    list.iter().any(|known| known == "*" || wanted.contains(&known.as_str()))
}

/// Reads a list with the user's token. `None` if the user can't read it.
async fn list<K>(api: Api<K>) -> Result<Option<Vec<K>>>
where
    K: Clone + Debug + DeserializeOwned,
{
    let mut params = ListParams::default().limit(PAGE);
    let mut all = Vec::new();
    loop {
        let page = match api.list(&params).await.about("roles") {
            Ok(page) => page,
            Err(Error::Denied { .. } | Error::NotFound { .. } | Error::NotEnabled { .. }) => return Ok(None),
            Err(error) => return Err(error),
        };
        all.extend(page.items);
        match page.metadata.continue_.filter(|token| !token.is_empty()) {
            Some(token) if all.len() < MOST => params.continue_token = Some(token),
            _ => return Ok(Some(all)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rule(verbs: &[&str], group: &str, resources: &[&str]) -> PolicyRule {
        let owned = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
        PolicyRule {
            verbs: owned(verbs),
            api_groups: Some(vec![group.to_owned()]),
            resources: Some(owned(resources)),
            ..PolicyRule::default()
        }
    }

    fn binding(namespace: &str, (kind, role): (&str, &str), subjects: &[(&str, &str)]) -> Binding {
        let subject = |(kind, name): &(&str, &str)| Subject { kind: (*kind).into(), name: (*name).into(), ..Subject::default() };
        Binding {
            namespace: namespace.into(),
            role: RoleRef { kind: kind.into(), name: role.into(), ..RoleRef::default() },
            subjects: subjects.iter().map(subject).collect(),
        }
    }

    fn place() -> Place {
        let approver = vec![rule(&["approve"], names::GROUP, &["policies"]), rule(&["get"], names::GROUP, &["promiserequests"])];
        let editor = vec![rule(&["*"], names::GROUP, &["promiserequests"])];
        let roles =
            [(("", "approver"), approver), (("default", "editor"), editor), (("", "nothing"), vec![rule(&["get"], "", &["nodes"])])];
        let roles = roles.map(|((namespace, name), rules)| ((namespace.to_owned(), name.to_owned()), rules));
        Place {
            bindings: vec![
                binding("", ("ClusterRole", "approver"), &[("Group", "approvers"), ("Group", "system:masters")]),
                binding("default", ("Role", "editor"), &[("User", "dana")]),
                binding("", ("ClusterRole", ADMIN), &[("User", "olga")]),
                binding("", ("ClusterRole", "nothing"), &[("User", "eve")]),
                binding("", ("ClusterRole", "absent"), &[("User", "ute")]),
            ],
            roles: Some(roles.into()),
        }
    }

    #[test]
    fn members_are_shown_with_what_their_roles_allow() {
        let of = |line: MemberLine| (line.name, line.namespace, line.abilities);
        let members: Vec<_> = place().members("root:acme", None).into_iter().map(of).collect();
        let all: Vec<Ability> = ALL.into_iter().filter(|ability| *ability != Ability::ViewRequests).collect();
        assert_eq!(
            members,
            [
                ("olga".to_owned(), String::new(), all),
                ("approvers".to_owned(), String::new(), vec![Ability::Approve, Ability::ViewRequests]),
                ("dana".to_owned(), "default".to_owned(), vec![Ability::CreateRequests]),
                // Her role can't be found, so what it allows is unknown.
                ("ute".to_owned(), String::new(), Vec::new()),
            ]
        );
    }

    #[test]
    fn from_above_only_decisions_and_policies_count() {
        let members = place().members("root", Some(&FROM_ABOVE));
        let names: Vec<(&str, usize)> = members.iter().map(|line| (line.name.as_str(), line.abilities.len())).collect();
        assert_eq!(names, [("olga", 3), ("approvers", 1)]);
    }

    #[test]
    fn roles_that_can_not_be_read_are_named_all_the_same() {
        let unread = Place { roles: None, ..place() };
        let lines = unread.members("root:acme", None);
        assert_eq!(lines.len(), 5);
        assert!(lines.iter().all(|line| line.abilities.is_empty() && line.roles.len() == 1), "{lines:?}");
    }
}
