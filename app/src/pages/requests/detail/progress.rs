//! The way of a request to Ready, step by step, while it is on it.

use leptos::prelude::*;
use promise::api::{Condition, ConditionStatus, Health};
use promise::state::RequestState;

use super::resources;
use crate::texts::platform::span;
use crate::texts::request as texts;
use crate::ui::{Moment, Shape};
use crate::view::{ApprovalStanding, RequestPage};

/// One step.
#[derive(Clone, Debug, PartialEq)]
struct Step {
    shape: Shape,
    what: &'static str,
    /// More about it, or empty.
    detail: String,
    /// When it was reached, RFC 3339.
    at: Option<String>,
    /// How long it usually takes, or empty.
    usual: String,
}

/// The section; nothing once the request is ready or was decided against.
pub(super) fn part(page: &RequestPage, now: &str) -> Option<impl IntoView + use<>> {
    let shown = matches!(
        page.row.states.state,
        RequestState::Pending | RequestState::AwaitingApproval | RequestState::Provisioning | RequestState::Updating | RequestState::Failed
    );
    let lines = steps(page).into_iter().map(|step| {
        let detail = (!step.detail.is_empty()).then(|| view! { <p class="small muted">{step.detail.clone()}</p> });
        let usual = (!step.usual.is_empty()).then(|| view! { <p class="small subtle">{step.usual.clone()}</p> });
        let at = step.at.clone().map(|at| view! { <Moment at=at now=now/> });
        view! { <li data-st=step.shape.word()>{step.shape.svg()}<div><p>{step.what}</p>{detail}{usual}</div>{at}</li> }
    });
    let lines = lines.collect_view();
    shown.then(|| view! { <section aria-labelledby="progress"><h2 id="progress">{texts::PROGRESS}</h2><ol class="timeline">{lines}</ol></section> })
}

fn steps(page: &RequestPage) -> Vec<Step> {
    let requested = Step {
        shape: Shape::Ready,
        what: texts::REQUESTED,
        detail: page.reason.clone(),
        at: Some(page.row.created.clone()),
        usual: String::new(),
    };
    let ready = Step { shape: Shape::Ahead, what: texts::READY, detail: String::new(), at: None, usual: String::new() };
    [Some(requested), Some(policies(page)), approval(page), Some(provisioning(page)), Some(ready)].into_iter().flatten().collect()
}

fn condition<'p>(page: &'p RequestPage, name: &str) -> Option<&'p Condition> {
    page.conditions.iter().find(|condition| condition.r#type == name)
}

fn policies(page: &RequestPage) -> Step {
    let known = condition(page, "PoliciesSatisfied");
    let shape = match known.map(|condition| condition.status) {
        Some(ConditionStatus::True) => Shape::Ready,
        Some(ConditionStatus::False) => Shape::Denied,
        Some(ConditionStatus::Unknown) => Shape::Unknown,
        None => Shape::Ahead,
    };
    let detail = if shape == Shape::Ready { texts::rules(page.policies.len()) } else { String::new() };
    let at = known.filter(|_| shape != Shape::Ahead).and_then(|condition| condition.last_transition_time.clone());
    Step { shape, what: texts::POLICIES_CHECKED, detail, at, usual: String::new() }
}

/// The approval; nothing if no rule requires one.
fn approval(page: &RequestPage) -> Option<Step> {
    use ApprovalStanding::{Approved, ChangesRequested, Expired, Open, Queued, Rejected, Withdrawn};
    let any = |wanted: &[ApprovalStanding]| page.approvals.iter().any(|line| wanted.contains(&line.standing));
    let shape = match () {
        () if any(&[Rejected, Expired]) => Shape::Denied,
        () if any(&[ChangesRequested]) => Shape::Degraded,
        () if any(&[Withdrawn]) => Shape::Ahead,
        () if any(&[Open, Queued]) => Shape::Waiting,
        () if any(&[Approved]) => Shape::Ready,
        () => return None,
    };
    let given = page.approvals.iter().flat_map(|line| &line.given);
    let at = given.map(|given| given.at.clone()).filter(|at| !at.is_empty()).max().filter(|_| shape != Shape::Waiting);
    let open = page.approvals.iter().find(|line| line.standing == Open).map(|line| line.who.clone()).unwrap_or_default();
    Some(Step { shape, what: texts::APPROVAL, detail: open, at, usual: String::new() })
}

fn provisioning(page: &RequestPage) -> Step {
    let refused = page.accepted.is_none();
    let broken = page.resources.iter().any(|resource| matches!(resource.health, Health::Degraded | Health::Missing));
    let shape = match page.row.states.state {
        _ if refused => Shape::Ahead,
        RequestState::Failed => Shape::Failed,
        _ if broken => Shape::Degraded,
        _ => Shape::Provisioning,
    };
    let detail = if page.resources.is_empty() { String::new() } else { resources::basis(page) };
    let usual = page.usual.map(|usual| texts::usually(&span(usual.median), usual.measured)).unwrap_or_default();
    Step { shape, what: texts::PROVISIONING, detail, at: page.accepted.clone(), usual }
}
