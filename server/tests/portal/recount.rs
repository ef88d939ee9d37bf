//! A seeded world: the controller finds nothing to do in it, and the numbers of every list and dashboard are those of the plane's objects,
//! counted anew here. `cargo xtask soak recount` runs this at other sizes (`OPM_INSTANCES`, `OPM_WORKSPACES`).

mod hits;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use cluster::kinds::PromiseRequest;
use cluster::{Scope, WorkspacePath};
use devplane::store::{Store, StoreError};
use devplane::{Storage, SystemClock};
use jiff::Timestamp;
use kube::Api;
use kube::api::ListParams;
use opm_portal::seed::{self, Seed};
use promise::api::{CandidateState, ConditionStatus, Health, InventoryItem, Phase, PromiseRequestStatus};
use promise::ledger::Month;
use promise::price::Money;
use tokio::time::Instant;

use crate::access::write_request;
use crate::browser::{Browser, Product};
use crate::cost;
use crate::kill::setting;

/// Age of the oldest instance; the ledger is older.
const DAYS: u32 = 8;
/// Within which time a portal that ended lets go of its plane's file.
const CLOSED: Duration = Duration::from_secs(60);
/// The most that a page may weigh, compressed, without its style sheet.
const WEIGHT: usize = 24_000;
/// Rows on one page of a list.
const PAGE: usize = 50;

#[test]
fn a_seeded_world_is_at_rest_and_every_page_tells_its_numbers() {
    let size = |name: &str, usual: u64| usize::try_from(setting(name, usual)).expect("a size");
    let (instances, workspaces) = (size("OPM_INSTANCES", 500), size("OPM_WORKSPACES", 8));
    let folder = tempfile::tempdir().expect("a folder");
    let wanted = Seed { data: folder.path().to_owned(), database: None, instances, workspaces, seed: 7, days: DAYS, ledger_days: DAYS + 2 };
    let seeded = seed::run(&wanted).expect("a world");
    assert_eq!(seeded.requests, instances);
    assert!(seeded.objects > 3 * instances, "{seeded:?}");
    let again = seed::run(&wanted).expect("the same world");
    assert_eq!((again.objects, again.requests), (0, instances), "what is there stays as it is");
    assert!(seed::run(&Seed { seed: 8, ..wanted }).is_err(), "another world needs another folder");

    let before = revisions(folder.path());
    assert!(before.len() > 3 * instances, "{}", before.len());
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let product = Product::in_folder(folder.path()).await;
        let all = counted(&product).await;
        let teams: BTreeSet<&String> = all.iter().map(|(path, _)| path).collect();
        assert_eq!((all.len(), teams.len()), (instances, workspaces));
        every_page(&product, &all).await;
        // Requests are looked at in the order in which they came: these two come after all that were there at the start.
        for name in ["comes-after", "comes-last"] {
            write_request(&product, name).await;
            cost::ready(&product, name).await;
        }
        product.running.close().await;
    });
    drop(runtime);
    let after = revisions(folder.path());
    let changed: Vec<_> = before.iter().filter(|(place, revision)| after.get(*place) != Some(*revision)).collect();
    assert!(changed.is_empty(), "{} of {} objects were written: {changed:?}", changed.len(), before.len());
}

/// Revisions of everything that was seeded, by place.
fn revisions(folder: &Path) -> BTreeMap<String, u64> {
    let storage = Storage::Directory(folder.canonicalize().expect("a folder").join("plane"));
    let begun = Instant::now();
    let store = loop {
        match Store::open(&storage, Arc::new(SystemClock)) {
            // The writer thread of the previous store closes the file shortly after the store is dropped.
            Err(StoreError::InUse(_)) if begun.elapsed() < CLOSED => std::thread::yield_now(),
            opened => break opened.expect("the plane's file"),
        }
    };
    let all = store.peek_all().into_iter().filter(|(resource, key, _)| {
        let plural = &*resource.resource;
        match plural {
            "events" => false,
            "promiserequests" | "promisereleases" => true,
            "namespaces" => key.name.starts_with("opm-") && key.cluster.is_sandbox(),
            _ => key.namespace.starts_with("opm-") && key.cluster.is_sandbox() || key.name.ends_with("-outputs"),
        }
    });
    all.map(|(resource, key, stored)| (format!("{} {} {} {}", resource.resource, key.cluster, key.namespace, key.name), stored.revision))
        .collect()
}

