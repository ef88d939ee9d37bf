//! Inputs of the pages with forms about notifications, and their problems.

use std::collections::BTreeMap;

use leptos::prelude::*;
use promise::wording::upper_first;
use promise::{Error, Problem};

use crate::backend::Refusal;
use crate::texts::notifications::NOT_SAVED;
use crate::ui::{Banner, Shape};

/// Every problem, with a link to its input.
pub(super) fn problems(problems: &[Problem]) -> Option<impl IntoView + use<>> {
    let lines = problems.iter().map(|problem| view! { <li><a href=format!("#{}", problem.path)>{problem.message.clone()}</a></li> });
    let lines = lines.collect_view();
    (!problems.is_empty())
        .then(|| view! { <div role="alert"><Banner shape=Shape::Failed title=NOT_SAVED focus=true><ul>{lines}</ul></Banner></div> })
}

/// Why a form was refused, if that isn't about one of its inputs.
pub(super) fn conflict(refusal: Option<&Refusal>) -> Option<impl IntoView + use<>> {
    let why = refusal.filter(|refusal| matches!(refusal.error, Error::Conflict { .. })).map(Refusal::message)?;
    let why = upper_first(&why);
    Some(view! { <div role="alert"><Banner shape=Shape::Degraded title=NOT_SAVED focus=true><p>{why}"."</p></Banner></div> })
}

/// What a form on the page did, if that isn't refused.
pub(super) fn done(title: Option<&'static str>, refusal: Option<&Refusal>) -> Option<impl IntoView + use<>> {
    let title = title.filter(|_| refusal.is_none())?;
    Some(view! { <Banner shape=Shape::Ready title=title live=true>""</Banner> })
}

/// One input with its problem.
pub(super) fn input(
    problems: &[Problem],
    texts: &BTreeMap<String, String>,
    name: &'static str,
    label: &'static str,
    kind: &'static str,
) -> impl IntoView + use<> {
    let problem = problems.iter().find(|problem| problem.path == name).map(|problem| problem.message.clone());
    let (wrong, described) = (problem.is_some().then_some("true"), problem.is_some().then(|| format!("{name}-problem")));
    let said = problem.map(|message| view! { <p class="problem" id=format!("{name}-problem")>{Shape::Failed.svg()}{message}</p> });
    let value = texts.get(name).cloned().unwrap_or_default();
    view! {
        <div class="field" data-invalid=wrong><label for=name>{label}</label>{said}<div class="control"><input class="input w-m" type=kind id=name name=name value=value aria-invalid=wrong aria-describedby=described/></div></div>
    }
}
