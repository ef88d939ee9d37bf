//! Being somebody else: impersonation, identities of ours, and looking like the platform.

use cluster::endpoint::ServiceAccount;
use k8s_openapi::api::authorization::v1::SelfSubjectAccessReview;
use k8s_openapi::api::coordination::v1::Lease;
use k8s_openapi::api::core::v1::{ConfigMap, Namespace, Secret};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::ResourceExt;
use kube::api::{Api, DeleteParams, DynamicObject, ListParams, Patch, PatchParams, PostParams};
use kube::core::{ApiResource, GroupVersionKind};
use serde_json::{Value, json};

use super::{Missing, attacks, refused};
use crate::world::{Plane, apply, condition, request, settings, wait};

attacks![
    somebody_acts_as_the_controller,
    an_impersonation_header_is_smuggled_through_the_portal,
    the_fulfiller_of_a_namespace_forges_a_status:
        Missing::InWorkspaces("objects beside requests are made through claims, not as somebody of the workspace"),
    an_admin_of_a_namespace_writes_requests_as_its_fulfiller:
        Missing::InWorkspaces("requests of promises are made by the controller itself, whom no one can impersonate for our kinds"),
    the_portals_own_token_is_used,
    the_controllers_own_token_reads_secrets_of_a_namespace:
        Missing::InWorkspaces("reading Secrets beside requests is what the claim of the binding grants"),
    what_the_controller_keeps_for_itself_is_read_and_taken,
    an_api_is_made_to_look_like_ours,
    a_definition_takes_the_place_of_the_api_that_is_bound:
        Missing::InNamespaces("there is one definition for the whole cluster; that tenants can't change it is tried above"),
    a_home_without_trust_names_a_destination:
        Missing::InNamespaces("Destinations are the platform's alone; the catalog tests cover that tenants cannot write them"),
    a_home_without_trust_names_an_endpoint:
        Missing::InNamespaces("Endpoints are the platform's alone; the catalog tests cover that tenants cannot write them"),
    a_home_without_trust_sets_parameters:
        Missing::InNamespaces("Policies are the platform's alone; the catalog tests cover that tenants cannot write them"),
    a_tenant_writes_what_belongs_to_the_platform,
];

fn platform(kind: &str) -> ApiResource {
    ApiResource::from_gvk(&GroupVersionKind::gvk("platform.opmodel.dev", "v1alpha1", kind))
}

async fn somebody_acts_as_the_controller(plane: &Plane) {
    let scope = match &plane.topology {
        cluster::Topology::Workspaces { .. } => cluster::Scope::Workspace(crate::world::path("root:acme:shop")),
        cluster::Topology::Namespaces => cluster::Scope::Root,
    };
    let forged = json!({"status": {"phase": "Failed"}});
    for user in ["opm-controller", "system:serviceaccount:opm-system:opm-controller", "system:admin", "admin"] {
        for who in ["dana", "erin"] {
            let client = plane.endpoint.client_as(&plane.token(who), &scope, user);
            let api: Api<cluster::kinds::PromiseRequest> = Api::namespaced(client, plane.namespace());
            refused(&format!("{who} as {user}"), api.patch_status("web", &PatchParams::default(), &Patch::Merge(&forged)).await);
        }
    }
}

/// Whoever could put headers into a request of the portal still is who the token says.
async fn an_impersonation_header_is_smuggled_through_the_portal(plane: &Plane) {
    let client = plane.client("admin", "root:acme:shop");
    let review = json!({"apiVersion": "authentication.k8s.io/v1", "kind": "SelfSubjectReview"});
    let asked = http::Request::post("/apis/authentication.k8s.io/v1/selfsubjectreviews")
        .header("content-type", "application/json")
        .header("Impersonate-User", "dana")
        .header("Impersonate-Group", "shop")
        .header("Impersonate-Extra-Scopes", "all")
        .header("X-Remote-User", "dana")
        .body(review.to_string().into_bytes())
        .unwrap();
    let told: Value = client.request(asked).await.unwrap();
    assert_eq!(told["status"]["userInfo"]["username"], "admin", "{told}");
}

