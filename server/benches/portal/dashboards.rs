//! Every list and dashboard over worlds of many instances, on both databases: start, memory, and each page beside a bare handler that sends
//! the same bytes; the same page when the plane has to be asked again about the person, and what a browser is sent.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use crate::anew::{Anew, SAMPLES};
use crate::bare::Bare;
use crate::http::{Connection, request};
use crate::load::{self, Asked, Load};
use crate::portal::{Portal, sign_in};

/// What is measured.
pub struct Sizes {
    instances: Vec<usize>,
    workspaces: usize,
    /// For each page.
    seconds: u64,
    /// `sqlite`, `postgres`.
    engines: Vec<String>,
}

/// The 99th percentile that every page is to stay within at 10,000 instances.
const GOAL: Duration = Duration::from_millis(25);
/// Connections of the measurement of rates.
const CONNECTIONS: usize = 8;
/// How long the portal rests before its memory is looked at.
const REST: Duration = Duration::from_secs(5);

/// Who looks at what. The workspaces are those of `opm-portal seed`.
const PAGES: [(&str, &str); 40] = [
    ("platform-engineer", "/"),
    ("platform-engineer", "/workspaces"),
    ("platform-engineer", "/w/root:nordwind:nordwind-0001/requests"),
    ("platform-engineer", "/w/root:nordwind:nordwind-0001/requests?phase=Ready&page=2"),
    ("platform-engineer", "/w/root:nordwind/requests?below=true"),
    ("platform-engineer", "/requests"),
    ("platform-engineer", "/requests?sort=price"),
    ("platform-engineer", "/w/root:nordwind"),
    ("platform-engineer", "/w/root:nordwind:nordwind-0001"),
    ("platform-engineer", "/w/root:nordwind:nordwind-0001/resources"),
    ("platform-engineer", "/w/root:nordwind/resources?below=true"),
    ("platform-engineer", "/w/root:nordwind/resources?below=true&health=Degraded"),
    ("platform-engineer", "/w/root:nordwind/resources?below=true&q=cache"),
    ("platform-engineer", "/w/root:nordwind:nordwind-0001/catalog"),
    ("platform-engineer", "/platform"),
    ("platform-engineer", "/platform/policies"),
    ("platform-engineer", "/platform/policies/root:nordwind/monthly-spending"),
    ("platform-engineer", "/platform/deliveries"),
    ("platform-engineer", "/search?q=cache"),
    ("platform-engineer", "/search/suggestions?q=cache"),
    ("platform-engineer", "/search/suggestions?q=cahce%20prod"),
    ("platform-engineer", "/cost"),
    ("finance", "/"),
    ("finance", "/cost"),
    ("finance", "/cost?by=workspace"),
    ("finance", "/cost?by=project"),
    ("finance", "/cost?by=owner&workspace=root:nordwind"),
    ("finance", "/cost?workspace=root:nordwind:nordwind-0001"),
    ("approver", "/"),
    ("approver", "/approvals"),
    ("approver", "/approvals?view=all"),
    ("approver", "/approvals?view=decided"),
    ("approver", "/notifications"),
    ("org-owner", "/"),
    ("dev-shop", "/"),
    ("dev-shop", "/w/root:nordwind:nordwind-0001/requests"),
    ("dev-shop", "/requests"),
    ("dev-shop", "/cost"),
    ("dev-shop", "/search/suggestions?q=cahce"),
    ("dev-shop", "/notifications"),
];

impl Sizes {
    /// Reads `--instances 1000,10000 --workspaces 200 --seconds 2 --engines sqlite,postgres`.
    pub fn of(words: &[&str]) -> Self {
        let mut sizes = Self {
            instances: vec![1_000, 10_000, 100_000],
            workspaces: 200,
            seconds: 2,
            engines: vec!["sqlite".into(), "postgres".into()],
        };
        for pair in words.chunks(2) {
            let [name, value] = pair else { panic!("{pair:?} has no value") };
            match *name {
                "--instances" => sizes.instances = value.split(',').map(|size| size.parse().expect("a number of instances")).collect(),
                "--workspaces" => sizes.workspaces = value.parse().expect("a number of workspaces"),
                "--seconds" => sizes.seconds = value.parse().expect("a number of seconds"),
                "--engines" => sizes.engines = value.split(',').map(str::to_owned).collect(),
                other => panic!("unknown argument {other}"),
            }
        }
        sizes
    }
}

/// Seeds each size once, and measures it on each engine.
pub async fn measure(sizes: &Sizes) {
    for instances in &sizes.instances {
        let data = tempfile::tempdir().expect("a folder");
        for engine in &sizes.engines {
            let address = match engine.as_str() {
                "sqlite" => None,
                "postgres" => match testplane::postgres() {
                    Some(server) => Some(server.database()),
                    None => continue,
                },
                other => panic!("unknown engine {other}"),
            };
            one(data.path(), *instances, sizes, engine, address.as_deref()).await;
        }
    }
}

