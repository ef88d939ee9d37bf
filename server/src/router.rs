//! The router: every route of [`crate::routes`] behind the checks that its access requires.

use std::sync::Arc;

use app::app::App;
use axum::Router;
use axum::extract::{DefaultBodyLimit, Request};
use axum::middleware::from_fn_with_state;
use leptos::config::LeptosOptions;
use leptos_axum::{AxumRouteListing, LeptosRoutes as _, generate_route_list};
use tower_http::compression::CompressionLayer;

use crate::auth::csrf;
use crate::gate;
use crate::pages::{self, panics};
use crate::portal::Portal;
use crate::routes::{self, Access};
use crate::web::host::Hosts;
use crate::web::request_log::Log;
use crate::web::{headers, host, request_log};

/// Returns the probe routes, for a process that serves no pages.
pub fn probes(portal: &Arc<Portal>) -> Router {
    let of = routes::table().into_iter().filter(|route| route.access == Access::Probe);
    let probes = of.filter_map(|route| Some((route.pattern, route.handler?)));
    let probes = probes.fold(Router::new(), |probes, (pattern, handler)| probes.route(pattern, handler));
    everywhere(probes, portal)
}

/// Returns every route with all of its middleware.
pub fn router(portal: &Arc<Portal>) -> Router {
    let (mut probes, mut people, mut programs) = (Router::new(), pages(portal), Router::new());
    for route in routes::table() {
        let Some(handler) = route.handler else { continue };
        match route.access {
            Access::Probe => probes = probes.route(route.pattern, handler),
            Access::Anyone => people = people.route(route.pattern, handler),
            Access::EmbeddedPlane => {
                people = people.route(route.pattern, handler.route_layer(from_fn_with_state(portal.clone(), gate::embedded)));
            }
            Access::Bearer => programs = programs.route(route.pattern, handler),
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
    everywhere(people.merge(programs).merge(probes), portal)
}

/// Returns the pages of the application, grouped by access.
fn pages(portal: &Arc<Portal>) -> Router<Arc<Portal>> {
    let pages: Vec<(AxumRouteListing, Access)> = generate_route_list(App)
        .into_iter()
        .filter_map(|listing| routes::page_access(listing.path()).map(|access| (listing, access)))
        .collect();
    let group =
        |fits: &dyn Fn(Access) -> bool| pages.iter().filter(|(_, access)| fits(*access)).map(|(listing, _)| listing.clone()).collect();
    let of = |listing: Vec<AxumRouteListing>| {
        let portal = portal.clone();
        Router::<LeptosOptions>::new().leptos_routes_with_handler(listing, move |request: Request| pages::render(portal.clone(), request))
    };
    let for_strangers = {
        let portal = portal.clone();
        Router::<LeptosOptions>::new().leptos_routes_with_handler(group(&|access| access == Access::Anyone), move |request: Request| {
            pages::render_for_strangers(portal.clone(), request)
        })
    };
    let on_embedded_plane =
        of(group(&|access| access == Access::EmbeddedPlane)).route_layer(from_fn_with_state(portal.clone(), gate::embedded));
    let for_people = of(group(&|access| !matches!(access, Access::Anyone | Access::EmbeddedPlane)))
        .route_layer(from_fn_with_state(portal.clone(), gate::signed_in));
    let options = LeptosOptions::builder().output_name("portal").build();
    for_strangers.merge(on_embedded_plane).merge(for_people).with_state(options)
}

/// Adds the middleware that applies to every response.
fn everywhere(routes: Router<Arc<Portal>>, portal: &Arc<Portal>) -> Router {
    let log = Log { clock: portal.clock.clone(), random: portal.random.clone() };
    routes
        .with_state(portal.clone())
        .layer(DefaultBodyLimit::max(csrf::MAX_BODY))
        .layer(CompressionLayer::new().gzip(true).br(true).zstd(true))
        .layer(from_fn_with_state(portal.public_secure, headers::set))
        .layer(from_fn_with_state(log, request_log::record))
}
