//! `/docs/api`: the REST API for people who write programs, made of the same descriptions as its OpenAPI document.

use leptos::prelude::*;
use promise::Result;
use promise::rest::operation::{Content, OPENAPI, OPERATIONS, Operation, Parameter, ParameterKind};

use crate::backend::Visit;
use crate::document::{About, Page, Script, framed};
use crate::routes::page;
use crate::texts::api as texts;
use crate::ui::{Code, PageHead};

/// A request, as an example.
const MANIFEST: &str = r#"{
  "apiVersion": "platform.opmodel.dev/v1alpha1",
  "kind": "PromiseRequest",
  "metadata": {"name": "orders"},
  "spec": {"promise": {"name": "postgresql"}, "parameters": {"tier": "development"}}
}"#;

/// The page.
pub async fn page(visit: &Visit) -> Result<Page> {
    visit.backend()?;
    let about = About { title: texts::TITLE.to_owned(), section: page::API.to_owned(), script: Some(Script::Copying), ..About::default() };
    let mut groups: Vec<&str> = OPERATIONS.iter().map(|operation| operation.group).collect();
    groups.dedup();
    // Operations of one group stand together, in the order of the first of each.
    let mut known: Vec<&str> = Vec::new();
    for group in groups {
        if !known.contains(&group) {
            known.push(group);
        }
    }
    Ok(framed(visit, about, || {
        view! {
            <PageHead title=texts::TITLE meta=view! { <span>{texts::ABOUT}</span> }.into_any()/>
            <section class="card p-pad" aria-labelledby="start">
                <h2 id="start">{texts::GETTING_STARTED}</h2>
                <p class="mt-1">{texts::TOKEN}</p>
                <div class="mt-3"><Code label=texts::FIRST_CALL text=texts::first_call() copy=true/></div>
                <p class="mt-3"><a href=OPENAPI>{texts::DESCRIPTION}</a>". "{texts::described_at()}</p>
            </section>
            <section class="card p-pad mt-4" aria-labelledby="conventions">
                <h2 id="conventions">{texts::CONVENTIONS}</h2>
                <ul class="mt-1 grid gap-1">{texts::RULES.map(|rule| view! { <li>{marked(rule)}</li> }).collect_view()}</ul>
            </section>
            {known.into_iter().map(group).collect_view()}
            {problems()}
        }
    }))
}

fn group(name: &'static str) -> impl IntoView {
    let operations = OPERATIONS.iter().filter(move |operation| operation.group == name);
    view! {
        <section class="mt-4" aria-label=name>
            <h2>{name}</h2>
            {operations.map(operation).collect_view()}
        </section>
    }
}

fn operation(operation: &'static Operation) -> impl IntoView {
    let parameters = operation.query.iter().map(|one| (one, texts::QUERY));
    let parameters: Vec<_> = parameters.chain(operation.headers.iter().map(|one| (one, texts::HEADER))).collect();
    let table = (!parameters.is_empty()).then(|| {
        let rows = parameters.into_iter().map(|(parameter, place)| row(parameter, place));
        view! {
            <table class="table" aria-label=operation.summary>
                <thead><tr><th scope="col">{texts::PARAMETER}</th><th scope="col">{texts::PLACE}</th><th scope="col">{texts::MEANING}</th></tr></thead>
                <tbody>{rows.collect_view()}</tbody>
            </table>
        }
    });
    view! {
        <article class="card mt-3" id=operation.id>
            <div class="card-head"><h3>{operation.summary}</h3><code>{operation.method}" "{operation.path}</code></div>
            <div class="p-pad">
                <p>{marked(operation.description)}</p>
                <div class="mt-3"><Code label=texts::example(operation.summary) text=curl(operation) copy=true/></div>
            </div>
            {table}
        </article>
    }
}

fn row(parameter: &Parameter, place: &'static str) -> impl IntoView {
    let name = parameter.name;
    let required = parameter.required.then(|| view! { <span class="under">{texts::REQUIRED}</span> });
    view! {
        <tr>
            <th scope="row" data-label=texts::PARAMETER><code>{name}</code>{required}</th>
            <td data-label=texts::PLACE>{place}</td>
            <td data-label=texts::MEANING><span>{marked(parameter.description)}</span></td>
        </tr>
    }
}

