//! Outputs: addresses and names to copy, secrets hidden until they are revealed.

use crate::view::{OutputValue, RequestPage};
use leptos::prelude::*;
use promise::wording::humanise;

use super::usage::usage;
use super::{Revealed, identity};
use crate::actions::{self, RevealOutput};
use crate::texts::request as texts;
use crate::ui::{CopyButton, HiddenToken, Icon};

/// The card; nothing if the promise has no outputs.
pub(super) fn outputs(page: &RequestPage, token: &str, revealed: &Revealed) -> Option<impl IntoView + use<>> {
    let lines = page.outputs.iter().enumerate().map(|(index, output)| {
        let shown = revealed.as_ref().filter(|(name, _)| *name == output.name).map(|(_, value)| value.clone());
        let (id, secret) = (format!("output-{index}"), output.secret);
        let revealed = shown.is_some();
        let value = match shown.or_else(|| output.value.clone()) {
            Some(value) => {
                let note = revealed.then(|| view! { <span class="small subtle" data-hides="" hidden>{texts::HIDES_AGAIN}</span> });
                view! { <code class="break" id=id.clone()>{value}</code><CopyButton of=id what=output.name.clone()/>{note} }.into_any()
            }
            None if secret && output.there => hidden(page, output, token, &id).into_any(),
            None => view! { <span class="subtle">{texts::NOT_AVAILABLE_YET}</span> }.into_any(),
        };
        let title = humanise(&output.name);
        // An output that is called so needs no label.
        let label = (output.connection && title != texts::CONNECTION_STRING).then(|| view! { <span class="under">{texts::CONNECTION_STRING}</span> });
        view! { <div><dt>{title}{label}{(!output.description.is_empty()).then(|| view! { <span class="under">{output.description.clone()}</span> })}</dt><dd>{value}</dd></div> }
    });
    let lines = lines.collect_view();
    let there = page.outputs.iter().filter(|output| output.there).count();
    let basis = texts::outputs_available(there, page.outputs.len());
    (!page.outputs.is_empty()).then(|| view! { <section class="card" aria-labelledby="outputs"><div class="card-head"><h2 id="outputs">{texts::OUTPUTS}</h2><p class="basis">{basis}</p></div><dl class="outputs">{lines}</dl>{usage(page)}</section> })
}

fn hidden(page: &RequestPage, output: &OutputValue, token: &str, id: &str) -> AnyView {
    let row = &page.row;
    let dots = view! { <span class="dots" aria-hidden="true">"••••••••"</span><span class="vh">{texts::HIDDEN}</span> };
    if let Err(reason) = &page.allowed.reveal {
        let id = format!("{id}-why");
        return view! {
            {dots}<button class="btn btn-sm" type="button" aria-disabled="true" aria-describedby=id.clone()><Icon name="eye"/>{texts::REVEAL}<span class="vh">{format!(" {}", output.name)}</span></button><span class="why" id=id>{texts::disabled(reason)}</span>
        }
        .into_any();
    }
    view! {
        {dots}
        <form method="post" class="row" action={actions::path::<RevealOutput>()} data-reveal=id.to_owned()><HiddenToken token=token/>{identity(row)}<input type="hidden" name="output" value=output.name.clone()/><button class="btn btn-sm"><Icon name="eye"/>{texts::REVEAL}<span class="vh">{format!(" {}", output.name)}</span></button><button class="btn btn-sm copy" data-unseen="" aria-label=texts::copy_without_showing(&output.name)><Icon name="copy"/>{texts::COPY_WITHOUT_SHOWING}</button></form>
    }
    .into_any()
}
