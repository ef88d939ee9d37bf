//! What people remarked about a request, and the form to remark something.

use leptos::prelude::*;
use promise::view::CommentLine;

use crate::actions::{self, Comment};
use crate::ui::{HiddenToken, Moment, SubmitButton};

/// The remarks, oldest first.
pub(in crate::pages) fn thread(uid: &str, comments: &[CommentLine], back: &str, token: &str, now: &str) -> impl IntoView + use<> {
    let none = comments.is_empty();
    let lines = comments.iter().map(|comment| {
        view! { <li><p class="small"><b>{comment.by.clone()}</b>" "<Moment at=comment.at.clone() now=now/></p><p class="said">{comment.text.clone()}</p></li> }
    });
    let lines = lines.collect_view();
    let (uid, back, token) = (uid.to_owned(), back.to_owned(), token.to_owned());
    view! {
        <section class="thread" aria-labelledby="thread"><h3 id="thread">"Remarks"</h3>
            {(!none).then(|| view! { <ol>{lines}</ol> })}
            <details class="why" open=!none><summary>"Add a remark"</summary><form method="post" action={actions::path::<Comment>()}><HiddenToken token=token/><input type="hidden" name="uid" value=uid/><input type="hidden" name="back" value=back/>
                <div class="field"><label for="remark">"Remark"</label><p class="hint" id="remark-hint">"Everybody who may see the request reads it."</p><div class="control"><textarea class="input" id="remark" name="comment" rows="2" aria-describedby="remark-hint" required></textarea></div></div>
                <SubmitButton label="Add remark"/>
            </form></details>
        </section>
    }
}
