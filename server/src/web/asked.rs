//! The query of an address, as far as a page understands it: what cannot be read is answered with a sentence, as a page where a browser asks.

use std::sync::Arc;

use axum::extract::{FromRequestParts, Query};
use axum::response::{IntoResponse, Response};
use http::request::Parts;
use promise::{Error, Problem};
use serde::de::DeserializeOwned;

use crate::auth::gate::takes_page;
use crate::error::HttpProblem;
use crate::pages::Visiting;
use crate::state::Portal;

/// The query of an address.
pub struct Asked<T>(pub T);

impl<T: DeserializeOwned> FromRequestParts<Arc<Portal>> for Asked<T> {
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, portal: &Arc<Portal>) -> Result<Self, Response> {
        let rejection = match Query::<T>::try_from_uri(&parts.uri) {
            Ok(Query(asked)) => return Ok(Self(asked)),
            Err(rejection) => rejection,
        };
        tracing::debug!(%rejection, "the query of an address cannot be read");
        let message = "The part of the address behind the question mark cannot be read. Take it away, or start from a link.".to_owned();
        let error = Error::Invalid { problems: vec![Problem { path: String::new(), message }] };
        if takes_page(&parts.headers) {
            return Err(Visiting::of(portal, parts).refuse(None, &error).await);
        }
        Err(HttpProblem(error).into_response())
    }
}
