//! Comments on a request, and the form to add one.

use crate::view::CommentLine;
use leptos::prelude::*;

use crate::actions::{self, Comment};
use crate::texts::approvals as texts;
use crate::ui::{HiddenToken, Moment, Person, SubmitButton};

/// The comments, oldest first. `typed` is one that wasn't saved.
pub(in crate::pages) fn thread(
    uid: &str,
    comments: &[CommentLine],
    typed: &str,
    back: &str,
    token: &str,
    now: &str,
) -> impl IntoView + use<> {
    let (none, opens) = (comments.is_empty(), !comments.is_empty() || !typed.is_empty());
    let typed = crate::form::area(typed);
    let lines = comments.iter().map(|comment| {
        view! { <li><p class="small row gap-1"><b><Person username=comment.by.clone()/></b><Moment at=comment.at.clone() now=now/></p><p class="said">{comment.text.clone()}</p></li> }
    });
    let lines = lines.collect_view();
    let (uid, back, token) = (uid.to_owned(), back.to_owned(), token.to_owned());
    view! {
        <section class="thread" aria-labelledby="thread"><h3 id="thread">{texts::COMMENTS}</h3>
            {(!none).then(|| view! { <ol>{lines}</ol> })}
            <details class="why" open=opens><summary>{texts::ADD_A_COMMENT}</summary><form method="post" action={actions::path::<Comment>()}><HiddenToken token=token/><input type="hidden" name="uid" value=uid/><input type="hidden" name="back" value=back/>
                <div class="field"><label for="remark">{texts::NEW_COMMENT}</label><p class="hint" id="remark-hint">{texts::NEW_COMMENT_HINT}</p><div class="control"><textarea class="input" id="remark" name="comment" rows="2" aria-describedby="remark-hint" required>{typed}</textarea></div></div>
                <SubmitButton label=texts::ADD_COMMENT/>
            </form></details>
        </section>
    }
}
