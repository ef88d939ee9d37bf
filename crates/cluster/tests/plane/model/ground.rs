//! A plane on which one case after the other is played.

use std::sync::Arc;

use cluster::kinds::{Approval, Promise, PromiseRelease, PromiseRequest};
use k8s_openapi::api::batch::v1::Job;
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube::api::{DeleteParams, ListParams, PostParams};
use kube::{Api, ResourceExt as _};
use promise::names;
use serde_json::json;

use super::check::ensure;
use super::clock::VirtualClock;
use super::desk::Desk;
use super::life::{Checked, Life};
use super::people;
use super::process::Fleet;
use super::published::{leaf, spec};
use super::scenario::Scenario;
use crate::world::{Plane, apply};

/// A plane with a ticket system, and controllers.
pub struct Ground {
    pub plane: Arc<Plane>,
    pub fleet: Arc<Fleet>,
    pub desk: Desk,
}

impl Ground {
    pub async fn open(namespaces: bool) -> Self {
        let plane = Arc::new(Plane::in_memory(namespaces, Arc::new(VirtualClock::new())).await);
        let (fleet, desk) = (Fleet::new(plane.clone()), Desk::open().await);
        apply(&plane.client("admin", "root:platform"), &desk.endpoint()).await.unwrap();
        plane.offer().await;
        people::let_decide(&plane).await;
        if namespaces {
            people::let_run_jobs(&plane).await;
        }
        fleet.start(0, false).await;
        plane.publish("leaf", leaf()).await;
        Self { plane, fleet, desk }
    }

    /// Plays a case. The error says what isn't as predicted.
    pub async fn play(&self, scenario: &Scenario, number: usize) -> Result<Checked, String> {
        let (name, promise) = (format!("web{number}"), format!("p{number}"));
        self.fleet.start(scenario.seed, scenario.has_standby).await;
        self.plane.publish(&promise, spec(scenario)).await;
        let bystander = self.bystander(&name).await;
        let network = &self.fleet.network;
        network.history.lock().clear();
        self.desk.begin(scenario);
        network.begin(scenario.faults.clone());
        let mut life = Life::begin(self, scenario, &name, &promise).await?;
        let checked = life.live(&scenario.life).await;
        network.calm();
        let checked = checked?;
        self.nothing_is_left(&name, life.uid(), &bystander).await?;
        self.clean(&promise).await;
        Ok(checked)
    }

    /// Something of someone else, with a name like those of the request's objects.
    async fn bystander(&self, name: &str) -> ConfigMap {
        let map = json!({"metadata": {"name": format!("{name}-r9")}, "data": {"level": "0"}});
        self.plane.config_maps().create(&PostParams::default(), &serde_json::from_value(map).unwrap()).await.unwrap()
    }

    /// A request that is gone leaves nothing behind, and took nothing else along.
    async fn nothing_is_left(&self, name: &str, uid: &str, bystander: &ConfigMap) -> Result<(), String> {
        let own = ListParams::default().labels(&format!("{}={uid}", names::REQUEST_UID_LABEL));
        let mut left = Vec::new();
        let named = |kind: &'static str, names: Vec<String>| names.into_iter().map(move |name| format!("{kind} {name}"));
        left.extend(named("Secret", names_of(self.plane.in_shop::<Secret>("admin"), &own).await));
        left.extend(named("request", names_of(self.plane.in_shop::<PromiseRequest>("admin"), &own).await));
        left.extend(named("release", names_of(self.plane.in_shop::<PromiseRelease>("admin"), &own).await));
        if self.plane.has_namespaces() {
            left.extend(named("Job", names_of(self.plane.in_shop::<Job>("admin"), &own).await));
        }
        let maps = names_of(self.plane.config_maps(), &ListParams::default()).await;
        let maps = maps.into_iter().filter(|map| map.starts_with(&format!("{name}-")) && *map != bystander.name_any());
        left.extend(named("ConfigMap", maps.collect()));
        ensure(left.is_empty(), || format!("it is gone and left {left:?}"))?;
        let now = self.plane.config_maps().get_opt(&bystander.name_any()).await.unwrap();
        ensure(now.as_ref() == Some(bystander), || format!("someone else's object became {now:?}"))
    }

    /// Removes what the next cases don't need.
    async fn clean(&self, promise: &str) {
        let promises: Api<Promise> = Api::all(self.plane.client("admin", "root:platform"));
        promises.delete(promise, &DeleteParams::default()).await.unwrap();
        let approvals: Api<Approval> = Api::all(self.plane.client("admin", "root:platform"));
        for approval in names_of(approvals.clone(), &ListParams::default()).await {
            approvals.delete(&approval, &DeleteParams::default()).await.unwrap();
        }
    }
}

async fn names_of<K>(api: Api<K>, params: &ListParams) -> Vec<String>
where
    K: kube::Resource + Clone + std::fmt::Debug + serde::de::DeserializeOwned,
{
    api.list(params).await.unwrap().items.iter().map(kube::ResourceExt::name_any).collect()
}