async fn one(data: &Path, instances: usize, sizes: &Sizes, engine: &str, address: Option<&str>) {
    let began = Instant::now();
    seed(data, instances, sizes.workspaces, address);
    println!("\n## {instances} instances over {} workspaces, {engine}\n", sizes.workspaces);
    println!("- seeded in {:.1} s (of a second engine the ledger alone)", began.elapsed().as_secs_f64());
    let anew = asked_anew(data, address).await;
    let extra: Vec<&str> = address.iter().flat_map(|address| ["--database-url", address]).collect();
    // Pages and plane alone: what the controller does after a start is told below.
    let portal = Portal::start_with(data, &[&["--roles", "plane,web"], extra.as_slice()].concat()).await;
    tokio::time::sleep(REST).await;
    println!("- start to ready: {:.0} ms; resident {REST:?} later: {:.1} MiB", millis(portal.start), portal.resident());
    println!(
        "- after permissions expired: {SAMPLES} requests each, when the portal has to ask the plane again; p99 is the slowest of them"
    );
    println!(
        "\n| page | person | HTML, bytes | HTML and CSS with brotli, bytes | first response | p50 | p99 | p50 and p99 after permissions expired \
         | pages/s | bare handler: p50, p99, pages/s | p99 within {GOAL:?} |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|");
    let mut cookies = Cookies { port: portal.port, known: Vec::new() };
    for ((person, path), anew) in PAGES.into_iter().zip(anew) {
        let cookie = cookies.of(person).await;
        page(&portal, person, path, &cookie, sizes.seconds, anew).await;
    }
    println!("\n- resident after all pages: {:.1} MiB", portal.resident());
    drop(portal);
    let whole = Portal::start_with(data, &extra).await;
    println!("- start to ready with the controller: {:.0} ms", millis(whole.start));
}

/// For each page median and 99th percentile when the plane has to be asked again about the person; none where the page is refused.
async fn asked_anew(data: &Path, address: Option<&str>) -> Vec<Option<(Duration, Duration)>> {
    let mut portal = Anew::start(data, address);
    let mut cookies = Cookies { port: portal.port, known: Vec::new() };
    let mut found = Vec::with_capacity(PAGES.len());
    for (person, path) in PAGES {
        let cookie = cookies.of(person).await;
        found.push(portal.page(path, &cookie).await);
    }
    found
}

/// The people who are signed in to the portal at a port.
struct Cookies {
    port: u16,
    known: Vec<(&'static str, String)>,
}

impl Cookies {
    /// The cookie of a person, who signs in the first time.
    async fn of(&mut self, person: &'static str) -> String {
        if let Some((_, cookie)) = self.known.iter().find(|(known, _)| *known == person) {
            return cookie.clone();
        }
        let cookie = sign_in(self.port, person).await;
        self.known.push((person, cookie.clone()));
        cookie
    }
}

/// Lets the binary seed; of a world that is there only what its ledger lacks.
fn seed(data: &Path, instances: usize, workspaces: usize, address: Option<&str>) {
    let binary = std::env::var("OPM_PORTAL").expect("OPM_PORTAL names the release binary: use cargo xtask bench");
    let mut program = Command::new(binary);
    program.arg("seed").arg("--data").arg(data);
    program.args(["--instances", &instances.to_string(), "--workspaces", &workspaces.to_string()]);
    // A row for each instance and hour: at the largest size a few days of them.
    program.args(["--ledger-days", if instances > 20_000 { "3" } else { "30" }]);
    if let Some(address) = address {
        program.args(["--database-url", address]);
    }
    let status = program.status().expect("the seeder runs");
    assert!(status.success(), "seeding ended with {status}");
}

async fn page(portal: &Portal, person: &str, path: &str, cookie: &str, seconds: u64, anew: Option<(Duration, Duration)>) {
    let message = request("GET", path, portal.port, &[("Cookie", cookie), ("Accept", "text/html")], "");
    let began = Instant::now();
    let answer = Connection::open(portal.port).await.send(&message).await;
    let first = began.elapsed();
    if answer.status != 200 {
        println!("| `{path}` | {person} | answered {} | | | | | | | | |", answer.status);
        return;
    }
    let sent = sent(portal, path, cookie, &answer.text()).await;
    let one = load::run(portal.port, path, cookie, &Asked::Anew, 1, seconds).await;
    let many = load::run(portal.port, path, cookie, &Asked::Anew, CONNECTIONS, seconds.div_ceil(2)).await;
    let bare = Bare::of(&answer.body);
    let (theirs, their_rate) = (
        load::run(bare.port, "/", cookie, &Asked::Unchanged, 1, 1).await,
        load::run(bare.port, "/", cookie, &Asked::Unchanged, CONNECTIONS, 1).await.rate,
    );
    let Load { p50, p99, bytes, .. } = one;
    let anew = anew.map_or_else(|| "refused".to_owned(), |(p50, p99)| format!("{:.1} ms, {:.1} ms", millis(p50), millis(p99)));
    println!(
        "| `{path}` | {person} | {bytes} | {sent} | {:.1} ms | {:.1} ms | {:.1} ms | {anew} | {:.0} | {:.2} ms, {:.2} ms, {their_rate:.0} | {} |",
        millis(first),
        millis(p50),
        millis(p99),
        many.rate,
        millis(theirs.p50),
        millis(theirs.p99),
        if p99 <= GOAL { "met" } else { "**missed**" },
    );
}

/// Bytes of a page and its style sheet, as a browser is sent them that takes brotli. A fragment has no style sheet of its own.
async fn sent(portal: &Portal, path: &str, cookie: &str, html: &str) -> usize {
    let sheet = html.split("<link rel=\"stylesheet\" href=\"").nth(1).and_then(|rest| rest.split('"').next());
    let mut connection = Connection::open(portal.port).await;
    let mut bytes = 0;
    for address in std::iter::once(path).chain(sheet) {
        let headers = [("Cookie", cookie), ("Accept", "text/html"), ("Accept-Encoding", "br")];
        let answer = connection.send(&request("GET", address, portal.port, &headers, "")).await;
        assert_eq!(answer.header("content-encoding"), Some("br"), "{address}: {}", answer.head);
        bytes += answer.body.len();
    }
    bytes
}

fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}