fn problems() -> impl IntoView {
    let row = |(kind, status, meaning): (&'static str, &'static str, &'static str)| {
        view! {
            <tr id=kind>
                <th scope="row" data-label=texts::TYPE><code>{kind}</code></th>
                <td data-label=texts::STATUS>{status}</td>
                <td data-label=texts::MEANING><span>{marked(meaning)}</span></td>
            </tr>
        }
    };
    view! {
        <section class="mt-4" aria-labelledby="problems">
            <h2 id="problems">{texts::PROBLEMS}</h2>
            <div class="card mt-3">
                <div class="p-pad"><Code label=texts::EXAMPLE_PROBLEM text=texts::PROBLEM/></div>
                <table class="table" aria-label=texts::PROBLEMS>
                    <thead><tr><th scope="col">{texts::TYPE}</th><th scope="col">{texts::STATUS}</th><th scope="col">{texts::MEANING}</th></tr></thead>
                    <tbody>{texts::KINDS.map(row).collect_view()}</tbody>
                </table>
            </div>
        </section>
    }
}

/// Returns a text with what is between backquotes as code.
fn marked(text: &'static str) -> impl IntoView {
    let part = |(at, part): (usize, &'static str)| match at % 2 {
        0 => part.into_any(),
        _ => view! { <code>{part}</code> }.into_any(),
    };
    text.split('`').enumerate().map(part).collect_view()
}

/// Returns a call of an operation.
fn curl(operation: &Operation) -> String {
    let name = if operation.path.contains("/promises/") { "postgresql" } else { "orders" };
    let path = operation.path.replace("{workspace}", "root:acme:shop").replace("{namespace}", "default").replace("{name}", name);
    let path = path.replace("{action}", "backup").replace("{run}", "orders-backup-1f3e").replace("{step}", "ticket");
    let path = path.replace("{rollout}", "7");
    let query = operation.query.iter().find_map(|parameter| match (parameter.name, parameter.kind) {
        ("q", ParameterKind::Text) if parameter.required => Some("?q=orders"),
        ("state", _) => Some("?state=awaitingApproval&limit=50"),
        _ => None,
    });
    let mut lines = vec!["curl".to_owned()];
    match operation.method {
        "GET" => {}
        method => lines[0].push_str(&format!(" -X {method}")),
    }
    if matches!(operation.answer, Content::Events(_)) {
        lines[0].push_str(" -N");
    }
    lines[0].push_str(&format!(" \"$PORTAL{path}{}\"", query.unwrap_or_default()));
    if !operation.is_open() {
        lines.push("-H \"Authorization: Bearer $TOKEN\"".to_owned());
    }
    for header in operation.headers {
        match header.name {
            "If-Match" if header.required => lines.push("-H 'If-Match: \"2-0b7c….41f2…\"'".to_owned()),
            "Idempotency-Key" => lines.push("-H \"Idempotency-Key: $(uuidgen)\"".to_owned()),
            _ => {}
        }
    }
    match operation.body {
        Some(Content::Manifest) => lines.push(format!("--data '{MANIFEST}'")),
        Some(Content::Promise) => lines.push("--data-binary @promise.yaml".to_owned()),
        Some(Content::Of("RunBody")) => lines.push(r#"--data '{"parameters": {}}'"#.to_owned()),
        Some(Content::Of("SkipBody")) => lines.push(r#"--data '{"comment": "Done by hand."}'"#.to_owned()),
        Some(_) => lines.push(r#"--data '{"contentHash": "5d41…", "decision": "approve"}'"#.to_owned()),
        None => {}
    }
    lines.join(" \\\n  ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_operation_has_a_call_with_nothing_left_to_fill_in_but_portal_and_token() {
        for operation in &OPERATIONS {
            let call = curl(operation);
            assert!(operation.path_parameters().all(|name| !call.contains(&format!("{{{name}}}"))), "{call}");
            assert!(call.starts_with("curl") && call.contains("$PORTAL/api/v1/"), "{call}");
            assert_eq!(call.contains("$TOKEN"), !operation.is_open(), "{call}");
            assert_eq!(call.contains("--data"), operation.body.is_some(), "{call}");
        }
    }

    #[test]
    fn every_kind_of_problem_is_explained() {
        use promise::Error;
        use promise::error::{BusyReason, ConflictReason, DeniedReason, TooManyReason};
        let what = String::new;
        for error in [
            Error::Unauthenticated,
            Error::Denied { reason: DeniedReason::OtherSite },
            Error::NotFound { what: what() },
            Error::NotEnabled { what: what() },
            Error::Invalid { problems: Vec::new() },
            Error::Conflict { reason: ConflictReason::NoEdition },
            Error::Contested { fields: Vec::new() },
            Error::Unreachable { what: what() },
            Error::Busy { reason: BusyReason::ControlPlane },
            Error::TooManyRequests { reason: TooManyReason::Requests, seconds: 1 },
            Error::Timeout,
            Error::TooLarge { limit: 1 },
            Error::Internal,
        ] {
            let kind = serde_json::to_value(&error).unwrap()["kind"].as_str().unwrap().to_owned();
            assert!(texts::KINDS.iter().any(|(known, ..)| *known == kind), "{kind}");
        }
    }
}
