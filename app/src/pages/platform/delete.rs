//! Confirms the deletion of a policy: which rules go, whom that affects, and its name to type.

use leptos::prelude::*;
use promise::{Error, Result};

use crate::actions::{self, DeletePolicy};
use crate::backend::{Refusal, Visit};
use crate::document::{About, Page, framed};
use crate::form::Text;
use crate::routes::{self, page};
use crate::texts::platform as texts;
use crate::ui::{Banner, Crumb, Crumbs, HiddenToken, LinkButton, PageHead, Shape, SubmitButton, Weight};

/// The page; `refused` is a deletion that was refused.
pub async fn delete(visit: &Visit, workspace: &str, name: &str, refused: Option<&Refusal>) -> Result<Page> {
    let backend = visit.backend()?;
    let found = backend.policy(workspace, name, "", None).await?;
    let Some(inside) = found.inside.clone() else { return Err(Error::NotFound { what: format!("policy {name}") }) };
    let (token, problem) = (backend.viewer().form_token, refused.map(Refusal::message));
    let typed = refused.map(|refused| refused.typed("confirmation").to_owned()).unwrap_or_default();
    let title = texts::delete_named(&found.row.title);
    let about = About {
        title: if problem.is_some() { texts::error(&title) } else { title.clone() },
        section: page::PLATFORM.to_owned(),
        status: if problem.is_some() { 422 } else { 0 },
        ..About::default()
    };
    Ok(framed(visit, about, move || {
        let row = &found.row;
        let address = routes::policy(&row.workspace, &row.name, "");
        let rules = found.rules.iter().map(|rule| view! { <li>{rule.sentence.clone()}</li> }).collect_view();
        let has_rules = !found.rules.is_empty();
        let steps = vec![
            Crumb::link(texts::POLICIES, page::POLICIES.to_owned()),
            Crumb::link(row.title.clone(), address.clone()),
            Crumb::here(texts::DELETE),
        ];
        let referred = (!inside.referrers.is_empty()).then(|| texts::referred_by(&inside.referrers));
        let button = if inside.can_delete {
            view! { <SubmitButton label=title.clone() weight=Weight::Danger icon="trash-2"/> }.into_any()
        } else {
            let why = texts::cannot_delete_policies(&row.workspace);
            view! { <SubmitButton label=title.clone() weight=Weight::Danger icon="trash-2" why=why/> }.into_any()
        };
        let kept = (row.instances > 0).then(|| view! { " "{texts::RUNNING_UNTIL_ROLLED_OUT} });
        view! {
            <Crumbs steps=steps/>
            <PageHead title=title.clone()/>
            {referred.map(|text| view! { <Banner shape=Shape::Degraded title=text>""</Banner> })}
            <form method="post" action={actions::path::<DeletePolicy>()} novalidate class="card danger-zone">
                <HiddenToken token=token/>
                <input type="hidden" name="workspace" value=row.workspace.clone()/>
                <input type="hidden" name="name" value=row.name.clone()/>
                {has_rules.then(|| view! { <p>{texts::RULES_GO}</p><ul class="goes">{rules}</ul> })}
                <p>{texts::affected_now(row.instances)}{kept}</p>
                <p class="muted">{texts::DISABLE_INSTEAD}</p>
                <Text id="confirmation" name="confirmation" label=texts::type_to_confirm(&row.name) value=typed problem=problem focus=true/>
                <div class="submit-bar">{button}<LinkButton href=address label=texts::CANCEL/></div>
            </form>
        }
    }))
}