async fn the_fulfiller_of_a_namespace_forges_a_status(plane: &Plane) {
    let fulfiller = "system:serviceaccount:shop:opm-fulfiller";
    let client = plane.endpoint.client_as(&plane.token("dana"), &cluster::Scope::Root, fulfiller);
    let api: Api<cluster::kinds::PromiseRequest> = Api::namespaced(client.clone(), "shop");
    refused(fulfiller, api.patch_status("web", &PatchParams::default(), &Patch::Merge(json!({"status": {"phase": "Failed"}}))).await);
    let elsewhere: Api<Secret> = Api::namespaced(client, cluster::install::SYSTEM_NAMESPACE);
    refused(fulfiller, elsewhere.list(&ListParams::default()).await);
}

/// What the fulfiller writes is no one's own, so that the rules about the requester and four eyes would not meet who is behind it.
async fn an_admin_of_a_namespace_writes_requests_as_its_fulfiller(plane: &Plane) {
    let name = "system:serviceaccount:shop:opm-fulfiller";
    let account = ServiceAccount { namespace: "shop".to_owned(), name: "opm-fulfiller".to_owned() };
    let token = account.issue(&plane.client("dana", "root:acme:shop")).await.unwrap().token;
    for (how, client) in [
        ("impersonated", plane.impersonating("dana", "root:acme:shop", name, &[])),
        ("with a token of it", plane.endpoint.client(&token, &cluster::Scope::Root)),
        ("impersonated, and said to be by the controller", plane.endpoint.controller_as(&plane.token("dana"), &cluster::Scope::Root, name)),
    ] {
        let api: Api<cluster::kinds::PromiseRequest> = Api::namespaced(client, "shop");
        let mut forged = request("forged", "settings", json!({}));
        forged.metadata.namespace = Some("shop".to_owned());
        refused(how, api.create(&PostParams::default(), &forged).await);
        let edit = json!({"spec": {"parameters": {"level": 9}}});
        refused(how, api.patch("web", &PatchParams::default(), &Patch::Merge(edit)).await);
        refused(how, api.delete("web", &DeleteParams::default()).await);
    }
    assert!(plane.requests("dana").get("web").await.unwrap().metadata.deletion_timestamp.is_none());
}

async fn the_portals_own_token_is_used(plane: &Plane) {
    let secrets: Api<Secret> = plane.in_shop("opm-portal");
    refused("opm-portal", secrets.list(&ListParams::default()).await);
    refused("opm-portal", secrets.get("web-access").await);
    the_export_shows_it_no_secrets(plane).await;
    let requests = plane.requests("opm-portal");
    let mut forged = request("forged", "settings", json!({}));
    forged.metadata.namespace = Some(plane.namespace().to_owned());
    refused("opm-portal", requests.create(&PostParams::default(), &forged).await);
    refused("opm-portal", requests.patch("web", &PatchParams::default(), &Patch::Merge(json!({"spec": {"paused": true}}))).await);
}

