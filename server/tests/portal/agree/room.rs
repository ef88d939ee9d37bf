//! Limits and budgets: what fits hangs on what came before. So these requests are made one after the other, and stay: both sides count the
//! same.

use cluster::kinds::PromiseRequest;
use cluster::usage::in_force;
use cluster::watch::Key;
use kube::Api;
use kube::api::ListParams;
use promise::api::PolicySpec;
use promise::preflight::Verdict::{Accepted, Refused};
use serde_json::{Value, json};

use super::{Outcome, World, agree};

fn policy(promise: &str, rule: &Value) -> PolicySpec {
    serde_json::from_value(json!({
        "owner": {"team": "Rooms"}, "rules": [rule], "appliesTo": {"promises": [promise], "workspaces": ["root:acme:**"]},
    }))
    .expect("a policy")
}

impl World {
    /// Asks and writes in turn: new requests until there is no room, changes of some, and what becomes of the refused one once there is.
    pub(super) async fn room(&self) {
        let (bucket, redis) = (self.offer("object-bucket"), self.offer("redis"));
        let requests: Api<PromiseRequest> = self.beside();
        self.until("nothing is left of what was judged before", async || {
            let left = requests.list(&ListParams::default()).await.expect("a list").items;
            let known = self.product.running.portal.world.requests.snapshot();
            (left.is_empty() && !known.keys().any(|key| key.cluster == self.workspace.cluster)).then_some(())
        })
        .await;
        self.govern("two-buckets", policy("object-bucket", &json!({"name": "two", "limit": {"count": 2, "per": "workspace"}}))).await;
        // A small cache is 9.50 a month.
        let budget = json!({"name": "spending", "budget": {"monthly": "25.00", "currency": "EUR", "per": "workspace"}});
        self.govern("caches-for-25", policy("redis", &budget)).await;
        for (at, (name, offered, parameters, expected)) in [
            ("files-a", bucket, json!({}), Accepted),
            ("files-b", bucket, json!({}), Accepted),
            ("files-c", bucket, json!({}), Refused),
            // A change does not count what it changes.
            ("files-a", bucket, json!({"versioning": true}), Accepted),
            ("cache-a", redis, json!({}), Accepted),
            ("cache-b", redis, json!({}), Accepted),
            ("cache-c", redis, json!({}), Refused),
            ("cache-b", redis, json!({"replicas": 2}), Refused),
            ("cache-b", redis, json!({"eviction": "never-evict"}), Accepted),
        ]
        .into_iter()
        .enumerate()
        {
            let known = requests.get_opt(name).await.expect("an answer");
            assert_eq!(self.judged(name, offered, &parameters, known.as_ref()).await, expected, "step {at}, {name} {parameters}");
            self.counted(name).await;
        }

        self.delete("files-b").await;
        self.gone("files-b").await;
        let known = self.request("files-c").await;
        let told = self.told("files-c", bucket, &json!({}), Some(&known)).await;
        let outcome = self.until("what was refused is accepted, as there is room", async || {
            let outcome = self.outcome("files-c", &known).await;
            matches!(outcome, Outcome::Accepted(_)).then_some(outcome)
        });
        agree("files-c, once there is room", &told, &outcome.await);

        for name in ["files-a", "files-c", "cache-a", "cache-b", "cache-c"] {
            self.delete(name).await;
            self.gone(name).await;
        }
        self.lift("two-buckets").await;
        self.lift("caches-for-25").await;
    }

    fn key(&self, name: &str) -> Key {
        Key::new(self.workspace.cluster.clone(), "default", name)
    }

    /// Waits until the portal counts of a request what the plane says is accepted of it.
    async fn counted(&self, name: &str) {
        let (world, key) = (&self.product.running.portal.world, self.key(name));
        self.until("the portal counts it", async || {
            let (wanted, known) = (self.request(name).await, world.requests.get(&key)?);
            let release = in_force(&known).map(str::to_owned);
            let is_known = release.as_ref().is_none_or(|release| {
                let key = key.beside(release.clone());
                world.releases.get(&key).is_some()
            });
            (release.as_deref() == in_force(&wanted) && is_known).then_some(())
        })
        .await;
    }

    /// Waits until nobody has a request any more.
    async fn gone(&self, name: &str) {
        let requests: Api<PromiseRequest> = self.beside();
        let (world, key) = (&self.product.running.portal.world, self.key(name));
        self.until("it is gone", async || {
            let is_there = requests.get_opt(name).await.expect("an answer").is_some() || world.requests.get(&key).is_some();
            (!is_there).then_some(())
        })
        .await;
    }
}
