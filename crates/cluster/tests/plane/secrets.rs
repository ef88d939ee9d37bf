//! Values of secrets stand in the Secrets that are for them, and nowhere else.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use axum::response::IntoResponse as _;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use cluster::Endpoint;
use cluster::kinds::PromiseRequest;
use k8s_openapi::api::core::v1::Secret;
use kube::api::{Api, DeleteParams, DynamicObject, ListParams, Patch, PatchParams};
use kube::core::{ApiResource, GroupVersionKind};
use promise::names;
use serde_json::{Value, json};
use tower::ServiceExt as _;

use crate::running::Running;
use crate::world::{Plane, apply, on_every_plane, settings, wait};

on_every_plane![
    values_stand_in_their_secrets_alone_and_change_the_release,
    a_secret_that_is_not_there_is_asked_for_by_name,
    what_was_typed_for_a_request_that_came_to_nothing_goes_with_it,
    an_output_is_no_secret_that_belongs_to_others,
    an_output_is_no_secret_that_an_inner_request_repeats_the_name_of,
    what_was_typed_for_another_request_is_not_used,
    what_was_typed_for_a_request_is_handed_on_to_what_it_makes,
];

crate::world::on_every_plane_in_full![why_a_secret_is_neither_deleted_nor_handed_over_is_not_repeated_with_its_value,];

/// Typed by the person, and made by the promise: neither stands in any text that is not a Secret.
const TYPED: &str = "marker-typed-3e1f";
const MADE: &str = "marker-made-77aa";

fn vault() -> Value {
    let reference =
        json!({"type": "object", "properties": {"name": {"type": "string"}, "key": {"type": "string"}}, "required": ["name", "key"]});
    json!({
        "version": "1.0.0", "lifecycle": "published", "visibility": "private", "secretParameters": [".password"],
        "parameters": {"type": "object", "properties": {"password": reference}},
        "implementation": {"resources": [
            {"id": "config", "template": {
                "apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "${request.name}-config"},
                "data": {"secret": "${parameters.password.name}"},
            }},
            {"id": "access", "template": {
                "apiVersion": "v1", "kind": "Secret", "metadata": {"name": "${request.name}-access"},
                // Put together, so that the promise does not say the value either.
                "stringData": {"token": "${'marker-' + 'made-' + '77aa'}"},
            }},
        ]},
        "outputs": [{"name": "token", "secretRef": {"resource": "access", "key": "token"}}],
    })
}

async fn type_in(plane: &Plane, value: &str) {
    let secret = json!({
        "apiVersion": "v1", "kind": "Secret", "stringData": {"password": value},
        "metadata": {"name": "web-inputs", "namespace": plane.namespace(), "labels": {
            names::SECRET_ROLE_LABEL: "inputs", names::REQUEST_NAME_LABEL: "web",
        }},
    });
    apply(&plane.client("dana", "root:acme:shop"), &secret).await.unwrap();
}

/// Every object of the kinds that a fulfilment touches, as the plane keeps it.
async fn everything(plane: &Plane) -> Vec<Value> {
    let own = |kind: &str| ("platform.opmodel.dev", "v1alpha1", kind.to_owned());
    let core = |kind: &str| ("", "v1", kind.to_owned());
    let tenants = [own("PromiseRequest"), own("PromiseRelease"), core("ConfigMap"), core("Secret"), core("Event")];
    let homes = [own("Promise"), own("PromiseRevision"), core("ConfigMap"), core("Secret"), core("Event")];
    let provider = [core("ConfigMap"), core("Secret"), core("Event")];
    let mut found = Vec::new();
    let mut places = vec![("root:acme:shop", &tenants[..]), ("root:platform", &homes), ("root:opm", &provider)];
    let everywhere = [&tenants[..], &homes[..2]].concat();
    if plane.has_namespaces() {
        places = vec![("cluster", &everywhere)];
    }
    for (at, kinds) in places {
        for (group, version, kind) in kinds {
            let resource = ApiResource::from_gvk(&GroupVersionKind::gvk(group, version, kind));
            let api: Api<DynamicObject> = Api::all_with(plane.client("admin", at), &resource);
            let objects = api.list(&ListParams::default()).await.unwrap_or_else(|error| panic!("{kind} at {at}: {error}"));
            found.extend(objects.items.into_iter().map(|object| {
                let name = object.metadata.name.clone();
                json!({"kind": kind, "name": name, "object": object})
            }));
        }
    }
    found
}

