//! The form of a decision: it posts the content that the page shows.

use crate::view::{Asked, NextApproval};
use leptos::prelude::*;
use promise::DeniedReason;

use super::Again;
use crate::actions::{self, AskAgain, Decide, Withdraw};
use crate::texts::approvals as texts;
use crate::ui::{HiddenToken, Icon, Shape, SubmitButton};

/// Number of characters of a hash that are shown to users.
const SHORT: usize = 10;

/// What the form of a decision is about.
pub(in crate::pages) struct About<'a> {
    /// uid of the request.
    pub(in crate::pages) uid: &'a str,
    /// The content.
    pub(in crate::pages) hash: &'a str,
    /// What the user can decide on.
    pub(in crate::pages) asked: &'a [Asked],
    /// Values for which changes can be requested: path and label.
    pub(in crate::pages) fields: &'a [(String, String)],
    /// Whether it is about a run of an action.
    pub(in crate::pages) is_run: bool,
    /// The page to return to.
    pub(in crate::pages) back: &'a str,
    /// Where the buttons are.
    pub(in crate::pages) buttons: Buttons<'a>,
    /// A decision that was refused.
    pub(in crate::pages) again: Option<&'a Again>,
}

/// Where the buttons of the form are.
#[derive(Clone, Copy, Debug)]
pub(in crate::pages) enum Buttons<'a> {
    /// In the form.
    Inside,
    /// In the [`bar`] of the page, with what comes next.
    Bar(Option<&'a NextApproval>),
}

/// The buttons of the form, in a bar that stays in view while the user reads; nothing if the user can't decide as an approver.
pub(super) fn bar(about: &About<'_>) -> Option<impl IntoView + use<>> {
    let Buttons::Bar(next) = about.buttons else { return None };
    about.asked.first().filter(|asked| asked.ordinary)?;
    let after = next.map(|next| view! { <span class="basis">{texts::next_is(&next.name, next.left)}</span> });
    Some(view! {
        <div class="decide-bar">{buttons(next.is_some())}<a class="btn btn-ghost" href="#comment"><Icon name="pencil"/>{texts::COMMENT}</a>{after}</div>
    })
}

fn buttons(and_next: bool) -> impl IntoView {
    let approve = if and_next { texts::APPROVE_AND_NEXT } else { texts::APPROVE };
    view! {
        <button class="btn btn-primary" form="decide" name="decision" value="approve" data-key="a">{approve}</button>
        <button class="btn" form="decide" name="decision" value="requestChanges" data-key="c">{texts::REQUEST_CHANGES}</button>
        <button class="btn" form="decide" name="decision" value="reject" data-key="r">{texts::REJECT}</button>
    }
}

/// The form; nothing if the user has nothing to decide.
pub(in crate::pages) fn decide(about: &About<'_>, token: &str) -> Option<impl IntoView + use<>> {
    let first = about.asked.first()?;
    let (ordinary, breaks) = (first.ordinary, about.asked.iter().any(|asked| asked.emergency));
    let inside = ordinary && matches!(about.buttons, Buttons::Inside);
    let next = if let Buttons::Bar(next) = about.buttons { next } else { None };
    let typed = about.again.map(|again| again.vote.clone()).unwrap_or_default();
    let wrong = about.again.filter(|again| again.field == "comment").map(|again| again.why.clone());
    let rules = match about.asked {
        [only] => view! { <input type="hidden" name="rule" value=only.rule.clone()/> }.into_any(),
        several => rules(several, &typed.rule).into_any(),
    };
    let short: String = about.hash.chars().take(SHORT).collect();
    let applies_to = if about.is_run { texts::APPLIES_TO_RUN } else { texts::APPLIES_TO_CONTENT };
    let described = if wrong.is_some() { "comment-error" } else { "comment-hint" };
    Some(view! {
        <form class="decide" id="decide" method="post" action={actions::path::<Decide>()} aria-label=texts::DECISION>
            <HiddenToken token=token/><input type="hidden" name="uid" value=about.uid.to_owned()/>
            <input type="hidden" name="hash" value=about.hash.to_owned()/><input type="hidden" name="back" value=about.back.to_owned()/>
            {next.map(|next| view! { <input type="hidden" name="next" value=next.uid.clone()/> })}
            {rules}
            <div class="field" data-invalid=wrong.is_some().then_some("")><label for="comment">{texts::COMMENT}</label><p class="hint" id="comment-hint">{texts::COMMENT_HINT}</p>
                {wrong.clone().map(|wrong| view! { <p class="problem" id="comment-error">{Shape::Failed.svg()}{wrong}</p> })}
                <div class="control"><textarea class="input" id="comment" name="comment" rows="2" aria-describedby=described aria-invalid=wrong.is_some().then_some("true")>{crate::form::area(&typed.comment)}</textarea></div></div>
            {ordinary.then(|| fields(about.fields, &typed.fields))}
            {inside.then(|| view! { <div class="row">{buttons(false)}</div> })}
            {breaks.then(|| if about.asked.iter().all(|asked| asked.window) { change_now().into_any() } else { emergency(ordinary, typed.emergency).into_any() })}
            <p class="basis">{applies_to}" "<span class="mono">{short}</span></p>
        </form>
    })
}

