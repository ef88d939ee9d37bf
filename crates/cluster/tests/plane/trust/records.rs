//! What the controller and the plane wrote down: status, releases, revisions, who asked, who changed it, and finalizers.

use cluster::kinds::{Approval, PromiseRelease, PromiseRequest, PromiseRevision, object};
use kube::api::{Api, DeleteParams, ListParams, Patch, PatchParams, PostParams};
use kube::{Client, ResourceExt};
use promise::names;
use serde_json::{Value, json};

use super::{attacks, refused};
use crate::world::{Plane, request};

attacks![
    a_status_is_forged,
    a_release_is_forged_changed_and_removed,
    a_revision_is_forged_changed_and_removed,
    somebody_else_is_said_to_have_asked,
    somebody_else_is_said_to_have_changed_it,
    a_finalizer_is_removed,
    the_status_of_the_catalog_is_forged,
    somebody_decides_who_may_not,
    a_status_says_that_it_was_approved,
];

fn merge(patch: Value) -> Patch<Value> {
    Patch::Merge(patch)
}

async fn a_status_is_forged(plane: &Plane) {
    for who in ["dana", "erin", "opm-portal"] {
        let api = plane.requests(who);
        let forged = json!({"status": {"phase": "Failed", "inventory": []}});
        refused(who, api.patch_status("web", &PatchParams::default(), &merge(forged)).await);
        let applied = json!({
            "apiVersion": "platform.opmodel.dev/v1alpha1", "kind": "PromiseRequest", "metadata": {"name": "web"},
            "status": {"observedGeneration": 1, "phase": "Failed"},
        });
        refused(who, api.patch_status("web", &PatchParams::apply("forger").force(), &Patch::Apply(&applied)).await);
    }
    // Beside a spec a status is not looked at.
    let beside = json!({"spec": {"reason": "changed"}, "status": {"phase": "Failed"}});
    let patched = plane.requests("dana").patch("web", &PatchParams::default(), &merge(beside)).await.unwrap();
    assert_ne!(json!(patched.status)["phase"], "Failed");
    let mut born = request("born-ready", "no-such-promise", json!({}));
    born.metadata.namespace = Some(plane.namespace().to_owned());
    born.status = plane.requests("dana").get("web").await.unwrap().status;
    let made = plane.requests("dana").create(&PostParams::default(), &born).await.unwrap();
    assert!(made.status.is_none_or(|status| status.current.is_none()), "a request is born without a status");
    plane.requests("dana").delete("born-ready", &DeleteParams::default()).await.unwrap();
}

async fn a_release_is_forged_changed_and_removed(plane: &Plane) {
    let own: Api<PromiseRelease> = plane.in_shop("dana");
    let known = own.list(&ListParams::default()).await.unwrap().items.first().unwrap().name_any();
    for who in ["dana", "erin", "opm-portal"] {
        let api: Api<PromiseRelease> = plane.in_shop(who);
        let forged = object("forged", Some(plane.namespace()), promise::api::PromiseReleaseSpec::default());
        refused(who, api.create(&PostParams::default(), &forged).await);
        let changed = json!({"spec": {"parameters": {"level": 9}}});
        refused(who, api.patch(&known, &PatchParams::default(), &merge(changed)).await);
        refused(who, api.delete(&known, &DeleteParams::default()).await);
        refused(who, api.delete_collection(&DeleteParams::default(), &ListParams::default()).await);
    }
    assert!(own.get(&known).await.is_ok());
}

/// Even to those who run the platform it is shut: a revision is what runs everywhere.
async fn a_revision_is_forged_changed_and_removed(plane: &Plane) {
    let of = |client: Client| Api::<PromiseRevision>::all(client);
    let admin = of(plane.client("admin", "root:platform"));
    let known = admin.list(&ListParams::default()).await.unwrap().items.remove(0);
    let mut forged: PromiseRevision = object("forged", None, known.spec.clone());
    forged.spec.version = "9.9.9".to_owned();
    let changed = json!({"spec": {"version": "9.9.9"}});
    let attackers = ["dana", "erin"].map(|who| (who, "root:acme:shop"));
    for (who, at) in attackers.into_iter().chain(["admin", "opm-portal"].map(|who| (who, "root:platform"))) {
        let api = of(plane.client(who, at));
        refused(who, api.create(&PostParams::default(), &forged).await);
        refused(who, api.patch(&known.name_any(), &PatchParams::default(), &merge(changed.clone())).await);
        // Cleaning up is left to the superusers of a Kubernetes cluster.
        if who != "admin" || !plane.has_namespaces() {
            refused(who, api.delete(&known.name_any(), &DeleteParams::default()).await);
        }
    }
    assert_eq!(admin.get(&known.name_any()).await.unwrap().spec.version, "1.0.0");
}

