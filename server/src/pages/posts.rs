//! POSTs whose answer is a page and that therefore aren't actions: what is entered in them must not be part of an address.

use app::backend::{FormOf, Visit};
use app::pages::{platform, requests};
use axum::extract::Path;
use axum::response::Response;
use serde::Deserialize;

use super::query::Query;
use super::visit::Visiting;
use super::{Named, Placed};
use crate::web::pairs::{Pairs, field};

#[derive(Deserialize)]
pub(crate) struct Home {
    home: Option<String>,
}

/// Renders the form of a new request as filled in, with the preflight result, and saves it as a private draft.
pub(crate) async fn preflight_new(
    visiting: Visiting,
    Path((workspace, name)): Named,
    Query(Home { home }): Query<Home>,
    Pairs(pairs): Pairs,
) -> Response {
    let form = FormOf::New { promise: &name, home: home.as_deref(), start: None };
    visiting.answer(&workspace, async |visit: &Visit| requests::preflight(visit, &workspace, form, &pairs).await).await
}

/// Renders the form of an existing request as filled in, with the preflight result, and saves it as a private draft.
pub(crate) async fn preflight_edit(visiting: Visiting, Path((workspace, namespace, name)): Placed, Pairs(pairs): Pairs) -> Response {
    let form = FormOf::Edit { namespace: &namespace, name: &name, start: None };
    visiting.answer(&workspace, async |visit: &Visit| requests::preflight(visit, &workspace, form, &pairs).await).await
}

/// Renders the form of a policy as filled in, with its effect, and saves it as a private draft.
pub(crate) async fn preflight_policy(visiting: Visiting, Pairs(pairs): Pairs) -> Response {
    let workspace = field(&pairs, "workspace").unwrap_or_default().to_owned();
    visiting.answer(&workspace, async |visit: &Visit| platform::preflight(visit, &pairs).await).await
}
