//! `…/steps/{step}/skip`: confirms that a workflow continues without a step, and asks why.

use leptos::prelude::*;
use promise::Result;

use crate::actions::{self, SkipStep};
use crate::backend::{Refusal, StepOf, Visit};
use crate::document::{About, Page, framed};
use crate::form::Text;
use crate::pages::requests::identity;
use crate::routes;
use crate::texts::{forms, requests, runs, workflow as texts};
use crate::ui::{Crumb, Crumbs, HiddenToken, LinkButton, PageHead, SubmitButton, Weight};
use crate::view::{SkipPage, StepLine};

/// The page; `refused` is a skip that was refused.
pub async fn skip(visit: &Visit, workspace: &str, of: StepOf<'_>, refused: Option<&Refusal>) -> Result<Page> {
    let backend = visit.backend()?;
    let page = backend.step_to_skip(workspace, of).await?;
    let problem = refused.map(Refusal::message);
    let typed = refused.map(|refused| refused.typed("comment").to_owned()).unwrap_or_default();
    let title = texts::skip_title(&name(&page.step), of.request);
    let about = About {
        title: if problem.is_some() { forms::error_title(&title) } else { title.clone() },
        workspace: Some(workspace.to_owned()),
        section: routes::requests(workspace),
        status: if problem.is_some() { 422 } else { 200 },
        ..About::default()
    };
    let token = backend.viewer().form_token;
    Ok(framed(visit, about, move || {
        let row = &page.row;
        let request = routes::request(&row.workspace, &row.namespace, &row.name);
        let run = (!page.run.is_empty()).then(|| routes::run(&row.workspace, &row.namespace, &row.name, &page.run));
        let list = routes::requests(&row.workspace);
        let mut steps = vec![Crumb::link(requests::REQUESTS, list), Crumb::link(row.name.clone(), request.clone())];
        steps.extend(run.clone().map(|run| Crumb::link(page.run.clone(), run)));
        steps.push(Crumb::here(texts::SKIP_STEP));
        let button = match &page.allowed {
            Ok(()) => view! { <SubmitButton label=texts::SKIP_STEP weight=Weight::Danger/> }.into_any(),
            Err(why) => view! { <SubmitButton label=texts::SKIP_STEP weight=Weight::Danger why=runs::refused(why)/> }.into_any(),
        };
        view! {
            <Crumbs steps=steps/>
            <PageHead title=title.clone()/>
            <form method="post" action={actions::path::<SkipStep>()} novalidate class="card danger-zone">
                <HiddenToken token=token.clone()/>{identity(row)}
                {(!page.run.is_empty()).then(|| view! { <input type="hidden" name="run" value=page.run.clone()/> })}
                <input type="hidden" name="step" value=page.step.id.clone()/>
                <input type="hidden" name="hash" value=page.hash.clone()/>
                {effect(&page)}
                <Text id="comment" name="comment" label=texts::SKIP_REASON hint=texts::SKIP_REASON_HINT value=typed.clone() problem=problem.clone() rows=3 focus=true/>
                <div class="submit-bar">{button}<LinkButton href=run.unwrap_or(request) label=runs::BACK/></div>
            </form>
        }
    }))
}

/// What the step reports, and what happens without it.
fn effect(page: &SkipPage) -> impl IntoView + use<> {
    let message = (!page.step.message.is_empty()).then(|| view! { <p>{texts::step_reports(&page.step.message)}</p> });
    let later = page.later.iter().map(|step| view! { <li><b>{name(step)}</b></li> }).collect_view();
    let follows = if page.later.is_empty() {
        view! { <p>{texts::SKIP_CONTINUES}</p> }.into_any()
    } else {
        view! { <p>{texts::SKIP_FOLLOWS}</p><ul class="goes">{later}</ul> }.into_any()
    };
    let missing = (!page.missing.is_empty()).then(|| view! { <p>{texts::skip_missing(&page.missing)}</p> });
    view! { {message}{follows}{missing}<p class="muted">{texts::SKIP_RECORDED}</p> }
}

/// The name of a step.
fn name(step: &StepLine) -> String {
    if step.title.is_empty() { texts::kind(step.kind, &step.id) } else { step.title.clone() }
}
