//! Pages about decisions.

use app::backend::Visit;
use app::pages::approvals::{self, Again};
use axum::extract::Path;
use axum::response::Response;
use promise::view::InboxQuery;
use serde::Deserialize;

use super::Refused;
use super::visit::Visiting;
use crate::web::asked::Asked;

/// What an address of a decision may say besides its uid. A link may name the content that it was written about.
#[derive(Deserialize)]
pub(crate) struct Link {
    #[serde(default)]
    since: String,
    #[serde(default)]
    hash: String,
}

pub(crate) async fn inbox_page(visiting: Visiting, Asked(query): Asked<InboxQuery>, Asked(refused): Asked<Refused>) -> Response {
    visiting.answer(async |visit: &Visit| approvals::inbox(visit, &query, again(visit, &refused).await).await).await
}

pub(crate) async fn light_page(
    visiting: Visiting,
    Path(uid): Path<String>,
    Asked(Link { since, hash }): Asked<Link>,
    Asked(refused): Asked<Refused>,
) -> Response {
    let since = if since.is_empty() { hash } else { since };
    visiting.answer(async |visit: &Visit| approvals::light(visit, &uid, &since, again(visit, &refused).await).await).await
}

pub(crate) async fn alike_page(visiting: Visiting, Path(uid): Path<String>, Asked(refused): Asked<Refused>) -> Response {
    visiting.answer(async |visit: &Visit| approvals::alike(visit, &uid, again(visit, &refused).await).await).await
}

/// What was typed and not done on this page.
async fn again(visit: &Visit, refused: &Refused) -> Option<Again> {
    visit.refusal(&refused.refused).await.and_then(Again::of)
}
