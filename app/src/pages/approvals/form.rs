//! The form of a decision: what is posted is the content that the page shows.

use leptos::prelude::*;
use promise::view::Asked;

use super::Again;
use crate::actions::{self, AskAgain, Decide, Withdraw};
use crate::ui::{HiddenToken, SubmitButton};

/// Letters of a hash that tell contents apart for people.
const SHORT: usize = 10;

/// What a decision is about.
pub(in crate::pages) struct About<'a> {
    /// uid of the request.
    pub(in crate::pages) uid: &'a str,
    /// The content.
    pub(in crate::pages) hash: &'a str,
    /// What the person may decide about.
    pub(in crate::pages) asked: &'a [Asked],
    /// Values that can be named: path and label.
    pub(in crate::pages) fields: &'a [(String, String)],
    /// Where it goes on afterwards.
    pub(in crate::pages) back: &'a str,
    /// A decision that was not taken.
    pub(in crate::pages) again: Option<&'a Again>,
}

/// The form; nothing where the person has nothing to decide.
pub(in crate::pages) fn decide(about: &About<'_>, token: &str) -> Option<impl IntoView + use<>> {
    let first = about.asked.first()?;
    let (ordinary, breaks) = (first.ordinary, about.asked.iter().any(|asked| asked.emergency));
    let typed = about.again.map(|again| again.vote.clone()).unwrap_or_default();
    let wrong = about.again.filter(|again| again.field == "comment").map(|again| again.why.clone());
    let rules = match about.asked {
        [only] => view! { <input type="hidden" name="rule" value=only.rule.clone()/> }.into_any(),
        several => rules(several, &typed.rule).into_any(),
    };
    let short: String = about.hash.chars().take(SHORT).collect();
    let described = if wrong.is_some() { "comment-error" } else { "comment-hint" };
    Some(view! {
        <form class="decide" id="decide" method="post" action={actions::path::<Decide>()} aria-label="Decision">
            <HiddenToken token=token/><input type="hidden" name="uid" value=about.uid.to_owned()/>
            <input type="hidden" name="hash" value=about.hash.to_owned()/><input type="hidden" name="back" value=about.back.to_owned()/>
            {rules}
            <div class="field" data-invalid=wrong.is_some().then_some("")><label for="comment">"Comment"</label><p class="hint" id="comment-hint">"Needed to reject or to ask. Whoever asked reads it."</p>
                {wrong.clone().map(|wrong| view! { <p class="error" id="comment-error">{wrong}</p> })}
                <div class="control"><textarea class="input" id="comment" name="comment" rows="2" aria-describedby=described aria-invalid=wrong.is_some().then_some("true")>{crate::form::area(&typed.comment)}</textarea></div></div>
            {ordinary.then(|| fields(about.fields, &typed.fields))}
            {ordinary.then(|| view! { <div class="row">
                <button class="btn btn-primary" name="decision" value="approve" data-key="a">"Approve this content"</button>
                <button class="btn" name="decision" value="requestChanges" data-key="c">"Ask for changes"</button>
                <button class="btn" name="decision" value="reject" data-key="r">"Reject"</button>
            </div> })}
            {breaks.then(|| emergency(ordinary, typed.emergency))}
            <p class="basis">"It counts for content "<span class="mono">{short}</span>" alone: values, version, rules, price, and its deletion policy, expiry and upgrades."</p>
        </form>
    })
}

/// Which of several questions is answered.
fn rules(asked: &[Asked], chosen: &str) -> impl IntoView + use<> {
    let choices = asked.iter().enumerate().map(|(index, one)| {
        let checked = one.rule == chosen || index == 0 && !asked.iter().any(|one| one.rule == chosen);
        view! { <label class="tick-line"><input type="radio" name="rule" value=one.rule.clone() checked=checked/>{one.title.clone()}</label> }
    });
    view! { <fieldset class="field"><legend>"Which question"</legend>{choices.collect_view()}</fieldset> }
}

/// Values that a wish for changes may name.
fn fields(fields: &[(String, String)], named: &[String]) -> Option<impl IntoView + use<>> {
    let open = fields.iter().any(|(path, _)| named.contains(path));
    let choices = fields.iter().map(|(path, label)| {
        view! { <label class="tick-line"><input type="checkbox" name="field" value=path.clone() checked=named.contains(path)/>{label.clone()}</label> }
    });
    let choices = choices.collect_view();
    (!fields.is_empty()).then(|| view! { <details class="why" open=open><summary>"Which values should change?"</summary><div class="row">{choices}</div></details> })
}

/// Approving in the place of everybody who is asked, for those who have the right; who can do nothing else has a button of its own.
fn emergency(ordinary: bool, checked: bool) -> impl IntoView + use<> {
    let way = if ordinary {
        view! { <label class="tick-line"><input type="checkbox" name="emergency" value="true" checked=checked/>"Approve in an emergency"</label> }.into_any()
    } else {
        view! { <input type="hidden" name="emergency" value="true"/><button class="btn btn-danger" name="decision" value="approve">"Approve in an emergency"</button> }.into_any()
    };
    view! {
        <details class="why" open=checked><summary>"An emergency?"</summary>
            <p>"It approves in the place of everybody who is asked. It is recorded, and everybody concerned is told. A comment is needed."</p>
            {way}
        </details>
    }
}

/// The button by which a question is asked once more; nothing for those who did not ask it, and while it is open.
pub(in crate::pages) fn ask_again(
    uid: &str,
    back: &str,
    allowed: Option<&Result<(), String>>,
    token: &str,
) -> Option<impl IntoView + use<>> {
    let why = allowed?.clone().err();
    let (uid, back, token) = (uid.to_owned(), back.to_owned(), token.to_owned());
    let button = match why {
        Some(why) => view! { <SubmitButton label="Resubmit" why=why/> }.into_any(),
        None => view! { <SubmitButton label="Resubmit"/> }.into_any(),
    };
    Some(view! {
        <form class="row" method="post" action={actions::path::<AskAgain>()}><HiddenToken token=token/><input type="hidden" name="uid" value=uid/><input type="hidden" name="back" value=back/>
            {button}<span class="small muted">"Approvers are asked again, under the policies of today. Earlier decisions don't count."</span>
        </form>
    })
}

/// The button by which a question is taken back; nothing for those who did not ask it.
pub(in crate::pages) fn withdraw(
    uid: &str,
    hash: &str,
    back: &str,
    allowed: Option<&Result<(), String>>,
    token: &str,
) -> Option<impl IntoView + use<>> {
    let why = allowed?.clone().err();
    let (uid, hash, back, token) = (uid.to_owned(), hash.to_owned(), back.to_owned(), token.to_owned());
    let button = match why {
        Some(why) => view! { <SubmitButton label="Take it back" why=why/> }.into_any(),
        None => view! { <SubmitButton label="Take it back"/> }.into_any(),
    };
    Some(view! {
        <form class="row" method="post" action={actions::path::<Withdraw>()}><HiddenToken token=token/><input type="hidden" name="uid" value=uid/>
            <input type="hidden" name="hash" value=hash/><input type="hidden" name="back" value=back/>
            {button}<span class="small muted">"Nobody is asked any more. What runs goes on."</span>
        </form>
    })
}
