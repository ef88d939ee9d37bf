//! `/platform/policies/{workspace}/{name}`: the rules of a policy, its scope, whom it affects, and its effect on sample values.

use crate::view::{Compiled, HitLine, PolicyInside, PolicyPage, PolicyRow, Tried, Tryout};
use leptos::prelude::*;
use promise::Result;
use promise::wording::humanise;

use super::{compiled, concerned, strength};
use crate::actions::{self, SwitchPolicy};
use crate::backend::{Sample, Visit};
use crate::document::{About, Page, Script, framed};
use crate::pages::rules;
use crate::routes::{self, page};
use crate::texts::platform as texts;
use crate::ui::{Banner, Code, Crumb, Crumbs, HiddenToken, Icon, LinkButton, Moment, PageHead, Shape, SubmitButton};

/// The page. `from` is the workspace from which someone followed one of its rules; `sample` are values to try.
pub async fn policy(visit: &Visit, workspace: &str, name: &str, from: &str, sample: Option<&Sample>) -> Result<Page> {
    let backend = visit.backend()?;
    let found = backend.policy(workspace, name, from, sample).await?;
    let (now, from, token) = (visit.now.clone(), from.to_owned(), backend.viewer().form_token);
    let about = About {
        title: found.row.title.clone(),
        section: page::PLATFORM.to_owned(),
        script: found.inside.is_some().then_some(Script::Copying),
        workspace: (!from.is_empty()).then(|| from.clone()),
        ..About::default()
    };
    Ok(framed(visit, about, move || {
        let row = &found.row;
        let edit = found.inside.as_ref().map(|inside| actions(row, inside, token));
        let meta = view! {
            {(row.title != row.name).then(|| view! { <span class="mono">{row.name.clone()}</span> })}
            <span>{texts::SET_AT}" "<span class="mono">{row.workspace.clone()}</span></span>
            {(!row.owner.is_empty()).then(|| view! { <span>{texts::by_owner(&row.owner)}</span> })}
            <span>{humanise(row.category.word())}</span>
            {strength(row)}
        };
        let inside = found.inside.clone();
        view! {
            <Crumbs steps=vec![Crumb::link(texts::POLICIES, page::POLICIES.to_owned()), Crumb::here(row.title.clone())]/>
            <PageHead title=row.title.clone() meta=meta.into_any() actions=edit.into_any()/>
            {broken(&row.compiled)}
            {off(&row.compiled)}
            {(!found.description.is_empty()).then(|| view! { <p class="lead">{found.description.clone()}</p> })}
            <div class="split">
                <div class="stack">
                    {said(&found)}
                    {inside.as_ref().map(|inside| view! {
                        {try_it(&found, &inside.tryout, &from)}
                        {outdated(inside, &now)}
                        {denials(inside, &now)}
                        {warned(inside, &now)}
                        {history(inside, &now)}
                        <section aria-labelledby="yaml"><div class="section-head"><h2 id="yaml">{texts::YAML}</h2>{inside.can_edit.then(|| view! { <p class="basis"><a href=routes::as_yaml(&routes::policy_edit(&found.row.workspace, &found.row.name))>{texts::EDIT_YAML}</a></p> })}</div><Code label=texts::POLICY text=inside.yaml.clone() copy=true/></section>
                    })}
                    {inside.is_none().then(|| view! { <p class="muted">{texts::only_readers_see(&found.row.workspace)}</p> })}
                </div>
                {range(&found)}
            </div>
        }
    }))
}

/// What the user can do with the policy. Without permission to change it, only that is explained.
fn actions(row: &PolicyRow, inside: &PolicyInside, token: String) -> AnyView {
    if !inside.can_edit {
        let why = texts::cannot_change_policies(&row.workspace);
        return view! { <SubmitButton label=texts::EDIT icon="pencil" why=why/> }.into_any();
    }
    let (label, disabled) = if row.compiled == Compiled::Off { (texts::ENABLE, "false") } else { (texts::DISABLE, "true") };
    let delete = if inside.can_delete {
        view! { <LinkButton href=routes::policy_delete(&row.workspace, &row.name) label=texts::DELETE icon="trash-2"/> }.into_any()
    } else {
        view! { <SubmitButton label=texts::DELETE icon="trash-2" why=texts::cannot_delete_policies(&row.workspace)/> }.into_any()
    };
    view! {
        <LinkButton href=routes::policy_edit(&row.workspace, &row.name) label=texts::EDIT icon="pencil"/>
        <form method="post" action={actions::path::<SwitchPolicy>()}>
            <HiddenToken token=token/>
            <input type="hidden" name="workspace" value=row.workspace.clone()/>
            <input type="hidden" name="name" value=row.name.clone()/>
            <input type="hidden" name="disabled" value=disabled/>
            <SubmitButton label=label/>
        </form>
        {delete}
    }
    .into_any()
}

/// What it means that the policy is disabled.
fn off(compiled: &Compiled) -> Option<impl IntoView + use<>> {
    (*compiled == Compiled::Off)
        .then(|| view! { <Banner shape=Shape::Ahead title=texts::POLICY_IS_DISABLED><p>{texts::DISABLED_TEXT}</p></Banner> })
}

