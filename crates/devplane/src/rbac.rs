//! Role-based access control: which role rules allow a wish, and in whose name.
//! Source: kubernetes `plugin/pkg/auth/authorizer/rbac`.
//!
//! Everything here is a function over roles and bindings as JSON; where they are stored is the business of whoever implements
//! [`Roles`]. A binding to a role that does not exist grants nothing. Aggregated roles whose rules nobody has filled in are
//! aggregated at the moment of asking.

pub mod bootstrap;
pub mod escalation;
pub mod rule;
pub mod validation;
pub mod wish;

use std::sync::Arc;

use serde_json::Value;

use crate::{authn::MASTERS, chains, request::User, selectors::LabelSelector};
use rule::Rule;
use wish::{About, Wish};

/// The API group of roles and bindings.
pub const GROUP: &str = "rbac.authorization.k8s.io";
/// How many roles that aggregate others are followed from one role: each looks at all roles of its cluster.
const AGGREGATING: usize = 64;

/// Roles and bindings of one cluster.
pub trait Roles {
    /// All ClusterRoleBindings.
    fn cluster_role_bindings(&self) -> Vec<Arc<Value>>;
    /// The RoleBindings of a namespace.
    fn role_bindings(&self, namespace: &str) -> Vec<Arc<Value>>;
    /// All ClusterRoles.
    fn cluster_roles(&self) -> Vec<Arc<Value>>;
    /// One ClusterRole.
    fn cluster_role(&self, name: &str) -> Option<Arc<Value>>;
    /// One Role of a namespace.
    fn role(&self, namespace: &str, name: &str) -> Option<Arc<Value>>;
}

/// A wish that is allowed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grant {
    /// Which binding of which role to whom allowed it; empty for members of `system:masters`.
    pub reason: String,
}

/// Whether the user may, and why. `None` means that no rule allows it.
pub fn authorize(user: &User, wish: &Wish, roles: &dyn Roles) -> Option<Grant> {
    if user.in_group(MASTERS) {
        return Some(Grant { reason: String::new() });
    }
    held(user, namespace_of(wish), roles)
        .find(|(_, rules)| rules.iter().any(|rule| rule.allows(wish)))
        .map(|(reason, _)| Grant { reason: format!("RBAC: allowed by {reason}") })
}

fn namespace_of(wish: &Wish) -> &str {
    match &wish.about {
        About::Resource(target) => &target.namespace,
        About::Path(_) => "",
    }
}

/// What a refusal says of the roles that the user's bindings name and that are not there; empty if all are.
pub fn missing_roles(user: &User, wish: &Wish, roles: &dyn Roles) -> String {
    let namespace = namespace_of(wish);
    let mut bindings = roles.cluster_role_bindings();
    if !namespace.is_empty() {
        bindings.extend(roles.role_bindings(namespace));
    }
    let mut missing: Vec<String> = Vec::new();
    for binding in bindings.iter().filter(|binding| subject_of(binding, user).is_some()) {
        let reference = &binding["roleRef"];
        let said = format!("{}.{GROUP} {:?} not found", text(&reference["kind"]).to_lowercase(), text(&reference["name"]));
        if referenced_rules(reference, namespace, roles).is_none() && !missing.contains(&said) {
            missing.push(said);
        }
    }
    match missing.as_slice() {
        [] => String::new(),
        [one] => format!("RBAC: {one}"),
        many => format!("RBAC: [{}]", many.join(", ")),
    }
}

/// All rules that hold for the user, in a namespace or (empty) at the cluster scope.
pub fn rules_of(user: &User, namespace: &str, roles: &dyn Roles) -> Vec<Rule> {
    held(user, namespace, roles).flat_map(|(_, rules)| rules).collect()
}

/// The rules of the role that a binding refers to; `None` when there is no such role.
pub fn referenced_rules(reference: &Value, namespace: &str, roles: &dyn Roles) -> Option<Vec<Rule>> {
    let name = reference["name"].as_str()?;
    match reference["kind"].as_str()? {
        "Role" => Some(rule::rules(&*roles.role(namespace, name)?)),
        "ClusterRole" => Some(cluster_role_rules(roles.cluster_role(name)?, roles)),
        _ => None,
    }
}

