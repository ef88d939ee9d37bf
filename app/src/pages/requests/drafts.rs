//! The user's drafts: continue, share or discard.

use crate::view::DraftLine;
use leptos::prelude::*;

use crate::actions::{self, DiscardDraft, ShareDraft};
use crate::routes::page;
use crate::texts::drafts as texts;
use crate::ui::{HiddenToken, Icon, Moment, Tile};

/// Number of drafts that are shown at once; the others are folded.
const SHOWN: usize = 3;

/// The section with all drafts of a list; nothing if there are none. `back` is the page that it is on.
pub(crate) fn drafts(lines: &[DraftLine], back: &str, token: &str, now: &str) -> Option<impl IntoView + use<>> {
    let mut rows = lines.iter().enumerate().map(|(index, line)| row(line, index, back, token, now).into_any());
    let first: Vec<AnyView> = rows.by_ref().take(SHOWN).collect();
    let others: Vec<AnyView> = rows.collect();
    let more = (!others.is_empty()).then(
        || view! { <details class="why"><summary>{texts::more(others.len())}</summary><ul class="card lines">{others}</ul></details> },
    );
    (!lines.is_empty()).then(|| view! { <section class="drafts" aria-labelledby="drafts"><div class="section-head"><h2 id="drafts">{texts::DRAFTS}</h2><p class="basis">{texts::DRAFTS_HINT}</p></div><ul class="card lines">{first}</ul>{more}</section> })
}

fn row(line: &DraftLine, index: usize, back: &str, token: &str, now: &str) -> impl IntoView + use<> {
    let name = if line.name.is_empty() { texts::UNNAMED.to_owned() } else { line.name.clone() };
    let what = if line.editing { texts::change_of(&line.promise) } else { texts::new(&line.promise) };
    let link = line.shared.clone().map(|address| shared(&address, index));
    let labels = (texts::share(line.shared.is_some(), &name), texts::discard(&name));
    let share = if line.shared.is_some() { texts::STOP_SHARING } else { texts::SHARE };
    // The list of a workspace is about that workspace.
    let place = (back == page::HOME).then(|| view! { <span class="subtle mono">{line.workspace.clone()}</span> });
    let (id, back, token) = (line.id.clone(), back.to_owned(), token.to_owned());
    view! {
        <li><Tile icon=line.icon.clone()/>
            <div><a class="name" href=line.address.clone()>{name}</a><p class="what">{what}" · "{texts::SAVED}" "<Moment at=line.saved.clone() now=now/></p>{link}</div>
            <div class="side">{place}
                <div class="row">
                    <a class="btn btn-sm" href=line.address.clone()>{texts::CONTINUE}</a>
                    <form method="post" action={actions::path::<ShareDraft>()}><HiddenToken token=token.clone()/><input type="hidden" name="id" value=id.clone()/><input type="hidden" name="shared" value=line.shared.is_none().to_string()/><input type="hidden" name="back" value=back.clone()/><button class="btn btn-sm" aria-label=labels.0>{share}</button></form>
                    <form method="post" action={actions::path::<DiscardDraft>()}><HiddenToken token=token/><input type="hidden" name="id" value=id/><input type="hidden" name="back" value=back/><button class="btn btn-sm btn-ghost" aria-label=labels.1><Icon name="trash-2"/>{texts::DISCARD}</button></form>
                </div>
            </div>
        </li>
    }
}

/// The address for other people; the button copies it with the name of the host.
fn shared(address: &str, index: usize) -> impl IntoView + use<> {
    let id = format!("draft-link-{index}");
    view! { <p class="small"><a id=id.clone() href=address.to_owned()>{texts::SHARED_LINK}</a><crate::ui::CopyButton of=id what=texts::SHARED_LINK/>" "<span class="subtle">{texts::SHARED_HINT}</span></p> }
}
