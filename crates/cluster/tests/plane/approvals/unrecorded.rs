//! Releases that cannot be written down.

use cluster::kinds::{PromiseRelease, PromiseRequest};
use kube::api::{Api, DeleteParams};
use promise::api::CandidateState;
use serde_json::json;

use super::{about, asked, candidate, decide, edit, governed};
use crate::own_rights::rights_in;
use crate::world::{Plane, apply, condition};

#[tokio::test(flavor = "multi_thread")]
async fn who_was_asked_is_asked_on_while_the_release_cannot_be_written_down_again() {
    let plane = Plane::namespaces().await;
    let controller = governed(&plane, json!({})).await;
    plane.ask("web", "settings", json!({"level": 2})).await;
    let first = asked(&plane, "web").await;
    controller.stop().await;
    let rights = rights_in("deploy/kubernetes/10-rights.yaml", "ServiceAccount");
    let right = rights.iter().find(|right| right.verb == "create" && right.thing == "promisereleases").unwrap();
    apply(&plane.client("admin", "root"), &right.role_without).await.unwrap();
    // Nobody but the controller may remove it.
    let releases: Api<PromiseRelease> = plane.in_shop("opm-controller");
    releases.delete(&candidate(&first).release, &DeleteParams::default()).await.unwrap();
    let controller = plane.controller().await;
    let edited = edit(&plane, "web", json!({"reason": "please"})).await;
    let seen =
        |request: &PromiseRequest| request.status.as_ref().is_some_and(|s| Some(s.observed_generation) == edited.metadata.generation);
    let unrecorded = plane.until("web", "seen", seen).await;
    assert!(releases.get_opt(&candidate(&first).release).await.unwrap().is_none(), "it cannot be written down");
    let (before, now) = (candidate(&first), candidate(&unrecorded));
    assert_eq!((now.state, now.content_hash), (CandidateState::AwaitingApproval, before.content_hash));
    assert!(condition(&unrecorded, "Approved").starts_with("False AwaitingApproval"), "{}", condition(&unrecorded, "Approved"));
    let since = |request: &PromiseRequest| request.status.as_ref().unwrap().question.as_ref().unwrap().since.clone();
    assert_eq!(since(&unrecorded), since(&first));
    // What is approved of meanwhile is made as soon as it can be written down.
    decide(&plane, "erin", &about("yes", &unrecorded, "approve")).await;
    plane.bootstrap(&["shop"]).await;
    plane.ready("web").await;
    controller.stop().await;
}
