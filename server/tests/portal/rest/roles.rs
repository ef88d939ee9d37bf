//! Every operation with every role: never more than the plane grants, and nothing is written where it is refused.

use http::{Method, StatusCode};
use opm_portal::routes::{Access, Route};
use promise::rest::operation::{
    ACTION, CANCEL, CANCEL_RUN, DECISIONS, FLEET, PREFLIGHT, PUBLICATION, REQUEST, REQUESTS, RETRY, RETRY_RUN, ROLLOUT, ROLLOUTS, SEARCH,
    SKIP, SKIP_IN_RUN, STOP_ROLLOUT,
};

use super::Program;
use super::access::{address, body, operations};
use crate::roles::{Role, Roles, SHOP, THERE};

/// What the plane grants a role, as the status of the answer.
fn granted(route: &Route, role: Role) -> Vec<StatusCode> {
    let names_workspace = route.pattern.contains("{workspace}");
    if !role.is_known() {
        return vec![StatusCode::UNAUTHORIZED];
    }
    if names_workspace && !role.is_inside() {
        return vec![StatusCode::NOT_FOUND];
    }
    match (route.method.as_str(), route.pattern) {
        // No one in the shop can publish promises, or see them as their authors do.
        ("GET", PUBLICATION | FLEET | ROLLOUTS | ROLLOUT) | ("POST", STOP_ROLLOUT) => vec![StatusCode::NOT_FOUND],
        (_, PUBLICATION) => vec![StatusCode::FORBIDDEN],
        // Everyone with access to the workspace can run a preflight.
        ("GET", _) | (_, PREFLIGHT) => vec![StatusCode::OK],
        // Nothing waits for a decision.
        (_, DECISIONS) => vec![StatusCode::CONFLICT],
        // Nothing has steps yet.
        (_, SKIP | SKIP_IN_RUN) => vec![StatusCode::NOT_FOUND],
        _ if role == Role::Viewer => vec![StatusCode::FORBIDDEN],
        // Nothing failed, nothing is running, and there is nothing yet on which an action could run.
        ("POST", RETRY | CANCEL | RETRY_RUN | ACTION) => vec![StatusCode::CONFLICT],
        ("POST", CANCEL_RUN) => vec![StatusCode::OK],
        ("POST", REQUESTS) => vec![StatusCode::CREATED],
        ("PUT", REQUEST) => vec![StatusCode::OK],
        ("DELETE", REQUEST) => vec![StatusCode::ACCEPTED, StatusCode::NO_CONTENT],
        (method, pattern) => panic!("say what the plane grants for {method} {pattern}"),
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_operation_does_for_every_role_what_the_plane_grants_and_no_more() {
    let here = Roles::open().await;
    let mut routes: Vec<Route> = operations().into_iter().filter(|route| route.access == Access::Bearer).collect();
    // What is deleted can't be read afterwards.
    routes.sort_by_key(|route| route.method == Method::DELETE);
    let before = here.written().await;
    let mut refused = 0;
    for role in Role::ALL {
        let program = Program { product: &here.product, token: here.token(role) };
        for route in &routes {
            let mut address = address(route, THERE);
            if route.pattern == SEARCH {
                address = format!("{address}?q={THERE}");
            }
            let (status, text) = program.begins(route.method.clone(), &address, &[("if-match", "*")], &body(route)).await;
            let expected = granted(route, role);
            assert!(expected.contains(&status), "{role:?} {} {address}: {status}, not {expected:?}: {text}", route.method);
            refused += usize::from(status.is_client_error());
            if !role.is_inside() {
                // What one asks for can be repeated.
                for secret in [THERE, SHOP, "Redis"].into_iter().filter(|secret| !address.contains(secret)) {
                    assert!(!text.contains(secret), "{role:?} {} {address} is told {secret}: {text}", route.method);
                }
            }
        }
        if role != Role::Editor {
            assert_eq!(here.written().await, before, "{role:?} wrote something");
        }
    }
    assert!(refused > 4 * 12, "{refused} calls are refused");
    // Only because an editor's calls write do the refusals mean anything.
    assert_ne!(here.written().await.0, before.0);
    here.product.running.close().await;
}
