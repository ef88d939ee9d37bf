//! The manifests of a request: every object as YAML, every line with its origin. A page of its own before the request is submitted, and a
//! part of the request afterwards.

use crate::view::{AddedLine, AddedObject, AddsPage, LineFrom, LineSide};
use leptos::prelude::*;
use promise::Result;

use crate::backend::{FormOf, Visit};
use crate::document::{About, Page, Script, framed};
use crate::routes;
use crate::texts::requests as texts;
use crate::ui::{CopyButton, Crumb, Crumbs, Empty, LinkButton, PageHead, Shape, Weight, person_name};

/// Which lines are shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OriginFilter(Option<LineFrom>);

/// Every origin with its word in addresses, its mark in the gutter and its name.
const ORIGINS: [(LineFrom, &str, &str, &str); 6] = [
    (LineFrom::You, "you", "Y", texts::YOU),
    (LineFrom::Default, "default", "D", texts::DEFAULT),
    (LineFrom::Policy, "policy", "R", texts::POLICY),
    (LineFrom::Promise, "promise", "P", texts::PROMISE),
    (LineFrom::Platform, "platform", "O", texts::PLATFORM),
    (LineFrom::Later, "later", "…", texts::KNOWN_AFTER_APPLY),
];

impl OriginFilter {
    /// Parses `origin` of the address; an unknown one shows all lines.
    pub fn parse(word: &str) -> Self {
        Self(ORIGINS.iter().find(|(_, known, _, _)| *known == word).map(|(origin, ..)| *origin))
    }

    fn shows(self, line: &AddedLine) -> bool {
        self.0.is_none_or(|origin| origin == line.origin)
    }
}

fn named(origin: LineFrom) -> (&'static str, &'static str, &'static str) {
    ORIGINS.iter().find(|(known, ..)| *known == origin).map_or(("", "", ""), |(_, word, mark, name)| (word, mark, name))
}

/// The page for what a draft holds, or for the form as it opens.
pub async fn adds(visit: &Visit, workspace: &str, of: FormOf<'_>, draft: Option<&str>, origin: &str) -> Result<Page> {
    let backend = visit.backend()?;
    let found = backend.adds(workspace, of, draft).await?;
    let draft = draft.unwrap_or_default();
    let address = |origin: &str| match of {
        FormOf::New { promise, home, .. } => routes::request_adds(workspace, promise, home, draft, origin),
        FormOf::Edit { namespace, name, .. } => routes::edit_adds(workspace, namespace, name, draft, origin),
    };
    let form = match of {
        FormOf::New { promise, home, .. } => routes::request_new(workspace, promise, home),
        FormOf::Edit { namespace, name, .. } => routes::request_edit(workspace, namespace, name),
    };
    let (form, filter) = (routes::with_query(&form, &[("draft", draft)]), OriginFilter::parse(origin));
    let legend = legend(&found, filter, &address);
    // A change belongs to the requests, a new request to the catalog.
    let (section, steps) = match of {
        FormOf::New { .. } => {
            let catalog = routes::catalog(workspace);
            let steps = vec![Crumb::link(texts::CATALOG, catalog.clone()), Crumb::link(found.title.clone(), form.clone())];
            (catalog, steps)
        }
        FormOf::Edit { namespace, name, .. } => {
            let (requests, request) = (routes::requests(workspace), routes::request(workspace, namespace, name));
            let steps = [(texts::REQUESTS, &requests), (name, &request), (texts::EDIT, &form)];
            (requests.clone(), steps.map(|(label, address)| Crumb::link(label, address.clone())).to_vec())
        }
    };
    let about = About {
        title: texts::MANIFEST_PREVIEW.to_owned(),
        workspace: Some(workspace.to_owned()),
        section,
        script: Some(Script::Copying),
        ..About::default()
    };
    let workspace = workspace.to_owned();
    Ok(framed(visit, about, move || {
        let meta = view! { <span>{summary(&found)}</span><span>{texts::IN}" "<span class="mono">{workspace.clone()}</span></span> };
        view! {
            <Crumbs steps=steps.into_iter().chain([Crumb::here(texts::MANIFEST_PREVIEW)]).collect()/>
            <PageHead title=texts::MANIFEST_PREVIEW icon=found.icon.clone() meta=meta.into_any() actions=view! { <LinkButton href=form.clone() label=texts::BACK_TO_FORM weight=Weight::Primary/> }.into_any()/>
            {legend}
            {objects(&found, filter, &workspace)}
        }
    }))
}

