//! What follows from a write is not lost with the process: whatever was cut off is done at the next start.

use devplane::{ClusterId, Options, Storage, registry::GroupResource, store::Key};
use serde_json::{Value, json};
use tokio::runtime::Runtime;

use crate::device::lasting;
use crate::plane::{Server, tokens};

const DEFINITIONS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

/// One life of a process: the plane ends with its runtime.
fn life<T>(storage: &Storage, work: impl AsyncFnOnce(&Server) -> T) -> T {
    let runtime = Runtime::new().unwrap();
    let done = runtime.block_on(async {
        let options = Options::new(storage.clone(), tokens(), "https://plane.test");
        work(&Server::with(options)).await
    });
    drop(runtime);
    done
}

#[test]
fn what_a_namespace_has_is_there_after_the_next_start() {
    let directory = tempfile::tempdir().unwrap();
    let storage = lasting(directory.path());
    let map = "/clusters/root:team/api/v1/namespaces/new/configmaps/kube-root-ca.crt";
    life(&storage, async |server| {
        server.workspace("root", "team", "universal").await;
        let namespace = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "new"}});
        server.create("admin", "/clusters/root:team/api/v1/namespaces", namespace).await;
        server.until("admin", map, |code, _| code == 200).await;
        // As if the process had ended in between. What was noted of the namespace so far might bring it back.
        let mut code = 200;
        for _ in 0..100 {
            server.send("admin", "DELETE", map, "application/json", Value::Null).await;
            code = server.get("admin", map).await.0;
            if code == 404 {
                break;
            }
        }
        assert_eq!(code, 404);
    });
    life(&storage, async |server| {
        server.until("admin", map, |code, _| code == 200).await;
    });
}

#[test]
fn maintained_bindings_accept_after_the_next_start_what_they_missed() {
    let directory = tempfile::tempdir().unwrap();
    let storage = lasting(directory.path());
    let bindings = "/clusters/root:team/apis/apis.kcp.io/v1alpha2/apibindings";
    let claims = |list: &Value| {
        list["items"].as_array().unwrap().iter().map(|binding| binding["spec"]["permissionClaims"].clone()).find(Value::is_array)
    };
    life(&storage, async |server| {
        server.workspace("root", "provider", "universal").await;
        let claim = json!({"group": "", "resource": "configmaps", "verbs": ["get"]});
        server.export("root:provider", "shop.dev", "shop.dev", &["wheels"], json!({"permissionClaims": [claim]})).await;
        let spec = json!({
            "extend": {"with": [{"name": "universal", "path": "root"}]}, "defaultAPIBindingLifecycle": "Maintain",
            "defaultAPIBindings": [{"path": "root:provider", "export": "shop.dev"}],
        });
        let body = json!({"apiVersion": "tenancy.kcp.io/v1alpha1", "kind": "WorkspaceType", "metadata": {"name": "shop"}, "spec": spec});
        server.create("admin", "/clusters/root/apis/tenancy.kcp.io/v1alpha1/workspacetypes", body).await;
        server.workspace("root", "team", "shop").await;
        let listed = server.until("admin", bindings, |_, list| claims(list).is_some()).await;
        // As if the claim had come after the process ended: nothing but the next start tells of it.
        let name = listed["items"].as_array().unwrap().iter().find(|binding| binding["spec"]["permissionClaims"].is_array()).unwrap();
        let name = name["metadata"]["name"].as_str().unwrap().to_owned();
        let (code, answer) = server.merge("admin", &format!("{bindings}/{name}"), json!({"spec": {"permissionClaims": null}})).await;
        assert_eq!(code, 200, "{answer}");
    });
    life(&storage, async |server| {
        server.until("admin", bindings, |_, list| claims(list).is_some()).await;
    });
}

