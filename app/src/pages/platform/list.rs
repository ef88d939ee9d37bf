//! `/platform/policies`: every policy that the person may read, with whom it hits.

use leptos::prelude::*;
use promise::Result;
use promise::view::{ConcernedLine, PoliciesPage, PoliciesQuery, PolicyColumn, PolicyRow};
use promise::wording::{counted, humanise};

use super::{compiled, concerned, strength, tabs};
use crate::backend::Visit;
use crate::document::{About, Page, framed};
use crate::listing::{Heading, Listing};
use crate::pages::requests::stale;
use crate::routes::{self, page};
use crate::ui::{Banner, Empty, LinkButton, PageHead, Shape, Weight};

/// The columns that people sort by.
const HEADINGS: [Heading<PolicyColumn>; 4] = [
    (PolicyColumn::Title, "Policy"),
    (PolicyColumn::Workspace, "Set at, range"),
    (PolicyColumn::Enforcement, "If broken"),
    (PolicyColumn::Instances, "Hits now"),
];

/// Sentences of a policy that a row shows.
const SENTENCES: usize = 2;

/// The page.
pub async fn list(visit: &Visit, query: &PoliciesQuery) -> Result<Page> {
    let backend = visit.backend()?;
    let found = backend.policies(query).await?;
    let (now, delivers) = (visit.now.clone(), backend.delivers().await);
    let about = About { title: "Policies".to_owned(), section: page::PLATFORM.to_owned(), ..About::default() };
    Ok(framed(visit, about, move || {
        let listing = Listing::new(page::POLICIES, &found.query);
        let new = found.writable.first().map(|place| {
            view! { <LinkButton href=routes::policy_new(place) label="New policy" icon="plus" weight=Weight::Primary/> }
        });
        view! {
            <PageHead title="Policies" meta=view! { <span>{summary(&found)}</span> }.into_any() actions=new.into_any()/>
            {tabs(page::POLICIES, delivers)}
            {found.as_of.clone().map(|at| stale(&at, &now))}
            {broken(&found.rows)}
            {listing.search("Policies", "Name, rule or field")}
            <nav class="row chip-rows" aria-label="Filters">
                {listing.facet("Category", "category", &found.categories)}
                {listing.facet("If broken", "enforcement", &found.enforcements)}
                {listing.facet("Set at", "workspace", &found.places)}
            </nav>
            <div class="section-head"><p class="basis">{format!("{} of {} policies that you may read. Instances are those that you may list.", found.fit, found.total)}</p><div class="sort-narrow">{listing.sort_menu(found.query.sort, "Workspace and name", &HEADINGS)}</div></div>
            {if found.rows.is_empty() { nothing(&found, &listing).into_any() } else { table(&found, &listing).into_any() }}
            {listing.pager(found.query.page, found.pages)}
            {priced(&found, &now)}
            {others(&found, &now)}
        }
    }))
}

fn summary(found: &PoliciesPage) -> String {
    match found.outdated {
        0 => "Rules that hold for what is asked for, wherever it is asked.".to_owned(),
        1 => "1 instance runs under an older text of a policy; nothing running changes by itself.".to_owned(),
        count => format!("{count} instances run under an older text of a policy; nothing running changes by itself."),
    }
}

/// Instances of which the price alone is another today: no policy has to do with that.
fn priced(found: &PoliciesPage, now: &str) -> Option<impl IntoView + use<>> {
    let why = "Their rules are those of today. They keep their price until somebody rolls that of today out, on the page of the request.";
    instances("priced", "Accepted at another price", why, &found.priced, found.priced_total, now)
}

/// Instances that are outdated by rules of which no policy has a page.
fn others(found: &PoliciesPage, now: &str) -> Option<impl IntoView + use<>> {
    let why = "What changed for them are rules of a policy that was removed, or of their promise itself.";
    instances("others", "Outdated by no policy that is there", why, &found.others, found.others_total, now)
}

