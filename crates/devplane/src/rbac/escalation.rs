//! Nobody grants more than he holds: the checks on writes of roles and bindings.

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
    /// The binding refers to a role that is not there, and only its rules could tell whether it may be granted.
    #[error("role {0:?} not found")]
    UnknownRole(String),
}

/// Judges the write of a Role or ClusterRole (`resource` is `roles` or `clusterroles`).
///
/// # Errors
/// [`Escalation::NotHeld`] with the missing rules.
pub fn check_role(user: &User, resource: &str, object: &Value, old: Option<&Value>, roles: &dyn Roles) -> Result<(), Escalation> {
    let wanted = rule::rules(object);
    if user.in_group(MASTERS) || old.is_some_and(|old| rule::rules(old) == wanted) {
        return Ok(());
    }
    let (name, namespace) = identity(object);
    let target = ResourceWish::new(GROUP, resource).named(name).within(namespace);
    if authorize(user, &Wish::resource("escalate", target), roles).is_some() {
        return Ok(());
    }
    held_by(user, namespace, &wanted, roles)
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
    fn an_unchanged_role_may_be_written_by_anybody_who_may_write() {
        let role = json!({"metadata": {"name": "r"}, "rules": [{"apiGroups": ["*"], "resources": ["*"], "verbs": ["*"]}]});
        assert_eq!(check_role(&bob(), "clusterroles", &role, Some(&role), &roles()), Ok(()));
        assert!(check_role(&bob(), "clusterroles", &role, None, &roles()).is_err());
    }
}
