//! `/w/{workspace}/promises/{name}`: what the promise is, its fields, which policies apply, its versions, and who uses it.

use crate::view::{AvailabilityState, InstancesPage, NeededFor, OfferRow, PriceView, PromisePage};
use leptos::prelude::*;
use promise::api::Lifecycle;
use promise::{Result, wording};

use super::favourites::Stars;
use super::{availability, lifecycle};
use crate::backend::Visit;
use crate::document::{About, Page, framed};
use crate::markdown;
use crate::pages::prices::source;
use crate::pages::{required, rules};
use crate::routes;
use crate::texts::{catalog as texts, frame};
use crate::ui::{Badge, Banner, Code, Crumb, Crumbs, Icon, LinkButton, PageHead, Shape, SubmitButton, Tab, Tabs, Weight};

mod fields;
mod instances;
mod versions;

/// A part of the page, as the address names it in `tab`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Part {
    /// What it is, and examples.
    #[default]
    Overview,
    /// Every field.
    Fields,
    /// Every policy that applies here.
    Policies,
    /// Every version, and what changed.
    Versions,
    /// Its instances.
    UsedBy,
}

impl Part {
    const ALL: [Self; 5] = [Self::Overview, Self::Fields, Self::Policies, Self::Versions, Self::UsedBy];

    /// Whether it is a table that needs the whole width.
    fn is_wide(self) -> bool {
        matches!(self, Self::Fields | Self::Versions | Self::UsedBy)
    }

    fn word(self) -> &'static str {
        match self {
            Self::Overview => "",
            Self::Fields => "fields",
            Self::Policies => "policies",
            Self::Versions => "versions",
            Self::UsedBy => "used-by",
        }
    }

    fn label(self) -> &'static str {
        match self {
            Self::Overview => texts::OVERVIEW,
            Self::Fields => texts::FIELDS,
            Self::Policies => texts::POLICIES,
            Self::Versions => texts::VERSIONS,
            Self::UsedBy => texts::USED_BY,
        }
    }
}

/// Which part of a promise is shown, from the address; the address of a shadowed promise names its home.
#[derive(Clone, Copy, Debug, Default)]
pub struct Shown<'a> {
    /// Home of a shadowed promise.
    pub home: Option<&'a str>,
    /// `fields`, `policies`, `versions`, `used-by`, or nothing for the overview.
    pub tab: &'a str,
    /// Page of its versions or instances, from 1.
    pub number: usize,
}

