//! A request that expires is deleted with what it made, unless its owner renews it.

use cluster::kinds::PromiseRequest;
use jiff::{SignedDuration, Timestamp};
use kube::api::{Patch, PatchParams};
use promise::api::{Phase, WaitingReason};
use promise::expiry::GRACE;
use serde_json::json;

use crate::approvals::{about, asked, careful, decide, edit, let_decide};
use crate::running::Running;
use crate::world::{Plane, condition, on_every_plane, settings};

on_every_plane![
    an_expired_request_can_be_renewed_and_is_deleted_after_a_while,
    what_was_to_stay_stays_when_its_request_expires,
    a_renewal_that_waits_for_approval_holds_the_end_back,
];

/// How far away the end is.
const LIFETIME: SignedDuration = SignedDuration::from_hours(10 * 24);

/// Sets when a request expires, from the machine's present.
async fn expires(plane: &Plane, name: &str, after: SignedDuration) -> String {
    #[expect(clippy::disallowed_methods, reason = "the clock of this test binary")]
    let at = Timestamp::now().checked_add(after).unwrap().strftime("%Y-%m-%dT%H:%M:%SZ").to_string();
    edit(plane, name, json!({"expiresAt": at})).await;
    at
}

/// Has the controller look again, whose clock has jumped. It might have done so already, and deleted the request.
async fn wake(plane: &Plane, reason: &str) {
    let change = json!({"spec": {"reason": reason}});
    match plane.requests("dana").patch("web", &PatchParams::default(), &Patch::Merge(&change)).await {
        Err(kube::Error::Api(status)) if status.code == 404 => {}
        answer => drop(answer.unwrap()),
    }
}

fn has_expired(request: &PromiseRequest) -> bool {
    let waits = request.status.as_ref().and_then(|status| status.waiting_on.as_ref());
    waits.is_some_and(|waits| waits.reason == WaitingReason::Expired)
}

fn runs_until(request: &PromiseRequest) -> Option<&str> {
    request.status.as_ref()?.current.as_ref()?.expires_at.as_deref()
}

/// Has a request expire, and its time for a renewal pass.
pub async fn expire(plane: &Plane, controller: &Running, name: &str) {
    let at = expires(plane, name, LIFETIME).await;
    plane.until(name, "accepted with its end", |request| runs_until(request) == Some(at.as_str())).await;
    controller.advance(LIFETIME + GRACE);
    wake(plane, "over").await;
}

async fn an_expired_request_can_be_renewed_and_is_deleted_after_a_while(plane: Plane) {
    let controller = plane.controller().await;
    plane.publish("settings", settings("1.0.0")).await;
    plane.offer().await;
    plane.ask("web", "settings", json!({})).await;
    plane.ready("web").await;
    edit(&plane, "web", json!({"expiresAt": "2020-01-01T00:00:00Z"})).await;
    let refused = plane.until("web", "refused", |request| condition(request, "Accepted").starts_with("False")).await;
    assert!(
        condition(&refused, "Accepted").contains(".expiresAt: The expiry date 1 Jan 2020, 00:00 UTC has passed."),
        "{}",
        condition(&refused, "Accepted")
    );

    let at = expires(&plane, "web", LIFETIME).await;
    plane.until("web", "accepted with its end", |request| runs_until(request) == Some(at.as_str())).await;
    controller.advance(LIFETIME + SignedDuration::from_hours(1));
    wake(&plane, "still here?").await;
    let expired = plane.until("web", "expired", has_expired).await;
    assert_eq!(expired.status.unwrap().phase, Phase::Ready, "it goes on for now");

    let at = expires(&plane, "web", LIFETIME * 2).await;
    let renewed = |request: &PromiseRequest| runs_until(request) == Some(at.as_str()) && !has_expired(request);
    plane.until("web", "renewed", renewed).await;

    controller.advance(LIFETIME + GRACE);
    wake(&plane, "for the last time").await;
    plane.gone(plane.requests("dana"), "web").await;
    assert!(plane.config_maps().get_opt("web-config").await.unwrap().is_none(), "deleted with its request");
    controller.stop().await;
}

async fn what_was_to_stay_stays_when_its_request_expires(plane: Plane) {
    let controller = plane.controller().await;
    plane.publish("settings", settings("1.0.0")).await;
    plane.offer().await;
    plane.ask("web", "settings", json!({})).await;
    edit(&plane, "web", json!({"deletionPolicy": "Orphan"})).await;
    plane.ready("web").await;
    expire(&plane, &controller, "web").await;
    plane.gone(plane.requests("dana"), "web").await;
    assert!(plane.config_maps().get_opt("web-config").await.unwrap().is_some());
    controller.stop().await;
}

async fn a_renewal_that_waits_for_approval_holds_the_end_back(plane: Plane) {
    let controller = plane.controller().await;
    plane.publish("settings", settings("1.0.0")).await;
    plane.offer().await;
    plane.ask("web", "settings", json!({})).await;
    let at = expires(&plane, "web", LIFETIME).await;
    plane.until("web", "accepted with its end", |request| runs_until(request) == Some(at.as_str())).await;
    plane.ready("web").await;
    plane.govern(&careful(json!({"approvers": {"groups": ["operations"]}}))).await;
    let_decide(&plane, "erin", &["careful"]).await;
    expires(&plane, "web", LIFETIME * 3).await;
    asked(&plane, "web").await;
    controller.advance(LIFETIME + GRACE);
    wake(&plane, "please").await;
    let is_seen =
        |request: &PromiseRequest| request.metadata.generation == request.status.as_ref().map(|status| status.observed_generation);
    let waiting = plane.until("web", "seen again", is_seen).await;
    assert!(condition(&waiting, "Approved").starts_with("False AwaitingApproval") && waiting.metadata.deletion_timestamp.is_none());
    decide(&plane, "erin", &about("no", &waiting, "reject")).await;
    plane.gone(plane.requests("dana"), "web").await;
    controller.stop().await;
}