/// The same, as part of the page of a request.
pub(super) fn part(found: &AddsPage, filter: OriginFilter, workspace: &str, address: &dyn Fn(&str) -> String) -> impl IntoView + use<> {
    let title = if found.compared { texts::MANIFESTS_TODAY } else { texts::MANIFESTS };
    view! {
        <section aria-labelledby="adds"><div class="section-head"><h2 id="adds">{title}</h2><p class="basis">{summary(found)}</p></div>
            {legend(found, filter, address)}
            {objects(found, filter, workspace)}
        </section>
    }
}

fn summary(found: &AddsPage) -> String {
    let lines: usize = found.objects.iter().map(|object| object.lines.len()).sum();
    texts::manifests_summary(found.objects.len(), lines, found.compared)
}

/// Marks with their meaning and count; each is a link that shows only its lines.
fn legend(found: &AddsPage, filter: OriginFilter, address: &dyn Fn(&str) -> String) -> impl IntoView + use<> {
    let count = |origin: LineFrom| found.objects.iter().flat_map(|object| &object.lines).filter(|line| line.origin == origin).count();
    let all = view! { <li><a href=address("") aria-current=filter.0.is_none().then_some("true")>{texts::ALL_LINES}</a></li> };
    let requester = if found.requester.is_empty() { texts::YOU.to_owned() } else { person_name(&found.requester) };
    let links = ORIGINS.iter().filter(|(origin, ..)| count(*origin) > 0).map(|(origin, word, mark, name)| {
        let chosen = filter.0 == Some(*origin);
        let href = address(if chosen { "" } else { word });
        view! { <li><a href=href aria-current=chosen.then_some("true")><span class="mark" data-from=*word aria-hidden="true">{*mark}</span>{if *origin == LineFrom::You { requester.clone() } else { (*name).to_owned() }}<span class="n">{count(*origin)}</span></a></li> }
    });
    let links = links.collect_view();
    view! { <nav class="filters" aria-label=texts::ORIGINS><ul class="chips">{all}{links}</ul></nav> }
}

fn objects(found: &AddsPage, filter: OriginFilter, workspace: &str) -> AnyView {
    if let Some(why) = found.unknown.clone() {
        return view! { <Empty title=texts::MANIFESTS_UNAVAILABLE text=why shape=Shape::Unknown/> }.into_any();
    }
    let shown = found.objects.iter().enumerate().filter(|(_, one)| one.lines.iter().any(|line| filter.shows(line)));
    let shown = shown.map(|(index, one)| object(one, index, filter, workspace));
    let shown = shown.collect_view();
    let none = !found.objects.iter().any(|one| one.lines.iter().any(|line| filter.shows(line)));
    if none {
        return view! { <Empty title=texts::NO_LINES_FROM_ORIGIN text=texts::CHOOSE_ANOTHER_ORIGIN/> }.into_any();
    }
    view! { <div class="stack lg:[&_.adds-lines_th]:w-72">{shown}</div> }.into_any()
}

