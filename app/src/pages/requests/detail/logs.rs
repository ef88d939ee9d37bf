//! The pods that belong to the objects of a request, and the end of one log.

use leptos::prelude::*;
use promise::rest::{PodItem, RequestLog};

use super::address;
use super::events::not_read;
use crate::routes;
use crate::texts::troubleshooting as texts;
use crate::ui::{Code, Moment};
use crate::view::{RequestPage, RequestPart};

/// The part.
pub(super) fn part(page: &RequestPage, log: &RequestLog, now: &str) -> impl IntoView + use<> {
    let pods =
        if log.pods.is_empty() { view! { <p class="muted">{texts::NO_PODS}</p> }.into_any() } else { table(page, log, now).into_any() };
    let chosen = log.pods.iter().find(|pod| log.pod.as_ref() == Some(&pod.name));
    view! {
        <div class="stack">
            <section class="stack" aria-labelledby="pods" data-live="pods">
                <div><h2 id="pods">{texts::PODS}</h2><p class="muted">{texts::PODS_HINT}</p></div>
                {not_read(texts::NOT_EVERYTHING, &log.not_read)}
                {pods}
            </section>
            // The region stays, so that a pod that appears is shown.
            <div data-live="log" class="stack">{not_read(texts::NO_LOG, log.log_not_read.as_slice())}{chosen.map(|pod| lines(page, log, pod))}</div>
        </div>
    }
}

/// Returns the address of a log.
fn log_address(page: &RequestPage, pod: &str, container: &str, previous: bool) -> String {
    let previous = if previous { "true" } else { "" };
    routes::with_query(&address(page, RequestPart::Logs, 1), &[("pod", pod), ("container", container), ("previous", previous)])
}

fn table(page: &RequestPage, log: &RequestLog, now: &str) -> impl IntoView + use<> {
    let rows = log.pods.iter().map(|pod| {
        let is_current = log.pod.as_ref() == Some(&pod.name);
        let reasons: Vec<String> = pod.containers.iter().filter_map(|container| container.reason.clone()).collect();
        let reasons = (!reasons.is_empty()).then(|| view! { <span class="under">{reasons.join(", ")}</span> });
        let phase = if pod.phase.is_empty() { texts::UNKNOWN_PHASE.to_owned() } else { pod.phase.clone() };
        view! {
            <tr><th scope="row"><a class="name" href=log_address(page, &pod.name, "", false) aria-current=is_current.then_some("true")>{pod.name.clone()}</a></th>
                <td data-label=texts::BELONGS_TO><span class="break">{texts::object(&pod.owner_kind, &pod.owner)}</span></td>
                <td data-label=texts::PHASE>{phase}{reasons}</td>
                <td data-label=texts::RESTARTS>{pod.restarts()}</td>
                <td data-label=texts::CREATED class="nowrap"><Moment at=pod.created.clone() now=now/></td></tr>
        }
    });
    let rows = rows.collect_view();
    view! {
        <div class="card"><table class="table" aria-labelledby="pods"><thead><tr><th scope="col">{texts::POD}</th><th scope="col">{texts::BELONGS_TO}</th><th scope="col">{texts::PHASE}</th><th scope="col">{texts::RESTARTS}</th><th scope="col">{texts::CREATED}</th></tr></thead><tbody>{rows}</tbody></table></div>
    }
}

/// The log of the chosen container, below the links to the others and to its earlier run.
fn lines(page: &RequestPage, log: &RequestLog, pod: &PodItem) -> impl IntoView + use<> {
    let container = log.container.clone().unwrap_or_default();
    let link = |href: String, label: String, is_current: bool| {
        view! { <li><a href=href aria-current=is_current.then_some("true")>{label}</a></li> }
    };
    let containers = pod
        .containers
        .iter()
        .map(|known| link(log_address(page, &pod.name, &known.name, false), known.name.clone(), known.name == container));
    let containers = containers.collect_view();
    let containers = (pod.containers.len() > 1).then(|| view! { <ul class="chips" aria-label=texts::CONTAINER>{containers}</ul> });
    let has_restarted = log.previous || pod.containers.iter().any(|known| known.name == container && known.restarts > 0);
    let runs = [(false, texts::CURRENT_RUN), (true, texts::PREVIOUS_RUN)]
        .map(|(previous, label)| link(log_address(page, &pod.name, &container, previous), label.to_owned(), log.previous == previous));
    let runs = runs.into_iter().collect_view();
    let runs = has_restarted.then(|| view! { <ul class="chips" aria-label=texts::RUN>{runs}</ul> });
    let text = match (log.lines.is_empty(), log.log_not_read.is_none()) {
        (false, _) => {
            let label = texts::log_of_container(&container, &pod.name);
            view! { <Code label=label text=log.lines.join("\n") copy=true/> }.into_any()
        }
        (true, true) => view! { <p class="muted">{texts::NO_LINES}</p> }.into_any(),
        (true, false) => ().into_any(),
    };
    let basis = log.truncated.then(|| view! { <p class="basis">{texts::last_lines(log.lines.len())}</p> });
    view! {
        <section class="stack" aria-labelledby="log"><h2 id="log">{texts::log_of(&pod.name)}</h2>{containers}{runs}{text}{basis}</section>
    }
}
