//! `/w/{workspace}/promises/{name}`: what the promise is, its fields, which policies apply, and its versions.

use crate::view::{AvailabilityState, FieldLine, PriceView, PromisePage};
use leptos::prelude::*;
use promise::{Result, wording};

use super::{availability, lifecycle};
use crate::backend::Visit;
use crate::document::{About, Page, framed};
use crate::markdown;
use crate::pages::rules;
use crate::routes;
use crate::texts::{catalog as texts, frame};
use crate::ui::{Banner, Code, Crumb, Crumbs, Icon, LinkButton, Moment, PageHead, Pager, Shape, SubmitButton, Tab, Tabs, Weight, paged};

/// Number of versions shown at once.
const VERSIONS: usize = 20;

/// Which part of a promise is shown, from the address; the address of a shadowed promise names its home.
#[derive(Clone, Copy, Debug, Default)]
pub struct Shown<'a> {
    /// Home of a shadowed promise.
    pub home: Option<&'a str>,
    /// `policies`, or nothing for the overview.
    pub tab: &'a str,
    /// Page of its versions, from 1.
    pub number: usize,
}

/// The page.
pub async fn promise(visit: &Visit, workspace: &str, name: &str, shown: Shown<'_>) -> Result<Page> {
    let Shown { home, tab, number } = shown;
    let backend = visit.backend()?;
    let page = backend.promise(workspace, name, home).await?;
    let of_policies = tab == "policies";
    let (workspace, home, now) = (workspace.to_owned(), home.map(str::to_owned), visit.now.clone());
    let about = About {
        title: page.row.display_name.clone(),
        workspace: Some(workspace.clone()),
        section: routes::catalog(&workspace),
        ..About::default()
    };
    Ok(framed(visit, about, move || {
        let row = page.row.clone();
        let request = routes::request_new(&workspace, &row.name, home.as_deref());
        let action = match row.availability.state {
            AvailabilityState::Available => view! { <LinkButton href=request label=texts::REQUEST weight=Weight::Primary icon="plus"/> }.into_any(),
            _ => view! { <SubmitButton label=texts::REQUEST weight=Weight::Primary why=row.availability.reason.clone().unwrap_or_else(|| texts::CANNOT_BE_REQUESTED.to_owned())/> }.into_any(),
        };
        let address = {
            let here = routes::promise(&workspace, &row.name, home.as_deref());
            Box::new(move |number: usize| format!("{}#versions", routes::with_query(&here, &[("page", &number.to_string())])))
        };
        let available = row.availability.state == AvailabilityState::Available;
        let start_at = |start: &str| available.then(|| routes::request_from(&workspace, &row.name, home.as_deref(), start));
        let meta = view! {
            <span>{texts::version(&row.version)}</span>
            <span>{texts::FROM}" "<span class="mono">{row.home.clone()}</span></span>
            {(!row.team.is_empty()).then(|| view! { <span>{texts::by_team(&row.team)}</span> })}
        };
        view! {
            <Crumbs steps=vec![Crumb::link(frame::CATALOG, routes::catalog(&workspace)), Crumb::here(row.display_name.clone())]/>
            <PageHead title=row.display_name.clone() icon=row.icon.clone() beside=lifecycle(&row).into_any() meta=meta.into_any() actions=action/>
            {page.deprecation.clone().map(|sentence| view! { <Banner shape=Shape::Degraded title=texts::DEPRECATED><p>{sentence}</p></Banner> })}
            {page.shadowed_by.clone().map(|nearer| view! { <Banner shape=Shape::Unknown title=texts::CLOSER_ONE_EXISTS><p>{texts::requests_use_closer(&nearer)}</p></Banner> })}
            <p class="lead">{row.summary.clone()}</p>
            <Tabs label=texts::sections_of(&row.display_name) tabs=vec![
                Tab { label: texts::OVERVIEW, href: routes::promise(&workspace, &row.name, home.as_deref()), count: None, current: !of_policies },
                Tab { label: texts::POLICIES, href: routes::promise_tab(&workspace, &row.name, home.as_deref(), "policies"), count: Some(page.policies.len()), current: of_policies },
            ]/>
            <div class="split">
                {if of_policies {
                    view! { <div class="stack">{policies(&page, &workspace).into_any()}</div> }.into_any()
                } else { view! { <div class="stack">
                    {(!page.description.is_empty()).then(|| view! { <section aria-labelledby="overview"><h2 id="overview">{texts::OVERVIEW}</h2><div class="prose" inner_html=markdown::render(without_title(&page.description, &row.display_name))></div></section> })}
                    {starts(&page, &start_at).into_any()}
                    {policies(&page, &workspace).into_any()}
                    {fields(&page.fields).into_any()}
                    {versions(&page, &now, number, address).into_any()}
                </div> }.into_any() }}
                {facts(&page).into_any()}
            </div>
        }
    }))
}

