//! Single objects and whole lists.

use std::time::{Duration, Instant};

use crate::client::{Call, Client};
use crate::load::{CONNECTIONS, closed, millis, quantile};
use crate::objects;
use crate::sheet::{Figure, Goal, Sheet};
use crate::subject::Subject;

/// Objects of one page.
const PAGE: usize = 500;
/// How long lists are asked for again, and how often at least.
const LISTING: (Duration, usize) = (Duration::from_secs(3), 3);

/// Objects by their names, in no order.
pub async fn gets(subject: &Subject, size: usize, sheet: &mut Sheet) {
    let client = subject.loader();
    // A step that shares no factor with the size reaches every object before one comes again.
    let call = |index: usize| Call::get(objects::path(&objects::name((index * 7919) % size)));
    let one = closed(&client, 1, 2000.min(size), 200, call).await;
    sheet.add("get, one by one", one.figure());
    let many = closed(&client, CONNECTIONS, 8000.min(2 * size), 200, call).await;
    sheet.add("get, 16 at once", many.figure());
}

/// All objects in one list, and in pages.
pub async fn lists(subject: &Subject, size: usize, sheet: &mut Sheet) {
    let client = subject.loader();
    let goal = Goal::AtLeast(3.0);
    let mut bytes = 0;
    let whole = repeated(async || {
        let mut connection = client.connect().await;
        let begun = Instant::now();
        bytes = connection.count(&Call::get(objects::COLLECTION)).await;
        begun.elapsed()
    });
    let whole = whole.await;
    sheet.add(
        "list of all",
        lists_figure(&whole)
            .with(format!("{:.1} MB each, p50 {}", bytes as f64 / 1e6, millis(quantile(&whole, 0.5))))
            .goal_if(size >= 10_000, goal),
    );
    let paged = repeated(async || {
        let begun = Instant::now();
        assert_eq!(pages(&client, objects::COLLECTION).await, size.div_ceil(PAGE));
        begun.elapsed()
    });
    let paged = paged.await;
    sheet.add(
        "list of all in pages of 500",
        lists_figure(&paged).with(format!("p50 {}", millis(quantile(&paged, 0.5)))).goal_if(size >= 10_000, goal),
    );
    sheet.add("memory after lists", Figure::bytes(subject.resident_at_rest().await).goal_if(size >= 100_000, Goal::AtMost(0.25)));
}

/// Reads a collection page by page; the number of pages.
pub async fn pages(client: &Client, collection: &str) -> usize {
    let mut connection = client.connect().await;
    let (mut next, mut pages) = (String::new(), 0);
    loop {
        let page = connection.send(&Call::get(format!("{collection}?limit={PAGE}&continue={next}")), &[200]).await;
        pages += 1;
        // The metadata of a list stands before its items, and reading it alone leaves the client out of the measurement.
        let head = String::from_utf8_lossy(&page[..page.len().min(2048)]);
        let token = head.split_once("\"items\":").map_or(&*head, |(head, _)| head).split_once(r#""continue":""#);
        match token.and_then(|(_, rest)| rest.split_once('"')) {
            Some((token, _)) if !token.is_empty() => next = token.to_owned(),
            _ => return pages,
        }
    }
}

/// Runs something for some time; how long each run took, sorted. The first run is not counted.
pub async fn repeated(mut run: impl AsyncFnMut() -> Duration) -> Vec<Duration> {
    run().await;
    let (begun, mut times) = (Instant::now(), Vec::new());
    while begun.elapsed() < LISTING.0 || times.len() < LISTING.1 {
        times.push(run().await);
    }
    times.sort_unstable();
    times
}

/// Lists per second, by the median.
pub fn lists_figure(times: &[Duration]) -> Figure {
    Figure::rate(1.0 / quantile(times, 0.5).as_secs_f64())
}
