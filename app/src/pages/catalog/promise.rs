//! `/w/{workspace}/promises/{name}`: what it is, what it asks, which rules apply, which versions there are.

use leptos::prelude::*;
use promise::view::{AvailabilityState, FieldLine, PriceView, PromisePage};
use promise::{Result, wording};

use super::{availability, lifecycle};
use crate::backend::Visit;
use crate::document::{About, Page, framed};
use crate::markdown;
use crate::pages::rules;
use crate::routes;
use crate::ui::{Banner, Code, Crumb, Crumbs, Icon, LinkButton, Moment, PageHead, Pager, Shape, SubmitButton, Tab, Tabs, Weight, paged};

/// Versions that are shown at once.
const VERSIONS: usize = 20;

/// Which part of a promise is shown, as the address says it: of a shadowed promise the home is named.
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
            AvailabilityState::Available => view! { <LinkButton href=request label="Request" weight=Weight::Primary icon="plus"/> }.into_any(),
            _ => view! { <SubmitButton label="Request" weight=Weight::Primary why=row.availability.reason.clone().unwrap_or_else(|| "It cannot be requested here.".to_owned())/> }.into_any(),
        };
        let address = {
            let here = routes::promise(&workspace, &row.name, home.as_deref());
            Box::new(move |number: usize| format!("{}#versions", routes::with_query(&here, &[("page", &number.to_string())])))
        };
        let available = row.availability.state == AvailabilityState::Available;
        let start_at = |start: &str| available.then(|| routes::request_from(&workspace, &row.name, home.as_deref(), start));
        let meta = view! {
            <span>{format!("Version {}", row.version)}</span>
            <span>"from "<span class="mono">{row.home.clone()}</span></span>
            {(!row.team.is_empty()).then(|| view! { <span>{format!("by {}", row.team)}</span> })}
        };
        view! {
            <Crumbs steps=vec![Crumb::link("Catalog", routes::catalog(&workspace)), Crumb::here(row.display_name.clone())]/>
            <PageHead title=row.display_name.clone() icon=row.icon.clone() beside=lifecycle(&row).into_any() meta=meta.into_any() actions=action/>
            {page.deprecation.clone().map(|sentence| view! { <Banner shape=Shape::Degraded title="Deprecated"><p>{sentence}</p></Banner> })}
            {page.shadowed_by.clone().map(|nearer| view! { <Banner shape=Shape::Unknown title="A nearer promise has this name"><p>{format!("Requests of this workspace use the one of {nearer}.")}</p></Banner> })}
            <p class="lead">{row.summary.clone()}</p>
            <Tabs label=format!("Parts of {}", row.display_name) tabs=vec![
                Tab { label: "Overview", href: routes::promise(&workspace, &row.name, home.as_deref()), count: None, current: !of_policies },
                Tab { label: "Policies", href: routes::promise_tab(&workspace, &row.name, home.as_deref(), "policies"), count: Some(page.policies.len()), current: of_policies },
            ]/>
            <div class="split">
                {if of_policies {
                    view! { <div class="stack">{policies(&page, &workspace).into_any()}</div> }.into_any()
                } else { view! { <div class="stack">
                    {(!page.description.is_empty()).then(|| view! { <section aria-labelledby="overview"><h2 id="overview">"Overview"</h2><div class="prose" inner_html=markdown::render(without_title(&page.description, &row.display_name))></div></section> })}
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

/// A text that begins with the name of the promise as its title says it twice on this page.
fn without_title<'t>(text: &'t str, title: &str) -> &'t str {
    let rest = text.trim_start().strip_prefix("# ").and_then(|rest| rest.strip_prefix(title));
    rest.filter(|rest| rest.starts_with('\n')).unwrap_or(text)
}

fn fields(fields: &[FieldLine]) -> impl IntoView + use<> {
    let rows = fields.iter().map(|field| {
        let name = field.path.clone();
        view! {
            <tr><th scope="row"><span class="name">{field.label.clone()}</span><span class="under mono">{name}</span></th>
                <td data-label="Kind">{field.kind.clone()}{field.required.then_some(", required")}</td>
                <td data-label="Default">{if field.default.is_empty() { "–".to_owned() } else { field.default.clone() }}</td>
                <td data-label="Allowed">{field.allowed.clone()}{(!field.help.is_empty()).then(|| view! { <span class="under">{field.help.clone()}</span> })}</td></tr>
        }
    });
    let rows = rows.collect_view();
    view! {
        <section aria-labelledby="fields"><h2 id="fields">"What you fill in"</h2>
            {if fields.is_empty() { view! { <p class="muted">"Nothing: a name is enough."</p> }.into_any() } else { view! {
                <div class="card"><table class="table"><thead><tr><th scope="col">"Field"</th><th scope="col">"Kind"</th><th scope="col">"Default"</th><th scope="col">"Allowed"</th></tr></thead><tbody>{rows}</tbody></table></div>
            }.into_any() }}
        </section>
    }
}

fn policies(page: &PromisePage, workspace: &str) -> impl IntoView + use<> {
    let unknown = page.policies_unknown.clone();
    let lines = rules::lines(&page.policies, workspace);
    let none = page.policies.is_empty() && unknown.is_none();
    view! {
        <section aria-labelledby="rules"><h2 id="rules">"Rules that apply here"</h2>
            {unknown.map(|why| view! { <Banner shape=Shape::Unknown title="Not all rules can be seen"><p>{why}</p></Banner> })}
            {if none { view! { <p class="muted">"No policy concerns this promise in this workspace."</p> }.into_any() } else { view! { <div class="card">{lines}</div> }.into_any() }}
        </section>
    }
}

/// Starting points of the form, and examples; each opens the form filled in, where the person may ask.
fn starts(page: &PromisePage, form: &dyn Fn(&str) -> Option<String>) -> Option<impl IntoView + use<>> {
    let use_it = |start: &str, what: String| {
        form(start).map(|href| view! { <p class="start-foot"><a href=href aria-label=what>"Use this example"</a></p> })
    };
    // A preset with the name of an example says the same in less.
    let named = |title: &str| page.examples.iter().any(|example| example.name.eq_ignore_ascii_case(title));
    let presets = page.presets.iter().filter(|preset| !named(&preset.title)).map(|preset| {
        let name = preset.title.clone();
        view! { <li class="start"><h3>{name.clone()}</h3><p class="muted small">{preset.description.clone()}</p>{use_it(&preset.start, format!("Use this example: {name}"))}</li> }
    });
    let examples = page.examples.iter().map(|example| {
        let name = example.name.clone();
        view! {
            <li class="start"><h3>{name.clone()}</h3><p class="muted small">{example.description.clone()}</p>
                <details class="why"><summary>"As YAML"<span class="vh">{format!(", {name}")}</span></summary><Code label=format!("Example {name}") text=example.yaml.clone()/></details>
                {use_it(&example.start, format!("Use this example: {name}"))}
            </li>
        }
    });
    let (presets, examples) = (presets.collect_view(), examples.collect_view());
    let any = !page.examples.is_empty() || !page.presets.is_empty();
    let title = if form("").is_some() { "Start from an example" } else { "Examples" };
    any.then(|| view! { <section aria-labelledby="examples"><h2 id="examples">{title}</h2><ul class="starts">{presets}{examples}</ul></section> })
}

fn versions(page: &PromisePage, now: &str, number: usize, address: Box<dyn Fn(usize) -> String + Send>) -> impl IntoView + use<> {
    let (shown, number, pages) = paged(&page.versions, number, VERSIONS);
    let rows = shown.iter().map(|version| {
        view! { <tr><th scope="row">{version.version.clone()}{version.newest.then(|| view! { <span class="tag">"newest"</span> })}</th><td data-label="Published"><Moment at=version.since.clone() now=now/></td><td data-label="Revision" class="mono">{version.revision.clone()}</td></tr> }
    });
    let rows = rows.collect_view();
    view! {
        <section aria-labelledby="versions"><h2 id="versions">"Versions"</h2><div class="card"><table class="table"><thead><tr><th scope="col">"Version"</th><th scope="col">"Published"</th><th scope="col">"Revision"</th></tr></thead><tbody>{rows}</tbody></table></div><Pager page=number pages=pages href=address/></section>
    }
}

/// What it costs at least, how that adds up, and what it costs next; nothing where nobody charges.
fn price(price: &PriceView, next: Option<&str>) -> Option<impl IntoView + use<>> {
    let lines = price
        .lines
        .iter()
        .map(|line| view! { <dt>{line.name.clone()}</dt><dd>{line.monthly.clone().unwrap_or_else(|| "not known".to_owned())}</dd> });
    let lines = lines.collect_view();
    let total = price.monthly.clone().map(|monthly| view! { <p class="from">"from "<b>{monthly}</b>" a month"</p> });
    let (unknown, basis, next) = (price.unknown.clone(), price.basis.clone(), next.map(str::to_owned));
    (!price.lines.is_empty()).then(|| {
        view! {
            <section><h2>"Price in this workspace"</h2>{total}{unknown.map(|why| view! { <p class="small muted">{why}</p> })}
                <p class="small subtle">"With the proposed values:"</p><dl class="sums">{lines}</dl>
                {next.map(|next| view! { <p class="small">{next}</p> })}
                {(!basis.is_empty()).then(|| view! { <p class="small subtle">{basis}</p> })}
            </section>
        }
    })
}

/// An address to ask: a link where it is one.
fn contact(contact: &str) -> impl IntoView + use<> {
    reference(contact.trim_start_matches("mailto:").trim_start_matches("https://"), contact)
}

/// A link where the address may be one: anybody who publishes could write `javascript:`.
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
        <aside class="rail" aria-label="Facts">
            {price(&page.price, page.next_price.as_deref())}
            <section><h2>"Here"</h2>{availability(&page.row.availability)}{page.row.availability.reason.clone().map(|reason| view! { <p class="small muted">{reason}</p> })}</section>
            {(!page.outputs.is_empty()).then(|| view! { <section><h2>"What you get"</h2><ul class="checks">{outputs}</ul></section> })}
            {(!page.links.is_empty() || !page.contact.is_empty()).then(|| view! { <section><h2>"Questions"</h2><ul>{links}{(!page.contact.is_empty()).then(|| contact(&page.contact))}</ul></section> })}
        </aside>
    }
}
