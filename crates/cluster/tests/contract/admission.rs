//! The trust boundary (`domain.md` 10) as far as admission guards it: who asked, and who cleans up.

use kube::ResourceExt;
use kube::api::{DeleteParams, Patch, PatchParams, PostParams};
use serde_json::json;

use crate::behaviours;
use crate::ground::{Ground, refused, request, until};

behaviours![the_requester_is_stamped_whatever_is_sent, the_requester_is_frozen, only_the_controller_takes_its_finalizer_off];

const FINALIZER: &str = "platform.opmodel.dev/fulfilment";

/// Policies are learned by watching: the first request that is stamped shows that they are known.
async fn are_known(ground: &Ground) {
    let api = ground.requests("admin");
    let rehearsal = PostParams { dry_run: true, field_manager: None };
    until("the policies are known", || async { api.create(&rehearsal, &request("rehearsal")).await.unwrap().spec.requester.is_some() })
        .await;
}

async fn may_write(ground: &Ground) {
    ground.grant("requests", json!({"apiGroups": ["platform.opmodel.dev"], "resources": ["promiserequests"], "verbs": ["*"]})).await;
    let api = ground.requests("dana");
    until("the right counts", || async { api.get_opt("none").await.is_ok() }).await;
}

async fn the_requester_is_stamped_whatever_is_sent(ground: Ground) {
    are_known(&ground).await;
    may_write(&ground).await;
    let mut forged = request("a");
    forged.spec.requester = Some(serde_json::from_value(json!({"username": "admin", "groups": ["system:masters"]})).unwrap());
    let made = ground.requests("dana").create(&PostParams::default(), &forged).await.unwrap();
    let requester = made.spec.requester.unwrap();
    assert_eq!(requester.username, "dana");
    assert!(requester.groups.iter().all(|group| group != "system:masters"), "{:?}", requester.groups);

    let body = json!({
        "apiVersion": "platform.opmodel.dev/v1alpha1", "kind": "PromiseRequest", "metadata": {"name": "applied"},
        "spec": {"promise": {"name": "redis", "workspace": "root:platform"}, "requester": {"username": "admin", "groups": []}},
    });
    let applied = ground.requests("dana").patch("applied", &PatchParams::apply("kubectl"), &Patch::Apply(body)).await.unwrap();
    assert_eq!(applied.spec.requester.unwrap().username, "dana");
}

async fn the_requester_is_frozen(ground: Ground) {
    are_known(&ground).await;
    may_write(&ground).await;
    ground.requests("dana").create(&PostParams::default(), &request("a")).await.unwrap();
    for person in ["dana", "admin", "opm-controller"] {
        let api = ground.requests(person);
        for requester in [json!({"username": "admin"}), json!(null)] {
            let patch = json!({"spec": {"requester": requester}});
            let (code, _) = refused(api.patch("a", &PatchParams::default(), &Patch::Merge(patch)).await);
            assert_eq!(code, 422, "{person}");
        }
        let patch = json!({"spec": {"reason": person}});
        api.patch("a", &PatchParams::default(), &Patch::Merge(patch)).await.unwrap();
    }
}

async fn only_the_controller_takes_its_finalizer_off(ground: Ground) {
    are_known(&ground).await;
    may_write(&ground).await;
    let (theirs, ours) = (ground.requests("dana"), ground.requests("opm-controller"));
    theirs.create(&PostParams::default(), &request("a")).await.unwrap();
    let held = json!({"metadata": {"finalizers": [FINALIZER]}});
    ours.patch("a", &PatchParams::default(), &Patch::Merge(held)).await.unwrap();
    let bare = json!({"metadata": {"finalizers": null}});
    assert_eq!(refused(theirs.patch("a", &PatchParams::default(), &Patch::Merge(&bare)).await).0, 422);
    theirs.delete("a", &DeleteParams::default()).await.unwrap();
    assert_eq!(refused(theirs.patch("a", &PatchParams::default(), &Patch::Merge(&bare)).await).0, 422);
    assert!(theirs.get("a").await.unwrap().finalizers().iter().any(|finalizer| finalizer == FINALIZER));
    ours.patch("a", &PatchParams::default(), &Patch::Merge(&bare)).await.unwrap();
    assert!(theirs.get_opt("a").await.unwrap().is_none());
}
