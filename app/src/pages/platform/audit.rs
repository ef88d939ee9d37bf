//! `/platform/audit`: who changed what, through the portal and past it; and one record with its hashes.

mod check;

use crate::view::{AuditPage, AuditQuery, Facet};
use leptos::prelude::*;
use promise::Result;
use promise::audit::{AuditEntry, AuditOutcome, AuditRecord, AuditSource};
use promise::wording::humanise;

use super::tabs;
use crate::backend::Visit;
use crate::document::{About, Page, Script, framed};
use crate::listing::Listing;
use crate::routes::{self, page};
use crate::texts::audit as texts;
use crate::ui::{Code, Crumb, Crumbs, Empty, Icon, LinkButton, Moment, PageHead, Person, Shape, Status};

/// The list.
pub async fn audit(visit: &Visit, query: &AuditQuery) -> Result<Page> {
    let backend = visit.backend()?;
    let found = backend.audit(query).await?;
    let (now, token) = (visit.now.clone(), backend.viewer().form_token);
    let about = About { title: texts::AUDIT_LOG.to_owned(), section: page::PLATFORM.to_owned(), ..About::default() };
    Ok(framed(visit, about, move || {
        let listing = Listing::new(page::AUDIT, &found.query);
        let export = view! { <LinkButton href=page::AUDIT_EXPORT label=texts::EXPORT/> };
        let (sources, outcomes) = (worded(&found.sources, source_label), worded(&found.outcomes, outcome_label));
        view! {
            <PageHead title=texts::AUDIT_LOG meta=view! { <span>{texts::records(found.total, found.more)}</span> }.into_any() actions=export.into_any()/>
            {tabs(page::AUDIT, true)}
            {check::integrity(found.check.as_ref(), &token, &now)}
            {listing.plain_search(texts::AUDIT_LOG, texts::SEARCH_HINT)}
            {Listing::filter_rows([
                listing.facet(texts::SOURCE, "source", &sources),
                listing.facet(texts::OUTCOME, "outcome", &outcomes),
                listing.in_force(texts::PERSON, "person", &found.query.person),
                listing.in_force(texts::WORKSPACE, "workspace", &found.query.workspace),
                listing.in_force(texts::OPERATION, "operation", &humanise(&found.query.operation)),
                listing.in_force(texts::FROM, "from", &found.query.from),
                listing.in_force(texts::TO, "to", &found.query.to),
            ])}
            {found.newest.then(|| view! { <p class="small subtle mb-3">{texts::COUNTS_OF_NEWEST}</p> })}
            {more_filters(&found)}
            {if found.rows.is_empty() {
                if listing.is_narrowed() { listing.nothing_fits(texts::NO_RECORDS_MATCH) } else { view! { <Empty title=texts::NO_RECORDS text=texts::NO_RECORDS_TEXT/> }.into_any() }
            } else {
                table(&found.rows, &now).into_any()
            }}
            {listing.pager(found.page, found.pages)}
        }
    }))
}

/// Returns a facet with labels of its own.
fn worded(facet: &Facet, label: fn(&str) -> Option<&'static str>) -> Facet {
    let mut facet = facet.clone();
    for value in &mut facet.values {
        if let Some(label) = label(&value.value) {
            label.clone_into(&mut value.label);
        }
    }
    facet
}

fn source_label(word: &str) -> Option<&'static str> {
    AuditSource::parse(word).map(texts::source)
}

fn outcome_label(word: &str) -> Option<&'static str> {
    AuditOutcome::parse(word).map(texts::outcome)
}