/// The page.
pub async fn promise(visit: &Visit, workspace: &str, name: &str, shown: Shown<'_>) -> Result<Page> {
    let Shown { home, tab, number } = shown;
    let part = Part::ALL.into_iter().find(|part| part.word() == tab).unwrap_or_default();
    let backend = visit.backend()?;
    let page = backend.promise(workspace, name, home).await?;
    let used = if part == Part::UsedBy { Some(backend.instances(workspace, name, home, number).await?) } else { None };
    let (workspace, home, now, stars) = (workspace.to_owned(), home.map(str::to_owned), visit.now.clone(), Stars::of(visit, workspace));
    let wanted = NeededFor::Form { promise: name.to_owned(), home: home.clone(), draft: None };
    let name = page.row.display_name.clone();
    let about = About {
        title: match part {
            Part::Overview => name,
            Part::UsedBy => texts::requests_of(&name),
            Part::Fields | Part::Policies | Part::Versions => texts::tab_of(part.label(), &name),
        },
        workspace: Some(workspace.clone()),
        section: routes::catalog(&workspace),
        ..About::default()
    };
    Ok(framed(visit, about, move || {
        let row = &page.row;
        let address = {
            let here = routes::promise_tab(&workspace, &row.name, home.as_deref(), part.word());
            Box::new(move |number: usize| routes::with_query(&here, &[("page", &number.to_string())]))
        };
        let content = match part {
            Part::Overview => overview(&page, &workspace, home.as_deref()).into_any(),
            Part::Fields => fields::part(&page, &workspace).into_any(),
            Part::Policies => policies(&page, &workspace).into_any(),
            Part::Versions => versions::part(&page, &now, number, address).into_any(),
            Part::UsedBy => used.as_ref().map(|used| instances::part(used, row, &workspace, &now, address)).into_any(),
        };
        view! {
            <Crumbs steps=vec![Crumb::link(frame::CATALOG, routes::catalog(&workspace)), Crumb::here(row.display_name.clone())]/>
            {head(&page, &workspace, home.as_deref(), &stars)}
            {required::missing(&page.required, &workspace, required::Way::Link(&wanted))}
            {page.deprecation.clone().map(|sentence| view! { <Banner shape=Shape::Degraded title=texts::DEPRECATED><p>{sentence}</p></Banner> })}
            {page.shadowed_by.clone().map(|nearer| view! { <Banner shape=Shape::Unknown title=texts::CLOSER_ONE_EXISTS><p>{texts::requests_use_closer(&nearer)}</p></Banner> })}
            <p class="lead">{row.summary.clone()}</p>
            {tabs(&page, used.as_ref(), &workspace, home.as_deref(), part)}
            {if part.is_wide() {
                content
            } else {
                view! { <div class="split"><div class="stack">{content}</div>{facts(&page)}</div> }.into_any()
            }}
            {stars.form()}
        }
    }))
}

/// Name, lifecycle, where it is from, and the button that requests it.
fn head(page: &PromisePage, workspace: &str, home: Option<&str>, stars: &Stars) -> impl IntoView + use<> {
    let row = &page.row;
    let request = match row.availability.state {
        AvailabilityState::Available => {
            let href = routes::request_new(workspace, &row.name, home);
            view! { <LinkButton href=href label=texts::REQUEST weight=Weight::Primary icon="plus"/> }.into_any()
        }
        _ => {
            let why = row.availability.reason.clone().unwrap_or_else(|| texts::CANNOT_BE_REQUESTED.to_owned());
            view! { <SubmitButton label=texts::REQUEST weight=Weight::Primary why=why/> }.into_any()
        }
    };
    let meta = view! {
        {(!row.unpublished).then(|| view! { <span>{texts::version(&row.version)}</span> })}
        {row.refused.as_ref().map(|refused| view! { <span>{texts::refused_version(refused, !row.unpublished && *refused == row.version)}</span> })}
        <span>{texts::FROM}" "<span class="mono">{row.home.clone()}</span></span>
        {(!row.team.is_empty()).then(|| view! { <span>{texts::by_team(&row.team)}</span> })}
        {row.ends.as_ref().map(|day| view! { <span>{texts::ends(day)}</span> })}
    };
    let is_published = row.lifecycle == Lifecycle::Published && !row.unpublished;
    let published = is_published.then(|| view! { <Badge shape=Shape::Ready word=texts::PUBLISHED/> });
    let beside = view! { {published}{lifecycle(row)} }.into_any();
    let actions = view! { {stars.button(row)}{request} }.into_any();
    view! { <PageHead title=row.display_name.clone() icon=row.icon.clone() beside=beside meta=meta.into_any() actions=actions/> }
}

fn tabs(page: &PromisePage, used: Option<&InstancesPage>, workspace: &str, home: Option<&str>, current: Part) -> impl IntoView + use<> {
    let count = |part| match part {
        Part::Overview => None,
        Part::Fields => Some(page.field_count),
        Part::Policies => Some(page.policies.len()),
        Part::Versions => Some(page.versions.len()),
        // Counting the instances of all workspaces is worth it only for their list.
        Part::UsedBy => used.map(|used| used.total),
    };
    let tab = |part: Part| {
        let href = routes::promise_tab(workspace, &page.row.name, home, part.word());
        Tab { label: part.label(), href, count: count(part), current: part == current }
    };
    view! { <Tabs label=texts::sections_of(&page.row.display_name) tabs=Part::ALL.map(tab).to_vec()/> }
}

