//! Rights in a workspace: first entry, then the role rules inside.

use crate::authn::impersonation::SCOPES;
use crate::authn::{ANONYMOUS, AUTHENTICATED};
use crate::rbac::wish::Wish;
use crate::rbac::{self};
use crate::request::User;
use crate::{ClusterId, State};

use super::roles::StoredRoles;

/// Whether the user may enter the workspace and do this in it.
pub fn allows(state: &State, cluster: &ClusterId, user: &User, wish: &Wish) -> bool {
    holds(state, cluster, user, &Wish::access()) && holds(state, cluster, user, wish)
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
