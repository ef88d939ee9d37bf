//! Who is behind what a request asks for: who asked for it, and who changed it last. Of a request that a promise makes it is also whoever
//! asked for what made it, or changed that: the plane stamps the controller there, and nobody may approve in that way what is their own.
//!
//! Which request made which is read from their status, which nobody but the controller writes.

use std::sync::Arc;

use imbl::OrdMap;
use k8s_openapi::api::authentication::v1::SelfSubjectReview;
use kube::api::PostParams;
use kube::{Api, ResourceExt};
use promise::api::Requester;
use promise::names;
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

/// Who is behind what a request asks for.
pub struct Behind {
    /// Who asked for it, in the end; nothing where that cannot be told.
    pub requester: Option<Requester>,
    /// User names of who changed it last, or one of the requests that made it.
    pub changers: Vec<String>,
}

/// Finds out who is behind what a request asks for.
pub async fn behind(core: &Core, key: &Key, request: &PromiseRequest) -> Behind {
    let mut changers: Vec<String> = changer(request).into_iter().collect();
    let Some(stamped) = request.spec.requester.clone() else { return Behind { requester: None, changers } };
    // As whom requests are made beside this one.
    let maker = match key.cluster.namespace() {
        Some(namespace) => fulfiller(namespace),
        None => match core.own_name.get(&core.world).await {
            Ok(name) => name.to_owned(),
            Err(why) => {
                tracing::warn!(request = %key, why, "who asked for it cannot be told");
                return Behind { requester: None, changers };
            }
        },
    };
    if stamped.username != maker {
        return Behind { requester: Some(stamped), changers };
    }
    let above = makers(&core.world.requests.snapshot(), &key.cluster, request.uid().unwrap_or_default());
    changers.extend(above.iter().filter_map(|above| changer(above)));
    let first = above.last().and_then(|first| first.spec.requester.clone());
    Behind { requester: first.filter(|asked| asked.username != maker), changers }
}

/// Who changed last what a request itself asks for, as admission noted it.
fn changer(request: &PromiseRequest) -> Option<String> {
    request.annotations().get(names::CHANGED_BY_ANNOTATION).cloned()
}

/// The request that made the one with this uid, the one that made that, and so on; none where none did.
fn makers(rows: &OrdMap<Key, Arc<PromiseRequest>>, cluster: &ClusterId, mut uid: String) -> Vec<Arc<PromiseRequest>> {
    let from = Key { cluster: cluster.clone(), namespace: String::new(), name: String::new() };
    let mut all = Vec::new();
    for _ in 0..DEEPEST {
        let made = |request: &PromiseRequest| {
            let inventory = request.status.as_ref().map(|status| status.inventory.as_slice()).unwrap_or_default();
            inventory.iter().any(|item| item.uid.as_deref() == Some(uid.as_str()))
        };
        let mut here = rows.range(from.clone()..).take_while(|(at, _)| at.cluster == *cluster);
        let Some((_, maker)) = here.find(|(_, request)| made(request)) else { break };
        uid = maker.uid().unwrap_or_default();
        all.push(maker.clone());
    }
    all
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
        let of = |name: &str| {
            let all = makers(&rows, &shop, format!("u-{name}"));
            all.iter().map(|request| request.name_any()).collect::<Vec<_>>()
        };
        assert_eq!(of("inner"), ["middle", "outer"]);
        assert_eq!(of("middle"), ["outer"]);
        assert!(of("outer").is_empty() && of("alone").is_empty(), "nothing is made in another workspace");
    }

    #[test]
    fn requests_that_made_one_another_come_to_an_end() {
        let mut rows = OrdMap::new();
        made(&mut rows, "shop", "a", &["b"]);
        made(&mut rows, "shop", "b", &["a"]);
        assert_eq!(makers(&rows, &ClusterId::parse("shop").unwrap(), "u-a".to_owned()).len(), DEEPEST);
    }
}
