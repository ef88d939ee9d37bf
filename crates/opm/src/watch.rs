//! Follows requests: by the events of one request, or by reading the list of a workspace again and again.

use std::collections::BTreeMap;
use std::time::Duration;

use promise::rest::{ChangeState, RequestDetail, RequestState, RequestSummary};
use tokio::time::{Instant, sleep, sleep_until};

use crate::commands::Called;
use crate::error::NOT_FOUND;
use crate::output::{Output, data, one_line, state};
use crate::portal::{Event, Portal, api};
use crate::rows::table;
use crate::target::Target;
use crate::terminal::Terminal;
use crate::{Error, Outcome};

/// Time between two reads of a list.
const INTERVAL: Duration = Duration::from_secs(2);
/// Time before a stream is opened again.
const PAUSE: Duration = Duration::from_secs(1);
/// How often in a row the portal can be unreachable.
const PATIENCE: u32 = 15;
/// Width of the column of names while a request is followed.
const NAMES: usize = 24;
/// Width of the column of states.
const STATES: usize = 20;

/// When following ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Until {
    /// Nothing goes on without a person.
    Settled,
    /// It no longer exists.
    Gone,
    /// The user interrupts it.
    Interrupted,
}

/// Whether nothing more happens to a request unless someone acts. A request that waits for approval isn't settled: what others decide is
/// what people wait for. Neither is a change that waits for a window.
pub fn is_settled(request: &RequestSummary) -> bool {
    let state = matches!(
        request.state,
        RequestState::Ready
            | RequestState::ChangesRequested
            | RequestState::Failed
            | RequestState::Rejected
            | RequestState::Expired
            | RequestState::Withdrawn
    );
    state && !matches!(request.change, Some(ChangeState::AwaitingApproval | ChangeState::AwaitingWindow))
}

/// Whether a settled request is what was wanted.
fn is_good(request: &RequestSummary) -> bool {
    request.state == RequestState::Ready && request.change.is_none()
}

/// Follows one request and prints it whenever it changes. The answer is no if it failed or was rejected.
pub(crate) async fn one(
    portal: &Portal,
    target: &Target,
    until: Until,
    timeout: Option<Duration>,
    output: Output,
    called: Called,
    terminal: &mut Terminal<'_>,
) -> Result<Outcome, Error> {
    let deadline = timeout.map(|timeout| Instant::now() + timeout);
    let mut shown = String::new();
    let mut failures = 0;
    loop {
        match portal.events(&target.watch_path()).await {
            Ok(mut events) => {
                failures = 0;
                while let Some(event) = before(deadline, events.next()).await.ok_or_else(|| late(target, called))? {
                    let step = Step::of(&event, portal)?;
                    match step {
                        Step::Other => {}
                        Step::Gone => return gone(target, until, terminal),
                        Step::Changed(detail) => {
                            show(&detail, &mut shown, output, terminal)?;
                            let is_done = is_settled(&detail.summary) && detail.observed_generation >= detail.generation;
                            if until == Until::Settled && is_done {
                                return Ok(is_good(&detail.summary).into());
                            }
                        }
                    }
                }
            }
            Err(Error::Refused { code: NOT_FOUND, .. }) if until == Until::Gone || !shown.is_empty() => {
                return gone(target, until, terminal);
            }
            Err(error @ Error::Unreachable { .. }) => {
                failures += 1;
                if failures > PATIENCE {
                    return Err(error);
                }
            }
            Err(error) => return Err(error),
        }
        before(deadline, sleep(PAUSE)).await.ok_or_else(|| late(target, called))?;
    }
}

/// Waits for a request after another command, and shows its progress as notes: the result of the command is printed already.
pub(crate) async fn progress(
    portal: &Portal,
    target: &Target,
    until: Until,
    timeout: Duration,
    called: Called,
    terminal: &mut Terminal<'_>,
) -> Result<Outcome, Error> {
    std::mem::swap(&mut terminal.out, &mut terminal.err);
    let outcome = one(portal, target, until, Some(timeout), Output::Table, called, terminal).await;
    std::mem::swap(&mut terminal.out, &mut terminal.err);
    outcome
}

/// What an event says.
enum Step {
    Changed(Box<RequestDetail>),
    Gone,
    Other,
}

impl Step {
    fn of(event: &Event, portal: &Portal) -> Result<Self, Error> {
        match event.name.as_str() {
            "request" => match serde_json::from_str(&event.data) {
                Ok(detail) => Ok(Self::Changed(Box::new(detail))),
                Err(_) => Err(portal.is_unknown()),
            },
            "gone" => Ok(Self::Gone),
            _ => Ok(Self::Other),
        }
    }
}

/// Waits for something until a deadline; `None` after it.
async fn before<T>(deadline: Option<Instant>, work: impl Future<Output = T>) -> Option<T> {
    match deadline {
        None => Some(work.await),
        Some(deadline) => tokio::select! {
            done = work => Some(done),
            () = sleep_until(deadline) => None,
        },
    }
}

fn late(target: &Target, called: Called) -> Error {
    Error::TimedOut(format!("{} isn't finished yet. Continue with `{} request watch {}`.", target.name, called.name(), target.name))
}

fn gone(target: &Target, until: Until, terminal: &mut Terminal<'_>) -> Result<Outcome, Error> {
    terminal.print(&format!("{} is deleted.\n", target.name))?;
    Ok((until != Until::Settled).into())
}

fn show(detail: &RequestDetail, shown: &mut String, output: Output, terminal: &mut Terminal<'_>) -> Result<(), Error> {
    let text = match (data(output, detail), output) {
        (Some(text), Output::Yaml) => format!("---\n{text}"),
        (Some(text), _) => text,
        (None, Output::Name) => format!("{}\n", detail.summary.name),
        (None, _) => line(&detail.summary),
    };
    if text != *shown {
        terminal.print(&text)?;
        *shown = text;
    }
    Ok(())
}

