//! The people behind the content of a request: who requested it, and who last changed it. For a request that a promise created, they
//! include the people who requested or changed the request that it came from: there the control plane stamps the controller, and no one can
//! approve their own content that way.
//!
//! Which request created which is read from their status, which only the controller writes.

use std::sync::Arc;

use futures::future::try_join_all;
use imbl::OrdMap;
use k8s_openapi::api::authentication::v1::SelfSubjectReview;
use kube::api::PostParams;
use kube::{Api, ResourceExt};
use promise::api::Requester;
use promise::identity::{Changer, PersonId};
use promise::names;
use tokio::sync::OnceCell;

use super::context::ControllerContext;
use super::failure::FailureCause;
use super::refusals::CallFailure;
use crate::install::fulfiller;
use crate::kinds::PromiseRequest;
use crate::watch::Key;
use crate::workspaces::ClusterId;
use crate::world::World;

/// Longest chain of requests in which each created the next.
const DEEPEST: usize = 16;

/// Identity of the controller, looked up when it is first needed.
#[derive(Default)]
pub struct OwnName(OnceCell<PersonId>);

impl OwnName {
    /// Checks whether admission stamped an object that the controller itself created. Unlike a request, none was stamped by an earlier
    /// installation, so the cluster has to be the same as well.
    pub async fn is(&self, world: &World, stamp: &Requester) -> Result<bool, FailureCause> {
        let own = self.get(world).await?;
        Ok(stamp.username == own.username() && stamp.cluster.as_deref() == own.cluster())
    }

    /// Returns the identity as the control plane authenticates it.
    async fn get(&self, world: &World) -> Result<&PersonId, FailureCause> {
        let asking = || async {
            let access = world.access();
            let reviews = Api::<SelfSubjectReview>::all(access.endpoint.client(&access.token, &access.topology.own()));
            let answer = reviews.create(&PostParams::default(), &SelfSubjectReview::default()).await;
            let answer = answer.map_err(|error| CallFailure::new(&error, "look up its own user name"))?;
            let user = answer.status.and_then(|status| status.user_info).unwrap_or_default();
            let home = user.extra.as_ref().and_then(|extra| extra.get(names::KCP_USER_CLUSTER)?.first());
            let name = user.username.filter(|name| !name.is_empty()).map(|name| PersonId::new(&name, home.map(String::as_str)));
            name.ok_or(FailureCause::OwnNameUnknown)
        };
        self.0.get_or_try_init(asking).await
    }
}

/// The people behind the content of a request.
pub struct Authors {
    /// The original requester; `None` if that can't be determined.
    pub requester: Option<Requester>,
    /// The people who last changed the request or one of the requests that created it, and the requesters of those in between.
    pub changers: Vec<Changer>,
}

/// A request that refers to secret inputs.
#[derive(Clone, Copy)]
pub struct Referrer<'a> {
    /// Caches of the controller.
    pub world: &'a World,
    /// Key of the request.
    pub key: &'a Key,
    /// uid of the request.
    pub uid: &'a str,
}

impl Referrer<'_> {
    /// Checks whether it can use a Secret that was typed for `request` in its namespace: for itself, or for a request that created it and
    /// passes the secret on. Being allowed to create requests doesn't mean being allowed to read the secrets of others.
    pub fn can_refer_to(&self, request: &str) -> bool {
        let is_it = |maker: &PromiseRequest| maker.name_any() == request && maker.namespace().as_ref() == Some(&self.key.namespace);
        let makers = || makers(&self.world.requests.snapshot(), &self.key.cluster, self.uid.to_owned());
        request == self.key.name || makers().iter().any(|maker| is_it(maker))
    }
}

/// Finds the people behind the content of a request.
pub async fn authors(ctx: &ControllerContext, key: &Key, request: &PromiseRequest) -> Authors {
    let changer = changer(request);
    let Some(stamped) = request.spec.requester.clone() else {
        return Authors { requester: None, changers: changer.into_iter().collect() };
    };
    // The identity that creates requests beside this one.
    let maker = match key.cluster.namespace() {
        Some(namespace) => PersonId::new(&fulfiller(namespace), None),
        None => match ctx.own_name.get(&ctx.world).await {
            Ok(name) => name.clone(),
            Err(why) => {
                tracing::warn!(request = %key, %why, "the requester is unknown");
                return Authors { requester: None, changers: changer.into_iter().collect() };
            }
        },
    };
    let is_ours = is_maker(&maker, &stamped) || changer.as_ref().is_some_and(|changer| is_maker(&maker, &changer.stamp));
    if !is_ours {
        return people(&maker, stamped, changer, &[]);
    }
    let above = makers(&ctx.world.requests.snapshot(), &key.cluster, request.uid().unwrap_or_default());
    match read_live(ctx, key, &above).await {
        Ok(above) => people(&maker, stamped, changer, &above),
        Err(why) => {
            tracing::warn!(request = %key, %why, "the requester is unknown");
            Authors { requester: None, changers: changer.into_iter().collect() }
        }
    }
}

/// Returns the same requests as they are now: the caches might not show yet who changed one, while what it creates is already being judged.
/// The chain ends at a request that no longer exists.
async fn read_live(ctx: &ControllerContext, key: &Key, rows: &[Arc<PromiseRequest>]) -> Result<Vec<PromiseRequest>, FailureCause> {
    let client = ctx.targets.workspace(&key.cluster)?;
    let read = rows.iter().map(|row| async {
        let api = Api::<PromiseRequest>::namespaced(client.clone(), &row.namespace().unwrap_or_default());
        let read = api.get_opt(&row.name_any()).await;
        read.map(|read| read.filter(|read| read.uid() == row.uid()))
            .map_err(|error| CallFailure::new(&error, "read the requests that created this one"))
    });
    let read = try_join_all(read).await?;
    Ok(read.into_iter().map_while(|read| read).collect())
}

/// Returns the people behind a request with these stamps. `above` are the requests of which each created the one before, the nearest first.
/// `maker` creates requests for promises and requests nothing itself.
fn people(maker: &PersonId, stamped: Requester, changer: Option<Changer>, above: &[PromiseRequest]) -> Authors {
    let first = above.last().and_then(|first| first.spec.requester.clone());
    let requester = if is_maker(maker, &stamped) { first.filter(|asked| !is_maker(maker, asked)) } else { Some(stamped) };
    let owners = above.iter().filter_map(|above| above.spec.requester.clone()).map(|stamp| Changer { stamp, has_groups: true });
    let changers = changer.into_iter().chain(above.iter().filter_map(self::changer)).chain(owners);
    let changers = changers.filter(|changer| !is_maker(maker, &changer.stamp) && Some(&changer.stamp) != requester.as_ref());
    Authors { changers: changers.collect(), requester }
}

/// Checks whether a stamp is the maker's. Earlier installations recorded no cluster.
fn is_maker(maker: &PersonId, stamp: &Requester) -> bool {
    stamp.username == maker.username() && stamp.cluster.as_deref().is_none_or(|cluster| maker.cluster() == Some(cluster))
}

/// Returns who last changed the content of the request itself, as recorded by admission.
fn changer(request: &PromiseRequest) -> Option<Changer> {
    Changer::of(request.annotations())
}

/// Returns the request that created the one with this uid, the one that created that, and so on. Empty if no request did.
fn makers(rows: &OrdMap<Key, Arc<PromiseRequest>>, cluster: &ClusterId, mut uid: String) -> Vec<Arc<PromiseRequest>> {
    let from = Key::new(cluster.clone(), "", "");
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
        let key = Key::new(ClusterId::parse(cluster).unwrap(), "default", name);
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
