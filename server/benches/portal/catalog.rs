//! The catalog of few, many and very many promises: the page of one promise, its form, a search with one hit and the first page, each beside
//! the same with the fewest.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use devplane::store::{Key, Store};
use devplane::{Storage, SystemClock};
use serde_json::json;

use crate::http::{Connection, request};
use crate::load::{self, Asked, Load};
use crate::plane::Plane;
use crate::portal::Portal;

/// Connections of the measurement of rates.
const CONNECTIONS: usize = 8;
/// The least share of the rate with the fewest promises that the pages of one promise are to keep.
const SHARE: f64 = 0.8;
/// The 99th percentile that the first page is to stay within.
const GOAL: Duration = Duration::from_millis(5);
/// Objects between two waits for the disk.
const BATCH: usize = 8_192;
/// The promise that is copied.
const PATTERN: &str = "settings-000";

/// What is measured.
pub struct Sizes {
    promises: Vec<usize>,
    /// For each page.
    seconds: u64,
}

impl Sizes {
    /// Reads `--promises 4,2000,100000 --seconds 6`.
    pub fn of(words: &[&str]) -> Self {
        let mut sizes = Self { promises: vec![4, 2_000, 100_000], seconds: 6 };
        for pair in words.chunks(2) {
            let [name, value] = pair else { panic!("{pair:?} has no value") };
            match *name {
                "--promises" => sizes.promises = value.split(',').map(|size| size.parse().expect("a number of promises")).collect(),
                "--seconds" => sizes.seconds = value.parse().expect("a number of seconds"),
                other => panic!("unknown argument {other}"),
            }
        }
        sizes
    }
}

/// Which pages, and whether each is to keep its rate.
fn pages() -> [(&'static str, String, bool); 5] {
    let workspace = "/w/root:acme:shop";
    [
        ("page of one promise", format!("{workspace}/promises/{PATTERN}"), true),
        ("its form", format!("{workspace}/promises/{PATTERN}/request"), true),
        ("search with one hit", format!("{workspace}/catalog?q={PATTERN}"), true),
        ("first page of the catalog", format!("{workspace}/catalog"), false),
        ("first page of a category", format!("{workspace}/catalog?category=runtime"), false),
    ]
}

/// Measures each size; the first is what the others are compared with. Answers whether every goal was met.
pub async fn measure(sizes: &Sizes) -> bool {
    let (mut base, mut all_met) = (Vec::<f64>::new(), true);
    for size in &sizes.promises {
        let data = tempfile::tempdir().expect("a folder");
        let promises = fill(data.path(), *size).await;
        // Pages and plane alone: what the controller does with so many promises is measured elsewhere.
        let portal = Portal::start_with(data.path(), &["--roles", "plane,web"]).await;
        let cookie = portal.sign_in("dev-shop").await;
        println!("\n## {promises} promises\n\n- start to ready: {:.0} ms", millis(portal.start));
        println!(
            "\n| page | HTML, bytes | first | p50 | p99 | pages/s | of the rate with the fewest | goal |\n|---|---|---|---|---|---|---|---|"
        );
        for (at, (title, path, keeps)) in pages().into_iter().enumerate() {
            let (first, one, many) = page(&portal, &path, &cookie, sizes.seconds).await;
            if base.len() == at {
                base.push(many.rate);
            }
            let share = base.get(at).map_or(1.0, |base| many.rate / base);
            let (goal, met) = if keeps { (format!("≥ {SHARE}"), share >= SHARE) } else { (format!("p99 ≤ {GOAL:?}"), one.p99 <= GOAL) };
            all_met &= met;
            println!(
                "| {title} | {} | {:.1} ms | {:.2} ms | {:.2} ms | {:.0} | {share:.2} | {goal} {} |",
                one.bytes,
                millis(first),
                millis(one.p50),
                millis(one.p99),
                many.rate,
                if met { "met" } else { "**missed**" },
            );
        }
        println!("\n- resident after all pages: {:.1} MiB", portal.resident());
    }
    all_met
}

/// The first look, one connection, and several.
async fn page(portal: &Portal, path: &str, cookie: &str, seconds: u64) -> (Duration, Load, Load) {
    let message = request("GET", path, portal.port, &[("Cookie", cookie), ("Accept", "text/html")], "");
    let began = Instant::now();
    let answer = Connection::open(portal.port).await.send(&message).await;
    let first = began.elapsed();
    assert_eq!(answer.status, 200, "{path}: {}", answer.head);
    let one = load::run(portal.port, path, cookie, &Asked::Anew, 1, seconds).await;
    (first, one, load::run(portal.port, path, cookie, &Asked::Anew, CONNECTIONS, seconds).await)
}

/// Lets the controller publish one promise beside those of the sample world, and copies it, with its revision, into the plane's file while no
/// plane runs on it; answers how many promises there are.
async fn fill(data: &Path, promises: usize) -> usize {
    let there = {
        let _portal = Portal::start(data).await;
        let plane = Plane::open(data);
        plane.publish_pattern(PATTERN).await
    };
    let store = Store::open(&Storage::Directory(data.join("plane")), Arc::new(SystemClock)).expect("the plane's file");
    let all = store.peek_all();
    let pattern: Vec<_> =
        all.iter().filter(|(resource, key, _)| &*resource.group == promise::names::GROUP && key.name.starts_with(PATTERN)).collect();
    assert_eq!(pattern.len(), 2, "a promise and its revision");
    let mut last = store.revision();
    for number in there..promises {
        let name = format!("copy-{number:06}");
        for (resource, key, stored) in &pattern {
            let mut object = stored.object();
            let own = key.name.replace(PATTERN, &name);
            object["metadata"]["name"] = json!(own);
            object["metadata"]["uid"] = json!(format!("00000000-0000-4000-8000-{number:012}"));
            if &*resource.resource == "promises" {
                object["spec"]["presentation"]["displayName"] = json!(format!("Copy {number}"));
                object["spec"]["presentation"]["maintainer"] = json!({"team": format!("Team {}", number % 50)});
                object["status"]["revision"] = json!(object["status"]["revision"].as_str().unwrap_or_default().replace(PATTERN, &name));
            } else {
                object["spec"]["promise"] = json!(name);
            }
            last = store.write_behind(resource, &Key::new(&key.cluster, "", &own), 0, Some(object)).expect("written").revision;
        }
        if number % BATCH == 0 {
            store.settle(last).await;
        }
    }
    assert!(store.settle(last).await, "the disk takes it");
    there.max(promises)
}

fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}