/// Each binding that names the user, described, with the rules it grants.
fn held<'a>(user: &'a User, namespace: &'a str, roles: &'a dyn Roles) -> impl Iterator<Item = (String, Vec<Rule>)> + 'a {
    let cluster_wide = roles.cluster_role_bindings().into_iter().filter_map(move |binding| {
        let subject = subject_of(&binding, user)?;
        let rules = referenced_rules(&binding["roleRef"], "", roles)?;
        Some((described("ClusterRoleBinding", text(&binding["metadata"]["name"]), &binding, &subject), rules))
    });
    let local = if namespace.is_empty() { Vec::new() } else { roles.role_bindings(namespace) };
    cluster_wide.chain(local.into_iter().filter_map(move |binding| {
        let subject = subject_of(&binding, user)?;
        let rules = referenced_rules(&binding["roleRef"], namespace, roles)?;
        let name = format!("{}/{namespace}", text(&binding["metadata"]["name"]));
        Some((described("RoleBinding", &name, &binding, &subject), rules))
    }))
}

fn described(kind: &str, name: &str, binding: &Value, subject: &str) -> String {
    let role = &binding["roleRef"];
    format!("{kind} {name:?} of {} {:?} to {subject}", text(&role["kind"]), text(&role["name"]))
}

/// The first subject of a binding that is the user, described.
fn subject_of(binding: &Value, user: &User) -> Option<String> {
    let own_namespace = text(&binding["metadata"]["namespace"]);
    binding["subjects"].as_array()?.iter().find_map(|subject| {
        let name = text(&subject["name"]);
        match text(&subject["kind"]) {
            "User" if name == user.name => Some(format!("User {name:?}")),
            "Group" if user.in_group(name) => Some(format!("Group {name:?}")),
            "ServiceAccount" => {
                let namespace = subject["namespace"].as_str().filter(|said| !said.is_empty()).unwrap_or(own_namespace);
                (user.name == format!("system:serviceaccount:{namespace}:{name}"))
                    .then(|| format!("ServiceAccount {:?}", format!("{name}/{namespace}")))
            }
            _ => None,
        }
    })
}

/// Own rules of a ClusterRole, or those of the roles that its aggregation rule selects. Of a chain that is longer than [`AGGREGATING`] the
/// rest grants nothing.
fn cluster_role_rules(role: Arc<Value>, roles: &dyn Roles) -> Vec<Rule> {
    let own = rule::rules(&role);
    if selectors(&role, &own).is_none() {
        return own;
    }
    let all: Vec<Arc<Value>> = std::iter::once(role).chain(roles.cluster_roles()).collect();
    let mut aggregating = 0;
    let reached = chains::reach(0_usize, all.len(), |place| {
        let role = all.get(*place)?;
        let own = rule::rules(role);
        let Some(selectors) = selectors(role, &own).filter(|_| aggregating < AGGREGATING) else { return Some((own, Vec::new())) };
        aggregating += 1;
        let selects = |other: &Value| selectors.iter().any(|selector| selector.matches(&other["metadata"]["labels"]));
        Some((own, (1..all.len()).filter(|other| selects(&all[*other])).collect()))
    });
    reached.found.into_iter().flat_map(|(_, rules)| rules).collect()
}