fn overview(page: &PromisePage, workspace: &str, home: Option<&str>) -> impl IntoView + use<> {
    let row = &page.row;
    let available = row.availability.state == AvailabilityState::Available;
    let start_at = |start: &str| available.then(|| routes::request_from(workspace, &row.name, home, start));
    view! {
        {(!page.description.is_empty()).then(|| view! { <section aria-labelledby="overview"><h2 id="overview">{texts::OVERVIEW}</h2><div class="prose" inner_html=markdown::render(without_title(&page.description, &row.display_name))></div></section> })}
        {starts(page, &start_at)}
    }
}

/// Returns the text without a title that repeats the name of the promise, because the page shows the name already.
fn without_title<'t>(text: &'t str, title: &str) -> &'t str {
    let rest = text.trim_start().strip_prefix("# ").and_then(|rest| rest.strip_prefix(title));
    rest.filter(|rest| rest.starts_with('\n')).unwrap_or(text)
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
        form(start).map(|href| view! { <p class="small mt-auto"><a href=href aria-label=what>{texts::USE_THIS_EXAMPLE}</a></p> })
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
    any.then(|| view! { <section aria-labelledby="examples"><h2 id="examples">{title}</h2><ul class="grid grid-cols-fit-44 gap-3">{presets}{examples}</ul></section> })
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
    let (unknown, basis, next) = (price.unknown.clone(), source(&price.basis), next.map(str::to_owned));
    (!price.lines.is_empty()).then(|| {
        view! {
            <section><h2>{texts::PRICE_HERE}</h2>{total}{unknown.map(|why| view! { <p class="small muted">{why}</p> })}
                <p class="small subtle">{texts::WITH_DEFAULT_VALUES}</p><dl class="sums">{lines}</dl>
                {next.map(|next| view! { <p class="small">{next}</p> })}
                {basis.map(|basis| view! { <p class="small subtle">{basis}</p> })}
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
            {expectations(&page.row)}
            <section><h2>{texts::AVAILABILITY}</h2>{availability(&page.row.availability)}{page.row.availability.reason.clone().map(|reason| view! { <p class="small muted">{reason}</p> })}</section>
            {(!page.outputs.is_empty()).then(|| view! { <section><h2>{texts::OUTPUTS}</h2><ul class="checks">{outputs}</ul></section> })}
            {(!page.links.is_empty() || !page.contact.is_empty()).then(|| view! { <section><h2>{texts::HELP}</h2><ul>{links}{(!page.contact.is_empty()).then(|| contact(&page.contact))}</ul></section> })}
        </aside>
    }
}

/// How long instances here took, and how many run here.
fn expectations(row: &OfferRow) -> Option<impl IntoView + use<>> {
    let here = row.here?;
    let ready = here.ready_in.map(|ready| {
        view! { <dt>{texts::READY_IN}</dt><dd>{texts::about(ready.median)}<span class="subtle">{texts::median_of(ready.measured)}</span></dd> }
    });
    let running = (here.running > 0).then(|| view! { <dt>{texts::RUNNING_HERE}</dt><dd>{texts::running(here.running, here.older)}</dd> });
    (ready.is_some() || running.is_some())
        .then(|| view! { <section><h2>{texts::WHAT_TO_EXPECT}</h2><dl class="kv">{ready}{running}</dl></section> })
}

#[cfg(test)]
mod tests {
    use super::Part;

    #[test]
    fn each_part_has_an_address_of_its_own() {
        for part in Part::ALL {
            assert_eq!(Part::ALL.iter().filter(|other| other.word() == part.word()).count(), 1, "{part:?}");
        }
        assert_eq!(Part::default().word(), "", "the overview has the address of the promise");
    }
}