/// Returns the text without a title that repeats the name of the promise, because the page shows the name already.
fn without_title<'t>(text: &'t str, title: &str) -> &'t str {
    let rest = text.trim_start().strip_prefix("# ").and_then(|rest| rest.strip_prefix(title));
    rest.filter(|rest| rest.starts_with('\n')).unwrap_or(text)
}

fn fields(fields: &[FieldLine]) -> impl IntoView + use<> {
    let rows = fields.iter().map(|field| {
        let name = field.path.clone();
        view! {
            <tr><th scope="row"><span class="name">{field.label.clone()}</span><span class="under mono">{name}</span></th>
                <td data-label=texts::KIND>{texts::kind(&field.kind, field.required)}</td>
                <td data-label=texts::DEFAULT>{if field.default.is_empty() { "–".to_owned() } else { field.default.clone() }}</td>
                <td data-label=texts::ALLOWED>{field.allowed.clone()}{(!field.help.is_empty()).then(|| view! { <span class="under">{field.help.clone()}</span> })}</td></tr>
        }
    });
    let rows = rows.collect_view();
    view! {
        <section aria-labelledby="fields"><h2 id="fields">{texts::FIELDS}</h2>
            {if fields.is_empty() { view! { <p class="muted">{texts::NO_FIELDS}</p> }.into_any() } else { view! {
                <div class="card"><table class="table"><thead><tr><th scope="col">{texts::FIELD}</th><th scope="col">{texts::KIND}</th><th scope="col">{texts::DEFAULT}</th><th scope="col">{texts::ALLOWED}</th></tr></thead><tbody>{rows}</tbody></table></div>
            }.into_any() }}
        </section>
    }
}

fn policies(page: &PromisePage, workspace: &str) -> impl IntoView + use<> {
    let unknown = page.policies_unknown.clone();
    let lines = rules::lines(&page.policies, workspace);
    let none = page.policies.is_empty() && unknown.is_none();
    view! {
        <section aria-labelledby="rules"><h2 id="rules">{texts::EFFECTIVE_POLICIES}</h2>
            {unknown.map(|why| view! { <Banner shape=Shape::Unknown title=texts::SOME_POLICIES_UNREAD><p>{why}</p></Banner> })}
            {if none { view! { <p class="muted">{texts::NO_POLICIES}</p> }.into_any() } else { view! { <div class="card">{lines}</div> }.into_any() }}
        </section>
    }
}

/// Presets and examples; each opens the form filled in, where the user can request the promise.
fn starts(page: &PromisePage, form: &dyn Fn(&str) -> Option<String>) -> Option<impl IntoView + use<>> {
    let use_it = |start: &str, what: String| {
        form(start)
            .map(|href| view! { <p class="mt-auto pt-1.5 text-[.8125rem]"><a href=href aria-label=what>{texts::USE_THIS_EXAMPLE}</a></p> })
    };
    // A preset with the name of an example has less information than the example.
    let named = |title: &str| page.examples.iter().any(|example| example.name.eq_ignore_ascii_case(title));
    let presets = page.presets.iter().filter(|preset| !named(&preset.title)).map(|preset| {
        let name = preset.title.clone();
        view! { <li class="start"><h3>{name.clone()}</h3><p class="muted small">{preset.description.clone()}</p>{use_it(&preset.start, texts::use_example(&name))}</li> }
    });
    let examples = page.examples.iter().map(|example| {
        let name = example.name.clone();
        view! {
            <li class="start"><h3>{name.clone()}</h3><p class="muted small">{example.description.clone()}</p>
                <details class="why"><summary>{texts::VIEW_YAML}<span class="vh">{texts::of_example(&name)}</span></summary><Code label=texts::example(&name) text=example.yaml.clone()/></details>
                {use_it(&example.start, texts::use_example(&name))}
            </li>
        }
    });
    let (presets, examples) = (presets.collect_view(), examples.collect_view());
    let any = !page.examples.is_empty() || !page.presets.is_empty();
    let title = if form("").is_some() { texts::START_FROM_AN_EXAMPLE } else { texts::EXAMPLES };
    any.then(|| view! { <section aria-labelledby="examples"><h2 id="examples">{title}</h2><ul class="grid grid-cols-fill-44 gap-3">{presets}{examples}</ul></section> })
}

