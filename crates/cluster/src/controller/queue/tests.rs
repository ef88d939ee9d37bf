use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use super::{Class, Requeue, TURN, Tenanted, VERSIONS, WorkQueue};
use crate::controller::object_version::ObjectVersion;
use crate::watch::Key;
use crate::workspaces::ClusterId;

/// The tenant is the part before the slash.
impl Tenanted for &str {
    fn tenant(&self) -> &str {
        self.split('/').next().unwrap_or_default()
    }
}

/// Returns the outcome of work that has nothing left to do and knows these versions.
fn settled(versions: &[ObjectVersion]) -> Requeue {
    Requeue::Settled { pause: Duration::from_secs(600), versions: versions.into() }
}

/// Returns a queue without guesses.
fn queue<'a>(limit: usize) -> WorkQueue<&'a str> {
    WorkQueue::new(limit, Box::new(|_| Arc::default()))
}

/// Takes every key that is ready, and gives each back at once.
async fn taken(queue: &WorkQueue<&'static str>, count: usize) -> Vec<&'static str> {
    let mut taken = Vec::new();
    for _ in 0..count {
        let key = queue.next().await;
        queue.done(&key, Requeue::No);
        taken.push(key);
    }
    taken
}

#[tokio::test(start_paused = true)]
async fn what_is_new_goes_before_what_changed_and_that_before_a_sweep() {
    let queue = queue(2);
    for key in ["a/1", "a/2", "a/3"] {
        queue.add_as(key, Class::Sweep);
    }
    queue.add("b/changed");
    queue.add_as("c/new", Class::New);
    queue.add_as("a/3", Class::New);
    queue.add_as("c/new", Class::Sweep);
    assert_eq!(queue.waiting(), [("sweep", 3), ("changed", 1), ("new", 2)]);
    assert_eq!(taken(&queue, 5).await, ["c/new", "a/3", "b/changed", "a/1", "a/2"]);
    let rest = tokio::time::timeout(Duration::from_secs(1), queue.next()).await;
    assert!(rest.is_err(), "what became more urgent is worked on once");
    assert_eq!(queue.waiting().map(|(_, count)| count), [0; 3]);
}

#[tokio::test(start_paused = true)]
async fn what_came_during_the_work_keeps_its_class() {
    let queue = queue(2);
    queue.add_as("a/1", Class::Sweep);
    let key = queue.next().await;
    queue.add_as("a/1", Class::New);
    queue.add("b/1");
    queue.done(&key, Requeue::No);
    assert_eq!(taken(&queue, 2).await, ["a/1", "b/1"]);
}

#[tokio::test(start_paused = true)]
async fn tenants_take_turns() {
    let queue = queue(2);
    for key in ["a/1", "a/2", "a/3", "a/4"] {
        queue.add(key);
    }
    queue.add("b/1");
    queue.add("c/1");
    queue.add("b/2");
    assert_eq!(taken(&queue, 7).await, ["a/1", "b/1", "c/1", "a/2", "b/2", "a/3", "a/4"]);
}

#[tokio::test(start_paused = true)]
async fn a_tenant_who_floods_the_queue_delays_the_others_by_one_key_each() {
    let names: Vec<String> = (0..10_000).map(|number| format!("flood/{number}")).collect();
    let queue = queue(2);
    for name in &names {
        queue.add_as(name.as_str(), Class::New);
    }
    queue.add_as("shop/1", Class::New);
    queue.add_as("shop/2", Class::New);
    let mut order = Vec::new();
    for _ in 0..4 {
        let key = queue.next().await;
        queue.done(&key, Requeue::No);
        order.push(key.split('/').next().unwrap_or_default());
    }
    assert_eq!(order, ["flood", "shop", "flood", "shop"]);
}

#[tokio::test(start_paused = true)]
async fn a_sweep_and_a_change_get_their_turns_however_much_is_new_and_swept() {
    let queue = queue(2);
    queue.add_as("sweep", Class::Sweep);
    queue.add("changed");
    let mut seen = Vec::new();
    for _ in 0..TURN {
        // One tenant keeps the queue full of new keys and of keys that are looked at again.
        queue.add_as("flood/new", Class::New);
        queue.add_as("flood/sweep", Class::Sweep);
        seen.extend(taken(&queue, 1).await);
    }
    assert!(seen.contains(&"sweep") && seen.contains(&"changed"), "one of them starves: {seen:?}");
}

#[tokio::test(start_paused = true)]
async fn a_key_is_worked_on_once_at_a_time_and_comes_back_when_it_changed_meanwhile() {
    let queue = queue(2);
    queue.add("a");
    queue.add("a");
    queue.add("b");
    assert_eq!(queue.next().await, "a");
    queue.add("a");
    assert_eq!(queue.next().await, "b");
    let third = tokio::time::timeout(Duration::from_secs(1), queue.next()).await;
    assert!(third.is_err(), "a is still being worked on");
    queue.done(&"a", Requeue::No);
    assert_eq!(queue.next().await, "a");
}

#[tokio::test(start_paused = true)]
async fn failures_make_growing_pauses_until_success() {
    let queue = queue(2);
    queue.add("a");
    let mut pauses = Vec::new();
    for _ in 0..3 {
        let start = Instant::now();
        let key = queue.next().await;
        pauses.push(start.elapsed().as_millis());
        queue.done(&key, Requeue::Backoff);
    }
    assert_eq!(pauses[0], 0);
    assert!(pauses[1] >= 50 && pauses[2] >= 100, "{pauses:?}");
    let key = queue.next().await;
    queue.done(&key, Requeue::No);
    queue.add("a");
    let start = Instant::now();
    queue.next().await;
    assert_eq!(start.elapsed().as_millis(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_change_overtakes_a_pause() {
    let queue = queue(2);
    queue.add("a");
    let key = queue.next().await;
    queue.done(&key, Requeue::After(Duration::from_secs(600)));
    let start = Instant::now();
    queue.add("a");
    queue.next().await;
    assert!(start.elapsed() < Duration::from_secs(1));
}

#[tokio::test(start_paused = true)]
async fn an_echo_of_the_work_leaves_the_pause_as_it_is() {
    let queue = queue(2);
    for after in [Requeue::Backoff, Requeue::Poll] {
        queue.add("a");
        let key = queue.next().await;
        queue.echo("a");
        queue.done(&key, after.clone());
        queue.echo("a");
        let start = Instant::now();
        let key = queue.next().await;
        assert!(start.elapsed() >= Duration::from_millis(50), "{after:?}: {:?}", start.elapsed());
        queue.done(&key, Requeue::No);
    }
    queue.echo("a");
    let key = queue.next().await;
    queue.echo("a");
    queue.done(&key, Requeue::After(Duration::from_secs(600)));
    let start = Instant::now();
    queue.next().await;
    assert!(start.elapsed() < Duration::from_secs(1), "whatever changes what works is looked at");
}

#[tokio::test(start_paused = true)]
async fn who_waits_hears_of_changes_at_once_and_looks_less_and_less_often() {
    let queue = queue(2);
    queue.add("a");
    let key = queue.next().await;
    queue.add("a");
    queue.done(&key, Requeue::Poll);
    let start = Instant::now();
    queue.next().await;
    assert_eq!(start.elapsed().as_millis(), 0);
    let mut longest = Duration::ZERO;
    for _ in 0..20 {
        queue.done(&key, Requeue::Poll);
        let start = Instant::now();
        queue.next().await;
        longest = longest.max(start.elapsed());
    }
    assert_eq!(longest.as_secs(), 20);
    queue.done(&"a", Requeue::Backoff);
    let start = Instant::now();
    queue.next().await;
    assert!(start.elapsed() < Duration::from_secs(1), "one failure is not the last of many");
}

fn destination(name: &str) -> Vec<Key> {
    vec![Key::cluster_scoped(&ClusterId::root(), name)]
}

/// Takes the next key, which has to be there.
async fn next(queue: &WorkQueue<&'static str>) -> &'static str {
    tokio::time::timeout(Duration::from_secs(100), queue.next()).await.expect("a key")
}

/// Checks that nothing can be taken.
async fn is_at_rest(queue: &WorkQueue<&'static str>) -> bool {
    tokio::time::timeout(Duration::from_millis(1), queue.next()).await.is_err()
}

#[tokio::test(start_paused = true)]
async fn a_slow_destination_keeps_no_more_workers_than_its_share() {
    let queue = queue(2);
    for key in ["a/1", "a/2", "a/3", "a/4"] {
        queue.add(key);
    }
    let working = [next(&queue).await, next(&queue).await];
    assert!(working.iter().all(|key| queue.enter(key, &destination("eu"))));
    let third = next(&queue).await;
    assert!(!queue.enter(&third, &destination("eu")), "there is no room");
    queue.done(&third, Requeue::InLine);
    let fourth = next(&queue).await;
    assert!(queue.enter(&fourth, &destination("us")), "others go on");
    queue.done(&fourth, Requeue::No);
    assert!(is_at_rest(&queue).await);
    assert_eq!(queue.waiting().map(|(_, count)| count), [0, 1, 0]);
    queue.done(&working[0], Requeue::No);
    assert_eq!(next(&queue).await, third);
    assert!(queue.enter(&third, &destination("eu")));
}

#[tokio::test(start_paused = true)]
async fn a_key_that_was_never_worked_on_waits_where_it_is_expected() {
    let queue = WorkQueue::new(1, Box::new(|_: &&'static str| destination("eu").into()));
    queue.add("a/beside");
    assert_eq!(next(&queue).await, "a/beside");
    assert!(queue.enter(&"a/beside", &[]), "the guess was wrong");
    queue.done(&"a/beside", Requeue::After(Duration::from_secs(600)));
    for key in ["a/1", "a/moves", "a/2", "a/beside"] {
        queue.add(key);
    }
    assert_eq!(next(&queue).await, "a/1");
    assert_eq!(next(&queue).await, "a/beside", "the others wait without a worker, but this one is known to need no Destination");
    assert!(is_at_rest(&queue).await);
    queue.done(&"a/1", Requeue::No);
    assert_eq!(next(&queue).await, "a/moves");
    assert!(queue.enter(&"a/moves", &destination("us")), "the guess was wrong");
    assert_eq!(next(&queue).await, "a/2");
}

#[tokio::test(start_paused = true)]
async fn a_key_whose_destination_is_known_waits_without_a_worker_and_the_most_urgent_goes_first() {
    let queue = queue(1);
    for key in ["a/1", "a/2", "a/3"] {
        queue.add(key);
        next(&queue).await;
        queue.enter(&key, &destination("eu"));
        queue.done(&key, Requeue::After(Duration::from_secs(600)));
    }
    queue.add("a/1");
    assert_eq!(next(&queue).await, "a/1");
    queue.add_as("a/2", Class::Sweep);
    queue.add_as("a/3", Class::Sweep);
    assert!(is_at_rest(&queue).await);
    queue.add_as("a/3", Class::New);
    assert!(is_at_rest(&queue).await);
    queue.done(&"a/1", Requeue::No);
    assert_eq!(taken(&queue, 2).await, ["a/3", "a/2"]);
    assert!(is_at_rest(&queue).await, "each once");
    assert_eq!(queue.waiting().map(|(_, count)| count), [0; 3]);
}

#[tokio::test(start_paused = true)]
async fn a_key_that_also_waits_elsewhere_keeps_no_room_free() {
    let queue = queue(1);
    let both = [destination("eu"), destination("us")].concat();
    for (key, at) in [("a/eu", destination("eu")), ("a/us", destination("us")), ("a/both", both), ("a/later", destination("eu"))] {
        queue.add(key);
        next(&queue).await;
        queue.enter(&key, &at);
        queue.done(&key, Requeue::After(Duration::from_secs(600)));
    }
    queue.add("a/eu");
    queue.add("a/us");
    let working = [next(&queue).await, next(&queue).await];
    assert_eq!(working, ["a/eu", "a/us"]);
    queue.add("a/both");
    queue.add("a/later");
    assert!(is_at_rest(&queue).await);
    queue.done(&"a/eu", Requeue::No);
    assert_eq!(next(&queue).await, "a/later", "the other one still waits for us");
    queue.done(&"a/us", Requeue::No);
    queue.done(&"a/later", Requeue::No);
    assert_eq!(next(&queue).await, "a/both");
}

#[tokio::test(start_paused = true)]
async fn waiting_in_line_is_no_success_after_failures() {
    let queue = queue(1);
    queue.add("a/busy");
    next(&queue).await;
    queue.enter(&"a/busy", &destination("eu"));
    queue.add("a/1");
    for _ in 0..3 {
        let key = next(&queue).await;
        queue.done(&key, Requeue::Backoff);
    }
    let key = next(&queue).await;
    assert!(!queue.enter(&key, &destination("eu")));
    queue.done(&key, Requeue::InLine);
    queue.done(&"a/busy", Requeue::No);
    let key = next(&queue).await;
    assert!(queue.enter(&key, &destination("eu")));
    queue.done(&key, Requeue::Backoff);
    let start = Instant::now();
    next(&queue).await;
    assert!(start.elapsed() >= Duration::from_millis(400), "{:?}", start.elapsed());
}

#[tokio::test(start_paused = true)]
async fn a_key_that_moved_to_another_destination_takes_no_room_where_it_waited() {
    let queue = queue(1);
    for (key, at) in [("a/busy", "eu"), ("a/moves", "eu"), ("a/waits", "eu"), ("b/busy", "us")] {
        queue.add(key);
        next(&queue).await;
        assert!(queue.enter(&key, &destination(at)));
        queue.done(&key, Requeue::After(Duration::from_secs(600)));
    }
    queue.add("a/busy");
    assert_eq!(next(&queue).await, "a/busy");
    // It waits and becomes more urgent, which leaves a trace of it where it waited.
    queue.add("a/moves");
    assert!(is_at_rest(&queue).await);
    queue.add_as("a/moves", Class::New);
    assert!(is_at_rest(&queue).await);
    queue.done(&"a/busy", Requeue::After(Duration::from_secs(600)));
    assert_eq!(next(&queue).await, "a/moves");
    assert!(queue.enter(&"a/moves", &destination("us")));
    queue.add("a/busy");
    assert_eq!(next(&queue).await, "a/busy");
    queue.done(&"a/moves", Requeue::After(Duration::from_secs(600)));
    queue.add("b/busy");
    assert_eq!(next(&queue).await, "b/busy");
    queue.add("a/moves");
    queue.add("a/waits");
    assert!(is_at_rest(&queue).await);
    queue.done(&"a/busy", Requeue::No);
    assert_eq!(next(&queue).await, "a/waits");
}

#[tokio::test(start_paused = true)]
async fn work_that_settled_comes_back_for_news_and_not_for_what_it_knows() {
    let queue = queue(2);
    let [own, other] = ["1", "2"].map(|version| ObjectVersion::of("u", version));
    queue.add("a/1");
    for (during, after) in [(vec![own], vec![own]), (Vec::new(), vec![own, own])] {
        assert_eq!(next(&queue).await, "a/1");
        during.into_iter().for_each(|version| queue.shown("a/1", version));
        queue.done(&"a/1", settled(&[own]));
        after.into_iter().for_each(|version| queue.shown_of("a/1", version));
        assert!(is_at_rest(&queue).await);
        queue.shown("a/1", other);
    }
    assert_eq!(next(&queue).await, "a/1");
    queue.shown("a/1", own);
    queue.shown("a/1", other);
    queue.done(&"a/1", settled(&[own]));
    assert_eq!(next(&queue).await, "a/1", "something else was shown meanwhile");
    queue.shown("a/1", own);
    queue.add("a/1");
    queue.done(&"a/1", settled(&[own]));
    assert_eq!(next(&queue).await, "a/1", "something else changed meanwhile");
    queue.shown("a/1", own);
    queue.done(&"a/1", Requeue::After(Duration::from_secs(600)));
    assert_eq!(next(&queue).await, "a/1", "there might be more to do");
    queue.done(&"a/1", settled(&[own]));
    let begun = Instant::now();
    assert_eq!(tokio::time::timeout(Duration::from_secs(700), queue.next()).await, Ok("a/1"));
    assert_eq!(begun.elapsed().as_secs(), 600, "and when its time comes");
}

#[tokio::test(start_paused = true)]
async fn more_versions_than_are_compared_are_news() {
    let queue = queue(2);
    let own = ObjectVersion::of("u", "1");
    queue.add("a/1");
    assert_eq!(next(&queue).await, "a/1");
    (0..=VERSIONS).for_each(|_| queue.shown("a/1", own));
    queue.done(&"a/1", settled(&[own]));
    assert_eq!(next(&queue).await, "a/1");
}
