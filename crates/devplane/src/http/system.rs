//! Paths about the server itself: version and health.
//! Source: apiserver `server/routes/version.go`, `server/healthz`.

use http::{HeaderMap, Method};
use serde_json::json;

use super::{answer::Answer, media, query::Query};
use crate::{State, status::ApiError};

/// What can be asked one by one, below each of the words of health.
const CHECKS: [&str; 4] = ["ping", "log", "etcd", "controllers"];
/// What readiness has beside [`CHECKS`].
const OF_READINESS: [&str; 3] = ["etcd-readiness", "informer-sync", "shutdown"];

/// What does not work.
#[derive(Debug, Default)]
pub struct Health {
    /// Why storage takes no writes.
    storage: Option<String>,
    /// The plane's own tasks that failed, and why.
    tasks: Option<String>,
}

impl Health {
    /// As it is now.
    pub fn of(state: &State) -> Self {
        let failures: Vec<String> = state.supervisor.failures().into_iter().map(|(name, why)| format!("{name}: {why}")).collect();
        Self { storage: state.store.failure().map(|why| why.to_string()), tasks: (!failures.is_empty()).then(|| failures.join("; ")) }
    }

    /// Why a check fails.
    fn failure(&self, check: &str) -> Option<&str> {
        match check {
            "etcd" | "etcd-readiness" => self.storage.as_deref(),
            "controllers" | "informer-sync" => self.tasks.as_deref(),
            _ => None,
        }
    }
}

/// Answers `/version`, `/healthz`, `/livez`, `/readyz` and their single checks.
pub fn answer(health: &Health, path: &str, method: &Method, query: &Query, headers: &HeaderMap) -> Result<Answer, ApiError> {
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
        "readyz" => [&CHECKS[..], &OF_READINESS].concat(),
        _ => return Err(ApiError::page_not_found()),
    };
    let excluded = query.all("exclude");
    let fails = |check: &&str| health.failure(check).is_some();
    match check {
        "" if checks.iter().any(|check| fails(check) && !excluded.contains(check)) => {
            Ok(Answer::plain(verbose(health, word, &checks, &excluded)).with_code(500))
        }
        "" if query.has("verbose") => Ok(Answer::plain(verbose(health, word, &checks, &excluded))),
        "" => Ok(Answer::plain("ok")),
        check if checks.contains(&check) => Ok(match health.failure(check) {
            // Why is in the log: health is told to everybody.
            Some(_) => Answer::plain(format!("internal server error: {check} failed\n")).with_code(500),
            None => Answer::plain("ok"),
        }),
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
fn verbose(health: &Health, word: &str, checks: &[&str], excluded: &[&str]) -> String {
    let mut outcome = "passed";
    let mut line = |check: &&str| {
        if excluded.contains(check) {
            return format!("[+]{check} excluded: ok\n");
        }
        if health.failure(check).is_none() {
            return format!("[+]{check} ok\n");
        }
        outcome = "failed";
        format!("[-]{check} failed: reason withheld\n")
    };
    let lines: String = checks.iter().map(&mut line).collect();
    format!("{lines}{word} check {outcome}\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::answer::Content;

    #[test]
    fn health_is_asked_as_a_whole_or_in_parts() {
        let code = |path: &str| told(&Health::default(), path).0;
        for path in ["/version", "/healthz", "/livez/ping", "/readyz/etcd", "/readyz/shutdown"] {
            assert_eq!(code(path), 200, "{path}");
        }
        for path in ["/healthz/none", "/livez/shutdown", "/healthz/ping/x", "/frob"] {
            assert_eq!(code(path), 404, "{path}");
        }
        let well = Health::default();
        assert_eq!(verbose(&well, "livez", &["ping", "etcd"], &["etcd"]), "[+]ping ok\n[+]etcd excluded: ok\nlivez check passed\n");
    }

    /// Code and text.
    fn told(health: &Health, path: &str) -> (u16, String) {
        let (path, query) = path.split_once('?').unwrap_or((path, ""));
        match answer(health, path, &Method::GET, &Query::parse(query), &HeaderMap::new()) {
            Ok(Answer { code, content: Content::Text(_, text), .. }) => (code, String::from_utf8_lossy(&text).into_owned()),
            Ok(other) => (other.code, String::new()),
            Err(error) => (error.code, error.message),
        }
    }

    #[test]
    fn health_tells_what_does_not_work_and_not_why() {
        let full = Health { storage: Some("no space left".into()), tasks: None };
        for path in ["/healthz", "/livez", "/readyz", "/livez/etcd", "/readyz/etcd-readiness"] {
            assert_eq!(told(&full, path).0, 500, "{path}");
        }
        assert_eq!(told(&full, "/livez/ping").0, 200);
        let dead = Health { storage: None, tasks: Some("controllers: a defect".into()) };
        for path in ["/livez", "/readyz", "/livez/controllers", "/readyz/informer-sync"] {
            assert_eq!(told(&dead, path).0, 500, "{path}");
        }
        let text = "[+]ping ok\n[+]log ok\n[+]etcd ok\n[-]controllers failed: reason withheld\nlivez check failed\n";
        assert_eq!(told(&dead, "/livez"), (500, text.to_owned()));
        assert_eq!(told(&dead, "/livez?exclude=controllers"), (200, "ok".to_owned()));
    }
}
