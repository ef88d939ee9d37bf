//! Several replicas with pages and several controllers at one plane and one PostgreSQL database: what is done at one of them counts at all.

pub mod site;

use std::collections::BTreeSet;

use http::StatusCode;
use opm_portal::clock::{Clock as _, System};
use serde_json::Value;
use store::{News, SiteFile, Store};

use crate::browser::{Answer, Browser, fill};
use crate::live::read_until;
use crate::notifications::ready;

use site::{PATIENCE, Proxy, Replica, Site};

const SHOP: &str = "/w/root:acme:shop";
const CATALOG: &str = "/w/root:acme:shop/catalog";
const REQUESTS: &str = "/w/root:acme:shop/requests";
/// A page that only people who are signed in can open.
const SESSIONS: &str = "/account/sessions";

/// Asks for a redis through the pages.
async fn request(browser: &mut Browser, name: &str) {
    let form = format!("{SHOP}/promises/redis/request");
    let answer = fill(browser, &form, &[("/reason", ""), ("/name", name)], "submit").await;
    assert_eq!(answer.location(), format!("{SHOP}/requests/default/{name}"), "{}", answer.text);
}

/// Opens a page until it fits, however long a controller needs to take over.
async fn becomes(browser: &mut Browser, address: &str, fits: impl Fn(&Answer) -> bool) {
    let opening = async {
        while !fits(&browser.get(address).await) {
            tokio::time::sleep(std::time::Duration::from_millis(100)).await;
        }
    };
    assert!(tokio::time::timeout(PATIENCE, opening).await.is_ok(), "{address}: {}", browser.get(address).await.text);
}

fn is_ready(page: &Answer) -> bool {
    page.status == StatusCode::OK && page.text.contains(">Ready<")
}

async fn post(browser: &mut Browser, address: &str, token: &str, pairs: &[(&str, &str)]) -> Answer {
    browser.post(address, &[&[("_token", token)], pairs].concat()).await
}

