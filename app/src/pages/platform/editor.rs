//! The form of one rule of a policy, with the sentence that people read, its effect and the YAML beside it.

use crate::view::{PolicyForm, RuleEditor};
use leptos::prelude::*;
use promise::form::Summary;

use super::{effect, text};
use crate::actions::{self, SavePolicy};
use crate::form::{Fields, Problems, Text};
use crate::islands::Preflight;
use crate::routes;
use crate::texts::{drafts, forms, platform as texts, requests};
use crate::ui::{Code, HiddenToken, Icon, LinkButton, Shape, SubmitButton, Weight};

/// The form and its preview. `own` is the address of the page.
pub(super) fn form(form: &PolicyForm, rule: &RuleEditor, own: &str, back: &str, token: String, draft: String) -> impl IntoView + use<> {
    let kinds = rule.kinds.iter().map(|kind| view! { <option value=kind.value.clone() selected=kind.chosen>{kind.label.clone()}</option> });
    let kinds = kinds.collect_view();
    let name = form.name.is_none().then(|| {
        let problem = rule.name_problem.clone();
        view! { <Text id="name" name="/name" label=forms::NAME hint=texts::NAME_HINT value=rule.name.clone() problem=problem/> }
    });
    let label = if form.name.is_some() { texts::SAVE_POLICY } else { texts::CREATE_POLICY };
    view! {
        <div class="split">
            <form method="post" action={actions::path::<SavePolicy>()} novalidate class="form" id="request" data-preflight=routes::post::PREFLIGHT_POLICY>
                <HiddenToken token=token/>
                <input type="hidden" name="version" value=form.version.clone()/>
                <input type="hidden" name="draft" value=draft/>
                <input type="hidden" name="save" value=form.save.clone()/>
                // The Enter key presses the first button of a form, which is this one.
                <button class="vh" tabindex="-1" name="_op" value="check">{requests::CONTINUE}</button>
                <div id="fields">
                    <input type="hidden" name="text" value=form.text.clone()/>
                    <input type="hidden" name="rule" value=rule.index.to_string()/>
                    <input type="hidden" name="warned" value=form.warned.clone()/>
                    {rule.checked.then(|| view! { <input type="hidden" name="checked" value="1"/> })}
                    <fieldset class="group"><legend>{texts::RULE}</legend>
                    {text::place(form)}{name}
                    <div class="field"><label for="kind">{texts::KIND_OF_RULE}</label>
                        <div class="control"><select class="input w-m" id="kind" name="kind">{kinds}</select><button class="btn btn-sm unscripted" name="_op" value="change">{forms::APPLY}<span class="vh">" "{texts::KIND_OF_RULE}</span></button></div></div>
                    </fieldset>
                    <Fields form=rule.form.clone() focus=rule.focus.clone() workspace=form.workspace.clone()/>
                    {rules(form, rule)}
                </div>
                <div class="submit-bar">
                    <SubmitButton label=label weight=Weight::Primary name="_op" value="write"/>
                    <SubmitButton label=texts::CHECK name="_op" value="check"/>
                    <SubmitButton label=texts::EDIT_YAML name="_op" value="yaml"/>
                    <LinkButton href=back.to_owned() label=texts::CANCEL weight=Weight::Ghost/>
                </div>
            </form>
            {preview(form, rule, own)}
        </div>
    }
}