/// A section of instances that stand under no policy of the list; none without them.
fn instances(
    id: &'static str,
    heading: &'static str,
    why: &'static str,
    lines: &[ConcernedLine],
    total: usize,
    now: &str,
) -> Option<impl IntoView + use<>> {
    let basis = format!("{} of {total}, newest first", lines.len());
    let is_empty = lines.is_empty();
    let lines = concerned(lines, now);
    (!is_empty).then(|| {
        view! {
            <section aria-labelledby=id><div class="section-head"><h2 id=id>{heading}</h2><p class="basis">{basis}</p></div>
                <p class="muted">{why}</p>{lines}
            </section>
        }
    })
}

/// Policies that fail closed are the first thing to know.
fn broken(rows: &[PolicyRow]) -> Option<impl IntoView + use<>> {
    let broken: Vec<String> =
        rows.iter().filter(|row| matches!(row.compiled, promise::view::Compiled::No(_))).map(|row| row.title.clone()).collect();
    let names = broken.join(", ");
    (!broken.is_empty()).then(|| view! {
        <Banner shape=Shape::Failed title="A policy cannot be applied"><p>{format!("Everything in the range of {names} is refused until it is mended.")}</p></Banner>
    })
}

fn table(found: &PoliciesPage, listing: &Listing) -> impl IntoView + use<> {
    let lines = found.rows.iter().map(|row| {
        let sentences = row.sentences.iter().take(SENTENCES).cloned().collect::<Vec<_>>().join(" ");
        let more = row.sentences.len().saturating_sub(SENTENCES);
        let more = (more > 0).then(|| view! { <span class="under">{format!("and {}", counted(more as u64, "more rule"))}</span> });
        let owner = if row.owner.is_empty() { String::new() } else { format!(", by {}", row.owner) };
        let outdated = (row.outdated > 0).then(|| view! { <span class="under">{format!("{} outdated", row.outdated)}</span> });
        view! {
            <tr>
                <th scope="row"><a class="name" href=routes::policy(&row.workspace, &row.name, "")>{row.title.clone()}</a><span class="under">{format!("{}{owner}", humanise(row.category.word()))}</span></th>
                <td data-label="What it says"><span>{sentences}</span>{more}</td>
                <td data-label="Set at"><span class="tag mono">{row.workspace.clone()}</span><span class="under">{row.range.clone()}</span></td>
                <td data-label="If broken">{strength(row)}</td>
                <td data-label="State">{compiled(&row.compiled)}</td>
                <td data-label="Hits now" class="nowrap"><span>{counted(row.instances as u64, "instance")}</span><span class="under">{format!("of {}", counted(row.promises as u64, "promise"))}</span>{outdated}</td>
            </tr>
        }
    });
    let lines = lines.collect_view();
    let [title, workspace, enforcement, instances] = HEADINGS.map(|heading| listing.heading(found.query.sort, heading));
    view! {
        <div class="card"><table class="table policies"><thead><tr>{title}<th scope="col">"What it says"</th>{workspace}{enforcement}<th scope="col">"State"</th>{instances}</tr></thead><tbody>{lines}</tbody></table></div>
    }
}

fn nothing(found: &PoliciesPage, listing: &Listing) -> impl IntoView + use<> {
    if found.total > 0 {
        return listing.nothing_fits("No policies match");
    }
    match found.writable.first() {
        Some(place) => { let new = routes::policy_new(place); view! { <Empty title="No policies yet" text="A policy is a set of rules for promises and workspaces. It is checked before it counts."><LinkButton href=new label="Write the first one" weight=Weight::Primary/></Empty> }.into_any() }
        None => view! { <Empty title="There is no policy that you may read" text="Which rules hold for a promise stands on its page and beside its form. Who sets policies for a workspace may read them here." shape=Shape::Denied><LinkButton href=page::WORKSPACES label="Workspaces"/></Empty> }.into_any(),
    }
}
