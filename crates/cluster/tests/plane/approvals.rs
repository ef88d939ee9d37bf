//! Approvals: who decided is stamped, and what was decided holds for exactly one content.

use cluster::kinds::{Approval, object};
use kube::api::{Api, Patch, PatchParams, PostParams};
use serde_json::{Value, json};

use crate::world::{Plane, on_every_plane};

on_every_plane![who_decided_is_stamped_and_a_decision_never_changes];

fn approvals(plane: &Plane, who: &str) -> Api<Approval> {
    Api::all(plane.client(who, "root:platform"))
}

fn decision(name: &str, hash: &str) -> Approval {
    let spec = json!({
        "request": {"namespace": "default", "name": "web", "uid": "u-1"}, "rule": {"policy": "careful", "name": "look"},
        "contentHash": hash, "decision": "approve", "decidedBy": {"username": "erin", "groups": ["system:masters"]},
    });
    object(name, None, serde_json::from_value(spec).unwrap())
}

async fn who_decided_is_stamped_and_a_decision_never_changes(plane: Plane) {
    let api = approvals(&plane, "admin");
    let made = api.create(&PostParams::default(), &decision("posted", "h")).await.unwrap();
    let applied = api.patch("applied", &PatchParams::apply("test"), &Patch::Apply(decision("applied", "h"))).await.unwrap();
    for made in [made, applied] {
        assert_eq!(made.spec.decided_by.unwrap().username, "admin", "whatever was sent");
    }
    let changes = [
        json!({"decision": "reject"}),
        json!({"contentHash": "other"}),
        json!({"decidedBy": {"username": "erin", "groups": []}}),
        json!({"decidedBy": null}),
        json!({"comment": "I meant something else"}),
        json!({"request": {"uid": "u-2"}}),
    ];
    for spec in changes {
        let answer = api.patch("posted", &PatchParams::default(), &Patch::Merge(json!({"spec": spec}))).await;
        assert!(matches!(&answer, Err(kube::Error::Api(status)) if status.code == 422), "{spec}: {answer:?}");
    }
    let labelled = json!({"metadata": {"labels": {"seen": "yes"}}});
    let labelled = api.patch("posted", &PatchParams::default(), &Patch::<Value>::Merge(labelled)).await.unwrap();
    assert_eq!(labelled.spec.decided_by.unwrap().username, "admin");
}
