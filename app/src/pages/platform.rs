//! What platform teams look after: how requests go, policies, whom they hit, and their texts.

mod deliveries;
mod emergencies;
mod list;
mod overview;
mod policy;
mod text;

pub use deliveries::deliveries;
pub use emergencies::emergencies;
pub use list::list;
pub(super) use overview::by_week;
pub use overview::overview;
pub use policy::policy;
pub use text::{new, text};

use leptos::prelude::*;
use promise::view::{Compiled, ConcernedLine, PolicyRow};

use super::rules;
use crate::routes::{self, page};
use crate::ui::{Moment, Shape, Status, Tab, Tabs};

/// The parts, of which the one at `current` is shown; that of deliveries to those who may see it.
fn tabs(current: &str, delivers: bool) -> impl IntoView + use<> {
    let tab = |label, href: &str| Tab { label, href: href.to_owned(), count: None, current: href == current };
    let mut tabs = vec![tab("Overview", page::PLATFORM), tab("Policies", page::POLICIES), tab("Emergencies", page::EMERGENCIES)];
    if delivers {
        tabs.push(tab("Deliveries", page::DELIVERIES));
    }
    view! { <Tabs label="Platform" tabs=tabs/> }
}

/// Whether a policy can be applied, in a word.
fn compiled(compiled: &Compiled) -> impl IntoView + use<> {
    let (shape, word) = match compiled {
        Compiled::Yes => (Shape::Ready, "In force"),
        Compiled::No(_) => (Shape::Failed, "Cannot be applied"),
        Compiled::NotYet => (Shape::Unknown, "Not looked at yet"),
    };
    view! { <Status shape=shape word=word/> }
}

/// What a violation does, in a word.
fn strength(row: &PolicyRow) -> impl IntoView + use<> {
    let (shape, word) = rules::enforcement(row.enforcement);
    view! { <Status shape=shape word=word/> }
}

/// Requests with what policies have to do with them.
fn concerned(lines: &[ConcernedLine], now: &str) -> impl IntoView + use<> {
    let lines = lines.iter().map(|line| {
        view! {
            <tr><th scope="row"><a class="name" href=routes::request(&line.workspace, &line.namespace, &line.name)>{line.name.clone()}</a><span class="under mono">{line.workspace.clone()}</span></th>
                <td data-label="What">{line.what.clone()}</td><td data-label="Since" class="nowrap">{(!line.at.is_empty()).then(|| view! { <Moment at=line.at.clone() now=now/> })}</td></tr>
        }
    });
    let lines = lines.collect_view();
    view! { <div class="card"><table class="table"><thead><tr><th scope="col">"Request"</th><th scope="col">"What"</th><th scope="col">"Since"</th></tr></thead><tbody>{lines}</tbody></table></div> }
}
