//! The row of figures below what the request waits for: health, cost, age, last change, owner. The state is above it, in words and twice.

use leptos::prelude::*;
use promise::api::Health;

use crate::texts::request as texts;
use crate::ui::{Moment, person_name};
use crate::view::{Happening, RequestPage};

/// The row. What isn't known has no figure.
pub(super) fn row(page: &RequestPage, now: &str) -> impl IntoView + use<> {
    let row = &page.row;
    let figure = |name: &'static str, value: AnyView, beside: String| {
        let beside = (!beside.is_empty()).then(|| view! { <span class="subtle">{beside}</span> });
        view! { <div class="figure"><dt>{name}</dt><dd><b>{value}</b>{beside}</dd></div> }
    };
    let monthly = page.price.monthly.as_ref().map(|monthly| texts::a_month(monthly)).unwrap_or_default();
    let spent = (!page.spent.is_empty()).then(|| page.spent.join(", "));
    let cost = match (spent, &page.price.monthly) {
        (Some(spent), _) => Some(figure(texts::COST_THIS_MONTH, spent.into_any(), monthly)),
        (None, Some(price)) => Some(figure(texts::PRICE, price.clone().into_any(), texts::PER_MONTH.to_owned())),
        (None, None) => None,
    };
    let all = page.resources.len();
    let healthy = page.resources.iter().filter(|resource| resource.health == Health::Healthy).count();
    let applied = page.resources.iter().filter(|resource| resource.applied).count();
    let health = (all > 0).then(|| figure(texts::HEALTHY, texts::part_of(healthy, all).into_any(), texts::part_applied(applied, all)));
    let changes: Vec<&Happening> = page.timeline.iter().filter(|happening| !happening.no_change).collect();
    let last = changes
        .last()
        .filter(|_| changes.len() > 1)
        .map(|last| figure(texts::LAST_CHANGE, view! { <Moment at=last.at.clone() now=now/> }.into_any(), short(last)));
    let owner = (!row.requester.is_empty()).then(|| {
        let beside = if row.mine { texts::THIS_IS_YOU.to_owned() } else { String::new() };
        figure(texts::OWNER, person_name(&row.requester).into_any(), beside)
    });
    view! {
        <dl class="figures">
            {health}{cost}
            {figure(texts::CREATED, view! { <Moment at=row.created.clone() now=now/> }.into_any(), String::new())}
            {last}{owner}
        </dl>
    }
}

/// What happened last, without what follows a colon: the history has all of it.
fn short(last: &Happening) -> String {
    last.what.split(':').next().unwrap_or_default().to_owned()
}