/// Every event that the webhook got about a request.
fn events(site: &Site, name: &str) -> Vec<String> {
    let calls = site.hook.all();
    let bodies = calls.iter().map(|call| serde_json::from_str::<Value>(&call.body).expect("JSON"));
    let of_request = bodies.filter(|body| body.to_string().contains(name));
    of_request.map(|body| body["event"].as_str().expect("an event").to_owned()).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_done_at_one_replica_counts_at_the_other_from_the_next_request_on() {
    let Some(site) = Site::open().await else { return };
    let (one, other) = tokio::join!(site.web(), site.web());
    let token = site.token("dev-shop");
    let mut here = one.browser().brings(&token).await;
    let mut there = Browser::clone(&here);
    there.moves_to_router(Proxy::of(&[&other]).router());

    // A star is there at once, although both replicas keep pages and what the navigation says.
    let form = here.get(REQUESTS).await.hidden("_token");
    for (round, (is, next)) in [("true", "false"), ("false", "true")].into_iter().cycle().take(10).enumerate() {
        assert_eq!(there.get(REQUESTS).await.status, StatusCode::OK);
        let pairs = [("path", "root:acme:shop"), ("favourite", is), ("back", REQUESTS)];
        assert_eq!(post(&mut here, "/do/workspaces/favourite", &form, &pairs).await.location(), REQUESTS);
        let page = there.get(REQUESTS).await;
        assert!(page.text.contains(&format!("name=\"favourite\" value=\"{next}\"")), "round {round}: {}", page.text);
    }

    // The same person in another browser, with a stream from the other replica. It shows what is read in the first one.
    let mut second = other.browser().brings(&token).await;
    let mut stream = second.stream("/live?topic=notifications").await;
    assert!(read_until(&mut stream, "event: ready").await.is_some());
    let store = site.store().await;
    tell(&store, "dev-shop").await;
    assert!(read_until(&mut stream, "event: change").await.is_some(), "a notification that another process wrote");
    becomes(&mut here, "/", |page| page.text.contains("aria-label=\"Notifications, 1 new\"")).await;
    let pairs = [("all", "true"), ("until", "2100-01-01T00:00:00Z"), ("back", "/notifications")];
    post(&mut here, "/do/notifications/read", &form, &pairs).await;
    assert!(read_until(&mut stream, "event: change").await.is_some(), "what was read elsewhere");

    // It is ended here: it is over there with the next request, and its stream ends.
    assert_eq!(second.get(SESSIONS).await.status, StatusCode::OK);
    assert_eq!(post(&mut here, "/do/account/end-session", &form, &[("id", "others")]).await.status, StatusCode::SEE_OTHER);
    assert_eq!(second.get(SESSIONS).await.status, StatusCode::SEE_OTHER, "it is asked to sign in");
    assert_eq!(read_until(&mut stream, "nothing says this").await, None, "the stream ended");

    // The same for a person who signs out.
    let mut stream = there.stream("/live?topic=home").await;
    assert!(read_until(&mut stream, "event: ready").await.is_some());
    assert_eq!(there.get(SESSIONS).await.status, StatusCode::OK);
    post(&mut here, "/do/account/sign-out", &form, &[]).await;
    assert_eq!(there.get(SESSIONS).await.status, StatusCode::SEE_OTHER);
    assert_eq!(read_until(&mut stream, "nothing says this").await, None, "the stream ended");
    site.plane.running.close().await;
}

/// Notifies a person, as any replica does.
async fn tell(store: &Store, person: &str) {
    let news = News { person: person.to_owned(), messages: Vec::new(), ..ready("told", System.now()) };
    assert_eq!(store.tell(&[news], System.now()).await.expect("written").len(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn replicas_and_controllers_are_killed_and_replaced_while_people_go_on() {
    let Some(site) = Site::open().await else { return };
    let (one, other) = tokio::join!(site.web(), site.web());
    let (leader, standby) = (site.controller().await, site.controller().await);
    let proxy = Proxy::of(&[&one, &other]);
    let mut browser = Browser::at(proxy.router()).brings(&site.token("dev-shop")).await;
    site.plane.publishes_samples().await;

    request(&mut browser, "first").await;
    becomes(&mut browser, &format!("{SHOP}/requests/default/first"), is_ready).await;
    site.hook.until("the end of the first", |call| call.body.contains("first") && call.body.contains("\"ready\"")).await;

    // Either controller and either replica is killed in the middle of a request.
    request(&mut browser, "second").await;
    leader.kill();
    becomes(&mut browser, &format!("{SHOP}/requests/default/second"), is_ready).await;
    request(&mut browser, "third").await;
    one.kill();
    becomes(&mut browser, &format!("{SHOP}/requests/default/third"), is_ready).await;
    site.hook.until("the end of the third", |call| call.body.contains("third") && call.body.contains("\"ready\"")).await;
    for name in ["first", "second", "third"] {
        let events = events(&site, name);
        let once: BTreeSet<&String> = events.iter().collect();
        assert_eq!(events.len(), once.len(), "each event of {name} is sent once: {events:?}");
    }
    assert!(!standby.log().contains("panicked"), "{}", standby.log());

    // A rollout: a new replica, then the end of the former one. Every request on the way is answered.
    let (former, new) = (other, site.web().await);
    proxy.leads_to(&[&former, &new]);
    let going_on = {
        let mut browser = Browser::clone(&browser);
        async move {
            for _ in 0..40 {
                let page = browser.get(CATALOG).await;
                assert_eq!(page.status, StatusCode::OK, "{}", page.text);
            }
        }
    };
    let ((), ()) = tokio::join!(going_on, replaced(&proxy, former, &new));
    request(&mut browser, "fourth").await;
    becomes(&mut browser, &format!("{SHOP}/requests/default/fourth"), is_ready).await;
    site.plane.running.close().await;
}

/// Takes a replica out of the proxy, and stops it.
async fn replaced(proxy: &Proxy, former: Replica, new: &Replica) {
    proxy.leads_to(&[new]);
    former.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn files_of_another_version_of_the_site_are_served_during_a_rollout() {
    let Some(site) = Site::open().await else { return };
    let (one, other) = tokio::join!(site.web(), site.web());
    let mut browser = Browser::at(Proxy::of(&[&one, &other]).router());
    // What a replica of another version does when it starts.
    let file = |address: &str, text: &str| SiteFile {
        address: address.to_owned(),
        kind: "text/javascript; charset=utf-8".to_owned(),
        content: text.into(),
    };
    let former = file("/pkg/page.0123abcd.js", "export const version = 'former';");
    let store = site.store().await;
    store.keep_site_files(std::slice::from_ref(&former), System.now(), &System).await.expect("kept");
    for _ in 0..2 {
        let answer = browser.get(&former.address).await;
        assert_eq!((answer.status, answer.text.as_bytes()), (StatusCode::OK, &*former.content));
        assert_eq!(answer.headers["content-type"], "text/javascript; charset=utf-8");
        assert_eq!(answer.headers["cache-control"], "public, max-age=31536000, immutable");
        assert_eq!(browser.get("/pkg/page.00000000.js").await.status, StatusCode::NOT_FOUND);
    }
    // And what the replicas of this version keep for those of another one: every file that a page names.
    let page = browser.get("/sign-in").await.text;
    let named: BTreeSet<&str> = page.split(['"', '\'']).filter(|text| text.starts_with("/pkg/") || text.starts_with("/assets/")).collect();
    assert!(!named.is_empty(), "{page}");
    for address in named {
        let address = address.split(['#', '?']).next().expect("a path");
        assert!(store.site_file(address).await.expect("an answer").is_some(), "{address}");
    }
    site.plane.running.close().await;
}