#[test]
fn a_home_that_was_left_half_made_is_made_to_the_end() {
    let directory = tempfile::tempdir().unwrap();
    let storage = lasting(directory.path());
    let home = "/clusters/root/apis/tenancy.kcp.io/v1alpha1/workspaces/~";
    life(&storage, async |server| {
        server.until("alice", home, |code, _| code == 200).await;
        let cluster = server.get("alice", home).await.1["spec"]["cluster"].as_str().unwrap().to_owned();
        let store = &server.plane.state().store;
        let cluster = ClusterId::parse(&cluster).unwrap();
        // As it is between its LogicalCluster and its bindings.
        let (logical, bindings) = (GroupResource::new("core.kcp.io", "logicalclusters"), GroupResource::new("apis.kcp.io", "apibindings"));
        for (key, stored) in store.peek_list(&bindings, &devplane::store::Range::Cluster(cluster.clone())).0 {
            store.write(&bindings, &key, stored.revision, None).await.unwrap();
        }
        let key = Key::new(&cluster, "", "cluster");
        loop {
            let stored = store.peek(&logical, &key).unwrap();
            let mut object = stored.object();
            object["status"]["phase"] = json!("Initializing");
            if store.write(&logical, &key, stored.revision, Some(object)).await.is_ok() {
                break;
            }
        }
    });
    life(&storage, async |server| {
        let made = server.until("alice", home, |code, _| code == 200).await;
        let bindings = format!("/clusters/{}/apis/apis.kcp.io/v1alpha2/apibindings", made["spec"]["cluster"].as_str().unwrap());
        assert_eq!(server.get("alice", &bindings).await.1["items"].as_array().map(Vec::len), Some(2));
    });
}

fn definition(plural: &str, singular: &str) -> Value {
    let open = json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true});
    let names = json!({"plural": plural, "singular": singular, "kind": format!("K{plural}"), "listKind": format!("K{plural}List")});
    let version = json!({"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": open}});
    let spec = json!({"group": "shop.dev", "scope": "Cluster", "names": names, "versions": [version]});
    json!({"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": format!("{plural}.shop.dev")}, "spec": spec})
}

fn is_established(definition: &Value) -> bool {
    definition["status"]["conditions"].as_array().into_iter().flatten().any(|own| own["type"] == "Established" && own["status"] == "True")
}

#[tokio::test]
async fn a_definition_is_served_though_its_creator_gave_up() {
    let server = Server::start();
    server.workspace("root", "team", "universal").await;
    for prefix in ["", "/clusters/root:team"] {
        let (resource, cluster) = (
            GroupResource::new("apiextensions.k8s.io", "customresourcedefinitions"),
            match prefix {
                "" => ClusterId::sandbox(),
                _ => ClusterId::parse(
                    server.get("admin", "/clusters/root/apis/tenancy.kcp.io/v1alpha1/workspaces/team").await.1["spec"]["cluster"]
                        .as_str()
                        .unwrap(),
                )
                .unwrap(),
            },
        );
        // What a request leaves that ends right after its write.
        let key = Key::new(&cluster, "", "boxes.shop.dev");
        server.plane.state().store.write(&resource, &key, 0, Some(definition("boxes", "box"))).await.unwrap();
        server.until("admin", &format!("{prefix}{DEFINITIONS}/boxes.shop.dev"), |_, answer| is_established(answer)).await;
        assert_eq!(server.get("admin", &format!("{prefix}/apis/shop.dev/v1/boxes")).await.0, 200);
    }
}

#[tokio::test]
async fn a_definition_gets_the_name_that_another_one_had() {
    let server = Server::start();
    server.create("admin", DEFINITIONS, definition("ones", "same")).await;
    server.create("admin", DEFINITIONS, definition("twos", "same")).await;
    let two = format!("{DEFINITIONS}/twos.shop.dev");
    assert!(!is_established(&server.get("admin", &two).await.1));
    server.send("admin", "DELETE", &format!("{DEFINITIONS}/ones.shop.dev"), "application/json", Value::Null).await;
    server.until("admin", &two, |_, answer| is_established(answer)).await;
    assert_eq!(server.get("admin", "/apis/shop.dev/v1/twos").await.0, 200);
}

/// On a single thread, no controller runs between these writes. By the end, the history no longer contains the first one.
#[tokio::test]
async fn what_was_missed_among_too_many_changes_is_done() {
    let server = Server::start();
    let team = ClusterId::parse(&server.workspace("root", "team", "universal").await).unwrap();
    let store = &server.plane.state().store;
    let write = |resource: &str, name: &str, expected: u64, data: Value| {
        let object = json!({"metadata": {"name": name}, "data": data});
        store.write_behind(&GroupResource::new("", resource), &Key::new(&team, "", name), expected, Some(object)).unwrap().revision
    };
    let namespace = write("namespaces", "late", 0, Value::Null);
    let mut last = 0;
    while store.oldest() <= namespace {
        last = write("nodes", "busy", last, last.into());
    }
    server.until("admin", "/clusters/root:team/api/v1/namespaces/late/configmaps/kube-root-ca.crt", |code, _| code == 200).await;
    server.until("admin", "/clusters/root:team/api/v1/namespaces/late/serviceaccounts/default", |code, _| code == 200).await;
}
