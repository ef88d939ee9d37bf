//! Forms of large promises, and the check while somebody types.

use std::time::{Duration, Instant};

use super::{millis, publish, schemas};
use crate::bare::Bare;
use crate::http::{Answer, Connection, request};
use crate::load::{self, Asked, quantile};
use crate::plane::Plane;
use crate::portal::Portal;

/// How often a form is checked.
const CHECKS: usize = 100;
/// Within which a check is to be answered.
const CHECKED: Duration = Duration::from_millis(16);

/// A form, and what it may cost.
struct Goal {
    fields: usize,
    rendered: Duration,
    /// Of the compressed page.
    bytes: usize,
}

const GOALS: [Goal; 2] = [
    Goal { fields: 300, rendered: Duration::from_millis(5), bytes: 40_000 },
    Goal { fields: 5_000, rendered: Duration::from_millis(25), bytes: 100_000 },
];

/// Measures the forms. Answers whether every goal was met.
pub async fn measure(seconds: u64) -> bool {
    let data = tempfile::tempdir().expect("a folder");
    let portal = Portal::start(data.path()).await;
    let promises: Vec<_> = GOALS.iter().map(|goal| (name(goal), schemas::wide(goal.fields))).collect();
    assert_eq!(publish(&Plane::open(data.path()), &promises).await, 0, "they are published");
    let cookie = portal.sign_in("dev-shop").await;
    println!("\n## Forms\n");
    println!(
        "| fields | HTML, bytes | compressed | p50 | p99 | bare handler, p50 | p99 | ratio of p50 | check while typing, p50 | p99 | goals |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|");
    let mut all_met = true;
    for goal in &GOALS {
        all_met &= form(&portal, &cookie, goal, seconds).await;
    }
    all_met
}

async fn form(portal: &Portal, cookie: &str, goal: &Goal, seconds: u64) -> bool {
    let path = format!("/w/root:acme:shop/promises/{}/request", name(goal));
    let plain = visit(portal, &path, cookie, &[]).await;
    let compressed = visit(portal, &path, cookie, &[("Accept-Encoding", load::ENCODINGS)]).await;
    let bare = Bare::of(&compressed.body);
    let theirs = load::run(bare.port, "/", cookie, &Asked::Unchanged, 1, seconds).await;
    let ours = load::run(portal.port, &path, cookie, &Asked::Anew, 1, seconds).await;
    let checks = checks(portal, &path, cookie, &plain.text()).await;
    let (half, most) = (quantile(&checks, 0.5), quantile(&checks, 0.99));
    let met = ours.p50 <= goal.rendered && compressed.body.len() <= goal.bytes && half <= CHECKED;
    println!(
        "| {} | {} | {} | {:.2} ms | {:.2} ms | {:.2} ms | {:.2} ms | {:.1} | {:.2} ms | {:.2} ms | ≤ {:?}, ≤ {} bytes, ≤ {CHECKED:?} {} |",
        goal.fields,
        plain.body.len(),
        compressed.body.len(),
        millis(ours.p50),
        millis(ours.p99),
        millis(theirs.p50),
        millis(theirs.p99),
        ours.p50.as_secs_f64() / theirs.p50.as_secs_f64(),
        millis(half),
        millis(most),
        goal.rendered,
        goal.bytes,
        verdict(met),
    );
    met
}

/// Times of checks as the script asks for them after a pause in typing, sorted. Each has another name.
async fn checks(portal: &Portal, path: &str, cookie: &str, page: &str) -> Vec<Duration> {
    let typed: Vec<(String, String)> = posted(page).into_iter().filter(|(name, _)| name != "/name" && name != "_op").collect();
    let (address, origin) = (format!("{path}/preflight"), format!("http://127.0.0.1:{}", portal.port));
    let headers = [
        ("Content-Type", "application/x-www-form-urlencoded"),
        ("Origin", origin.as_str()),
        ("Sec-Fetch-Site", "same-origin"),
        ("Cookie", cookie),
    ];
    let mut connection = Connection::open(portal.port).await;
    let mut times = Vec::with_capacity(CHECKS);
    for number in 0..=CHECKS {
        let mut fields = form_urlencoded::Serializer::new(String::new());
        fields.extend_pairs(&typed).append_pair("_op", "preflight").append_pair("/name", &format!("typed-{number}"));
        let message = request("POST", &address, portal.port, &headers, &fields.finish());
        let sent = Instant::now();
        let answer = connection.send(&message).await;
        assert_eq!(answer.status, 200, "{address}: {} {}", answer.head, answer.text());
        // What is compiled once isn't what a check costs.
        if number > 0 {
            times.push(sent.elapsed());
        }
    }
    times.sort_unstable();
    times
}

/// What a browser sends of the fields of a page.
fn posted(page: &str) -> Vec<(String, String)> {
    let mut pairs = Vec::new();
    for tag in page.split('<').skip(1) {
        let Some((attributes, text)) = tag.split_once('>') else { continue };
        let value =
            |name: &str| attributes.split_once(&format!("{name}=\"")).and_then(|(_, rest)| Some(unescaped(rest.split('"').next()?)));
        let named = value(" name");
        match (attributes.split_whitespace().next().unwrap_or_default(), named) {
            ("input", Some(name)) => {
                let kind = value(" type").unwrap_or_default();
                let is_sent = match kind.as_str() {
                    "checkbox" | "radio" => attributes.split_whitespace().any(|word| word == "checked" || word.starts_with("checked=")),
                    "submit" | "button" | "file" => false,
                    _ => true,
                };
                if is_sent {
                    pairs.push((name, value(" value").unwrap_or_default()));
                }
            }
            ("textarea", Some(name)) => pairs.push((name, unescaped(text))),
            ("select", Some(name)) => pairs.push((name, String::new())),
            ("option", _) if attributes.split_whitespace().any(|word| word == "selected" || word.starts_with("selected=")) => {
                if let (Some((_, last)), Some(chosen)) = (pairs.last_mut(), value(" value")) {
                    *last = chosen;
                }
            }
            _ => {}
        }
    }
    pairs
}

fn unescaped(text: &str) -> String {
    text.replace("&quot;", "\"").replace("&lt;", "<").replace("&gt;", ">").replace("&#39;", "'").replace("&amp;", "&")
}

async fn visit(portal: &Portal, path: &str, cookie: &str, headers: &[(&str, &str)]) -> Answer {
    let all: Vec<(&str, &str)> = [("Cookie", cookie), ("Accept", "text/html")].iter().chain(headers).copied().collect();
    let answer = Connection::open(portal.port).await.send(&request("GET", path, portal.port, &all, "")).await;
    assert_eq!(answer.status, 200, "{path}: {}", answer.head);
    answer
}

fn name(goal: &Goal) -> String {
    format!("wide-{}", goal.fields)
}

/// Whether a goal was met, for a table.
pub fn verdict(met: bool) -> &'static str {
    if met { "met" } else { "**missed**" }
}
