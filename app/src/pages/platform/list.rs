//! `/platform/policies`: every policy that the user can read, and whom it affects.

use crate::view::{ConcernedLine, PoliciesPage, PoliciesQuery, PolicyColumn, PolicyRow, SavedList};
use leptos::prelude::*;
use promise::Result;
use promise::wording::humanise;

use super::{compiled, concerned, strength, tabs};
use crate::backend::Visit;
use crate::document::{About, Page, framed};
use crate::listing::{Heading, Listing};
use crate::pages::requests::stale;
use crate::pages::views;
use crate::routes::{self, page};
use crate::texts::platform as texts;
use crate::ui::{Banner, Empty, LinkButton, PageHead, Shape, Weight};

/// The columns that people sort by.
const HEADINGS: [Heading<PolicyColumn>; 4] = [
    (PolicyColumn::Title, texts::POLICY),
    (PolicyColumn::Workspace, texts::SCOPE),
    (PolicyColumn::Enforcement, texts::ENFORCEMENT),
    (PolicyColumn::Instances, texts::AFFECTS),
];

/// Sentences of a policy that a row shows.
const SENTENCES: usize = 2;

/// The page; `deleted` are workspace and name of a policy that was just deleted.
pub async fn list(visit: &Visit, query: &PoliciesQuery, deleted: Option<(&str, &str)>) -> Result<Page> {
    let backend = visit.backend()?;
    let found = backend.policies(query).await?;
    let (now, delivers) = (visit.now.clone(), backend.delivers().await);
    let about = About { title: texts::POLICIES.to_owned(), section: page::PLATFORM.to_owned(), ..About::default() };
    let listing = Listing::new(page::POLICIES, &found.query);
    let views = backend.saved_views(SavedList::Policies, "", SavedList::Policies.filter(listing.pairs())).await;
    let token = backend.viewer().form_token;
    let deleted = deleted.map(|(workspace, name)| texts::deleted_policy(name, workspace));
    Ok(framed(visit, about, move || {
        let new = found.writable.first().map(|place| {
            view! { <LinkButton href=routes::policy_new(place) label=texts::NEW_POLICY icon="plus" weight=Weight::Primary/> }
        });
        view! {
            <PageHead title=texts::POLICIES meta=view! { <span>{texts::policies_summary(found.outdated)}</span> }.into_any() actions=new.into_any()/>
            {tabs(page::POLICIES, delivers)}
            {deleted.map(|title| view! { <div role="status"><Banner shape=Shape::Ready title=title><p>{texts::DELETED_TEXT}</p></Banner></div> })}
            {found.as_of.clone().map(|at| stale(&at, &now))}
            {broken(&found.rows)}
            {views::bar(&views, &token)}
            {listing.search(texts::POLICIES, texts::SEARCH_HINT)}
            {Listing::filter_rows([
                listing.facet(texts::CATEGORY, "category", &found.categories),
                listing.facet(texts::ENFORCEMENT, "enforcement", &found.enforcements),
                listing.facet(texts::SET_AT, "workspace", &found.places),
            ])}
            <div class="section-head"><p class="basis">{texts::policies_shown(found.fit, found.total)}</p><div class="sort-narrow">{listing.sort_menu(found.query.sort, texts::WORKSPACE_AND_NAME, &HEADINGS)}</div></div>
            {if found.rows.is_empty() { nothing(&found, &listing).into_any() } else { table(&found, &listing).into_any() }}
            {listing.pager(found.query.page, found.pages)}
            {priced(&found, &now)}
            {others(&found, &now)}
        }
    }))
}

/// Instances whose price changed since they were accepted, but not their rules.
fn priced(found: &PoliciesPage, now: &str) -> Option<impl IntoView + use<>> {
    instances("priced", texts::DIFFERENT_PRICE, texts::DIFFERENT_PRICE_TEXT, &found.priced, found.priced_total, now)
}

