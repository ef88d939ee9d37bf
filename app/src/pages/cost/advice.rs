//! What differs from the month before, and what could be saved: each with a way to act.

use leptos::prelude::*;
use promise::view::{CostMover, CostMovers, CostPage, CostQuery, CostSaving, CostSavings, SavingWhy};
use promise::wording::counted;

use super::{address, figures};
use crate::routes;
use crate::ui::{Icon, LinkButton};

/// Both cards; nothing where neither is known.
pub(super) fn advice(found: &CostPage) -> impl IntoView + use<> {
    let movers = found.movers.as_ref().map(|movers| {
        let (query, previous) = (found.query.clone(), found.previous.clone());
        let to = move |mover: &CostMover| target(mover, &query, previous.as_deref());
        view! { <section class="card" aria-labelledby="moved"><div class="card-head"><h2 id="moved">{format!("Moved most since {}", movers.before)}</h2><span class="basis">{if found.is_current { "its total against this month's forecast" } else { "totals of both months" }}</span></div>{lines(movers, &to)}</section> }
    });
    let savings = found.savings.as_ref().map(savings);
    let shown = movers.is_some() || savings.is_some();
    shown.then(|| view! { <div class="pair money-part">{movers}{savings}</div> })
}

/// Differences as lines, each with where it leads.
pub(in crate::pages) fn lines(movers: &CostMovers, to: &dyn Fn(&CostMover) -> String) -> impl IntoView + use<> {
    if movers.lines.is_empty() {
        return view! { <p class="padded muted">"Nothing costs more or less than then."</p> }.into_any();
    }
    let lines = movers.lines.iter().map(|mover| {
        let change = mover.change();
        let (icon, way) = if change.micros > 0 { ("arrow-up", "more") } else { ("arrow-down", "less") };
        let was = if mover.before.micros == 0 { "nothing before".to_owned() } else { format!("{} before", mover.before.rounded()) };
        let comes = if mover.after.micros == 0 { "nothing now".to_owned() } else { format!("{} now", mover.after.rounded()) };
        view! {
            <li><Icon name=icon/><div><a class="name" href=to(mover)>{mover.label.clone()}</a><p class="what">{format!("{was}, {comes}")}</p></div>
                <div class="side"><b>{figures::signed(&change.rounded())}<span class="vh">{format!(" {way}")}</span></b><span class="subtle mono">{mover.workspace.clone()}</span></div></li>
        }
    });
    view! { <ul class="lines">{lines.collect_view()}</ul> }.into_any()
}

/// Where a difference leads: an instance to its page, a sum to what it is made of, what is gone to the month it was in.
fn target(mover: &CostMover, query: &CostQuery, previous: Option<&str>) -> String {
    if !mover.namespace.is_empty() {
        return routes::request(&mover.workspace, &mover.namespace, &mover.label);
    }
    let month = previous.filter(|_| mover.after.micros == 0).unwrap_or(&query.month).to_owned();
    address(&CostQuery { workspace: mover.workspace.clone(), by: String::new(), month, ..query.anew() })
}

fn savings(savings: &CostSavings) -> impl IntoView + use<> {
    let basis = format!(
        "dates of {}, other choices of the {} dearest; use is not seen here",
        counted(savings.instances as u64, "instance"),
        savings.priced
    );
    let lines = savings.lines.iter().map(saving).collect_view();
    let lines = if savings.lines.is_empty() {
        view! { <p class="padded muted">"Nothing has expired, nothing was left alone for 90 days, and no cheaper choice fits."</p> }
            .into_any()
    } else {
        view! { <ul class="lines">{lines}</ul> }.into_any()
    };
    view! { <section class="card" aria-labelledby="saved"><div class="card-head"><h2 id="saved">"Could be saved"</h2><span class="basis">{basis}</span></div>{lines}</section> }
}

fn saving(saving: &CostSaving) -> impl IntoView + use<> {
    let (workspace, namespace, name) = (&saving.workspace, &saving.namespace, &saving.name);
    let day = |at: &str| at.split('T').next().unwrap_or(at).to_owned();
    let (icon, title, text, href, label) = match &saving.why {
        SavingWhy::Expired(at) => (
            "archive",
            format!("{name} was to end on {}", day(at)),
            format!("It still runs; deleting it saves {} a month", saving.saves),
            routes::request_delete(workspace, namespace, name),
            "Delete",
        ),
        SavingWhy::Untouched(at) => (
            "eye",
            format!("{name} is as it was on {}", day(at)),
            format!("Nobody has changed it since. If nobody needs it, {} a month are saved", saving.saves),
            routes::request(workspace, namespace, name),
            "Review",
        ),
        SavingWhy::Cheaper(choice) => (
            "sliders-horizontal",
            format!("{name}: {choice}"),
            format!("Saves {} a month, if what it changes is enough for you", saving.saves),
            routes::request_edit(workspace, namespace, name),
            "Change",
        ),
    };
    let about = format!("{}, {workspace}", saving.promise);
    view! {
        <li><Icon name=icon/><div><b class="name">{title}</b><p class="what">{text}</p><p class="what subtle">{about}</p></div>
            <div class="side">{saving.allowed.then(|| view! { <LinkButton href=href label=label/> })}</div></li>
    }
}