/// All rules, with buttons that open or remove one, and a button that adds one.
fn rules(form: &PolicyForm, editor: &RuleEditor) -> impl IntoView + use<> {
    let many = form.rules.len() > 1;
    let lines = form.rules.iter().enumerate().map(|(index, rule)| {
        let what = if rule.sentence.is_empty() { rule.name.clone() } else { rule.sentence.clone() };
        let open = match (index == editor.index, rule.has_form) {
            (true, _) => view! { <span class="subtle small">{texts::EDITED_NOW}</span> }.into_any(),
            (false, true) => view! { <button class="btn btn-sm" name="_op" value=format!("rule:{index}")>{texts::EDIT}<span class="vh">" "{texts::edit_rule(&rule.name)}</span></button> }.into_any(),
            (false, false) => view! { <span class="subtle small">{texts::NO_FORM}</span> }.into_any(),
        };
        let remove = many.then(|| view! { <button class="btn btn-sm btn-ghost" name="_op" value=format!("without:{index}") aria-label=texts::remove_rule(&rule.name)><Icon name="trash-2"/></button> });
        view! { <li><Icon name="shield-check"/><div><p>{what}</p><p class="row">{open}{remove}</p></div></li> }
    });
    let lines = lines.collect_view();
    view! {
        <fieldset class="group"><legend>{texts::ALL_RULES}</legend>
            {many.then(|| view! { <ul class="rules">{lines}</ul> })}
            <p class="mt-3"><button class="btn btn-sm" name="_op" value="new"><Icon name="plus"/>{texts::ADD_RULE}</button></p>
        </fieldset>
    }
}

/// What the rule says, what it would do, and its YAML.
fn preview(form: &PolicyForm, editor: &RuleEditor, own: &str) -> impl IntoView + use<> {
    let draft = form.saved.filter(|saved| *saved).map(|_| routes::with_query(own, &[("draft", &form.save)]));
    let sentence = form.rules.get(editor.index).map(|rule| rule.sentence.clone()).filter(|sentence| !sentence.is_empty());
    let (shape, said) = match sentence {
        Some(sentence) => (Shape::Ready, sentence),
        None => (Shape::Ahead, texts::INCOMPLETE.to_owned()),
    };
    let next = form.rules.get(editor.index).and_then(|rule| rule.next.clone()).map(|next| view! { <p class="small muted">{next}</p> });
    let saved =
        form.saved.map(|saved| view! { <p class="small subtle">{if saved { drafts::DRAFT_SAVED } else { drafts::DRAFT_NOT_SAVED }}</p> });
    let valid = form.checked.clone().map(|said| view! { <p class="small muted">{said}</p> });
    let effect = match &form.effect {
        Some(effect) => effect::effect(effect).into_any(),
        None => view! { <p class="small muted">{texts::EFFECT_UNKNOWN}</p> }.into_any(),
    };
    view! {
        <aside class="rail" aria-label=texts::PREVIEW id="preflight" data-draft=draft>
            <section class="verdict" data-st=shape.word()><h2>{texts::RULE}</h2>
                <div role="status"><p>{said}</p>{next}{valid}</div>
                <p class="small subtle typing" hidden>{requests::CHECKING}</p>
                <Preflight/>
                {saved}
                <div role="status"><p class="small" data-failed="offline" hidden>{drafts::CANT_CHECK}" "<button class="btn btn-sm" type="button" data-retry="">{drafts::TRY_AGAIN}</button></p><p class="small" data-failed="ended" hidden>{drafts::SIGNED_OUT}</p><p class="small" data-failed="other" hidden>{drafts::OTHER_SESSION}</p></div>
            </section>
            <section><h2>{texts::EFFECT_ON_INSTANCES}</h2>{effect}</section>
            {(!form.warnings.is_empty()).then(|| view! { <section>{effect::warnings(&form.warnings, false, form.problems.is_empty())}</section> })}
            <section><h2>{texts::YAML}</h2><Code label=texts::POLICY text=form.text.clone() copy=true/></section>
        </aside>
    }
}

/// Every problem of the rule.
pub(super) fn problems(editor: &RuleEditor) -> impl IntoView + use<> {
    let name = editor.name_problem.clone().map(|message| Summary { target: "name".to_owned(), message });
    let lines = name.into_iter().chain(editor.form.summary.iter().cloned()).collect();
    view! { <Problems title=texts::NOT_SAVED lines=lines focus=editor.focus.is_none()/> }
}
