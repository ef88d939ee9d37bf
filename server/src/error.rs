//! Renders [`promise::Error`] as an HTTP problem (RFC 9457). Pages render the same error in `app`.

use app::routes::page;
use axum::response::{IntoResponse, Response};
use http::{HeaderValue, StatusCode, header};
use promise::rest::{FieldProblem, PROBLEM_JSON, ProblemDetails, json_pointer};
use promise::{ConflictReason, Error};

/// A product error rendered as `application/problem+json`.
#[derive(Debug)]
pub struct HttpProblem(pub Error);

impl From<Error> for HttpProblem {
    fn from(error: Error) -> Self {
        Self(error)
    }
}

/// Returns the HTTP status of an error, the same for pages and problems.
pub fn status(error: &Error) -> StatusCode {
    match error {
        Error::Unauthenticated => StatusCode::UNAUTHORIZED,
        Error::Denied { .. } => StatusCode::FORBIDDEN,
        Error::NotFound { .. } | Error::NotEnabled { .. } => StatusCode::NOT_FOUND,
        Error::Invalid { .. } => StatusCode::UNPROCESSABLE_ENTITY,
        Error::Conflict { reason: ConflictReason::OtherEdition } => StatusCode::PRECONDITION_FAILED,
        Error::Conflict { reason: ConflictReason::NoEdition } => StatusCode::PRECONDITION_REQUIRED,
        Error::Conflict { reason: ConflictReason::KeyOfOtherCall } => StatusCode::UNPROCESSABLE_ENTITY,
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
        Error::Conflict { reason: ConflictReason::NoEdition } => "Edition missing",
        Error::Conflict { reason: ConflictReason::KeyOfOtherCall | ConflictReason::CallInProgress } => "Idempotency key in use",
        Error::Conflict { reason: ConflictReason::CallInterrupted } => "Outcome unknown",
        Error::Conflict { .. } | Error::Contested { .. } => "Changed by someone else",
        Error::Unreachable { .. } => "Unreachable",
        Error::Busy { .. } => "Busy",
        Error::Timeout => "Timed out",
        Error::TooLarge { .. } => "Too large",
        Error::TooManyRequests { .. } => "Too many requests",
        Error::Internal => "Something went wrong",
    }
}

/// Returns the problem as programs read it.
fn details(error: &Error) -> ProblemDetails {
    let reason = serde_json::to_value(error).ok();
    let kind = reason.as_ref().and_then(|reason| reason["kind"].as_str()).unwrap_or_default();
    let problems = if let Error::Invalid { problems } = error { problems.as_slice() } else { &[] };
    ProblemDetails {
        r#type: format!("{}#{kind}", page::API),
        title: title(error).to_owned(),
        status: status(error).as_u16(),
        detail: error.to_string(),
        errors: problems.iter().map(|one| FieldProblem { pointer: json_pointer(&one.path), message: one.message.clone() }).collect(),
        reason,
    }
}

impl IntoResponse for HttpProblem {
    fn into_response(self) -> Response {
        let mut response = (status(&self.0), axum::Json(details(&self.0))).into_response();
        response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(PROBLEM_JSON));
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
        assert_eq!((&body["errors"][0]["pointer"], &body["errors"][0]["message"]), (&"/size".into(), &"choose small or large".into()));
        assert_eq!((&body["type"], &body["reason"]["kind"]), (&"/docs/api#invalid".into(), &"invalid".into()));
        assert_eq!(body["detail"], ".size: choose small or large");
    }
}