/// The view by which the portal watches requests shows what the export claims as well. What it can do there, it can do for all tenants.
async fn the_export_shows_it_no_secrets(plane: &Plane) {
    if plane.has_namespaces() {
        let reviews: Api<SelfSubjectAccessReview> = Api::all(plane.client("opm-portal", "cluster"));
        for verb in ["get", "list", "watch"] {
            let asked = json!({"spec": {"resourceAttributes": {"verb": verb, "resource": "secrets"}}});
            let answer = reviews.create(&PostParams::default(), &serde_json::from_value(asked).unwrap()).await.unwrap();
            assert!(!answer.status.unwrap().allowed, "opm-portal can {verb} secrets");
        }
        return;
    }
    let provider = plane.installed().provider.as_str();
    let client = |who: &str| plane.endpoint.client(&plane.token(who), &cluster::Scope::Root);
    let shop: Namespace = Api::all(plane.client("admin", "root:acme:shop")).get("default").await.unwrap();
    let own = shop.annotations()["kcp.io/cluster"].clone();
    // As text, because a watch that has nothing to tell answers with none.
    let read = async |who: &str, path: &str| client(who).request_text(http::Request::get(path).body(Vec::new()).unwrap()).await;
    for export in ["requests.platform.opmodel.dev", "catalog.platform.opmodel.dev"] {
        let view = format!("/services/apiexport/{provider}/{export}/clusters");
        for path in [
            format!("{view}/*/api/v1/secrets"),
            format!("{view}/*/api/v1/secrets?watch=true&timeoutSeconds=1"),
            format!("{view}/{own}/api/v1/secrets"),
            format!("{view}/{own}/api/v1/namespaces/default/secrets"),
            format!("{view}/{own}/api/v1/namespaces/default/secrets/web-access"),
        ] {
            match read("opm-portal", &path).await {
                // What is not shown is as good as not there.
                Ok(shown) => assert!(!shown.contains("\"metadata\":{\"name") && !shown.contains("web-access"), "{path}: {shown}"),
                answer => refused(&path, answer),
            }
        }
        let requests = format!("{view}/*/apis/platform.opmodel.dev/v1alpha1/promiserequests");
        assert!(export.starts_with("catalog") || read("opm-portal", &requests).await.is_ok(), "its caches need the view");
    }
    let kept =
        format!("/services/apiexport/{provider}/requests.platform.opmodel.dev/clusters/{own}/api/v1/namespaces/default/secrets/web-access");
    assert!(read("opm-controller", &kept).await.unwrap().contains("web-access"), "the controller reads it by name");
}

async fn the_controllers_own_token_reads_secrets_of_a_namespace(plane: &Plane) {
    let secrets: Api<Secret> = plane.in_shop("opm-controller");
    refused("opm-controller", secrets.get("web-access").await);
    let maps: Api<ConfigMap> = plane.in_shop("opm-controller");
    refused("opm-controller", maps.list(&ListParams::default()).await);
    let requests = plane.requests("opm-controller");
    let mut forged = request("forged", "settings", json!({}));
    forged.metadata.namespace = Some("shop".to_owned());
    refused("opm-controller", requests.create(&PostParams::default(), &forged).await);
    let other =
        plane.endpoint.client_as(&plane.token("opm-controller"), &cluster::Scope::Root, "system:serviceaccount:kube-system:default");
    refused("opm-controller", Api::<Secret>::namespaced(other, "kube-system").list(&ListParams::default()).await);
}

async fn what_the_controller_keeps_for_itself_is_read_and_taken(plane: &Plane) {
    for who in ["dana", "erin", "opm-portal"] {
        let client = plane.client(who, "root:opm");
        let secrets: Api<Secret> = Api::namespaced(client.clone(), cluster::install::SYSTEM_NAMESPACE);
        refused(who, secrets.get(cluster::install::KEYS).await);
        let leases: Api<Lease> = Api::namespaced(client, cluster::install::SYSTEM_NAMESPACE);
        let taken = json!({"spec": {"holderIdentity": who}});
        refused(who, leases.patch(cluster::install::LEASE, &PatchParams::default(), &Patch::Merge(&taken)).await);
    }
}

async fn an_api_is_made_to_look_like_ours(plane: &Plane) {
    let definition = cluster::kinds::crds().into_iter().find(|crd| crd["spec"]["names"]["kind"] == "PromiseRequest").unwrap();
    if plane.has_namespaces() {
        // There is one definition for the whole cluster.
        let definitions: Api<CustomResourceDefinition> = Api::all(plane.client("dana", "cluster"));
        let name = definition["metadata"]["name"].as_str().unwrap();
        refused("dana", definitions.patch(name, &PatchParams::apply("forger").force(), &Patch::Apply(&definition)).await);
        return;
    }
    // A workspace of its own may define what it likes, and call it as we do.
    let acme = plane.client("admin", "root:acme");
    crate::world::workspace(&acme, "mall").await;
    let mall = plane.client("admin", "root:acme:mall");
    apply(&mall, &definition).await.unwrap();
    let definitions: Api<CustomResourceDefinition> = Api::all(mall.clone());
    wait(definitions, "promiserequests.platform.opmodel.dev", "served", |crd| {
        let conditions = crd.status.as_ref().and_then(|status| status.conditions.as_ref());
        conditions.is_some_and(|all| all.iter().any(|c| c.type_ == "Established" && c.status == "True"))
    })
    .await;
    let mut looks = request("looks-alike", "settings", json!({}));
    looks.spec.requester = Some(promise::api::Requester { username: "admin".into(), groups: Vec::new(), cluster: None });
    let api: Api<cluster::kinds::PromiseRequest> = Api::namespaced(mall, "default");
    api.create(&PostParams::default(), &looks).await.unwrap();
    // Whatever would have become of it came before this one.
    plane.ask("genuine", "settings", json!({})).await;
    plane.ready("genuine").await;
    assert!(api.get("looks-alike").await.unwrap().status.is_none(), "nobody looks at what is not ours");
}

