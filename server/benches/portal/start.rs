//! From process start to ready, with the sample world already loaded, and memory at rest.

use std::time::Duration;

use crate::load::quantile;
use crate::portal::Portal;

/// Eleven starts on one folder after the first, which loads the sample world.
pub async fn measure() {
    let data = tempfile::tempdir().expect("a folder");
    let first = Portal::start(data.path()).await;
    println!("start, empty folder (loads the sample world): {:.0} ms", first.start.as_secs_f64() * 1e3);
    tokio::time::sleep(Duration::from_secs(5)).await;
    drop(first);
    let mut starts = Vec::new();
    let (mut private, mut resident) = (0.0, 0.0);
    for _ in 0..11 {
        let portal = Portal::start(data.path()).await;
        starts.push(portal.start);
        if starts.len() == 11 {
            tokio::time::sleep(Duration::from_secs(5)).await;
            (private, resident) = (portal.private(), portal.resident());
        }
    }
    starts.sort_unstable();
    println!(
        "start, world loaded: median {:.0} ms, worst {:.0} ms of {} (goal 300 ms)",
        quantile(&starts, 0.5).as_secs_f64() * 1e3,
        quantile(&starts, 1.0).as_secs_f64() * 1e3,
        starts.len()
    );
    println!("memory, idle 5 s after start: {private:.1} MiB private (goal 40 MB), {resident:.1} MiB resident (goal 55 MB)");
}
