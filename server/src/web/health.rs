//! `/healthz`: the process runs. `/readyz`: it can serve people; `?verbose` names each part that this takes, and so does every refusal.

use std::sync::Arc;

use axum::extract::{RawQuery, State};
use axum::response::{IntoResponse, Response};
use cluster::fulfil::Standing;
use cluster::watch::Freshness;
use http::StatusCode;

use crate::state::Portal;

/// A part and what is wrong with it, in words.
type Part = (&'static str, Result<(), String>);

/// The process answers.
pub async fn alive() -> &'static str {
    "ok\n"
}

/// Everything that pages and requests need works.
pub async fn ready(State(portal): State<Arc<Portal>>, RawQuery(query): RawQuery) -> Response {
    let verbose = query.is_some_and(|query| query.split('&').any(|pair| pair.split('=').next() == Some("verbose")));
    let (ready, text) = report(&parts(&portal).await, verbose);
    (if ready { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE }, text).into_response()
}

async fn parts(portal: &Portal) -> Vec<Part> {
    let world = &portal.world;
    let mut parts = vec![
        ("process", if portal.shutdown.is_cancelled() { Err("it is ending".to_owned()) } else { Ok(()) }),
        ("database", database(portal).await),
    ];
    if let Some(controller) = &portal.controller {
        parts.push(("controller", working(&controller.borrow())));
    }
    let caches = [
        ("workspaces", world.workspaces.freshness()),
        ("requests", world.requests.freshness()),
        ("releases", world.releases.freshness()),
        ("bindings of requests", world.request_bindings.freshness()),
        ("promises", world.promises.freshness()),
        ("revisions", world.revisions.freshness()),
        ("catalogs", world.catalogs.freshness()),
        ("policies", world.policies.freshness()),
        ("destinations", world.destinations.freshness()),
        ("bindings of the catalog", world.catalog_bindings.freshness()),
    ];
    parts.extend(caches.into_iter().map(|(part, freshness)| (part, fresh(&freshness))));
    parts
}

async fn database(portal: &Portal) -> Result<(), String> {
    portal.store.ping().await.map_err(|error| {
        tracing::warn!(error = &error as &dyn std::error::Error, "the database is not ready");
        "it does not answer".to_owned()
    })
}

fn working(standing: &Standing) -> Result<(), String> {
    match standing {
        Standing::Working => Ok(()),
        // One line for each part.
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

/// Whether all is well, and the answer's text. Parts are named when somebody asks or something is wrong.
fn report(parts: &[Part], verbose: bool) -> (bool, String) {
    let ready = parts.iter().all(|(_, state)| state.is_ok());
    if ready && !verbose {
        return (true, "ok\n".to_owned());
    }
    let line = |(part, state): &Part| match state {
        Ok(()) => format!("[+] {part}: ok\n"),
        Err(why) => format!("[-] {part}: {why}\n"),
    };
    let lines: String = parts.iter().map(line).collect();
    (ready, format!("{lines}{}\n", if ready { "ready" } else { "not ready" }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wrong_is_named_without_being_asked_for() {
        let fine: [Part; 2] = [("database", Ok(())), ("controller", Ok(()))];
        assert_eq!(report(&fine, false), (true, "ok\n".to_owned()));
        assert_eq!(report(&fine, true), (true, "[+] database: ok\n[+] controller: ok\nready\n".to_owned()));
        let waiting = Standing::Waiting { why: "Another instance leads: other.".into() };
        let broken = [("database", Ok(())), ("controller", working(&waiting))];
        let (ready, text) = report(&broken, false);
        assert!(!ready && text.starts_with("[+] database: ok\n[-] controller: Another instance leads"), "{text}");
        let why = promise::Error::Unreachable { what: "the plane".into() };
        let stale = fresh(&Freshness::Unreachable { since: jiff::Timestamp::UNIX_EPOCH, why }).unwrap_err();
        assert!(stale.starts_with("as of 1970-01-01T00:00:00Z: ") && stale.contains("the plane"), "{stale}");
    }
}
