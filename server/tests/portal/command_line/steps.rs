//! Steps of workflows from a terminal: skipped by who can override, with a reason.

use promise::names;

use super::Served;
use crate::approvals::steps::{check, with_gate};

const SHOP: &str = "root:acme:shop";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_step_that_failed_is_skipped_with_a_comment() {
    let served = Served::open().await;
    with_gate(&served.product, &check(), names::EMERGENCY_VERB).await;
    served.until("dev-shop", SHOP, "opm promise list", |said| said.text.contains("site ")).await;
    served.run("dev-shop", SHOP, "opm promise request site --name docs").await;
    served.until("dev-shop", SHOP, "opm request get docs -o yaml", |said| said.text.contains("phase: Failed")).await;

    let (code, why) = served.refused("dev-shop", SHOP, "opm request skip docs check --comment mine").await;
    assert!(code == 4 && why.contains("You need the permission override on site in root:platform."), "{code} {why}");
    let (code, _) = served.refused("approver", SHOP, "opm request skip docs check --comment ours --content 0000").await;
    assert_eq!(code, 6, "it isn't the step that was seen");
    let (code, _) = served.refused("approver", SHOP, "opm request skip docs nothing --comment ours").await;
    assert_eq!(code, 5);
    let skipped = served.run("approver", SHOP, "opm request skip docs check --comment ours").await;
    assert_eq!(skipped.text, "Skipped step check of request docs in root:acme:shop.\n");
    let done = served.until("dev-shop", SHOP, "opm request get docs -o yaml", |said| said.text.contains("state: ready")).await;
    assert!(done.text.contains("approver skipped it: ours."), "{}", done.text);
    let (code, why) = served.refused("approver", SHOP, "opm request skip docs check --comment ours").await;
    assert!(code == 6 && why.contains("the step check can't be skipped now"), "{code} {why}");
    served.close().await;
}