async fn somebody_else_is_said_to_have_asked(plane: &Plane) {
    let mut forged = request("forged", "no-such-promise", json!({}));
    forged.metadata.namespace = Some(plane.namespace().to_owned());
    forged.spec.requester =
        Some(promise::api::Requester { username: "admin".into(), groups: vec!["system:masters".into()], cluster: None });
    let api = plane.requests("dana");
    let stamped = api.create(&PostParams::default(), &forged).await.unwrap().spec.requester.unwrap();
    assert_eq!(stamped.username, "dana");
    assert!(!stamped.groups.contains(&"system:masters".to_owned()), "{:?}", stamped.groups);
    for requester in [json!({"username": "admin"}), json!({"username": "dana", "groups": ["system:masters"]}), Value::Null] {
        let patch = json!({"spec": {"requester": requester}});
        refused("dana", api.patch("forged", &PatchParams::default(), &merge(patch)).await);
    }
    let applied = json!({
        "apiVersion": "platform.opmodel.dev/v1alpha1", "kind": "PromiseRequest", "metadata": {"name": "forged"},
        "spec": {"promise": {"name": "no-such-promise"}, "requester": {"username": "admin", "groups": []}},
    });
    refused("dana", api.patch("forged", &PatchParams::apply("forger").force(), &Patch::Apply(&applied)).await);
    api.delete("forged", &DeleteParams::default()).await.unwrap();
}

/// Dana asks; Erin changes what she asks for, and says that it was somebody else.
async fn somebody_else_is_said_to_have_changed_it(plane: &Plane) {
    let says = |who: Value| json!({"metadata": {"annotations": {names::CHANGED_BY_ANNOTATION: who}}});
    let noted = |request: &PromiseRequest| request.annotations().get(names::CHANGED_BY_ANNOTATION).cloned();
    let mut forged = request("changed", "no-such-promise", json!({}));
    forged.metadata.namespace = Some(plane.namespace().to_owned());
    forged.annotations_mut().insert(names::CHANGED_BY_ANNOTATION.to_owned(), "erin".to_owned());
    let made = plane.requests("dana").create(&PostParams::default(), &forged).await.unwrap();
    assert_eq!(noted(&made), None, "nobody has changed it");
    let (api, params) = (plane.requests("erin"), PatchParams::default());
    let beside = json!({"metadata": {"annotations": {names::CHANGED_BY_ANNOTATION: "dana"}}, "spec": {"parameters": {"level": 9}}});
    assert_eq!(noted(&api.patch("changed", &params, &merge(beside)).await.unwrap()).as_deref(), Some("erin"));
    for who in [json!("dana"), json!(""), Value::Null] {
        assert_eq!(noted(&api.patch("changed", &params, &merge(says(who))).await.unwrap()).as_deref(), Some("erin"));
    }
    let removed = json!([{"op": "remove", "path": "/metadata/annotations"}]);
    let removed: Patch<()> = Patch::Json(serde_json::from_value(removed).unwrap());
    assert_eq!(noted(&api.patch("changed", &params, &removed).await.unwrap()).as_deref(), Some("erin"));
    let applied = json!({
        "apiVersion": "platform.opmodel.dev/v1alpha1", "kind": "PromiseRequest",
        "metadata": {"name": "changed", "annotations": {names::CHANGED_BY_ANNOTATION: "dana"}},
        "spec": {"promise": {"name": "no-such-promise"}, "parameters": {"level": 8}},
    });
    let put = api.patch("changed", &PatchParams::apply("forger").force(), &Patch::Apply(&applied)).await.unwrap();
    assert_eq!(noted(&put).as_deref(), Some("erin"));
    plane.requests("dana").delete("changed", &DeleteParams::default()).await.unwrap();
}

