//! Paths about the server itself: version and health.
//! Source: apiserver `server/routes/version.go`, `server/healthz`.

use serde_json::json;

use super::answer::Answer;
use crate::status::ApiError;

/// Answers `/version`, `/healthz`, `/livez`, `/readyz` and their single checks.
pub fn answer(path: &str) -> Result<Answer, ApiError> {
    match path.trim_end_matches('/') {
        "/version" => Ok(Answer::json(json!({
            "major": "1",
            "minor": "36",
            "gitVersion": "v1.36.4",
            "gitCommit": "",
            "gitTreeState": "clean",
            "buildDate": "1970-01-01T00:00:00Z",
            "goVersion": "",
            "compiler": "",
            "platform": concat!("linux/", "amd64"),
        }))),
        "/healthz" | "/livez" | "/readyz" | "/healthz/ping" | "/livez/ping" | "/readyz/ping" => Ok(Answer::plain("ok")),
        _ => Err(ApiError::page_not_found()),
    }
}