/// Filters by what is typed. Those in force are among the chips, so the form stays folded.
fn more_filters(found: &AuditPage) -> impl IntoView + use<> {
    let query = found.query.clone();
    let kept = [("q", query.q.clone()), ("outcome", query.outcome.clone()), ("source", query.source.clone())];
    let kept = kept.into_iter().filter(|(_, value)| !value.is_empty());
    let kept = kept.map(|(name, value)| view! { <input type="hidden" name=name value=value/> }).collect_view();
    let operations = found.operations.values.iter().map(|operation| {
        view! { <option value=operation.value.clone() selected=operation.chosen>{texts::operation(&operation.label, operation.count)}</option> }
    });
    let operations = operations.collect_view();
    let text = |name: &'static str, kind: &'static str, label: &'static str, value: String| {
        let id = format!("by-{name}");
        view! { <div class="field mt-0"><label for=id.clone()>{label}</label><div class="control"><input class="input" id=id name=name type=kind value=value autocomplete="off"/></div></div> }
    };
    view! {
        <details class="advanced mb-6">
            <summary><Icon name="chevron-right"/>{texts::MORE_FILTERS}</summary>
            <div><form class="mt-4" action=page::AUDIT>{kept}
                <div class="grid grid-cols-fit-56 gap-4">
                    {text("person", "text", texts::PERSON, query.person)}
                    {text("workspace", "text", texts::WORKSPACE, query.workspace)}
                    <div class="field mt-0"><label for="by-operation">{texts::OPERATION}</label><div class="control"><select class="input" id="by-operation" name="operation"><option value="">{texts::ANY}</option>{operations}</select></div></div>
                    {text("from", "date", texts::FROM, query.from)}
                    {text("to", "date", texts::TO, query.to)}
                </div>
                <div class="row mt-4"><button class="btn">{texts::APPLY}</button></div>
            </form></div>
        </details>
    }
}

fn table(rows: &[AuditRecord], now: &str) -> impl IntoView + use<> {
    let lines = rows.iter().map(|row| {
        let entry = &row.entry;
        view! {
            <tr>
                <th scope="row"><a class="name" href=routes::audit_record(&row.chain, row.sequence)>{humanise(&entry.operation)}</a><span class="under">{texts::source(entry.source)}</span></th>
                <td data-label=texts::PERSON>{person(entry)}</td>
                <td data-label=texts::OBJECT>{object(entry)}</td>
                <td data-label=texts::WORKSPACE>{Some(place(entry)).filter(|place| !place.is_empty()).map_or_else(none, mono)}</td>
                <td data-label=texts::OUTCOME>{outcome(entry.outcome)}</td>
                <td data-label=texts::TIME class="nowrap"><Moment at=entry.at.to_string() now=now.to_owned()/></td>
            </tr>
        }
    });
    let lines = lines.collect_view();
    view! { <div class="card"><table class="table" aria-label=texts::AUDIT_LOG><thead><tr><th scope="col">{texts::OPERATION}</th><th scope="col">{texts::PERSON}</th><th scope="col">{texts::OBJECT}</th><th scope="col">{texts::WORKSPACE}</th><th scope="col">{texts::OUTCOME}</th><th scope="col">{texts::TIME}</th></tr></thead><tbody>{lines}</tbody></table></div> }
}

fn person(entry: &AuditEntry) -> AnyView {
    if entry.source == AuditSource::Log {
        return none();
    }
    if entry.actor.is_empty() {
        return view! { <span class="subtle">{texts::UNKNOWN_PERSON}</span> }.into_any();
    }
    view! { <Person username=entry.actor.clone()/> }.into_any()
}

/// What was changed; the portal's own data often has no name.
fn object(entry: &AuditEntry) -> AnyView {
    let (kind, name) = (entry.kind.clone(), entry.name.clone());
    match (kind.is_empty(), name.is_empty()) {
        (true, true) => none(),
        (_, true) => view! { <span>{kind}</span> }.into_any(),
        (_, false) => view! { <span class="break">{name}</span><span class="under">{kind}</span> }.into_any(),
    }
}

/// The workspace by its path; by its id if it had none at that time.
fn place(entry: &AuditEntry) -> String {
    if entry.workspace.is_empty() { entry.cluster.clone() } else { entry.workspace.clone() }
}

