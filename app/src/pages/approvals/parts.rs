//! Parts of a review that the inbox and the light page share.

use crate::view::{
    ApprovalLine, ApprovalNote, ApprovalStanding, CheckLine, CheckState, GivenLine, InboxRow, ReviewPage, Since, ValueChange,
};
use leptos::prelude::*;
use promise::outline::grouped;
use promise::risk::Risk;

use super::Again;
use crate::pages::requests::policy_link;
use crate::routes;
use crate::texts::approvals as texts;
use crate::texts::request::under;
use crate::ui::{Badge, Banner, Icon, Moment, Person, Shape, day_and_time, span};

/// What is requested, by whom, where and since when.
pub(super) fn meta(review: &ReviewPage, now: &str) -> impl IntoView + use<> {
    let row = &review.row;
    let name = if review.opens {
        view! { <a href=routes::request(&row.workspace, &row.namespace, &row.name)>{format!("{} {}", row.promise_title, row.version)}</a> }
            .into_any()
    } else {
        view! { {format!("{} {}", row.promise_title, row.version)} }.into_any()
    };
    view! {
        <span>{name}</span><span class="row gap-1">{texts::requested_by(row.change, row.mine)}{(!row.mine).then(|| view! { <Person username=row.requester.clone()/> })}</span><span class="mono">{row.workspace.clone()}</span>
        {(!row.since.is_empty()).then(|| view! { <span><Moment at=row.since.clone() now=now/></span> })}
        {review.run.as_ref().and_then(|run| run.href.clone()).map(|href| view! { <span><a href=href>{texts::VIEW_RUN}</a></span> })}
    }
}

/// The policy or the step that requires the approval of a run.
pub(super) fn required_by(review: &ReviewPage) -> Option<AnyView> {
    let run = review.run.as_ref()?;
    Some(match &run.policy {
        Some(policy) => view! { <p class="small">{texts::APPROVAL_REQUIRED_BY}" "{policy_link(policy)}</p> }.into_any(),
        None => view! { <p class="small">{texts::step_of_action(&run.step)}</p> }.into_any(),
    })
}

/// What an action does, as a warning if people are asked to confirm it.
pub(super) fn about_action(review: &ReviewPage) -> Option<AnyView> {
    let run = review.run.as_ref()?;
    let (confirm, about) = (run.confirm, run.description.clone());
    if confirm {
        let about = if about.is_empty() { texts::ACTION_ASKS_TO_CONFIRM.to_owned() } else { about };
        return Some(view! { <Banner shape=Shape::Degraded title=texts::BEFORE_YOU_APPROVE><p>{about}</p></Banner> }.into_any());
    }
    (!about.is_empty()).then(|| view! { <p class="muted">{about}</p> }.into_any())
}

/// The risk, with its reasons.
pub(super) fn risk(row: &InboxRow) -> Option<impl IntoView + use<>> {
    let shape = match row.risk {
        Risk::Low => return None,
        Risk::Raised => Shape::Unknown,
        Risk::High => Shape::Degraded,
    };
    let why = row.why.clone();
    Some(view! { <span class="row">{why.into_iter().map(|why| view! { <Badge shape=shape word=why/> }).collect_view()}</span> })
}

/// Why a decision was refused, on top of everything.
pub(super) fn told(again: Option<&Again>) -> Option<impl IntoView + use<>> {
    let again = again?.clone();
    let link = (!again.field.is_empty()).then(|| format!("#{}", again.field));
    let why = promise::wording::upper_first(&again.why);
    let why = if why.ends_with('.') { why } else { format!("{why}.") };
    Some(view! {
        <div role="alert"><Banner shape=Shape::Degraded title=texts::NOT_SAVED focus=true><p>{match link {
            Some(link) => view! { <a href=link>{why}</a> }.into_any(),
            None => view! { {why} }.into_any(),
        }}</p></Banner></div>
    })
}

/// What has changed since an earlier decision, or since the user viewed it.
pub(super) fn since(since: &Since, now: &str) -> impl IntoView + use<> {
    let title = match (since.decision.as_str(), since.at.as_str()) {
        ("", _) => texts::CHANGED_SINCE_VIEWED.to_owned(),
        (decision, "") => texts::no_longer_counts(decision, ""),
        (decision, at) => texts::no_longer_counts(decision, &span(at, now)),
    };
    let also = since.also.iter().map(|also| view! { <p>{also.clone()}</p> }).collect_view();
    let unknown = (!since.unknown.is_empty()).then(|| view! { <p>{since.unknown.clone()}</p> });
    let changes = (!since.changes.is_empty()).then(|| changes(&since.changes));
    view! { <div class="since"><Banner shape=Shape::Degraded title=title>{unknown}{changes}{also}</Banner></div> }
}

/// Values before and after, under the headings of the form.
pub(in crate::pages) fn changes(changes: &[ValueChange]) -> impl IntoView + use<> {
    let groups = grouped(changes.to_vec(), |change| &change.headings).into_iter().enumerate().map(|(index, (headings, lines))| {
        let class = if index == 0 { "small muted" } else { "small muted mt-3" };
        let heading = (!headings.is_empty()).then(|| view! { <p class=class>{under(&headings)}</p> });
        view! { {heading}<dl class="changes">{lines.iter().map(change).collect_view()}</dl> }
    });
    groups.collect_view()
}

