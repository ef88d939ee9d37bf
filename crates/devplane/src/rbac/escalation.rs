//! Nobody grants more than he holds: the checks on writes of roles and bindings.
//! Source: kubernetes `pkg/registry/rbac/*/policybased/storage.go`, `pkg/registry/rbac/escalation_check.go`.

use serde_json::Value;

use super::rule::{self, Rule, quoted};
use super::wish::{ResourceWish, Wish};
use super::{GROUP, Roles, authorize, referenced_rules, rules_of};
use crate::{authn::MASTERS, request::User};

/// Why a role or binding may not be written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Escalation {
    /// Rules that the user does not hold; the text follows `… is forbidden: `.
    #[error("{0}")]
    NotHeld(String),
    /// The role aggregates others, or did, and the user does not hold everything.
    #[error("must have cluster-admin privileges to use the aggregationRule")]
    Aggregation,
    /// The binding refers to a role that is not there, and only its rules could tell whether it may be granted.
    #[error("role {0:?} not found")]
    UnknownRole(String),
}

/// Judges the write of a Role or ClusterRole (`resource` is `roles` or `clusterroles`).
///
/// # Errors
/// [`Escalation::NotHeld`] with the missing rules, or [`Escalation::Aggregation`].
pub fn check_role(user: &User, resource: &str, object: &Value, old: Option<&Value>, roles: &dyn Roles) -> Result<(), Escalation> {
    if user.in_group(MASTERS) || old.is_some_and(|old| grants_alike(old, object)) {
        return Ok(());
    }
    let (name, namespace) = identity(object);
    let target = ResourceWish::new(GROUP, resource).named(name).within(namespace);
    if authorize(user, &Wish::resource("escalate", target), roles).is_some() {
        return Ok(());
    }
    held_by(user, namespace, &rule::rules(object), roles)?;
    // What labels select today says nothing of what they select tomorrow: only who holds everything may aggregate.
    if aggregates(object) || old.is_some_and(aggregates) {
        held_by(user, namespace, &everything(), roles).map_err(|_| Escalation::Aggregation)?;
    }
    Ok(())
}

/// Whether two states of a role grant the same, to its own bindings and, by its labels, to roles that aggregate it.
fn grants_alike(old: &Value, new: &Value) -> bool {
    rule::rules(old) == rule::rules(new)
        && old["aggregationRule"] == new["aggregationRule"]
        && old["metadata"]["labels"] == new["metadata"]["labels"]
}

fn aggregates(role: &Value) -> bool {
    role["aggregationRule"]["clusterRoleSelectors"].as_array().is_some_and(|selectors| !selectors.is_empty())
}

/// The rules of who may do anything.
fn everything() -> [Rule; 2] {
    let all = || vec!["*".to_owned()];
    [Rule { verbs: all(), groups: all(), resources: all(), ..Rule::default() }, Rule { verbs: all(), paths: all(), ..Rule::default() }]
}

/// Judges the write of a RoleBinding or ClusterRoleBinding.
///
/// # Errors
/// [`Escalation::NotHeld`] with the missing rules, or [`Escalation::UnknownRole`].
pub fn check_binding(user: &User, object: &Value, old: Option<&Value>, roles: &dyn Roles) -> Result<(), Escalation> {
    let same = |old: &Value| old["roleRef"] == object["roleRef"] && old["subjects"] == object["subjects"];
    if user.in_group(MASTERS) || old.is_some_and(same) {
        return Ok(());
    }
    let reference = &object["roleRef"];
    let (_, namespace) = identity(object);
    let resource = if reference["kind"] == "ClusterRole" { "clusterroles" } else { "roles" };
    let name = reference["name"].as_str().unwrap_or_default();
    let target = ResourceWish::new(GROUP, resource).named(name).within(namespace);
    if authorize(user, &Wish::resource("bind", target), roles).is_some() {
        return Ok(());
    }
    let wanted = referenced_rules(reference, namespace, roles).ok_or_else(|| Escalation::UnknownRole(name.into()))?;
    held_by(user, namespace, &wanted, roles)
}

fn held_by(user: &User, namespace: &str, wanted: &[Rule], roles: &dyn Roles) -> Result<(), Escalation> {
    let mut missing: Vec<_> = rule::uncovered(&rules_of(user, namespace, roles), wanted).iter().map(Rule::compact).collect();
    if missing.is_empty() {
        return Ok(());
    }
    missing.sort();
    Err(Escalation::NotHeld(format!(
        "user {:?} (groups={}) is attempting to grant RBAC permissions not currently held:\n{}",
        user.name,
        quoted(&user.groups),
        missing.join("\n")
    )))
}

