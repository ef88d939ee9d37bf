//! The tables of the page: sums, and the instances of one workspace.

use leptos::prelude::*;
use promise::view::{CostBy, CostInstance, CostPage, CostQuery, CostRow, InstanceStanding};

use super::{address, figures};
use crate::routes;

/// Sums by workspace, promise, project or person.
pub(super) fn rows(found: &CostPage) -> impl IntoView + use<> {
    let current = found.is_current;
    let budgets = found.rows.iter().any(|row| row.budget.is_some());
    let lines = found.rows.iter().map(|row| line(found, row, budgets)).collect_view();
    let head = match found.by {
        CostBy::Workspace => "Workspace, with those below it",
        CostBy::Promise => "Promise",
        CostBy::Project => "Project",
        CostBy::Owner => "Requester",
    };
    view! {
        <div class="card"><table class="table money"><thead><tr>
            <th scope="col">{head}</th><th scope="col" class="num">"Instances"</th>
            {current.then(|| view! { <th scope="col" class="num">"Estimate"</th> })}
            <th scope="col" class="num">"To date"</th><th scope="col" class="num">"Forecast"</th>
            {current.then(|| view! { <th scope="col" class="num">"Against estimate"</th> })}
            {budgets.then(|| view! { <th scope="col" class="num">"Of budget"</th> })}
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
    // A cell without anything is left out on narrow screens.
    let against = row.against_estimate().map(|percent| match percent {
        0 => "0 %".to_owned(),
        1.. => format!("+{percent} %"),
        _ => format!("−{} %", percent.unsigned_abs()),
    });
    let budget = row.budget.as_ref().map(|budget| match row.of_budget() {
        Some(percent) => format!("{percent} % of {}", budget.money),
        None if budget.whole => budget.money.to_string(),
        None => format!("part of {}", budget.money),
    });
    view! {
        <tr>
            <th scope="row" data-depth=row.depth.min(6).to_string()>{name}</th>
            <td class="num" data-label="Instances">{row.instances}</td>
            {found.is_current.then(|| view! { <td class="num" data-label="Estimate">{row.estimate.as_ref().map(ToString::to_string)}</td> })}
            <td class="num" data-label="To date">{row.to_date.rounded().to_string()}</td>
            <td class="num" data-label="Forecast">{row.forecast.rounded().to_string()}</td>
            {found.is_current.then(|| view! { <td class="num" data-label="Against estimate">{against}</td> })}
            {budgets.then(|| view! { <td class="num" data-label="Of budget">{budget}</td> })}
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
            InstanceStanding::Orphaned { released_with } => {
                left(format!("orphaned; counts until the platform team deletes the {released_with}"))
            }
            InstanceStanding::Gone => left("no longer there".to_owned()),
        };
        let project = if instance.project.is_empty() { String::new() } else { format!(", project {}", instance.project) };
        let to_date = instance.to_date.as_ref().map_or_else(|| "no amount".to_owned(), |money| money.rounded().to_string());
        let estimate = instance.estimate.as_ref().map_or_else(|| "unknown".to_owned(), ToString::to_string);
        let unobserved = (instance.unobserved > 0).then(|| view! { <span class="under">{format!("{} not observed", figures::hours(instance.unobserved))}</span> });
        let estimate = (instance.standing != InstanceStanding::Gone).then_some(estimate);
        let basis = (!instance.basis.is_empty()).then(|| instance.basis.clone());
        view! {
            <tr>
                <th scope="row">{name}</th>
                <td data-label="Promise"><span>{instance.promise.clone()}</span><span class="under">{format!("for {}{project}", instance.owner)}</span></td>
                <td class="num" data-label="A month">{estimate}</td>
                <td class="num" data-label="To date">{to_date}</td>
                <td class="num" data-label="Ready"><span>{figures::hours(instance.ready)}</span>{unobserved}</td>
                <td data-label="Price from">{basis}</td>
            </tr>
        }
    });
    let lines = lines.collect_view();
    view! {
        <div class="card"><table class="table money"><thead><tr><th scope="col">"Instance"</th><th scope="col">"Promise"</th><th scope="col" class="num">"A month"</th><th scope="col" class="num">"To date"</th><th scope="col" class="num">"Ready"</th><th scope="col">"Price from"</th></tr></thead><tbody>{lines}</tbody></table></div>
    }
}