async fn a_finalizer_is_removed(plane: &Plane) {
    for who in ["dana", "erin"] {
        let api = plane.requests(who);
        refused(who, api.patch("web", &PatchParams::default(), &merge(json!({"metadata": {"finalizers": null}}))).await);
        let other = json!({"metadata": {"finalizers": ["example.org/mine"]}});
        refused(who, api.patch("web", &PatchParams::default(), &merge(other)).await);
        let first = json!([{"op": "remove", "path": "/metadata/finalizers/0"}]);
        let first: Patch<()> = Patch::Json(serde_json::from_value(first).unwrap());
        refused(who, api.patch("web", &PatchParams::default(), &first).await);
        let mut bare = api.get("web").await.unwrap();
        bare.metadata.finalizers = None;
        // Somebody may have written it meanwhile; then it is not taken for that.
        match api.replace("web", &PostParams::default(), &bare).await {
            Err(kube::Error::Api(status)) if status.code == 409 => {}
            answer => refused(who, answer),
        }
    }
    assert_eq!(plane.requests("dana").get("web").await.unwrap().metadata.finalizers.unwrap(), [names::FINALIZER]);
    let promises: Api<cluster::kinds::Promise> = Api::all(plane.client("admin", "root:platform"));
    crate::world::wait(promises.clone(), "settings", "held", |promise| promise.metadata.finalizers.is_some()).await;
    refused("admin", promises.patch("settings", &PatchParams::default(), &merge(json!({"metadata": {"finalizers": null}}))).await);
}

async fn the_status_of_the_catalog_is_forged(plane: &Plane) {
    let promises: Api<cluster::kinds::Promise> = Api::all(plane.client("admin", "root:platform"));
    let forged = json!({"status": {"observedGeneration": 1, "revision": "forged", "conditions": [], "instances": 0}});
    refused("admin", promises.patch_status("settings", &PatchParams::default(), &merge(forged)).await);
}

/// Decisions about what the platform asks lie in its home, and whoever may not write there writes none. What looks like one elsewhere is in the
/// wrong place, which is tried with the approvals themselves.
async fn somebody_decides_who_may_not(plane: &Plane) {
    let spec = json!({
        "request": {"namespace": plane.namespace(), "name": "web", "uid": "u"}, "rule": {"policy": "careful", "name": "look"},
        "contentHash": "h", "decision": "approve", "decidedBy": {"username": "admin", "groups": ["system:masters"]},
    });
    let forged: Approval = object("forged", None, serde_json::from_value(spec).unwrap());
    for who in ["dana", "erin", "opm-portal", "opm-controller"] {
        for at in ["root:platform", "root:acme", "root:acme:shop"] {
            let api: Api<Approval> = Api::all(plane.client(who, at));
            refused(&format!("{who} in {at}"), api.create(&PostParams::default(), &forged).await);
            refused(&format!("{who} in {at}"), api.patch("forged", &PatchParams::apply("forger").force(), &Patch::Apply(&forged)).await);
        }
    }
    let made = Api::<Approval>::all(plane.client("admin", "root:platform")).get_opt("forged").await.unwrap();
    assert!(made.is_none());
}

async fn a_status_says_that_it_was_approved(plane: &Plane) {
    let rule = json!({"policy": "careful", "name": "look"});
    let approvals = json!([{"rule": rule, "source": "root:platform", "cluster": "c", "required": 1, "state": "approved"}]);
    let candidate = json!({"release": "web-1", "version": "1.0.0", "revision": "r", "contentHash": "h", "state": "accepted"});
    for who in ["dana", "erin", "opm-portal"] {
        for status in [json!({"approvals": approvals}), json!({"candidate": candidate}), json!({"outdated": {"digest": "d"}})] {
            let forged = json!({"status": status});
            refused(who, plane.requests(who).patch_status("web", &PatchParams::default(), &merge(forged)).await);
        }
    }
    let status = plane.requests("dana").get("web").await.unwrap().status.unwrap();
    assert!(status.approvals.is_empty() && status.outdated.is_none());
}