/// A request on one line. Columns are as wide in every line, whatever comes later.
fn line(request: &RequestSummary) -> String {
    let name = one_line(&request.name, NAMES);
    let change = request.change.map(|change| format!(", {}", promise::wording::lower_first(change.label()))).unwrap_or_default();
    let (state, width) = state(request.state).with(&change).measured();
    let gap = " ".repeat(NAMES.saturating_sub(name.chars().count()) + 1);
    let message = one_line(&request.message, usize::MAX);
    format!("{name}{gap}{state}{} {message}\n", " ".repeat(STATES.saturating_sub(width)))
}

/// Prints requests that are followed from now on.
pub(crate) fn start(requests: &[RequestSummary], output: Output, terminal: &mut Terminal<'_>) -> Result<(), Error> {
    for request in requests {
        let text = row(request, output, terminal);
        terminal.print(&text)?;
    }
    Ok(())
}

/// A request in a list that is followed.
fn row(request: &RequestSummary, output: Output, terminal: &Terminal<'_>) -> String {
    match (data(output, request), output) {
        (Some(text), Output::Yaml) => format!("---\n{text}"),
        (Some(text), _) => text,
        (None, Output::Name) => format!("{}\n", request.name),
        (None, Output::Wide) => table(std::slice::from_ref(request), output, terminal).rows(),
        (None, _) => line(request),
    }
}

/// Follows the requests of a workspace and prints those that change. `known` are those that were printed. Until they are settled, only those
/// are followed.
pub(crate) async fn all(
    portal: &Portal,
    query: &[(&str, &str)],
    known: Vec<RequestSummary>,
    until: Until,
    timeout: Option<Duration>,
    output: Output,
    terminal: &mut Terminal<'_>,
) -> Result<Outcome, Error> {
    let deadline = timeout.map(|timeout| Instant::now() + timeout);
    let path = api(&["workspaces", portal.workspace()?, "requests"]);
    let mut known: BTreeMap<String, RequestSummary> = known.into_iter().map(|request| (request.uid.clone(), request)).collect();
    let mut failures = 0;
    loop {
        let late = || Error::TimedOut("Some requests aren't finished yet.".to_owned());
        before(deadline, sleep(INTERVAL)).await.ok_or_else(late)?;
        let page = match portal.list::<RequestSummary>(&path, query).await {
            Ok(page) => page,
            Err(Error::Unreachable { .. }) if failures < PATIENCE => {
                failures += 1;
                continue;
            }
            Err(error) => return Err(error),
        };
        failures = 0;
        let followed = |request: &RequestSummary| until == Until::Interrupted || known.contains_key(&request.uid);
        let listed: BTreeMap<String, RequestSummary> =
            page.items.into_iter().filter(followed).map(|request| (request.uid.clone(), request)).collect();
        for (uid, request) in &listed {
            if known.get(uid).is_none_or(|before| differs(before, request)) {
                let text = row(request, output, terminal);
                terminal.print(&text)?;
            }
        }
        for request in known.values().filter(|request| !listed.contains_key(&request.uid)) {
            terminal.print(&format!("{} is deleted.\n", request.name))?;
        }
        if until == Until::Settled && listed.values().all(is_settled) {
            return Ok(listed.values().all(is_good).into());
        }
        known = listed;
    }
}

/// Whether a line about a request is another one.
fn differs(before: &RequestSummary, after: &RequestSummary) -> bool {
    (before.state, before.change, &before.message, &before.version) != (after.state, after.change, &after.message, &after.version)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn request(state: &str, change: Option<&str>) -> RequestSummary {
        let mut request = json!({
            "workspace": "root:acme:shop", "namespace": "default", "name": "orders", "uid": "1", "promise": "redis", "version": "1.0.0",
            "state": state, "actor": "noOne", "message": "Ready to use", "owner": "dev", "created": "2026-11-26T10:00:00Z",
        });
        if let Some(change) = change {
            request["change"] = change.into();
        }
        serde_json::from_value(request).unwrap()
    }

    #[test]
    fn waiting_ends_when_no_one_works_on_it() {
        for (state, change, settled, good) in [
            ("pending", None, false, false),
            ("awaitingApproval", None, false, false),
            ("provisioning", None, false, false),
            ("degraded", None, false, false),
            ("ready", None, true, true),
            ("ready", Some("awaitingApproval"), false, false),
            ("ready", Some("rejected"), true, false),
            ("changesRequested", None, true, false),
            ("failed", None, true, false),
            ("rejected", None, true, false),
            ("expired", None, true, false),
            ("deleting", None, false, false),
        ] {
            let request = request(state, change);
            assert_eq!((is_settled(&request), is_settled(&request) && is_good(&request)), (settled, good), "{state} {change:?}");
        }
    }

    #[test]
    fn lines_have_the_same_columns() {
        let text = anstream::adapter::strip_str(&line(&request("ready", Some("rejected")))).to_string();
        assert_eq!(text, "orders                   Ready, change rejected Ready to use\n");
        let text = anstream::adapter::strip_str(&line(&request("ready", None))).to_string();
        assert_eq!(text, "orders                   Ready                Ready to use\n");
    }

    #[tokio::test(start_paused = true)]
    async fn what_is_late_is_given_up() {
        let deadline = Some(Instant::now() + Duration::from_secs(5));
        assert_eq!(before(deadline, async { 1 }).await, Some(1));
        assert_eq!(before(deadline, std::future::pending::<()>()).await, None);
        assert_eq!(before(None, async { 2 }).await, Some(2));
    }
}