/// Everything, as it stands on the plane.
async fn counted(product: &Product) -> Vec<(String, PromiseRequest)> {
    let mut all = Vec::new();
    let tree = product.running.portal.world.tree();
    let teams = tree.all().iter().map(|node| node.path.clone()).filter(|path| path.as_str().matches(':').count() == 2);
    for path in teams.filter(|path| ["root:nordwind:", "root:pacifica:"].iter().any(|top| path.as_str().starts_with(top))) {
        let scope = Scope::Workspace(WorkspacePath::parse(path.as_str()).expect("a path"));
        let api: Api<PromiseRequest> = Api::all(product.running.portal.endpoint.client(product.admin(), &scope));
        let requests = api.list(&ListParams::default()).await.expect("a list").items;
        all.extend(requests.into_iter().map(|request| (path.to_string(), request)));
    }
    all
}

fn status(request: &PromiseRequest) -> PromiseRequestStatus {
    request.status.clone().unwrap_or_default()
}

async fn page(browser: &mut Browser, address: &str) -> String {
    let answer = browser.get(address).await;
    assert!(answer.status.is_success(), "{address}: {}", answer.text);
    let mut compressed = Vec::new();
    brotli::BrotliCompress(&mut answer.text.as_bytes(), &mut compressed, &brotli::enc::BrotliEncoderParams::default()).expect("compressed");
    assert!(compressed.len() <= WEIGHT, "{address} weighs {} bytes", compressed.len());
    answer.text
}

fn has(page: &str, address: &str, texts: &[String]) {
    for text in texts {
        assert!(page.contains(text.as_str()), "{address} lacks {text:?}: {page}");
    }
}

async fn every_page(product: &Product, all: &[(String, PromiseRequest)]) {
    let mut engineer = product.signed_in("platform-engineer").await;
    lists(&mut engineer, all).await;
    resources(&mut engineer, all).await;
    overview(product, &mut engineer, all).await;
    decisions(product, all).await;
    money(product, all).await;
    let mut owner = product.signed_in("org-owner").await;
    for address in ["/", "/workspaces", "/notifications"] {
        page(&mut owner, address).await;
        page(&mut engineer, address).await;
    }
}

/// Each team's list of requests, whole and narrowed.
async fn lists(browser: &mut Browser, all: &[(String, PromiseRequest)]) {
    let mut teams: BTreeMap<&str, Vec<&PromiseRequest>> = BTreeMap::new();
    for (path, request) in all {
        teams.entry(path).or_default().push(request);
    }
    for (path, requests) in teams {
        let that = |fits: fn(&PromiseRequest) -> bool| requests.iter().filter(|request| fits(request)).count();
        for (query, fit) in [
            ("", requests.len()),
            ("?phase=Ready", that(|request| status(request).phase == Phase::Ready)),
            ("?promise=redis", that(|request| request.spec.promise.name == "redis")),
        ] {
            let address = format!("/w/{path}/requests{query}");
            let text = page(browser, &address).await;
            // A list that is not narrowed says less: all of its requests match.
            let total = promise::wording::counted(requests.len() as u64, "request");
            let (short, long) = (format!(">{} of {total}<", fit.min(PAGE)), format!(" of {fit} matching, {total} in total<"));
            let said = if fit == requests.len() { short } else { long };
            assert!(text.contains(&said), "{address} does not say {said}: {text}");
        }
    }
}

/// What was made, in one team and in an organisation.
async fn resources(browser: &mut Browser, all: &[(String, PromiseRequest)]) {
    for (top, query) in [("root:nordwind:nordwind-0001", ""), ("root:nordwind", "?below=true"), ("root:pacifica", "?below=1")] {
        let within = all.iter().filter(|(path, _)| path == top || path.starts_with(&format!("{top}:")));
        let statuses: Vec<PromiseRequestStatus> = within.map(|(_, request)| status(request)).collect();
        let items: Vec<&InventoryItem> = statuses.iter().flat_map(|status| &status.inventory).collect();
        let that = |fits: fn(&InventoryItem) -> bool| items.iter().filter(|item| fits(item)).count();
        let healthy = that(|item| item.health == Health::Healthy);
        let broken = that(|item| matches!(item.health, Health::Degraded | Health::Missing));
        let figure = |name: &str, number: usize| format!("<dt>{name}</dt><dd><b>{number}</b>");
        let address = format!("/w/{top}/resources{query}");
        let text = page(browser, &address).await;
        has(
            &text,
            &address,
            &[
                figure("Resources", items.len()),
                format!("in {} instances", statuses.iter().filter(|status| !status.inventory.is_empty()).count()),
                figure("Applied", that(|item| item.applied)),
                figure("Healthy", healthy),
                format!("{broken} unhealthy, {} starting or unknown", items.len() - healthy - broken),
                figure("Drifted", that(|item| item.repairs.is_some())),
                format!(">{} of {} resources<", items.len().min(PAGE), items.len()),
            ],
        );
        let and = if query.is_empty() { "?" } else { "&" };
        let secrets = that(|item| item.kind == "Secret" && item.health == Health::Healthy);
        let address = format!("{address}{and}kind=Secret&health=Healthy");
        has(&page(browser, &address).await, &address, &[format!(" of {secrets} matching, {} resources in total<", items.len())]);
        let named = items.iter().filter(|item| item.name.contains("cache-0")).count();
        let address = format!("/w/{top}/resources{query}{and}q=cache-0&kind=StatefulSet");
        let sets = items.iter().filter(|item| item.name.contains("cache-0") && item.kind == "StatefulSet").count();
        assert!(sets > 0 && sets < named);
        has(&page(browser, &address).await, &address, &[format!(" of {sets} matching, {} resources in total<", items.len())]);
    }
}

