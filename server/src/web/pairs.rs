//! A posted form as ordered name/value pairs, as pages read it: names may repeat, and their order matters.

use axum::body::Bytes;
use axum::extract::{FromRequest, Request};
use axum::response::{IntoResponse, Response};
use http::StatusCode;

/// Ordered name/value pairs of a form.
pub struct Pairs(pub Vec<(String, String)>);

impl<S: Send + Sync> FromRequest<S> for Pairs {
    type Rejection = Response;

    async fn from_request(request: Request, state: &S) -> Result<Self, Response> {
        let body = Bytes::from_request(request, state).await.map_err(IntoResponse::into_response)?;
        if std::str::from_utf8(&body).is_err() {
            return Err(StatusCode::BAD_REQUEST.into_response());
        }
        Ok(Self(form_urlencoded::parse(&body).into_owned().collect()))
    }
}

/// The first value of that name.
pub fn field<'a>(pairs: &'a [(String, String)], name: &str) -> Option<&'a str> {
    pairs.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
}
