//! What approvers read: whose values they are, and every character of them.

use super::*;
use crate::browser::fill;
use crate::policies::write_policy;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn characters_that_are_not_seen_are_shown_to_who_decides() {
    let product = Product::open().await;
    let requester = product.signed_in("dev-shop").await;
    let rule = json!({"name": "look", "approve": {"approvers": {"groups": ["acme-approvers"]}}});
    let policy = json!({"owner": {"team": "Operations"}, "appliesTo": {"promises": ["web-application"]}, "rules": [rule]});
    write_policy(&product, "root:acme", "second-look", policy).await;
    let spec: PromiseRequestSpec = serde_json::from_value(json!({
        "promise": {"name": "web-application", "workspace": "root:platform"}, "reason": "For the \u{202e}nosaes",
        "parameters": {"image": "ghcr.io/acme/shop:1.0.0", "arguments": ["--user=ad\u{200b}min"]},
    }))
    .expect("a spec");
    let caller = requester.caller(&product).await;
    let cluster = product.running.portal.world.tree().cluster(&WorkspacePath::parse(SHOP).expect("a path")).expect("the shop");
    let api: Api<PromiseRequest> = Api::namespaced(caller.client(&cluster), "default");
    api.create(&PostParams::default(), &object::<PromiseRequestKind>("shop", Some("default"), spec)).await.expect("a request");
    let (uid, _) = waits(&product, "shop", "").await;
    let mut approver = product.signed_in("approver").await;
    for address in [format!("/approvals/{uid}"), "/approvals".to_owned()] {
        let page = approver.until(&address, |answer| answer.text.contains("second-look")).await;
        for shown in ["For the [U+202E]nosaes", "--user=ad[U+200B]min"] {
            assert!(page.text.contains(shown), "{address}: {shown}: {}", page.text);
        }
        assert!(!page.text.contains(['\u{202e}', '\u{200b}']), "{address}: {}", page.text);
    }
    product.running.close().await;
}

/// The word for who wrote a value, by its label.
fn writer(page: &Answer, label: &str) -> String {
    let row = page.text.split(&format!("<th scope=\"row\">{label}</th>")).nth(1).unwrap_or_else(|| panic!("{label}: {}", page.text));
    let cell = row.split("data-label=\"Set by\">").nth(1).and_then(|rest| rest.split("</td>").next()).expect("a cell");
    cell.trim_start_matches("<b>").trim_end_matches("</b>").to_owned()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn values_of_someone_else_carry_the_name_of_the_requester() {
    let product = Product::open().await;
    let mut requester = product.signed_in("dev-shop").await;
    let (uid, _) = asked(&product, &requester, "orders-db", 50).await;
    let adds = "/w/root:acme:shop/requests/default/orders-db?view=adds";
    let legend = |page: &Answer| {
        let mark = page.text.split("data-from=\"you\"").nth(1).unwrap_or_else(|| panic!("no legend in {}", page.text));
        mark.split("</span>").nth(1).and_then(|rest| rest.split('<').next()).unwrap_or_default().to_owned()
    };
    let mut approver = product.signed_in("approver").await;
    let page = approver.until(&format!("/approvals/{uid}"), |answer| answer.text.contains("name=\"rule\"")).await;
    assert_eq!(writer(&page, "Storage of each replica"), "Dana Shaw");
    assert!(!page.text.contains("<b>You</b>"), "{}", page.text);
    let mut owner = product.signed_in("org-owner").await;
    assert_eq!(legend(&owner.get(adds).await), "Dana Shaw");
    let own = requester.get(adds).await;
    assert_eq!(legend(&own), "You");

    // An owner who edits the request reads whose each value is.
    let edit = "/w/root:acme:shop/requests/default/orders-db/edit";
    let typed = [("/parameters/tier", "production"), ("/parameters/replicas", "2"), ("/parameters/storage", "60")];
    let kept = fill(&mut owner, edit, &typed, "adds").await;
    let draft = kept.location().split("draft=").nth(1).and_then(|rest| rest.split('&').next()).expect("a draft").to_owned();
    let review = owner.get(&format!("/w/root:acme:shop/requests/default/orders-db/edit/review?draft={draft}")).await;
    assert_eq!(review.status, StatusCode::OK, "{}", review.text);
    assert!(writer(&review, "Replicas").contains("Dana Shaw"), "{}", review.text);
    assert_eq!(writer(&review, "Storage of each replica"), "You");
    product.running.close().await;
}