fn identity(object: &Value) -> (&str, &str) {
    let text = |field: &str| object["metadata"][field].as_str().unwrap_or_default();
    (text("name"), text("namespace"))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use serde_json::json;

    use super::*;
    use crate::rbac::bootstrap;
    use crate::rbac::tests::Listed;

    fn roles() -> Listed {
        let own = [
            json!({"kind": "ClusterRole", "metadata": {"name": "w"}, "rules": [{"apiGroups": ["g"], "resources": ["widgets"], "verbs": ["get"]}]}),
            json!({"kind": "ClusterRoleBinding", "metadata": {"name": "w"}, "roleRef": {"kind": "ClusterRole", "name": "w"}, "subjects": [{"kind": "User", "name": "bob"}]}),
        ];
        Listed(bootstrap::cluster().into_iter().chain(own).map(Arc::new).collect())
    }

    fn bob() -> User {
        User { name: "bob".into(), groups: vec!["team-b".into(), "system:authenticated".into()], ..User::default() }
    }

    fn binding(kind: &str, name: &str) -> Value {
        json!({"metadata": {"name": "b", "namespace": "n"}, "roleRef": {"kind": kind, "name": name}})
    }

    #[test]
    fn what_is_held_may_be_granted_and_nothing_else() {
        let role = json!({"metadata": {"name": "r", "namespace": "n"}, "rules": [{"apiGroups": ["g"], "resources": ["widgets"], "verbs": ["get"]}]});
        assert_eq!(check_role(&bob(), "roles", &role, None, &roles()), Ok(()));
        assert_eq!(
            check_binding(&bob(), &binding("ClusterRole", "cluster-admin"), None, &roles()).unwrap_err().to_string(),
            "user \"bob\" (groups=[\"team-b\" \"system:authenticated\"]) is attempting to grant RBAC permissions not currently held:\n\
             {APIGroups:[\"*\"], Resources:[\"*\"], Verbs:[\"*\"]}\n{NonResourceURLs:[\"*\"], Verbs:[\"*\"]}"
        );
    }

    #[test]
    fn a_missing_role_is_named() {
        assert_eq!(check_binding(&bob(), &binding("Role", "nosuch"), None, &roles()), Err(Escalation::UnknownRole("nosuch".into())));
    }

    #[test]
    fn aggregation_is_for_those_who_hold_everything() {
        let rule = json!({"clusterRoleSelectors": [{"matchLabels": {"kubernetes.io/bootstrapping": "rbac-defaults"}}]});
        let aggregating = json!({"metadata": {"name": "mine"}, "rules": [], "aggregationRule": rule});
        let plain = json!({"metadata": {"name": "mine"}, "rules": []});
        let check = |object: &Value, old: Option<&Value>| check_role(&bob(), "clusterroles", object, old, &roles());
        assert_eq!(check(&aggregating, None), Err(Escalation::Aggregation));
        assert_eq!(check(&aggregating, Some(&plain)), Err(Escalation::Aggregation));
        assert_eq!(check(&plain, Some(&aggregating)), Err(Escalation::Aggregation));
        assert_eq!(check(&aggregating, Some(&aggregating)), Ok(()));
        let admin = User { name: "root".into(), groups: vec![MASTERS.into()], ..User::default() };
        assert_eq!(check_role(&admin, "clusterroles", &aggregating, None, &roles()), Ok(()));
    }

    #[test]
    fn a_label_that_lends_a_stronger_role_is_no_small_change() {
        let strong = json!({"metadata": {"name": "r"}, "rules": [{"apiGroups": ["*"], "resources": ["*"], "verbs": ["*"]}]});
        let mut lent = strong.clone();
        lent["metadata"]["labels"] = json!({"rbac.authorization.k8s.io/aggregate-to-view": "true"});
        assert!(matches!(check_role(&bob(), "clusterroles", &lent, Some(&strong), &roles()), Err(Escalation::NotHeld(_))));
    }

    #[test]
    fn an_unchanged_role_may_be_written_by_anybody_who_may_write() {
        let role = json!({"metadata": {"name": "r"}, "rules": [{"apiGroups": ["*"], "resources": ["*"], "verbs": ["*"]}]});
        assert_eq!(check_role(&bob(), "clusterroles", &role, Some(&role), &roles()), Ok(()));
        assert!(check_role(&bob(), "clusterroles", &role, None, &roles()).is_err());
    }
}