/// Who changed what, when.
fn history(inside: &PolicyInside, now: &str) -> impl IntoView + use<> {
    let lines = inside.history.iter().map(|line| {
        let changes = line.changes.iter().map(|change| view! { <span class="under">{change.clone()}</span> }).collect_view();
        view! { <li><Icon name="pencil"/><div><p>{texts::deed(&line.by, &line.did)}</p>{changes}<span class="subtle"><Moment at=line.at.clone() now=now.to_owned()/></span></div></li> }
    });
    let (lines, none) = (lines.collect_view(), inside.history.is_empty());
    view! {
        <section aria-labelledby="history"><div class="section-head"><h2 id="history">{texts::HISTORY}</h2>{(!none).then(|| view! { <p class="basis">{texts::HISTORY_BASIS}</p> })}</div>
            {(!inside.history_known).then(|| view! { <p class="muted">{texts::HISTORY_UNKNOWN}</p> })}
            {if none { view! { <p class="muted">{texts::NO_HISTORY}</p> }.into_any() } else { view! { <div class="card"><ul class="rules">{lines}</ul></div> }.into_any() }}
        </section>
    }
}

/// Why the policy can't be applied, and what that means.
fn broken(compiled: &Compiled) -> Option<impl IntoView + use<>> {
    let Compiled::No(why) = compiled else { return None };
    let why = why.clone();
    Some(
        view! { <Banner shape=Shape::Failed title=texts::POLICY_CANNOT_BE_APPLIED><p>{why}</p><p>{texts::BLOCKED_UNTIL_FIXED}</p></Banner> },
    )
}

fn said(found: &PolicyPage) -> impl IntoView + use<> {
    let may_edit = found.inside.as_ref().is_some_and(|inside| inside.can_edit);
    let row = &found.row;
    let rules = found.rules.iter().enumerate().map(|(index, rule)| {
        let edit = (may_edit && rule.has_form).then(|| view! { " · "<a href=routes::policy_rule(&row.workspace, &row.name, index)>{texts::EDIT}<span class="vh">" "{texts::edit_rule(&rule.name)}</span></a> });
        view! { <li><Icon name="shield-check"/><div><p>{rule.sentence.clone()}</p><span class="subtle"><span class="mono">{rule.name.clone()}</span>{format!(" · {}", rule.kind)}{edit}</span></div></li> }
    });
    let rules = rules.collect_view();
    let none = found.rules.is_empty();
    view! {
        <section aria-labelledby="rules"><div class="section-head"><h2 id="rules">{texts::RULES}</h2><p class="basis">{texts::rules_in_plain_words(found.rules.len())}</p></div>
            {if none { view! { <p class="muted">{texts::NO_RULES}</p> }.into_any() } else { view! { <div class="card"><ul class="rules">{rules}</ul></div> }.into_any() }}
        </section>
    }
}

fn range(found: &PolicyPage) -> impl IntoView + use<> {
    let row = found.row.clone();
    let hits = found.inside.as_ref().map(|inside| hits(&inside.hits, inside.counted_in));
    view! {
        <aside class="rail" aria-label=texts::SCOPE>
            <section><h2>{texts::STATE}</h2>{compiled(&row.compiled)}</section>
            <section><h2>{texts::SCOPE}</h2><dl class="kv">
                <dt>{texts::SET_AT}</dt><dd class="mono">{row.workspace.clone()}</dd>
                <dt>{texts::PROMISES}</dt><dd>{found.for_promises.clone()}</dd>
                <dt>{texts::WORKSPACES}</dt><dd>{found.for_workspaces.clone()}</dd>
            </dl></section>
            {hits}
            {(!found.contact.is_empty()).then(|| view! { <section><h2>{texts::CONTACT}</h2><p class="small">{found.contact.trim_start_matches("mailto:").trim_start_matches("https://").to_owned()}</p></section> })}
        </aside>
    }
}

fn hits(hits: &[HitLine], counted_in: usize) -> impl IntoView + use<> {
    let instances: usize = hits.iter().map(|hit| hit.instances).sum();
    let lines = hits.iter().map(|hit| view! { <dt>{hit.title.clone()}<span class="under mono">{hit.home.clone()}</span></dt><dd>{texts::instances(hit.instances)}</dd> });
    let lines = lines.collect_view();
    let none = hits.is_empty();
    view! {
        <section><h2>{texts::AFFECTS}</h2>
            {if none { view! { <p class="small muted">{texts::AFFECTS_NOTHING}</p> }.into_any() } else { view! { <dl class="sums">{lines}</dl> }.into_any() }}
            <p class="small subtle">{texts::affected(instances, counted_in)}</p>
        </section>
    }
}

