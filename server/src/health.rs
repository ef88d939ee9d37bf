//! `/healthz`: the process runs. `/readyz`: it can serve people; `?verbose` lists every part that this depends on, and so does every
//! failure.
//!
//! Failure details can name workspaces, addresses and other instances. They are shown only on this machine, and in the log.

use std::sync::Arc;

use axum::Extension;
use axum::extract::{RawQuery, State};
use axum::response::{IntoResponse, Response};
use cluster::controller::ControllerState;
use cluster::watch::Freshness;
use http::{HeaderMap, StatusCode};

use crate::portal::Portal;
use crate::web::listen::Peer;

/// A part, and what is wrong with it in words.
type Part = (&'static str, Result<(), String>);

/// Reports that the process runs.
pub async fn alive() -> &'static str {
    "ok\n"
}

/// Reports whether everything that pages and requests need works.
pub async fn ready(
    State(portal): State<Arc<Portal>>,
    peer: Option<Extension<Peer>>,
    headers: HeaderMap,
    RawQuery(query): RawQuery,
) -> Response {
    let verbose = query.is_some_and(|query| query.split('&').any(|pair| pair.split('=').next() == Some("verbose")));
    let here = peer.is_some_and(|Extension(peer)| peer.is_here(&headers));
    let (ready, text) = report(&parts(&portal).await, &portal.world.unread_shards.servers(), verbose, here);
    (if ready { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE }, text).into_response()
}

async fn parts(portal: &Portal) -> Vec<Part> {
    let world = &portal.world;
    let mut parts = vec![
        ("process", if portal.shutdown.is_cancelled() { Err("shutting down".to_owned()) } else { Ok(()) }),
        ("database", database(portal).await),
    ];
    if let Some(plane) = &portal.embedded {
        parts.push(("plane", well(&plane.failures())));
    }
    if let Some(controller) = &portal.controller {
        parts.push(("controller", working(&controller.borrow())));
    }
    let caches = [
        ("workspaces", world.workspaces.freshness()),
        ("requests", world.requests.freshness()),
        ("releases", world.releases.freshness()),
        ("request bindings", world.request_bindings.freshness()),
        ("promises", world.promises.freshness()),
        ("revisions", world.revisions.freshness()),
        ("catalogs", world.catalogs.freshness()),
        ("policies", world.policies.freshness()),
        ("destinations", world.destinations.freshness()),
        ("endpoints", world.endpoints.freshness()),
        ("workflows", world.workflows.freshness()),
        ("catalog bindings", world.catalog_bindings.freshness()),
        ("orphaned objects", world.orphans.freshness()),
    ];
    parts.extend(portal.background.failed().into_iter().map(|task| (task, Err("failed a moment ago and was restarted".to_owned()))));
    // What the controller can't read is part of its state.
    let caches = caches.into_iter().filter(|_| portal.keeps_caches);
    parts.extend(caches.map(|(part, freshness)| (part, fresh(&freshness))));
    parts
}

async fn database(portal: &Portal) -> Result<(), String> {
    portal.store.ping().await.map_err(|error| {
        tracing::warn!(error = &error as &dyn std::error::Error, "the database is not ready");
        "no response".to_owned()
    })
}

/// Returns the health of this process's plane, based on its failures.
fn well(failures: &[String]) -> Result<(), String> {
    // Each part must fit on one line.
    if failures.is_empty() { Ok(()) } else { Err(failures.join("; ").replace('\n', " ")) }
}

fn working(state: &ControllerState) -> Result<(), String> {
    match state {
        // A standby is ready to take over, and serves pages in the meantime.
        ControllerState::Ready | ControllerState::Standby { .. } => Ok(()),
        // Each part must fit on one line.
        other => Err(other.to_string().replace('\n', " ")),
    }
}

fn fresh(freshness: &Freshness) -> Result<(), String> {
    match freshness {
        Freshness::Synced => Ok(()),
        Freshness::Starting => Err("not read yet".to_owned()),
        Freshness::Unreachable { since, why } => Err(format!("as of {since}: {why}")),
    }
}

/// Returns whether everything works, and the response text. Parts are listed on request or if something is wrong, and the causes only to
/// callers on this machine. Unread shards are always listed, and don't make a process that reads the others unready.
fn report(parts: &[Part], unread: &[String], verbose: bool, here: bool) -> (bool, String) {
    let ready = parts.iter().all(|(_, state)| state.is_ok());
    if ready && !verbose && unread.is_empty() {
        return (true, "ok\n".to_owned());
    }
    let line = |(part, state): &Part| match state {
        Ok(()) => format!("[+] {part}: ok\n"),
        Err(why) if here => format!("[-] {part}: {why}\n"),
        Err(_) => format!("[-] {part}: not ready, see the log\n"),
    };
    let lines: String = parts.iter().map(line).collect();
    let shard =
        |shard: &String| if here { format!("[!] shard {shard}: not read\n") } else { "[!] shard: not read, see the log\n".to_owned() };
    let shards: String = unread.iter().map(shard).collect();
    (ready, format!("{lines}{shards}{}\n", if ready { "ready" } else { "not ready" }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wrong_is_named_without_being_asked_for() {
        let fine: [Part; 2] = [("database", Ok(())), ("controller", Ok(()))];
        assert_eq!(report(&fine, &[], false, true), (true, "ok\n".to_owned()));
        assert_eq!(report(&fine, &[], true, false), (true, "[+] database: ok\n[+] controller: ok\nready\n".to_owned()));
        assert_eq!(working(&ControllerState::Standby { why: "Another instance leads: other.".into() }), Ok(()));
        let waiting = ControllerState::Waiting { why: "It cannot read its Lease.".into() };
        let broken = [("database", Ok(())), ("controller", working(&waiting))];
        let (ready, text) = report(&broken, &[], false, true);
        assert!(!ready && text.starts_with("[+] database: ok\n[-] controller: It cannot read its Lease"), "{text}");
        let (_, outside) = report(&broken, &[], true, false);
        assert!(outside.contains("[-] controller: ") && !outside.contains("Lease"), "{outside}");
        let shards = ["https://shard-2:6443".to_owned()];
        let (ready, text) = report(&fine, &shards, false, true);
        assert!(ready && text.contains("[!] shard https://shard-2:6443: not read\n"), "{text}");
        let (_, outside) = report(&fine, &shards, false, false);
        assert!(outside.contains("[!] shard: not read, see the log") && !outside.contains("shard-2"), "{outside}");
        let why = promise::Error::Unreachable { what: "the plane".into() };
        let stale = fresh(&Freshness::Unreachable { since: jiff::Timestamp::UNIX_EPOCH, why }).unwrap_err();
        assert!(stale.starts_with("as of 1970-01-01T00:00:00Z: ") && stale.contains("the plane"), "{stale}");
    }
}
