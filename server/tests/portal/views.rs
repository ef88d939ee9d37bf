//! Saved views: kept for one person and one list, opened by a link, and nobody else's.

use http::StatusCode;

use crate::access::write_request;
use crate::browser::{Answer, Browser, Product};

const LIST: &str = "/w/root:acme:shop/requests";

/// Keeps a filter under a title, from a page of the list.
pub async fn save(browser: &mut Browser, list: &str, title: &str, filter: &[(&str, &str)]) -> Answer {
    let token = browser.get("/").await.hidden("_token");
    let place = if list == "approvals" { "" } else { "root:acme:shop" };
    let mut pairs = vec![("_token", token.as_str()), ("list", list), ("place", place), ("title", title), ("back", LIST)];
    pairs.extend(filter);
    browser.post("/do/views/save", &pairs).await
}

/// The id of the view that a page shows as current.
fn current(page: &Answer) -> String {
    let form = page.text.split("action=\"/do/views/rename\"").nth(1).unwrap_or_else(|| panic!("no view is current in {}", page.text));
    let id = form.split("name=\"id\" value=\"").nth(1).and_then(|rest| rest.split('"').next());
    id.expect("an id").to_owned()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_view_is_kept_opened_renamed_and_deleted() {
    let product = Product::quiet().await;
    for name in ["alpha", "beta"] {
        write_request(&product, name).await;
    }
    let mut browser = product.signed_in("dev-shop").await;
    let plain = browser.until(LIST, |answer| answer.text.contains("2 of 2 requests")).await;
    assert!(!plain.text.contains("Save this view"), "nothing is narrowed");
    let narrowed = browser.get(&format!("{LIST}?q=alpha&page=3")).await;
    assert!(
        narrowed.text.contains("action=\"/do/views/save\"") && narrowed.text.contains("name=\"q\" value=\"alpha\""),
        "{}",
        narrowed.text
    );

    let saved = save(&mut browser, "requests", " Alphas ", &[("q", "alpha"), ("page", "3"), ("kind", "Secret")]).await;
    assert_eq!((saved.status, saved.location()), (StatusCode::SEE_OTHER, LIST), "{}", saved.text);
    let listed = browser.get(LIST).await;
    let link = "<a href=\"/w/root:acme:shop/requests?q=alpha\">Alphas</a>";
    assert!(listed.text.contains(link), "without page, and without what is no filter of this list: {}", listed.text);
    let opened = browser.get(&format!("{LIST}?q=alpha")).await;
    assert!(
        opened.text.contains("1 of 1 matching, 2 requests in total") && opened.text.contains("aria-current=\"true\">Alphas"),
        "{}",
        opened.text
    );
    assert!(!browser.get("/w/root:acme:shop/resources").await.text.contains("Alphas"), "another list");

    let (id, token) = (current(&opened), opened.hidden("_token"));
    let renamed = browser.post("/do/views/rename", &[("_token", &token), ("id", &id), ("title", "First"), ("back", LIST)]).await;
    assert_eq!(renamed.status, StatusCode::SEE_OTHER, "{}", renamed.text);
    assert!(browser.get(LIST).await.text.contains(">First</a>"));

    // Somebody else has none of it, and takes none of it away.
    let mut other = product.signed_in("org-owner").await;
    assert!(!other.get(LIST).await.text.contains(">First</a>"));
    let theirs = other.get("/").await.hidden("_token");
    let taken = other.act("/do/views/rename", &[("_token", &theirs), ("id", &id), ("title", "Mine"), ("back", LIST)]).await;
    assert_eq!(taken.status, StatusCode::NOT_FOUND, "{}", taken.text);
    other.post("/do/views/delete", &[("_token", &theirs), ("id", &id), ("back", LIST)]).await;
    assert!(browser.get(LIST).await.text.contains(">First</a>"));

    let deleted = browser.post("/do/views/delete", &[("_token", &token), ("id", &id), ("back", "//evil.example")]).await;
    assert_eq!((deleted.status, deleted.location()), (StatusCode::SEE_OTHER, "/"), "and nobody is sent elsewhere");
    assert!(!browser.get(LIST).await.text.contains(">First</a>"));
    product.running.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_does_not_fit_is_refused_with_a_sentence() {
    let product = Product::quiet().await;
    let mut browser = product.signed_in("dev-shop").await;
    let long = "x".repeat(61);
    for (list, title, filter, said) in [
        ("requests", "", &[("q", "a")][..], "Enter a name for the view"),
        ("requests", long.as_str(), &[("q", "a")][..], "at most 60 characters"),
        ("requests", "Nothing", &[("page", "2")][..], "Choose a filter first"),
        ("approvals", "Plain", &[("view", "waiting")][..], "Choose a filter first"),
    ] {
        let refused = save(&mut browser, list, title, filter).await;
        let address = refused.location().to_owned();
        let refused = browser.follow(refused).await;
        assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY, "{title}: {}", refused.text);
        assert!(refused.text.contains(said), "{said}: {}", refused.text);
        assert!(refused.text.contains(&format!("href=\"{LIST}\"")), "the way back: {}", refused.text);
        assert!(browser.get(&address).await.text.contains(said), "it can be opened again");
        assert_eq!(
            product.signed_in("org-owner").await.get(&address).await.status,
            StatusCode::NOT_FOUND,
            "only by the person who was refused"
        );
    }
    let refused = save(&mut browser, "workspaces", "Other", &[("q", "a")]).await;
    assert_eq!(browser.follow(refused).await.status, StatusCode::NOT_FOUND);
    assert_eq!(save(&mut browser, "approvals", "Risky", &[("risk", "high")]).await.status, StatusCode::SEE_OTHER);
    assert!(browser.get("/approvals").await.text.contains("<a href=\"/approvals?risk=high\">Risky</a>"));

    for number in 1..store::MAX_SAVED_VIEWS {
        let kept = save(&mut browser, "requests", &format!("View {number}"), &[("q", "a")]).await;
        assert_eq!(kept.status, StatusCode::SEE_OTHER, "{number}: {}", kept.text);
    }
    let full = save(&mut browser, "resources", "One more", &[("q", "a")]).await;
    let full = browser.follow(full).await;
    assert!(full.status == StatusCode::UNPROCESSABLE_ENTITY && full.text.contains("Delete one first"), "{}", full.text);
    product.running.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn views_of_all_requests_are_those_of_no_workspace() {
    let product = Product::quiet().await;
    for name in ["alpha", "beta"] {
        write_request(&product, name).await;
    }
    let mut browser = product.signed_in("dev-shop").await;
    let narrowed = browser.until("/requests?q=alpha", |answer| answer.text.contains("1 of 1 matching")).await;
    assert!(narrowed.text.contains("action=\"/do/views/save\""), "{}", narrowed.text);
    let token = narrowed.hidden("_token");
    let pairs =
        [("_token", token.as_str()), ("list", "requests"), ("place", ""), ("title", "Alphas"), ("back", "/requests"), ("q", "alpha")];
    let saved = browser.post("/do/views/save", &pairs).await;
    assert_eq!((saved.status, saved.location()), (StatusCode::SEE_OTHER, "/requests"), "{}", saved.text);
    assert!(browser.get("/requests").await.text.contains("<a href=\"/requests?q=alpha\">Alphas</a>"));
    assert!(!browser.get(LIST).await.text.contains("Alphas"), "another list");
    let pairs = [("_token", token.as_str()), ("list", "resources"), ("place", ""), ("title", "Other"), ("back", "/"), ("q", "alpha")];
    let refused = browser.post("/do/views/save", &pairs).await;
    assert_eq!(browser.follow(refused).await.status, StatusCode::NOT_FOUND, "resources have no list of all workspaces");
    product.running.close().await;
}
