//! The tables of the page: sums, and the instances of one workspace.

use crate::view::{CostBy, CostInstance, CostPage, CostQuery, CostRow, InstanceStanding};
use leptos::prelude::*;

use super::{address, figures};
use crate::routes;
use crate::texts::cost as texts;
use crate::ui::person_name;

/// Sums by workspace, promise, project or requester.
pub(super) fn rows(found: &CostPage) -> impl IntoView + use<> {
    let current = found.is_current;
    let budgets = found.rows.iter().any(|row| row.budget.is_some());
    let lines = found.rows.iter().map(|row| line(found, row, budgets)).collect_view();
    let head = if found.by == CostBy::Workspace { texts::WITH_CHILD_WORKSPACES } else { texts::group(found.by) };
    view! {
        <div class="card"><table class="table money"><thead><tr>
            <th scope="col">{head}</th><th scope="col" class="num">{texts::INSTANCES}</th>
            {current.then(|| view! { <th scope="col" class="num">{texts::ESTIMATE}</th> })}
            <th scope="col" class="num">{texts::TO_DATE}</th><th scope="col" class="num">{texts::FORECAST}</th>
            {current.then(|| view! { <th scope="col" class="num">{texts::AGAINST_ESTIMATE}</th> })}
            {budgets.then(|| view! { <th scope="col" class="num">{texts::SHARE_OF_BUDGET}</th> })}
        </tr></thead><tbody>{lines}</tbody></table></div>
    }
}

fn line(found: &CostPage, row: &CostRow, budgets: bool) -> impl IntoView + use<> {
    let name = if found.by == CostBy::Workspace {
        let href = address(&CostQuery { workspace: row.value.clone(), ..found.query.anew() });
        view! { <a class="name mono" href=href>{row.label.clone()}</a> }.into_any()
    } else {
        view! { <span class="name">{row.label.clone()}</span> }.into_any()
    };
    // An empty cell is left out on narrow screens.
    let against = row.against_estimate().map(texts::percent_difference);
    let budget = row.budget.as_ref().map(|budget| match row.of_budget() {
        Some(percent) => texts::percent_of(percent, &budget.money),
        None if budget.whole => budget.money.to_string(),
        None => texts::part_of_budget(&budget.money),
    });
    view! {
        <tr>
            <th scope="row" data-depth=row.depth.min(6).to_string()>{name}</th>
            <td class="num" data-label=texts::INSTANCES>{row.instances}</td>
            {found.is_current.then(|| view! { <td class="num" data-label=texts::ESTIMATE>{row.estimate.as_ref().map(ToString::to_string)}</td> })}
            <td class="num" data-label=texts::TO_DATE>{row.to_date.rounded().to_string()}</td>
            <td class="num" data-label=texts::FORECAST>{row.forecast.rounded().to_string()}</td>
            {found.is_current.then(|| view! { <td class="num" data-label=texts::AGAINST_ESTIMATE>{against}</td> })}
            {budgets.then(|| view! { <td class="num" data-label=texts::SHARE_OF_BUDGET>{budget}</td> })}
        </tr>
    }
}

/// Instances of one workspace.
pub(super) fn instances(instances: &[CostInstance]) -> impl IntoView + use<> {
    let lines = instances.iter().map(|instance| {
        let left = |what: String| view! { <span class="name">{instance.name.clone()}</span><span class="under">{what}</span> }.into_any();
        let name = match &instance.standing {
            InstanceStanding::Requested => {
                view! { <a class="name" href=routes::request(&instance.workspace, &instance.namespace, &instance.name)>{instance.name.clone()}</a> }.into_any()
            }
            InstanceStanding::Orphaned { released_with } => left(texts::orphaned(released_with)),
            InstanceStanding::Gone => left(texts::DELETED.to_owned()),
        };
        let requester = texts::requested_by(&person_name(&instance.owner), &instance.project);
        let to_date = instance.to_date.as_ref().map_or_else(|| texts::NO_AMOUNT.to_owned(), |money| money.rounded().to_string());
        let estimate = instance.estimate.as_ref().map_or_else(|| texts::UNKNOWN.to_owned(), ToString::to_string);
        let unobserved = (instance.unobserved > 0).then(|| view! { <span class="under">{texts::not_observed(&figures::hours(instance.unobserved))}</span> });
        let estimate = (instance.standing != InstanceStanding::Gone).then_some(estimate);
        let basis = (!instance.basis.is_empty()).then(|| instance.basis.clone());
        view! {
            <tr>
                <th scope="row">{name}</th>
                <td data-label=texts::PROMISE><span>{instance.promise.clone()}</span><span class="under" title=instance.owner.clone()>{requester}</span></td>
                <td class="num" data-label=texts::PER_MONTH>{estimate}</td>
                <td class="num" data-label=texts::TO_DATE>{to_date}</td>
                <td class="num" data-label=texts::READY><span>{figures::hours(instance.ready)}</span>{unobserved}</td>
                <td data-label=texts::PRICE_SOURCE>{basis}</td>
            </tr>
        }
    });
    let lines = lines.collect_view();
    view! {
        <div class="card"><table class="table"><thead><tr><th scope="col">{texts::INSTANCE}</th><th scope="col">{texts::PROMISE}</th><th scope="col" class="num">{texts::PER_MONTH}</th><th scope="col" class="num">{texts::TO_DATE}</th><th scope="col" class="num">{texts::READY}</th><th scope="col">{texts::PRICE_SOURCE}</th></tr></thead><tbody>{lines}</tbody></table></div>
    }
}