/// What a role without rules of its own aggregates.
fn selectors(role: &Value, own: &[Rule]) -> Option<Vec<LabelSelector>> {
    let selectors = role["aggregationRule"]["clusterRoleSelectors"].as_array().filter(|_| own.is_empty())?;
    Some(selectors.iter().map(LabelSelector::from_object).collect())
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

#[cfg(test)]
pub(crate) mod tests {
    use serde_json::json;

    use super::wish::ResourceWish;
    use super::*;

    /// Roles and bindings in a list.
    pub(crate) struct Listed(pub Vec<Arc<Value>>);

    impl Listed {
        fn of(&self, kind: &str, namespace: &str) -> Vec<Arc<Value>> {
            self.0.iter().filter(|object| object["kind"] == kind && text(&object["metadata"]["namespace"]) == namespace).cloned().collect()
        }
    }

    impl Roles for Listed {
        fn cluster_role_bindings(&self) -> Vec<Arc<Value>> {
            self.of("ClusterRoleBinding", "")
        }
        fn role_bindings(&self, namespace: &str) -> Vec<Arc<Value>> {
            self.of("RoleBinding", namespace)
        }
        fn cluster_roles(&self) -> Vec<Arc<Value>> {
            self.of("ClusterRole", "")
        }
        fn cluster_role(&self, name: &str) -> Option<Arc<Value>> {
            self.cluster_roles().into_iter().find(|role| role["metadata"]["name"] == name)
        }
        fn role(&self, namespace: &str, name: &str) -> Option<Arc<Value>> {
            self.of("Role", namespace).into_iter().find(|role| role["metadata"]["name"] == name)
        }
    }

    fn roles(extra: impl IntoIterator<Item = Value>) -> Listed {
        Listed(bootstrap::cluster().into_iter().chain(extra).map(Arc::new).collect())
    }

    fn alice() -> User {
        User { name: "alice".into(), groups: vec!["team-a".into(), "system:authenticated".into()], ..User::default() }
    }

    fn get(namespace: &str, resource: &str) -> Wish {
        Wish::resource("get", ResourceWish::new("", resource).within(namespace))
    }

    fn reader() -> [Value; 2] {
        [
            json!({"kind": "Role", "metadata": {"name": "cm-reader", "namespace": "n"}, "rules": [{"apiGroups": [""], "resources": ["configmaps"], "verbs": ["get"]}]}),
            json!({"kind": "RoleBinding", "metadata": {"name": "cm-readers", "namespace": "n"}, "roleRef": {"kind": "Role", "name": "cm-reader"}, "subjects": [{"kind": "Group", "name": "team-a"}]}),
        ]
    }

    #[test]
    fn a_role_holds_in_its_namespace_and_says_why() {
        let roles = roles(reader());
        let grant = authorize(&alice(), &get("n", "configmaps"), &roles).unwrap();
        assert_eq!(grant.reason, "RBAC: allowed by RoleBinding \"cm-readers/n\" of Role \"cm-reader\" to Group \"team-a\"");
        assert_eq!(authorize(&alice(), &get("other", "configmaps"), &roles), None);
        assert_eq!(authorize(&alice(), &get("", "configmaps"), &roles), None);
    }

    #[test]
    fn a_service_account_without_a_namespace_is_one_of_the_binding() {
        let mut objects = reader();
        objects[1]["subjects"] = json!([{"kind": "ServiceAccount", "name": "robot", "namespace": ""}]);
        let robot = User { name: "system:serviceaccount:n:robot".into(), ..User::default() };
        assert!(authorize(&robot, &get("n", "configmaps"), &roles(objects)).is_some());
    }

    #[test]
    fn aggregation_reads_all_of_a_selector() {
        let aggregate = |selector: Value| {
            let label = json!({"team": "a"});
            let extra = [
                json!({"kind": "ClusterRole", "metadata": {"name": "part", "labels": label}, "rules": [{"apiGroups": ["g"], "resources": ["widgets"], "verbs": ["get"]}]}),
                json!({"kind": "ClusterRole", "metadata": {"name": "whole"}, "aggregationRule": {"clusterRoleSelectors": [selector]}}),
                json!({"kind": "ClusterRoleBinding", "metadata": {"name": "b"}, "roleRef": {"kind": "ClusterRole", "name": "whole"}, "subjects": [{"kind": "User", "name": "alice"}]}),
            ];
            let wish = Wish::resource("get", ResourceWish::new("g", "widgets"));
            authorize(&alice(), &wish, &roles(extra)).is_some()
        };
        let expression =
            |operator: &str| json!({"matchLabels": {"team": "a"}, "matchExpressions": [{"key": "team", "operator": operator}]});
        assert!(aggregate(expression("Exists")));
        assert!(!aggregate(expression("DoesNotExist")));
        assert!(aggregate(json!({})));
    }

    #[test]
    fn discovery_is_open_to_the_authenticated() {
        let grant = authorize(&alice(), &Wish::path("get", "/apis/apps"), &roles([])).unwrap();
        assert_eq!(
            grant.reason,
            "RBAC: allowed by ClusterRoleBinding \"system:discovery\" of ClusterRole \"system:discovery\" to Group \"system:authenticated\""
        );
        assert_eq!(authorize(&User::anonymous(), &Wish::path("get", "/apis"), &roles([])), None);
        assert!(authorize(&User::anonymous(), &Wish::path("get", "/version"), &roles([])).is_some());
    }

    #[test]
    fn aggregated_roles_have_the_rules_of_what_they_select() {
        let binding = json!({"kind": "ClusterRoleBinding", "metadata": {"name": "v"}, "roleRef": {"kind": "ClusterRole", "name": "edit"}, "subjects": [{"kind": "User", "name": "alice"}]});
        let roles = roles([binding]);
        assert!(authorize(&alice(), &get("n", "configmaps"), &roles).is_some());
        let secret = Wish::resource("create", ResourceWish::new("", "secrets").within("n"));
        assert!(authorize(&alice(), &secret, &roles).is_some());
        let role = Wish::resource("create", ResourceWish::new(GROUP, "roles").within("n"));
        assert_eq!(authorize(&alice(), &role, &roles), None);
    }

    /// Roles of which each aggregates the next one; the last one has a rule.
    fn chain(length: usize) -> Listed {
        let link = |number: usize| match number + 1 == length {
            true => {
                json!({"kind": "ClusterRole", "metadata": {"name": format!("r{number}"), "labels": {"link": format!("l{number}")}}, "rules": [{"apiGroups": [""], "resources": ["secrets"], "verbs": ["get"]}]})
            }
            false => {
                json!({"kind": "ClusterRole", "metadata": {"name": format!("r{number}"), "labels": {"link": format!("l{number}")}}, "aggregationRule": {"clusterRoleSelectors": [{"matchLabels": {"link": format!("l{}", number + 1)}}]}})
            }
        };
        let binding = json!({"kind": "ClusterRoleBinding", "metadata": {"name": "b"}, "roleRef": {"kind": "ClusterRole", "name": "r0"}, "subjects": [{"kind": "User", "name": "alice"}]});
        roles((0..length).map(link).chain([binding]))
    }

    #[test]
    fn a_chain_of_aggregations_grants_up_to_a_limit_and_ends() {
        let secrets = get("n", "secrets");
        assert!(authorize(&alice(), &secrets, &chain(AGGREGATING + 1)).is_some());
        assert_eq!(authorize(&alice(), &secrets, &chain(AGGREGATING + 2)), None);
        assert_eq!(authorize(&alice(), &secrets, &chain(1_500)), None, "this overflowed the stack");
    }

    #[test]
    fn masters_need_no_rule_and_a_binding_to_a_missing_role_grants_none() {
        let master = User { groups: vec![MASTERS.into()], ..User::default() };
        assert_eq!(authorize(&master, &get("n", "secrets"), &roles([])), Some(Grant { reason: String::new() }));
        let [_, dangling] = reader();
        let roles = roles([dangling]);
        assert_eq!(authorize(&alice(), &get("n", "configmaps"), &roles), None);
        let said = "RBAC: role.rbac.authorization.k8s.io \"cm-reader\" not found";
        assert_eq!(missing_roles(&alice(), &get("n", "configmaps"), &roles), said);
        assert_eq!(missing_roles(&alice(), &get("other", "configmaps"), &roles), "");
    }
}
