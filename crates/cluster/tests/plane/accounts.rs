//! On kcp, portal and controller can be ServiceAccounts of the provider workspace. Those of other workspaces with the same names are not them.

use std::sync::Arc;

use cluster::clock::Clock;
use cluster::endpoint::ServiceAccount;
use cluster::install::{self, Finding};
use cluster::projection::Reader;
use cluster::world::Access;
use cluster::{Scope, Token};
use kube::api::{Patch, PatchParams};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::running::Machine;
use crate::world::{Plane, apply, path, settings, workspace};

/// The token of a ServiceAccount of `opm-system` in a workspace.
async fn account(plane: &Plane, at: &str, name: &str) -> Token {
    let account = ServiceAccount { namespace: install::SYSTEM_NAMESPACE.to_owned(), name: name.to_owned() };
    account.issue(&plane.client("admin", at)).await.unwrap().token
}

#[tokio::test(flavor = "multi_thread")]
async fn service_accounts_of_the_provider_workspace_fulfil_and_those_of_a_tenant_are_nobody() {
    let mut plane = Plane::open().await;
    for name in ["opm-controller", "opm-portal"] {
        let token = account(&plane, "root:opm", name).await;
        plane.accounts.insert(name, token);
    }
    let controller = plane.controller().await;
    plane.offer().await;
    plane.publish("settings", settings("1.0.0")).await;
    plane.ask("web", "settings", json!({"extra": true})).await;
    plane.ready("web").await;

    let shop = plane.client("admin", "root:acme:shop");
    let metadata = json!({"name": "opm-controller", "namespace": install::SYSTEM_NAMESPACE});
    for object in [
        json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": install::SYSTEM_NAMESPACE}}),
        json!({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": metadata}),
        json!({
            "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding", "metadata": {"name": "forged"},
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "cluster-admin"},
            "subjects": [{"kind": "ServiceAccount", "name": "opm-controller", "namespace": install::SYSTEM_NAMESPACE}],
        }),
    ] {
        apply(&shop, &object).await.unwrap();
    }
    let forged = account(&plane, "root:acme:shop", "opm-controller").await;
    plane.accounts.insert("forged", forged);
    let freed = json!({"metadata": {"finalizers": []}});
    let refused = plane.requests("forged").patch("web", &PatchParams::default(), &Patch::Merge(&freed)).await.unwrap_err();
    assert!(refused.to_string().contains("only the controller can remove"), "{refused}");
    let impersonating = plane.endpoint.client_as(
        &plane.token("admin"),
        &Scope::Workspace(path("root:acme:shop")),
        "system:serviceaccount:opm-system:opm-controller",
    );
    let requests: kube::Api<cluster::kinds::PromiseRequest> = kube::Api::namespaced(impersonating, plane.namespace());
    let refused = requests.patch("web", &PatchParams::default(), &Patch::Merge(&freed)).await.unwrap_err();
    assert!(refused.to_string().contains("only the controller can remove"), "{refused}");
    controller.stop().await;
}

/// What `doctor` finds out about an identity: it reads with it what `serve` would read.
async fn examined(plane: &Plane, token: Token) -> Vec<Finding> {
    let access = Access { endpoint: plane.endpoint.clone(), token, topology: plane.topology.clone() };
    let (clock, shutdown): (Arc<dyn Clock>, _) = (Arc::new(Machine::default()), CancellationToken::new());
    let found = install::readable(access, "opm-portal", Reader::Portal, clock, &shutdown).await;
    let found = found.map_or_else(|fails| fails, |world| install::settled(&world));
    shutdown.cancel();
    found
}

#[tokio::test(flavor = "multi_thread")]
async fn an_identity_that_cannot_read_what_serve_needs_is_found() {
    let plane = Plane::open().await;
    assert_eq!(examined(&plane, plane.token("opm-portal")).await, []);
    let fails = examined(&plane, plane.token("erin")).await;
    assert!(fails.iter().any(|found| found.what.contains("endpoint slice") && found.remedy == "opm-portal bootstrap"), "{fails:?}");
    let fails = examined(&plane, Token::new("of nobody")).await;
    assert!(fails.iter().any(|found| found.remedy.contains("accept the token of opm-portal")), "{fails:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn consumers_whose_claims_or_ancestors_are_missing_are_found_and_bind_mends_them() {
    let plane = Plane::open().await;
    for (parent, name) in [("root", "globex"), ("root:globex", "web")] {
        workspace(&plane.client("admin", parent), name).await;
    }
    let (administrator, topology) = (plane.administrator(), &plane.topology);
    let installed = install::provider_of(&plane.endpoint, &administrator, topology, &path("root:opm")).await.unwrap();
    assert_eq!(installed, *plane.installed());
    let bind = async |workspace: &str, catalog: bool| {
        install::bind_consumer(&plane.endpoint, &administrator, topology, &installed, &path(workspace), catalog).await.unwrap()
    };
    let above = |consumer: install::Consumer| consumer.above.into_iter().map(|hidden| hidden.why).collect::<Vec<_>>();
    let nothing = "root:globex doesn't bind requests.platform.opmodel.dev and doesn't bind catalog.platform.opmodel.dev.";
    assert_eq!(above(bind("root:globex:web", false).await), [nothing]);
    let found = examined(&plane, plane.token("opm-portal")).await;
    assert_eq!(found.iter().map(|found| found.remedy.as_str()).collect::<Vec<_>>(), ["opm-portal bind root:globex --catalog"], "{found:?}");
    assert!(found[0].what.contains("root:globex:web"), "by its path: {found:?}");
    assert_eq!(above(bind("root:globex", true).await), Vec::<String>::new());
    assert_eq!(above(bind("root:globex:web", false).await), Vec::<String>::new());
    crate::rights::reject(&plane, "root:globex:web", "secrets").await;
    let found = examined(&plane, plane.token("opm-portal")).await;
    let expected = Finding {
        what: "root:globex:web doesn't grant secrets to requests.platform.opmodel.dev.".to_owned(),
        remedy: "opm-portal bind root:globex:web".to_owned(),
    };
    assert_eq!(found, [expected]);
    bind("root:globex:web", false).await;
    assert_eq!(examined(&plane, plane.token("opm-portal")).await, []);
}