async fn values_stand_in_their_secrets_alone_and_change_the_release(plane: Plane) {
    let controller = plane.controller().await;
    plane.offer().await;
    plane.publish("vault", vault()).await;
    type_in(&plane, TYPED).await;
    plane.ask("web", "vault", json!({"password": {"name": "web-inputs", "key": "password"}})).await;
    let first = plane.ready("web").await.status.unwrap().current.unwrap().release;

    let found = everything(&plane).await;
    let holders = |value: &str| {
        let encoded = STANDARD.encode(value);
        let holds = |object: &&Value| [value, &encoded].iter().any(|text| object.to_string().contains(text));
        found.iter().filter(holds).map(|object| format!("{} {}", object["kind"], object["name"]).replace('"', "")).collect::<Vec<_>>()
    };
    assert_eq!(holders(TYPED), ["Secret web-inputs"]);
    assert_eq!(holders(MADE), ["Secret web-access", "Secret web-outputs"]);
    assert!(found.iter().any(|object| object["kind"] == "PromiseRelease"), "releases were looked at");

    // Another value is another release: the same value again is the same one.
    let touch = |reason: &str| {
        let (requests, patch) = (plane.requests("dana"), json!({"spec": {"reason": reason}}));
        async move { requests.patch("web", &PatchParams::default(), &Patch::Merge(&patch)).await.unwrap() }
    };
    touch("looked at again").await;
    assert_eq!(plane.ready("web").await.status.unwrap().current.unwrap().release, first);
    type_in(&plane, "another-value").await;
    touch("another password").await;
    plane
        .until("web", "another release", |r| {
            r.status.as_ref().and_then(|s| s.current.as_ref()).is_some_and(|current| current.release != first)
        })
        .await;
    controller.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_typed_goes_with_the_request_and_what_is_not_ours_stays() {
    for (role, ours) in [("inputs", true), ("destination", false)] {
        let plane = Plane::open().await;
        let controller = plane.controller().await;
        plane.offer().await;
        plane.publish("vault", vault()).await;
        type_in(&plane, TYPED).await;
        let secrets: Api<Secret> = plane.in_shop("dana");
        plane.ask("web", "vault", json!({"password": {"name": "web-inputs", "key": "password"}})).await;
        plane.ready("web").await;
        let label = json!({"metadata": {"labels": {names::SECRET_ROLE_LABEL: role}}});
        secrets.patch("web-inputs", &PatchParams::default(), &Patch::Merge(&label)).await.unwrap();
        plane.requests("dana").delete("web", &DeleteParams::default()).await.unwrap();
        plane.gone(plane.requests("dana"), "web").await;
        assert_eq!(secrets.get_opt("web-inputs").await.unwrap().is_none(), ours, "labelled {role}");
        controller.stop().await;
    }
}

async fn a_secret_that_is_not_there_is_asked_for_by_name(plane: Plane) {
    let controller = plane.controller().await;
    plane.offer().await;
    plane.publish("vault", vault()).await;
    plane.ask("web", "vault", json!({"password": {"name": "web-inputs", "key": "password"}})).await;
    plane
        .until("web", "waiting for its Secret", |r| {
            let ball = r.status.as_ref().and_then(|s| s.waiting_on.as_ref());
            ball.is_some_and(|ball| ball.message.contains("The Secret web-inputs that"))
        })
        .await;
    type_in(&plane, TYPED).await;
    plane.ready("web").await;
    controller.stop().await;
}

async fn what_was_typed_for_a_request_that_came_to_nothing_goes_with_it(plane: Plane) {
    let controller = plane.controller().await;
    plane.offer().await;
    type_in(&plane, TYPED).await;
    plane.ask("web", "no-such-promise", json!({"password": {"name": "web-inputs", "key": "password"}})).await;
    plane.until("web", "held", |r| r.metadata.finalizers.as_ref().is_some_and(|all| all.iter().any(|f| f == names::FINALIZER))).await;
    plane.ask("bare", "no-such-promise", json!({})).await;
    plane.requests("dana").delete("web", &DeleteParams::default()).await.unwrap();
    plane.gone(plane.requests("dana"), "web").await;
    let secrets: Api<Secret> = plane.in_shop("dana");
    assert!(secrets.get_opt("web-inputs").await.unwrap().is_none());
    let bare = plane.until("bare", "refused", |r| crate::world::condition(r, "Accepted").contains("no-such-promise")).await;
    assert_eq!(bare.metadata.finalizers, None, "where nothing was typed, nothing has to be held");
    controller.stop().await;
}

/// A promise may name any Secret; one that is nobody's output is copied nowhere, and the one that its object owns is.
async fn an_output_is_no_secret_that_belongs_to_others(plane: Plane) {
    let controller = plane.controller().await;
    plane.offer().await;
    let spec = json!({
        "version": "1.0.0", "lifecycle": "published", "visibility": "private",
        "parameters": {"type": "object", "properties": {"which": {"type": "string"}}},
        "implementation": {"resources": [{"id": "config", "template": {
            "apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "${request.name}-config"}, "data": {"a": "b"},
        }}]},
        "outputs": [{"name": "password", "secretRef": {"resource": "config", "name": "${parameters.which}", "key": "password"}}],
    });
    plane.publish("curious", spec).await;
    // Meant for requests, and yet for none that has no secret input of its name.
    let secret = |owners: Value| {
        json!({
            "apiVersion": "v1", "kind": "Secret", "stringData": {"password": TYPED},
            "metadata": {
                "name": "somebody-elses", "namespace": plane.namespace(), "ownerReferences": owners,
                "labels": {names::SECRET_ROLE_LABEL: "inputs"},
            },
        })
    };
    let shop = plane.client("dana", "root:acme:shop");
    apply(&shop, &secret(json!([]))).await.unwrap();
    plane.ask("web", "curious", json!({"which": "somebody-elses"})).await;
    let waiting = plane
        .until("web", "waiting for a Secret of its own", |r| {
            serde_json::to_string(&r.status).unwrap().contains("somebody-elses to belong to config")
        })
        .await;
    let secrets: Api<Secret> = plane.in_shop("dana");
    assert!(secrets.get_opt("web-outputs").await.unwrap().is_none(), "{:?}", waiting.status);

    let uid = wait(plane.config_maps(), "web-config", "made", |_| true).await.metadata.uid;
    let owner = json!([{"apiVersion": "v1", "kind": "ConfigMap", "name": "web-config", "uid": uid}]);
    apply(&shop, &secret(owner)).await.unwrap();
    wait(secrets, "web-outputs", "copied", |secret: &Secret| {
        secret.data.as_ref().is_some_and(|data| data["password"].0 == TYPED.as_bytes())
    })
    .await;
    plane.ready("web").await;
    controller.stop().await;
}

/// A request's outputs can repeat its parameters. A Secret name that appears there does not make the Secret an output.
async fn an_output_is_no_secret_that_an_inner_request_repeats_the_name_of(plane: Plane) {
    let controller = plane.controller().await;
    plane.offer().await;
    let which = json!({"type": "object", "properties": {"which": {"type": "string"}}});
    let echo = json!({
        "version": "1.0.0", "lifecycle": "published", "visibility": "private", "parameters": which,
        "implementation": {"resources": [{"id": "config", "template": {
            "apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "${request.name}-config"}, "data": {"a": "b"},
        }}]},
        "outputs": [{"name": "said", "value": "${parameters.which}"}],
    });
    let curious = json!({
        "version": "1.0.0", "lifecycle": "published", "visibility": "private", "parameters": which,
        "implementation": {"resources": [{"id": "inner", "template": {
            "apiVersion": "platform.opmodel.dev/v1alpha1", "kind": "PromiseRequest", "metadata": {"name": "${request.name}-inner"},
            "spec": {"promise": {"name": "echo"}, "parameters": {"which": "${parameters.which}"}},
        }}]},
        "outputs": [{"name": "password", "secretRef": {"resource": "inner", "name": "${parameters.which}", "key": "password"}}],
    });
    plane.publish("echo", echo).await;
    plane.publish("curious", curious).await;
    let secret = json!({
        "apiVersion": "v1", "kind": "Secret", "stringData": {"password": TYPED},
        "metadata": {"name": "somebody-elses", "namespace": plane.namespace()},
    });
    apply(&plane.client("dana", "root:acme:shop"), &secret).await.unwrap();
    plane.ask("web", "curious", json!({"which": "somebody-elses"})).await;
    let repeats = |request: &PromiseRequest| serde_json::to_string(&request.status).unwrap().contains(r#""value":"somebody-elses""#);
    plane.until("web-inner", "saying the name", repeats).await;
    plane
        .until("web", "waiting for a Secret of its own", |r| {
            serde_json::to_string(&r.status).unwrap().contains("somebody-elses to belong to inner")
        })
        .await;
    let secrets: Api<Secret> = plane.in_shop("dana");
    assert!(secrets.get_opt("web-outputs").await.unwrap().is_none());
    controller.stop().await;
}

/// Being allowed to create requests is not being allowed to read Secrets, so knowing the name of one must not be enough.
async fn what_was_typed_for_another_request_is_not_used(plane: Plane) {
    let controller = plane.controller().await;
    plane.offer().await;
    plane.publish("vault", vault()).await;
    type_in(&plane, TYPED).await;
    plane.ask("spy", "vault", json!({"password": {"name": "web-inputs", "key": "password"}})).await;
    plane
        .until("spy", "refused", |r| {
            serde_json::to_string(&r.status).unwrap().contains("The Secret web-inputs belongs to the request web.")
        })
        .await;
    assert!(plane.config_maps().get_opt("spy-config").await.unwrap().is_none(), "nothing is made of it");
    controller.stop().await;
}

async fn what_was_typed_for_a_request_is_handed_on_to_what_it_makes(plane: Plane) {
    let controller = plane.controller().await;
    plane.offer().await;
    plane.publish("vault", vault()).await;
    let mut wrapper = vault();
    wrapper["outputs"] = json!([]);
    wrapper["implementation"] = json!({"resources": [{"id": "inner", "template": {
        "apiVersion": "platform.opmodel.dev/v1alpha1", "kind": "PromiseRequest", "metadata": {"name": "${request.name}-inner"},
        "spec": {"promise": {"name": "vault"}, "parameters": {"password": "${parameters.password}"}},
    }}]});
    plane.publish("wrapper", wrapper).await;
    type_in(&plane, TYPED).await;
    plane.ask("web", "wrapper", json!({"password": {"name": "web-inputs", "key": "password"}})).await;
    plane.ready("web-inner").await;
    plane.ready("web").await;
    controller.stop().await;
}

/// Starts a controller that an admission webhook keeps from changing or deleting Secrets once the flag is set. The webhook says what is in
/// them.
async fn denied_controller(plane: &Plane) -> (Running, Arc<AtomicBool>) {
    let (router, denies) = (plane.router(), Arc::<AtomicBool>::default());
    let is_set = denies.clone();
    let service = tower::service_fn(move |request: http::Request<kube::client::Body>| {
        let is_write = matches!(*request.method(), http::Method::DELETE | http::Method::PATCH);
        let is_denied = is_set.load(Ordering::SeqCst) && is_write && request.uri().path().contains("/secrets/");
        let router = router.clone();
        async move {
            if !is_denied {
                return router.oneshot(request).await;
            }
            let message = "admission webhook \"strong.example.dev\" denied the request: hunter-3 is too short";
            let status = json!({
                "kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "Forbidden", "code": 403, "message": message,
            });
            Ok((http::StatusCode::FORBIDDEN, axum::Json(status)).into_response())
        }
    });
    (plane.controller_over(Endpoint::in_process("denying", service)).await, denies)
}

async fn why_a_secret_is_neither_deleted_nor_handed_over_is_not_repeated_with_its_value(plane: Plane) {
    let (controller, denies) = denied_controller(&plane).await;
    plane.offer().await;
    plane.publish("settings", settings("1.0.0")).await;
    let requests = [("web", "Delete", "delete"), ("left", "Orphan", "hand over")];
    for (name, policy, _) in requests {
        plane.ask(name, "settings", json!({"level": 3})).await;
        let policy = json!({"spec": {"deletionPolicy": policy}});
        plane.requests("dana").patch(name, &PatchParams::default(), &Patch::Merge(&policy)).await.unwrap();
        plane.ready(name).await;
    }
    denies.store(true, Ordering::SeqCst);
    for (name, _, verb) in requests {
        plane.requests("dana").delete(name, &DeleteParams::default()).await.unwrap();
        let why = format!("The controller can't {verb} Secret {name}-");
        let is_hidden = |text: &str| text.contains(&why) && text.contains("Its message is hidden because it might repeat a secret.");
        plane.until(name, "held by the webhook", |request| is_hidden(&serde_json::to_string(&request.status).unwrap())).await;
    }
    let repeats = |object: &&Value| object["kind"] != "Secret" && object.to_string().contains("hunter-3");
    let found = everything(&plane).await;
    assert_eq!(found.iter().find(repeats), None);
    denies.store(false, Ordering::SeqCst);
    for (name, ..) in requests {
        plane.gone(plane.requests("dana"), name).await;
    }
    controller.stop().await;
}
