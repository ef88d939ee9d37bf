//! What is known of a workspace ends with its binding.

use std::sync::Arc;

use cluster::kinds::{Export, PromiseRequest};
use cluster::policies::PolicyBook;
use cluster::projection::Reader;
use cluster::watch::Key;
use cluster::world::Access;
use cluster::{ClusterId, World, install};
use kube::ResourceExt as _;
use kube::api::{Api, DeleteParams, DynamicObject, ListParams, Patch, PatchParams};
use kube::core::{ApiResource, GroupVersionKind};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::running::Machine;
use crate::world::{PATIENCE, Plane, condition, path, settings};

/// Removes the binding of a workspace to an export of ours.
async fn unbind(plane: &Plane, workspace: &str, export: Export) {
    let kind = ApiResource::from_gvk(&GroupVersionKind::gvk("apis.kcp.io", "v1alpha2", "APIBinding"));
    let bindings: Api<DynamicObject> = Api::all_with(plane.client("admin", workspace), &kind);
    let of_export = |binding: &DynamicObject| binding.data.pointer("/spec/reference/export/name").is_some_and(|name| name == export.name());
    let all = bindings.list(&ListParams::default()).await.unwrap();
    let own = all.iter().find(|binding| of_export(binding)).expect("it is bound").name_any();
    bindings.delete(&own, &DeleteParams::default()).await.unwrap();
    plane.gone(bindings, &own).await;
}

/// Of what there is something of a workspace in the caches.
fn known(world: &World, workspace: &ClusterId) -> Vec<&'static str> {
    fn has<V>(rows: &imbl::OrdMap<Key, Arc<V>>, workspace: &ClusterId) -> bool {
        rows.keys().any(|key| key.cluster == *workspace)
    }
    let kinds = [
        ("binding", has(&world.catalog_bindings.snapshot(), workspace)),
        ("catalog", has(&world.catalogs.snapshot(), workspace)),
        ("policy", has(&world.policies.snapshot(), workspace)),
        ("promise", has(&world.promises.snapshot(), workspace)),
        ("revision", has(&world.revisions.snapshot(), workspace)),
    ];
    kinds.into_iter().filter(|(_, has)| *has).map(|(kind, _)| kind).collect()
}

fn policy(name: &str) -> Value {
    json!({
        "apiVersion": "platform.opmodel.dev/v1alpha1", "kind": "Policy", "metadata": {"name": name},
        "spec": {
            "title": "Levels", "description": "Levels", "owner": {"team": "Platform"}, "appliesTo": {"promises": ["settings"]},
            "rules": [{"name": "level", "constrain": {"parameter": ".level", "maximum": 8}}],
        },
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_home_offers_and_rules_leaves_the_caches_with_its_binding() {
    let plane = Plane::open().await;
    let controller = plane.controller().await;
    plane.offer().await;
    plane.publish("settings", settings("1.0.0")).await;
    plane.publish_at("root:acme", "own", settings("1.0.0")).await;
    plane.govern(&policy("levels")).await;
    let access = Access { endpoint: plane.endpoint.clone(), token: plane.token("opm-portal"), topology: plane.topology.clone() };
    let (tasks, shutdown) = (TaskTracker::new(), CancellationToken::new());
    let world = World::start(access, Reader::Portal, Arc::new(Machine::default()), &tasks, &shutdown);
    tokio::time::timeout(PATIENCE, world.synced()).await.unwrap_or_else(|_| panic!("{:?}", world.gaps("the portal")));
    let home = world.tree().cluster(&path("root:platform")).expect("a home");
    assert_eq!(known(&world, &home), ["binding", "catalog", "policy", "promise", "revision"]);
    let trusted = [path("root:platform")];
    let book = PolicyBook::default();
    assert!(book.read(&world, &trusted).find(&home.to_string(), "levels").is_some());

    unbind(&plane, "root:platform", Export::Catalog).await;
    let empty = async {
        while !known(&world, &home).is_empty() {
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        }
    };
    let emptied = tokio::time::timeout(PATIENCE, empty).await;
    assert!(emptied.is_ok(), "{:?}", known(&world, &home));
    assert!(book.read(&world, &trusted).find(&home.to_string(), "levels").is_none());
    let others: Vec<String> = world.promises.snapshot().keys().map(|key| key.name.clone()).collect();
    assert_eq!(others, ["own"], "the other home is bound as before");
    shutdown.cancel();
    tasks.close();
    tasks.wait().await;
    controller.stop().await;
}

/// What came from a home stays as it is while the home is no longer bound, whatever is asked for and published meanwhile.
#[tokio::test(flavor = "multi_thread")]
async fn a_home_that_is_no_longer_bound_upgrades_nothing_that_came_from_it() {
    let plane = Plane::open().await;
    let controller = plane.controller().await;
    plane.offer().await;
    plane.publish("settings", settings("1.0.0")).await;
    plane.ask("web", "settings", json!({"level": 5})).await;
    let before = plane.ready("web").await.status.unwrap().current;
    unbind(&plane, "root:platform", Export::Catalog).await;
    let edit = json!({"spec": {"parameters": {"level": 6}}});
    plane.requests("dana").patch("web", &PatchParams::default(), &Patch::Merge(&edit)).await.unwrap();
    let is_held = |request: &PromiseRequest| condition(request, "Ready").starts_with("False RecordMissing");
    let held = plane.until("web", "held", is_held).await;
    assert_eq!(held.status.unwrap().current, before);

    let admin = plane.client("admin", "root:platform");
    install::bind(&admin, Export::Catalog, plane.installed()).await.unwrap();
    plane.offer().await;
    plane.publish("settings", settings("2.0.0")).await;
    let held = plane.requests("dana").get("web").await.unwrap();
    assert_eq!(held.status.unwrap().current, before, "a newer version is no way out");
    plane.publish("settings", settings("1.0.0")).await;
    let ready = plane.ready("web").await.status.unwrap().current.unwrap();
    assert_eq!(ready.version, "1.0.0");
    let made = plane.config_maps().get("web-config").await.unwrap().data.unwrap();
    assert_eq!(made["level"], "6");
    controller.stop().await;
}