/// Which of several approval rules the decision is about.
fn rules(asked: &[Asked], chosen: &str) -> impl IntoView + use<> {
    let choices = asked.iter().enumerate().map(|(index, one)| {
        let checked = one.rule == chosen || index == 0 && !asked.iter().any(|one| one.rule == chosen);
        view! { <label class="tick-line"><input type="radio" name="rule" value=one.rule.clone() checked=checked/>{one.title.clone()}</label> }
    });
    view! { <fieldset class="field"><legend>{texts::APPROVAL_RULE}</legend>{choices.collect_view()}</fieldset> }
}

/// Values for which changes can be requested.
fn fields(fields: &[(String, String)], named: &[String]) -> Option<impl IntoView + use<>> {
    let open = fields.iter().any(|(path, _)| named.contains(path));
    let choices = fields.iter().map(|(path, label)| {
        view! { <label class="tick-line"><input type="checkbox" name="field" value=path.clone() checked=named.contains(path)/>{label.clone()}</label> }
    });
    let choices = choices.collect_view();
    (!fields.is_empty()).then(
        || view! { <details class="why" open=open><summary>{texts::WHICH_VALUES}</summary><div class="row">{choices}</div></details> },
    )
}

/// The emergency override, for users who are allowed to use it; a separate button for users who can do nothing else.
fn emergency(ordinary: bool, checked: bool) -> impl IntoView + use<> {
    let way = if ordinary {
        view! { <label class="tick-line"><input type="checkbox" name="emergency" value="true" checked=checked/>{texts::APPROVE_AS_OVERRIDE}</label> }.into_any()
    } else {
        view! { <input type="hidden" name="emergency" value="true"/><button class="btn btn-danger" name="decision" value="approve">{texts::OVERRIDE_AND_APPROVE}</button> }.into_any()
    };
    view! {
        <details class="why" open=checked><summary>{texts::EMERGENCY}</summary>
            <p>{texts::EMERGENCY_TEXT}</p>
            {way}
        </details>
    }
}

/// The override of a window: the change is carried out now.
fn change_now() -> impl IntoView {
    view! {
        <input type="hidden" name="emergency" value="true"/>
        <p>{texts::CHANGE_NOW_TEXT}</p>
        <div class="row"><button class="btn btn-danger" name="decision" value="approve">{texts::CHANGE_NOW}</button></div>
    }
}

/// The button that starts a new approval; shown only to the requester, and not while the approval is open.
pub(in crate::pages) fn ask_again(
    uid: &str,
    back: &str,
    allowed: Option<&Result<(), DeniedReason>>,
    token: &str,
) -> Option<impl IntoView + use<>> {
    let why = allowed?.clone().err();
    let (uid, back, token) = (uid.to_owned(), back.to_owned(), token.to_owned());
    let button = match why {
        Some(why) => view! { <SubmitButton label=texts::RESUBMIT why=why.to_string()/> }.into_any(),
        None => view! { <SubmitButton label=texts::RESUBMIT/> }.into_any(),
    };
    Some(view! {
        <form class="row" method="post" action={actions::path::<AskAgain>()}><HiddenToken token=token/><input type="hidden" name="uid" value=uid/><input type="hidden" name="back" value=back/>
            {button}<span class="small muted">{texts::RESUBMIT_TEXT}</span>
        </form>
    })
}

/// The button that withdraws a request for approval; shown only to the requester.
pub(in crate::pages) fn withdraw(
    uid: &str,
    hash: &str,
    back: &str,
    allowed: Option<&Result<(), DeniedReason>>,
    token: &str,
) -> Option<impl IntoView + use<>> {
    let why = allowed?.clone().err();
    let (uid, hash, back, token) = (uid.to_owned(), hash.to_owned(), back.to_owned(), token.to_owned());
    let button = match why {
        Some(why) => view! { <SubmitButton label=texts::WITHDRAW why=why.to_string()/> }.into_any(),
        None => view! { <SubmitButton label=texts::WITHDRAW/> }.into_any(),
    };
    Some(view! {
        <form class="row" method="post" action={actions::path::<Withdraw>()}><HiddenToken token=token/><input type="hidden" name="uid" value=uid/>
            <input type="hidden" name="hash" value=hash/><input type="hidden" name="back" value=back/>
            {button}<span class="small muted">{texts::WITHDRAW_TEXT}</span>
        </form>
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn form(window: bool) -> String {
        let asked = Asked { rule: "acme/nights/hours".into(), title: "Nights".into(), ordinary: false, emergency: true, window };
        let (asked, buttons) = ([asked], Buttons::Inside);
        let about = About { uid: "u-1", hash: "ab12", asked: &asked, fields: &[], is_run: false, back: "/w", buttons, again: None };
        Owner::new_root(None).with(|| decide(&about, "token").into_view().to_html())
    }

    #[test]
    fn a_window_is_overridden_by_changing_now_and_approvers_by_approving() {
        let window = form(true);
        assert!(window.contains(texts::CHANGE_NOW) && !window.contains(texts::OVERRIDE_AND_APPROVE), "{window}");
        assert!(window.contains(r#"name="emergency" value="true""#) && window.contains(r#"name="decision" value="approve""#), "{window}");
        let approvers = form(false);
        assert!(approvers.contains(texts::OVERRIDE_AND_APPROVE) && !approvers.contains(texts::CHANGE_NOW), "{approvers}");
    }
}
