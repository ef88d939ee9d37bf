//! The recorded releases of a request, and what differs between two of them.

use leptos::prelude::*;

use super::super::adds::changed_objects;
use crate::pages::approvals::{changes, price_step};
use crate::routes;
use crate::texts::{releases as texts, request as request_texts};
use crate::ui::{Moment, Person, Shape, Status, SubmitButton, day_and_time};
use crate::view::{ReleaseComparison, ReleaseLine, ReleaseState, ReleasesPage, RequestPage, RequestPart};

/// The part.
pub(super) fn part(page: &RequestPage, releases: &ReleasesPage, now: &str) -> impl IntoView + use<> {
    let lines = &releases.releases;
    let compared = releases.compared.as_ref();
    let table = if lines.is_empty() {
        view! { <p class="muted">{texts::NO_RELEASES}</p> }.into_any()
    } else {
        let rows = lines.iter().map(|line| row(page, line, now)).collect_view();
        view! { <div class="card"><table class="table" aria-labelledby="releases"><thead><tr><th scope="col">{texts::RELEASE}</th><th scope="col">{texts::RECORDED}</th><th scope="col">{texts::STATE}</th><th scope="col">{texts::PRICE}</th><th scope="col"><span class="vh">{texts::ACTION}</span></th></tr></thead><tbody>{rows}</tbody></table></div> }
            .into_any()
    };
    let choose = (lines.len() > 1).then(|| choose(page, lines, compared));
    let differences = compared.map(|compared| differences(compared, lines, &page.row.workspace));
    view! {
        <div class="stack">
            <section aria-labelledby="releases"><h2 id="releases">{texts::RELEASES}</h2><p class="basis mb-3">{texts::RELEASES_HINT}</p>{table}</section>
            {choose}{differences}
        </div>
    }
}

fn row(page: &RequestPage, line: &ReleaseLine, now: &str) -> impl IntoView + use<> {
    let request = &page.row;
    let shape = match line.state {
        ReleaseState::Running => Shape::Ready,
        ReleaseState::Candidate => Shape::Waiting,
        ReleaseState::Former => Shape::Ahead,
    };
    let form = routes::request_edit_from(&request.workspace, &request.namespace, &request.name, &routes::start_of_release(&line.name));
    let act = match &line.restore {
        Some(Ok(())) => {
            view! { <a class="btn btn-sm" href=form>{texts::ROLL_BACK}<span class="vh">{texts::to_release(&line.name)}</span></a> }
                .into_any()
        }
        Some(Err(reason)) => view! { <span class="subtle small">{request_texts::disabled(reason)}</span> }.into_any(),
        None => ().into_any(),
    };
    let version = line.version.clone().unwrap_or_else(|| texts::VERSION_UNKNOWN.to_owned());
    view! {
        <tr><th scope="row">{version}<span class="under">{texts::causes(&line.causes)}</span></th>
            <td data-label=texts::RECORDED><Moment at=line.at.clone() now=now.to_owned()/>{(!line.by.is_empty()).then(|| view! { <span class="under"><Person username=line.by.clone()/></span> })}</td>
            <td data-label=texts::STATE><Status shape=shape word=texts::state(line.state)/></td>
            <td data-label=texts::PRICE>{line.monthly.clone()}</td>
            <td>{act}</td></tr>
    }
}

/// The form that chooses two releases. By default, the one before is compared with the newest.
fn choose(page: &RequestPage, lines: &[ReleaseLine], compared: Option<&ReleaseComparison>) -> impl IntoView + use<> {
    let request = &page.row;
    let name = |index: usize| lines.get(index).map(|line| line.name.clone()).unwrap_or_default();
    let (from, to) = compared.map_or_else(|| (name(1), name(0)), |compared| (compared.from.clone(), compared.to.clone()));
    let options = |chosen: &str| {
        let option = |line: &ReleaseLine| view! { <option value=line.name.clone() selected=line.name == chosen>{texts::option(line, &day_and_time(&line.at))}</option> };
        lines.iter().map(option).collect_view()
    };
    let action = routes::request(&request.workspace, &request.namespace, &request.name);
    view! {
        <form method="get" action=action class="row" aria-label=texts::COMPARE_RELEASES>
            <input type="hidden" name="view" value=RequestPart::Releases.word()/>
            <label>{texts::FROM}" "<select class="input w-m" name="from">{options(&from)}</select></label>
            <label>{texts::TO}" "<select class="input w-m" name="to">{options(&to)}</select></label>
            <SubmitButton label=texts::COMPARE/>
        </form>
    }
}

fn differences(compared: &ReleaseComparison, lines: &[ReleaseLine], workspace: &str) -> impl IntoView + use<> {
    let described = |name: &str| {
        let line = lines.iter().find(|line| line.name == name);
        line.map(|line| texts::option(line, &day_and_time(&line.at))).unwrap_or_default()
    };
    let values = if compared.changes.is_empty() {
        view! { <p class="muted">{texts::SAME_VALUES}</p> }.into_any()
    } else {
        view! { <div class="card padded">{changes(&compared.changes)}</div> }.into_any()
    };
    let rules = compared.policies.iter().map(|rule| view! { <li>{rule.clone()}</li> }).collect_view();
    let rules = if compared.policies.is_empty() {
        view! { <p class="muted">{texts::SAME_POLICIES}</p> }.into_any()
    } else {
        view! { <ul class="prose">{rules}</ul> }.into_any()
    };
    let objects = match compared.objects.as_deref() {
        None => view! { <p class="muted">{texts::OBJECTS_UNKNOWN}</p> }.into_any(),
        Some([]) => view! { <p class="muted">{texts::SAME_OBJECTS}</p> }.into_any(),
        Some(objects) => changed_objects(objects, workspace),
    };
    let price = price_step(&compared.price).map(|price| view! { <div class="card padded">{price}</div> });
    view! {
        <section aria-labelledby="compared" class="stack"><h2 id="compared">{texts::compared(&described(&compared.from), &described(&compared.to))}</h2>
            <div><h3>{texts::CHANGES}</h3>{values}</div>
            {price}
            <div><h3>{texts::POLICIES}</h3>{rules}</div>
            <div><h3>{texts::OBJECTS}</h3>{objects}</div>
        </section>
    }
}
