//! Rights in a workspace: first entry, then the role rules inside, capped by the permission policies of bound exports.
//! Source: kcp `pkg/authorization/{workspace_content,maximal_permission_policy}_authorizer.go`.

use crate::authn::impersonation::SCOPES;
use crate::authn::service_accounts::CLUSTER_NAME;
use crate::authn::{ANONYMOUS, AUTHENTICATED};
use crate::rbac;
use crate::rbac::wish::{About, Wish};
use crate::request::User;
use crate::{ClusterId, State, bindings, exports, workspaces};

use super::roles::StoredRoles;

/// Prefix of users and groups where an export's own roles say what consumers may do at most.
const CONSUMER: &str = "apis.kcp.io:binding:";

/// Whether the user may enter the workspace and do this in it. What does not exist cannot be entered.
pub fn allows(state: &State, cluster: &ClusterId, user: &User, wish: &Wish) -> bool {
    workspaces::exists(state, cluster)
        && (is_own_account(user, cluster) || holds(state, cluster, user, &Wish::access()))
        && holds(state, cluster, user, wish)
        && permission_policy_allows(state, cluster, user, wish)
}

/// Whether the user is a service account of the workspace, which needs no right to enter it. One that is impersonated in it counts as one.
fn is_own_account(user: &User, cluster: &ClusterId) -> bool {
    let own = |clusters: &Vec<String>| clusters.iter().any(|own| own == cluster.as_str());
    effective(user, cluster).name.starts_with("system:serviceaccount:") && user.extra.get(CLUSTER_NAME).is_none_or(own)
}

/// Whether the export behind a resource lets its consumers do this. It caps everybody, administrators included, and each subresource
/// is a resource of its own.
fn permission_policy_allows(state: &State, cluster: &ClusterId, user: &User, wish: &Wish) -> bool {
    let About::Resource(target) = &wish.about else { return true };
    let Some(export) = bindings::export_behind(state, cluster, &target.group, &target.resource) else { return true };
    match exports::load(state, &export.provider, &export.name) {
        Some(object) if exports::has_permission_policy(&object) => {
            let user = effective(user, cluster);
            let consumer = User {
                name: format!("{CONSUMER}{}", user.name),
                groups: user.groups.iter().map(|group| format!("{CONSUMER}{group}")).collect(),
                ..User::default()
            };
            rbac::authorize(&consumer, wish, &StoredRoles::of(state, &export.provider)).is_some()
        }
        _ => true,
    }
}

/// Whether the role rules of a workspace allow this, entry not considered: so are `bind` and `use` judged, which need none.
pub fn holds(state: &State, cluster: &ClusterId, user: &User, wish: &Wish) -> bool {
    let user = effective(user, cluster);
    rbac::authorize(&user, wish, &StoredRoles::of(state, cluster)).is_some()
}

/// The user as one workspace sees him: outside of the workspace that an impersonated user is scoped to he is nobody in particular.
fn effective<'a>(user: &'a User, cluster: &ClusterId) -> std::borrow::Cow<'a, User> {
    use std::borrow::Cow;
    match user.extra.get(SCOPES) {
        Some(scopes) if !scopes.iter().any(|scope| scope.strip_prefix("cluster:") == Some(cluster.as_str())) => {
            Cow::Owned(User { name: ANONYMOUS.into(), groups: vec![AUTHENTICATED.into()], ..User::default() })
        }
        _ => Cow::Borrowed(user),
    }
}
