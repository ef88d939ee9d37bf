//! A controller that dies between any two writes of a decision: nothing is lost, and nothing happens twice.

use kube::api::ListParams;
use promise::api::DecisionState;
use promise::names;
use serde_json::json;

use super::stages::{in_two_stages, of_rule, told};
use super::{asked, decide};
use crate::world::{Plane, condition};

#[tokio::test(flavor = "multi_thread")]
async fn before_whichever_write_of_a_decision_it_dies_the_next_one_completes_it() {
    dies_while_people_decide(Plane::open().await).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_same_in_namespaces() {
    dies_while_people_decide(Plane::namespaces().await).await;
}

/// Each round the controller dies before a later write than in the round before: between the decision and what it says of itself, between
/// that and what the request says, and between acceptance and everything that is made.
async fn dies_while_people_decide(plane: Plane) {
    in_two_stages(&plane).await.crash();
    for writes in 0..14 {
        let name = format!("web-{writes}");
        let controller = plane.controller().await;
        plane.ask(&name, "settings", json!({"level": 2})).await;
        let waiting = asked(&plane, &name).await;
        controller.crash();
        let (mortal, hangs) = plane.mortal_controller(writes).await;
        let (one, two) = (format!("one-{writes}"), format!("two-{writes}"));
        decide(&plane, "erin", &of_rule("first", &one, &waiting, "approve")).await;
        decide(&plane, "sandbox", &of_rule("second", &two, &waiting, "approve")).await;
        tokio::select! {
            () = hangs.notified() => {}
            // So many writes are not needed.
            _ = plane.ready(&name) => {}
        }
        mortal.crash();
        let controller = plane.controller().await;
        let ready = plane.ready(&name).await;
        for approval in [&one, &two] {
            told(&plane, approval, DecisionState::Counts, None).await;
        }
        controller.crash();
        let status = ready.status.as_ref().unwrap();
        assert!(condition(&ready, "Approved").starts_with("True Approved: erin approved it"), "{}", condition(&ready, "Approved"));
        assert_eq!(
            status.question.as_ref().map(|q| &q.since),
            waiting.status.unwrap().question.as_ref().map(|q| &q.since),
            "it was asked once"
        );
        let own = ListParams::default().labels(&format!("{}={}", names::REQUEST_UID_LABEL, ready.metadata.uid.unwrap()));
        assert_eq!(plane.config_maps().list(&own).await.unwrap().items.len(), 1, "after {writes} writes");
    }
}
