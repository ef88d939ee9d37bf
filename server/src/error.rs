//! Renders [`promise::Error`] as an HTTP problem (RFC 9457). Pages render the same error in `app`.

use axum::response::{IntoResponse, Response};
use http::{HeaderValue, StatusCode, header};
use promise::Error;
use serde::Serialize;

/// A product error rendered as `application/problem+json`.
#[derive(Debug)]
pub struct HttpProblem(pub Error);

impl From<Error> for HttpProblem {
    fn from(error: Error) -> Self {
        Self(error)
    }
}

#[derive(Serialize)]
struct Body<'a> {
    title: &'a str,
    status: u16,
    detail: String,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    problems: &'a [promise::Problem],
}

/// Returns the HTTP status of an error, the same for pages and problems.
pub fn status(error: &Error) -> StatusCode {
    match error {
        Error::Unauthenticated => StatusCode::UNAUTHORIZED,
        Error::Denied { .. } => StatusCode::FORBIDDEN,
        Error::NotFound { .. } | Error::NotEnabled { .. } => StatusCode::NOT_FOUND,
        Error::Invalid { .. } => StatusCode::UNPROCESSABLE_ENTITY,
        Error::Conflict { .. } | Error::Contested { .. } => StatusCode::CONFLICT,
        Error::Timeout => StatusCode::REQUEST_TIMEOUT,
        Error::TooLarge { .. } => StatusCode::PAYLOAD_TOO_LARGE,
        Error::TooManyRequests { .. } => StatusCode::TOO_MANY_REQUESTS,
        Error::Unreachable { .. } => StatusCode::SERVICE_UNAVAILABLE,
        Error::Busy { .. } => StatusCode::SERVICE_UNAVAILABLE,
        Error::Internal => StatusCode::INTERNAL_SERVER_ERROR,
    }
}

fn title(error: &Error) -> &'static str {
    match error {
        Error::Unauthenticated => "Sign in first",
        Error::Denied { .. } => "Not allowed",
        Error::NotFound { .. } => "Not found",
        Error::NotEnabled { .. } => "Not enabled",
        Error::Invalid { .. } => "Check your input",
        Error::Conflict { .. } | Error::Contested { .. } => "Changed by someone else",
        Error::Unreachable { .. } => "Unreachable",
        Error::Busy { .. } => "Busy",
        Error::Timeout => "Timed out",
        Error::TooLarge { .. } => "Too large",
        Error::TooManyRequests { .. } => "Too many requests",
        Error::Internal => "Something went wrong",
    }
}

impl IntoResponse for HttpProblem {
    fn into_response(self) -> Response {
        let status = status(&self.0);
        let problems = if let Error::Invalid { problems } = &self.0 { problems.as_slice() } else { &[] };
        let body = Body { title: title(&self.0), status: status.as_u16(), detail: self.0.to_string(), problems };
        let mut response = (status, axum::Json(body)).into_response();
        response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/problem+json"));
        if let Some(seconds) = self.0.retry_after() {
            response.headers_mut().insert(header::RETRY_AFTER, seconds.into());
        }
        response
    }
}

#[cfg(test)]
mod tests {
    use http_body_util::BodyExt as _;
    use promise::Problem;

    use super::*;

    #[test]
    fn what_passes_with_time_says_when() {
        let response = HttpProblem(Error::TooManyRequests { reason: promise::TooManyReason::Requests, seconds: 3 }).into_response();
        assert_eq!((response.status().as_u16(), &response.headers()["retry-after"]), (429, &HeaderValue::from_static("3")));
        let response = HttpProblem(Error::Timeout).into_response();
        assert_eq!((response.status().as_u16(), response.headers().get("retry-after")), (408, None));
    }

    #[tokio::test]
    async fn a_problem_names_field_and_fix() {
        let error = Error::Invalid { problems: vec![Problem { path: ".size".into(), message: "choose small or large".into() }] };
        let response = HttpProblem(error).into_response();
        assert_eq!(response.status(), 422);
        assert_eq!(response.headers()["content-type"], "application/problem+json");
        let body = response.into_body().collect().await.unwrap().to_bytes();
        let body: serde_json::Value = serde_json::from_slice(&body).unwrap();
        assert_eq!(body["problems"][0]["path"], ".size");
        assert_eq!(body["detail"], ".size: choose small or large");
    }
}
