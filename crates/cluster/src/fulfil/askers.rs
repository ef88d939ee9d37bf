//! Who asked for a request that a promise makes: whoever asked for what made it. The plane stamps the controller there, and nobody may
//! approve in that way what they asked for themselves.
//!
//! Which request made which is read from their status, which nobody but the controller writes.

use std::sync::Arc;

use imbl::OrdMap;
use k8s_openapi::api::authentication::v1::SelfSubjectReview;
use kube::api::PostParams;
use kube::{Api, ResourceExt};
use promise::api::Requester;
use tokio::sync::OnceCell;

use super::core::Core;
use super::words::told;
use crate::install::fulfiller;
use crate::kinds::PromiseRequest;
use crate::watch::Key;
use crate::workspaces::ClusterId;
use crate::world::World;

/// Requests of which each made the next, at most.
const DEEPEST: usize = 16;

/// The controller's user name, asked for when it is first needed.
#[derive(Default)]
pub struct OwnName(OnceCell<String>);

impl OwnName {
    /// As the plane authenticates it. Errors: a sentence.
    async fn get(&self, world: &World) -> Result<&str, String> {
        let asking = || async {
            let access = world.access();
            let reviews = Api::<SelfSubjectReview>::all(access.endpoint.client(&access.token, &access.topology.own()));
            let answer = reviews.create(&PostParams::default(), &SelfSubjectReview::default()).await;
            let answer = answer.map_err(|error| told(&error, "ask for its own name"))?;
            let name = answer.status.and_then(|status| status.user_info).and_then(|user| user.username);
            name.filter(|name| !name.is_empty()).ok_or_else(|| "The plane did not say who the controller is.".to_owned())
        };
        self.0.get_or_try_init(asking).await.map(String::as_str)
    }
}

/// Who asked for a request, in the end; nothing where that cannot be told.
pub async fn asker(core: &Core, key: &Key, request: &PromiseRequest) -> Option<Requester> {
    let stamped = request.spec.requester.clone()?;
    // As whom requests are made beside this one.
    let maker = match key.cluster.namespace() {
        Some(namespace) => fulfiller(namespace),
        None => match core.own_name.get(&core.world).await {
            Ok(name) => name.to_owned(),
            Err(why) => {
                tracing::warn!(request = %key, why, "who asked for it cannot be told");
                return None;
            }
        },
    };
    if stamped.username != maker {
        return Some(stamped);
    }
    let first = first(&core.world.requests.snapshot(), &key.cluster, request.uid()?)?;
    first.spec.requester.clone().filter(|asked| asked.username != maker)
}

/// The request that made the one with this uid, or the first of several of which each made the next; nothing where none did.
fn first(rows: &OrdMap<Key, Arc<PromiseRequest>>, cluster: &ClusterId, mut uid: String) -> Option<Arc<PromiseRequest>> {
    let from = Key { cluster: cluster.clone(), namespace: String::new(), name: String::new() };
    let mut first = None;
    for _ in 0..DEEPEST {
        let made = |request: &PromiseRequest| {
            let inventory = request.status.as_ref().map(|status| status.inventory.as_slice()).unwrap_or_default();
            inventory.iter().any(|item| item.uid.as_deref() == Some(uid.as_str()))
        };
        let mut here = rows.range(from.clone()..).take_while(|(at, _)| at.cluster == *cluster);
        let Some((_, maker)) = here.find(|(_, request)| made(request)) else { break };
        uid = maker.uid().unwrap_or_default();
        first = Some(maker.clone());
    }
    first
}

#[cfg(test)]
mod tests {
    use promise::api::{InventoryItem, PromiseRequestSpec, PromiseRequestStatus};

    use super::*;
    use crate::kinds::{PromiseRequestKind, object};

    fn made(rows: &mut OrdMap<Key, Arc<PromiseRequest>>, cluster: &str, name: &str, makes: &[&str]) {
        let key = Key { cluster: ClusterId::parse(cluster).unwrap(), namespace: "default".into(), name: name.into() };
        let mut request = object::<PromiseRequestKind>(name, Some("default"), PromiseRequestSpec::default());
        request.metadata.uid = Some(format!("u-{name}"));
        let item = |made: &&str| InventoryItem { uid: Some(format!("u-{made}")), ..InventoryItem::default() };
        let inventory = makes.iter().map(item).collect();
        request.status = Some(PromiseRequestStatus { inventory, ..PromiseRequestStatus::default() });
        rows.insert(key, Arc::new(request));
    }

    #[test]
    fn the_first_is_found_by_what_the_status_of_each_says_that_it_made() {
        let mut rows = OrdMap::new();
        made(&mut rows, "shop", "outer", &["other", "middle"]);
        made(&mut rows, "shop", "middle", &["inner"]);
        made(&mut rows, "shop", "inner", &[]);
        made(&mut rows, "attic", "stranger", &["alone"]);
        made(&mut rows, "shop", "alone", &[]);
        let shop = ClusterId::parse("shop").unwrap();
        let of = |name: &str| first(&rows, &shop, format!("u-{name}")).map(|request| request.name_any());
        assert_eq!((of("inner").as_deref(), of("middle").as_deref()), (Some("outer"), Some("outer")));
        assert_eq!((of("outer"), of("alone")), (None, None), "nothing is made in another workspace");
    }

    #[test]
    fn requests_that_made_one_another_come_to_an_end() {
        let mut rows = OrdMap::new();
        made(&mut rows, "shop", "a", &["b"]);
        made(&mut rows, "shop", "b", &["a"]);
        assert!(first(&rows, &ClusterId::parse("shop").unwrap(), "u-a".to_owned()).is_some());
    }
}