/// Instances that are outdated by rules of no policy in the list.
fn others(found: &PoliciesPage, now: &str) -> Option<impl IntoView + use<>> {
    instances("others", texts::OTHERWISE_OUTDATED, texts::OTHERWISE_OUTDATED_TEXT, &found.others, found.others_total, now)
}

/// A section of instances that belong to no policy of the list; none without them.
fn instances(
    id: &'static str,
    heading: &'static str,
    why: &'static str,
    lines: &[ConcernedLine],
    total: usize,
    now: &str,
) -> Option<impl IntoView + use<>> {
    let basis = texts::newest_first(lines.len(), total);
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

/// Policies that can't be applied block everything in their scope, so they come first.
fn broken(rows: &[PolicyRow]) -> Option<impl IntoView + use<>> {
    let broken: Vec<String> =
        rows.iter().filter(|row| matches!(row.compiled, crate::view::Compiled::No(_))).map(|row| row.title.clone()).collect();
    let (title, text) = (texts::policies_not_applied(broken.len()), texts::scope_blocked(&broken));
    (!broken.is_empty()).then(|| view! { <Banner shape=Shape::Failed title=title><p>{text}</p></Banner> })
}

fn table(found: &PoliciesPage, listing: &Listing) -> impl IntoView + use<> {
    let lines = found.rows.iter().map(|row| {
        let sentences = row.sentences.iter().take(SENTENCES).cloned().collect::<Vec<_>>().join(" ");
        let more = row.sentences.len().saturating_sub(SENTENCES);
        let more = (more > 0).then(|| view! { <span class="under">{texts::more_rules(more)}</span> });
        let category = texts::category_and_owner(&humanise(row.category.word()), &row.owner);
        let slug = (row.title != row.name).then(|| view! { <span class="mono">{row.name.clone()}</span>" · " });
        let outdated = (row.outdated > 0).then(|| view! { <span class="under">{texts::outdated(row.outdated)}</span> });
        view! {
            <tr>
                <th scope="row"><a class="name" href=routes::policy(&row.workspace, &row.name, "")>{row.title.clone()}</a><span class="under">{slug}{category}</span></th>
                <td class="min-w-56" data-label=texts::RULES><span>{sentences}</span>{more}</td>
                <td data-label=texts::SCOPE><span class="tag mono ms-0">{row.workspace.clone()}</span><span class="under">{row.range.clone()}</span></td>
                <td data-label=texts::ENFORCEMENT>{strength(row)}</td>
                <td data-label=texts::STATE>{compiled(&row.compiled)}</td>
                <td data-label=texts::AFFECTS class="nowrap"><span>{texts::instances(row.instances)}</span><span class="under">{texts::of_promises(row.promises)}</span>{outdated}</td>
            </tr>
        }
    });
    let lines = lines.collect_view();
    let [title, workspace, enforcement, instances] = HEADINGS.map(|heading| listing.heading(found.query.sort, heading));
    view! {
        <div class="card"><table class="table" aria-label=texts::POLICIES><thead><tr>{title}<th scope="col">{texts::RULES}</th>{workspace}{enforcement}<th scope="col">{texts::STATE}</th>{instances}</tr></thead><tbody>{lines}</tbody></table></div>
    }
}

fn nothing(found: &PoliciesPage, listing: &Listing) -> impl IntoView + use<> {
    if found.total > 0 {
        return listing.nothing_fits(texts::NO_POLICIES_MATCH);
    }
    match found.writable.first() {
        Some(place) => { let new = routes::policy_new(place); view! { <Empty title=texts::NO_POLICIES_YET text=texts::NO_POLICIES_YET_TEXT><LinkButton href=new label=texts::CREATE_POLICY weight=Weight::Primary/></Empty> }.into_any() }
        None => view! { <Empty title=texts::NO_ACCESS_TO_POLICIES text=texts::NO_ACCESS_TO_POLICIES_TEXT shape=Shape::Denied><LinkButton href=page::WORKSPACES label=texts::WORKSPACES/></Empty> }.into_any(),
    }
}
