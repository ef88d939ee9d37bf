use std::convert::Infallible;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use futures::stream::BoxStream;
use http::{Request, Response};
use http_body::Frame;
use http_body_util::{BodyExt as _, Full, StreamBody};
use jiff::Timestamp;
use kube::Client;
use kube::api::DynamicObject;
use kube::client::Body;
use tokio_util::sync::CancellationToken;

use super::{Source, WHOLE};
use crate::endpoint::{Endpoint, Scope, Token};
use crate::kinds::PromiseRequestKind;
use crate::watch::{Cache, Freshness, Origin, Row};
use crate::world::typed;

/// Longest wait in these tests.
const PATIENCE: Duration = Duration::from_secs(10);

type Queries = Arc<Mutex<Vec<String>>>;

/// Answers the first request with a list and the second with the events of a watch, and no other; records the query of each.
fn server(items: &[String], events: &[(&str, String)]) -> (Client, Queries) {
    let list = format!(r#"{{"kind":"List","apiVersion":"v1","metadata":{{"resourceVersion":"4"}},"items":[{}]}}"#, items.join(","));
    let event = |(change, object): &(&str, String)| format!("{{\"type\":\"{change}\",\"object\":{object}}}\n");
    let answers = [list, events.iter().map(event).collect()];
    let queries = Queries::default();
    let notes = queries.clone();
    let service = tower::service_fn(move |request: Request<Body>| {
        let mut notes = notes.lock().unwrap();
        let answer = answers.get(notes.len()).cloned();
        notes.push(request.uri().query().unwrap_or_default().to_owned());
        async move {
            match answer {
                Some(text) => Ok::<_, Infallible>(Response::new(Full::<Bytes>::from(text))),
                None => std::future::pending().await,
            }
        }
    });
    (Endpoint::in_process("test", service).client(&Token::new("t"), &Scope::Root), queries)
}

/// Returns a request as a server sends it.
fn object(name: &str, version: u32, parameters: &str) -> String {
    let metadata = format!(r#"{{"name":"{name}","namespace":"shop","resourceVersion":"{version}"}}"#);
    let spec = format!(r#"{{"promise":{{"name":"redis"}},"parameters":{parameters}}}"#);
    format!(r#"{{"apiVersion":"platform.opmodel.dev/v1alpha1","kind":"PromiseRequest","metadata":{metadata},"spec":{spec}}}"#)
}

/// Returns parameters that are nested too deeply to be decoded.
fn deep() -> String {
    format!("{}1{}", r#"{"a":"#.repeat(200), "}".repeat(200))
}

impl Row for String {
    fn same_edition(&self, other: &Self) -> bool {
        self == other
    }
}

/// Fills a cache until the test ends.
fn follow(source: Source, project: fn(DynamicObject) -> Option<String>) -> Cache<String> {
    let cache = Cache::default();
    let clock = Arc::new(|| Timestamp::UNIX_EPOCH);
    tokio::spawn(source.told_apart(Origin::Namespaces).run(cache.clone(), project, clock, CancellationToken::new()));
    cache
}

/// Waits until the rows have these names.
async fn until(cache: &Cache<String>, names: &[&str]) {
    let mut changes = cache.changes();
    let waiting = async {
        loop {
            let shown: Vec<String> = cache.snapshot().keys().map(|key| key.name.clone()).collect();
            if shown == names {
                return;
            }
            changes.recv().await.unwrap();
        }
    };
    tokio::time::timeout(PATIENCE, waiting).await.unwrap();
}

fn name(object: DynamicObject) -> Option<String> {
    object.metadata.name
}

fn promise(object: DynamicObject) -> Option<String> {
    typed::<PromiseRequestKind>(object).map(|request| request.spec.promise.name)
}

#[tokio::test]
async fn an_object_that_cannot_be_decoded_stops_no_other() {
    let items = [object("a", 1, "{}"), object("b", 2, &deep()), object("c", 3, "{}")];
    let events = [
        ("ADDED", object("d", 5, "{}")),
        ("ADDED", object("e", 6, &deep())),
        ("MODIFIED", object("a", 7, &deep())),
        ("ADDED", object("f", 8, "{}")),
        ("MODIFIED", object("b", 9, &deep())),
    ];
    let (client, queries) = server(&items, &events);
    let cache = follow(Source::of::<PromiseRequestKind>(client), name);
    // Nothing outdated remains of an object that could be decoded before.
    until(&cache, &["c", "d", "f"]).await;
    let next = async {
        while queries.lock().unwrap().len() < 3 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(PATIENCE, next).await.unwrap();
    let query = queries.lock().unwrap()[2].clone();
    assert!(query.ends_with("resourceVersion=9"), "the watch goes on after what cannot be decoded: {query}");
}

#[tokio::test]
async fn an_object_that_projecting_panics_over_stops_no_other() {
    let items = [object("a", 1, "{}"), object("b", 2, "{}"), object("c", 3, "{}")];
    let events = [("MODIFIED", object("b", 5, "{}")), ("ADDED", object("d", 6, "{}"))];
    let (client, _) = server(&items, &events);
    let strange = |object: DynamicObject| name(object).inspect(|name| assert!(name != "b", "an object from outside"));
    let cache = follow(Source::of::<PromiseRequestKind>(client), strange);
    until(&cache, &["a", "c", "d"]).await;
}

#[tokio::test]
async fn what_is_needed_of_an_object_is_there_though_the_rest_cannot_be_decoded() {
    let items = [object("a", 1, "{}"), object("b", 2, &deep())];
    let events = [("MODIFIED", object("a", 5, &deep())), ("ADDED", object("c", 6, &deep())), ("DELETED", object("b", 7, &deep()))];
    let (client, _) = server(&items, &events);
    let cache = follow(Source::of::<PromiseRequestKind>(client).in_part(), promise);
    until(&cache, &["a", "c"]).await;
    assert!(cache.snapshot().values().all(|promise| **promise == "redis"));
}

#[tokio::test]
async fn rows_are_not_current_while_everything_is_listed_again() {
    let expired = r#"{"kind":"Status","apiVersion":"v1","code":410,"reason":"Expired","message":"too old"}"#.to_owned();
    let (client, queries) = server(&[object("a", 1, "{}")], &[("ERROR", expired)]);
    let cache = follow(Source::of::<PromiseRequestKind>(client), name);
    // The third call lists again, and is never answered.
    let next = async {
        while queries.lock().unwrap().len() < 3 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(PATIENCE, next).await.unwrap();
    assert_eq!((cache.is_current(), cache.freshness()), (false, Freshness::Synced));
}

/// A list, then a watch that never sends anything, and a server that accepts no more calls: what a connection looks like whose other end is
/// gone.
fn half_open() -> Client {
    let calls = Arc::new(Mutex::new(0));
    let service = tower::service_fn(move |_: Request<Body>| {
        let mut calls = calls.lock().unwrap();
        *calls += 1;
        let list = r#"{"kind":"List","apiVersion":"v1","metadata":{"resourceVersion":"4"},"items":[]}"#;
        let answer = match *calls {
            1 => Some(Full::<Bytes>::from(list).boxed()),
            2 => Some(StreamBody::new(futures::stream::pending::<Result<Frame<Bytes>, Infallible>>()).boxed()),
            _ => None,
        };
        async move {
            match answer {
                Some(body) => Ok::<_, Infallible>(Response::new(body)),
                None => std::future::pending().await,
            }
        }
    });
    Endpoint::in_process("test", service).client(&Token::new("t"), &Scope::Root)
}

#[tokio::test(start_paused = true)]
async fn a_watch_whose_other_end_is_gone_is_noticed_within_a_minute() {
    let cache = follow(Source::of::<PromiseRequestKind>(half_open()), name);
    let is = async |synced: bool| {
        while (cache.freshness() == Freshness::Synced) != synced {
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    };
    is(true).await;
    let silent = tokio::time::Instant::now();
    tokio::time::timeout(Duration::from_secs(600), is(false)).await.expect("it is noticed");
    assert!(silent.elapsed() <= Duration::from_secs(60), "{:?}", silent.elapsed());
}

/// Parts of a body, as they arrive.
type Parts = BoxStream<'static, Result<Frame<Bytes>, Infallible>>;

/// Answers the first list with half a body followed by `rest`, the second with a complete one, and nothing else.
fn half_a_list(rest: fn() -> Parts) -> Client {
    let calls = Arc::new(Mutex::new(0));
    let service = tower::service_fn(move |_: Request<Body>| {
        let mut calls = calls.lock().unwrap();
        *calls += 1;
        let list = r#"{"kind":"List","apiVersion":"v1","metadata":{"resourceVersion":"4"},"items":["#;
        let half = futures::stream::once(std::future::ready(Ok(Frame::data(Bytes::from(list)))));
        let answer = match *calls {
            1 => Some(StreamBody::new(futures::StreamExt::chain(half, rest())).boxed_unsync()),
            2 => Some(Full::<Bytes>::from(format!("{list}{}]}}", object("a", 1, "{}"))).boxed_unsync()),
            _ => None,
        };
        async move {
            match answer {
                Some(body) => Ok::<_, Infallible>(Response::new(body)),
                None => std::future::pending().await,
            }
        }
    });
    Endpoint::in_process("test", service).client(&Token::new("t"), &Scope::Root)
}

/// Waits for trouble, and for the list that is read after it. Returns how long the trouble took to show.
async fn trouble(client: Client) -> Duration {
    let cache = follow(Source::of::<PromiseRequestKind>(client), name);
    let begun = tokio::time::Instant::now();
    let mut trouble = cache.trouble();
    tokio::time::timeout(Duration::from_secs(600), trouble.wait_for(Option::is_some)).await.expect("it is noticed").unwrap();
    let noticed = begun.elapsed();
    until(&cache, &["a"]).await;
    noticed
}

#[tokio::test(start_paused = true)]
async fn a_list_that_stalls_in_the_middle_is_trouble_within_half_a_minute_and_read_again() {
    let noticed = trouble(half_a_list(|| Box::pin(futures::stream::pending()))).await;
    assert!(noticed <= Duration::from_secs(31), "{noticed:?}");
}

#[tokio::test(start_paused = true)]
async fn a_list_of_which_a_little_comes_now_and_then_is_trouble_in_the_end_and_read_again() {
    let trickle = || -> Parts {
        let next = |()| async {
            tokio::time::sleep(Duration::from_secs(10)).await;
            Some((Ok(Frame::data(Bytes::from_static(b" "))), ()))
        };
        Box::pin(futures::stream::unfold((), next))
    };
    let noticed = trouble(half_a_list(trickle)).await;
    assert!(noticed <= WHOLE + Duration::from_secs(1), "{noticed:?}");
}
