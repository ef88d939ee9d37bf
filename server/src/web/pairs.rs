//! Extractor for a posted form as ordered name/value pairs, as pages need it: names can repeat, and their order matters.

use axum::body::Bytes;
use axum::extract::{FromRequest, Request};
use axum::response::{IntoResponse, Response};
use promise::{Error, Problem};

use crate::error::HttpProblem;

/// Most pairs that a form can send; the largest form that people fill in has a few hundred.
const MOST: usize = 5000;

/// Ordered name/value pairs of a form.
pub struct Pairs(pub Vec<(String, String)>);

impl<S: Send + Sync> FromRequest<S> for Pairs {
    type Rejection = Response;

    async fn from_request(request: Request, state: &S) -> Result<Self, Response> {
        let body = Bytes::from_request(request, state).await.map_err(IntoResponse::into_response)?;
        parse(&body).map(Self).map_err(|error| HttpProblem(error).into_response())
    }
}

impl Pairs {
    /// Returns the unparsed body of a valid form.
    ///
    /// # Errors
    /// The response for an invalid form.
    pub async fn checked(request: Request) -> Result<Bytes, Response> {
        let body = Bytes::from_request(request, &()).await.map_err(IntoResponse::into_response)?;
        parse(&body).map(|_| body).map_err(|error| HttpProblem(error).into_response())
    }
}

/// Parses the body of a form.
///
/// # Errors
/// If it is not UTF-8, or has too many fields.
pub(crate) fn parse(body: &Bytes) -> promise::Result<Vec<(String, String)>> {
    let refused = |message: String| Error::Invalid { problems: vec![Problem { path: String::new(), message }] };
    if std::str::from_utf8(body).is_err() {
        return Err(refused("The form isn't valid UTF-8. Send it from the page.".to_owned()));
    }
    let pairs: Vec<(String, String)> = form_urlencoded::parse(body).into_owned().take(MOST + 1).collect();
    if pairs.len() > MOST {
        return Err(refused(format!("A form can send at most {MOST} fields.")));
    }
    Ok(pairs)
}

/// Returns the first value with this name.
pub fn field<'a>(pairs: &'a [(String, String)], name: &str) -> Option<&'a str> {
    pairs.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
}
