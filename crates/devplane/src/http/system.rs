//! Paths about the server itself: version and health.
//! Source: apiserver `server/routes/version.go`, `server/healthz`.

use http::{HeaderMap, Method};
use serde_json::json;

use super::{answer::Answer, media, query::Query};
use crate::status::ApiError;

/// What can be asked one by one, below each of the words of health. Nothing here is ever unwell.
const CHECKS: [&str; 3] = ["ping", "log", "etcd"];
/// What readiness has beside [`CHECKS`].
const OF_READINESS: [&str; 3] = ["etcd-readiness", "informer-sync", "shutdown"];

/// Answers `/version`, `/healthz`, `/livez`, `/readyz` and their single checks.
pub fn answer(path: &str, method: &Method, query: &Query, headers: &HeaderMap) -> Result<Answer, ApiError> {
    let path = path.trim_end_matches('/');
    if path == "/version" {
        if method != Method::GET && method != Method::HEAD {
            return Err(ApiError::method_not_allowed());
        }
        media::check_produced(headers, &["application/json"])?;
        return Ok(version());
    }
    let (word, check) = path.trim_start_matches('/').split_once('/').unwrap_or((path.trim_start_matches('/'), ""));
    let checks = match word {
        "healthz" | "livez" => CHECKS.to_vec(),
        "readyz" => [CHECKS, OF_READINESS].concat(),
        _ => return Err(ApiError::page_not_found()),
    };
    match check {
        "" if query.has("verbose") => Ok(Answer::plain(verbose(word, &checks, &query.all("exclude")))),
        "" => Ok(Answer::plain("ok")),
        check if checks.contains(&check) => Ok(Answer::plain("ok")),
        _ => Err(ApiError::page_not_found()),
    }
}

fn version() -> Answer {
    Answer::json(json!({
        "major": "1",
        "minor": "36",
        "gitVersion": "v1.36.4",
        "gitCommit": "",
        "gitTreeState": "clean",
        "buildDate": "1970-01-01T00:00:00Z",
        "goVersion": "",
        "compiler": "",
        "platform": concat!("linux/", "amd64"),
    }))
}

/// A line for each check, and what comes of all of them.
fn verbose(word: &str, checks: &[&str], excluded: &[&str]) -> String {
    let line = |check: &&str| {
        if excluded.contains(check) { format!("[+]{check} excluded: ok\n") } else { format!("[+]{check} ok\n") }
    };
    let lines: String = checks.iter().map(line).collect();
    format!("{lines}{word} check passed\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn health_is_asked_as_a_whole_or_in_parts() {
        let code =
            |path: &str| answer(path, &Method::GET, &Query::default(), &HeaderMap::new()).map_or_else(|error| error.code, |told| told.code);
        for path in ["/version", "/healthz", "/livez/ping", "/readyz/etcd", "/readyz/shutdown"] {
            assert_eq!(code(path), 200, "{path}");
        }
        for path in ["/healthz/none", "/livez/shutdown", "/healthz/ping/x", "/frob"] {
            assert_eq!(code(path), 404, "{path}");
        }
        assert_eq!(verbose("livez", &["ping", "etcd"], &["etcd"]), "[+]ping ok\n[+]etcd excluded: ok\nlivez check passed\n");
    }
}
