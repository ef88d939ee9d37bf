//! The router: every route of [`crate::routes`] behind the checks that its access requires.

use std::sync::Arc;

use app::app::App;
use axum::Router;
use axum::extract::{DefaultBodyLimit, Request};
use axum::middleware::{from_fn, from_fn_with_state};
use axum::routing::{MethodRouter, get, post};
use leptos::config::LeptosOptions;
use leptos_axum::{AxumRouteListing, LeptosRoutes as _, generate_route_list};
use tower_http::compression::CompressionLayer;

use crate::auth::csrf;
use crate::cached;
use crate::gate;
use crate::pages::{self, panics};
use crate::portal::Portal;
use crate::routes::{self, Access, Route};
use crate::telemetry;
use crate::tickets::{self, Tickets};
use crate::web::host::Hosts;
use crate::web::listen::Peer;
use crate::web::request_log::Log;
use crate::web::{headers, host, request_log, slash};

/// Returns the probe routes, for a process that serves no pages.
pub fn probes(portal: &Arc<Portal>) -> Router {
    let of = routes::table().into_iter().filter(|route| route.access == Access::Probe);
    let probes = of.filter_map(|route| Some((route.pattern, route.handler?)));
    let probes = probes.fold(Router::new(), |probes, (pattern, handler)| probes.route(pattern, handler));
    everywhere(probes, portal)
}

/// Returns the page for Prometheus, which has a listener of its own: it is for the operator, not for people, and no route of the pages
/// leads to it.
pub fn metrics(portal: &Arc<Portal>) -> Router {
    Router::new().route("/metrics", get(telemetry::scrape)).with_state(portal.clone())
}

/// Returns the routes of the simulated ticket system, which has a listener of its own: it isn't part of the portal.
pub fn tickets(system: &Arc<Tickets>) -> Router {
    Router::new()
        .route("/", get(tickets::show))
        .route("/outage", post(tickets::outage))
        .route("/tickets", post(tickets::create))
        .route("/tickets/{id}", get(tickets::read))
        .route("/tickets/{id}/resolve", post(tickets::resolve))
        .route("/tickets/{id}/reject", post(tickets::reject))
        .layer(from_fn(tickets::guard))
        .with_state(system.clone())
}

/// Returns every route with all of its middleware.
pub fn router(portal: &Arc<Portal>) -> Router {
    let (mut probes, mut people, mut programs, mut providers) = (Router::new(), pages(portal), Router::new(), Router::new());
    for route in routes::table() {
        let is_revalidated = route.is_revalidated();
        let Some(handler) = route.handler else { continue };
        match route.access {
            Access::Probe => probes = probes.route(route.pattern, handler),
            Access::Anyone => people = people.route(route.pattern, handler),
            Access::EmbeddedPlane => {
                people = people.route(route.pattern, handler.route_layer(from_fn_with_state(portal.clone(), gate::embedded)));
            }
            Access::Bearer if is_revalidated => programs = programs.route(route.pattern, kept(handler, portal)),
            Access::Bearer => programs = programs.route(route.pattern, handler),
            Access::Provider => providers = providers.route(route.pattern, handler),
            Access::SignedIn | Access::Policies | Access::Decisions | Access::Platform | Access::Workspace => {
                people = people.route(route.pattern, handler.route_layer(from_fn_with_state(portal.clone(), gate::signed_in)));
            }
        }
    }
    // Everything about people passes the gate; probes come by address, with any host name.
    let people = people
        .method_not_allowed_fallback(pages::not_that_way)
        .layer(from_fn_with_state(portal.clone(), panics::caught))
        .layer(from_fn_with_state(portal.clone(), gate::pass))
        .layer(from_fn_with_state(Hosts::new(portal.public_authority.as_deref()), host::check));
    let programs = programs
        .layer(from_fn_with_state(portal.clone(), panics::caught))
        .layer(from_fn_with_state(portal.clone(), gate::bearer))
        .layer(from_fn_with_state(Hosts::new(portal.public_authority.as_deref()), host::check));
    let providers = providers
        .layer(from_fn_with_state(portal.clone(), panics::caught))
        .layer(from_fn_with_state(Hosts::new(portal.public_authority.as_deref()), host::check));
    everywhere(people.merge(programs).merge(providers).merge(probes), portal)
}

/// Returns the pages of the application, grouped by access.
fn pages(portal: &Arc<Portal>) -> Router<Arc<Portal>> {
    let pages: Vec<(AxumRouteListing, Route)> = generate_route_list(App)
        .into_iter()
        .filter_map(|listing| Some((routes::page_at(listing.path())?, listing)))
        .map(|(route, listing)| (listing, route))
        .collect();
    let group = |fits: &dyn Fn(&Route) -> bool| pages.iter().filter(|(_, route)| fits(route)).map(|(listing, _)| listing.clone()).collect();
    let of = |listing: Vec<AxumRouteListing>| {
        let portal = portal.clone();
        Router::<LeptosOptions>::new().leptos_routes_with_handler(listing, move |request: Request| pages::render(portal.clone(), request))
    };
    let for_strangers = {
        let portal = portal.clone();
        Router::<LeptosOptions>::new()
            .leptos_routes_with_handler(group(&|route| route.access == Access::Anyone), move |request: Request| {
                pages::render_for_strangers(portal.clone(), request)
            })
    };
    let on_embedded_plane =
        of(group(&|route| route.access == Access::EmbeddedPlane)).route_layer(from_fn_with_state(portal.clone(), gate::embedded));
    let for_people = |route: &Route| !matches!(route.access, Access::Anyone | Access::EmbeddedPlane);
    let signed_in = || from_fn_with_state(portal.clone(), gate::signed_in);
    let rendered_anew = of(group(&|route| for_people(route) && !route.is_revalidated())).route_layer(signed_in());
    let revalidated = {
        let portal = portal.clone();
        Router::<LeptosOptions>::new()
            .leptos_routes_with_handler(group(&|route| for_people(route) && route.is_revalidated()), move |request: Request| {
                pages::render_revalidated(portal.clone(), request)
            })
    };
    // Kept as they are sent, compressed.
    let revalidated =
        revalidated.route_layer(compression()).route_layer(from_fn_with_state(portal.clone(), cached::answer)).route_layer(signed_in());
    let options = LeptosOptions::builder().output_name("portal").build();
    for_strangers.merge(on_embedded_plane).merge(rendered_anew).merge(revalidated).with_state(options)
}

/// Adds that answers are kept for a moment, compressed.
fn kept(handler: MethodRouter<Arc<Portal>>, portal: &Arc<Portal>) -> MethodRouter<Arc<Portal>> {
    handler.route_layer(compression()).route_layer(from_fn_with_state(portal.clone(), cached::answer))
}

fn compression() -> CompressionLayer {
    CompressionLayer::new().gzip(true).br(true).zstd(true)
}

/// Adds the middleware that applies to every response.
fn everywhere(routes: Router<Arc<Portal>>, portal: &Arc<Portal>) -> Router {
    let is_proxy = {
        let portal = portal.clone();
        Arc::new(move |peer: &Peer| portal.limits.is_proxy(peer))
    };
    let log = Log { clock: portal.clock.clone(), random: portal.random.clone(), is_proxy };
    routes
        .with_state(portal.clone())
        .layer(from_fn(slash::redirect))
        // The gates have narrower limits, by visitor and address.
        .layer(DefaultBodyLimit::max(csrf::MAX_DOCUMENT))
        .layer(compression())
        .layer(from_fn_with_state(portal.public_secure, headers::set))
        .layer(from_fn_with_state(log, request_log::record))
}
