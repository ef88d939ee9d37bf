//! What changed since the month before, and possible savings, each with a way to act.

use crate::view::{CostMover, CostMovers, CostPage, CostQuery, CostSaving, CostSavings, SavingWhy};
use leptos::prelude::*;

use super::address;
use crate::routes;
use crate::texts::cost as texts;
use crate::ui::{Icon, LinkButton, day};

/// Both cards; nothing if neither is known.
pub(super) fn advice(found: &CostPage) -> impl IntoView + use<> {
    let movers = found.movers.as_ref().map(|movers| {
        let (query, previous) = (found.query.clone(), found.against.as_ref().map(|month| month.month.clone()));
        let to = move |mover: &CostMover| target(mover, &query, previous.as_deref());
        view! { <section class="card" aria-labelledby="moved"><div class="card-head"><h2 id="moved">{texts::biggest_changes(&movers.before)}</h2><span class="basis">{if found.is_current { texts::total_and_forecast(&movers.before) } else { texts::TOTALS_OF_BOTH.to_owned() }}</span></div>{lines(movers, &to)}</section> }
    });
    let savings = found.savings.as_ref().map(savings);
    let shown = movers.is_some() || savings.is_some();
    shown.then(|| view! { <div class="grid grid-cols-fit-70 items-start gap-4 [&+&]:mt-8">{movers}{savings}</div> })
}

/// Differences as lines, each with a link.
pub(in crate::pages) fn lines(movers: &CostMovers, to: &dyn Fn(&CostMover) -> String) -> impl IntoView + use<> {
    if movers.lines.is_empty() {
        return view! { <p class="muted p-pad">{texts::NO_CHANGES}</p> }.into_any();
    }
    let lines = movers.lines.iter().map(|mover| {
        let change = mover.change();
        let (icon, way) = if change.micros > 0 { ("arrow-up", texts::MORE) } else { ("arrow-down", texts::LESS) };
        view! {
            <li><Icon name=icon/><div><a class="name" href=to(mover)>{mover.label.clone()}</a><p class="what">{texts::before_and_now(&mover.before, &mover.after)}</p></div>
                <div class="side"><b>{change.rounded().signed()}<span class="vh">{format!(" {way}")}</span></b><span class="subtle mono">{mover.workspace.clone()}</span></div></li>
        }
    });
    view! { <ul class="lines">{lines.collect_view()}</ul> }.into_any()
}

/// Returns where a difference links to: an instance to its page, a sum to its parts, something deleted to the month it was in.
fn target(mover: &CostMover, query: &CostQuery, previous: Option<&str>) -> String {
    if !mover.namespace.is_empty() {
        return routes::request(&mover.workspace, &mover.namespace, &mover.label);
    }
    let month = previous.filter(|_| mover.after.micros == 0).unwrap_or(&query.month).to_owned();
    address(&CostQuery { workspace: mover.workspace.clone(), by: String::new(), month, ..query.anew() })
}

fn savings(savings: &CostSavings) -> impl IntoView + use<> {
    let basis = texts::savings_basis(savings.instances, savings.priced);
    let lines = savings.lines.iter().map(saving).collect_view();
    let lines = if savings.lines.is_empty() {
        view! { <p class="muted p-pad">{texts::NO_SAVINGS}</p> }.into_any()
    } else {
        view! { <ul class="lines">{lines}</ul> }.into_any()
    };
    view! { <section class="card" aria-labelledby="saved"><div class="card-head"><h2 id="saved">{texts::SAVINGS}</h2><span class="basis">{basis}</span></div>{lines}</section> }
}

fn saving(saving: &CostSaving) -> impl IntoView + use<> {
    let (workspace, namespace, name) = (&saving.workspace, &saving.namespace, &saving.name);
    let (icon, title, text, href, label) = match &saving.why {
        SavingWhy::Expired(at) => (
            "archive",
            texts::was_due(name, &day(at)),
            texts::deleting_saves(&saving.saves),
            routes::request_delete(workspace, namespace, name),
            texts::DELETE,
        ),
        SavingWhy::Untouched(at) => (
            "eye",
            texts::unchanged_since(name, &day(at)),
            texts::deleting_unneeded_saves(&saving.saves),
            routes::request(workspace, namespace, name),
            texts::REVIEW,
        ),
        SavingWhy::Cheaper(choice) => (
            "sliders-horizontal",
            texts::cheaper_choice(name, choice),
            texts::changing_saves(&saving.saves),
            routes::request_edit(workspace, namespace, name),
            texts::CHANGE,
        ),
    };
    let about = format!("{}, {workspace}", saving.promise);
    view! {
        <li><Icon name=icon/><div><b class="name">{title}</b><p class="what">{text}</p><p class="what subtle">{about}</p></div>
            <div class="side"><LinkButton href=href label=label/></div></li>
    }
}