/// Whoever administers a workspace can define what they like in it, but not what it has from us: neither does that open the status, nor do
/// the requests go with the definition.
async fn a_definition_takes_the_place_of_the_api_that_is_bound(plane: &Plane) {
    let shop = plane.client("dana", "root:acme:shop");
    let before = plane.requests("dana").get("web").await.unwrap();
    assert!(before.metadata.finalizers.is_some(), "the controller holds it");
    let mut definition = cluster::kinds::crds().into_iter().find(|crd| crd["spec"]["names"]["kind"] == "PromiseRequest").unwrap();
    // Without it whoever writes the object would write its status, too.
    for version in definition["spec"]["versions"].as_array_mut().unwrap() {
        version.as_object_mut().unwrap().remove("subresources");
    }
    let name = definition["metadata"]["name"].as_str().unwrap().to_owned();
    apply(&shop, &definition).await.unwrap();
    let definitions: Api<CustomResourceDefinition> = Api::all(shop);
    let judged = wait(definitions.clone(), &name, "judged", |crd| said(crd, "NamesAccepted").is_some()).await;
    assert_eq!((said(&judged, "NamesAccepted"), said(&judged, "Established")), (Some("False"), Some("False")));

    let forged = Patch::Merge(json!({"status": {"phase": "Failed"}}));
    let requests = plane.requests("dana");
    refused("the status itself", requests.patch_status("web", &PatchParams::default(), &forged).await);
    // What is not refused is not heard: the status belongs to another resource.
    drop(requests.patch("web", &PatchParams::default(), &forged).await);
    definitions.delete(&name, &DeleteParams::default()).await.unwrap();
    plane.gone(definitions, &name).await;

    let after = requests.get("web").await.unwrap();
    assert_eq!((&after.metadata.uid, &after.metadata.finalizers), (&before.metadata.uid, &before.metadata.finalizers));
    assert!(after.metadata.deletion_timestamp.is_none());
    assert_eq!(after.status.unwrap().phase, promise::api::Phase::Ready);
}

/// Whether a condition of a definition holds; nothing while it is not judged.
fn said<'d>(definition: &'d CustomResourceDefinition, condition: &str) -> Option<&'d str> {
    let conditions = definition.status.as_ref()?.conditions.as_ref()?;
    conditions.iter().find(|own| own.type_ == condition).map(|own| own.status.as_str())
}

async fn a_home_without_trust_names_a_destination(plane: &Plane) {
    let acme = plane.client("admin", "root:acme");
    let destination = json!({
        "apiVersion": "platform.opmodel.dev/v1alpha1", "kind": "Destination", "metadata": {"name": "theirs"},
        "spec": {"title": "Theirs", "type": "cluster", "secretRef": {"namespace": "default", "name": "theirs"}, "allowedHomes": ["**"], "allowedWorkspaces": ["**"]},
    });
    apply(&acme, &destination).await.unwrap();
    let api: Api<DynamicObject> = Api::all_with(acme, &platform("Destination"));
    wait_dynamic(&api, "theirs", "isn't a trusted home").await;
    refused("dana", apply(&plane.client("dana", "root:acme:shop"), &destination).await);
}