/// The overview for platform teams.
async fn overview(product: &Product, browser: &mut Browser, all: &[(String, PromiseRequest)]) {
    let text = page(browser, "/platform").await;
    let mut states: BTreeMap<&str, usize> = BTreeMap::new();
    for (_, request) in all {
        *states.entry(word(&status(request))).or_default() += 1;
    }
    assert!(states.len() >= 4, "{states:?}");
    let mut texts: Vec<String> = states.iter().map(|(word, count)| format!("aria-label=\"{count} {word}\"><b>{count}</b>")).collect();
    texts.push(format!("Based on {} requests", all.len()));
    texts.push(format!(
        "<h2>Pending approvals</h2><span class=\"basis\">{}</span>",
        all.iter().filter(|(_, request)| is_asked(&status(request))).count()
    ));
    let mut running: BTreeMap<&str, usize> = BTreeMap::new();
    for (path, _) in all.iter().filter(|(_, request)| status(request).current.is_some()) {
        *running.entry(path).or_default() += 1;
    }
    let most = running.values().max().copied().unwrap_or_default();
    texts.push(format!(">{most}</a></td>"));
    has(&text, "/platform", &texts);
    times(product, &text, all);
    for address in ["/platform/policies", "/platform/policies/root:nordwind/monthly-spending", "/platform/deliveries"] {
        page(browser, address).await;
    }
}

/// Whether approvers decide about a request, or about a change of what runs.
fn is_asked(status: &PromiseRequestStatus) -> bool {
    status.candidate.as_ref().is_some_and(|candidate| candidate.state == CandidateState::AwaitingApproval)
}

/// The word of a state on pages.
fn word(status: &PromiseRequestStatus) -> &'static str {
    let undecided = status.candidate.as_ref().filter(|_| status.current.is_none()).map(|candidate| candidate.state);
    match (status.phase, undecided) {
        (Phase::AwaitingApproval, Some(CandidateState::ChangesRequested)) => return "Changes requested",
        (Phase::Rejected, Some(CandidateState::Expired)) => return "Expired",
        (Phase::Rejected, Some(CandidateState::Withdrawn)) => return "Withdrawn",
        _ => {}
    }
    match status.phase {
        Phase::Pending => "Pending",
        Phase::AwaitingApproval => "Awaiting approval",
        Phase::Provisioning => "Provisioning",
        Phase::Ready => "Ready",
        Phase::Degraded => "Degraded",
        Phase::Updating => "Updating",
        Phase::Failed => "Failed",
        Phase::Rejected => "Rejected",
        Phase::Deleting => "Deleting",
    }
}

/// How long it took from acceptance to the first time that each was Ready, by promise. What went wrong later is no part of it.
fn times(product: &Product, page: &str, all: &[(String, PromiseRequest)]) {
    let mut took: BTreeMap<&str, Vec<i64>> = BTreeMap::new();
    let second = |time: &Option<String>| time.as_ref().expect("a time").parse::<Timestamp>().expect("a time").as_second();
    for (_, request) in all {
        let Some(current) = status(request).current else { continue };
        took.entry(&request.spec.promise.name).or_default().push(second(&current.ready_at) - second(&current.accepted_at));
    }
    assert!(took.len() >= 4, "{took:?}");
    let promises = product.running.portal.world.promises.snapshot();
    let section = page.split("id=\"times\"").nth(1).and_then(|rest| rest.split("</section>").next()).expect("the section");
    assert!(section.contains(&format!("measured on {} instances", took.values().flatten().count())), "{section}");
    for (promise, mut took) in took {
        took.sort_unstable();
        // The least time within which so many of a hundred were ready.
        let within = |percent: usize| span(took[(took.len() * percent).div_ceil(100) - 1]);
        let (_, offered) = promises.iter().find(|(key, _)| key.name == promise).expect("a promise");
        let title = offered.spec.presentation.display_name.clone().expect("a name");
        let row = section.split(&format!(">{title}</a>")).nth(1).and_then(|rest| rest.split("</tr>").next()).expect("a row");
        for (column, cell) in [("Median", within(50)), ("p95", within(95)), ("Measured", took.len().to_string())] {
            assert!(row.contains(&format!("data-label=\"{column}\" class=\"num\">{cell}</td>")), "{promise}: {column} {cell}: {row}");
        }
    }
}

