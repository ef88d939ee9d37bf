//! Chains of N: objects of tenants that refer to each other, in a line, a circle or any other way.

use std::sync::Arc;

use devplane::{
    chains::reach,
    rbac::{self, Roles, wish::Wish},
    request::User,
};
use serde_json::{Value, json};

use crate::bytes::Bytes;

/// The longest chain of roles: a role is an object, and each aggregating one looks at all of them.
const ROLES: usize = 2_000;

/// ClusterRoles, of which the first is bound to everybody.
struct Chain(Vec<Arc<Value>>);

impl Roles for Chain {
    fn cluster_role_bindings(&self) -> Vec<Arc<Value>> {
        let role = json!({"kind": "ClusterRole", "name": "r0"});
        vec![Arc::new(json!({"metadata": {"name": "b"}, "roleRef": role, "subjects": [{"kind": "User", "name": "u"}]}))]
    }

    fn role_bindings(&self, _: &str) -> Vec<Arc<Value>> {
        Vec::new()
    }

    fn cluster_roles(&self) -> Vec<Arc<Value>> {
        self.0.clone()
    }

    fn cluster_role(&self, name: &str) -> Option<Arc<Value>> {
        self.0.iter().find(|role| role["metadata"]["name"] == name).cloned()
    }

    fn role(&self, _: &str, _: &str) -> Option<Arc<Value>> {
        None
    }
}

/// Follows chains as long as two bytes say: each link leads to the next one, and to some that the input names.
pub(crate) fn run(data: &[u8]) {
    let mut bytes = Bytes::new(data, &[]);
    let length = usize::from(u16::from_be_bytes([bytes.byte(), bytes.byte()])).max(1);
    let is_circle = bytes.one_in(2);
    let mut next: Vec<Vec<usize>> =
        (0..length).map(|link| if link + 1 < length || is_circle { vec![(link + 1) % length] } else { vec![] }).collect();
    while !bytes.is_empty() {
        let (from, to) = (bytes.byte(), bytes.byte());
        next[usize::from(from) * 257 % length].push(usize::from(to) * 257 % length);
    }
    let limit = 1 + length / 2;
    let reached = reach(0, limit, |link| Some(((), next.get(*link)?.clone())));
    assert!(reached.found.len() <= limit, "more than the limit was looked at");
    assert_eq!(reached.is_complete, length <= limit, "every link leads to the next one: all are reached, or too many");

    let role = |(link, next): (usize, &Vec<usize>)| {
        let selectors: Vec<Value> = next.iter().map(|next| json!({"matchLabels": {"link": next.to_string()}})).collect();
        let metadata = json!({"name": format!("r{link}"), "labels": {"link": link.to_string()}});
        Arc::new(json!({"metadata": metadata, "aggregationRule": {"clusterRoleSelectors": selectors}}))
    };
    let chain = Chain(next.iter().take(ROLES).enumerate().map(role).collect());
    let user = User { name: "u".into(), ..User::default() };
    assert_eq!(rbac::authorize(&user, &Wish::path("get", "/"), &chain), None, "nobody has a rule");
}