/// A form that shows the effect of this policy on values.
fn try_it(found: &PolicyPage, tryout: &Tryout, from: &str) -> impl IntoView + use<> {
    let options = |picks: &[crate::view::Pick]| {
        picks
            .iter()
            .map(|pick| view! { <option value=pick.value.clone() selected=pick.chosen>{pick.label.clone()}</option> })
            .collect_view()
    };
    let (promises, places) = (options(&tryout.promises), options(&tryout.places));
    let action = routes::policy(&found.row.workspace, &found.row.name, "");
    let came = tryout.tried.as_ref().map(|tried| came(tried, from));
    let rows = tryout.text.lines().count().clamp(4, 16).to_string();
    let (text, from, none) = (crate::form::area(&tryout.text), from.to_owned(), tryout.promises.is_empty() || tryout.places.is_empty());
    view! {
        <section aria-labelledby="try"><div class="section-head"><h2 id="try">{texts::TRY_IT}</h2><p class="basis">{texts::TRY_SAVES_NOTHING}</p></div>
            {if none {
                view! { <p class="muted">{texts::NOTHING_TO_TRY}</p> }.into_any()
            } else {
                view! {
                    <form class="card p-pad" action=format!("{action}#try")>
                        {(!from.is_empty()).then(|| view! { <input type="hidden" name="from" value=from.clone()/> })}
                        <div class="grid grid-cols-fit-56 gap-4">
                            <div class="field mt-0"><label for="try-promise">{texts::PROMISE}</label><div class="control"><select class="input" id="try-promise" name="promise">{promises}</select></div></div>
                            <div class="field mt-0"><label for="try-place">{texts::WORKSPACE}</label><div class="control"><select class="input" id="try-place" name="in">{places}</select></div></div>
                        </div>
                        <div class="field"><label for="try-text">{texts::VALUES}</label><p class="hint" id="try-hint">{texts::VALUES_HINT}</p>
                            <div class="control"><textarea class="input mono" id="try-text" name="try" rows=rows spellcheck="false" wrap="off" aria-describedby="try-hint">{text}</textarea></div></div>
                        <div class="row mt-4"><SubmitButton label=texts::TRY/></div>
                    </form>
                    {came}
                }.into_any()
            }}
        </section>
    }
}

fn came(tried: &Tried, from: &str) -> impl IntoView + use<> {
    if let Some(why) = tried.unreadable.clone() {
        return view! { <Banner shape=Shape::Failed title=texts::CANNOT_TRY><p>{why}</p></Banner> }.into_any();
    }
    let (shape, title) = if tried.passes { (Shape::Ready, texts::WOULD_PASS) } else { (Shape::Denied, texts::WOULD_BE_BLOCKED) };
    let problems = tried.problems.iter().map(|problem| view! { <li>{problem.clone()}</li> }).collect_view();
    let lines = rules::lines(&tried.lines, from);
    let (silent, stands) = (tried.lines.is_empty(), !tried.problems.is_empty());
    view! {
        <div class="mt-4" role="status">
            <Banner shape=shape title=title><p>{texts::ALL_POLICIES_CHECKED}</p>{stands.then(|| view! { <ul class="prose">{problems}</ul> })}</Banner>
            <h3 class="mb-2">{texts::EFFECT}</h3>
            {if silent { view! { <p class="muted">{texts::NO_EFFECT}</p> }.into_any() } else { view! { <div class="card">{lines}</div> }.into_any() }}
        </div>
    }
    .into_any()
}

fn outdated(inside: &PolicyInside, now: &str) -> Option<impl IntoView + use<>> {
    let basis = texts::part_of(inside.outdated.len(), inside.outdated_total);
    let lines = concerned(&inside.outdated, now);
    (!inside.outdated.is_empty()).then(|| view! {
        <section aria-labelledby="outdated"><div class="section-head"><h2 id="outdated">{texts::OUTDATED_INSTANCES}</h2><p class="basis">{basis}</p></div>
            <p class="muted">{texts::OUTDATED_INSTANCES_TEXT}</p>{lines}
        </section>
    })
}

fn denials(inside: &PolicyInside, now: &str) -> impl IntoView + use<> {
    let basis = texts::newest_first(inside.denials.len(), inside.denials_total);
    let none = inside.denials.is_empty();
    let lines = concerned(&inside.denials, now);
    view! {
        <section aria-labelledby="denials"><div class="section-head"><h2 id="denials">{texts::DENIED_REQUESTS}</h2>{(!none).then(|| view! { <p class="basis">{basis}</p> })}</div>
            {if none { view! { <p class="muted">{texts::NO_DENIALS}</p> }.into_any() } else { lines.into_any() }}
        </section>
    }
}

fn warned(inside: &PolicyInside, now: &str) -> impl IntoView + use<> {
    let basis = texts::newest_first(inside.warned.len(), inside.warned_total);
    let none = inside.warned.is_empty();
    let lines = concerned(&inside.warned, now);
    view! {
        <section aria-labelledby="warned"><div class="section-head"><h2 id="warned">{texts::WARNINGS}</h2>{(!none).then(|| view! { <p class="basis">{basis}</p> })}</div>
            <p class="muted">{texts::WARNINGS_TEXT}</p>
            {if none { view! { <p class="muted">{texts::NO_WARNINGS}</p> }.into_any() } else { lines.into_any() }}
        </section>
    }
}