/// Seconds as the page says them; nothing that is seeded takes hours.
fn span(seconds: i64) -> String {
    match seconds {
        0 => "under 1\u{a0}s".to_owned(),
        1..=119 => format!("{seconds}\u{a0}s"),
        _ => format!("{}\u{a0}min", seconds / 60),
    }
}

/// What waits for people.
async fn decisions(product: &Product, all: &[(String, PromiseRequest)]) {
    let waiting = all.iter().filter(|(_, request)| status(request).phase == Phase::AwaitingApproval).count();
    assert!(waiting > 1);
    let mut approver = product.signed_in("approver").await;
    for address in ["/approvals", "/approvals?view=all"] {
        has(&page(&mut approver, address).await, address, &[format!("{waiting} requests need your approval")]);
    }
    page(&mut approver, "/approvals?view=decided").await;
}

/// What everything costs: the page, its file, and the plane's objects say the same to the millionth.
async fn money(product: &Product, all: &[(String, PromiseRequest)]) {
    let mut finance = product.signed_in("finance").await;
    let store = &product.running.portal.store;
    // An hour may be counted in between: then everything is asked again.
    let (posted, texts) = loop {
        let before = store.ledger_clock().await.expect("a clock").expect("a ledger").posted;
        let mut texts = Vec::new();
        for address in ["/cost", "/cost?by=workspace", "/cost?by=project", "/cost?by=owner"] {
            texts.push((address, page(&mut finance, address).await));
        }
        let file = finance.get("/cost/export.csv").await;
        texts.push(("/cost/export.csv", file.text));
        if store.ledger_clock().await.expect("a clock").expect("a ledger").posted == before {
            break (before, texts);
        }
    };
    let month = Month::of(posted);
    let (start, length) = (month.start(), i128::from(month.end() - month.start()));
    let mut sums: BTreeMap<String, (i64, i64, usize)> = BTreeMap::new();
    for (_, request) in all {
        let status = status(request);
        let Some(current) = &status.current else { continue };
        let cost = status.cost.as_ref().expect("a price");
        let currency = cost.currency.clone().expect("a currency");
        let monthly = Money::parse(cost.monthly.as_deref().expect("an amount"), "EUR").expect("an amount").micros;
        let sum = sums.entry(currency).or_default();
        (sum.1, sum.2) = (sum.1 + monthly, sum.2 + 1);
        let healthy = status.conditions.iter().find(|condition| condition.r#type == "Healthy").expect("Healthy");
        if healthy.status != ConditionStatus::True {
            continue;
        }
        let second = |time: &Option<String>| time.as_ref().expect("a time").parse::<Timestamp>().expect("a time").as_second();
        let since = second(&healthy.last_transition_time).max(second(&current.since)).max(start);
        let until = |at: i64| i128::from(monthly) * i128::from(at - start) / length;
        if since < posted {
            sum.0 += i64::try_from(until(posted) - until(since)).expect("an amount");
        }
    }
    assert_eq!(sums.len(), 2, "{sums:?}");
    for (currency, (to_date, estimate, instances)) in &sums {
        let (to_date, estimate) = (Money::new(*to_date, currency.as_str()), Money::new(*estimate, currency.as_str()));
        for (address, text) in texts.iter().filter(|(address, _)| !address.ends_with(".csv")) {
            has(
                text,
                address,
                &[
                    format!("<dt>To date</dt><dd><b>{}</b>", to_date.rounded()),
                    format!("<dt>Estimate</dt><dd><b>{estimate}</b>"),
                    format!("{instances} instances, full month"),
                ],
            );
        }
        let file = texts.iter().find(|(address, _)| address.ends_with(".csv")).map(|(_, text)| text).expect("a file");
        let mut lines = file.lines();
        let heads = cost::cells(lines.next().expect("heads"));
        let at = |head: &str| heads.iter().position(|known| known == head).expect("a column");
        let of_currency = lines.map(cost::cells).filter(|cells| cells[at("currency")] == *currency);
        let sum: i64 = of_currency.map(|cells| Money::parse(&cells[at("amount")], currency.as_str()).expect("an amount").micros).sum();
        assert_eq!(sum, to_date.micros, "{currency}");
    }
}
