//! The tables of the page: sums, and the instances of one workspace.

use crate::view::{CostBy, CostInstance, CostPage, CostRow, InstanceStanding, difference};
use leptos::prelude::*;

use super::chart::list;
use super::figures;
use crate::pages::prices::source;
use crate::routes;
use crate::texts::cost as texts;
use crate::ui::person_name;

/// Sums by workspace, team, promise, project or requester.
pub(super) fn rows(found: &CostPage) -> impl IntoView + use<> {
    let heads = Heads::of(found);
    let lines = found.rows.iter().map(|row| line(found, &heads, row)).collect_view();
    let head = if found.by == CostBy::Workspace { texts::WITH_CHILD_WORKSPACES } else { texts::group(found.by) };
    let column = |head: &Option<String>| head.clone().map(|head| view! { <th scope="col" class="num">{head}</th> });
    view! {
        <div class="card"><table class="table money" aria-label=texts::COST><thead><tr>
            <th scope="col">{head}</th>
            {found.is_current.then(|| view! { <th scope="col" class="num">{texts::ESTIMATE}</th> })}
            <th scope="col" class="num">{texts::TO_DATE}</th>
            {found.is_current.then(|| view! { <th scope="col" class="num">{texts::AGAINST_ESTIMATE}</th> })}
            {column(&heads.same_days)}
            <th scope="col" class="num">{heads.month}</th>
            {column(&heads.whole)}
            {heads.budgets.then(|| view! { <th scope="col" class="num">{heads.share}</th> })}
        </tr></thead><tbody>{lines}</tbody></table></div>
    }
}

/// Columns that not every page has.
struct Heads {
    /// The change since the same days of another month.
    same_days: Option<String>,
    /// All of that month.
    whole: Option<String>,
    budgets: bool,
    /// What the month comes to, and that beside the budget: a month that is over has no forecast.
    month: &'static str,
    share: &'static str,
}

impl Heads {
    fn of(found: &CostPage) -> Self {
        let against = found.against.as_ref();
        let (month, share) = match found.is_current {
            true => (texts::FORECAST, texts::SHARE_OF_BUDGET),
            false => (texts::TOTAL, texts::TOTAL_OF_BUDGET),
        };
        Self {
            month,
            share,
            same_days: against.filter(|month| month.days > 0).map(|month| texts::same_days_of(month.days, &month.title)),
            whole: against.map(|month| month.title.clone()),
            budgets: found.rows.iter().any(|row| row.budget.is_some()),
        }
    }
}

fn line(found: &CostPage, heads: &Heads, row: &CostRow) -> impl IntoView + use<> {
    let label = row.label.clone();
    let name = match (list(found, &row.value), found.by) {
        (Some(href), CostBy::Workspace) => view! { <a class="name mono" href=href>{label}</a> }.into_any(),
        (Some(href), _) => view! { <a class="name" href=href>{label}</a> }.into_any(),
        (None, CostBy::Workspace) => view! { <span class="name mono">{label}</span> }.into_any(),
        (None, _) => view! { <span class="name">{label}</span> }.into_any(),
    };
    // An empty cell is left out on narrow screens.
    let against = row.against_estimate().map(texts::percent_difference);
    let budget = row.budget.as_ref().map(|budget| match row.of_budget() {
        Some(percent) => texts::percent_of(percent, &budget.money),
        None if budget.whole => budget.money.to_string(),
        None => texts::part_of_budget(&budget.money),
    });
    let change = row.compared.as_ref().and_then(|compared| {
        let more = compared.days.minus(&compared.same_days)?.rounded();
        let percent = difference(&compared.days, &compared.same_days).map(texts::percent_difference);
        Some(view! { <span>{more.signed()}{percent.map(|percent| view! { <span class="under">{percent}</span> })}</span> })
    });
    let change = heads.same_days.clone().map(|head| view! { <td class="num" data-label=head>{change}</td> });
    let whole = row.compared.as_ref().map(|compared| compared.whole.rounded().to_string());
    let whole = heads.whole.clone().map(|head| view! { <td class="num" data-label=head>{whole}</td> });
    view! {
        <tr>
            <th scope="row" data-depth=row.depth.min(6).to_string()>{name}" "<span class="subtle small nowrap">{texts::instances(row.instances)}</span></th>
            {found.is_current.then(|| view! { <td class="num" data-label=texts::ESTIMATE>{row.estimate.as_ref().map(ToString::to_string)}</td> })}
            <td class="num" data-label=texts::TO_DATE>{row.to_date.rounded().to_string()}</td>
            {found.is_current.then(|| view! { <td class="num" data-label=texts::AGAINST_ESTIMATE>{against}</td> })}
            {change}
            <td class="num" data-label=heads.month>{row.forecast.rounded().to_string()}</td>
            {whole}
            {heads.budgets.then(|| view! { <td class="num" data-label=heads.share>{budget}</td> })}
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
        let basis = source(&instance.basis);
        view! {
            <tr>
                <th scope="row">{name}</th>
                <td data-label=texts::PROMISE><span>{instance.promise.clone()}</span><span class="under" title=instance.owner.clone()>{requester}</span></td>
                <td class="num" data-label=texts::PER_MONTH>{estimate}</td>
                <td class="num" data-label=texts::TO_DATE>{to_date}</td>
                <td class="num" data-label=texts::TIME_READY><span>{figures::hours(instance.ready)}</span>{unobserved}</td>
                <td data-label=texts::PRICE_SOURCE>{basis}</td>
            </tr>
        }
    });
    let lines = lines.collect_view();
    view! {
        <div class="card"><table class="table" aria-label=texts::INSTANCES_HERE><thead><tr><th scope="col">{texts::INSTANCE}</th><th scope="col">{texts::PROMISE}</th><th scope="col" class="num">{texts::PER_MONTH}</th><th scope="col" class="num">{texts::TO_DATE}</th><th scope="col" class="num">{texts::TIME_READY}</th><th scope="col">{texts::PRICE_SOURCE}</th></tr></thead><tbody>{lines}</tbody></table></div>
    }
}
