//! Extractor for the query of an address: an invalid query is answered with a sentence, as a page if a browser asks.

use std::sync::Arc;

use axum::extract::FromRequestParts;
use axum::response::{IntoResponse, Response};
use http::request::Parts;
use serde::de::DeserializeOwned;

use super::Visiting;
use crate::error::HttpProblem;
use crate::portal::Portal;
use crate::web::takes_page;

/// The parsed query of an address.
pub struct Query<T>(pub T);

impl<T: DeserializeOwned> FromRequestParts<Arc<Portal>> for Query<T> {
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, portal: &Arc<Portal>) -> Result<Self, Response> {
        let error = match app::app::query(&parts.uri) {
            Ok(query) => return Ok(Self(query)),
            Err(error) => error,
        };
        if takes_page(&parts.headers) {
            return Err(Visiting::of(portal, parts).refuse(None, &error).await);
        }
        Err(HttpProblem(error).into_response())
    }
}
