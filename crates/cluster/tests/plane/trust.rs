//! The trust boundary (`domain.md` 10): what tenants try and must not get, one list for every plane.
//!
//! An attack is a function of a plane on which a request of the shop, `web`, is ready. Dana administers the shop and has every right there
//! that a plane lets people have; Erin may ask for things. To add one: a function in the file of its subject, and its name in that file's
//! list, with the reason where a plane has nothing to attack. Kinds that come later bring their own lines: actions, workflows.

mod impersonation;
mod others;
mod places;
mod records;

use std::pin::Pin;
use std::sync::Arc;

use serde_json::json;

use crate::world::{Plane, apply, settings};

type Run = fn(Arc<Plane>) -> Pin<Box<dyn Future<Output = ()> + Send>>;

/// What is tried.
pub struct Attack {
    name: &'static str,
    /// Why a plane with namespaces for workspaces has no such line, or one with workspaces.
    missing: Missing,
    run: Run,
}

/// Where there is nothing to attack.
pub enum Missing {
    Nowhere,
    InNamespaces(&'static str),
    InWorkspaces(&'static str),
}

/// Names each function of a file as an attack.
macro_rules! attacks {
    ($($name:ident $(: $missing:expr)?),* $(,)?) => {
        pub const ATTACKS: &[crate::trust::Attack] = &[$(crate::trust::Attack::new(
            stringify!($name),
            crate::trust::attacks!(@missing $($missing)?),
            |plane| Box::pin(async move { $name(&plane).await }),
        )),*];
    };
    (@missing) => { crate::trust::Missing::Nowhere };
    (@missing $missing:expr) => { $missing };
}
pub(crate) use attacks;

impl Attack {
    pub const fn new(name: &'static str, missing: Missing, run: Run) -> Self {
        Self { name, missing, run }
    }

    /// Why there is nothing to attack on this plane.
    fn missing_on(&self, plane: &Plane) -> Option<&'static str> {
        match self.missing {
            Missing::InNamespaces(why) if plane.has_namespaces() => Some(why),
            Missing::InWorkspaces(why) if !plane.has_namespaces() => Some(why),
            _ => None,
        }
    }
}

crate::world::on_every_plane![what_tenants_try_they_do_not_get];

async fn what_tenants_try_they_do_not_get(plane: Plane) {
    let plane = Arc::new(plane);
    let controller = plane.controller().await;
    plane.offer().await;
    plane.publish("settings", settings("1.0.0")).await;
    let_erin_in(&plane).await;
    plane.ask("web", "settings", json!({})).await;
    plane.ready("web").await;
    let mut got = Vec::new();
    for attack in records::ATTACKS.iter().chain(impersonation::ATTACKS).chain(others::ATTACKS).chain(places::ATTACKS) {
        if let Some(why) = attack.missing_on(&plane) {
            println!("{}: not on this plane: {why}", attack.name);
            continue;
        }
        // The panic of an attack prints where it was.
        match tokio::spawn((attack.run)(plane.clone())).await {
            Ok(()) => println!("{}: refused", attack.name),
            Err(_) => got.push(attack.name),
        }
    }
    controller.stop().await;
    assert!(got.is_empty(), "tenants get through with {}", got.join(", "));
}

/// Erin may ask for things in the shop, as the roles of an installation say it.
pub async fn let_erin_in(plane: &Plane) {
    let shop = plane.client("admin", "root:acme:shop");
    let bound = |kind: &str, role: &str, metadata| {
        json!({
            "apiVersion": "rbac.authorization.k8s.io/v1", "kind": kind, "metadata": metadata,
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": role},
            "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": "erin"}],
        })
    };
    if plane.has_namespaces() {
        apply(&shop, &bound("RoleBinding", "opm-user", json!({"name": "erin", "namespace": "shop"}))).await.unwrap();
        plane.lets_in("erin").await;
        return;
    }
    let role = json!({
        "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "metadata": {"name": "erin"},
        "rules": [
            {"nonResourceURLs": ["/"], "verbs": ["access"]},
            {"apiGroups": ["platform.opmodel.dev"], "resources": ["promiserequests"], "verbs": ["*"]},
            {"apiGroups": ["platform.opmodel.dev"], "resources": ["promisereleases"], "verbs": ["get", "list", "watch"]},
        ],
    });
    apply(&shop, &role).await.unwrap();
    apply(&shop, &bound("ClusterRoleBinding", "erin", json!({"name": "erin"}))).await.unwrap();
    plane.lets_in("erin").await;
}

/// That the plane refused, and not for want of an answer.
pub fn refused<T: std::fmt::Debug>(what: &str, answer: Result<T, kube::Error>) {
    match answer {
        Err(kube::Error::Api(status)) if matches!(status.code, 400 | 403 | 404 | 405 | 422) => {}
        other => panic!("{what}: {other:?}"),
    }
}
