//! Events about the objects of a request, and logs of their pods.

use app::backend::{LogQuery, Troubleshooting as _};
use axum::extract::{Extension, Path};
use http::HeaderMap;
use promise::troubleshooting::LOG_LINES;
use promise::{Error, Problem};

use super::answer::{self, Answer};
use super::parameters::Parameters;
use super::requests::Subject;
use crate::sign_in::Visitor;

pub(crate) async fn events(
    Extension(visitor): Extension<Visitor>,
    Path((workspace, namespace, name)): Subject,
    headers: HeaderMap,
    parameters: Parameters,
) -> Answer {
    let fields = parameters.fields()?;
    let events = visitor.caller()?.object_events(&workspace, &namespace, &name).await?;
    answer::value(&headers, &fields, &events)
}

pub(crate) async fn logs(
    Extension(visitor): Extension<Visitor>,
    Path((workspace, namespace, name)): Subject,
    headers: HeaderMap,
    parameters: Parameters,
) -> Answer {
    let fields = parameters.fields()?;
    let query = LogQuery {
        pod: parameters.text("pod"),
        container: parameters.text("container"),
        previous: parameters.flag("previous")?,
        lines: lines(parameters.get("tail"))?,
    };
    let log = visitor.caller()?.pod_log(&workspace, &namespace, &name, &query).await?;
    answer::value(&headers, &fields, &log)
}

/// Returns the number of lines that are wanted.
fn lines(tail: Option<&str>) -> promise::Result<u32> {
    let Some(text) = tail else { return Ok(LOG_LINES) };
    text.parse().ok().filter(|lines| (1..=LOG_LINES).contains(lines)).ok_or_else(|| {
        let message = format!("Send tail as a number from 1 to {LOG_LINES}.");
        Error::Invalid { problems: vec![Problem { path: String::new(), message }] }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_has_at_most_as_many_lines_as_a_page_can_show() {
        assert_eq!((lines(None), lines(Some("1")), lines(Some("200"))), (Ok(LOG_LINES), Ok(1), Ok(200)));
        for other in ["0", "201", "-1", "all", ""] {
            assert!(matches!(lines(Some(other)), Err(Error::Invalid { .. })), "{other}");
        }
    }
}