fn versions(page: &PromisePage, now: &str, number: usize, address: Box<dyn Fn(usize) -> String + Send>) -> impl IntoView + use<> {
    let (shown, number, pages) = paged(&page.versions, number, VERSIONS);
    let rows = shown.iter().map(|version| {
        view! { <tr><th scope="row">{version.version.clone()}{version.newest.then(|| view! { <span class="tag">{texts::NEWEST}</span> })}</th><td data-label=texts::PUBLISHED><Moment at=version.since.clone() now=now/></td><td data-label=texts::REVISION class="mono">{version.revision.clone()}</td></tr> }
    });
    let rows = rows.collect_view();
    view! {
        <section aria-labelledby="versions"><h2 id="versions">{texts::VERSIONS}</h2><div class="card"><table class="table"><thead><tr><th scope="col">{texts::VERSION}</th><th scope="col">{texts::PUBLISHED}</th><th scope="col">{texts::REVISION}</th></tr></thead><tbody>{rows}</tbody></table></div><Pager page=number pages=pages href=address/></section>
    }
}

/// Minimum price, its breakdown, and the next price; nothing if the promise has no price.
fn price(price: &PriceView, next: Option<&str>) -> Option<impl IntoView + use<>> {
    let lines = price.lines.iter().map(
        |line| view! { <dt>{line.name.clone()}</dt><dd>{line.monthly.clone().unwrap_or_else(|| texts::UNKNOWN_PRICE.to_owned())}</dd> },
    );
    let lines = lines.collect_view();
    let total = price
        .monthly
        .clone()
        .map(|monthly| view! { <p class="tabular-nums">{texts::PRICE_FROM}" "<b>{monthly}</b>" "{texts::PER_MONTH}</p> });
    let (unknown, basis, next) = (price.unknown.clone(), price.basis.clone(), next.map(str::to_owned));
    (!price.lines.is_empty()).then(|| {
        view! {
            <section><h2>{texts::PRICE_HERE}</h2>{total}{unknown.map(|why| view! { <p class="small muted">{why}</p> })}
                <p class="small subtle">{texts::WITH_DEFAULT_VALUES}</p><dl class="sums">{lines}</dl>
                {next.map(|next| view! { <p class="small">{next}</p> })}
                {(!basis.is_empty()).then(|| view! { <p class="small subtle">{basis}</p> })}
            </section>
        }
    })
}

/// A contact, as a link if it is an address.
fn contact(contact: &str) -> impl IntoView + use<> {
    reference(contact.trim_start_matches("mailto:").trim_start_matches("https://"), contact)
}

/// A link, if the address can be one: anyone who publishes a promise could write `javascript:`.
fn reference(words: &str, address: &str) -> AnyView {
    let words = words.to_owned();
    if address.starts_with("https://") || address.starts_with("mailto:") {
        view! { <li><a href=address.to_owned() rel="noopener noreferrer">{words}</a></li> }.into_any()
    } else {
        view! { <li>{words}</li> }.into_any()
    }
}

fn facts(page: &PromisePage) -> impl IntoView + use<> {
    let outputs = page.outputs.iter().map(|output| view! { <li><Icon name=if output.secret { "lock" } else { "check" }/><span>{wording::humanise(&output.name)}<span class="subtle">{output.description.clone()}</span></span></li> });
    let links = page.links.iter().map(|link| reference(&link.title, &link.url));
    let (outputs, links) = (outputs.collect_view(), links.collect_view());
    view! {
        <aside class="rail" aria-label=texts::DETAILS>
            {price(&page.price, page.next_price.as_deref())}
            <section><h2>{texts::AVAILABILITY}</h2>{availability(&page.row.availability)}{page.row.availability.reason.clone().map(|reason| view! { <p class="small muted">{reason}</p> })}</section>
            {(!page.outputs.is_empty()).then(|| view! { <section><h2>{texts::OUTPUTS}</h2><ul class="checks">{outputs}</ul></section> })}
            {(!page.links.is_empty() || !page.contact.is_empty()).then(|| view! { <section><h2>{texts::HELP}</h2><ul>{links}{(!page.contact.is_empty()).then(|| contact(&page.contact))}</ul></section> })}
        </aside>
    }
}