async fn a_home_without_trust_names_an_endpoint(plane: &Plane) {
    let acme = plane.client("admin", "root:acme");
    let endpoint = json!({
        "apiVersion": "platform.opmodel.dev/v1alpha1", "kind": "Endpoint", "metadata": {"name": "theirs"},
        "spec": {"url": "http://127.0.0.1:6443", "paths": ["/**"], "addresses": ["127.0.0.0/8"], "allowedHomes": ["**"]},
    });
    apply(&acme, &endpoint).await.unwrap();
    let api: Api<DynamicObject> = Api::all_with(acme, &platform("Endpoint"));
    wait_dynamic(&api, "theirs", "isn't a trusted home").await;
    refused("dana", apply(&plane.client("dana", "root:acme:shop"), &endpoint).await);
}

async fn a_home_without_trust_sets_parameters(plane: &Plane) {
    let acme = plane.client("admin", "root:acme");
    let rule = |name: &str, rule: Value| {
        let spec = json!({"title": "Theirs", "owner": {"team": "Acme"}, "rules": [rule]});
        json!({"apiVersion": "platform.opmodel.dev/v1alpha1", "kind": "Policy", "metadata": {"name": name}, "spec": spec})
    };
    let set = rule("sets", json!({"name": "level", "set": {"parameter": ".level", "value": 9}}));
    let inject =
        rule("injects", json!({"name": "data", "inject": {"match": {"kinds": ["ConfigMap"]}, "merge": {"data": {"forged": "yes"}}}}));
    for policy in [&set, &inject] {
        apply(&acme, policy).await.unwrap();
    }
    let api: Api<DynamicObject> = Api::all_with(acme.clone(), &platform("Policy"));
    for name in ["sets", "injects"] {
        wait_dynamic(&api, name, "\"False\"").await;
    }
    plane.ask("unset", "settings", json!({})).await;
    let asked = plane.until("unset", "judged", |r| r.status.as_ref().is_some_and(|s| s.observed_generation > 0)).await;
    if let Ok(map) = plane.config_maps().get("unset-config").await {
        let data = map.data.unwrap();
        assert!(data["level"] != "9" && !data.contains_key("forged"), "{data:?} {}", condition(&asked, "PoliciesSatisfied"));
    }
    for name in ["sets", "injects"] {
        api.delete(name, &DeleteParams::default()).await.unwrap();
    }
}

async fn a_tenant_writes_what_belongs_to_the_platform(plane: &Plane) {
    let own = |kind: &str, spec: Value| json!({"apiVersion": "platform.opmodel.dev/v1alpha1", "kind": kind, "metadata": {"name": "theirs"}, "spec": spec});
    let objects = [
        own("Promise", settings("1.0.0")),
        own("PromiseCatalog", json!({"title": "Theirs", "promises": ["*"], "workspaces": ["**"]})),
        own("Policy", json!({"title": "Theirs", "rules": [{"name": "level", "set": {"parameter": ".level", "value": 9}}]})),
        own("Destination", json!({"title": "Theirs", "type": "cluster", "secretRef": {"namespace": "default", "name": "theirs"}})),
        own("Endpoint", json!({"url": "http://127.0.0.1:6443", "paths": ["/**"], "addresses": ["127.0.0.0/8"]})),
        own("PromiseWorkflow", json!({"title": "Theirs", "workflow": {"steps": []}})),
    ];
    for who in ["dana", "erin", "opm-portal"] {
        for object in &objects {
            refused(&format!("{who}: {}", object["kind"]), apply(&plane.client(who, "root:acme:shop"), object).await);
        }
    }
}

/// Waits until the status of an object says something.
async fn wait_dynamic(api: &Api<DynamicObject>, name: &str, says: &str) {
    let said = |object: Option<&DynamicObject>| object.is_some_and(|object| object.data["status"].to_string().contains(says));
    let waiting = kube::runtime::wait::await_condition(api.clone(), name, said);
    tokio::time::timeout(crate::world::PATIENCE, waiting).await.unwrap_or_else(|_| panic!("{name} does not say {says}")).unwrap();
}
