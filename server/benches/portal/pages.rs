//! Pages per second beside a bare handler that sends the same compressed bytes, in turns in the same run.

use crate::bare::Bare;
use crate::http::{Answer, Connection, request};
use crate::load::{self, Asked, Load};
use crate::plane::Plane;
use crate::portal::Portal;

const CONNECTIONS: usize = 16;

/// The catalog with 100 rows, and the page of one request.
pub async fn measure(seconds: u64) {
    let data = tempfile::tempdir().expect("a folder");
    let portal = Portal::start(data.path()).await;
    let plane = Plane::open(data.path());
    plane.publish_copies(100).await;
    let request_page = plane.order_and_wait("bench-page").await;
    let cookie = portal.sign_in("dev-shop").await;
    for path in ["/w/root:acme:shop/catalog", request_page.as_str()] {
        compare(&portal, path, &cookie, seconds).await;
    }
}

/// Measures a page as people and live pages ask for it while nothing changes; as it is rendered for each response; and, where the browser
/// has it already, as 304.
async fn compare(portal: &Portal, path: &str, cookie: &str, seconds: u64) {
    let visited = visit(portal, path, cookie).await;
    // A browser sends the cookie that its first visit of a workspace sets.
    let cookie =
        visited.header("set-cookie").and_then(|set| set.split(';').next()).map_or(cookie.to_owned(), |set| format!("{cookie}; {set}"));
    let cookie = cookie.as_str();
    let answer = visit(portal, path, cookie).await;
    let tag = answer.header("etag").expect("an entity tag").to_owned();
    let bare = Bare::of(&answer.body);
    println!("{path}: {} bytes of compressed HTML", answer.body.len());
    let theirs = load::run(bare.port, "/", cookie, &Asked::Unchanged, CONNECTIONS, seconds).await;
    print(&theirs, "bare axum handler");
    for (asked, what) in [
        (Asked::Unchanged, "portal, nothing changed"),
        (Asked::Anew, "portal, rendered for each response"),
        (Asked::Known(tag), "portal, by a browser that has the page"),
    ] {
        let ours = load::run(portal.port, path, cookie, &asked, CONNECTIONS, seconds).await;
        print(&ours, what);
        let (rate, p99) = (ours.rate / theirs.rate, ours.p99.as_secs_f64() / theirs.p99.as_secs_f64());
        println!("    ratio: {rate:.3} of the bare handler's rate, {p99:.1} times its p99; {:.0} % were 304", ours.unchanged * 1e2);
    }
}

async fn visit(portal: &Portal, path: &str, cookie: &str) -> Answer {
    let message = request("GET", path, portal.port, &[("Cookie", cookie), ("Accept-Encoding", load::ENCODINGS)], "");
    let answer = Connection::open(portal.port).await.send(&message).await;
    assert_eq!(answer.status, 200, "{path}: {}", answer.head);
    answer
}

fn print(load: &Load, what: &str) {
    println!(
        "  {what}: {:.0} pages/s, p50 {:.2} ms, p99 {:.2} ms, {} bytes",
        load.rate,
        load.p50.as_secs_f64() * 1e3,
        load.p99.as_secs_f64() * 1e3,
        load.bytes
    );
}