fn outcome(outcome: AuditOutcome) -> impl IntoView {
    let shape = match outcome {
        AuditOutcome::Done => Shape::Ready,
        AuditOutcome::Failed => Shape::Failed,
        AuditOutcome::Unknown => Shape::Unknown,
    };
    view! { <Status shape=shape word=texts::outcome(outcome)/> }
}

/// One record.
pub async fn audit_record(visit: &Visit, chain: &str, sequence: &str) -> Result<Page> {
    let backend = visit.backend()?;
    let record = backend.audit_record(chain, sequence).await?;
    let now = visit.now.clone();
    let title = humanise(&record.entry.operation);
    let about = About { title: title.clone(), section: page::PLATFORM.to_owned(), script: Some(Script::Copying), ..About::default() };
    Ok(framed(visit, about, move || {
        let entry = record.entry.clone();
        let meta = view! {
            {outcome(entry.outcome)}
            <span>{person(&entry)}</span>
            <span>{texts::source(entry.source)}</span>
            <span><Moment at=entry.at.to_string() now=now.clone()/></span>
        };
        view! {
            <Crumbs steps=vec![Crumb::link(texts::AUDIT_LOG, page::AUDIT.to_owned()), Crumb::here(title.clone())]/>
            <PageHead title=title.clone() meta=meta.into_any()/>
            <div class="stack">
                {section("change", texts::CHANGE, None, facts(&entry))}
                {section("content", texts::CONTENT, Some(texts::CONTENT_TEXT), vec![(texts::BEFORE, hash(entry.before.as_deref())), (texts::AFTER, hash(entry.after.as_deref()))])}
                {section("chain", texts::CHAIN, None, chained(&record))}
                <div><p class="muted mb-3">{texts::CHAIN_TEXT}</p><Code label=texts::VERIFY_LABEL text=texts::VERIFY copy=true/></div>
            </div>
        }
    }))
}

/// Returns the fields of a record that have a value.
fn facts(entry: &AuditEntry) -> Vec<(&'static str, AnyView)> {
    let fields = [
        (texts::KIND, entry.kind.clone()),
        (texts::NAME, entry.name.clone()),
        (texts::NAMESPACE, entry.namespace.clone()),
        (texts::WORKSPACE, place(entry)),
        (texts::TIME, entry.at.to_string()),
        (texts::REQUEST_ID, entry.request_id.clone()),
        (texts::STATUS_CODE, entry.code.map(|code| code.to_string()).unwrap_or_default()),
        (texts::DETAIL, entry.detail.clone()),
    ];
    fields.into_iter().filter(|(_, text)| !text.is_empty()).map(|(label, text)| (label, mono(text))).collect()
}

fn chained(record: &AuditRecord) -> Vec<(&'static str, AnyView)> {
    vec![
        (texts::NAME, mono(record.chain.clone())),
        (texts::POSITION, mono(record.sequence.to_string())),
        (texts::PREVIOUS_HASH, hash(Some(record.previous.as_str()).filter(|hash| !hash.is_empty()))),
        (texts::HASH, mono(record.hash.clone())),
    ]
}

fn hash(hash: Option<&str>) -> AnyView {
    hash.map_or_else(none, |hash| mono(hash.to_owned()))
}

fn none() -> AnyView {
    view! { <span class="subtle">{texts::NONE}</span> }.into_any()
}

fn mono(text: String) -> AnyView {
    view! { <span class="mono break">{text}</span> }.into_any()
}

fn section(id: &'static str, heading: &'static str, text: Option<&'static str>, facts: Vec<(&'static str, AnyView)>) -> impl IntoView {
    let facts = facts.into_iter().map(|(label, value)| view! { <dt>{label}</dt><dd>{value}</dd> }).collect_view();
    view! {
        <section aria-labelledby=id><div class="section-head"><h2 id=id>{heading}</h2></div>
            {text.map(|text| view! { <p class="muted mb-3">{text}</p> })}
            <div class="card p-pad"><dl class="kv">{facts}</dl></div>
        </section>
    }
}