fn change(change: &ValueChange) -> impl IntoView + use<> {
    let before = match &change.before {
        Some(before) => view! { <span class="vh">{texts::BEFORE}</span><del>{before.clone()}</del> }.into_any(),
        None => view! { <span class="subtle">{texts::ADDED}</span> }.into_any(),
    };
    let after = match &change.after {
        Some(after) => view! { <span class="vh">{texts::AFTER}</span><ins>{after.clone()}</ins> }.into_any(),
        None => view! { <span class="subtle">{texts::REMOVED}</span> }.into_any(),
    };
    let arrow = change.before.is_some().then(|| view! { <Icon name="arrow-right"/> });
    let note = (!change.note.is_empty()).then(|| view! { <dd class="note">{change.note.clone()}</dd> });
    view! { <div><dt>{change.label.clone()}</dt><dd>{before}</dd><dd>{arrow}{after}</dd>{note}</div> }
}

/// What was checked, with results.
pub(in crate::pages) fn checks(checks: &[CheckLine]) -> impl IntoView + use<> {
    let lines = checks.iter().map(|check| {
        let (shape, word) = match check.state {
            CheckState::Failed => (Shape::Failed, texts::CHECK_FAILED),
            CheckState::Warned => (Shape::Degraded, texts::CHECK_WARNED),
            CheckState::Unknown => (Shape::Unknown, texts::CHECK_UNKNOWN),
            CheckState::NotYet => (Shape::Ahead, texts::CHECK_NOT_RUN),
            CheckState::Passed => (Shape::Ready, texts::CHECK_PASSED),
        };
        let detail = (!check.detail.is_empty()).then(|| view! { <span class="subtle">{check.detail.clone()}</span> });
        view! { <li data-st=shape.word()>{shape.svg()}<span><span class="vh">{word}</span>{check.what.clone()}{detail}</span></li> }
    });
    view! { <ul class="checks">{lines.collect_view()}</ul> }
}

/// Every rule that requires an approval, with what was decided.
pub(super) fn route(lines: &[ApprovalLine], workspace: &str, now: &str) -> impl IntoView + use<> {
    let many = lines.iter().any(|line| line.stage > 1);
    let steps = lines.iter().map(|line| {
        let (shape, word) = standing(line.standing);
        let from = if line.own {
            view! { {texts::REQUIRED_BY_PROMISE} }.into_any()
        } else {
            view! { <a href=routes::policy(&line.source, &line.policy, workspace)>{line.title.clone()}</a>", "{texts::SET_AT}" "<span class="mono">{line.source.clone()}</span> }.into_any()
        };
        let stage = many.then(|| texts::stage(line.stage));
        let state = line.note.as_ref().map(|state| view! { <span class="subtle">{note(state)}</span> });
        let given = line.given.iter().map(|given| said(given, now)).collect_view();
        view! { <li data-st=shape.word()>{shape.svg()}<div><span class="vh">{word}": "</span>{stage}<b>{line.who.clone()}</b><span class="subtle">{from}</span>{state}{given}</div></li> }
    });
    view! { <ol class="checks">{steps.collect_view()}</ol> }
}

/// The state of a decision, with its word.
pub(in crate::pages) fn standing(standing: ApprovalStanding) -> (Shape, &'static str) {
    match standing {
        ApprovalStanding::Queued => (Shape::Ahead, texts::STATE_QUEUED),
        ApprovalStanding::Open => (Shape::Waiting, texts::STATE_OPEN),
        ApprovalStanding::Approved => (Shape::Ready, texts::STATE_APPROVED),
        ApprovalStanding::Rejected => (Shape::Denied, texts::STATE_REJECTED),
        ApprovalStanding::ChangesRequested => (Shape::Degraded, texts::STATE_CHANGES_REQUESTED),
        ApprovalStanding::Withdrawn => (Shape::Ahead, texts::STATE_WITHDRAWN),
        ApprovalStanding::Expired => (Shape::Denied, texts::STATE_EXPIRED),
        ApprovalStanding::AwaitingWindow => (Shape::Waiting, texts::STATE_AWAITING_WINDOW),
    }
}

/// What the state of an approval depends on, as a sentence.
pub(in crate::pages) fn note(note: &ApprovalNote) -> String {
    match note {
        ApprovalNote::Withdrawn => texts::WITHDRAWN_BEFORE_DECISION.to_owned(),
        ApprovalNote::AfterResubmission => texts::STARTS_AFTER_RESUBMISSION.to_owned(),
        ApprovalNote::Expires(at) => texts::expires_on(&day_and_time(at)),
        ApprovalNote::Opens(at) => texts::carried_out_on(&day_and_time(at)),
        ApprovalNote::AfterStages(stage) => texts::starts_after_stages_before(*stage),
        ApprovalNote::WaitsForRequester => texts::WAITS_FOR_REQUESTER.to_owned(),
    }
}

/// What one person decided.
pub(in crate::pages) fn said(given: &GivenLine, now: &str) -> impl IntoView + use<> {
    let comment = (!given.comment.is_empty()).then(|| view! { <blockquote class="said">{given.comment.clone()}</blockquote> });
    let void = (!given.void.is_empty()).then(|| view! { <p class="small muted">{given.void.clone()}</p> });
    let at = (!given.at.is_empty()).then(|| view! { " "<Moment at=given.at.clone() now=now/> });
    view! { <div class="small"><p class="row gap-1"><b><Person username=given.by.clone()/></b><span>{given.decision.clone()}{at}</span></p>{comment}{void}</div> }
}