/// The lines of an object as a table; `shows` says whether the line at a position is shown.
pub(crate) fn lines(object: &AddedObject, shows: &dyn Fn(usize) -> bool, workspace: &str) -> impl IntoView + use<> {
    let mut number = 0;
    let mut before: Option<(LineFrom, String)> = None;
    let rows = object.lines.iter().enumerate().filter_map(|(at, line)| {
        number += usize::from(line.side != LineSide::Removed);
        if !shows(at) {
            return None;
        }
        let same = before.as_ref() == Some(&(line.origin, line.label.clone()));
        before = Some((line.origin, line.label.clone()));
        Some(row(line, number, same, workspace))
    });
    let rows = rows.collect_view();
    view! {
        <div class="adds-lines" tabindex="0" role="region" aria-label=texts::manifest_of(&object.title)><table aria-label=texts::manifest_of(&object.title)><thead class="vh"><tr><th scope="col">{texts::ORIGIN}</th><th scope="col">{texts::LINE}</th><th scope="col">{texts::TEXT}</th></tr></thead><tbody>{rows}</tbody></table></div>
    }
}

/// Objects that differ, whole.
pub(super) fn changed_objects(objects: &[AddedObject], workspace: &str) -> AnyView {
    let shown = objects.iter().enumerate().map(|(index, one)| object(one, index, OriginFilter::default(), workspace)).collect_view();
    view! { <div class="stack lg:[&_.adds-lines_th]:w-72">{shown}</div> }.into_any()
}

fn object(object: &AddedObject, index: usize, filter: OriginFilter, workspace: &str) -> impl IntoView + use<> {
    let id = format!("object-{index}");
    let place = if object.destination.is_empty() { String::new() } else { texts::at_destination(&object.destination) };
    let verb = side(object.side).1;
    let whole: Vec<&str> = object.lines.iter().filter(|line| line.side != LineSide::Removed).map(|line| line.text.as_str()).collect();
    let whole = whole.join("\n");
    let rows = lines(object, &|at| object.lines.get(at).is_some_and(|line| filter.shows(line)), workspace);
    view! {
        <section class="card" aria-labelledby=id.clone()>
            <div class="card-head"><h2 id=id.clone()>{object.title.clone()}" "<span class="subtle small">{place}</span></h2>
                <p class="row"><span class="basis">{texts::object_lines(verb, object.lines.len())}</span><CopyButton of=format!("{id}-yaml") what=object.title.clone()/></p></div>
            {(!object.why.is_empty()).then(|| view! { <p class="why adds-why">{object.why.clone()}</p> })}
            {rows}
            <pre hidden id=format!("{id}-yaml")>{whole}</pre>
        </section>
    }
}

/// Sign and word for an added or removed object or line.
pub(crate) fn side(side: LineSide) -> (&'static str, &'static str) {
    match side {
        LineSide::Kept => ("", ""),
        LineSide::Added => ("+", texts::ADDED),
        LineSide::Removed => ("−", texts::REMOVED),
    }
}

/// One line. Every line has the mark of its origin; the name of the origin is shown once for consecutive lines.
fn row(line: &AddedLine, number: usize, same: bool, workspace: &str) -> impl IntoView + use<> {
    let (word, mark, name) = named(line.origin);
    let (sign, change) = side(line.side);
    let label = if line.label.is_empty() { name.to_owned() } else { line.label.clone() };
    let also = (!line.also.is_empty()).then(|| texts::also(&line.also));
    let label = match &line.policy {
        Some((place, policy)) if !same => view! { <a href=routes::policy(place, policy, workspace)>{label}</a> }.into_any(),
        _ if same => view! { <span class="vh">{label}</span> }.into_any(),
        _ => view! { <span>{label}</span> }.into_any(),
    };
    let state = if sign.is_empty() { None } else { Some(change) };
    let number = if line.side == LineSide::Removed { String::new() } else { number.to_string() };
    view! {
        <tr data-from=word data-side=state>
            <th scope="row"><span class="mark" data-from=word aria-hidden="true">{mark}</span>{label}{also.map(|also| view! { <span class="also">{also}</span> })}</th>
            <td class="number">{number}</td>
            <td><code><span class="sign" aria-hidden="true">{sign}</span>{state.map(|state| view! { <span class="vh">{texts::line_change(state)}</span> })}{line.text.clone()}</code></td>
        </tr>
    }
}
